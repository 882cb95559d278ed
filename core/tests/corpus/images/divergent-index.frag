#version 460
// Images chosen by an index that differs between invocations, in a loop.
#extension GL_EXT_nonuniform_qualifier : require
layout(set = 0, binding = 0) uniform sampler2D pictures[];
layout(location = 0) in vec2 at;
layout(location = 1) flat in int first;
layout(location = 0) out vec4 color;
void main() {
    color = vec4(0.0);
    for (int k = first; k < first + 3; k++) color += textureLod(pictures[nonuniformEXT(k)], at, float(k));
}
