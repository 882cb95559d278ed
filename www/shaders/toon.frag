// WebGL 1: an old dialect with `varying` and `gl_FragColor`, whose uniforms have no block.
precision mediump float;
varying vec3 normal;
varying vec2 uv;
uniform vec3 light;
uniform vec3 tint;
uniform sampler2D pattern;

void main() {
    float shade = dot(normalize(normal), normalize(light));
    if (shade < -0.5) discard;
    float steps = floor(shade * 3.0 + 1.0) / 3.0;
    gl_FragColor = vec4(tint * steps * texture2D(pattern, uv).rgb, 1.0);
}
