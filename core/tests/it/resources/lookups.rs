//! Random shaders with image lookups: explicit and implicit levels, gradients, fetches, gathers, offsets, comparisons,
//! projections, size queries, separate and combined images and samplers, and arrays of them.
//!
//! Coordinates have few significant bits and gradients are powers of two along an axis, so that the arithmetic of
//! lowerings is exact: tests compare the selected texels and their weights. For the same reason, cubes are sampled
//! at explicit levels, or at unmodified implicit ones. Indices are in bounds, and each invocation writes to its own
//! row and texel.

use super::writer::{Row, ShaderWriter};
use crate::testing::graphs::Random;
use std::ops::{Deref, DerefMut};

/// Declarations of all shaders.
const HEAD: &str = "\
struct #0 {block} {
  rows: [u32 * 2048 step 4] {offset 0}
}

storage $0: #0 {set 0, binding 0}
handle $1: sampled_image<2d f32> {set 1, binding 0}
handle $2: sampled_image<2d f32 arrayed> {set 1, binding 1}
handle $3: sampled_image<3d f32> {set 1, binding 2}
handle $4: sampled_image<cube f32> {set 1, binding 3}
handle $5: sampled_image<2d f32 depth> {set 1, binding 4}
handle $6: [sampled_image<2d f32> * 4] {set 1, binding 5}
handle $7: [[sampled_image<2d f32 arrayed> * 2] * 3] {set 1, binding 6}
handle $8: sampled_image<rect f32> {set 1, binding 7}
handle $9: sampled_image<1d f32> {set 1, binding 8}
handle $10: image<2d f32> {set 1, binding 9}
handle $11: [image<2d f32> * 4] {set 1, binding 10}
handle $12: sampler {set 1, binding 11}
handle $13: [sampler * 4] {set 1, binding 12}
handle $14: sampled_image<cube f32 arrayed depth> {set 1, binding 13}
handle $15: [[image<2d u32 storage r32ui> * 2] * 3] {set 1, binding 14}
handle $16: image<2d f32 multisampled> {set 1, binding 15}
handle $17: image<buffer f32> {set 1, binding 16}
handle $18: sampled_image<2d u32> {set 1, binding 17}
";

const VARS: usize = 19;

/// A resource variable.
struct Resource {
    var: usize,
    dim: &'static str,
    /// Components of the coordinate without the layer.
    components: usize,
    arrayed: bool,
    shadow: bool,
    /// Lengths of the enclosing arrays, outermost first.
    arrays: &'static [usize],
    /// The variable of a separate sampler, and the length of its array.
    sampler: Option<(usize, Option<usize>)>,
}

const fn resource(var: usize, dim: &'static str, components: usize) -> Resource {
    Resource { var, dim, components, arrayed: false, shadow: false, arrays: &[], sampler: None }
}

/// Sampled resources.
const FILTERED: [Resource; 12] = [
    resource(1, "2d", 2),
    Resource { arrayed: true, ..resource(2, "2d", 2) },
    resource(3, "3d", 3),
    resource(4, "cube", 3),
    Resource { shadow: true, ..resource(5, "2d", 2) },
    Resource { arrays: &[4], ..resource(6, "2d", 2) },
    Resource { arrayed: true, arrays: &[3, 2], ..resource(7, "2d", 2) },
    resource(8, "rect", 2),
    resource(9, "1d", 1),
    Resource { sampler: Some((12, None)), ..resource(10, "2d", 2) },
    Resource { arrays: &[4], sampler: Some((13, Some(4))), ..resource(11, "2d", 2) },
    Resource { arrayed: true, shadow: true, ..resource(14, "cube", 3) },
];

/// A compute shader.
pub(crate) fn compute(random: &mut Random) -> String {
    let start = "\
  %0: b32 = io.builtin {builtin local_invocation_index}
  %1: b32x3 = io.builtin {builtin workgroup_id}
  %2: b32 = swizzle %1.x
  %3: b32 = const 16
  %4: b32 = imul %2, %3
  %5: b32 = iadd %4, %0
  %6: b32 = const 7
  %7: b32 = iand %5, %6
  %8: b32 = const 3
  %9: b32 = ushr %5, %8
";
    shader(random, "compute", "local_size 16 1 1", start)
}

