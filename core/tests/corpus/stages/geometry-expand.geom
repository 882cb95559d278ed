#version 460
// A geometry shader with several instances that expands each line to a strip.
layout(lines, invocations = 2) in;
layout(triangle_strip, max_vertices = 8) out;
layout(location = 0) in vec4 tint[];
layout(location = 0) out vec4 shade;
void main() {
    for (int side = 0; side < 2; side++) {
        for (int end = 0; end < gl_in.length(); end++) {
            gl_Position = gl_in[end].gl_Position + vec4(float(side) - 0.5, 0.0, 0.0, 0.0);
            gl_Layer = gl_InvocationID;
            gl_PrimitiveID = gl_PrimitiveIDIn;
            shade = tint[end];
            EmitVertex();
        }
        if (gl_in[0].gl_Position.w < 0.0) return;
        EndPrimitive();
    }
}
