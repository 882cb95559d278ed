//! `lower-tex`: lowers texture lookups that the target lacks to simpler lookups and arithmetic.
//!
//! ```text
//!                                              %4: b32 = swizzle %1.x
//!                                              %5: b32 = fdiv %4, %2
//! %3: b32x4 = tex.sample %0, %1, %2            %6: b32 = swizzle %1.y
//!   {dim 2d, roles image+coord+projector}  =>  %7: b32 = fdiv %6, %2
//!                                              %8: b32x2 = vec %5, %7
//!                                              %3: b32x4 = tex.sample %0, %8 {dim 2d, roles image+coord}
//! ```
//!
//! One word selects one group, and afterwards none of the group is left unless stated otherwise. The first groups
//! read the same texels with the same weights, and `all` selects all of these:
//!
//! ```text
//! projector       the coordinate and the reference are divided first
//! offset          the offset is added to the coordinate: of a fetch in texels, of a gather divided by the size
//! gather-offsets  four gathers, one texel of each
//! implicit-lod    level 0 plus the bias, in modules without fragment shaders, where no quad implies a level
//! size-lod        the size of a level is computed by halving that of level 0
//! layers          layers are rounded to integers (to even)
//! rect            images addressed by texel are 2D images, and the coordinate is divided by the size
//! ```
//!
//! The others compute a level, which hardware may round differently, or assume a state of the sampler:
//!
//! ```text
//! gradients       gradients become a level: the logarithm of the longer one in texels; on the face, for cubes
//! gradients-3d, gradients-cube, gradients-shadow      only these gradients
//! bias            the bias is added to the level that `tex.query_lod` returns
//! min-lod         the minimum level is applied to that level too
//! shadow          the reference is compared with the texel, by `compare`; unfiltered, as for the nearest texel
//! ```
//!
//! A sampler with its own bias adds it to an explicit level, so `min-lod` is applied before that bias. Left alone:
//! offsets of filtered lookups, since the size of a texel depends on the level; gathers and comparisons with a
//! residency code; lookups that still have a projector, for all groups that use the coordinate. Not supported:
//! clamping to the edge, color conversions and swizzles, planes of video, packed results, since these are states
//! of graphics interfaces and not of shaders; cubes as layers, which would not be filtered across edges. NIR:
//! `nir_lower_tex`, `nir_lower_tex_projector`, `nir_lower_tex_shadow`.

mod levels; // gradients, biases, minimum levels
mod rect; // images addressed by texel

use super::options::{PassOptions, options};
use super::pass::{Journals, PassInfo, RunFn};
use crate::util::arith::{Arith, build};
use crate::util::components::{Picked, look};
use crate::util::image_operands::{Roles, dim, plane};
use crate::util::open::may_have;
use crate::util::rewrite_each::{each_function, expand_all};
use vitrine_ir::base::opening::opening;
use vitrine_ir::ops::{
    Bits, ConvertOp, Dim, FloatBuild, FloatOp, IntBuild, Key, Op, Role, Scalar, TexOp, ValueType, Width,
};
use vitrine_ir::{
    Builder, Diag, Editor, ExecutionMode, Fuel, FuncBody, Inst, InstData, Module, Reason, Refusal, Stage,
};

options! {
    /// The lookups that are lowered.
    struct Lowered {
        choice group: LookupGroup {
            /// The options up to `rect`, which read the same texels with the same weights.
            All "all",
            /// Only projections.
            Projector "projector",
            /// Only offsets of fetches and gathers.
            Offset "offset",
            /// Only gathers with four offsets.
            GatherOffsets "gather-offsets",
            /// Only lookups with an implicit level outside of quads.
            ImplicitLod "implicit-lod",
            /// Only size queries of a level.
            SizeLod "size-lod",
            /// Only layers that are not integers.
            Layers "layers",
            /// Only images addressed by texel.
            Rect "rect",
            /// Gradients.
            Gradients "gradients",
            /// Gradients in 3D images.
            Gradients3d "gradients-3d",
            /// Gradients in cubes.
            GradientsCube "gradients-cube",
            /// Gradients of depth comparisons.
            GradientsShadow "gradients-shadow",
            /// Biases.
            Bias "bias",
            /// Minimum levels of lookups without gradients.
            MinLod "min-lod",
            /// Depth comparisons, by `compare`.
            Shadow "shadow",
        }
        /// What `shadow` compares by, as in Vulkan: 0 never, 1 less, 2 equal, 3 less or equal, 4 greater, 5
        /// not equal, 6 greater or equal, 7 always; the reference first.
        compare: u32 = 3 in 0..=7;
    }
}

