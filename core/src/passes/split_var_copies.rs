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
//! Each member can then be optimized separately, and the size of the code does not depend on the length of
//! arrays: `lower-var-copies` expands the result identically.
//!
//! Afterwards every copy is of a leaf, or of a leaf for all elements of arrays, except for copies whose sides
//! may overlap without being the same place (a leaf-by-leaf copy would read data that it has just written),
//! copies through untyped pointers, and copies of structures with more than `max-leaves` leaves. NIR:
//! `nir_split_var_copies`.

use super::options::{PassOptions, options};
use super::pass::PassInfo;
use crate::analysis::{Alias, Analyses, Overlap};
use crate::base::opening::opening;
use crate::ir::{Args, Editor, InsertPoint, Inst, InstData, Reason, Refusal};
use crate::ops::{Key, MemoryOp, Op};
use crate::passes::util::leaves::{Arrays, align_of, further, leaves};
use crate::passes::util::open::insts_in_order;

options! {
    /// The copies that are split.
    struct CopySize {
        /// Largest number of leaves of a copy that is split; an array counts once.
        max_leaves: u32 = 1024 in 0..=1 << 20;
    }
}

/// The entry in the list of passes.
pub(super) const PASS: PassInfo = PassInfo {
    doc: "Splits copies of aggregates into copies of leaves, each for all elements of an array at once.",
    options: CopySize::INFO,
    ..PassInfo::edits("split-var-copies", opening!("split_var_copies.rs"), |ed, cx| {
        split_var_copies(ed, CopySize::of(cx.options).max_leaves as usize, cx.analyses)
    })
};

const WHY: Reason = Reason::Note("the copy is split into its leaves");

/// The maximum number of leaves in one function.
const MAX_LEAVES_IN_TOTAL: usize = 1 << 20;

/// Splits copies. Linear in the size of the result; idempotent; both shapes.
pub(super) fn split_var_copies(
    ed: &mut Editor<'_>,
    max_leaves: usize,
    analyses: &mut Analyses,
) -> Result<(), Refusal> {
    let is_copy = |inst: &Inst| ed.func().inst(*inst).op == Op::Memory(MemoryOp::CopyVar);
    let copies: Vec<Inst> = insts_in_order(ed.func()).into_iter().filter(is_copy).collect();
    if copies.is_empty() {
        return Ok(());
    }
    let alias = analyses.get::<Alias>(ed.module(), ed.id());
    let mut left = MAX_LEAVES_IN_TOTAL;
    for copy in copies {
        let data = ed.func().inst(copy).clone();
        let [to, from] = data.args[..] else { continue };
        let (module, func) = (ed.module(), ed.func());
        let (Some(a), Some(b)) = (module.path_type(func, to), module.path_type(func, from)) else { continue };
        let (Some(x), Some(y)) = (alias.spot(to), alias.spot(from)) else { continue };
        let apart = alias.overlap(x, y) == Overlap::No || (a.ty == b.ty && alias.is_one_variable(x, y));
        let most = max_leaves.min(left);
        let Some(leaf_paths) = leaves(module, a.ty, most, Arrays::AtOnce).filter(|_| apart) else { continue };
        if leaf_paths.iter().all(Vec::is_empty) && !leaf_paths.is_empty() {
            continue;
        }
        if !ed.consume_fuel() {
            return Ok(());
        }
        left = left.saturating_sub(leaf_paths.len());
        for leaf_path in leaf_paths {
            let align = data.attrs.get(Key::Align);
            let known = |ty| align.and_then(|align| align_of(ed.module(), ty, &leaf_path, align));
            let align = known(a.ty).zip(known(b.ty)).map(|(a, b)| a.min(b));
            let mut part = InstData { attrs: data.attrs.without(Key::Align), ..data.clone() };
            if let Some(align) = align {
                part = part.with(Key::Align, align);
            }
            let mut b = ed.build(InsertPoint::Before(copy), WHY);
            let sides =
                [to, from].map(|side| leaf_path.iter().fold(side, |at, &step| further(&mut b, at, step)));
            b.emit_with(InstData { args: Args::new(&sides), ..part });
            b.finish()?;
        }
        ed.erase(copy, WHY)?;
    }
    Ok(())
}
