#version 460
// Every operation on signed and unsigned 32-bit integers.
layout(local_size_x = 8) in;
layout(std430, set = 0, binding = 0) buffer Result { uint result[]; };
layout(std430, set = 0, binding = 1) readonly buffer Words { uint words[]; };
void main() {
    uint i = gl_LocalInvocationIndex;
    uint a = words[i], b = words[i + 8u] | 1u;
    int s = int(a & 0xffffu) + 1, t = int(b & 0xffffu) + 2;
    uint r = a + b * 3u - a / b + a % b + (a & b) + (a | b) + (a ^ b) + ~a + (a << 3) + (b >> 1);
    int q = s * t - s / t + (s << 2) + (s >> 1) + (-s) + abs(s) + sign(s) + min(s, t) + max(s, t) + clamp(s, -2, 2);
    uint high, low;
    umulExtended(a * 0x10000000u, b, high, low);
    int shigh, slow;
    imulExtended(s * 0x1000000, t, shigh, slow);
    uint carry, borrow;
    uint sum = uaddCarry(0xfffffff0u + a, b, carry) + usubBorrow(a, b, borrow);
    result[i] = r + uint(q) + high + low + uint(shigh) + uint(slow) + sum + carry + borrow + min(a, b) + max(a, b) + clamp(a, 2u, 5u);
    bool order = s < t || s <= -t || s > 2 * t || s >= 3 * t || a < b || a <= b || a > b || a >= b;
    result[i + 8u] = uint(order) + uint(a == b) + uint(s != t) + uint((q & 0xffff) % 7);
}
