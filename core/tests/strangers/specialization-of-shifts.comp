#version 460
// Specialization constants with a negative default, shifted, and chosen by each other.
// Right: the same values in every language, or constants that the text computes where they are used.
layout(local_size_x = 1) in;
layout(constant_id = 0) const int n = -5;
layout(constant_id = 1) const uint m = 3;
layout(set = 0, binding = 0, std430) buffer Results { uint r[]; };
void main() {
  r[0] = uint(n);
  r[1] = uint(n >> (n & 15));
  r[2] = m << (n & 3);
}
