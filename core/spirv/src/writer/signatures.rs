//! Signatures: the types of parameters and results, shared by a function and its callers.

use super::diagnostics::NO_TYPE;
use super::module::Writer;
use super::shared::{MemoryPlace, Scalar, Signature, scalar_of_hint};
use crate::spec::Op as S;
use std::rc::Rc;
use vitrine_analysis::{TypeHint, Types};
use vitrine_ir::base::EntityId;
use vitrine_ir::ops::{Key, ValueType, Width};
use vitrine_ir::{Anchor, Diag, Func, FuncBody, Mode, Terminator, Type};

impl Writer<'_> {
    /// The type and storage class of a path that a function returns.
    pub(super) fn result_place(&self, func: Func) -> Option<MemoryPlace> {
        let attrs = self.module.func(func)?.attrs();
        let ty: Type = EntityId::from_index(attrs.get(Key::Type)? as usize);
        let mode = Mode::from_number(attrs.get(Key::Mode)?)?;
        Some(MemoryPlace { ty, class: self.class(mode, ty) })
    }

    /// Returns the signature of a function.
    pub(super) fn signature(&mut self, func: Func) -> Result<Rc<Signature>, Diag> {
        if let Some(known) = self.signatures.get(&func) {
            return Ok(known.clone());
        }
        let refuse = |message: &str, help: &str| {
            let at = Anchor::Func(func);
            Err(Diag::error(NO_TYPE, at).names(func, at).says(message).help(help))
        };
        let Some(body) = self.module.func(func) else { return refuse("is not declared", "declare it") };
        let types = self.cx.get::<Types>(self.module, func);
        let (mut params, mut scalars) = (Vec::new(), Vec::new());
        for &param in body.params() {
            let data = body.inst(param);
            let full: Option<Type> = data.entity(Key::Type);
            let mut scalar = Scalar::Uint;
            params.push(match (data.ty, full) {
                (ty @ ValueType::Bits { width, .. }, _) => {
                    scalar = scalar_of_hint(types.hint(param), width);
                    match self.value_type(scalar, ty) {
                        Some(ty) => ty,
                        None => {
                            return refuse(
                                "has a parameter without a type",
                                "use numbers of 1 to 4 components",
                            );
                        }
                    }
                }
                (ValueType::Path, Some(full)) => {
                    let mode = data.attrs.word::<Mode>();
                    let Some(mode) = mode else {
                        return refuse("has a path parameter without a mode", "declare it: `{mode …}`");
                    };
                    self.pointer_to(self.class(mode, full), full)?
                }
                (ValueType::Handle, Some(full)) => self.ty(full)?,
                _ => return refuse("has a parameter whose full type is not known", "declare it: `{type …}`"),
            });
            scalars.push(scalar);
        }
        let mut result_scalar = Scalar::Uint;
        let result = match body.result() {
            ValueType::Void => self.intern(S::TypeVoid, &[]),
            ty @ ValueType::Bits { width, .. } => {
                result_scalar = result_hint(body, &types, width);
                match self.value_type(result_scalar, ty) {
                    Some(ty) => ty,
                    None => return refuse("has a result without a type", "use numbers of 1 to 4 components"),
                }
            }
            ValueType::Path => match self.result_place(func) {
                Some(place) => self.pointer_to(place.class, place.ty)?,
                None => return refuse("returns a path of unknown type", "declare it: `{type …, mode …}`"),
            },
            ValueType::Handle | ValueType::Ptr => match body.attrs().get(Key::Type) {
                Some(full) => self.ty(EntityId::from_index(full as usize))?,
                None => return refuse("returns a handle of unknown type", "declare it: `{type …}`"),
            },
        };
        let words: Vec<u32> = [result].iter().chain(&params).copied().collect();
        let ty = self.intern(S::TypeFunction, &words);
        let signature = Rc::new(Signature { params, scalars, result, result_scalar, ty });
        self.signatures.insert(func, signature.clone());
        Ok(signature)
    }
}

/// The kind of number a function returns: the first known kind among its returned values.
fn result_hint(body: &FuncBody, types: &Types, width: Width) -> Scalar {
    let returned = body.blocks_in_order().into_iter().filter_map(|block| match body.terminator(block) {
        Terminator::Return(value) => *value,
        _ => None,
    });
    let hints: Vec<_> = returned.map(|value| types.hint(value)).collect();
    let stated = hints.iter().find(|&&hint| hint != TypeHint::Unknown);
    scalar_of_hint(stated.copied().unwrap_or_default(), width)
}
