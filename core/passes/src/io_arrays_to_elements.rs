//! `io-arrays-to-elements`: splits input and output arrays, matrices and structures into one variable for each part.
//!
//! ```text
//! in $0: [f32x4 * 2] {location 3}           in $1: f32x4 {location 3}
//!                                           in $2: f32x4 {location 4}
//! %1: path = deref.var $0             =>
//! %2: path = deref.elem %1, %one            %2: path = deref.var $2
//! %3: b32x4 = load %2                       %3: b32x4 = load %2
//! ```
//!
//! Separate elements can be removed, packed (`io-to-vector`) and addressed by location individually. An element
//! occupies as many locations as its type, and each variable keeps component, interpolation and index; so the
//! other stage is unaffected. A matrix is an array of columns, and an array of arrays is split level by level. So is a
//! structure or a block, of which each member has its own attributes and those of the variable: its location is declared, or
//! follows that of the member before. With `nested`, only arrays of structures, structures with arrays or structures in
//! them, and what begins inside of a location are split, for targets that have simple arrays and structures.
//!
//! Left alone: an index known only at run time (`io-to-temporaries{indexed}`, `lower-indirect-derefs`) or out of range, and
//! copies of the whole (`split-var-copies`, `lower-var-copies`); types wider than 32 bits; system values; inputs and
//! outputs of stages whose invocations access each other's, and `per_vertex` inputs, where the outermost index is that of a
//! vertex; variables with an initializer; arrays of more than 256 elements. NIR:
//! `nir_lower_io_arrays_to_elements_no_indirects`; its variant for two stages at once is not needed, because
//! locations are unchanged.

use super::options::{PassOptions, options};
use super::pass::{Journals, PassInfo, RunFn};
use crate::util::io_components::{STAGES, is_nested};
use crate::util::parts::{MAX_LEVELS, MAX_PARTS, Part, Whole, split_parts};
use vitrine_ir::base::opening::opening;
use vitrine_ir::ops::{Interp, Key, Width, WordSet};
use vitrine_ir::{Diag, Fuel, Len, Mode, Module, Stage, Struct, Type, TypeData, Var, VarData};

options! {
    /// The inputs and outputs that are split.
    struct SplitVars {
        choice types: SplitTypes {
            /// All of them.
            All "all",
            /// Only arrays of structures, structures with arrays or structures in them, and what begins inside of a location.
            Nested "nested",
        }
    }
}

/// The entry in the list of passes.
pub(super) const PASS: PassInfo = PassInfo {
    doc: "Splits input and output arrays, matrices and structures into one variable for each part.",
    options: SplitVars::INFO,
    stages: STAGES,
    ..PassInfo::new(
        "io-arrays-to-elements",
        opening!("io_arrays_to_elements.rs"),
        RunFn::Module(|module, cx, fuel| {
            io_arrays_to_elements(module, SplitVars::of(cx.options).types, fuel)
        }),
    )
};

/// Splits variables. Linear in the size of the result; idempotent; both shapes. One unit of fuel per level of a
/// variable.
///
/// Error: `P103` if a function is not valid.
fn io_arrays_to_elements(module: &mut Module, types: SplitTypes, fuel: &mut Fuel) -> Result<Journals, Diag> {
    split_parts(module, fuel, |module, var, data| {
        let is_taken = match types {
            SplitTypes::All => true,
            SplitTypes::Nested => is_nested(module, data),
        };
        if is_taken { whole(module, var, data) } else { None }
    })
}

