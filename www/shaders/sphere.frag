// A ray marcher: rays advance by the distance to the nearest surface until they are close enough.
#version 450
layout(location = 0) out vec4 color;

float scene(vec3 p) {
    float sphere = length(p - vec3(0.0, 0.2, 3.0)) - 1.0;
    float ground = p.y + 0.8;
    return min(sphere, ground);
}

vec3 normal(vec3 p) {
    const vec2 e = vec2(0.01, 0.0);
    return normalize(vec3(scene(p + e.xyy) - scene(p - e.xyy), scene(p + e.yxy) - scene(p - e.yxy),
                          scene(p + e.yyx) - scene(p - e.yyx)));
}

void main() {
    vec2 at = (gl_FragCoord.xy - 8.0) / 8.0;
    vec3 ray = normalize(vec3(at.x, -at.y, 1.5));
    float distance = 0.0;
    for (int i = 0; i < 48; ++i) {
        float near = scene(ray * distance);
        if (near < 0.01) {
            vec3 n = normal(ray * distance);
            color = vec4(vec3(0.1 + 0.9 * max(dot(n, normalize(vec3(-1.0, 2.0, -1.0))), 0.0)), 1.0);
            return;
        }
        distance += near;
        if (distance > 20.0) break;
    }
    color = vec4(0.3, 0.5, 0.8, 1.0);
}
