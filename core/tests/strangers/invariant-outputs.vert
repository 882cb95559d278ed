#version 450
// The position and an output are computed the same way in every program.
// Right: HLSL states `precise` for both.
layout(location = 0) in vec4 p;
invariant gl_Position;
layout(location = 1) invariant out vec3 normal;
void main() {
    gl_Position = p * 3.0 + p.yxzw;
    normal = p.xyz * 2.0 + p.w;
}
