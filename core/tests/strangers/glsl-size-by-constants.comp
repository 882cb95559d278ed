#version 460
// A size of the workgroup of which one number is a specialization constant, and shared memory of that size.
// Right: GLSL has `local_size_y_id`; GLSL ES 3.10 the default, and a comment that says so.
layout(local_size_x = 2, local_size_y_id = 3) in;
layout(local_size_y = 2) in;
layout(set = 0, binding = 0, std430) buffer Sums { uint sums[]; } r;
shared uint s[4];
void main() {
    s[gl_LocalInvocationIndex & 3u] = gl_WorkGroupSize.x * 10u + gl_WorkGroupSize.y;
    barrier();
    r.sums[gl_LocalInvocationIndex] = s[(gl_LocalInvocationIndex + 1u) & 3u];
}
