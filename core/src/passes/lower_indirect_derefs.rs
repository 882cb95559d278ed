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
//! Some targets cannot index at run time. A load loads every element and picks by halving; a store stores to every
//! element what it is or what it becomes. Nothing branches, so that either shape will do. An index out of range reads
//! zeros and writes no element, as the interpreter has it; where the analysis `range` knows that there is none, nothing
//! asks for it.
//!
//! Only memory that nobody else sees is written this way, and only what nobody else writes is read this way: local
//! and private variables, inputs, uniform buffers, push constants; with `local`, locals and private variables only.
//! What stays: other memory, arrays of resources, accesses with more elements to look at than `max-elements` (over
//! all indices of a path), lengths known only when the shader is specialised, components of vectors
//! (`lower-array-deref-of-vec`), copies (`lower-var-copies`), volatile accesses. Run it behind what makes indices
//! constants. NIR: `nir_lower_indirect_derefs`, which branches.

use super::pass::{OptionInfo, PassInfo};
use crate::analysis::{Analyses, Range};
use crate::base::opening::opening;
use crate::ir::{Args, Block, Builder, Editor, InsertPoint, Inst, InstData, Mode, Reason, Refusal, TypeData};
use crate::ops::{Bits, ConvertOp, DerefOp, IntOp, Key, MemoryOp, Op, ValueType, Width};
use crate::passes::util::memory::{is_plain, is_private};
use crate::passes::util::open::insts_in_order;
use std::rc::Rc;

/// The row of the list.
pub(super) const PASS: PassInfo = PassInfo {
    doc: "Replaces accesses with a dynamic index by accesses to every element.",
    options: &[
        OptionInfo::Word("all", "All memory that no other invocation accesses."),
        OptionInfo::Word("local", "Local and private variables."),
        OptionInfo::Number {
            name: "max-elements",
            doc: "Largest number of elements of an access.",
            default: 64,
            least: 1,
            most: 1 << 12,
        },
    ],
    ..PassInfo::edits("lower-indirect-derefs", opening!("lower_indirect_derefs.rs"), |ed, options| {
        lower_indirect_derefs(ed, options.word == "local", u64::from(options.number("max-elements")))
    })
};

const WHY: Reason = Reason::Note("every element is accessed");

/// Most elements in all of one function.
const MOST_IN_ALL: u64 = 1 << 20;

/// An access through indices known only at run time.
struct Indirect {
    /// Where the path begins: a variable, or a path of which nothing is known.
    base: Inst,
    steps: Vec<Step>,
    mode: Mode,
    /// Elements to look at.
    count: u64,
}

enum Step {
    /// A step as it is, on another base.
    Known(InstData),
    /// By an index, into so many.
    By(Index),
}

/// An index known only at run time, into so many elements.
#[derive(Clone, Copy)]
struct Index {
    value: Inst,
    count: u32,
    /// It never leads past the end.
    inside: bool,
}

