#version 460
// Derivatives of every precision, in uniform control flow and in a loop.
layout(location = 0) in vec4 value;
layout(location = 0) out vec4 color;
layout(push_constant) uniform Push { int rounds; };
void main() {
    vec4 sum = dFdx(value) + dFdyCoarse(value) + fwidthFine(value) + vec4(dFdxFine(value.x), dFdyFine(value.y), fwidth(value.z), fwidthCoarse(value.w));
    for (int k = 0; k < rounds; k++) sum += dFdxCoarse(value * float(k)) + dFdy(sum);
    color = sum;
}
