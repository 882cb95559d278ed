//! The vertex shader that gives a fragment shader the inputs of a run, as a program of the IR.
//!
//! Inputs are linear functions of the pixel, so one triangle over the whole picture interpolates them. Inputs without
//! interpolation that differ between pixels need a square for each pixel, and come from a buffer with the very values that
//! the interpreter computes. The depth is 0 and the front faces the viewer, as in the interpreter.
//!
//! WebGL2 differs in one thing, which is here and nowhere else: the first row of its framebuffer is the lowest one, and the
//! first row of a picture here is the highest. So row `y` of the picture is drawn into row `y` of the framebuffer, upside
//! down to a viewer. Then the coordinates of pixels, derivatives along `y` and the rows that are read back are those of the
//! interpreter, and nothing else is flipped. The corners have the opposite order, so that the front still faces the viewer.
//!
//! Refuses inputs of single pixels, which the caller reports.

use crate::interp::{NumberKind, Varying};
use crate::ir::{
    Assembler, Attrs, BlockData, Builder, Editor, EntryPoint, InsertPoint, Inst, Mode, Module, Reason,
    Refusal, Stage, Terminator, Type, TypeData, Var, VarData,
};
use crate::ops::{
    Bits, Builtin, ConvertOp, FloatBuild, IntBuild, Interp, Key, Scalar, VectorOp, Width, words::WordSet,
};
use std::collections::BTreeMap;
use vitrine_protocol::{GpuApi, GpuNumber};

/// An input of a stage, with the values of a run.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct StageInput {
    pub(super) location: u32,
    /// The kind of its components: floats, or signed or unsigned integers.
    pub(super) kind: NumberKind,
    /// The width of a component: 32 bits, or 16 of a float.
    pub(super) width: Width,
    pub(super) interp: Interp,
    /// The function of each component.
    pub(super) components: Vec<Varying>,
    /// The bits of single pixels that differ from it, for each component.
    pub(super) singles: Vec<BTreeMap<[u32; 2], u64>>,
}

impl StageInput {
    /// True if it is not interpolated.
    pub(super) fn is_flat(&self) -> bool {
        self.interp.has(Interp::FLAT) || self.kind != NumberKind::Float
    }

    /// The kind of its components on a device.
    pub(super) fn number(&self) -> GpuNumber {
        match self.kind {
            NumberKind::Float => GpuNumber::Float,
            NumberKind::Signed => GpuNumber::Int,
            NumberKind::Unsigned | NumberKind::Bool => GpuNumber::Uint,
        }
    }

    /// The values of a flat input, pixel by pixel, as the interpreter computes them: 4 bytes for each component.
    pub(super) fn values(&self, [width, height]: [u32; 2]) -> Vec<u8> {
        let places = (0..width * height).map(|pixel| [pixel % width, pixel / width]);
        places.flat_map(|place| self.value(place, 0.5)).collect()
    }

    /// The values of an attribute: those of the vertices of the first instance, then those of the next.
    pub(super) fn vertex_values(&self, [vertices, instances]: [u32; 2]) -> Vec<u8> {
        let places = (0..instances).flat_map(|instance| (0..vertices).map(move |vertex| [vertex, instance]));
        places.flat_map(|place| self.value(place, 0.0)).collect()
    }

    /// The value of an invocation, whose place is at this distance from its number.
    fn value(&self, place: [u32; 2], center: f64) -> Vec<u8> {
        let mut bytes = Vec::new();
        let [x, y] = place.map(|place| f64::from(place) + center);
        for (at, varying) in self.components.iter().enumerate() {
            if let Some(&bits) = self.singles.get(at).and_then(|singles| singles.get(&place)) {
                bytes.extend((bits as u32).to_le_bytes());
                continue;
            }
            let change = x * f64::from(varying.dx) + y * f64::from(varying.dy);
            let bits = match varying.float || self.kind == NumberKind::Float {
                true => {
                    let base = Scalar::new(self.width, varying.base).to_f64();
                    Scalar::float(Width::W32, base + change).bits()
                }
                false => varying.base.wrapping_add((change as i64).cast_unsigned()),
            };
            bytes.extend((bits as u32).to_le_bytes());
        }
        bytes
    }

