//! Block parameters handed on in another form: in components, in halves, in another width.
//!
//! Asks for no fuel, and refuses what the editor refuses.

use crate::ir::{Block, Builder, Editor, Incoming, InsertPoint, Inst, Reason, Refusal};
use crate::ops::ValueType;
use rustc_hash::FxHashMap;

/// Replaces a parameter of a block by parameters of other types.
///
/// Each edge brings what `apart` makes of the value it brought, at the end of the block it comes from, one value for
/// each of `types`; at the start of the block `together` makes the value again. A parameter of the function, or one
/// of a block that nobody enters, is left alone.
pub(in crate::passes) fn replace_param(
    ed: &mut Editor<'_>,
    block: Block,
    param: Inst,
    types: &[ValueType],
    why: Reason,
    mut apart: impl FnMut(&mut Builder<'_, '_>, Inst) -> Vec<Inst>,
    together: impl FnOnce(&mut Builder<'_, '_>, &[Inst]) -> Inst,
) -> Result<(), Refusal> {
    let position = |ed: &Editor<'_>| ed.func().block(block).params.iter().position(|&other| other == param);
    let edges = ed.incoming(block);
    let Some(at) = position(ed).filter(|_| !edges.is_empty()) else { return Ok(()) };
    let mut brought: FxHashMap<Incoming, Vec<Inst>> = FxHashMap::default();
    for &edge in &edges {
        let value = ed.edge_args(edge).and_then(|args| args.get(at)).copied();
        let Some(value) = value else { return Ok(()) };
        let mut builder = ed.build(InsertPoint::End(edge.from), why);
        let parts = apart(&mut builder, value);
        builder.finish()?;
        brought.insert(edge, parts);
    }
    let mut parts = Vec::new();
    for (number, &ty) in types.iter().enumerate() {
        let bring = |edge| {
            let parts = brought.get(&edge);
            parts.and_then(|parts| parts.get(number)).copied().unwrap_or(param)
        };
        parts.push(ed.add_param_with(block, ty, bring, why)?);
    }
    let mut builder = ed.build(InsertPoint::Start(block), why);
    let whole = together(&mut builder, &parts);
    builder.finish()?;
    ed.replace_uses(param, whole, why)?;
    match position(ed) {
        Some(at) => ed.remove_param(block, at, why),
        None => Ok(()),
    }
}
