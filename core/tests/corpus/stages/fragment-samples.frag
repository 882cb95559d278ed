#version 460
// A fragment shader that runs for each sample and writes a mask.
layout(location = 0) sample in vec3 value;
layout(location = 0) out vec4 color;
void main() {
    color = vec4(interpolateAtSample(value, gl_SampleID), gl_SamplePosition.x);
    gl_SampleMask[0] = gl_SampleMaskIn[0] & (1 << gl_SampleID);
}
