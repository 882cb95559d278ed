#version 460
// Specialization constants, composites of them, and operations on them.
layout(local_size_x = 8) in;
layout(std430, set = 0, binding = 0) buffer Result { uint result[]; };
layout(std430, set = 0, binding = 1) readonly buffer Words { uint words[]; };
layout(constant_id = 0) const int rounds = 5;
layout(constant_id = 1) const bool fast = true;
layout(constant_id = 2) const float scale = 2.5;
layout(constant_id = 3) const uint mask = 0xf0u;
const ivec2 pair = ivec2(rounds * 2 - 1, -rounds / 2);
const bool larger = rounds > 3 && !fast || rounds <= 9;
const int chosen = larger ? rounds % 4 : rounds;
const uint bits = (mask | 3u) & ~(mask >> 5) ^ (mask << 1);
uint table[3] = uint[](4u, 5u, 6u);
uint sizes[rounds];
float scaled = scale;
layout(local_size_y_id = 4) in;

void main() {
    uint i = gl_LocalInvocationIndex;
    uint sum = 0u;
    for (int k = 0; k < rounds; k++) sum += table[k % 3] + words[k & 15];
    if (fast) sum *= 2u;
    result[i] = sum + uint(scaled) + uint(pair.x + pair.y) + uint(sizes.length()) + gl_WorkGroupSize.y + uint(chosen) + bits;
}
