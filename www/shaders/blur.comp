// A blur of a row: a workgroup loads its values and their neighbors once, and each invocation reads nine.
#version 450
layout(local_size_x = 32) in;
layout(set = 0, binding = 0) readonly buffer Source { float source[32]; };
layout(set = 0, binding = 1) writeonly buffer Result { float result[32]; };

shared float tile[40];

void main() {
    int at = int(gl_LocalInvocationIndex);
    for (int i = at; i < 40; i += 32) {
        tile[i] = source[clamp(i - 4, 0, 31)];
    }
    barrier();
    float sum = 0.0;
    float weights = 0.0;
    for (int i = -4; i <= 4; ++i) {
        float weight = exp(-0.2 * float(i * i));
        sum += weight * tile[at + 4 + i];
        weights += weight;
    }
    result[at] = sum / weights;
}
