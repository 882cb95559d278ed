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

mod indirect; // start here
mod resources;

use super::options::{PassOptions, options};
use super::pass::PassInfo;
use crate::util::memory::{is_plain, is_private};
use crate::util::rewrite_each::rewrite_each;
use indirect::{Indirect, IndirectStep, MAX_ELEMENTS_IN_FUNC, WHY, indirect, pick, select, widen, width};
use std::rc::Rc;
use vitrine_analysis::{Analyses, Range};
use vitrine_ir::base::opening::opening;
use vitrine_ir::ops::{Bits, IntOp, Key, MemoryOp, Op, ValueType};
use vitrine_ir::{Args, Block, Builder, Editor, InsertPoint, Inst, InstData, Mode, Refusal, Stage};

options! {
    /// The accesses with a dynamic index that are lowered.
    struct Lowered {
        choice memory: IndexedMemory {
            /// All memory that no other invocation accesses.
            All "all",
            /// Local and private variables.
            Local "local",
            /// The same as `all`, but not constants of vertex shaders, which can be indexed.
            Sm3 "sm3",
            /// Only indices of arrays of images, samplers and blocks.
            Resources "resources",
        }
        /// Largest number of elements of an access.
        max_elements: u32 = 64 in 1..=1 << 12;
    }
}

/// The entry in the list of passes.
pub(super) const PASS: PassInfo = PassInfo {
    doc: "Replaces accesses with a dynamic index by accesses to every element.",
    options: Lowered::INFO,
    ..PassInfo::edits("lower-indirect-derefs", opening!("mod.rs"), |ed, cx| {
        lower_indirect_derefs(ed, &Lowered::of(cx.options), cx.analyses)
    })
};

/// Lowers accesses. Linear in the size of the result; idempotent; both shapes.
fn lower_indirect_derefs(
    ed: &mut Editor<'_>,
    options: &Lowered,
    analyses: &mut Analyses,
) -> Result<(), Refusal> {
    let max_elements = u64::from(options.max_elements);
    let is_vertex = ed.module().entries.iter().any(|entry| entry.stage == Stage::Vertex);
    let (is_only_private, keeps_constants) = match options.memory {
        IndexedMemory::All => (false, false),
        IndexedMemory::Local => (true, false),
        IndexedMemory::Sm3 => (false, is_vertex),
        IndexedMemory::Resources => return resources::lower(ed, max_elements),
    };
    let mut budget = MAX_ELEMENTS_IN_FUNC;
    let selected = |ed: &Editor<'_>, inst: Inst| {
        let data = ed.func().inst(inst);
        let is_load = data.op == Op::Memory(MemoryOp::Load) && matches!(data.ty, ValueType::Bits { .. });
        let is_store = data.op == Op::Memory(MemoryOp::Store) && !data.attrs.has(Key::Mask);
        if !(is_load || is_store) || !is_plain(data) {
            return None;
        }
        let access = indirect(ed, *data.args.first()?, false)?;
        let private = is_private(Some(access.mode));
        let is_kept = keeps_constants && matches!(access.mode, Mode::Uniform | Mode::Push);
        let fits = private || (is_load && !is_only_private && !is_kept && !access.mode.is_writable());
        if !fits || access.count > max_elements.min(budget) {
            return None;
        }
        budget -= access.count;
        Some((access, data.clone()))
    };
    // Computed when the first access needs it; values created by this pass have no range.
    let mut range: Option<Rc<Range>> = None;
    rewrite_each(ed, selected, |ed, inst, (mut access, data)| match data.args.get(1) {
        None => {
            let found = || analyses.get::<Range>(ed.module(), ed.id());
            let range = range.get_or_insert_with(found);
            access.check_ranges(range, ed.block_of(inst));
            let value = access.load(ed, inst, &data)?;
            ed.replace(inst, value, WHY)
        }
        Some(&value) => {
            access.store(ed, inst, value)?;
            ed.erase(inst, WHY)
        }
    })
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
