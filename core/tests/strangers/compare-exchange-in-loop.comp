#version 450
// A strong compare-and-exchange. Right: WGSL and Metal, whose function may fail without a reason, repeat it until it exchanged or the
// number is another one.
layout(local_size_x = 4) in;
layout(set = 0, binding = 0, std430) buffer B { uint lock; uint count; int old[4]; int taken; };
shared int turn;
void main() {
  if (gl_LocalInvocationIndex == 0u) turn = 0;
  barrier();
  int was = atomicCompSwap(turn, int(gl_LocalInvocationIndex) - 4, 9);
  old[gl_LocalInvocationIndex] = was;
  if (atomicCompSwap(lock, 5u, 7u) == 5u) atomicAdd(taken, 1);
  barrier();
  atomicAdd(count, 1u);
}
