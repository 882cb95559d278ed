//! `lower-var-copies`: lowers copies of aggregates to a load and a store for each leaf.
//!
//! ```text
//! copy %1, %0                            %2: path = deref.field %0.0
//!                                        %3: path = deref.field %1.0
//!                                  =>    %4: b32 = load %2
//!                                        store %3, %4
//!                                        ... and so on for each member and element
//! ```
//!
//! Steps over all elements (`deref.all`) become steps to each element. Accesses keep the attributes of the copy
//! (volatile, coherent, scope), and as much of its alignment as the layout guarantees for each leaf. If both sides
//! may partially overlap, all loads precede all stores.
//!
//! With `unlike`, only copies without a SPIR-V instruction are lowered: between types that differ in strides,
//! offsets or signedness, and over all elements at once. The SPIR-V back end runs this. With `blocks`, copies of whole blocks
//! are lowered, too, for languages in which each block is a type of its own.
//!
//! With `nested`, only those of inputs and outputs that `io-arrays-to-elements{nested}` splits.
//!
//! Afterwards no copy is left (with an option: none of that kind), except those of arrays whose length is only
//! known when the shader is specialized, copies through untyped pointers, copies with more than `max-leaves`
//! leaves, and, after a million leaves in one function, the rest. NIR: `nir_lower_var_copies`.

use super::options::{PassOptions, options};
use super::pass::PassInfo;
use crate::util::io_components::is_nested;
use crate::util::leaves::{Arrays, Inner, align_of, further, leaves};
use crate::util::open::may_have;
use crate::util::rewrite_each::rewrite_each;
use vitrine_analysis::{Alias, Analyses, Overlap};
use vitrine_ir::base::opening::opening;
use vitrine_ir::ops::{DerefOp, Key, MemoryOp, Op, ValueType};
use vitrine_ir::{
    Args, Attrs, Builder, Editor, FuncBody, InsertPoint, Inst, InstData, Len, Mode, Module, Reason, Refusal,
    Type, TypeData, Var,
};

options! {
    /// The copies that are lowered.
    struct Lowered {
        choice copies: Copies {
            /// Every copy.
            All "all",
            /// Copies between types that differ in layout, and over all elements at once.
            Unlike "unlike",
            /// The same, and copies of whole blocks.
            Blocks "blocks",
            /// Copies of inputs and outputs that are arrays of structures, or structures with arrays or
            /// structures in them.
            Nested "nested",
        }
        /// Largest number of leaves of a copy that is lowered.
        max_leaves: u32 = 16_384 in 0..=1 << 20;
    }
}

/// The entry in the list of passes.
pub(super) const PASS: PassInfo = PassInfo {
    doc: "Lowers copies of aggregates to a load and a store for each leaf.",
    options: Lowered::INFO,
    may_apply: |body, _| may_have(body, |data| data.op == Op::Memory(MemoryOp::CopyVar)),
    ..PassInfo::edits("lower-var-copies", opening!("lower_var_copies.rs"), |ed, cx| {
        lower_var_copies(ed, &Lowered::of(cx.options), cx.analyses)
    })
};

const WHY: Reason = Reason::Note("a copy is a load and a store for each leaf");

/// Maximum number of leaves in one function.
const MAX_LEAVES_IN_FUNC: usize = 1 << 20;

/// Lowers copies. Linear in the size of the result; idempotent; both shapes.
fn lower_var_copies(ed: &mut Editor<'_>, lowered: &Lowered, analyses: &mut Analyses) -> Result<(), Refusal> {
    // Computed for the first copy.
    let mut alias = None;
    let (mut budget, max_leaves) = (MAX_LEAVES_IN_FUNC, lowered.max_leaves as usize);
    let planned = |ed: &Editor<'_>, inst: Inst| {
        is_copy(ed, inst).then_some(())?;
        let alias = alias.get_or_insert_with(|| analyses.get::<Alias>(ed.module(), ed.id()));
        let plan = Plan::of(ed, alias, inst, max_leaves.min(budget))?;
        let is_wanted = match lowered.copies {
            Copies::All => true,
            Copies::Unlike => plan.unlike,
            Copies::Blocks => plan.unlike || plan.types.iter().any(|&ty| is_block(ed.module(), ty)),
            Copies::Nested => has_nested_side(ed, inst),
        };
        if !is_wanted {
            return None;
        }
        budget = budget.saturating_sub(plan.leaf_paths.len());
        Some(plan)
    };
    rewrite_each(ed, planned, |ed, copy, plan| plan.lower(ed, copy))
}

