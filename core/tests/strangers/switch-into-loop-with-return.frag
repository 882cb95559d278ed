#version 450
// A case that may discard falls into one with a loop that may return: every value that the text reads is declared there.
layout(location = 0) in vec2 place;
layout(location = 0) out vec4 color;
void main() {
    color = vec4(0.0);
    switch (int(place.x * 4.0)) {
    case 3:
        if (place.y < 0.25) {
            discard;
        }
        color.r = 1.0;
    case 7:
        for (int round = 0; round != 2; round++) {
            if (place.x > float(round) * 3.0) {
                color.g = float(round + 1);
                return;
            }
        }
    }
    color.b = 0.5;
}
