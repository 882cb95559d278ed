#version 460
// Row-major and column-major matrices in one buffer, whole, by column and by element.
layout(local_size_x = 8) in;
layout(std430, set = 0, binding = 0) buffer Result { uint result[]; };
layout(std430, set = 0, binding = 1) readonly buffer Words { uint words[]; };
layout(std140, set = 0, binding = 2) uniform Both { layout(row_major) mat3 rows; layout(column_major) mat3 columns; };
struct Element { mat3 columns; };
layout(std430, row_major, set = 0, binding = 3) buffer Stored { Element stored[8]; };

void main() {
    uint i = gl_LocalInvocationIndex;
    mat3 p = rows * columns;
    vec3 v = p * vec3(1.0, 2.0, 3.0) + columns[1];
    v.x += rows[2][0] + float(outerProduct(vec2(1.0, 2.0), vec2(3.0, 4.0))[1][1]);
    mat2x3 w = mat2x3(v, v.zyx);
    result[i] = uint(clamp(abs(dot(w[i & 1u], vec3(1.0))), 0.0, 1000.0)) + uint(determinant(mat2(2.0, 1.0, 1.0, 3.0)));
    stored[i].columns = transpose(p);
    stored[i].columns[2].y = float(words[i]);
}
