#version 460
// A switch in an arm of a switch; a signed selector with a negative case.
layout(local_size_x = 8) in;
layout(std430, set = 0, binding = 0) buffer Result { uint result[]; };
layout(std430, set = 0, binding = 1) readonly buffer Words { uint words[]; };
void main() {
    uint i = gl_LocalInvocationIndex;
    int s = int(words[i]) - 4;
    uint y = 0u;
    switch (s) {
    case -3: case -1:
        switch (i) { case 0u: y = 1u; break; case 1u: y = 2u; default: y += 3u; }
        y *= 10u;
        break;
    case 0: y = 77u; break;
    case 5: return;
    default: y = uint(s * s);
    }
    result[i] = y;
}
