// Particles that fall, bounce off the ground and start again when they are too old.
struct Spark {
    position: vec3<f32>,
    age: f32,
    velocity: vec3<f32>,
    lifetime: f32,
}

struct Step {
    seconds: f32,
    gravity: f32,
}

@group(0) @binding(0) var<storage, read_write> sparks: array<Spark, 16>;
@group(0) @binding(1) var<uniform> step: Step;

@compute @workgroup_size(16)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    var spark = sparks[id.x];
    spark.age += step.seconds;
    if (spark.age > spark.lifetime) {
        spark.age = 0.0;
        spark.position = vec3<f32>(0.0);
    } else {
        spark.velocity.y -= step.gravity * step.seconds;
        spark.position += spark.velocity * step.seconds;
        if (spark.position.y < 0.0) {
            spark.position.y = -spark.position.y;
            spark.velocity.y *= -0.5;
        }
    }
    sparks[id.x] = spark;
}
