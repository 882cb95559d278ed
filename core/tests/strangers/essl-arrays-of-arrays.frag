#version 460
// Arrays of arrays: in a uniform block, as a constant, as a local variable, as a parameter, three levels deep.
// Right: GLSL ES 3.00, which has none, has structures in place of the inner arrays; the other languages have them.
layout(set = 0, binding = 0, std140) uniform Table { vec4 rows[2][3]; int k; } table;
layout(location = 0) flat in ivec2 at;
layout(location = 0) out vec4 o;
const float WEIGHTS[2][2] = float[2][2](float[2](0.5, 0.25), float[2](2.0, 4.0));
float sum(float a[2][2], int i) { return a[i & 1][0] + a[i & 1][1]; }
void main() {
    float t[2][2][2];
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++)
            for (int k = 0; k < 2; k++) t[i][j][k] = float(i * 4 + j * 2 + k) * WEIGHTS[i][j];
    float u[2][2] = t[at.y & 1];
    u[at.x & 1][1] += WEIGHTS[at.x & 1][at.y & 1];
    o = table.rows[at.x & 1][at.y & 1] + vec4(sum(u, at.x), t[1][at.x & 1][at.y & 1], u[1][1], 1.0);
}
