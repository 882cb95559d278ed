//! `lower-indirect-derefs`: replaces accesses with a dynamic index by accesses to every element.
//!
//! ```text
//! %2: path = deref.elem %1, %0              %4: b32 = load %first
//! %3: b32 = load %2                         %5: b32 = load %second
//!                                     =>    %6: b32 = const 1
//!                                           %7: b1 = ult %0, %6
//!                                           %3: b32 = select %7, %4, %5
//! ```
//!
//! Some targets do not support dynamic indexing. A load reads every element and selects by binary search; a store
//! writes to every element its old or its new value. There are no branches, so both shapes are supported. An index
//! out of range reads zeros and writes no element, as in the interpreter; if the analysis `range` proves the index
//! in range, there is no check.
//!
//! With `resources`, indices of arrays of images, samplers and blocks are lowered, for targets in which these are constants: a
//! lookup or a load from a uniform block is done once for each resource. Any other access is done once, under the condition
//! that the index is that of its resource. An index out of range, which is undefined, selects one of the resources or none.
//!
//! Stores are lowered only in memory that no other invocation accesses, and loads only in memory that no other
//! invocation writes: local and private variables, inputs, uniform buffers, push constants; with `local`, locals
//! and private variables only. Unchanged: other memory, arrays of resources, accesses with more than
//! `max-elements` elements (over all indices of a path), lengths known only when the shader is specialized,
//! components of vectors (`lower-array-deref-of-vec`), copies (`lower-var-copies`), volatile accesses. Run it
//! after the passes that make indices constant. NIR: `nir_lower_indirect_derefs`, which branches.

mod resources;

use super::pass::{OptionInfo, PassInfo};
use crate::analysis::{Analyses, Range};
use crate::base::opening::opening;
use crate::ir::{
    Args, Block, Builder, Editor, InsertPoint, Inst, InstData, Mode, Reason, Refusal, Stage, TypeData,
};
use crate::ops::{Bits, ConvertOp, DerefOp, IntOp, Key, MemoryOp, Op, ValueType, Width};
use crate::passes::util::memory::{is_plain, is_private};
use crate::passes::util::open::insts_in_order;
use std::rc::Rc;

/// The registry entry.
pub(super) const PASS: PassInfo = PassInfo {
    doc: "Replaces accesses with a dynamic index by accesses to every element.",
    options: &[
        OptionInfo::Word("all", "All memory that no other invocation accesses."),
        OptionInfo::Word("local", "Local and private variables."),
        OptionInfo::Word(
            "sm3",
            "The same as `all`, but not constants of vertex shaders, which can be indexed.",
        ),
        OptionInfo::Word("resources", "Only indices of arrays of images, samplers and blocks."),
        OptionInfo::Number {
            name: "max-elements",
            doc: "Largest number of elements of an access.",
            default: 64,
            least: 1,
            most: 1 << 12,
        },
    ],
    ..PassInfo::edits("lower-indirect-derefs", opening!("mod.rs"), |ed, options| {
        let max_elements = u64::from(options.number("max-elements"));
        match options.word {
            "resources" => resources::lower(ed, max_elements),
            word => lower_indirect_derefs(ed, word, max_elements),
        }
    })
};

const WHY: Reason = Reason::Note("every element is accessed");

/// Maximum number of elements accessed in one function.
const MAX_ELEMENTS_IN_FUNC: u64 = 1 << 20;

/// An access through indices known only at run time.
struct Indirect {
    /// The start of the path: a variable, or an unknown path.
    base: Inst,
    steps: Vec<IndirectStep>,
    mode: Mode,
    /// Number of elements to access.
    count: u64,
}

enum IndirectStep {
    /// A step that is copied to another base.
    Known(InstData),
    /// A dynamic index.
    Dynamic(Index),
}

/// An index known only at run time, and the number of elements.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Index {
    value: Inst,
    count: u32,
    /// It is always in range.
    in_range: bool,
}