/// Returns true if a side of a copy is a part of an input or output that is split.
fn has_nested_side(ed: &Editor<'_>, copy: Inst) -> bool {
    ed.func().inst(copy).args.iter().any(|&path| {
        let mut at = path;
        // A path is at most as long as its type is deep; a cycle is possible only in invalid code.
        for _ in 0..256 {
            let data = ed.func().inst(at);
            match (data.op, data.args.first()) {
                (Op::Deref(DerefOp::Var), _) => {
                    let var = data.entity::<Var>(Key::Var).and_then(|var| ed.module().var(var));
                    return var.is_some_and(|var| {
                        matches!(var.mode, Mode::In | Mode::Out) && is_nested(ed.module(), var)
                    });
                }
                (Op::Deref(_), Some(&base)) => at = base,
                _ => return false,
            }
        }
        false
    })
}

fn is_copy(ed: &Editor<'_>, inst: Inst) -> bool {
    ed.func().inst(inst).op == Op::Memory(MemoryOp::CopyVar)
}

fn is_block(module: &Module, ty: Type) -> bool {
    let TypeData::Struct(structure) = *module.type_of(ty) else { return false };
    module
        .structure(structure)
        .is_some_and(|data| data.attrs.has(Key::Block) || data.attrs.has(Key::BufferBlock))
}

/// Returns true if SPIR-V has no instruction for a copy: its sides differ in layout, or include all elements of an
/// array.
fn is_unlike(module: &Module, func: &FuncBody, copy: Inst) -> bool {
    let data = func.inst(copy);
    let [to, from] = data.args[..] else { return false };
    let (Some(a), Some(b)) = (module.path_type(func, to), module.path_type(func, from)) else { return false };
    a.ty != b.ty || data.args.iter().any(|&path| has_all(func, path))
}

fn has_all(func: &FuncBody, path: Inst) -> bool {
    let mut at = path;
    // A path is at most as long as its type is deep; a cycle is possible only in invalid code.
    for _ in 0..256 {
        let data = func.inst(at);
        match (data.op, data.args.first()) {
            (Op::Deref(DerefOp::All), _) => return true,
            (Op::Deref(_), Some(&base)) => at = base,
            _ => return false,
        }
    }
    false
}

/// A step of a path after the first `deref.all`.
#[derive(Clone)]
enum ElementStep {
    /// A step that is copied to another base.
    Step(InstData),
    /// All elements: their number.
    All(u32),
}

/// Plan for lowering a copy.
struct Plan {
    /// The base of both sides, and the steps from there.
    sides: [(Inst, Vec<ElementStep>); 2],
    types: [Type; 2],
    /// Indices for each `deref.all`, and the steps to a leaf.
    leaf_paths: Vec<(Vec<u32>, Vec<Inner>)>,
    unlike: bool,
    /// Loads come before all stores.
    loads_first: bool,
}

impl Plan {
    fn of(ed: &Editor<'_>, alias: &Alias, copy: Inst, max: usize) -> Option<Plan> {
        let (module, func) = (ed.module(), ed.func());
        let [to, from] = func.inst(copy).args[..] else { return None };
        let (a, b) = (module.path_type(func, to)?, module.path_type(func, from)?);
        let sides = [element_steps(module, ed, to)?, element_steps(module, ed, from)?];
        let inner = leaves(module, a.ty, max, Arrays::Apart)?;
        let counts: Vec<u32> = sides[0].1.iter().filter_map(count).collect();
        if counts.len() != sides[1].1.iter().filter_map(count).count() {
            return None;
        }
        let mut elements: Vec<Vec<u32>> = vec![Vec::new()];
        for count in counts {
            if (count as usize).checked_mul(elements.len()).is_none_or(|all| all > max) {
                return None;
            }
            let each = |prefix: &Vec<u32>| {
                let prefix = prefix.clone();
                (0..count).map(move |at| prefix.iter().copied().chain([at]).collect())
            };
            elements = elements.iter().flat_map(each).collect();
        }
        if elements.len().checked_mul(inner.len()).is_none_or(|all| all > max) {
            return None;
        }
        let with =
            |at: &Vec<u32>| inner.iter().map(|leaf_path| (at.clone(), leaf_path.clone())).collect::<Vec<_>>();
        let leaf_paths = elements.iter().flat_map(with).collect();
        let (x, y) = (alias.spot(sides[0].0)?, alias.spot(sides[1].0)?);
        // Two places of equal type in one variable are equal or disjoint. All elements at once are several places.
        let all = sides.iter().any(|side| !side.1.is_empty());
        let whole = a.ty == b.ty && !all && alias.is_one_variable(x, y);
        let loads_first = alias.overlap(x, y) != Overlap::No && !whole;
        let types = [a.ty, b.ty];
        Some(Plan { sides, types, leaf_paths, unlike: is_unlike(module, func, copy), loads_first })
    }

