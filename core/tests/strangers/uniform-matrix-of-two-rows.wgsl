// A matrix of columns of two floats in a uniform buffer: WGSL has 8 bytes a column, the layout std140 has 16. Every text reads the
// bytes that the program reads.
struct Turn {
    by: mat3x2<f32>,
    scale: f32,
}
struct Turns {
    all: array<Turn, 2>,
}
@group(0) @binding(0) var<uniform> turns: Turns;
@group(0) @binding(1) var<storage, read_write> out: array<vec2<f32>, 4>;
@compute @workgroup_size(1)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    let turn = turns.all[id.x % 2u];
    out[0] = turn.by * vec3<f32>(1.0, 2.0, 3.0);
    out[1] = turns.all[1].by[2] * turn.scale;
    out[2] = vec2<f32>(turns.all[0].by[1].y, turns.all[1].scale);
}
