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
use crate::util::leaves::{Arrays, align_of, further, leaves};
use crate::util::rewrite_each::rewrite_each;
use vitrine_analysis::{Alias, Analyses, Overlap};
use vitrine_ir::base::opening::opening;
use vitrine_ir::ops::{Key, MemoryOp, Op};
use vitrine_ir::{Args, Editor, InsertPoint, Inst, InstData, Reason, Refusal};

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
    // Computed for the first copy.
    let mut alias = None;
    let mut left = MAX_LEAVES_IN_TOTAL;
    let split = |ed: &Editor<'_>, inst: Inst| {
        let (module, func) = (ed.module(), ed.func());
        let data = func.inst(inst);
        if data.op != Op::Memory(MemoryOp::CopyVar) {
            return None;
        }
        let alias = alias.get_or_insert_with(|| analyses.get::<Alias>(module, ed.id()));
        let [to, from] = data.args[..] else { return None };
        let (a, b) = (module.path_type(func, to)?, module.path_type(func, from)?);
        let (x, y) = (alias.spot(to)?, alias.spot(from)?);
        let apart = alias.overlap(x, y) == Overlap::No || (a.ty == b.ty && alias.is_one_variable(x, y));
        let most = max_leaves.min(left);
        let leaf_paths = leaves(module, a.ty, most, Arrays::AtOnce).filter(|_| apart)?;
        if leaf_paths.iter().all(Vec::is_empty) && !leaf_paths.is_empty() {
            return None;
        }
        left = left.saturating_sub(leaf_paths.len());
        Some((data.clone(), [(to, a.ty), (from, b.ty)], leaf_paths))
    };
    rewrite_each(ed, split, |ed, copy, (data, sides, leaf_paths)| {
        for leaf_path in leaf_paths {
            let align = data.attrs.get(Key::Align);
            let known = |ty| align.and_then(|align| align_of(ed.module(), ty, &leaf_path, align));
            let [to, from] = sides.map(|(_, ty)| known(ty));
            let align = to.zip(from).map(|(to, from)| to.min(from));
            let mut part = InstData { attrs: data.attrs.without(Key::Align), ..data.clone() };
            if let Some(align) = align {
                part = part.with(Key::Align, align);
            }
            let mut b = ed.build(InsertPoint::Before(copy), WHY);
            let sides =
                sides.map(|(side, _)| leaf_path.iter().fold(side, |at, &step| further(&mut b, at, step)));
            b.emit_with(InstData { args: Args::new(&sides), ..part });
            b.finish()?;
        }
        ed.erase(copy, WHY)
    })
}