    /// True if single pixels have values of their own.
    pub(super) fn has_singles(&self) -> bool {
        self.singles.iter().any(|singles| !singles.is_empty())
    }

    /// True if a triangle over the whole picture cannot give it.
    pub(super) fn differs_between_pixels(&self) -> bool {
        let has_slope = self.components.iter().any(|varying| varying.dx != 0.0 || varying.dy != 0.0);
        self.is_flat() && (has_slope || self.has_singles())
    }

    /// Its type, of components of 32 bits that are read as bits if `as_bits` is true.
    fn ty(&self, module: &mut Module, as_bits: bool) -> Type {
        let of = match self.kind {
            NumberKind::Float if !as_bits => TypeData::Float { width: self.width },
            NumberKind::Signed if !as_bits => TypeData::Int { width: Width::W32, signed: true },
            _ => TypeData::Int { width: Width::W32, signed: false },
        };
        let of = module.ty(of);
        match self.components.len() {
            1 => of,
            components => module.ty(TypeData::Vector { of, components: components as u8 }),
        }
    }
}

/// How corners are drawn: bit `n` of each number is 1 if vertex `n` is at the far end along `x`, or along `y`.
#[derive(Clone, Copy)]
struct Corners([i64; 2]);

impl Corners {
    /// Of one triangle over the picture, or of a square for each pixel. A triangle is twice as large as the picture.
    fn of(api: GpuApi, per_pixel: bool) -> Corners {
        let [x, y] = if per_pixel { [0b10_1100, 0b11_0010] } else { [0b100, 0b010] };
        match (api, per_pixel) {
            (GpuApi::WebGpu, _) => Corners([x, y]),
            (GpuApi::WebGl2, false) => Corners([y, x]),
            (GpuApi::WebGl2, true) => Corners([0b01_1010, 0b11_0100]),
        }
    }
}

/// The program, for a picture of this size in pixels.
///
/// # Errors
///
/// An input that no program has, which the types of [`StageInput`] exclude.
pub(super) fn vertex_program(
    inputs: &[StageInput],
    size: [u32; 2],
    per_pixel: bool,
    api: GpuApi,
) -> Result<Module, Refusal> {
    let mut module = Module::new();
    let mut asm = Assembler::new();
    let block = asm.add_block(BlockData { terminator: Terminator::Return(None), ..BlockData::default() });
    asm.graph(vec![block]);
    let name = module.text("main");
    asm.name(Some(name));
    let func = module.add_func(asm.finish());
    let ports = Ports::of(&mut module, inputs, per_pixel);
    let entry = EntryPoint { name, stage: Stage::Vertex, func, interface: ports.all(), modes: Vec::new() };
    module.entries = vec![entry].into();
    let mut editor =
        Editor::new(&mut module, func).ok_or_else(|| Refusal::new("the function does not exist"))?;
    let mut b = editor.build(InsertPoint::End(block), Reason::Pass);
    let corner = corner(&mut b, &ports, size, per_pixel, Corners::of(api, per_pixel));
    let position = position(&mut b, corner, size, api);
    let path = b.deref_var(ports.position);
    b.store(path, position);
    for (input, &(given, out)) in inputs.iter().zip(&ports.inputs) {
        let value = match given {
            Some(given) => attribute(&mut b, input, given),
            None => interpolated(&mut b, input, corner),
        };
        let path = b.deref_var(out);
        b.store(path, value);
    }
    b.finish()?;
    editor.finish();
    Ok(module)
}

