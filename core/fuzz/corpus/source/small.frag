#version 450
uniform float t;
out vec4 c;
void main() { c = vec4(t); }
