// A sum in shared memory: half of the invocations stop in each round, between barriers.
@group(0) @binding(0) var<storage, read> input: array<f32, 64>;
@group(0) @binding(1) var<storage, read_write> total: f32;

var<workgroup> partial: array<f32, 64>;

@compute @workgroup_size(64)
fn main(@builtin(local_invocation_index) index: u32) {
    partial[index] = input[index];
    for (var half = 32u; half > 0u; half /= 2u) {
        workgroupBarrier();
        if (index < half) {
            partial[index] += partial[index + half];
        }
    }
    workgroupBarrier();
    if (index == 0u) {
        total = partial[0];
    }
}
