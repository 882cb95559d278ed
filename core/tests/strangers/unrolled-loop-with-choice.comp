#version 450
// A loop of three iterations whose body chooses between two values, and carries the choice to the next iteration.
layout(local_size_x = 1) in;
layout(std430, binding = 0) buffer B { vec4 v[4]; float r[4]; } b;
void main() {
    float last = 1.0;
    for (int i = 0; i < 3; i++) {
        float next = b.v[i].x > last ? b.v[i].x : last * 0.5;
        if (b.v[i].y > 0.0) {
            next += b.v[i].y;
        }
        b.r[i] = next;
        last = next;
    }
    b.r[3] = last;
}
