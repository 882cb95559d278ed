//! Operands of image operations by role, to be read, changed and written back.
//!
//! Works on one instruction; the validator checks which operands an operation accepts.

use vitrine_ir::ops::{Dim, Key, Op, Role, TexOp};
use vitrine_ir::{Args, Inst, InstData};

/// The operands of an image operation, each with its role, in order.
pub(crate) struct Roles(Vec<(Role, Inst)>);

impl Roles {
    /// The operands of an instruction; none for instructions without roles.
    pub(crate) fn of(data: &InstData) -> Option<Roles> {
        let roles = Role::unpack(data.attrs.get(Key::Roles)?);
        Some(Roles(roles.zip(data.args.iter().copied()).collect()))
    }

    /// The operand of a role.
    pub(crate) fn get(&self, role: Role) -> Option<Inst> {
        self.0.iter().find(|(known, _)| *known == role).map(|&(_, inst)| inst)
    }

    /// Returns true if there is an operand of this role.
    pub(crate) fn has(&self, role: Role) -> bool {
        self.get(role).is_some()
    }

    /// Sets the operand of a role; a new one goes after all others.
    pub(crate) fn set(&mut self, role: Role, inst: Inst) {
        match self.0.iter_mut().find(|(known, _)| *known == role) {
            Some((_, old)) => *old = inst,
            None => self.0.push((role, inst)),
        }
    }

    /// Sets the sampler; a new one goes directly after the image.
    pub(crate) fn set_sampler(&mut self, inst: Inst) {
        if self.has(Role::Sampler) || self.0.is_empty() {
            return self.set(Role::Sampler, inst);
        }
        self.0.insert(1, (Role::Sampler, inst));
    }

    /// Removes an operand.
    pub(crate) fn take(&mut self, role: Role) -> Option<Inst> {
        let found = self.get(role)?;
        self.0.retain(|(known, _)| *known != role);
        Some(found)
    }

    /// An instruction with these operands, otherwise equal to `like`.
    pub(crate) fn put(&self, op: TexOp, like: &InstData) -> InstData {
        let roles: Vec<Role> = self.0.iter().map(|&(role, _)| role).collect();
        let args: Vec<Inst> = self.0.iter().map(|&(_, inst)| inst).collect();
        let data = InstData { op: Op::Tex(op), args: Args::new(&args), ..like.clone() };
        data.with(Key::Roles, Role::pack(&roles))
    }
}

/// The dimension of an image operation; none if it states none.
pub(crate) fn dim(data: &InstData) -> Option<Dim> {
    data.attrs.word()
}

/// The number of coordinate components of an image operation, without the array layer.
pub(crate) fn plane(data: &InstData) -> u8 {
    dim(data).map_or(2, |dim| dim.axes() as u8)
}
