//! Full types: each is checked once, at its first use.

use super::*;
use rustc_hash::{FxHashMap, FxHashSet};
use vitrine_ir::base::SideTable;
use vitrine_ir::ops::{ValueType, Width};
use vitrine_ir::{Diag, Diags, ImageType, Len, Type, TypeData};

/// Known facts about full types, and the set of functions that are entry points.
pub(super) struct Types<'a> {
    module: &'a Module,
    seen: SideTable<Type, bool>,
    alike: FxHashMap<(Type, Type), bool>,
    entries: FxHashSet<Func>,
}

impl<'a> Types<'a> {
    pub(super) fn new(module: &'a Module) -> Types<'a> {
        let seen = SideTable::sized(false, module.sizes()[0]);
        let entries = module.entries.iter().map(|entry| entry.func).collect();
        Types { module, seen, alike: FxHashMap::default(), entries }
    }

    /// Returns true if a function is an entry point.
    pub(super) fn is_entry(&self, func: Func) -> bool {
        self.entries.contains(&func)
    }

    /// The innermost element type of nested arrays.
    pub(super) fn element(&self, ty: Type) -> Type {
        let mut at = ty;
        // At most as many steps as types, so that an array of itself, which no reader creates, terminates.
        for _ in 0..self.module.sizes()[0] {
            let (TypeData::Array { of, .. } | TypeData::RuntimeArray { of, .. }) = self.module.type_of(at)
            else {
                break;
            };
            at = *of;
        }
        at
    }

    /// Checks a type and its parts, unless that was done before. Errors are reported at `at`.
    pub(super) fn check(&mut self, ty: Type, at: Anchor, diags: &mut Diags) {
        if self.seen[ty] {
            return;
        }
        let mut work = vec![ty];
        while let Some(ty) = work.pop() {
            if ty.index() >= self.module.sizes()[0] {
                diags.push(Diag::error(MEMORY_TYPE, at).says("this type does not belong to the module"));
            } else if !std::mem::replace(&mut self.seen[ty], true) {
                self.check_one(self.module.type_of(ty), at, &mut work, diags);
            }
        }
    }

    fn check_one(&self, data: &TypeData, at: Anchor, work: &mut Vec<Type>, diags: &mut Diags) {
        let module = self.module;
        let mut error =
            |code, says: String, help: &str| diags.push(Diag::error(code, at).says(says).help(help));
        match data {
            TypeData::Void => {
                error(MEMORY_TYPE, "`void` is not a memory type".to_owned(), "use a type with a size");
            }
            TypeData::Int { width: Width::W1, .. } => {
                error(MEMORY_TYPE, "an integer cannot have 1 bit".to_owned(), "use `bool`");
            }
            TypeData::Float { width: width @ (Width::W1 | Width::W8) } => {
                let says =
                    format!("a float cannot have {}", diagnostics::count(width.bits() as usize, "bit"));
                error(MEMORY_TYPE, says, "use 16, 32 or 64 bits");
            }
            TypeData::Vector { of, components } => {
                let scalar = matches!(
                    module.type_of(*of),
                    TypeData::Bool | TypeData::Int { .. } | TypeData::Float { .. }
                );
                if !scalar || !matches!(components, 2 | 3 | 4 | 8 | 16) {
                    let says = format!(
                        "a vector cannot have {components} components of {}",
                        diagnostics::full_type(module, *of)
                    );
                    error(
                        VECTOR_TYPE,
                        says,
                        "use 2, 3, 4, 8 or 16 components of booleans, integers or floats",
                    );
                }
                if scalar {
                    work.push(*of);
                }
            }
            TypeData::Matrix { column, columns, .. } => {
                let floats = match module.type_of(*column) {
                    TypeData::Vector { of, components: 2..=4 } => {
                        matches!(module.type_of(*of), TypeData::Float { .. })
                    }
                    _ => false,
                };
                if !floats || !matches!(columns, 2..=4) {
                    let says = format!(
                        "a matrix cannot have {columns} columns of {}",
                        diagnostics::full_type(module, *column)
                    );
                    error(MATRIX_TYPE, says, "use 2, 3 or 4 columns of 2, 3 or 4 floats");
                } else {
                    work.push(*column);
                }
            }
            TypeData::Array { of, len, .. } => {
                match len {
                    Len::Count(0) => {
                        error(
                            ARRAY_LENGTH,
                            "an array has no elements".to_owned(),
                            "use a length of at least 1",
                        );
                    }
                    Len::Count(_) => {}
                    Len::Global(global) => {
                        let ty = module.global_type(*global);
                        if !matches!(ty, Some(ValueType::Bits { width, components: 1 }) if width != Width::W1)
                        {
                            let says = format!("the length {global} of an array is not a scalar integer");
                            error(ARRAY_LENGTH, says, "declare it as in `const &0: b32 = spec 8`");
                        }
                    }
                }
                if matches!(module.type_of(*of), TypeData::RuntimeArray { .. }) {
                    let says = "an array of run-time arrays has no size".to_owned();
                    error(RUNTIME_ARRAY, says, "put each run-time array into a structure");
                }
                work.push(*of);
            }
            TypeData::RuntimeArray { of, .. } => {
                if matches!(module.type_of(*of), TypeData::RuntimeArray { .. }) {
                    let says = "a run-time array of run-time arrays has no stride".to_owned();
                    error(RUNTIME_ARRAY, says, "put each run-time array into a structure");
                }
                work.push(*of);
            }
            TypeData::Struct(id) => {
                if module.structure(*id).is_none() {
                    error(
                        MEMORY_TYPE,
                        format!("the structure {id} does not exist"),
                        "declare it with `struct`",
                    );
                }
            }
            TypeData::Pointer { to, .. } => {
                if *module.type_of(*to) != TypeData::Void || to.index() >= module.sizes()[0] {
                    work.push(*to);
                }
            }
            TypeData::Image(image) | TypeData::SampledImage(image) => {
                if let Some(says) = self.odd_image(image) {
                    let help = "use a known texel format and a numeric sampled type";
                    error(IMAGE_DECLARED, says, help);
                }
            }
            TypeData::Bool | TypeData::Int { .. } | TypeData::Float { .. } => {}
            TypeData::Sampler | TypeData::AccelStruct | TypeData::RayQuery | TypeData::Opaque(_) => {}
        }
    }

    fn odd_image(&self, image: &ImageType) -> Option<String> {
        if image.format as usize >= ImageType::FORMATS.len() {
            return Some(format!("an image cannot have texel format number {}", image.format));
        }
        match self.module.type_of(image.sampled) {
            TypeData::Void | TypeData::Int { .. } | TypeData::Float { .. } => None,
            _ => {
                Some(format!("an image cannot yield {}", diagnostics::full_type(self.module, image.sampled)))
            }
        }
    }

    /// Returns true if two types are equal except for strides, offsets and signs. Structures are compared
    /// member by member.
    pub(super) fn alike(&mut self, a: Type, b: Type) -> bool {
        if a == b {
            return true;
        }
        if let Some(&known) = self.alike.get(&(a, b)) {
            return known;
        }
        let mut seen: FxHashSet<(Type, Type)> = FxHashSet::default();
        let mut work = vec![(a, b)];
        let mut alike = true;
        while let Some((a, b)) = work.pop() {
            if a != b && seen.insert((a, b)) && !self.module.alike_outside(a, b, &mut work) {
                alike = false;
                break;
            }
        }
        if alike {
            self.alike.extend(seen.into_iter().map(|pair| (pair, true)));
        }
        self.alike.insert((a, b), alike);
        alike
    }
}
