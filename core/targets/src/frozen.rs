//! Specialization constants that a language cannot leave open: they have their defaults, and the text states it.
//!
//! ```text
//! // specialization constant 3 has its default here: it is the length of an array
//! static const uint count = 4u;
//! ```
//!
//! If a length is fixed, the constant is, too: otherwise a loop over the array would leave it.

use super::dialect::Dialect;
use rustc_hash::FxHashMap;
use vitrine_ir::base::EntitySet;
use vitrine_ir::layout::parts;
use vitrine_ir::ops::Key;
use vitrine_ir::{EntryPoint, Global, GlobalValue, Len, Module, Operand, Type, TypeData};

const LENGTH: &str = "it is the length of an array";
const SIZE: &str = "it is a size of the workgroup";

/// The constants that are fixed, with the reason.
pub(super) type Frozen = FxHashMap<Global, &'static str>;

/// Finds the constants that a language fixes. Linear in the size of the module's tables.
pub(super) fn frozen(module: &Module, dialect: &dyn Dialect, entry: Option<&EntryPoint>) -> Frozen {
    let mut out = if dialect.fixes_sizes() { sizes(module, entry) } else { Frozen::default() };
    for (global, data) in module.globals() {
        let GlobalValue::Spec(bits) = data.value else { continue };
        let why = dialect.why_fixed(module.bits_of(bits).width());
        if let (true, Some(why)) = (data.attrs.has(Key::SpecId), why) {
            out.entry(global).or_insert(why);
        }
    }
    out
}

/// The constants that lengths of arrays and sizes of the workgroup depend on.
fn sizes(module: &Module, entry: Option<&EntryPoint>) -> Frozen {
    let mut out = Frozen::default();
    let mut add = |global: Global, why: &'static str| {
        module.specialized_by(global).into_iter().for_each(|spec| _ = out.entry(spec).or_insert(why));
    };
    let mut seen: EntitySet<Type> = EntitySet::new();
    let mut work: Vec<Type> = module.vars().map(|(_, data)| data.ty).collect();
    while let Some(ty) = work.pop() {
        if !seen.insert(ty) {
            continue;
        }
        if let TypeData::Array { len: Len::Global(global), .. } = *module.type_of(ty) {
            add(global, LENGTH);
        }
        work.extend(parts(module, ty));
    }
    for operand in entry.map(|entry| workgroup_size(module, entry)).unwrap_or_default() {
        if let Operand::Global(global) = operand {
            add(global, SIZE);
        }
    }
    out
}

/// The sizes of the workgroup: those of the constant that states them, or of the execution mode.
fn workgroup_size(module: &Module, entry: &EntryPoint) -> Vec<Operand> {
    let stated = module.globals().find_map(|(_, data)| match &data.value {
        GlobalValue::Parts(_, parts) if data.attrs.has(Key::BuiltIn) => Some(parts.to_vec()),
        _ => None,
    });
    let of_mode = || {
        let mode = entry.modes.iter().find(|mode| mode.mode.is_local_size());
        mode.map(|mode| mode.args.to_vec()).unwrap_or_default()
    };
    stated.unwrap_or_else(of_mode)
}
