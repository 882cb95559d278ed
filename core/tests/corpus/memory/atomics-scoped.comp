#version 460
// Atomic loads and stores with scopes and semantics of the memory model.
#extension GL_KHR_memory_scope_semantics : require
layout(local_size_x = 8) in;
layout(std430, set = 0, binding = 0) buffer Result { uint result[]; };
layout(std430, set = 0, binding = 1) readonly buffer Words { uint words[]; };
layout(std430, set = 0, binding = 2) buffer Flags { uint flags[8]; };

void main() {
    uint i = gl_LocalInvocationIndex;
    atomicStore(flags[i], words[i], gl_ScopeWorkgroup, gl_StorageSemanticsBuffer, gl_SemanticsRelease);
    controlBarrier(gl_ScopeWorkgroup, gl_ScopeWorkgroup, gl_StorageSemanticsBuffer, gl_SemanticsAcquireRelease);
    uint x = atomicLoad(flags[(i + 1u) & 7u], gl_ScopeDevice, gl_StorageSemanticsBuffer, gl_SemanticsAcquire);
    memoryBarrier(gl_ScopeDevice, gl_StorageSemanticsBuffer, gl_SemanticsAcquireRelease);
    result[i] = x;
}
