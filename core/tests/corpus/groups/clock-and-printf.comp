#version 460
// A clock and debug printf: instructions with unpredictable results.
#extension GL_ARB_shader_clock : require
#extension GL_EXT_shader_realtime_clock : require
#extension GL_EXT_debug_printf : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
layout(local_size_x = 8) in;
layout(std430, set = 0, binding = 0) buffer Result { uint result[]; };
layout(std430, set = 0, binding = 1) readonly buffer Words { uint words[]; };
void main() {
    uint i = gl_LocalInvocationIndex;
    uvec2 then = clock2x32ARB();
    uint64_t later = clockRealtimeEXT();
    result[i] = uint(later != 0ul) & 0u | then.x & 0u;
    debugPrintfEXT("invocation %u has %u", i, words[i]);
}