/// The entry in the list of passes.
pub(super) const PASS: PassInfo = PassInfo {
    doc: "Lowers texture lookups that the target lacks to simpler lookups and arithmetic.",
    options: Lowered::INFO,
    ..PassInfo::new(
        "lower-tex",
        opening!("mod.rs"),
        RunFn::Module(|module, cx, fuel| lower_tex(module, &Lowered::of(cx.options), fuel)),
    )
};

const WHY: Reason = Reason::Note("the target lacks this lookup");

/// The selected lowerings.
#[derive(Clone, Copy)]
struct Selection {
    group: LookupGroup,
    compare: u32,
    /// True if no entry point has quads that imply a level.
    no_quads: bool,
}

/// The lowering that a lookup needs, by its word.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum TexLowering {
    Projector,
    Offset,
    Offsets,
    Implicit,
    Size,
    Layers,
    Gradients,
    Level,
    Shadow,
}

/// Lowers lookups. Linear in the size of the result; idempotent; both shapes.
///
/// Error: `P103` if a function is not valid.
fn lower_tex(module: &mut Module, options: &Lowered, fuel: &mut Fuel) -> Result<Journals, Diag> {
    let selection =
        Selection { group: options.group, compare: options.compare, no_quads: has_no_quads(module) };
    let mut journals = Journals::new();
    if selection.selects(LookupGroup::Rect) {
        journals = rect::lower(module, fuel)?;
    }
    let has_lookups = |body: &FuncBody| may_have(body, |data| may_lower(data, selection));
    journals.extend(each_function(module, fuel, has_lookups, |ed| in_function(ed, selection))?);
    Ok(super::pass::merged(journals))
}

fn in_function(ed: &mut Editor<'_>, selection: Selection) -> Result<(), Refusal> {
    let is_lowered = |ed: &Editor<'_>, data: &InstData| kind(ed, data, selection).is_some();
    let expand = |ed: &mut Editor<'_>, inst: Inst| {
        let kind = kind(ed, ed.func().inst(inst), selection);
        build(ed, inst, WHY, |b, data| lower(b, data, kind?, selection))
    };
    expand_all(ed, is_lowered, expand, WHY)
}

/// Returns true if no entry point has quads: none is a fragment shader or has derivative groups.
fn has_no_quads(module: &Module) -> bool {
    let groups = [ExecutionMode::DerivativeGroupQuads, ExecutionMode::DerivativeGroupLinear];
    let entries = &module.entries;
    !entries.is_empty()
        && entries
            .iter()
            .all(|entry| entry.stage != Stage::Fragment && !groups.iter().any(|&mode| entry.has_mode(mode)))
}

/// The groups that `all` selects.
const EXACT: &[LookupGroup] = &[
    LookupGroup::Projector,
    LookupGroup::Offset,
    LookupGroup::GatherOffsets,
    LookupGroup::ImplicitLod,
    LookupGroup::SizeLod,
    LookupGroup::Layers,
    LookupGroup::Rect,
];

impl Selection {
    fn selects(self, group: LookupGroup) -> bool {
        self.group == group || (self.group == LookupGroup::All && EXACT.contains(&group))
    }
}

/// Returns the first lowering that an instruction needs.
fn kind(ed: &Editor<'_>, data: &InstData, selection: Selection) -> Option<TexLowering> {
    let is_zero = |level: Inst| ed.bits_of(level).is_some_and(|bits| bits.component(0).bits() == 0);
    kind_if(data, selection, is_zero, |coord| has_integer_layer(ed, coord, plane(data)))
}

