//! Block parameters passed in another form: in components, in halves, in another width.
//!
//! Consumes no fuel, and fails only where the editor does.

use rustc_hash::FxHashMap;
use vitrine_ir::ops::ValueType;
use vitrine_ir::{Block, Builder, Editor, Incoming, InsertPoint, Inst, Reason, Refusal};

/// Replaces a parameter of a block by parameters of other types.
///
/// On each edge, `apart` converts the passed value to one value for each of `types`, at the end of the source
/// block; at the start of the block `together` computes the original value from them. A parameter of the
/// function, or of a block without incoming edges, is unchanged.
pub(crate) fn replace_param(
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
    let mut parts_by_edge: FxHashMap<Incoming, Vec<Inst>> = FxHashMap::default();
    for &edge in &edges {
        let value = ed.edge_args(edge).and_then(|args| args.get(at)).copied();
        let Some(value) = value else { return Ok(()) };
        let mut builder = ed.build(InsertPoint::End(edge.from), why);
        let parts = apart(&mut builder, value);
        builder.finish()?;
        parts_by_edge.insert(edge, parts);
    }
    let mut parts = Vec::new();
    for (number, &ty) in types.iter().enumerate() {
        let arg_of = |edge| {
            let parts = parts_by_edge.get(&edge);
            parts.and_then(|parts| parts.get(number)).copied().unwrap_or(param)
        };
        parts.push(ed.add_param_with(block, ty, arg_of, why)?);
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
