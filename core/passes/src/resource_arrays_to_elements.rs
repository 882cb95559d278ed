//! `resource-arrays-to-elements`: splits arrays of images, samplers and buffers into one variable for each element.
//!
//! ```text
//! handle $0: [image<2d f32> * 2] {binding 3}      handle $1: image<2d f32> {binding 3}
//!                                                 handle $2: image<2d f32> {binding 3, element 1}
//! %1: path = deref.var $0                    =>
//! %2: path = deref.elem %1, %one                  %2: path = deref.var $2
//! ```
//!
//! For targets whose bindings have one resource each: WGSL. A variable knows by `element` which resource of its binding it is;
//! arrays of arrays are counted as in Vulkan, the innermost index fastest. WGSL gives the first element the declared binding and
//! the others the next ones that are free, and Direct3D 9 gives each a register; SPIR-V and the other texts refuse them.
//!
//! Left alone: an index known only at run time (`lower-indirect-derefs{resources}`) or out of range; arrays of more than 256
//! elements, without a length, or of a specialized one; an array that is passed to a function as a whole, and one that is
//! accessed by bytes (`qptr-lift`). NIR has no such pass: its drivers have arrays of bindings.

use super::pass::{Journals, PassContext, PassInfo, RunFn};
use crate::util::parts::{MAX_PARTS, Part, Whole, split_parts};
use vitrine_analysis::{is_array_of_resources, resource_count};
use vitrine_ir::base::opening::opening;
use vitrine_ir::ops::Key;
use vitrine_ir::{Diag, Fuel, Len, Module, TypeData, Var, VarData};

/// The entry in the list of passes.
pub(super) const PASS: PassInfo = PassInfo {
    doc: "Splits arrays of images, samplers and buffers into one variable for each element.",
    ..PassInfo::new(
        "resource-arrays-to-elements",
        opening!("resource_arrays_to_elements.rs"),
        RunFn::Module(resource_arrays_to_elements),
    )
};

/// Splits variables. Linear in the size of the result; idempotent; both shapes. One unit of fuel per level of a variable.
///
/// Error: `P103` if a function is not valid.
fn resource_arrays_to_elements(
    module: &mut Module,
    _: PassContext<'_>,
    fuel: &mut Fuel,
) -> Result<Journals, Diag> {
    split_parts(module, fuel, whole)
}

/// The elements of an array of resources.
fn whole(module: &Module, _: Var, data: &VarData) -> Option<Whole> {
    if data.owner.is_some() {
        return None;
    }
    let TypeData::Array { of, len: Len::Count(count), .. } = *module.type_of(data.ty) else { return None };
    let each = resource_count(module, &VarData { ty: of, ..data.clone() })?;
    let (first, count) = (data.attrs.get(Key::Element).unwrap_or(0), u64::from(count));
    let end = each.checked_mul(count)?.checked_add(first)?;
    if count == 0
        || count > MAX_PARTS as u64
        || end > u64::from(u32::MAX)
        || !is_array_of_resources(module, data)
    {
        return None;
    }
    let part = |at: u64| {
        let attrs = match first + at * each {
            0 => data.attrs.clone(),
            element => data.attrs.with(Key::Element, element),
        };
        Part { name: data.name, ty: of, attrs }
    };
    Some(Whole { parts: (0..count).map(part).collect(), is_structure: false })
}
