// Tone mapping: a color of any brightness becomes one that a screen can show.
struct Settings {
    exposure: f32,
    white: f32,
}

@group(0) @binding(0) var<uniform> settings: Settings;

fn luminance(color: vec3<f32>) -> f32 {
    return dot(color, vec3<f32>(0.2126, 0.7152, 0.0722));
}

fn reinhard(color: vec3<f32>) -> vec3<f32> {
    let before = luminance(color);
    let white = settings.white * settings.white;
    let after = before * (1.0 + before / white) / (1.0 + before);
    return color * (after / max(before, 0.0001));
}

fn encode(linear: f32) -> f32 {
    if (linear <= 0.0031308) {
        return 12.92 * linear;
    }
    return 1.055 * pow(linear, 1.0 / 2.4) - 0.055;
}

@fragment
fn main(@location(0) light: vec3<f32>) -> @location(0) vec4<f32> {
    let mapped = reinhard(light * settings.exposure);
    return vec4<f32>(encode(mapped.r), encode(mapped.g), encode(mapped.b), 1.0);
}
