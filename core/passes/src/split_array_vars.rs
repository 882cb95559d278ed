//! `split-array-vars`: splits local arrays that are only indexed by constants into a variable for each element.
//!
//! ```text
//! local $0: [[f32 * 4] * 2]                 local $1: [f32 * 4]
//!                                           local $2: [f32 * 4]
//! %2: path = deref.elem %1, %one      =>    %2: path = deref.var $2
//! %3: path = deref.elem %2, %0              %3: path = deref.elem %2, %0
//! ```
//!
//! In an array of arrays, each level is considered separately, the outermost first; if an inner one is only
//! indexed by constants, arrays of the outer levels are created for each of its elements. Unused elements get
//! no variable.
//!
//! Unchanged: arrays with a dynamic index, or a constant one out of range, at that level; arrays that are
//! copied as a whole, or with all elements at once; variables with an initializer; arrays with more than 4,096
//! elements. NIR: `nir_split_array_vars`.

use super::pass::PassInfo;
use crate::util::split_vars::{Paths, VarStep, locals, split};
use vitrine_ir::base::opening::opening;
use vitrine_ir::{Editor, Len, Reason, Refusal, Type, TypeData, Var};

/// The entry in the list of passes.
pub(super) const PASS: PassInfo = PassInfo {
    doc: "Splits local arrays that are only indexed by constants into a variable for each element.",
    ..PassInfo::edits("split-array-vars", opening!("split_array_vars.rs"), |ed, _| split_array_vars(ed))
};

const WHY: Reason = Reason::Note("each element becomes a variable");

/// The maximum nesting of arrays.
const MAX_ITERATIONS: usize = 64;

/// The maximum length of an array that is split.
const MAX_ELEMENTS: u32 = 1 << 12;

/// Splits arrays. `O(instructions · depth of arrays)`; idempotent; both shapes.
fn split_array_vars(ed: &mut Editor<'_>) -> Result<(), Refusal> {
    for _ in 0..MAX_ITERATIONS {
        let before = ed.journal().len();
        for (var, paths) in locals(ed) {
            let Some((depth, dims, element)) = level(ed, var, &paths) else { continue };
            if !ed.consume_fuel() {
                return Ok(());
            }
            let part = |ed: &mut Editor<'_>, _: u32| {
                let around = |of, &len: &Len| ed.full_type(TypeData::Array { of, len, stride: 0 });
                Some(dims.iter().rev().fold(element, around))
            };
            split(ed, var, &paths, depth, part, WHY)?;
        }
        if ed.journal().len() == before {
            break;
        }
    }
    Ok(())
}

/// The outermost level with only constant indices: its depth, the arrays around it, its element type.
fn level(ed: &Editor<'_>, var: Var, paths: &Paths) -> Option<(usize, Vec<Len>, Type)> {
    let (mut at, mut dims) = (ed.module().var(var)?.ty, Vec::new());
    if paths.ends.is_empty() {
        return None;
    }
    while let TypeData::Array { of, len, .. } = *ed.module().type_of(at) {
        let depth = dims.len();
        let known = |steps: &Vec<VarStep>| match (steps.get(depth), len) {
            (Some(&VarStep::Known(number)), Len::Count(count)) => number < count && count <= MAX_ELEMENTS,
            _ => false,
        };
        if paths.ends.iter().all(known) {
            return Some((depth, dims, of));
        }
        dims.push(len);
        at = of;
    }
    None
}