/// Lowers accesses. Linear in the size of the result; idempotent; both shapes.
///
/// Error: a refusal of the editor, which a valid function never causes.
fn lower_indirect_derefs(ed: &mut Editor<'_>, which: &str, max_elements: u64) -> Result<(), Refusal> {
    let is_vertex = ed.module().entries.iter().any(|entry| entry.stage == Stage::Vertex);
    let keeps_constants = which == "sm3" && is_vertex;
    let mut budget = MAX_ELEMENTS_IN_FUNC;
    // Computed when the first access needs it; values created by this pass have no range.
    let mut range: Option<Rc<Range>> = None;
    for inst in insts_in_order(ed.func()) {
        let data = ed.func().inst(inst).clone();
        let is_load = data.op == Op::Memory(MemoryOp::Load) && matches!(data.ty, ValueType::Bits { .. });
        let is_store = data.op == Op::Memory(MemoryOp::Store) && !data.attrs.has(Key::Mask);
        if !(is_load || is_store) || !is_plain(&data) {
            continue;
        }
        let Some(mut access) = data.args.first().and_then(|&path| indirect(ed, path, false)) else {
            continue;
        };
        let private = is_private(Some(access.mode));
        let is_kept = keeps_constants && matches!(access.mode, Mode::Uniform | Mode::Push);
        let fits = private || (is_load && which != "local" && !is_kept && !access.mode.is_writable());
        if !fits || access.count > max_elements.min(budget) {
            continue;
        }
        if !ed.consume_fuel() {
            return Ok(());
        }
        budget -= access.count;
        match data.args.get(1) {
            None => {
                let found = || Analyses::new().get::<Range>(ed.module(), ed.id());
                let range = range.get_or_insert_with(found);
                access.check_ranges(range, ed.block_of(inst));
                let value = access.load(ed, inst, &data)?;
                ed.replace(inst, value, WHY)?;
            }
            Some(&value) => {
                access.store(ed, inst, value)?;
                ed.erase(inst, WHY)?;
            }
        }
    }
    Ok(())
}

/// Parses a path; none if all its indices are constant, or it cannot be lowered. Only indices of arrays of resources count
/// if these are wanted.
fn indirect(ed: &Editor<'_>, path: Inst, of_resources: bool) -> Option<Indirect> {
    let (module, func) = (ed.module(), ed.func());
    let mode = module.path_type(func, path)?.mode;
    let (mut at, mut steps, mut count) = (path, Vec::new(), 1u64);
    loop {
        let data = func.inst(at);
        let next = data.args.first().copied();
        match (data.op, next) {
            (Op::Deref(DerefOp::Field), Some(base)) => {
                steps.push(IndirectStep::Known(data.clone()));
                at = base;
            }
            (Op::Deref(DerefOp::Elem), Some(base)) => {
                let &index = data.args.get(1)?;
                if ed.bits_of(index).is_some() || of_resources && !resources::is_array(ed, base) {
                    steps.push(IndirectStep::Known(data.clone()));
                } else {
                    let ty = module.path_type(func, base)?.ty;
                    if matches!(module.type_of(ty), TypeData::Vector { .. })
                        || func.ty(index).components() != 1
                    {
                        return None;
                    }
                    let elements = module.element_count(ty).filter(|&count| count > 0)?;
                    count = count.checked_mul(u64::from(elements))?;
                    steps.push(IndirectStep::Dynamic(Index {
                        value: index,
                        count: elements,
                        in_range: false,
                    }));
                }
                at = base;
            }
            _ => break,
        }
    }
    steps.reverse();
    let any = steps.iter().any(|step| matches!(step, IndirectStep::Dynamic(_)));
    any.then_some(Indirect { base: at, steps, mode, count })
}

impl Indirect {
    /// Determines the indices that are always in range, for an access in a block.
    fn check_ranges(&mut self, range: &Range, block: Option<Block>) {
        for step in &mut self.steps {
            let IndirectStep::Dynamic(index) = step else { continue };
            let fact = match (block, range.facts(index.value)) {
                (Some(block), [_]) => range.at(index.value, block),
                (_, facts) => facts.first().copied(),
            };
            let last = i64::from(index.count) - 1;
            index.in_range = fact.is_some_and(|fact| fact.signed.0 >= 0 && fact.signed.1 <= last);
        }
    }

    /// Returns the dynamic indices, outermost first.
    fn indices(&self) -> Vec<Index> {
        let dynamic = |step: &IndirectStep| match step {
            IndirectStep::Dynamic(index) => Some(*index),
            IndirectStep::Known(_) => None,
        };
        self.steps.iter().filter_map(dynamic).collect()
    }

    /// Returns the path to the element with these indices.
    fn element(&self, b: &mut Builder<'_, '_>, numbers: &[u32]) -> Inst {
        let mut numbers = numbers.iter().copied();
        self.steps.iter().fold(self.base, |at, step| match step {
            IndirectStep::Known(data) => {
                let args: Vec<Inst> = [at].into_iter().chain(data.args.iter().skip(1).copied()).collect();
                b.emit_with(InstData { args: Args::new(&args), ..data.clone() })
            }
            IndirectStep::Dynamic(_) => {
                let number = b.int(Width::W32, i64::from(numbers.next().unwrap_or(0)));
                b.elem(at, number)
            }
        })
    }

    /// Returns the indices of every element, the last index varying fastest.
    fn all(&self) -> Vec<Vec<u32>> {
        let mut all: Vec<Vec<u32>> = vec![Vec::new()];
        for index in self.indices() {
            let each = |prefix: &Vec<u32>| {
                let prefix = prefix.clone();
                (0..index.count).map(move |at| prefix.iter().copied().chain([at]).collect())
            };
            all = all.iter().flat_map(each).collect();
        }
        all
    }

