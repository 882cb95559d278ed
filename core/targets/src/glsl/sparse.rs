//! Lookups that also yield whether their texels are resident, and lookups with a least level of detail
//! (GL_ARB_sparse_texture2, GL_ARB_sparse_texture_clamp).
//!
//! A lookup is a statement: it returns the code of the residency and stores the texel. Refuses a texel that is used
//! outside of its block, and lookups that divide by a component of the coordinate.

use crate::expr::{Expr, Token, space};
use crate::func::{FuncWriter, Role, Slot};
use crate::number::{Kind, NumberType};
use crate::plan::Emission;
use crate::stmt::Stmt;
use vitrine_ir::Inst;
use vitrine_ir::ops::Key;
use vitrine_text::{Class, Link};

impl FuncWriter<'_, '_> {
    /// The extension of the functions with a least level of detail.
    pub(super) fn glsl_takes_least(&mut self) {
        self.w.extensions.insert("GL_ARB_sparse_texture_clamp");
    }

    /// Writes a lookup by a function of this name: with its residency if the instruction yields that. `args` come before the
    /// texel that it stores, `after` follow.
    pub(super) fn glsl_lookup(
        &mut self,
        inst: Inst,
        name: String,
        mut args: Vec<Expr>,
        after: Vec<Expr>,
        ty: NumberType,
    ) {
        if !self.body.inst(inst).attrs.has(Key::Sparse) {
            args.extend(after);
            let expr = self.call(inst, name, args, ty);
            let expr = self.texel(inst, expr);
            return self.define(inst, expr);
        }
        if self.plan.emission(inst) == Emission::Dead {
            return;
        }
        if self.declaration_sites.is_hoisted(inst) {
            return self.refuse(inst, "its residency is used outside of its block", "");
        }
        self.w.extensions.insert("GL_ARB_sparse_texture2");
        let texel = self.names.fresh("texel", "texel");
        let tokens = self.declaration((&texel, Link::None), Role::Variable, ty, inst, false, None);
        self.push(Stmt::Simple { tokens, declares: Some(texel.clone()), assigns: None });
        let texel = Expr::atom(Token::linked(Class::Value, texel, self.anchor(inst)), ty);
        args.push(texel.clone());
        args.extend(after);
        let int = NumberType::scalar(Kind::Int);
        let call = self.call(inst, sparse_name(&name), args, int);
        let residency = self.names.fresh("residency", "residency");
        let mut tokens = vec![Token::new(Class::Type, "int"), space()];
        tokens.push(Token { text: residency.clone().into(), class: Class::Name, link: Link::None });
        tokens.extend([space(), Token::linked(Class::Op, "=", self.anchor(inst)), space()]);
        tokens.extend(call.tokens);
        self.push(Stmt::Simple { tokens, declares: Some(residency.clone()), assigns: None });
        let residency = Expr::atom(Token::linked(Class::Value, residency, self.anchor(inst)), int);
        self.slots[inst] = Slot::Each(texel);
        self.residencies.insert(inst, residency);
    }

    /// The components that a swizzle selects of a texel with its residency. `None` if `from` is no such texel.
    pub(super) fn glsl_residency(
        &mut self,
        inst: Inst,
        from: Inst,
        list: &[u8],
        ty: NumberType,
    ) -> Option<Expr> {
        let residency = self.residencies.get(&from).cloned()?;
        // It is the last component.
        let last = self.body.ty(from).components().saturating_sub(1);
        if list == [last] {
            // Its uses cast it.
            return Some(residency);
        }
        if list.contains(&last) {
            self.refuse(inst, "it mixes a texel with its residency", "");
        }
        let texel = self.value_as(from, ty.kind);
        if texel.ty.components == 1 {
            // A comparison yields one number for every component.
            let parts = vec![texel; list.len().clamp(1, 4)];
            return Some(match parts.len() {
                1 => parts.into_iter().next()?,
                _ => self.construct(inst, ty, parts),
            });
        }
        Some(self.components(inst, texel, list, ty))
    }

    /// Writes the test of a residency.
    pub(super) fn glsl_resident(&mut self, inst: Inst) {
        let Some(&code) = self.body.inst(inst).args.first() else { return };
        self.w.extensions.insert("GL_ARB_sparse_texture2");
        let code = self.value_as(code, Kind::Int);
        let expr = self.call(inst, "sparseTexelsResidentARB", vec![code], NumberType::BOOL);
        self.define(inst, expr);
    }
}

/// The name of a lookup with residency: `textureLod` is `sparseTextureLodARB`.
fn sparse_name(name: &str) -> String {
    let name = name.strip_suffix("ARB").unwrap_or(name);
    let mut chars = name.chars();
    let first = chars.next().map(|first| first.to_ascii_uppercase());
    format!("sparse{}{}ARB", first.map(String::from).unwrap_or_default(), chars.as_str())
}
