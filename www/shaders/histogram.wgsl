// A histogram: invocations add to the same counters by atomic operations.
@group(0) @binding(0) var<storage, read> values: array<f32, 64>;
@group(0) @binding(1) var<storage, read_write> counts: array<atomic<u32>, 8>;

@compute @workgroup_size(64)
fn main(@builtin(local_invocation_index) index: u32) {
    let value = clamp(values[index], 0.0, 1.0);
    atomicAdd(&counts[min(u32(value * 8.0), 7u)], 1u);
}