/// The variables of the program.
struct Ports {
    vertex: Var,
    instance: Var,
    position: Var,
    /// Of each input: the attribute with its values, if there is one, and the output.
    inputs: Vec<(Option<Var>, Var)>,
}

impl Ports {
    fn of(module: &mut Module, inputs: &[StageInput], per_pixel: bool) -> Ports {
        let uint = module.ty(TypeData::Int { width: Width::W32, signed: false });
        let float = module.ty(TypeData::Float { width: Width::W32 });
        let vector = module.ty(TypeData::Vector { of: float, components: 4 });
        let add = |module: &mut Module, ty, mode, attrs| {
            module.add_var(VarData { name: None, ty, mode, owner: None, init: None, attrs })
        };
        let value = |builtin: Builtin| Attrs::None.with_word(builtin);
        let vertex = add(module, uint, Mode::In, value(Builtin::VertexIndex));
        let instance = add(module, uint, Mode::In, value(Builtin::InstanceIndex));
        let position = add(module, vector, Mode::Out, value(Builtin::Position));
        let inputs = inputs.iter().map(|input| {
            let at = Attrs::None.with(Key::Location, u64::from(input.location));
            let given = (per_pixel && input.is_flat()).then(|| {
                let ty = input.ty(module, true);
                add(module, ty, Mode::In, at.clone())
            });
            let ty = input.ty(module, false);
            let at = match input.interp {
                Interp::NONE => at,
                interp => at.with(Key::Interp, interp.number()),
            };
            (given, add(module, ty, Mode::Out, at))
        });
        let inputs = inputs.collect();
        Ports { vertex, instance, position, inputs }
    }

    fn all(&self) -> Vec<Var> {
        let own = [self.vertex, self.instance, self.position];
        own.into_iter()
            .chain(self.inputs.iter().flat_map(|&(given, out)| given.into_iter().chain([out])))
            .collect()
    }
}

/// The place of the vertex in pixels.
fn corner(
    b: &mut Builder<'_, '_>,
    ports: &Ports,
    [width, height]: [u32; 2],
    per_pixel: bool,
    Corners(corners): Corners,
) -> [Inst; 2] {
    let path = b.deref_var(ports.vertex);
    let vertex = b.load(path);
    let ends = corners.map(|mask| {
        let mask = b.int(Width::W32, mask);
        let shifted = b.ushr(mask, vertex);
        let one = b.int(Width::W32, 1);
        let bit = b.iand(shifted, one);
        b.convert(ConvertOp::U2F, Width::W32, bit)
    });
    if !per_pixel {
        let [x, y] = [(ends[0], width), (ends[1], height)].map(|(end, size)| {
            let twice = b.float(Width::W32, 2.0 * f64::from(size));
            b.fmul(end, twice)
        });
        return [x, y];
    }
    let path = b.deref_var(ports.instance);
    let pixel = b.load(path);
    let row = b.int(Width::W32, i64::from(width.max(1)));
    let (x, y) = (b.umod(pixel, row), b.udiv(pixel, row));
    [(x, ends[0]), (y, ends[1])].map(|(place, end)| {
        let place = b.convert(ConvertOp::U2F, Width::W32, place);
        b.fadd(place, end)
    })
}

/// The position of the vertex.
fn position(b: &mut Builder<'_, '_>, corner: [Inst; 2], size: [u32; 2], api: GpuApi) -> Inst {
    let one = b.float(Width::W32, 1.0);
    let [x, y] = [0, 1].map(|at| {
        let factor = b.float(Width::W32, f64::from(2.0 / size[at].max(1) as f32));
        b.fmul(corner[at], factor)
    });
    let x = b.fsub(x, one);
    // The depth 0 of WebGL2 is -1 before the viewport is applied.
    let (y, z) = match api {
        GpuApi::WebGpu => (b.fsub(one, y), b.float(Width::W32, 0.0)),
        GpuApi::WebGl2 => (b.fsub(y, one), b.float(Width::W32, -1.0)),
    };
    b.vec(&[x, y, z, one])
}

