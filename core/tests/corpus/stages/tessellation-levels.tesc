#version 460
// A tessellation control shader that shares patch data after a barrier.
layout(vertices = 3) out;
layout(location = 0) in vec3 normal[];
layout(location = 0) out vec3 bent[];
layout(location = 1) patch out vec4 middle;
void main() {
    gl_out[gl_InvocationID].gl_Position = gl_in[gl_InvocationID].gl_Position;
    bent[gl_InvocationID] = normalize(normal[gl_InvocationID] + normal[(gl_InvocationID + 1) % 3]);
    barrier();
    if (gl_InvocationID == 0) {
        middle = (gl_out[0].gl_Position + gl_out[1].gl_Position + gl_out[2].gl_Position) / 3.0;
        for (int k = 0; k < 3; k++) gl_TessLevelOuter[k] = 1.0 + length(bent[k]);
        gl_TessLevelInner[0] = float(gl_PatchVerticesIn);
    }
}
