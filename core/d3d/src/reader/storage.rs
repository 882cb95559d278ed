//! Registers of the program as registers of the IR, or as private variables if subroutines share them.

use super::cursor::Cursor;
use vitrine_ir::base::EntityId;
use vitrine_ir::ops::{BasicOp, DerefOp, Key, MemoryOp, RegOp, ValueType, Width};
use vitrine_ir::{Inst, Reg};
use vitrine_ir::{InstData, Mode, RegData, Type, Var, VarData};

/// A register, or a number of registers that relative addresses index.
#[derive(Clone, Copy, Debug)]
pub(super) enum Storage {
    /// A register of the function.
    Reg(Reg, ValueType),
    /// A private variable.
    Var(Var, ValueType),
}

/// A register, or an element of several.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    /// The storage.
    pub(super) storage: Storage,
    /// The index of the register in it; none if it is a single one.
    pub(super) element: Option<Inst>,
}

impl Storage {
    /// The type of one register.
    pub(super) fn ty(self) -> ValueType {
        let (Storage::Reg(_, ty) | Storage::Var(_, ty)) = self;
        ty
    }

    /// The place of a storage without elements.
    pub(super) fn place(self) -> Place {
        Place { storage: self, element: None }
    }
}

impl Cursor<'_> {
    /// Declares a register of the function.
    pub(super) fn add_reg(&mut self, name: &str, ty: ValueType, len: u32) -> Storage {
        let id = Reg::from_index(self.regs);
        self.regs += 1;
        let data = RegData {
            name: Some(self.module.text(name)),
            width: ty.width().unwrap_or(Width::W32),
            components: ty.components(),
            len,
        };
        self.asm.put_reg(id, data);
        Storage::Reg(id, ty)
    }

    /// Declares a private variable of the module.
    pub(super) fn add_private(&mut self, name: &str, full: Type, ty: ValueType) -> Storage {
        let name = Some(self.module.text(name));
        let data = VarData {
            name,
            ty: full,
            mode: Mode::Private,
            owner: None,
            init: None,
            attrs: Default::default(),
        };
        Storage::Var(self.module.add_var(data), ty)
    }

    /// Reads a register.
    pub(super) fn read(&mut self, place: Place) -> Inst {
        match (place.storage, place.element) {
            (Storage::Reg(reg, ty), None) => {
                self.add(InstData::new(RegOp::Load, ty, &[]).with(Key::Reg, reg.index() as u64))
            }
            (Storage::Reg(reg, ty), Some(index)) => {
                self.add(InstData::new(RegOp::LoadAt, ty, &[index]).with(Key::Reg, reg.index() as u64))
            }
            (Storage::Var(var, ty), element) => {
                let path = self.path(var, element);
                self.add(InstData::new(MemoryOp::Load, ty, &[path]))
            }
        }
    }

    /// Writes components of a register: bit `i` of the mask is component `i`.
    pub(super) fn write(&mut self, place: Place, value: Inst, mask: u8) {
        let all = (1u32 << place.storage.ty().components()) - 1;
        let masked = |data: InstData| match u32::from(mask) & all == all {
            true => data,
            false => data.with(Key::Mask, u64::from(u32::from(mask) & all)),
        };
        let data = match (place.storage, place.element) {
            (Storage::Reg(reg, _), None) => {
                InstData::new(RegOp::Store, ValueType::Void, &[value]).with(Key::Reg, reg.index() as u64)
            }
            (Storage::Reg(reg, _), Some(index)) => {
                InstData::new(RegOp::StoreAt, ValueType::Void, &[index, value])
                    .with(Key::Reg, reg.index() as u64)
            }
            (Storage::Var(var, _), element) => {
                let path = self.path(var, element);
                InstData::new(MemoryOp::Store, ValueType::Void, &[path, value])
            }
        };
        self.add(masked(data));
    }

    /// The path to a variable, or to an element of it.
    pub(super) fn path(&mut self, var: Var, element: Option<Inst>) -> Inst {
        let path = InstData::new(DerefOp::Var, ValueType::Path, &[]).with(Key::Var, var.index() as u64);
        let path = self.add(path);
        match element {
            None => path,
            Some(index) => self.add(InstData::new(DerefOp::Elem, ValueType::Path, &[path, index])),
        }
    }

    /// An arbitrary value.
    pub(super) fn undef(&mut self, ty: ValueType) -> Inst {
        self.add(InstData::new(BasicOp::Undef, ty, &[]))
    }
}
