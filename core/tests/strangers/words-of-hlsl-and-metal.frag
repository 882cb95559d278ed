#version 450
// Names that are words of HLSL or Metal, and of neither GLSL nor each other.
// Right: they are renamed where they are words.
layout(location = 0) in float wchar_t_0;
layout(location = 1) in float typeid;
layout(location = 0) out vec4 SamplerDescriptorHeap;
struct raytracing { float bitand; float nullptr; };
float decltype(float MAXFLOAT, float xor) { return MAXFLOAT * xor; }
float Technique(float and_eq) { return and_eq + 1.0; }
void main() {
    raytracing std = raytracing(typeid, wchar_t_0);
    float co_await = decltype(std.bitand, std.nullptr);
    float int32_t = Technique(co_await);
    SamplerDescriptorHeap = vec4(int32_t);
}
