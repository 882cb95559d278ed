//! Images and memory in small programs, with values that can be checked by hand.

use super::programs::{module, written};
use vitrine_core::interp::image::{At, Compare, Dim, Format, Image, Sampler, Wrap};
use vitrine_core::interp::{Inputs, Outcome, UbKind, run};

/// A float image with the texels `column + 10 * row + 100 * slice_or_layer + 1000 * level`.
fn counted(dim: Dim, size: [u32; 3], layers: u32, levels: u32) -> Image {
    let format = Format::from_name("rgba32f").expect("a format");
    let mut image = Image::new(format, dim, size, [layers, levels, 1], 1 << 20).expect("an image");
    for level in 0..levels {
        let [w, h, d] = image.level_size(level);
        for layer in 0..layers {
            for texel in (0..w * h * d).map(|at| [at % w, at / w % h, at / (w * h)]) {
                let [x, y, z] = texel.map(f64::from);
                let value = x + 10.0 * y + 100.0 * (z + f64::from(layer)) + 1000.0 * f64::from(level);
                let at = At { texel: texel.map(i64::from), layer, level, sample: 0 };
                let offset = image.offset(at).expect("a texel of the image");
                let components = [value, -value, 0.5, 1.0].map(f64::to_bits);
                image.format.encode(components, &mut image.bytes[offset..offset + 16]);
            }
        }
    }
    image
}

/// A fragment shader of one quad that computes the scalar `%9` from the pixel center `%2` and the handle `%4`.
fn fragment(ty: &str, image: Image, sampler: Sampler, body: &str) -> Outcome {
    let text = format!(
        "in $0: f32x4 {{builtin frag_coord}}\nout $1: f32 {{location 0}}\nhandle $2: {ty} {{set 1, binding 2}}\n\n\
         entry fragment \"main\" @0 ($0, $1) {{origin_upper_left}}\n\nfunc @0() tree {{\n^0:\n  %0: path = deref.var $0\n  \
         %1: b32x4 = load %0\n  %2: b32x2 = swizzle %1.xy\n  %3: path = deref.var $2\n  %4: handle = load %3\n{body}  \
         %100: path = deref.var $1\n  %101 = store %100, %9\n  return\n}}\n"
    );
    let mut inputs = Inputs::default();
    inputs.images.insert((1, 2), vec![image]);
    inputs.samplers.insert((1, 2), vec![sampler]);
    run(&module(&text), 0, &inputs).expect("it can be run")
}

/// The outputs of the quad, from left to right, upper row first.
fn quad(outcome: &Outcome) -> Vec<f32> {
    let value = |invocation: &vitrine_core::interp::InvocationOutcome| {
        let bits = invocation.outputs.values().next().copied().flatten();
        f32::from_bits(bits.expect("a defined output") as u32)
    };
    outcome.invocations.values().map(value).collect()
}

const NEAREST: Sampler = Sampler {
    mag_linear: false,
    min_linear: false,
    mip_linear: false,
    wrap: [Wrap::Edge; 3],
    compare: Compare::LessEqual,
    bias: 0.0,
    lod: [0.0, 1000.0],
    border: [0.0; 4],
    unnormalized: false,
};

#[test]
fn texels_are_fetched_by_position_and_level() {
    let image = counted(Dim::D2, [4, 4, 1], 1, 3);
    let body = "  %5: b32x2 = f2i %2\n  %6: b32 = const 1\n  %7: b32x4 = tex.fetch %4, %5, %6 {dim 2d, roles image+coord+lod}\n  %9: b32 = swizzle %7.x\n";
    assert_eq!(
        quad(&fragment("image<2d f32>", image.clone(), NEAREST, body)),
        [1000.0, 1001.0, 1010.0, 1011.0]
    );
    let outside = body.replace("const 1\n", "const 3\n");
    let outcome = fragment("image<2d f32>", image, NEAREST, &outside);
    assert!(outcome.reports.find(UbKind::OutOfBounds).is_some());
}

