#version 450
// A function discards, and the loop of its caller ends only if it returns what it promises.
// Right: a discarded invocation leaves the loop, also where `discard` only marks it; others count to 3.
layout(location = 0) flat in int n;
layout(location = 0) out vec4 color;

int step_of(int x) {
    if (x > 2) {
        discard;
    }
    return 1;
}

int further(int x) {
    return step_of(x) + x * 0;
}

void main() {
    int i = 0;
    while (i < 3) {
        switch (n & 1) {
        case 0:
            i += further(n);
            break;
        default:
            i += step_of(n);
            break;
        }
    }
    color = vec4(float(i));
}
