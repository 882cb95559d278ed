#version 460
// A specialization constant that is the least integer, and one of -1.
// Right: these defaults, in a form that each compiler takes as a literal.
layout(local_size_x = 1) in;
layout(constant_id = 0) const int n = -2147483647 - 1;
layout(constant_id = 1) const int m = -1;
layout(set = 0, binding = 0, std430) buffer Results { int r[]; };
void main() {
  r[0] = n / 3;
  r[1] = max(m, n) >> 1;
}
