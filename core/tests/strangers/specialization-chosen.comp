#version 460
// Specialization constants that choose one another.
// Right: the same values in every language, or constants that the text computes where they are used.
layout(local_size_x = 1) in;
layout(constant_id = 0) const int n = 5;
layout(constant_id = 1) const uint m = 3;
layout(constant_id = 2) const bool b = true;
layout(set = 0, binding = 0, std430) buffer Results { uint r[]; };
void main() {
  r[0] = b ? m : 7u;
}
