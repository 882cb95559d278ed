#version 460
// Arrays of images and of uniform blocks with an index that is not constant: a lookup, a fetch, a size, a member.
// Right: GLSL ES, which has constant indices only, looks up in each and selects.
layout(set = 0, binding = 0) uniform sampler2D images[3];
layout(set = 0, binding = 4, std140) uniform Light { vec4 color; float ranges[2]; } lights[2];
layout(location = 0) flat in int which;
layout(location = 1) in vec2 at;
layout(location = 0) out vec4 o;
void main() {
    int k = which & 1;
    vec4 c = textureLod(images[k], at, 0.0) + texelFetch(images[k + 1], ivec2(0), 0);
    o = c * lights[k].color + vec4(lights[k].ranges[k], float(textureSize(images[k], 0).x), 0.0, 0.0);
}