/// Lowers accesses. Linear in what comes out; idempotent; both shapes.
///
/// Error: a refusal of the editor, which a valid function never meets.
fn lower_indirect_derefs(ed: &mut Editor<'_>, local_only: bool, max_elements: u64) -> Result<(), Refusal> {
    let mut left = MOST_IN_ALL;
    // Looked for when the first access needs it; values that are made here have none.
    let mut range: Option<Rc<Range>> = None;
    for inst in insts_in_order(ed.func()) {
        let data = ed.func().inst(inst).clone();
        let is_load = data.op == Op::Memory(MemoryOp::Load) && matches!(data.ty, ValueType::Bits { .. });
        let is_store = data.op == Op::Memory(MemoryOp::Store) && !data.attrs.has(Key::Mask);
        if !(is_load || is_store) || !is_plain(&data) {
            continue;
        }
        let Some(mut access) = data.args.first().and_then(|&path| indirect(ed, path)) else { continue };
        let private = is_private(Some(access.mode));
        let fits = private || (is_load && !local_only && !access.mode.is_writable());
        if !fits || access.count > max_elements.min(left) {
            continue;
        }
        if !ed.consume_fuel() {
            return Ok(());
        }
        left -= access.count;
        match data.args.get(1) {
            None => {
                let found = || Analyses::new().get::<Range>(ed.module(), ed.id());
                let range = range.get_or_insert_with(found);
                access.ask(range, ed.block_of(inst));
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

/// Reads a path; none if all its indices are known, or it cannot be lowered.
fn indirect(ed: &Editor<'_>, path: Inst) -> Option<Indirect> {
    let (module, func) = (ed.module(), ed.func());
    let mode = module.path_type(func, path)?.mode;
    let (mut at, mut steps, mut count) = (path, Vec::new(), 1u64);
    loop {
        let data = func.inst(at);
        let next = data.args.first().copied();
        match (data.op, next) {
            (Op::Deref(DerefOp::Field), Some(base)) => {
                steps.push(Step::Known(data.clone()));
                at = base;
            }
            (Op::Deref(DerefOp::Elem), Some(base)) => {
                let &index = data.args.get(1)?;
                if ed.bits_of(index).is_some() {
                    steps.push(Step::Known(data.clone()));
                } else {
                    let ty = module.path_type(func, base)?.ty;
                    if matches!(module.type_of(ty), TypeData::Vector { .. })
                        || func.ty(index).components() != 1
                    {
                        return None;
                    }
                    let elements = module.element_count(ty).filter(|&count| count > 0)?;
                    count = count.checked_mul(u64::from(elements))?;
                    steps.push(Step::By(Index { value: index, count: elements, inside: false }));
                }
                at = base;
            }
            _ => break,
        }
    }
    steps.reverse();
    let any = steps.iter().any(|step| matches!(step, Step::By(_)));
    any.then_some(Indirect { base: at, steps, mode, count })
}

impl Indirect {
    /// Finds which indices never lead past the end, for an access in a block.
    fn ask(&mut self, range: &Range, block: Option<Block>) {
        for step in &mut self.steps {
            let Step::By(index) = step else { continue };
            let fact = match (block, range.facts(index.value)) {
                (Some(block), [_]) => range.at(index.value, block),
                (_, facts) => facts.first().copied(),
            };
            let last = i64::from(index.count) - 1;
            index.inside = fact.is_some_and(|fact| fact.signed.0 >= 0 && fact.signed.1 <= last);
        }
    }

    /// The indices, outermost first.
    fn indices(&self) -> Vec<Index> {
        let by = |step: &Step| match step {
            Step::By(index) => Some(*index),
            Step::Known(_) => None,
        };
        self.steps.iter().filter_map(by).collect()
    }

    /// The path to the element with these numbers.
    fn element(&self, b: &mut Builder<'_, '_>, numbers: &[u32]) -> Inst {
        let mut numbers = numbers.iter().copied();
        self.steps.iter().fold(self.base, |at, step| match step {
            Step::Known(data) => {
                let args: Vec<Inst> = [at].into_iter().chain(data.args.iter().skip(1).copied()).collect();
                b.emit_with(InstData { args: Args::new(&args), ..data.clone() })
            }
            Step::By(_) => {
                let number = b.int(Width::W32, i64::from(numbers.next().unwrap_or(0)));
                b.elem(at, number)
            }
        })
    }

    /// The numbers of every element, the last index fastest.
    fn all(&self) -> Vec<Vec<u32>> {
        let mut all: Vec<Vec<u32>> = vec![Vec::new()];
        for index in self.indices() {
            let each = |way: &Vec<u32>| {
                let way = way.clone();
                (0..index.count).map(move |at| way.iter().copied().chain([at]).collect())
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
        // Inner indices pick first: what is left is by the indices further out.
        for index in self.indices().into_iter().rev() {
            let by = wide(&mut b, index.value);
            values = values.chunks(index.count as usize).map(|values| pick(&mut b, by, values)).collect();
            if !index.inside {
                values = values.into_iter().map(|value| or_nothing(&mut b, by, index.count, value)).collect();
            }
        }
        let value = values.first().copied();
        b.finish()?;
        value.ok_or_else(|| Refusal::new("an array without elements was read"))
    }

    fn store(&self, ed: &mut Editor<'_>, inst: Inst, value: Inst) -> Result<(), Refusal> {
        let data = ed.func().inst(inst).clone();
        let mut b = ed.build(InsertPoint::Before(inst), WHY);
        let ty = b.editor().func().ty(value);
        let indices: Vec<Inst> = self.indices().iter().map(|index| wide(&mut b, index.value)).collect();
        for numbers in self.all() {
            let path = self.element(&mut b, &numbers);
            let old = b.load(path);
            let mut here: Option<Inst> = None;
            for (&number, &index) in numbers.iter().zip(&indices) {
                let width = width(&b, index);
                let number = b.int(width, i64::from(number));
                let same = b.checked(IntOp::IEq, ValueType::BOOL, &[index, number]);
                here = Some(match here {
                    Some(here) => b.checked(IntOp::IAnd, ValueType::BOOL, &[here, same]),
                    None => same,
                });
            }
            let Some(here) = here else { continue };
            let new = select(&mut b, ty, [here, value, old]);
            b.emit_with(InstData { args: Args::new(&[path, new]), ..data.clone() });
        }
        b.finish()
    }
}

fn select(b: &mut Builder<'_, '_>, ty: ValueType, [cond, then, els]: [Inst; 3]) -> Inst {
    // A condition for each component: every version of SPIR-V can choose by that.
    let cond = if ty.components() == 1 { cond } else { b.splat(cond, ty.components()) };
    b.emit_with(InstData::new(IntOp::Select, ty, &[cond, then, els]))
}

fn width(b: &Builder<'_, '_>, index: Inst) -> Width {
    b.editor().func().ty(index).width().unwrap_or(Width::W32)
}

/// An index as a number in which every element has its own: indices have a sign.
fn wide(b: &mut Builder<'_, '_>, index: Inst) -> Inst {
    match width(b, index) {
        Width::W1 | Width::W8 | Width::W16 => b.convert(ConvertOp::I2I, Width::W32, index),
        Width::W32 | Width::W64 => index,
    }
}

/// A value, or zeros where the index leads past the end.
fn or_nothing(b: &mut Builder<'_, '_>, index: Inst, count: u32, value: Inst) -> Inst {
    let ty = b.editor().func().ty(value);
    let ValueType::Bits { width: of, components } = ty else { return value };
    let end = width(b, index);
    let end = b.int(end, i64::from(count));
    let inside = b.checked(IntOp::ULt, ValueType::BOOL, &[index, end]);
    let nothing = b.bits(Bits::zero(of, components));
    select(b, ty, [inside, value, nothing])
}

/// Picks one of these values by an index: the halves are picked from first.
fn pick(b: &mut Builder<'_, '_>, index: Inst, values: &[Inst]) -> Inst {
    // Level by level from the leaves: values, and the number of the first element behind each.
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
