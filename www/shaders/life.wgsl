// The Game of Life on a torus: each invocation counts the neighbors of its cell.
@group(0) @binding(0) var<storage, read> before: array<u32, 64>;
@group(0) @binding(1) var<storage, read_write> after: array<u32, 64>;

const SIZE = 8u;

fn alive(x: u32, y: u32) -> u32 {
    return before[(y % SIZE) * SIZE + x % SIZE] & 1u;
}

@compute @workgroup_size(8, 8)
fn main(@builtin(local_invocation_id) id: vec3<u32>) {
    var neighbors = 0u;
    for (var dy = 0u; dy < 3u; dy++) {
        for (var dx = 0u; dx < 3u; dx++) {
            if (dx == 1u && dy == 1u) {
                continue;
            }
            neighbors += alive(id.x + dx + SIZE - 1u, id.y + dy + SIZE - 1u);
        }
    }
    let survives = alive(id.x, id.y) == 1u && neighbors == 2u;
    after[id.y * SIZE + id.x] = select(0u, 1u, survives || neighbors == 3u);
}