/// A fragment shader, whose quads permit implicit levels.
pub(crate) fn fragment(random: &mut Random) -> String {
    let start = "\
  %0: b32x4 = io.builtin {builtin frag_coord}
  %1: b32x2 = swizzle %0.xy
  %2: b32x2 = f2u %1
  %3: b32 = const 3
  %4: b32 = swizzle %2.y
  %6: b32 = const 7
  %7: b32 = swizzle %2.x
  %8: b32 = ishl %4, %3
  %5: b32 = iadd %8, %7
  %9: b32 = swizzle %2.y
";
    shader(random, "fragment", "origin_upper_left", start)
}

fn shader(random: &mut Random, stage: &'static str, mode: &str, start: &str) -> String {
    let interface: Vec<String> = (0..VARS).map(|var| format!("${var}")).collect();
    let text = format!(
        "{HEAD}\nentry {stage} \"main\" @0 ({}) {{{mode}}}\n\nfunc @0() tree {{\n^0:\n{start}",
        interface.join(", ")
    );
    let writer = ShaderWriter::new(random, text, 10, Row { first: 1001, words: 1003, length: 32 });
    let mut shader = Shader { writer, quads: stage == "fragment", ints: vec![5, 7, 9] };
    // The row of the invocation; its position as floats.
    shader.line("%1000: b32 = const 5");
    shader.line("%1001: b32 = ishl %5, %1000");
    shader.line("%1002: path = deref.var $0");
    shader.line("%1003: path = deref.field %1002.0");
    shader.line("%1004: b32 = u2f %7");
    shader.line("%1005: b32 = u2f %9");
    for _ in 0..2 + shader.below(3) {
        if shader.below(3) == 0 {
            shader.branch();
        } else {
            shader.some(4);
        }
    }
    shader.line("return\n}");
    shader.writer.text
}

struct Shader<'r> {
    writer: ShaderWriter<'r>,
    /// `true` if levels may be implicit.
    quads: bool,
    /// Available integers.
    ints: Vec<usize>,
}

/// The operands of a lookup with their roles.
#[derive(Default)]
struct Operands {
    args: Vec<usize>,
    roles: Vec<&'static str>,
}

impl Operands {
    fn add(&mut self, role: &'static str, arg: usize) {
        self.roles.push(role);
        self.args.push(arg);
    }
}

impl<'r> Deref for Shader<'r> {
    type Target = ShaderWriter<'r>;

    fn deref(&self) -> &ShaderWriter<'r> {
        &self.writer
    }
}

impl DerefMut for Shader<'_> {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.writer
    }
}

