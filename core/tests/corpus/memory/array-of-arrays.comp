#version 460
// Arrays of arrays of vectors in every storage class that may hold them.
layout(local_size_x = 8) in;
layout(std430, set = 0, binding = 0) buffer Result { uint result[]; };
layout(std430, set = 0, binding = 1) readonly buffer Words { uint words[]; };
uvec2 grid[2][4] = uvec2[][](uvec2[](uvec2(1u), uvec2(2u), uvec2(3u), uvec2(4u)), uvec2[](uvec2(5u), uvec2(6u), uvec2(7u), uvec2(8u)));
shared uint tile[2][4];
const uint lookup[2][3] = uint[][](uint[](1u, 2u, 3u), uint[](4u, 5u, 6u));

void main() {
    uint i = gl_LocalInvocationIndex;
    grid[i & 1u][i & 3u] = uvec2(words[i], i);
    tile[i >> 2u][i & 3u] = words[i];
    barrier();
    result[i] = grid[1u - (i & 1u)][(i + 1u) & 3u].x + tile[1][i & 3u] + lookup[i & 1u][2];
}