    fn load(&self, ed: &mut Editor<'_>, inst: Inst, data: &InstData) -> Result<Inst, Refusal> {
        let mut b = ed.build(InsertPoint::Before(inst), WHY);
        let mut values = Vec::new();
        for numbers in self.all() {
            let path = self.element(&mut b, &numbers);
            values.push(b.emit_with(InstData { args: Args::new(&[path]), ..data.clone() }));
        }
        // Select by inner indices first: the remaining values are indexed by the outer ones.
        for index in self.indices().into_iter().rev() {
            let wide_index = widen(&mut b, index.value);
            values =
                values.chunks(index.count as usize).map(|values| pick(&mut b, wide_index, values)).collect();
            if !index.in_range {
                values =
                    values.into_iter().map(|value| or_zero(&mut b, wide_index, index.count, value)).collect();
            }
        }
        let value = values.first().copied();
        b.finish()?;
        value.ok_or_else(|| Refusal::new("cannot load from an array without elements"))
    }

    fn store(&self, ed: &mut Editor<'_>, inst: Inst, value: Inst) -> Result<(), Refusal> {
        let data = ed.func().inst(inst).clone();
        let mut b = ed.build(InsertPoint::Before(inst), WHY);
        let ty = b.editor().func().ty(value);
        let indices: Vec<Inst> = self.indices().iter().map(|index| widen(&mut b, index.value)).collect();
        for numbers in self.all() {
            let path = self.element(&mut b, &numbers);
            let old = b.load(path);
            let mut is_element: Option<Inst> = None;
            for (&number, &index) in numbers.iter().zip(&indices) {
                let width = width(&b, index);
                let number = b.int(width, i64::from(number));
                let same = b.checked(IntOp::IEq, ValueType::BOOL, &[index, number]);
                is_element = Some(match is_element {
                    Some(is_element) => b.checked(IntOp::IAnd, ValueType::BOOL, &[is_element, same]),
                    None => same,
                });
            }
            let Some(is_element) = is_element else { continue };
            let new = select(&mut b, ty, [is_element, value, old]);
            b.emit_with(InstData { args: Args::new(&[path, new]), ..data.clone() });
        }
        b.finish()
    }
}

fn select(b: &mut Builder<'_, '_>, ty: ValueType, [cond, then, els]: [Inst; 3]) -> Inst {
    // A condition for each component: supported by every version of SPIR-V.
    let cond = if ty.components() == 1 { cond } else { b.splat(cond, ty.components()) };
    b.emit_with(InstData::new(IntOp::Select, ty, &[cond, then, els]))
}

fn width(b: &Builder<'_, '_>, index: Inst) -> Width {
    b.editor().func().ty(index).width().unwrap_or(Width::W32)
}

/// Widens an index so that it can represent every element: indices are signed.
fn widen(b: &mut Builder<'_, '_>, index: Inst) -> Inst {
    match width(b, index) {
        Width::W1 | Width::W8 | Width::W16 => b.convert(ConvertOp::I2I, Width::W32, index),
        Width::W32 | Width::W64 => index,
    }
}

/// Returns a value, or zeros if the index is out of range.
fn or_zero(b: &mut Builder<'_, '_>, index: Inst, count: u32, value: Inst) -> Inst {
    let ty = b.editor().func().ty(value);
    let ValueType::Bits { width: of, components } = ty else { return value };
    let end = width(b, index);
    let end = b.int(end, i64::from(count));
    let in_range = b.checked(IntOp::ULt, ValueType::BOOL, &[index, end]);
    let zero = b.bits(Bits::zero(of, components));
    select(b, ty, [in_range, value, zero])
}

/// Selects one of these values by an index, by binary search.
fn pick(b: &mut Builder<'_, '_>, index: Inst, values: &[Inst]) -> Inst {
    // Level by level from the leaves: values, each with the index of the first element after it.
    let mut level: Vec<(Inst, u32)> = values.iter().copied().zip(1..).collect();
    let width = width(b, index);
    while level.len() > 1 {
        let mut next = Vec::new();
        for pair in level.chunks(2) {
            next.push(match *pair {
                [(low, middle), (high, end)] => {
                    let limit = b.int(width, i64::from(middle));
                    let below = b.checked(IntOp::ULt, ValueType::BOOL, &[index, limit]);
                    let ty = b.editor().func().ty(low);
                    (select(b, ty, [below, low, high]), end)
                }
                [only, ..] => only,
                [] => continue,
            });
        }
        level = next;
    }
    level.first().map_or(index, |&(value, _)| value)
}
