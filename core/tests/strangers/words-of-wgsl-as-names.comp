#version 450
// Words of address spaces, accesses, formats, types and functions of WGSL, and words that it reserves, as names of everything that has one.
// Right: all of them are renamed there.
layout(local_size_x = 1) in;
struct f32 { float vec4f; int read; float rgba8unorm; };
layout(set = 0, binding = 0, std430) buffer read_write { float array; int atomic; f32 ptr; } storage;
layout(set = 0, binding = 1, std140) uniform function { vec4 i32; } uniform_;
shared float workgroup;
float vec2f(float private, int select) { float bitcast = private + float(select); return bitcast * 2.0; }
float module(float r32float) { float alias = r32float; for (int texture_2d = 0; texture_2d < 2; texture_2d++) alias += 1.0; return alias; }
void main() {
  workgroup = storage.array;
  float override = vec2f(workgroup, storage.atomic);
  float fn = module(override) + uniform_.i32.x;
  storage.ptr.vec4f = fn;
  storage.ptr.rgba8unorm = fn + 1.0;
}
