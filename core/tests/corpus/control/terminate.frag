#version 460
// Fragments that terminate by terminateInvocation and continue as helpers after demote.
#extension GL_EXT_terminate_invocation : require
#extension GL_EXT_demote_to_helper_invocation : require
layout(location = 0) in vec4 value;
layout(location = 0) out vec4 color;
void main() {
    if (value.x < 0.1) terminateInvocation;
    if (value.y < 0.1) demote;
    color = helperInvocationEXT() ? vec4(0.0) : vec4(dFdx(value.z), dFdy(value.w), value.xy);
}
