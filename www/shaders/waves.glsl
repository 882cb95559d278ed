// Shadertoy code: the page adds its uniforms and the `main` that calls it.
void mainImage(out vec4 color, in vec2 pixel) {
    vec2 uv = pixel / iResolution.xy;
    float height = 0.0;
    for (int octave = 1; octave <= 4; octave++) {
        float scale = float(octave * octave);
        height += sin(uv.x * 6.2832 * scale + iTime * scale) / scale;
    }
    float water = smoothstep(0.02, -0.02, uv.y - 0.5 - 0.1 * height);
    color = vec4(mix(vec3(0.9, 0.8, 0.6), vec3(0.1, 0.3, 0.6), water), 1.0);
}