#[test]
fn the_level_follows_from_the_quad_or_from_gradients() {
    // Neighboring pixels are a quarter of the image apart, which is four of 16 texels: level 2.
    let image = counted(Dim::D2, [16, 16, 1], 1, 5);
    let quarter = "  %5: b32 = const 0.25\n  %6: b32x2 = splat %5\n  %7: b32x2 = fmul %2, %6\n";
    let body = format!(
        "{quarter}  %8: b32x4 = tex.sample %4, %7 {{dim 2d, roles image+coord}}\n  %9: b32 = swizzle %8.x\n"
    );
    let sampled = "sampled_image<2d f32>";
    assert_eq!(quad(&fragment(sampled, image.clone(), NEAREST, &body)), [2000.0, 2001.0, 2010.0, 2011.0]);
    let bias = body.replace(
        "tex.sample %4, %7 {dim 2d, roles image+coord}",
        "tex.sample %4, %7, %5 {dim 2d, roles image+coord+bias}",
    );
    let bias =
        bias.replace("const 0.25\n", "const 0.25\n  %10: b32 = const 1.0\n").replace("%7, %5 {", "%7, %10 {");
    // Level 3: two texels along each axis.
    assert_eq!(quad(&fragment(sampled, image.clone(), NEAREST, &bias)), [3000.0, 3000.0, 3000.0, 3000.0]);
    let given = format!(
        "{quarter}  %10: b32 = const 0.125\n  %11: b32 = const 0\n  %12: b32x2 = vec %10, %11\n  %13: b32x2 = splat %11\n  \
         %8: b32x4 = tex.sample_lod %4, %7, %12, %13 {{dim 2d, roles image+coord+ddx+ddy}}\n  %9: b32 = swizzle %8.x\n"
    );
    assert_eq!(quad(&fragment(sampled, image, NEAREST, &given)), [1011.0, 1013.0, 1031.0, 1033.0]);
}

#[test]
fn four_texels_are_gathered_counterclockwise_from_the_lower_left() {
    let image = counted(Dim::D2, [4, 4, 1], 1, 1);
    let sampled = "sampled_image<2d f32>";
    let of = |component: char| {
        let body = format!(
            "  %5: b32 = const 0.5\n  %6: b32x2 = splat %5\n  %7: b32 = const 0\n  \
             %8: b32x4 = tex.gather %4, %6, %7 {{dim 2d, roles image+coord+component}}\n  %9: b32 = swizzle %8.{component}\n"
        );
        quad(&fragment(sampled, image.clone(), NEAREST, &body))[0]
    };
    assert_eq!(['x', 'y', 'z', 'w'].map(of), [21.0, 22.0, 12.0, 11.0]);
}

#[test]
fn comparison_results_are_filtered() {
    let image = counted(Dim::D2, [2, 1, 1], 1, 1);
    let sampler = Sampler { mag_linear: true, min_linear: true, ..NEAREST };
    let body = "  %5: b32 = const 0.5\n  %6: b32x2 = splat %5\n  %7: b32 = const 0.75\n  %8: b32 = const 0\n  \
                %9: b32 = tex.sample_lod %4, %6, %7, %8 {dim 2d, shadow, roles image+coord+compare+lod}\n";
    // 0.75 is not less than the left texel, 0, but less than the right one, 1.
    assert_eq!(quad(&fragment("sampled_image<2d f32 depth>", image, sampler, body)), [0.5; 4]);
}

#[test]
fn cube_faces_layers_and_slices_are_selected() {
    let cube = counted(Dim::Cube, [4, 4, 1], 6, 1);
    let direction = "  %5: b32 = const 0.1\n  %6: b32 = const -2.0\n  %7: b32x3 = vec %5, %6, %5\n  %10: b32 = const 0\n  \
                     %8: b32x4 = tex.sample_lod %4, %7, %10 {dim cube, roles image+coord+lod}\n  %9: b32 = swizzle %8.x\n";
    // The downward direction is face 3: s = 0.525, t = 0.475.
    assert_eq!(quad(&fragment("sampled_image<cube f32>", cube, NEAREST, direction)), [312.0; 4]);
    let layers = counted(Dim::D2, [4, 4, 1], 3, 1);
    let body = "  %5: b32 = const 0.3\n  %6: b32 = const 1.6\n  %7: b32x3 = vec %5, %5, %6\n  %10: b32 = const 0\n  \
                %8: b32x4 = tex.sample_lod %4, %7, %10 {dim 2d, arrayed, roles image+coord+lod}\n  %9: b32 = swizzle %8.y\n";
    assert_eq!(quad(&fragment("sampled_image<2d f32 arrayed>", layers, NEAREST, body)), [-211.0; 4]);
    let volume = counted(Dim::D3, [2, 2, 2], 1, 1);
    let linear = Sampler { mag_linear: true, ..NEAREST };
    let body = "  %5: b32 = const 0.5\n  %7: b32x3 = splat %5\n  %10: b32 = const 0\n  \
                %8: b32x4 = tex.sample_lod %4, %7, %10 {dim 3d, roles image+coord+lod}\n  %9: b32 = swizzle %8.x\n";
    assert_eq!(quad(&fragment("sampled_image<3d f32>", volume, linear, body)), [55.5; 4]);
}

