#version 460
// Vertices for two streams of transform feedback.
layout(points) in;
layout(points, max_vertices = 4) out;
layout(stream = 0, location = 0, xfb_buffer = 0, xfb_offset = 0, xfb_stride = 16) out vec4 first;
layout(stream = 1, location = 1, xfb_buffer = 1, xfb_offset = 0, xfb_stride = 4) out float second;
void main() {
    first = gl_in[0].gl_Position;
    EmitStreamVertex(0);
    EndStreamPrimitive(0);
    second = first.x;
    EmitStreamVertex(1);
    EndStreamPrimitive(1);
}
