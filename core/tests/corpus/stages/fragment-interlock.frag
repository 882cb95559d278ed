#version 460
// A critical section ordered by primitive.
#extension GL_ARB_fragment_shader_interlock : require
layout(pixel_interlock_ordered) in;
layout(set = 0, binding = 0, r32ui) coherent uniform uimage2D layers;
layout(location = 0) in flat uint value;
void main() {
    ivec2 at = ivec2(gl_FragCoord.xy);
    beginInvocationInterlockARB();
    imageStore(layers, at, uvec4(imageLoad(layers, at).x * 3u + value));
    endInvocationInterlockARB();
}
