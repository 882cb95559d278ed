#version 460
// Every built-in input of a compute shader.
layout(local_size_x = 8) in;
layout(std430, set = 0, binding = 0) buffer Result { uint result[]; };
layout(std430, set = 0, binding = 1) readonly buffer Words { uint words[]; };
void main() {
    uint i = gl_LocalInvocationIndex;
    uvec3 a = gl_GlobalInvocationID + gl_LocalInvocationID * 2u + gl_WorkGroupID * 4u + gl_NumWorkGroups;
    result[i] = a.x + a.y * 100u + a.z + gl_WorkGroupSize.x + i;
}