impl Shader<'_> {
    fn often(&mut self) -> bool {
        self.below(2) == 0
    }

    fn int(&mut self, value: i64) -> usize {
        self.add("b32", &format!("const {value}"))
    }

    fn float(&mut self, value: f64) -> usize {
        self.add("b32", &format!("const {value:?}"))
    }

    fn vector(&mut self, components: &[usize]) -> usize {
        if let &[one] = components {
            return one;
        }
        let list: Vec<String> = components.iter().map(|component| format!("%{component}")).collect();
        self.add(&format!("b32x{}", components.len()), &format!("vec {}", list.join(", ")))
    }

    /// Stores some components of a value.
    fn keep_some(&mut self, value: usize, components: usize) {
        if components == 1 {
            return self.keep(value);
        }
        for _ in 0..2 {
            let component = ["x", "y", "z", "w"][self.below(components)];
            let component = self.add("b32", &format!("swizzle %{value}.{component}"));
            self.keep(component);
        }
    }

    fn some(&mut self, most: usize) {
        for _ in 0..1 + self.below(most) {
            match self.below(10) {
                0..=5 => self.lookup(),
                6 => self.fetch(),
                7 => self.query(),
                8 => self.texel(),
                _ => self.queried(),
            }
        }
    }

    /// An index below a length: constant, from the invocation index, or uniform in a subgroup.
    fn index(&mut self, length: usize) -> usize {
        let most = self.int(length as i64 - 1);
        let at = self.writer.below(self.ints.len());
        let value = self.ints[at];
        match self.below(4) {
            0 => {
                let value = self.below(length) as i64;
                self.int(value)
            }
            1 => self.add("b32", &format!("umin %{value}, %{most}")),
            _ if length.is_power_of_two() => self.add("b32", &format!("iand %{value}, %{most}")),
            _ => {
                let length = self.int(length as i64);
                self.add("b32", &format!("umod %{value}, %{length}"))
            }
        }
    }

    /// The path to a resource.
    fn resource_path(&mut self, var: usize, arrays: &[usize]) -> usize {
        let mut path = self.add("path", &format!("deref.var ${var}"));
        let mark = if self.below(3) > 0 { "nonuniform " } else { "" };
        for &length in arrays {
            let index = self.index(length);
            path = self.add("path", &format!("deref.elem {mark}%{path}, %{index}"));
        }
        match self.below(4) {
            0 => self.add("handle", &format!("load {mark}%{path}")),
            _ => path,
        }
    }

    /// A float coordinate for one axis: `invocation * slope + offset`, with few significant bits.
    fn coordinate(&mut self, axis: usize, unit: f64) -> usize {
        let offset = (self.below(33) as f64 - 8.0) / 16.0 * unit;
        // One axis varies along x and one along y, so that gradients are along an axis.
        if axis == 2 || self.below(4) == 0 {
            return self.float(offset);
        }
        let slope = [0.03125, 0.0625, 0.125, 0.25][self.below(4)] * unit;
        let slope = self.float(slope);
        let scaled = self.add("b32", &format!("fmul %{}, %{slope}", [1004, 1005][axis]));
        let offset = self.float(offset);
        self.add("b32", &format!("fadd %{scaled}, %{offset}"))
    }

    /// A lookup at a float coordinate.
    fn lookup(&mut self) {
        let resource = &FILTERED[self.below(FILTERED.len())];
        let mut operands = Operands::default();
        let image = self.resource_path(resource.var, resource.arrays);
        operands.add("image", image);
        if let Some((var, length)) = resource.sampler {
            let sampler = self.resource_path(var, length.as_slice());
            operands.add("sampler", sampler);
        }
        let mut axes: Vec<usize> = Vec::new();
        for axis in 0..resource.components {
            // Directions are nonzero and uniform, since their implicit levels would be rounded.
            let coordinate = match resource.dim {
                "cube" => {
                    let value = (1 + self.below(16)) as f64 / 8.0 * if self.often() { 1.0 } else { -1.0 };
                    self.float(value)
                }
                "rect" => self.coordinate(axis, 8.0),
                _ => self.coordinate(axis, 1.0),
            };
            axes.push(coordinate);
        }
        let gathers = matches!(resource.dim, "2d" | "cube" | "rect") && self.below(4) == 0;
        let implied = self.quads && !gathers && self.often();
        let projected = !gathers && !resource.arrayed && resource.dim != "cube" && self.below(5) == 0;
        if resource.arrayed {
            let layer = (self.below(17) as f64 - 4.0) / 4.0;
            let layer = self.float(layer);
            axes.push(layer);
        }
        let coord = self.vector(&axes);
        operands.add("coord", coord);
        if resource.shadow {
            let reference = self.below(9) as f64 / 8.0;
            let reference = self.float(reference);
            operands.add("compare", reference);
        }
        if projected {
            let by = [0.5, 1.0, 2.0, -1.0][self.below(4)];
            let by = self.float(by);
            operands.add("projector", by);
        }
        let op = if gathers {
            self.gathered(resource, &mut operands);
            "tex.gather"
        } else if implied {
            self.implied(resource, &mut operands);
            "tex.sample"
        } else {
            self.leveled(resource, &mut operands);
            "tex.sample_lod"
        };
        let moved = operands.roles.contains(&"offsets");
        if resource.dim != "cube" && !moved && self.below(3) == 0 {
            let list: Vec<String> =
                (0..resource.components).map(|_| format!("{}", self.below(7) as i64 - 3)).collect();
            let offset = match &list[..] {
                [one] => self.add("b32", &format!("const {one}")),
                _ => {
                    self.add(&format!("b32x{}", resource.components), &format!("const ({})", list.join(", ")))
                }
            };
            operands.add("offset", offset);
        }
        let components = if resource.shadow && !gathers { 1 } else { 4 };
        let value = self.emit(op, resource, &operands, components, resource.shadow);
        self.keep_some(value, components);
    }

    fn gathered(&mut self, resource: &Resource, operands: &mut Operands) {
        if !resource.shadow {
            let component = self.below(4) as i64;
            let component = self.int(component);
            operands.add("component", component);
        }
        if resource.dim != "cube" && self.below(3) == 0 {
            let list: Vec<String> = (0..8).map(|_| format!("{}", self.below(7) as i64 - 3)).collect();
            let offsets = self.add("b32x8", &format!("const ({})", list.join(", ")));
            operands.add("offsets", offsets);
        }
    }

    /// An implicit level, with a bias and a minimum.
    fn implied(&mut self, resource: &Resource, operands: &mut Operands) {
        if matches!(resource.dim, "cube" | "rect") {
            return;
        }
        if self.often() {
            let bias = self.below(5) as f64 - 2.0;
            let bias = self.float(bias);
            operands.add("bias", bias);
        }
        self.least(operands);
    }

    fn least(&mut self, operands: &mut Operands) {
        if self.below(4) == 0 {
            let least = self.below(9) as f64 / 4.0;
            let least = self.float(least);
            operands.add("min_lod", least);
        }
    }

    /// An explicit level, or gradients.
    fn leveled(&mut self, resource: &Resource, operands: &mut Operands) {
        if resource.dim == "cube" || self.often() {
            let level = (self.below(17) as f64 - 4.0) / 4.0;
            let level = if resource.dim == "rect" { 0.0 } else { level };
            let level = self.float(level);
            operands.add("lod", level);
            return;
        }
        for role in ["ddx", "ddy"] {
            let along = self.below(resource.components);
            let change = [0.0625, 0.125, 0.25, 0.5][self.below(4)];
            let components: Vec<usize> = (0..resource.components)
                .map(|axis| self.float(if axis == along { change } else { 0.0 }))
                .collect();
            let slope = self.vector(&components);
            operands.add(role, slope);
        }
        if resource.dim != "rect" {
            self.least(operands);
        }
    }

    fn emit(
        &mut self,
        op: &str,
        resource: &Resource,
        operands: &Operands,
        components: usize,
        shadow: bool,
    ) -> usize {
        let ty = if components == 1 { "b32".to_owned() } else { format!("b32x{components}") };
        let args: Vec<String> = operands.args.iter().map(|arg| format!("%{arg}")).collect();
        let arrayed = if resource.arrayed { ", arrayed" } else { "" };
        let shadow = if shadow { ", shadow" } else { "" };
        let (args, roles) = (args.join(", "), operands.roles.join("+"));
        self.add(&ty, &format!("{op} {args} {{dim {}{arrayed}{shadow}, roles {roles}}}", resource.dim))
    }

    /// A fetch at integer coordinates, some out of bounds.
    fn fetch(&mut self) {
        let (resource, levels) = match self.below(6) {
            0 => (Resource { arrayed: true, ..resource(2, "2d", 2) }, true),
            1 => (resource(3, "3d", 3), true),
            2 => (resource(16, "2d", 2), false),
            3 => (resource(17, "buffer", 1), false),
            4 => (resource(8, "rect", 2), false),
            _ => (resource(18, "2d", 2), true),
        };
        let mut operands = Operands::default();
        let mut image = self.resource_path(resource.var, &[]);
        if !matches!(resource.var, 16 | 17) {
            image = match self.text.lines().last().is_some_and(|line| line.contains(": handle = load")) {
                true => image,
                false => self.add("handle", &format!("load %{image}")),
            };
            image = self.add("handle", &format!("tex.image_of %{image}"));
        }
        operands.add("image", image);
        let mut axes: Vec<usize> = (0..resource.components).map(|axis| [7, 9, 7][axis]).collect();
        if resource.arrayed {
            let layer = self.index(3);
            axes.push(layer);
        }
        let coord = self.vector(&axes);
        operands.add("coord", coord);
        let multisampled = resource.var == 16;
        if levels {
            let level = self.below(2) as i64;
            let level = self.int(level);
            operands.add("lod", level);
        }
        if multisampled {
            let sample = self.index(4);
            operands.add("sample", sample);
        }
        if !multisampled && resource.dim != "buffer" && self.often() {
            let list: Vec<String> =
                (0..resource.components).map(|_| format!("{}", self.below(3) as i64 - 1)).collect();
            let offset =
                self.add(&format!("b32x{}", resource.components), &format!("const ({})", list.join(", ")));
            operands.add("offset", offset);
        }
        let args: Vec<String> = operands.args.iter().map(|arg| format!("%{arg}")).collect();
        let arrayed = if resource.arrayed { ", arrayed" } else { "" };
        let many = if multisampled { ", multisampled" } else { "" };
        let (args, roles) = (args.join(", "), operands.roles.join("+"));
        let text = format!("tex.fetch {args} {{dim {}{arrayed}{many}, roles {roles}}}", resource.dim);
        let value = self.add("b32x4", &text);
        self.keep_some(value, 4);
    }

    /// Queries of sizes and level counts.
    fn query(&mut self) {
        let resource = &FILTERED[self.below(FILTERED.len())];
        let mut operands = Operands::default();
        let image = self.resource_path(resource.var, resource.arrays);
        if self.below(4) == 0 && resource.dim != "rect" {
            let levels = self.add("b32", &format!("tex.query_levels %{image}"));
            return self.keep(levels);
        }
        operands.add("image", image);
        if resource.dim != "rect" {
            let level = self.index(3);
            operands.add("lod", level);
        }
        let plane = if resource.dim == "cube" { 2 } else { resource.components };
        let components = plane + usize::from(resource.arrayed);
        let value = self.emit("tex.query_size", resource, &operands, components, false);
        self.keep_some(value, components);
    }

    /// A query of the implicit level.
    fn queried(&mut self) {
        if !self.quads {
            return self.lookup();
        }
        let resource = resource(1, "2d", 2);
        let mut operands = Operands::default();
        let image = self.resource_path(resource.var, &[]);
        operands.add("image", image);
        // Infinity has no derivative, and neither has a missing neighbor.
        let axes = match self.below(3) {
            0 => [self.float(1.0), self.add("b32", "const 0x7f800000")],
            _ => [self.coordinate(0, 1.0), self.coordinate(1, 1.0)],
        };
        let coord = self.vector(&axes);
        operands.add("coord", coord);
        let value = self.emit("tex.query_lod", &resource, &operands, 2, false);
        self.keep_some(value, 2);
    }

    /// A texel of a writable image, at the position of the invocation.
    fn texel(&mut self) {
        let image = self.resource_path(15, &[3, 2]);
        let coord = self.vector(&[7, 9]);
        if self.often() {
            let old =
                self.add("b32x4", &format!("image.read %{image}, %{coord} {{dim 2d, roles image+coord}}"));
            return self.keep_some(old, 4);
        }
        let value = self.vector(&[5, 7, 9, 5]);
        self.line(&format!("image.write %{image}, %{coord}, %{value} {{dim 2d, roles image+coord+texel}}"));
    }

    /// A branch on the position of the invocation.
    fn branch(&mut self) {
        let by = [5, 7, 9][self.below(3)];
        let most = self.below(8) as i64;
        let most = self.int(most);
        let cond = self.add("b1", &format!("ult %{by}, %{most}"));
        let block = self.choose(cond);
        self.some(2);
        self.line("next");
        self.otherwise(block);
        self.some(2);
        self.line("next");
        self.join(block, "");
    }
}
