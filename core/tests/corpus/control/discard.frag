#version 460
// Fragments that are discarded in a loop, in a function and at the end.
layout(location = 0) in vec2 at;
layout(location = 0) out vec4 color;
layout(push_constant) uniform Limits { float near_limit; int most; };
float march(float x) {
    for (int k = 0; k < most; k++) {
        x = x * 1.5 + 0.1;
        if (x > 90.0) discard;
        if (x > 10.0) return x;
    }
    return -x;
}
void main() {
    float d = march(at.x);
    if (d < near_limit) { if (at.y > 0.5) discard; d = 0.25; }
    color = vec4(fract(d), at, 1.0);
    if (gl_FragCoord.x < 0.0) discard;
}
