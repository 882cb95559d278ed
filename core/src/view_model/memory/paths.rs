//! Where untyped pointers and accesses through them lead, in the words of what was declared.
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

/// Where something leads.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(in super::super) struct Place<'a> {
    /// What it leads into.
    pub(in super::super) root: Root,
    /// Constant bytes from there.
    pub(in super::super) offset: i64,
    /// Steps known at run time.
    pub(in super::super) terms: &'a [Term],
    /// What the declared type calls it; empty where it is the whole, or nobody knows.
    pub(in super::super) path: String,
}

/// The pointers of a function.
pub(in super::super) struct Pointers {
    found: Addresses,
    /// How far behind a pointer the first access through it is, in bytes.
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

/// Where a pointer leads, or an access through one; none for what is neither.
pub(in super::super) fn place<'a>(
    module: &Module,
    func: Func,
    body: &FuncBody,
    pointers: &'a Pointers,
    inst: Inst,
) -> Option<Place<'a>> {
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
        // Constant bytes may be left to the accesses: what lies in an element has the element's name up to its index.
        (_, false) if is_pointer => {
            let (path, _) =
                first.get(&inst).and_then(|&further| at(offset.checked_add(further)?)).unwrap_or_default();
            path.rfind(']').and_then(|end| path.get(..=end)).unwrap_or("").to_owned()
        }
        (path, _) => path,
    };
    Some(Place { root, offset, terms: address.terms, path })
}

/// Whether a base is an array of resources rather than bytes of one: a step to the resource follows.
fn is_before_bytes(body: &FuncBody, base: Inst) -> bool {
    matches!(body.inst(base).op, Op::Ptr(PtrOp::HandleIndex))
}

/// Bytes in words: `byte 28 + %3 * 32`.
pub(in super::super) fn bytes(offset: i64, terms: &[Term]) -> String {
    let mut said = format!("byte {offset}");
    for term in terms {
        let _ = write!(said, " + {} * {}", term.index, term.stride);
    }
    said
}

/// All pointers and accesses of a version that lead to something with a name: numbers, and a line for each.
/// Linear in the version; nothing where it has no untyped pointers.
pub(in super::super) fn paths(module: &Module, numbers: &mut Numbers, out: &mut (Vec<u32>, String)) {
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
            out.0.push(numbers.number(Anchor::Inst(func, inst)));
            let _ = writeln!(out.1, "{}: {} of {root}", place.path, bytes(place.offset, place.terms));
        }
    }
}