/// The value of an input that comes from a buffer.
fn attribute(b: &mut Builder<'_, '_>, input: &StageInput, given: Var) -> Inst {
    let path = b.deref_var(given);
    let bits = b.load(path);
    match input.width {
        // The buffer has words of 4 bytes.
        Width::W16 => b.convert(ConvertOp::F2F, Width::W16, bits),
        _ => bits,
    }
}

/// The value of an input at a corner of the picture.
fn interpolated(b: &mut Builder<'_, '_>, input: &StageInput, corner: [Inst; 2]) -> Inst {
    let parts: Vec<Inst> =
        input.components.iter().map(|varying| component(b, input, varying, corner)).collect();
    match parts[..] {
        [one] => one,
        _ => b.checked(VectorOp::Vec, crate::ops::ValueType::bits(input.width, parts.len() as u8), &parts),
    }
}

/// A component of it.
fn component(b: &mut Builder<'_, '_>, input: &StageInput, varying: &Varying, corner: [Inst; 2]) -> Inst {
    let Varying { base, dx, dy, .. } = *varying;
    if input.kind != NumberKind::Float {
        // Without a slope: otherwise each pixel has its own value.
        return b.bits(Bits::scalar(Scalar::new(Width::W32, base)));
    }
    let start = Scalar::new(input.width, base).to_f64();
    let mut value = b.float(Width::W32, start);
    if dx != 0.0 || dy != 0.0 {
        for (slope, place) in [dx, dy].into_iter().zip(corner) {
            let slope = b.float(Width::W32, f64::from(slope));
            let change = b.fmul(place, slope);
            value = b.fadd(value, change);
        }
    }
    match input.width {
        Width::W16 => b.convert(ConvertOp::F2F, Width::W16, value),
        _ => value,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::interp::{Inputs, OutKey, run};

    fn input(kind: NumberKind, components: Vec<Varying>) -> StageInput {
        let interp = if kind == NumberKind::Float { Interp::NONE } else { Interp::FLAT };
        StageInput { location: 3, kind, width: Width::W32, interp, components, singles: Vec::new() }
    }

    /// The outputs of each vertex: the position, then the input at location 3.
    fn outputs(module: &Module, vertices: [u32; 2], inputs: Inputs) -> Vec<(Vec<f32>, Vec<u32>)> {
        let outcome = run(module, 0, &Inputs { vertices, ..inputs }).expect("it runs");
        let of = |outputs: &BTreeMap<OutKey, Option<u64>>, is_position: bool| -> Vec<u32> {
            let is_it = |key: &OutKey| matches!(key, OutKey::BuiltIn(..)) == is_position;
            let bits = outputs.iter().filter(|(key, _)| is_it(key));
            bits.map(|(_, bits)| bits.expect("a defined output") as u32).collect()
        };
        let both = outcome.invocations.values().map(|invocation| {
            let position = of(&invocation.outputs, true).into_iter().map(f32::from_bits).collect();
            (position, of(&invocation.outputs, false))
        });
        both.collect()
    }

    #[test]
    fn inputs_are_linear_over_one_triangle() {
        let one = Varying { base: u64::from(0.5f32.to_bits()), dx: 0.25, dy: -1.0, float: true };
        let given = input(NumberKind::Float, vec![one, Varying { dx: 0.0, dy: 0.0, ..one }]);
        for (api, ends) in [(GpuApi::WebGpu, [[0, 1], [1, 0]]), (GpuApi::WebGl2, [[1, 0], [0, 1]])] {
            let module =
                vertex_program(std::slice::from_ref(&given), [256, 128], false, api).expect("a program");
            let ends = [[0, 0], ends[0], ends[1]].map(|end| end.map(|end| end as f32));
            for ((position, value), [x, y]) in
                outputs(&module, [3, 1], Inputs::default()).into_iter().zip(ends)
            {
                let (far, z) = match api {
                    GpuApi::WebGpu => (1.0 - 4.0 * y, 0.0),
                    GpuApi::WebGl2 => (4.0 * y - 1.0, -1.0),
                };
                assert_eq!(position, [4.0 * x - 1.0, far, z, 1.0]);
                let linear = 0.5 + 512.0 * x * 0.25 - 256.0 * y;
                assert_eq!(value, [linear.to_bits(), 0.5f32.to_bits()]);
            }
        }
    }

    #[test]
    fn a_value_that_no_constant_may_have_is_kept() {
        let nan = Varying { base: 0x7fc0_1234, ..Varying::default() };
        let given = input(NumberKind::Float, vec![nan]);
        let module = vertex_program(&[given], [4, 4], false, GpuApi::WebGpu).expect("a program");
        for (_, value) in outputs(&module, [3, 1], Inputs::default()) {
            assert!(f32::from_bits(value[0]).is_nan());
        }
    }

    #[test]
    fn flat_inputs_that_differ_need_a_square_for_each_pixel() {
        let flat = input(NumberKind::Unsigned, vec![Varying { base: 7, dx: 0.5, ..Varying::default() }; 2]);
        assert!(flat.differs_between_pixels());
        let words: Vec<u32> =
            flat.values([4, 4]).as_chunks::<4>().0.iter().map(|word| u32::from_le_bytes(*word)).collect();
        assert_eq!(words[..8], [7, 7, 7, 7, 8, 8, 8, 8], "at 0.25, 0.75, 1.25, 1.75");
        let same = input(NumberKind::Signed, vec![Varying::default(); 2]);
        assert!(!same.differs_between_pixels());
        for api in [GpuApi::WebGpu, GpuApi::WebGl2] {
            let module = vertex_program(std::slice::from_ref(&flat), [4, 4], true, api).expect("a program");
            // The attribute of vertex v of instance i is 10 v + i, the second component the same.
            let mut given = Inputs::default();
            for at in 0..2 {
                let varying = Varying { base: 0, dx: 10.0, dy: 1.0, float: false };
                given.varyings.insert((3, at), varying);
            }
            let found = outputs(&module, [6, 16], given);
            assert_eq!(found.len(), 6 * 16);
            for (at, (position, value)) in found.into_iter().enumerate() {
                let [vertex, pixel] = [at % 6, at / 6];
                let x = (position[0] + 1.0) * 2.0 - (pixel % 4) as f32;
                let y = match api {
                    GpuApi::WebGpu => (1.0 - position[1]) * 2.0,
                    GpuApi::WebGl2 => (position[1] + 1.0) * 2.0,
                } - (pixel / 4) as f32;
                assert!([0.0, 1.0].contains(&x) && [0.0, 1.0].contains(&y), "{position:?}");
                assert_eq!(value, [(10 * vertex + pixel) as u32; 2]);
            }
        }
    }

    #[test]
    fn triangles_of_a_square_face_the_viewer_and_cover_it() {
        for api in [GpuApi::WebGpu, GpuApi::WebGl2] {
            for (per_pixel, triangles) in [(false, 1), (true, 2)] {
                let Corners([xs, ys]) = Corners::of(api, per_pixel);
                let mut area = 0.0;
                for triangle in 0..triangles {
                    let [a, b, c] = [0, 1, 2].map(|at| 3 * triangle + at);
                    let [a, b, c] = [a, b, c].map(|at| [xs, ys].map(|bits| (bits >> at & 1) as f32));
                    let turn = (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
                    // Rows of WebGL2 go up, so its corners turn the other way.
                    let turn = if api == GpuApi::WebGpu { -turn } else { turn };
                    assert!(turn > 0.0, "{api:?} {triangle}");
                    area += turn / 2.0;
                }
                assert_eq!(area, triangles as f32 / 2.0);
            }
        }
    }
}