/// Returns true unless a look at the instruction alone shows that it is not lowered.
fn may_lower(data: &InstData, selection: Selection) -> bool {
    kind_if(data, selection, |_| false, |_| false).is_some()
}

fn kind_if(
    data: &InstData,
    selection: Selection,
    is_zero: impl Fn(Inst) -> bool,
    has_integer_layer: impl Fn(Inst) -> bool,
) -> Option<TexLowering> {
    let Op::Tex(op) = data.op else { return None };
    let roles = Roles::of(data)?;
    let has = |role: Role| roles.has(role);
    let filters = matches!(op, TexOp::Sample | TexOp::SampleLod);
    if has(Role::Projector) {
        return selection.selects(LookupGroup::Projector).then_some(TexLowering::Projector);
    }
    if has(Role::Offsets) && !data.attrs.has(Key::Sparse) && selection.selects(LookupGroup::GatherOffsets) {
        return Some(TexLowering::Offsets);
    }
    if has(Role::Offset) && !filters && selection.selects(LookupGroup::Offset) {
        return Some(TexLowering::Offset);
    }
    if op == TexOp::Sample && selection.no_quads && selection.selects(LookupGroup::ImplicitLod) {
        return Some(TexLowering::Implicit);
    }
    if op == TexOp::QuerySize && selection.selects(LookupGroup::SizeLod) {
        let level = roles.get(Role::Lod)?;
        return (!is_zero(level)).then_some(TexLowering::Size);
    }
    if (filters || op == TexOp::Gather)
        && selection.selects(LookupGroup::Layers)
        && data.attrs.has(Key::Arrayed)
        && !has_integer_layer(roles.get(Role::Coord)?)
    {
        return Some(TexLowering::Layers);
    }
    if op == TexOp::SampleLod && has(Role::Ddx) && levels::is_selected(data, selection.group) {
        return Some(TexLowering::Gradients);
    }
    let by_level = (has(Role::Bias) && selection.group == LookupGroup::Bias)
        || (has(Role::MinLod) && selection.group == LookupGroup::MinLod);
    if op == TexOp::Sample && by_level && dim(data) != Some(Dim::Rect) {
        return Some(TexLowering::Level);
    }
    let compares = has(Role::Compare) && !data.attrs.has(Key::Sparse);
    (compares && selection.group == LookupGroup::Shadow).then_some(TexLowering::Shadow)
}

/// Returns true if the layer of a coordinate is an integer.
fn has_integer_layer(ed: &Editor<'_>, coord: Inst, at: u8) -> bool {
    match look(ed, coord, &[at]) {
        Picked::Whole(layer) | Picked::Splat(layer) => {
            let is_rounding = |op| matches!(op, Op::Float(FloatOp::FRoundEven));
            let constant = ed.bits_of(layer).map(|bits| bits.component(0));
            is_rounding(ed.func().inst(layer).op) || constant.is_some_and(is_integer)
        }
        Picked::Const(bits) => is_integer(bits.component(0)),
        Picked::Components(value, _) => matches!(ed.func().inst(value).op, Op::Float(FloatOp::FRoundEven)),
    }
}

fn is_integer(component: Scalar) -> bool {
    component.fround_even() == component
}

