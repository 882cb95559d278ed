#version 460
// Vertex inputs that are arrays, of vectors and of matrices, one with a variable index.
// Right: GLSL ES, which has no such inputs, has one input for each element and fills the arrays.
layout(location = 0) in vec4 weights[2];
layout(location = 2) in mat2 turns[2];
layout(location = 0) out vec2 turned;
void main() {
    int k = gl_VertexIndex & 1;
    gl_Position = weights[k] + weights[1];
    turned = turns[k] * weights[0].xy;
}