    fn lower(&self, ed: &mut Editor<'_>, copy: Inst) -> Result<(), Refusal> {
        let data = ed.func().inst(copy).clone();
        let mut stores = Vec::new();
        for (elements, leaf_path) in &self.leaf_paths {
            let align = data.attrs.get(Key::Align);
            let aligned = |ty: Type| align.and_then(|align| align_of(ed.module(), ty, leaf_path, align));
            let attrs = self.types.map(|ty| with_align(&data.attrs, aligned(ty)));
            let [to_attrs, from_attrs] = attrs;
            let mut b = ed.build(InsertPoint::Before(copy), WHY);
            let from = path(&mut b, &self.sides[1], elements, leaf_path);
            let to = path(&mut b, &self.sides[0], elements, leaf_path);
            let value = b.load(from);
            let ty = b.editor().func().ty(value);
            b.finish()?;
            let load = InstData { attrs: from_attrs, ..InstData::new(MemoryOp::Load, ty, &[from]) };
            let kept = ed.func().inst(value).attrs.clone();
            let load = kept.iter().fold(load, |load, attr| match load.attrs.has(attr.key) {
                true => load,
                false => load.with(attr.key, attr.value),
            });
            ed.rewrite(value, load, WHY)?;
            let store =
                InstData { attrs: to_attrs, ..InstData::new(MemoryOp::Store, ValueType::Void, &[to, value]) };
            match self.loads_first {
                true => stores.push(store),
                false => drop(ed.insert(InsertPoint::Before(copy), store, WHY)?),
            }
        }
        for store in stores {
            ed.insert(InsertPoint::Before(copy), store, WHY)?;
        }
        ed.erase(copy, WHY)?;
        data.args.iter().for_each(|&path| erase_path(ed, path));
        Ok(())
    }
}

/// Erases a path over all elements, which only copies can use, together with its bases.
fn erase_path(ed: &mut Editor<'_>, path: Inst) {
    let mut at = path;
    while has_all(ed.func(), at) && ed.use_count(at) == 0 {
        let base = ed.func().inst(at).args.first().copied();
        if ed.erase(at, WHY).is_err() {
            return;
        }
        let Some(base) = base else { return };
        at = base;
    }
}

fn with_align(attrs: &Attrs, align: Option<u64>) -> Attrs {
    let bare = attrs.without(Key::Align);
    align.map_or(bare.clone(), |align| bare.with(Key::Align, align))
}

fn count(step: &ElementStep) -> Option<u32> {
    match step {
        ElementStep::All(count) => Some(*count),
        ElementStep::Step(_) => None,
    }
}

/// Returns the base of a path over all elements, and the steps from there; none if a length is unknown.
fn element_steps(module: &Module, ed: &Editor<'_>, path: Inst) -> Option<(Inst, Vec<ElementStep>)> {
    let func = ed.func();
    let (mut at, mut steps) = (path, Vec::new());
    while has_all(func, at) {
        let data = func.inst(at);
        let &base = data.args.first()?;
        steps.push(match data.op {
            Op::Deref(DerefOp::All) => {
                let ty = module.path_type(func, base)?.ty;
                match module.type_of(ty) {
                    TypeData::Array { len: Len::Global(_), .. } | TypeData::RuntimeArray { .. } => {
                        return None;
                    }
                    _ => ElementStep::All(module.element_count(ty)?),
                }
            }
            _ => ElementStep::Step(data.clone()),
        });
        at = base;
    }
    steps.reverse();
    Some((at, steps))
}

/// Builds the path to one leaf of one side.
fn path(
    b: &mut Builder<'_, '_>,
    side: &(Inst, Vec<ElementStep>),
    elements: &[u32],
    leaf_path: &[Inner],
) -> Inst {
    let mut elements = elements.iter().copied();
    let mut at = side.0;
    for step in &side.1 {
        at = match step {
            ElementStep::All(_) => further(b, at, Inner::Element(elements.next().unwrap_or(0))),
            ElementStep::Step(data) => {
                let args: Vec<Inst> = [at].into_iter().chain(data.args.iter().skip(1).copied()).collect();
                b.emit_with(InstData { args: Args::new(&args), ..data.clone() })
            }
        };
    }
    leaf_path.iter().fold(at, |at, &step| further(b, at, step))
}
