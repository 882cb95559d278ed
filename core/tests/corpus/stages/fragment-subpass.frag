#version 460
// Input attachments, dual-source blending and early tests.
layout(early_fragment_tests) in;
layout(input_attachment_index = 0, set = 0, binding = 0) uniform subpassInput before;
layout(input_attachment_index = 1, set = 0, binding = 1) uniform usubpassInputMS counts;
layout(location = 0, index = 0) out vec4 color;
layout(location = 0, index = 1) out vec4 factor;
void main() {
    color = subpassLoad(before).zyxw;
    factor = vec4(subpassLoad(counts, 2)) * 0.125;
}
