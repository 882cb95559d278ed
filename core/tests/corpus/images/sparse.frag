#version 460
// Sparse residency: texels and residency codes.
#extension GL_ARB_sparse_texture2 : require
layout(set = 0, binding = 0) uniform sampler2D plane;
layout(set = 0, binding = 1, rgba32f) uniform image2D store;
layout(location = 0) in vec2 at;
layout(location = 0) out vec4 color;
void main() {
    vec4 a, b, c, d;
    int code = sparseTextureARB(plane, at, a);
    code |= sparseTextureLodARB(plane, at, 1.0, b);
    code |= sparseTexelFetchARB(plane, ivec2(at), 0, c);
    code |= sparseTextureGatherARB(plane, at, d, 0);
    code |= sparseImageLoadARB(store, ivec2(at), d);
    color = sparseTexelsResidentARB(code) ? a + b + c + d : vec4(0.0);
}
