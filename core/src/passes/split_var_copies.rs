//! `split-var-copies`: splits copies of aggregates into copies of leaves, each for all elements of an array at once.
//!
//! ```text
//! copy %1, %0                            %2: path = deref.field %0.0
//!                                        %3: path = deref.field %1.0
//!                                  =>    copy %3, %2
//!                                        %4: path = deref.field %0.1
//!                                        %5: path = deref.all %4
//!                                        %6: path = deref.field %1.1
//!                                        %7: path = deref.all %6
//!                                        copy %7, %5
//! ```
//!
//! Each member is looked at by itself afterwards, and code does not grow with the length of arrays: what
//! `lower-var-copies` makes of it is the same.
//!
//! Afterwards every copy is of a leaf, or of all of some leaf in arrays, but for copies whose sides may share memory
//! without being one place (leaf by leaf would read what was just written), copies through untyped pointers, and
//! copies of structures with more than `max-leaves` leaves. NIR: `nir_split_var_copies`.

use super::pass::{OptionInfo, PassInfo};
use crate::analysis::{Alias, Overlap};
use crate::base::opening::opening;
use crate::ir::{Args, Editor, InsertPoint, Inst, InstData, Reason, Refusal};
use crate::ops::{Key, MemoryOp, Op};
use crate::passes::util::leaves::{Arrays, align_of, further, leaves};
use crate::passes::util::open::insts_in_order;

/// The row of the list.
pub(super) const PASS: PassInfo = PassInfo {
    doc: "Splits copies of aggregates into copies of leaves, each for all elements of an array at once.",
    options: &[OptionInfo::Number {
        name: "max-leaves",
        doc: "Largest number of leaves of a copy that is split; an array counts once.",
        default: 1 << 10,
        least: 0,
        most: 1 << 20,
    }],
    ..PassInfo::edits("split-var-copies", opening!("split_var_copies.rs"), |ed, options| {
        split_var_copies(ed, options.number("max-leaves") as usize)
    })
};

const WHY: Reason = Reason::Note("a copy is a copy of each leaf");

/// Most leaves of one function.
const MOST_IN_ALL: usize = 1 << 20;

/// Splits copies. Linear in what comes out; idempotent; both shapes.
///
/// Error: a refusal of the editor, which a valid function never meets.
pub(super) fn split_var_copies(ed: &mut Editor<'_>, max_leaves: usize) -> Result<(), Refusal> {
    let is_copy = |inst: &Inst| ed.func().inst(*inst).op == Op::Memory(MemoryOp::CopyVar);
    let copies: Vec<Inst> = insts_in_order(ed.func()).into_iter().filter(is_copy).collect();
    if copies.is_empty() {
        return Ok(());
    }
    let alias = Alias::of(ed.module(), ed.func());
    let mut left = MOST_IN_ALL;
    for copy in copies {
        let data = ed.func().inst(copy).clone();
        let [to, from] = data.args[..] else { continue };
        let (module, func) = (ed.module(), ed.func());
        let (Some(a), Some(b)) = (module.path_type(func, to), module.path_type(func, from)) else { continue };
        let (Some(x), Some(y)) = (alias.spot(to), alias.spot(from)) else { continue };
        let apart = alias.overlap(x, y) == Overlap::No || (a.ty == b.ty && alias.is_one_variable(x, y));
        let most = max_leaves.min(left);
        let Some(ways) = leaves(module, a.ty, most, Arrays::AtOnce).filter(|_| apart) else { continue };
        if ways.iter().all(Vec::is_empty) && !ways.is_empty() {
            continue;
        }
        if !ed.consume_fuel() {
            return Ok(());
        }
        left = left.saturating_sub(ways.len());
        for way in ways {
            let align = data.attrs.get(Key::Align);
            let known = |ty| align.and_then(|align| align_of(ed.module(), ty, &way, align));
            let align = known(a.ty).zip(known(b.ty)).map(|(a, b)| a.min(b));
            let mut part = InstData { attrs: data.attrs.without(Key::Align), ..data.clone() };
            if let Some(align) = align {
                part = part.with(Key::Align, align);
            }
            let mut b = ed.build(InsertPoint::Before(copy), WHY);
            let sides = [to, from].map(|side| way.iter().fold(side, |at, &step| further(&mut b, at, step)));
            b.emit_with(InstData { args: Args::new(&sides), ..part });
            b.finish()?;
        }
        ed.erase(copy, WHY)?;
    }
    Ok(())
}
