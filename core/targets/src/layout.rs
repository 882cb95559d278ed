//! Types that take no memory.

use vitrine_ir::base::EntitySet;
use vitrine_ir::layout::parts;
use vitrine_ir::{Module, Type, TypeData};

/// Returns true for a structure without members, and for what consists of such alone: texts leave it out of structures, where
/// it takes no bytes.
pub(super) fn is_empty_type(module: &Module, ty: Type) -> bool {
    let mut seen = EntitySet::new();
    let mut work = vec![ty];
    while let Some(ty) = work.pop() {
        match module.type_of(ty) {
            TypeData::Struct(_) | TypeData::Array { .. } if seen.insert(ty) => {
                work.extend(parts(module, ty));
            }
            TypeData::Struct(_) | TypeData::Array { .. } => {}
            _ => return false,
        }
    }
    true
}
