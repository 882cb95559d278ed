#version 450
// Local copies of arrays and matrices that have gaps between their elements in a buffer, one of them changed, one of them in a structure. Right: local ones
// have no gaps, as far as a language says so.
layout(local_size_x = 1) in;
struct S { float each[3]; mat2 m; };
layout(set = 0, binding = 1, std140) uniform U { float arr[3]; mat2 turn[2]; S s; } u;
layout(set = 0, binding = 0, std430) buffer B { float r; int k; };
float kept[3];
void main() {
  float own[3] = u.arr;
  mat2 turns[2] = u.turn;
  S s = u.s;
  kept = u.arr;
  own[1] = 4.0;
  kept[k % 3] += 1.0;
  s.each[k % 3] = 2.0;
  r = own[k % 3] + turns[k % 2][1].x + s.each[(k + 1) % 3] + s.m[k % 2].y + kept[k % 3];
}
