// A loop with a call, for tests of stepping by lines: glslangValidator -V -g sum.comp, then spirv-dis.
#version 450
layout(local_size_x = 1) in;
layout(set = 0, binding = 0) buffer Data { int values[4]; } data;

struct Pair { int low; float high; };

int twice(int x) {
    int y = x * 2;
    return y;
}

void main() {
    int sum = 0;
    Pair pair;
    pair.low = 3;
    pair.high = 0.5;
    for (int i = 0; i < 4; ++i) {
        int unused = sum + 1;
        sum += twice(i) + pair.low;
    }
    data.values[0] = sum;
}