/// Lowers an instruction.
fn lower(b: &mut Builder<'_, '_>, data: &InstData, kind: TexLowering, selection: Selection) -> Option<Inst> {
    let Op::Tex(op) = data.op else { return None };
    let mut roles = Roles::of(data)?;
    match kind {
        TexLowering::Projector => {
            let by = roles.take(Role::Projector)?;
            let coord = roles.get(Role::Coord)?;
            // Components after the plane are unused.
            let components: Vec<u8> = (0..plane(data)).collect();
            let position = b.pick(coord, &components);
            let position = divide(b, position, by);
            roles.set(Role::Coord, position);
            if let Some(reference) = roles.get(Role::Compare) {
                let reference = divide(b, reference, by);
                roles.set(Role::Compare, reference);
            }
        }
        TexLowering::Offset => {
            let by = roles.take(Role::Offset)?;
            let coord = roles.get(Role::Coord)?;
            let position = offset_coord(b, data, &roles, coord, by)?;
            roles.set(Role::Coord, position);
        }
        TexLowering::Offsets => return four_gathers(b, data, roles),
        TexLowering::Implicit => {
            let coord = roles.get(Role::Coord)?;
            let mut level = match roles.take(Role::Bias) {
                Some(bias) => bias,
                None => {
                    let one = b.pick(coord, &[0]);
                    b.real(one, 0.0)
                }
            };
            if let Some(min_level) = roles.take(Role::MinLod) {
                let width = b.width(level);
                let min_level = in_width(b, min_level, width);
                level = b.fmax(level, min_level);
            }
            roles.set(Role::Lod, level);
            return Some(b.emit_with(roles.put(TexOp::SampleLod, data)));
        }
        TexLowering::Size => return size_of_level(b, data, roles),
        TexLowering::Layers => {
            let coord = roles.get(Role::Coord)?;
            let at = plane(data);
            let layer = b.pick(coord, &[at]);
            let layer = b.fround_even(layer);
            let mut components: Vec<Inst> = (0..at).map(|component| b.pick(coord, &[component])).collect();
            components.push(layer);
            let position = b.join(&components);
            roles.set(Role::Coord, position);
        }
        TexLowering::Gradients => return levels::by_gradients(b, data, roles),
        TexLowering::Level => return levels::by_query(b, data, roles),
        TexLowering::Shadow => return compare_texel(b, data, op, roles, selection.compare),
    }
    Some(b.emit_with(roles.put(op, data)))
}

/// Divides a float with any number of components by one number.
fn divide(b: &mut Builder<'_, '_>, value: Inst, by: Inst) -> Inst {
    let ty = b.type_of(value);
    let width = b.width(value);
    let by = in_width(b, by, width);
    let by = if ty.components() == 1 { by } else { b.splat(by, ty.components()) };
    b.fdiv(value, by)
}

/// Converts a float to another width, unless it has that width already.
fn in_width(b: &mut Builder<'_, '_>, value: Inst, width: Width) -> Inst {
    if b.width(value) == width { value } else { b.to(ConvertOp::F2F, width, value) }
}

/// Returns the size of level 0 of the image of a lookup, without layers: 32-bit numbers.
fn size(b: &mut Builder<'_, '_>, data: &InstData, roles: &Roles) -> Option<Inst> {
    let image = roles.get(Role::Image)?;
    let plane = if dim(data) == Some(Dim::Cube) { 2 } else { plane(data) };
    let layers = u8::from(data.attrs.has(Key::Arrayed));
    let keys = [Key::Dim, Key::Arrayed].into_iter();
    let attrs = keys.filter_map(|key| Some(vitrine_ir::ops::Attr::new(key, data.attrs.get(key)?)));
    let mut query = InstData::new(TexOp::QuerySize, ValueType::bits(Width::W32, plane + layers), &[image]);
    query.attrs = vitrine_ir::Attrs::from_list(attrs.collect());
    let mut of = vec![Role::Image];
    if !matches!(dim(data), Some(Dim::Rect | Dim::Buffer)) {
        let zero = b.int(Width::W32, 0);
        query.args = vitrine_ir::Args::new(&[image, zero]);
        of.push(Role::Lod);
    }
    let size = b.emit_with(query.with(Key::Roles, Role::pack(&of)));
    let components: Vec<u8> = (0..plane).collect();
    Some(b.pick(size, &components))
}

/// Returns the size of level 0 as floats of a width.
fn size_as_float(b: &mut Builder<'_, '_>, data: &InstData, roles: &Roles, width: Width) -> Option<Inst> {
    let size = size(b, data, roles)?;
    Some(b.to(ConvertOp::U2F, width, size))
}

