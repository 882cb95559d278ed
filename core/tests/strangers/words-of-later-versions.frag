#version 330 core
// Words of later versions are names here; the old names of a color and of a lookup are those of a compatible profile.
uniform sampler2D scene;
uniform float buffer;
in vec2 uv;

void main() {
  vec3 sample[2];
  sample[0] = texture2D(scene, uv).rgb;
  sample[1] = vec3(buffer);
  vec3 precise = sample[0] + sample[1];
  gl_FragColor = vec4(precise, 1.0);
}
