#version 460
// Products, inverse, determinant and transpose of matrices.
layout(local_size_x = 8) in;
layout(std430, set = 0, binding = 0) buffer Result { uint result[]; };
layout(std430, set = 0, binding = 1) readonly buffer Words { uint words[]; };
layout(std430, set = 0, binding = 2) writeonly buffer Values { float values_out[]; };

void main() {
    uint i = gl_LocalInvocationIndex;
    mat2 a = mat2(words[i], 1.0, 2.0, 3.0);
    mat4 b = mat4(2.0);
    b[1] = vec4(1.0, 3.0, 0.0, float(i));
    vec2 v = a * vec2(1.0, 2.0) + vec2(3.0, 4.0) * a;
    vec4 w = inverse(b) * vec4(4.0) + transpose(b)[1];
    values_out[i] = determinant(b) + v.x + v.y + w.x + w.y + (a * 2.0 - a / 4.0 + (-a))[1][0] + matrixCompMult(a, a)[1][1] + outerProduct(v, v)[0][1];
    result[i] = 1u;
}