/// The parts of an input or output that may be split.
fn whole(module: &Module, var: Var, data: &VarData) -> Option<Whole> {
    let mut named = module.entries.iter().filter(|entry| entry.interface.contains(&var)).peekable();
    let is_named = named.peek().is_some() && named.all(|entry| STAGES.contains(&entry.stage));
    let io = matches!(data.mode, Mode::In | Mode::Out) && data.init.is_none();
    if !is_named || !io || data.attrs.has(Key::BuiltIn) || data.is_per_vertex() {
        return None;
    }
    if let TypeData::Struct(structure) = *module.type_of(data.ty) {
        let between = module.entries.iter().any(|entry| entry.stage == Stage::Fragment);
        return of_structure(module, structure, data, between && data.mode == Mode::In);
    }
    let (of, count) = match *module.type_of(data.ty) {
        TypeData::Array { of, len: Len::Count(count), .. } => (of, count),
        TypeData::Matrix { column, columns, .. } => (column, u32::from(columns)),
        _ => return None,
    };
    let location = data.attrs.get(Key::Location)?;
    let each = occupied(module, of)?;
    // Locations are 32-bit numbers.
    let end = each.checked_mul(u64::from(count))?.checked_add(location)?;
    if count == 0 || count as usize > MAX_PARTS || end > u64::from(u32::MAX) {
        return None;
    }
    let part = |at: u64| Part {
        name: data.name,
        ty: of,
        attrs: data.attrs.with(Key::Location, location + at * each),
    };
    Some(Whole { parts: (0..u64::from(count)).map(part).collect(), is_structure: false })
}

/// The members of a structure, with their own attributes and those of the variable. Integers between stages are flat, which a
/// variable has to state, and a structure has not.
fn of_structure(module: &Module, structure: Struct, data: &VarData, is_between: bool) -> Option<Whole> {
    let members = &module.structure(structure)?.members;
    if members.is_empty() || members.len() > MAX_PARTS {
        return None;
    }
    let mut next = data.attrs.get(Key::Location);
    let mut parts = Vec::with_capacity(members.len());
    for member in members.iter() {
        let location = member.attrs.get(Key::Location).or(next)?;
        let end = location.checked_add(occupied(module, member.ty)?)?;
        if member.attrs.has(Key::BuiltIn) || end > u64::from(u32::MAX) {
            return None;
        }
        next = Some(end);
        let attrs = INHERITED.iter().fold(data.attrs.clone(), |attrs, &key| match member.attrs.get(key) {
            Some(own) => attrs.with(key, own | data.attrs.get(key).filter(|_| is_set(key)).unwrap_or(0)),
            None => attrs,
        });
        let attrs = match is_between && is_whole_number(module, member.ty) {
            true => attrs.with(Key::Interp, attrs.words::<Interp>().and(Interp::FLAT).number()),
            false => attrs,
        };
        parts.push(Part { name: member.name, ty: member.ty, attrs: attrs.with(Key::Location, location) });
    }
    Some(Whole { parts, is_structure: true })
}

/// The attributes of a member that its variable gets.
const INHERITED: &[Key] =
    &[Key::Component, Key::Index, Key::Interp, Key::Access, Key::Invariant, Key::Stream];

/// Returns true for integers, vectors of them, and arrays of such.
fn is_whole_number(module: &Module, mut ty: Type) -> bool {
    while let Some(of) = module.element_type(ty) {
        ty = of;
    }
    matches!(module.type_of(ty), TypeData::Int { .. })
}

/// Returns true for an attribute that is a set of words.
fn is_set(key: Key) -> bool {
    matches!(key, Key::Interp | Key::Access)
}

/// The locations that a type occupies. `None` for one that is not split into numbers of 32 bits or fewer.
fn occupied(module: &Module, ty: Type) -> Option<u64> {
    let (mut sum, mut work) = (0u64, vec![(ty, 1u64)]);
    let mut steps = 0;
    while let Some((ty, times)) = work.pop() {
        steps += 1;
        if steps > MAX_PARTS * MAX_LEVELS {
            return None;
        }
        if let Some(value) = module.value_type(ty) {
            let is_narrow = matches!(value.width(), Some(Width::W8 | Width::W16 | Width::W32));
            sum = sum.checked_add(times).filter(|_| is_narrow)?;
            continue;
        }
        match *module.type_of(ty) {
            TypeData::Array { of, len: Len::Count(count), .. } => {
                work.push((of, times.checked_mul(u64::from(count))?));
            }
            TypeData::Matrix { column, columns, .. } => work.push((column, times * u64::from(columns))),
            TypeData::Struct(structure) => {
                work.extend(module.structure(structure)?.members.iter().map(|member| (member.ty, times)));
            }
            _ => return None,
        }
    }
    Some(sum)
}