/// Compilers assemble vectors in the output variable itself, so an undefined intermediate value is no error.
#[test]
fn only_the_final_value_of_an_output_counts() {
    let image = counted(Dim::D2, [1, 1, 1], 1, 1);
    let twice = "  %5: path = deref.var $1\n  %6: b32 = undef\n  %7 = store %5, %6\n  %9: b32 = const 2.0\n";
    assert!(fragment("image<2d f32>", image.clone(), NEAREST, twice).reports.is_empty());
    let never = "  %9: b32 = undef\n";
    assert!(fragment("image<2d f32>", image, NEAREST, never).reports.find(UbKind::UndefOutput).is_some());
}

/// A compute shader of four invocations that each write a word into buffer 0.0, with an image at 0.1.
fn compute(image: Image, ty: &str, body: &str) -> Outcome {
    let text = format!(
        "struct #0 {{block}} {{\n  o: [u32 step 4] {{offset 0}}\n}}\n\nstorage $0: #0 {{set 0, binding 0}}\n\
         in $1: u32 {{builtin local_invocation_index}}\nhandle $2: {ty} {{set 0, binding 1}}\n\n\
         entry compute \"main\" @0 ($0, $1) {{local_size 4 1 1}}\n\nfunc @0() tree {{\n^0:\n  %0: path = deref.var $1\n  \
         %1: b32 = load %0\n  %2: path = deref.var $0\n  %3: path = deref.field %2.0\n  %5: path = deref.elem %3, %1\n  \
         %6: path = deref.var $2\n  %7: handle = load %6\n{body}  %100 = store %5, %99\n  return\n}}\n"
    );
    let mut inputs = Inputs::default();
    inputs.buffers.insert((0, 0), vec![vec![0; 16]]);
    inputs.images.insert((0, 1), vec![image]);
    run(&module(&text), 0, &inputs).expect("it can be run")
}

#[test]
fn storage_images_support_reads_writes_and_atomics() {
    let format = Format::from_name("r32ui").expect("a format");
    let image = Image::new(format, Dim::D1, [4, 1, 1], [1; 3], 64).expect("an image");
    let ty = "image<1d u32 storage r32ui>";
    let body = "  %8: b32 = const 5\n  %9: b32 = imul %1, %8\n  %10: b32x4 = splat %9\n  \
                %11 = image.write %7, %1, %10 {dim 1d, roles image+coord+texel}\n  \
                %12: b32x4 = image.read %7, %1 {dim 1d, roles image+coord}\n  %99: b32 = swizzle %12.x\n";
    let outcome = compute(image.clone(), ty, body);
    assert_eq!(written(&outcome), [0, 5, 10, 15]);
    assert_eq!(outcome.images[&((0, 1), 0)].bytes[12..], [15, 0, 0, 0]);
    let atomic = "  %8: b32 = const 0\n  %9: b32 = const 3\n  %10: ptr = ptr.texel %7, %8, %8\n  \
                  %99: b32 = atomic %10, %9 {scope device, atomic iadd}\n";
    assert_eq!(written(&compute(image.clone(), ty, atomic)), [0, 3, 6, 9]);
    let size = "  %99: b32 = tex.query_size %7 {dim 1d, roles image}\n";
    assert_eq!(written(&compute(image, ty, size)), [4; 4]);
}
