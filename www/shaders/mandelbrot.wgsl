// The Mandelbrot set: the number of iterations before a point escapes is its color.
@fragment
fn main(@builtin(position) pixel: vec4<f32>) -> @location(0) vec4<f32> {
    let c = (pixel.xy - vec2<f32>(11.0, 8.0)) / 6.0;
    var z = vec2<f32>(0.0);
    var count = 0;
    while (count < 32 && dot(z, z) < 4.0) {
        z = vec2<f32>(z.x * z.x - z.y * z.y, 2.0 * z.x * z.y) + c;
        count++;
    }
    let shade = f32(count) / 32.0;
    return vec4<f32>(shade, shade * shade, sqrt(shade), 1.0);
}
