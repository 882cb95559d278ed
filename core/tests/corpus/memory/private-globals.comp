#version 460
// Private variables with initializers, changed in functions.
layout(local_size_x = 8) in;
layout(std430, set = 0, binding = 0) buffer Result { uint result[]; };
layout(std430, set = 0, binding = 1) readonly buffer Words { uint words[]; };
uint counter = 5u;
uint history[2] = uint[](8u, 9u);
void step_by(uint n) { history[counter & 1u] = n; counter += n; }

void main() {
    uint i = gl_LocalInvocationIndex;
    step_by(words[i]);
    step_by(3u);
    result[i] = counter * 10u + history[1];
}
