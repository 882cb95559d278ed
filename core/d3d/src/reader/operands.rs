//! Sources and destinations: swizzles, modifiers, relative addresses, masks, predicates.

use super::Reader;
use super::interface::{self, B32X4};
use super::storage::Place;
use crate::sm1::{Definition, Dst, File, Index, Modifier, Register, Src};
use vitrine_ir::Inst;
use vitrine_ir::ops::{ConvertOp, FloatBuild, IntBuild, ValueType};

impl Reader<'_> {
    /// The components of a source that belong to these components of the destination, with its modifier.
    pub(super) fn source(&mut self, src: &Src, at: &[u8]) -> Inst {
        self.row(src, 0, at)
    }

    /// A single component of a source.
    pub(super) fn scalar(&mut self, src: &Src) -> Inst {
        self.source(src, &[0])
    }

    /// The same as [`Reader::source`], of a register that is further on: a row of a matrix.
    pub(super) fn row(&mut self, src: &Src, further: u16, at: &[u8]) -> Inst {
        let value = self.plain(src, further, at);
        match src.modifier {
            Modifier::Dz | Modifier::Dw => {
                let by = if src.modifier == Modifier::Dz { 2 } else { 3 };
                let by = self.plain(src, further, &[by]);
                let by = self.cursor.widen(by, at.len() as u8);
                self.cursor.fdiv(value, by)
            }
            modifier => self.modified(value, modifier),
        }
    }

    fn plain(&mut self, src: &Src, further: u16, at: &[u8]) -> Inst {
        let components: Vec<u8> = at.iter().map(|&at| src.component(u32::from(at))).collect();
        let register = Register::new(src.register.file, src.register.number.saturating_add(further));
        if let (None, Some(&Definition::Float(words) | &Definition::Int(words))) =
            (src.index, self.survey.defined.get(&register))
        {
            let words: Vec<u32> = components.iter().map(|&at| words[usize::from(at)]).collect();
            return self.cursor.words(&words);
        }
        let value = self.register(register, src.index);
        match self.cursor.ty(value).components() {
            1 => self.cursor.widen(value, components.len() as u8),
            _ => self.cursor.swizzle(value, &components),
        }
    }

    fn modified(&mut self, value: Inst, modifier: Modifier) -> Inst {
        let cursor = &mut self.cursor;
        let components = cursor.ty(value).components();
        let half = |cursor: &mut super::cursor::Cursor<'_>| cursor.float(0.5, components);
        match modifier {
            Modifier::None | Modifier::Dz | Modifier::Dw | Modifier::Not => value,
            Modifier::Neg => cursor.fneg(value),
            Modifier::Bias | Modifier::NegBias => {
                let half = half(cursor);
                let biased = cursor.fsub(value, half);
                if modifier == Modifier::NegBias { cursor.fneg(biased) } else { biased }
            }
            Modifier::Bx2 | Modifier::NegBx2 => {
                let half = half(cursor);
                let biased = cursor.fsub(value, half);
                let doubled = cursor.fadd(biased, biased);
                if modifier == Modifier::NegBx2 { cursor.fneg(doubled) } else { doubled }
            }
            Modifier::Complement => {
                let one = cursor.float(1.0, components);
                cursor.fsub(one, value)
            }
            Modifier::X2 | Modifier::NegX2 => {
                let doubled = cursor.fadd(value, value);
                if modifier == Modifier::NegX2 { cursor.fneg(doubled) } else { doubled }
            }
            Modifier::Abs => cursor.fabs(value),
            Modifier::NegAbs => {
                let positive = cursor.fabs(value);
                cursor.fneg(positive)
            }
        }
    }

    /// The value of a register: four components, or one.
    fn register(&mut self, register: Register, index: Option<Index>) -> Inst {
        let index = index.map(|index| self.index(index, register.number));
        match register.file {
            File::Const | File::ConstInt | File::ConstBool => self.constant(register, index),
            File::Misc => self.misc(register),
            _ => match self.place(register, index) {
                Some(place) => self.cursor.read(place),
                None => match self.interface.inputs.get(&register) {
                    Some(&var) => interface::load(&mut self.cursor, var, B32X4),
                    None => {
                        self.error("D132", format!("`{}` cannot be read here", spelled(register)));
                        self.cursor.undef(B32X4)
                    }
                },
            },
        }
    }

    /// The place of a register, with the number that a relative address gives.
    fn place(&mut self, register: Register, index: Option<Inst>) -> Option<Place> {
        match index {
            None => self.interface.place(&mut self.cursor, register),
            Some(index) => {
                let &(storage, _) = self.interface.arrays.get(&register.file)?;
                Some(Place { storage, element: Some(index) })
            }
        }
    }

    /// The register number of a relative address.
    fn index(&mut self, index: Index, first: u16) -> Inst {
        let Some(place) = self.interface.place(&mut self.cursor, index.register) else {
            self.error("D132", format!("`{}` is no address", spelled(index.register)));
            return self.cursor.int(i32::from(first));
        };
        let value = self.cursor.read(place);
        let value = match self.cursor.ty(value).components() {
            1 => value,
            _ => self.cursor.component(value, index.swizzle & 3),
        };
        match first {
            0 => value,
            first => {
                let first = self.cursor.int(i32::from(first));
                self.cursor.iadd(value, first)
            }
        }
    }

    fn constant(&mut self, register: Register, index: Option<Inst>) -> Inst {
        let ty = if register.file == File::ConstBool { ValueType::B32 } else { B32X4 };
        let Some(constants) = self.interface.constants.get(&register.file) else {
            return match self.survey.defined.get(&register) {
                Some(&Definition::Float(words) | &Definition::Int(words)) => self.cursor.words(&words),
                Some(&Definition::Bool(word)) => self.cursor.words(&[word]),
                None => self.cursor.undef(ty),
            };
        };
        // Beyond the arrays a definition is all there is.
        if let (None, Some(&definition), false) =
            (index, self.survey.defined.get(&register), self.survey.is_reached(register))
        {
            return match definition {
                Definition::Float(words) | Definition::Int(words) => self.cursor.words(&words),
                Definition::Bool(word) => self.cursor.words(&[word]),
            };
        }
        let Some(at) = index else {
            let value = constants.load(&mut self.cursor, register.number, ty);
            self.name_constant(register, value);
            return value;
        };
        let mut value = constants.load_at(&mut self.cursor, at, ty);
        // A relative address also reaches the constants that the program defines.
        let defined: Vec<(Register, Definition)> =
            self.survey.defined.iter().map(|(&r, &d)| (r, d)).collect();
        let is_reached = |other: Register| other.file == register.file && self.survey.is_reached(other);
        let defined: Vec<_> = defined.into_iter().filter(|(other, _)| is_reached(*other)).collect();
        for (other, definition) in defined {
            let (Definition::Float(words) | Definition::Int(words)) = definition else { continue };
            let number = self.cursor.int(i32::from(other.number));
            let is_it = self.cursor.ieq(at, number);
            let literal = self.cursor.words(&words);
            value = self.cursor.select1(is_it, literal, value);
        }
        value
    }

    /// `vPos`: the pixel as whole numbers. `vFace`: 1 for a front face, else -1.
    fn misc(&mut self, register: Register) -> Inst {
        let Some(&var) = self.interface.inputs.get(&register) else { return self.cursor.undef(B32X4) };
        match register.number {
            0 => {
                let value = interface::load(&mut self.cursor, var, B32X4);
                let pixel = self.cursor.swizzle(value, &[0, 1]);
                let pixel = self.cursor.ffloor(pixel);
                let rest = self.cursor.swizzle(value, &[2, 3]);
                self.cursor.vec(&[pixel, rest])
            }
            _ => {
                let front = interface::load(&mut self.cursor, var, ValueType::BOOL);
                let [one, minus_one] = [1.0, -1.0].map(|value| self.cursor.float(value, 1));
                self.cursor.select1(front, one, minus_one)
            }
        }
    }

    /// A condition: a boolean constant, or a component of the predicate.
    pub(super) fn condition(&mut self, src: &Src) -> Inst {
        let value = match src.register.file {
            File::Predicate => {
                let value = self.register(src.register, None);
                self.cursor.component(value, src.component(0))
            }
            File::ConstBool => match self.survey.defined.get(&src.register) {
                Some(&Definition::Bool(word)) => self.cursor.bool(word != 0),
                _ => {
                    let word = self.constant(src.register, None);
                    let zero = self.cursor.int(0);
                    self.cursor.ine(word, zero)
                }
            },
            _ => {
                self.error(
                    "D132",
                    format!("`{}` is neither a boolean nor a predicate", spelled(src.register)),
                );
                self.cursor.bool(false)
            }
        };
        if src.modifier == Modifier::Not { self.cursor.inot(value) } else { value }
    }

    /// The predicate of an instruction for components of its destination.
    pub(super) fn predicate(&mut self, src: &Src, at: &[u8]) -> Inst {
        let value = self.register(src.register, None);
        let components: Vec<u8> = at.iter().map(|&at| src.component(u32::from(at))).collect();
        let value = self.cursor.swizzle(value, &components);
        if src.modifier == Modifier::Not { self.cursor.inot(value) } else { value }
    }

    /// Writes a result: one component for each one of the mask, or one that is repeated.
    pub(super) fn write(&mut self, dst: &Dst, value: Inst, predicate: Option<Inst>) {
        let at = components(dst.mask);
        let mut value = self.cursor.widen(value, at.len() as u8);
        if dst.shift != 0 {
            let factor = self.cursor.float(f32::from(dst.shift).exp2(), at.len() as u8);
            value = self.cursor.fmul(value, factor);
        }
        if dst.saturate {
            value = self.cursor.fsat(value);
        }
        let index = dst.index.map(|index| self.index(index, dst.register.number));
        let Some(place) = self.place(dst.register, index) else {
            self.error("D133", format!("`{}` cannot be written here", spelled(dst.register)));
            return;
        };
        let count = place.storage.ty().components();
        if let Some(predicate) = predicate {
            let old = self.cursor.read(place);
            let old = self.cursor.swizzle(old, &at);
            value = self.cursor.select(predicate, value, old);
        }
        // Components outside of the mask are not written: any value will do.
        let spread: Vec<u8> =
            (0..count).map(|to| at.iter().position(|&from| from == to).unwrap_or(0) as u8).collect();
        let value = self.cursor.swizzle(value, &spread);
        self.cursor.write(place, value, dst.mask);
    }

    /// A float as an address.
    pub(super) fn address(&mut self, value: Inst) -> Inst {
        self.cursor.convert(ConvertOp::F2I, value)
    }

    /// Names a constant as the table of constants does.
    fn name_constant(&mut self, register: Register, value: Inst) {
        if let Some(name) = self.names.get(&register) {
            let name = name.clone();
            self.cursor.name(value, &name);
        }
    }
}

/// The components of a mask in order.
pub(super) fn components(mask: u8) -> Vec<u8> {
    (0..4).filter(|at| mask >> at & 1 != 0).collect()
}

/// The spelling of a register.
pub(super) fn spelled(register: Register) -> String {
    let mut name = String::new();
    register.spell(&mut name);
    name
}
