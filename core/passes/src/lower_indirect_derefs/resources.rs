//! Indices of arrays of images, samplers and blocks, which become constants.
//!
//! A lookup and a load from a uniform block have no effect: they are done for each resource, and the result is selected. A store,
//! an atomic, and an access of a storage buffer, in which an index may lie outside of the others, are done under conditions.

use super::indirect::{Index, Indirect, MAX_ELEMENTS_IN_FUNC, WHY, indirect, pick, widen, width};
use crate::util::memory::is_plain;
use crate::util::open::insts_in_order;
use crate::util::predicate::only_if;
use vitrine_ir::ops::{BasicOp, Bits, IntOp, MemoryOp, Op, PtrOp, TexOp, ValueType};
use vitrine_ir::{Args, Builder, Editor, InsertPoint, Inst, InstData, Mode, Refusal};

/// How an access to one of several resources is done.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Each {
    /// For each resource; the result is selected.
    Selected,
    /// For one, under the condition that the index is that of it.
    Conditional,
}

/// Lowers accesses to arrays of resources. Linear in the size of the result; idempotent; both shapes.
pub(super) fn lower(ed: &mut Editor<'_>, max_elements: u64) -> Result<(), Refusal> {
    let mut budget = MAX_ELEMENTS_IN_FUNC;
    let mut work = insts_in_order(ed.func());
    work.reverse();
    while let Some(inst) = work.pop() {
        let data = ed.func().inst(inst).clone();
        let Some((mut found, each)) = Resources::of(ed, &data) else { continue };
        let Some((_, first)) = found.accesses.first() else { continue };
        let (count, indices, all) = (first.count, first.indices(), first.all());
        if count > max_elements.min(budget) {
            continue;
        }
        if !ed.consume_fuel() {
            return Ok(());
        }
        budget -= count;
        // An image and its sampler are usually elements with the same index.
        found.accesses.retain(|(_, other)| other.indices() == indices);
        let accesses = match each {
            Each::Selected => found.selected(ed, inst, &indices, &all)?,
            Each::Conditional => found.conditional(ed, inst, &indices, &all)?,
        };
        found.erase_unused(ed)?;
        // The sampler of a lookup may have another index.
        work.extend(accesses.into_iter().rev());
    }
    Ok(())
}

/// The resources with a dynamic index that an instruction accesses.
#[derive(Default)]
struct Resources {
    /// Their paths.
    accesses: Vec<(Inst, Indirect)>,
    /// The instructions between the paths and the access, each before its operands.
    links: Vec<Inst>,
}

impl Resources {
    /// The resources of an instruction, and how it is done for each. `None` for one that is not lowered.
    fn of(ed: &Editor<'_>, data: &InstData) -> Option<(Resources, Each)> {
        let is_number = matches!(data.ty, ValueType::Bits { .. });
        let address = data.args.get(..1)?;
        Some(match data.op {
            Op::Tex(_) if is_number => {
                (Resources::of_operands(ed, &data.args, &[Mode::Handle]), Each::Selected)
            }
            Op::Tex(TexOp::Write) => {
                (Resources::of_operands(ed, &data.args, &[Mode::Handle]), Each::Conditional)
            }
            Op::Memory(MemoryOp::ArrayLen) => {
                (Resources::of_operands(ed, address, &[Mode::Storage]), Each::Selected)
            }
            Op::Memory(MemoryOp::Load) if is_number => {
                let uniform = Resources::of_operands(ed, address, &[Mode::Uniform]);
                match uniform.accesses.is_empty() || !is_plain(data) {
                    true => (Resources::of_operands(ed, address, &[Mode::Storage]), Each::Conditional),
                    false => (uniform, Each::Selected),
                }
            }
            Op::Memory(
                MemoryOp::Store
                | MemoryOp::Atomic
                | MemoryOp::AtomicLoad
                | MemoryOp::AtomicStore
                | MemoryOp::AtomicCas,
            ) if is_number || data.ty == ValueType::Void => {
                (Resources::of_operands(ed, address, &[Mode::Storage, Mode::Handle]), Each::Conditional)
            }
            _ => return None,
        })
    }

    /// The resources of some modes that operands are made of.
    fn of_operands(ed: &Editor<'_>, operands: &[Inst], modes: &[Mode]) -> Resources {
        /// Most instructions between a lookup and the variables of its operands.
        const MOST_LINKS: usize = 16;
        let func = ed.func();
        let mut out = Resources::default();
        let mut work: Vec<Inst> = operands.iter().rev().copied().collect();
        while let Some(value) = work.pop() {
            if !func.ty(value).is_opaque() || out.links.len() > MOST_LINKS {
                continue;
            }
            let link = func.inst(value);
            match link.op {
                Op::Deref(_) => {
                    let access = indirect(ed, value, true).filter(|access| modes.contains(&access.mode));
                    let is_known = out.accesses.iter().any(|&(path, _)| path == value);
                    out.accesses.extend(access.filter(|_| !is_known).map(|access| (value, access)));
                }
                Op::Memory(MemoryOp::Load)
                | Op::Basic(BasicOp::Copy)
                | Op::Ptr(PtrOp::Texel)
                | Op::Tex(TexOp::Combine | TexOp::ImageOf) => {
                    // It is before its operands, also if something else uses it, too.
                    out.links.retain(|&known| known != value);
                    out.links.push(value);
                    work.extend(link.args.iter().rev());
                }
                _ => {}
            }
        }
        out
    }

