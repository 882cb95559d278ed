// Vectors that are computed of specialization constants, also as an index and in the size of an array.
#version 450
layout(local_size_x = 4) in;
layout(constant_id = 0) const int width = 3;
layout(constant_id = 1) const int height = 2;
layout(constant_id = 2) const bool wide = true;
const int area = width * height / 4 * 4 + width;
const ivec3 planes = ivec3(0, 1, 2) * area;
const ivec3 sum = planes + ivec3(width, height, area % 3);
const ivec2 sizes = ivec2(width, wide ? width * 2 : height);
const ivec4 both = ivec4(sizes, sizes.yx);
const uint counts = uint(both.z) << 1;
const bool above = sum.y > 2;
layout(set = 0, binding = 0) buffer Data { ivec4 o[]; };
shared int lines[area];
void main() {
  int i = int(gl_LocalInvocationIndex);
  lines[i] = planes[i % 3];
  barrier();
  o[i] = ivec4(sum, above ? lines[3 - i] : -1) + width + both * int(counts);
}
