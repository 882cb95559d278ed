#version 450
#extension GL_KHR_memory_scope_semantics : require
// A number is added with acquire and release, and a store is released.
// Right: the orders are kept; HLSL has memory barriers around its atomics, which order nothing themselves.
layout(local_size_x = 1) in;
layout(std430, binding = 0) buffer B { uint data; uint flag; uint r; };

void main() {
    data = 7u;
    uint old = atomicAdd(flag, 2u, gl_ScopeDevice, gl_StorageSemanticsBuffer, gl_SemanticsAcquireRelease);
    r = old + data;
    atomicStore(flag, 5u, gl_ScopeDevice, gl_StorageSemanticsBuffer, gl_SemanticsRelease);
}
