#version 460
// Construction, swizzles, relations and reductions of vectors.
layout(local_size_x = 8) in;
layout(std430, set = 0, binding = 0) buffer Result { uint result[]; };
layout(std430, set = 0, binding = 1) readonly buffer Words { uint words[]; };
void main() {
    uint i = gl_LocalInvocationIndex;
    uvec4 a = uvec4(words[i], words[i + 1u], i, 3u);
    ivec3 s = ivec3(a.xyz) - ivec3(4);
    bvec4 m = lessThan(a, a.wzyx);
    bvec3 n = greaterThanEqual(s, ivec3(0));
    uint r = uint(any(m)) + 2u * uint(all(n)) + 4u * uint(any(not(m))) + 8u * uint(a == a.xyzw) + 16u * uint(equal(a, a.yxwz).x);
    a = a.wxyz + uvec4(a.xy, uvec2(i));
    a = mix(a, a.zwxy, m);
    result[i] = r + a.x * a[i & 3u] + uint(s.x * s.y);
}
