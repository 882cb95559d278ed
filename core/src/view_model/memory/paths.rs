//! Addresses of untyped pointers and of accesses through them, as members of the declared type.
//!
//! ```text
//! %4: ptr = ptr.dyn_offset %2, %3 {stride 32}      lights[%3]
//! %5: b32 = load %4 {offset 28}                    lights[%3].radius: byte 28 + %3 * 32 of $lights_0
//! ```

use super::super::numbers::Numbers;
use crate::analysis::{Addresses, Memory, Root, Term, Usage, offset_of, path_at};
use crate::ir::{Anchor, Func, FuncBody, Inst, Module};
use crate::ops::{MemoryOp, Op, PtrOp, ValueType};
use rustc_hash::FxHashMap;
use std::fmt::Write;
use vitrine_protocol::PointerPath;

/// An address in a variable.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(in super::super) struct MemberPlace<'a> {
    /// The root.
    pub(in super::super) root: Root,
    /// The constant byte offset.
    pub(in super::super) offset: i64,
    /// The dynamic terms.
    pub(in super::super) terms: &'a [Term],
    /// The member in the declared type; empty for the whole, or if it is unknown.
    pub(in super::super) path: String,
}

/// The pointers of a function.
pub(in super::super) struct Pointers {
    found: Addresses,
    /// The distance in bytes from a pointer to the first access through it.
    first: FxHashMap<Inst, i64>,
}

impl Pointers {
    /// Reads a function. Linear.
    pub(in super::super) fn of(module: &Module, body: &FuncBody) -> Pointers {
        let mut first = FxHashMap::default();
        for block in body.blocks_in_order() {
            for &inst in body.block(block).insts.iter() {
                let data = body.inst(inst);
                if let Some(&pointer) = data.args.first().filter(|&&arg| body.ty(arg) == ValueType::Ptr) {
                    first.entry(pointer).or_insert_with(|| offset_of(data));
                }
            }
        }
        Pointers { found: Addresses::of(module, body), first }
    }
}

/// The address of a pointer, or of an access through one; none for other instructions.
pub(in super::super) fn place<'a>(
    module: &Module,
    func: Func,
    body: &FuncBody,
    pointers: &'a Pointers,
    inst: Inst,
) -> Option<MemberPlace<'a>> {
    let data = body.tables().insts.get(inst)?;
    let is_pointer = data.ty == ValueType::Ptr && !matches!(data.op, Op::Memory(MemoryOp::Load));
    let pointer = if is_pointer { inst } else { *data.args.first()? };
    let Pointers { found, first } = pointers;
    let address = found.get(pointer)?;
    let wanted = match data.op {
        _ if is_pointer => None,
        Op::Memory(MemoryOp::Store) => data.args.get(1).map(|&value| body.ty(value)),
        _ => Some(data.ty).filter(|ty| matches!(ty, ValueType::Bits { .. })),
    };
    let further = if is_pointer { 0 } else { offset_of(data) };
    let root = found.root(pointer)?;
    let of = match root {
        Root::Var(var) => Memory::Var(var),
        Root::Value(value) => Memory::Value(func, value),
    };
    let offset = address.offset.checked_add(further)?;
    let declared = Usage::declared(module, of);
    let at_bytes = !is_before_bytes(body, address.base);
    let at = |offset: i64| path_at(module, declared.filter(|_| at_bytes)?, offset, address.terms, wanted);
    let path = match at(offset).unwrap_or_default() {
        // Accesses may add constant bytes, so a pointer to an element is named up to its index.
        (_, false) if is_pointer => {
            let (path, _) =
                first.get(&inst).and_then(|&further| at(offset.checked_add(further)?)).unwrap_or_default();
            path.rfind(']').and_then(|end| path.get(..=end)).unwrap_or("").to_owned()
        }
        (path, _) => path,
    };
    Some(MemberPlace { root, offset, terms: address.terms, path })
}

/// Returns true if a base is an array of resources rather than bytes of one: a step to the resource follows.
fn is_before_bytes(body: &FuncBody, base: Inst) -> bool {
    matches!(body.inst(base).op, Op::Ptr(PtrOp::HandleIndex))
}

/// Bytes in words: `byte 28 + %3 * 32`.
pub(in super::super) fn bytes(offset: i64, terms: &[Term]) -> String {
    let mut text = format!("byte {offset}");
    for term in terms {
        let _ = write!(text, " + {} * {}", term.index, term.stride);
    }
    text
}

/// All pointers and accesses of a version with an address in a named member. Linear in the version; none if it has no
/// untyped pointers.
pub(in super::super) fn paths(module: &Module, numbers: &mut Numbers, out: &mut Vec<PointerPath>) {
    for (func, body) in module.funcs() {
        let blocks = body.blocks_in_order();
        let all = || blocks.iter().flat_map(|&block| body.block(block).insts.iter().copied());
        if !all().any(|inst| body.ty(inst) == ValueType::Ptr) && body.params().is_empty() {
            continue;
        }
        let pointers = Pointers::of(module, body);
        for inst in all() {
            let Some(place) =
                place(module, func, body, &pointers, inst).filter(|place| !place.path.is_empty())
            else {
                continue;
            };
            let root = match place.root {
                Root::Var(var) => {
                    let name = module.var(var).and_then(|data| data.name);
                    name.map_or_else(
                        || var.to_string(),
                        |name| module.text_of(name).replace(char::is_control, "_"),
                    )
                }
                Root::Value(value) => value.to_string(),
            };
            let id = numbers.number(Anchor::Inst(func, inst));
            let path = format!("{}: {} of {root}", place.path, bytes(place.offset, place.terms));
            out.push(PointerPath { id, path });
        }
    }
}
