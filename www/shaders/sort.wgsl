// A bitonic sort in shared memory: every comparison of a stage is one invocation.
@group(0) @binding(0) var<storage, read_write> keys: array<u32, 32>;

var<workgroup> shared_keys: array<u32, 32>;

@compute @workgroup_size(32)
fn main(@builtin(local_invocation_index) index: u32) {
    shared_keys[index] = keys[index];
    workgroupBarrier();
    for (var size = 2u; size <= 32u; size *= 2u) {
        for (var stride = size / 2u; stride > 0u; stride /= 2u) {
            let other = index ^ stride;
            let mine = shared_keys[index];
            let theirs = shared_keys[other];
            let ascends = (index & size) == 0u;
            let takes_smaller = (index < other) == ascends;
            workgroupBarrier();
            shared_keys[index] = select(max(mine, theirs), min(mine, theirs), takes_smaller);
            workgroupBarrier();
        }
    }
    keys[index] = shared_keys[index];
}
