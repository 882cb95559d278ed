//! `split-struct-vars`: splits local structures into a variable for each member.
//!
//! ```text
//! local $0: [#0 * 4]                        local $1: [u32 * 4]
//!                                           local $2: [f32 * 4]
//! %2: path = deref.elem %1, %0        =>    %2: path = deref.var $1
//! %3: path = deref.field %2.0               %3: path = deref.elem %2, %0
//! ```
//!
//! Members are independent, so each can become a table, be copied, or be removed separately. An array of
//! structures becomes an array for each member. Nested structures are split one after the other.
//!
//! Unchanged: variables with an initializer, variables that are copied as a whole (run `split-var-copies`
//! first), and variables whose paths have uses other than loads, stores and copies. NIR:
//! `nir_split_struct_vars`.

use super::pass::PassInfo;
use crate::util::split_vars::{Paths, VarStep, locals, split};
use vitrine_ir::base::opening::opening;
use vitrine_ir::{Editor, Len, Reason, Refusal, Struct, Type, TypeData, Var};

/// The entry in the list of passes.
pub(super) const PASS: PassInfo = PassInfo {
    doc: "Splits local structures into a variable for each member.",
    ..PassInfo::edits("split-struct-vars", opening!("split_struct_vars.rs"), |ed, _| split_struct_vars(ed))
};

const WHY: Reason = Reason::Note("each member becomes a variable");

/// The maximum nesting of structures.
const MAX_ITERATIONS: usize = 64;

/// Splits structures. `O(instructions · depth of structures)`; idempotent; both shapes.
fn split_struct_vars(ed: &mut Editor<'_>) -> Result<(), Refusal> {
    for _ in 0..MAX_ITERATIONS {
        let before = ed.journal().len();
        for (var, paths) in locals(ed) {
            let Some((dims, structure)) =
                structure(ed, var).filter(|(dims, _)| uses_only_members(&paths, dims.len()))
            else {
                continue;
            };
            if !ed.consume_fuel() {
                return Ok(());
            }
            let member = |ed: &mut Editor<'_>, at: u32| member(ed, &dims, structure, at);
            split(ed, var, &paths, dims.len(), member, WHY)?;
        }
        if ed.journal().len() == before {
            break;
        }
    }
    Ok(())
}

/// The arrays around the structure in a variable's type, outermost first, and the structure.
fn structure(ed: &Editor<'_>, var: Var) -> Option<(Vec<Len>, Struct)> {
    let (mut at, mut dims) = (ed.module().var(var)?.ty, Vec::new());
    loop {
        match *ed.module().type_of(at) {
            TypeData::Array { of, len, .. } => {
                dims.push(len);
                at = of;
            }
            TypeData::Struct(structure) => return Some((dims, structure)),
            _ => return None,
        }
    }
}

/// Returns true if every use refers to some member.
fn uses_only_members(paths: &Paths, depth: usize) -> bool {
    !paths.ends.is_empty()
        && paths.ends.iter().all(|steps| matches!(steps.get(depth), Some(VarStep::Field(_))))
}

/// The type of a member with the arrays around it, without a layout.
fn member(ed: &mut Editor<'_>, dims: &[Len], structure: Struct, at: u32) -> Option<Type> {
    let ty = ed.module().structure(structure)?.members.get(at as usize)?.ty;
    Some(dims.iter().rev().fold(ty, |of, &len| ed.full_type(TypeData::Array { of, len, stride: 0 })))
}
