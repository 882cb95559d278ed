// A vertex shader of GLSL ES 3.00: two poses are mixed, then transformed and lit.
#version 300 es
in vec3 position;
in vec3 target;
in vec3 normal;
uniform mat4 camera;
uniform float amount;
out vec3 shade;

void main() {
    float t = clamp(amount, 0.0, 1.0);
    vec3 mixed = mix(position, target, t * t * (3.0 - 2.0 * t));
    shade = 0.5 + 0.5 * normalize(normal);
    gl_Position = camera * vec4(mixed, 1.0);
}
