#version 460
// A minimum level of detail, and a multiview image.
#extension GL_ARB_sparse_texture_clamp : require
#extension GL_EXT_multiview : require
layout(set = 0, binding = 0) uniform sampler2DArray sheets;
layout(location = 0) in vec2 at;
layout(location = 0) out vec4 color;
void main() {
    color = textureClampARB(sheets, vec3(at, float(gl_ViewIndex)), 2.0) + textureGradClampARB(sheets, vec3(at, 0.0), at, at.yx, 1.0);
}