    /// Does an access for each resource, and replaces it by the selected result. Returns the accesses.
    fn selected(
        &self,
        ed: &mut Editor<'_>,
        inst: Inst,
        indices: &[Index],
        all: &[Vec<u32>],
    ) -> Result<Vec<Inst>, Refusal> {
        let data = ed.func().inst(inst).clone();
        let mut b = ed.build(InsertPoint::Before(inst), WHY);
        let accesses: Vec<Inst> =
            all.iter().map(|numbers| self.with_elements(&mut b, &data, numbers)).collect();
        let mut values = accesses.clone();
        for index in indices.iter().rev() {
            let wide_index = widen(&mut b, index.value);
            values =
                values.chunks(index.count as usize).map(|values| pick(&mut b, wide_index, values)).collect();
        }
        let value = values.first().copied();
        b.finish()?;
        let value = value.ok_or_else(|| Refusal::new("cannot load from an array without elements"))?;
        ed.replace(inst, value, WHY)?;
        Ok(accesses)
    }

    /// Does an access for the resource with the indices, if there is one. Returns the accesses.
    fn conditional(
        &self,
        ed: &mut Editor<'_>,
        inst: Inst,
        indices: &[Index],
        all: &[Vec<u32>],
    ) -> Result<Vec<Inst>, Refusal> {
        let data = ed.func().inst(inst).clone();
        let mut b = ed.build(InsertPoint::Before(inst), WHY);
        let wide: Vec<Inst> = indices.iter().map(|index| widen(&mut b, index.value)).collect();
        let mut value = match data.ty {
            ValueType::Bits { width, components } => Some(b.bits(Bits::zero(width, components))),
            _ => None,
        };
        let mut accesses = Vec::new();
        for numbers in all {
            let same: Vec<Inst> = numbers
                .iter()
                .zip(&wide)
                .map(|(&number, &index)| {
                    let of = width(&b, index);
                    let number = b.int(of, i64::from(number));
                    b.checked(IntOp::IEq, ValueType::BOOL, &[index, number])
                })
                .collect();
            let both = |a: Inst, c: Inst| b.checked(IntOp::IAnd, ValueType::BOOL, &[a, c]);
            let Some(condition) = same.into_iter().reduce(both) else { continue };
            accesses.push((condition, self.with_elements(&mut b, &data, numbers)));
        }
        b.finish()?;
        for &(condition, access) in &accesses {
            value = only_if(ed, access, condition, value, WHY)?;
        }
        if let Some(value) = value {
            ed.replace(inst, value, WHY)?;
        }
        // An instruction with an effect is left by its replacement.
        if ed.is_placed(inst) {
            ed.erase(inst, WHY)?;
        }
        Ok(accesses.into_iter().map(|(_, access)| access).collect())
    }

    /// Builds the access to the elements with these indices.
    fn with_elements(&self, b: &mut Builder<'_, '_>, data: &InstData, numbers: &[u32]) -> Inst {
        let mut made: Vec<(Inst, Inst)> =
            self.accesses.iter().map(|(path, access)| (*path, access.element(b, numbers))).collect();
        for &link in self.links.iter().rev() {
            let data = b.editor().func().inst(link).clone();
            if let Some(data) = with_args(&data, &made) {
                made.push((link, b.emit_with(data)));
            }
        }
        b.emit_with(with_args(data, &made).unwrap_or_else(|| data.clone()))
    }

    /// Erases what led to the access, as far as nothing else uses it: a variable with such a path left is indexed still.
    fn erase_unused(&self, ed: &mut Editor<'_>) -> Result<(), Refusal> {
        let mut chain = self.links.clone();
        for (path, access) in &self.accesses {
            let mut at = *path;
            while at != access.base {
                chain.push(at);
                at = ed.func().inst(at).args.first().copied().unwrap_or(access.base);
            }
        }
        for inst in chain {
            if ed.use_count(inst) == 0 && ed.is_placed(inst) {
                ed.erase(inst, WHY)?;
            }
        }
        Ok(())
    }
}

/// An instruction with other operands; none if all of them stay.
fn with_args(data: &InstData, made: &[(Inst, Inst)]) -> Option<InstData> {
    let other = |arg: Inst| made.iter().find(|&&(old, _)| old == arg).map(|&(_, new)| new);
    let any = data.args.iter().any(|&arg| other(arg).is_some());
    let args: Vec<Inst> = data.args.iter().map(|&arg| other(arg).unwrap_or(arg)).collect();
    any.then(|| InstData { args: Args::new(&args), ..data.clone() })
}
