#version 460
// Dot, cross, length, reflect and other geometric functions.
layout(local_size_x = 8) in;
layout(std430, set = 0, binding = 0) buffer Result { uint result[]; };
layout(std430, set = 0, binding = 1) readonly buffer Words { uint words[]; };
layout(std430, set = 0, binding = 2) writeonly buffer Values { float values_out[]; };

void main() {
    uint i = gl_LocalInvocationIndex;
    vec3 a = vec3(words[i], words[i + 1u], 2.0), b = vec3(1.0, words[i + 2u], -1.0);
    float r = dot(a, b) + length(a) + distance(a, b) + dot(normalize(a), vec3(1.0)) + dot(cross(a, b), vec3(0.5))
        + dot(faceforward(a, b, a), b) + dot(reflect(a, normalize(b)), b) + dot(refract(normalize(a), normalize(b), 0.9), b);
    result[i] = r > 0.0 ? 1u : 2u;
    values_out[i] = r;
}