/// Returns a coordinate moved by a number of texels.
fn offset_coord(
    b: &mut Builder<'_, '_>,
    data: &InstData,
    roles: &Roles,
    coord: Inst,
    by: Inst,
) -> Option<Inst> {
    let (count, whole) = (b.type_of(by).components(), b.type_of(coord).components());
    let components: Vec<u8> = (0..count).collect();
    let position = b.pick(coord, &components);
    let width = b.width(coord);
    let position = if data.op == Op::Tex(TexOp::Gather) {
        let by = b.to(ConvertOp::I2F, width, by);
        let by = if dim(data) == Some(Dim::Rect) {
            by
        } else {
            let size = size_as_float(b, data, roles, width)?;
            b.fdiv(by, size)
        };
        b.fadd(position, by)
    } else {
        let by = if b.width(by) == width { by } else { b.to(ConvertOp::I2I, width, by) };
        b.iadd(position, by)
    };
    let mut all = b.split(position);
    all.extend((count..whole).map(|component| b.pick(coord, &[component])));
    Some(b.join(&all))
}

/// Builds four gathers, each of which uses one texel: the upper left one, which is the fourth component.
fn four_gathers(b: &mut Builder<'_, '_>, data: &InstData, mut roles: Roles) -> Option<Inst> {
    let offsets = roles.take(Role::Offsets)?;
    let mut components = Vec::new();
    for at in 0..4 {
        let offset = b.pick(offsets, &[2 * at, 2 * at + 1]);
        roles.set(Role::Offset, offset);
        let four = b.emit_with(roles.put(TexOp::Gather, data));
        components.push(b.pick(four, &[3]));
    }
    Some(b.join(&components))
}

/// Returns the size of a level: that of level 0 shifted right by the level, and at least 1.
fn size_of_level(b: &mut Builder<'_, '_>, data: &InstData, mut roles: Roles) -> Option<Inst> {
    let level = roles.get(Role::Lod)?;
    let zero = b.number(level, 0);
    roles.set(Role::Lod, zero);
    let all = b.emit_with(roles.put(TexOp::QuerySize, data));
    let layers = u8::from(data.attrs.has(Key::Arrayed));
    let plane = data.ty.components().saturating_sub(layers);
    let components: Vec<u8> = (0..plane).collect();
    let size = b.pick(all, &components);
    let level = if b.width(level) == Width::W32 { level } else { b.to(ConvertOp::U2U, Width::W32, level) };
    let level = if plane == 1 { level } else { b.splat(level, plane) };
    let half = b.ushr(size, level);
    let one = b.number(half, 1);
    let size = b.umax(half, one);
    let mut all_components = b.split(size);
    if layers > 0 {
        all_components.push(b.pick(all, &[plane]));
    }
    Some(b.join(&all_components))
}

/// Replaces a lookup with comparison by a lookup and a comparison.
fn compare_texel(
    b: &mut Builder<'_, '_>,
    data: &InstData,
    op: TexOp,
    mut roles: Roles,
    by: u32,
) -> Option<Inst> {
    let reference = roles.take(Role::Compare)?;
    let four = data.ty.with_components(4);
    let plain = InstData { ty: four, attrs: data.attrs.without(Key::Shadow), ..data.clone() };
    if op == TexOp::Gather {
        let first = b.int(Width::W32, 0);
        roles.set(Role::Component, first);
    }
    let texel = b.emit_with(roles.put(op, &plain));
    let texel = if op == TexOp::Gather { texel } else { b.pick(texel, &[0]) };
    let ty = b.type_of(texel);
    let to = ty.width().unwrap_or_default();
    let reference = in_width(b, reference, to);
    let reference = if ty.components() == 1 { reference } else { b.splat(reference, ty.components()) };
    let constant = |b: &mut Builder<'_, '_>, value: f64| {
        let component = Scalar::float(to, value);
        b.bits(Bits::from_components(to, &vec![component.bits(); usize::from(ty.components())]))
    };
    const OPS: [FloatOp; 6] =
        [FloatOp::FLt, FloatOp::FEq, FloatOp::FLe, FloatOp::FGt, FloatOp::FNeu, FloatOp::FGe];
    let (zero, one) = (constant(b, 0.0), constant(b, 1.0));
    let passes = match by {
        0 => return Some(zero),
        by => match OPS.get(by as usize - 1) {
            Some(&op) => b.checked(op, ValueType::bits(Width::W1, ty.components()), &[reference, texel]),
            None => return Some(one),
        },
    };
    Some(b.select(passes, one, zero))
}
