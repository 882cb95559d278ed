#version 460
#extension GL_KHR_memory_scope_semantics : require
// Orders of atomics and barriers: loads that acquire, stores that release, an exchange that only acquires if it fails.
// Right: GLSL states them; GLSL ES 3.10 has barriers of memory in their place.
layout(local_size_x = 2) in;
layout(set = 0, binding = 0, std430) buffer Flags { uint flag; uint seen[2]; } f;
shared uint s[2];
void main() {
    uint at = gl_LocalInvocationIndex;
    s[at] = at + 1u;
    controlBarrier(gl_ScopeWorkgroup, gl_ScopeWorkgroup, gl_StorageSemanticsShared | gl_StorageSemanticsBuffer,
                   gl_SemanticsAcquireRelease);
    if (at == 0u) {
        atomicStore(f.flag, s[1], gl_ScopeDevice, gl_StorageSemanticsBuffer, gl_SemanticsRelease);
        uint v = atomicLoad(f.flag, gl_ScopeDevice, gl_StorageSemanticsBuffer, gl_SemanticsAcquire);
        uint w = atomicCompSwap(f.flag, 7u, 9u, gl_ScopeWorkgroup, gl_StorageSemanticsBuffer, gl_SemanticsAcquireRelease,
                                gl_StorageSemanticsBuffer, gl_SemanticsAcquire);
        f.seen[0] = v + w;
    }
    memoryBarrier(gl_ScopeWorkgroup, gl_StorageSemanticsShared, gl_SemanticsAcquireRelease);
    if (at == 1u) f.seen[1] = s[0];
}
