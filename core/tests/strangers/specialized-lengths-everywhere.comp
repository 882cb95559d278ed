#version 450
// Lengths by a specialization constant, of a local array, of one in a structure, and of one in shared memory, and the constant itself.
// Right: with the default 3 the result is the sum below; a language without such lengths fixes the constant everywhere, or refuses.
layout(local_size_x = 1) in;
layout(constant_id = 4) const int N = 3;
layout(constant_id = 5) const float scale = 2.0;
layout(set = 0, binding = 0, std430) buffer B { float r; int k; };
struct S { float each[N]; };
shared float all[N];
void main() {
  float own[N];
  S s;
  for (int i = 0; i < N; i++) { own[i] = float(i); s.each[i] = scale * float(i); all[i] = 1.0; }
  barrier();
  r = own[k % N] + s.each[(k + 1) % N] + all[k % N] + float(N);
}
