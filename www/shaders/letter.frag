// Text by signed distances: the letter V, with an edge as soft as a pixel at any size.
#version 450
layout(location = 0) out vec4 color;
layout(set = 0, binding = 0) uniform Style { vec4 ink; vec4 paper; float weight; };

float segment(vec2 p, vec2 a, vec2 b) {
    vec2 along = b - a;
    float t = clamp(dot(p - a, along) / dot(along, along), 0.0, 1.0);
    return length(p - a - t * along);
}

void main() {
    vec2 p = gl_FragCoord.xy / 16.0;
    float left = segment(p, vec2(0.2, 0.2), vec2(0.5, 0.8));
    float right = segment(p, vec2(0.8, 0.2), vec2(0.5, 0.8));
    float width = 0.05 + 0.05 * clamp(weight, 0.0, 1.0);
    float covered = 1.0 - smoothstep(-0.03, 0.03, min(left, right) - width);
    color = mix(paper, ink, covered);
}
