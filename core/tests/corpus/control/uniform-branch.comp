#version 460
// A branch on a value that is the same for all invocations, with a barrier in it.
layout(local_size_x = 8) in;
layout(std430, set = 0, binding = 0) buffer Result { uint result[]; };
layout(std430, set = 0, binding = 1) readonly buffer Words { uint words[]; };
shared uint shared_word[8];

void main() {
    uint i = gl_LocalInvocationIndex;
    shared_word[i] = words[i];
    if (words[0] == 3u) { barrier(); result[i] = shared_word[(i + 1u) & 7u]; }
    else { result[i] = 5u; }
}
