//! Raw instructions, written back unchanged.
//!
//! `words` holds pairs of index and word. The operands take the indices between, in order. A string is
//! written at the index that the grammar gives. Pairs from index `MEANT` on hold the kinds of numbers of
//! operands.

use super::diagnostics::{NO_INSTRUCTION, NO_TYPE};
use super::function::FunctionWriter;
use super::shared::{Scalar, Slot};
use super::words::string_words;
use crate::spec::Op as S;
use crate::{Kind, op as info_of};
use vitrine_ir::ops::{Key, RAW_MEANT as MEANT, ValueType};
use vitrine_ir::{Diag, Inst, Type};

impl FunctionWriter<'_, '_> {
    /// Writes a raw instruction.
    pub(super) fn raw(&mut self, inst: Inst) -> Result<(), Diag> {
        let data = self.body.inst(inst);
        let opcode = data.attrs.get(Key::Opcode).and_then(|opcode| u16::try_from(opcode).ok()).unwrap_or(0);
        let (Some(op), Some(info)) = (S::from_u32(u32::from(opcode)), info_of(opcode)) else {
            let message = format!("has opcode {opcode}, which is unknown");
            return Err(self.refuse(NO_INSTRUCTION, inst, message, "use an opcode of SPIR-V"));
        };
        let pairs = data.attrs.get(Key::Words).map_or(&[][..], |blob| {
            self.writer.module.blob_of(vitrine_ir::base::EntityId::from_index(blob as usize))
        });
        let (said_of_operands, literals): (Vec<_>, Vec<_>) =
            pairs.chunks_exact(2).map(|pair| (pair[0], pair[1])).partition(|&(place, _)| place >= MEANT);
        let mut literals = literals.into_iter().peekable();
        let stated = data.attrs.get(Key::Text).map(|of| {
            self.writer.module.text_of(vitrine_ir::base::EntityId::from_index(of as usize)).to_owned()
        });
        let mut args = (0..).zip(data.args.iter());
        let mut words = Vec::new();
        let mut place = 0;
        let string_at = match (&stated, op) {
            (Some(set), S::ExtInst | S::ExtInstWithForwardRefsKHR) => {
                words.push(self.writer.import(set));
                place = 1;
                None
            }
            (Some(_), _) => info.operands.iter().position(|operand| operand.kind == Kind::LiteralString),
            (None, _) => None,
        };
        loop {
            if string_at == Some(place as usize)
                && let Some(stated) = &stated
            {
                let string = string_words(stated);
                place += string.len() as u32;
                words.extend(string);
                continue;
            }
            match literals.next_if(|&(at, _)| at <= place) {
                Some((_, word)) => words.push(word),
                None => match args.next() {
                    Some((number, &arg)) => words.push(self.raw_operand(arg, number, &said_of_operands)?),
                    // Indices of literals after a string count the words of the string in the input.
                    None => match literals.next() {
                        Some((_, word)) => words.push(word),
                        None => break,
                    },
                },
            }
            place += 1;
        }
        if !(info.has_type && info.has_result) {
            self.code.inst(op, &words);
            return Ok(());
        }
        self.raw_result(inst, op, &words)
    }

    fn raw_operand(&mut self, arg: Inst, number: u32, stated: &[(u32, u32)]) -> Result<u32, Diag> {
        let meant =
            stated.iter().find(|&&(place, _)| place == MEANT + number).and_then(|&(_, word)| match word {
                0 => Some(Scalar::Uint),
                1 => Some(Scalar::Int),
                2 => Some(Scalar::Float),
                _ => None,
            });
        match (self.body.ty(arg), meant) {
            (ValueType::Bits { .. }, Some(scalar)) => self.id_as(arg, scalar),
            _ => self.id(arg),
        }
    }

    fn raw_result(&mut self, inst: Inst, op: S, words: &[u32]) -> Result<(), Diag> {
        let data = self.body.inst(inst);
        let full: Option<Type> = data.entity(Key::Type);
        match (data.ty, full) {
            (ValueType::Void, _) => {
                let void = self.writer.intern(S::TypeVoid, &[]);
                self.emit(op, void, words);
            }
            (ValueType::Bits { .. }, full) => {
                let scalar = full
                    .and_then(|full| self.writer.scalar_of(full))
                    .unwrap_or_else(|| self.scalar_hint(inst));
                self.define_bits(inst, op, scalar, words)?;
            }
            (ValueType::Path, _) => {
                let place = self.declared_place(inst)?;
                let ty = self.pointer_to(place)?;
                self.define_whole(inst, op, ty, words);
            }
            (_, Some(full)) => {
                let ty = self.writer.ty(full)?;
                self.handles.insert(inst, full);
                // A constant is declared outside of functions.
                if matches!(op, S::ConstantNull | S::ConstantSampler) {
                    let id = self.writer.typed(op, ty, words);
                    self.set(inst, Slot::Whole { id, ty });
                    return Ok(());
                }
                self.define_whole(inst, op, ty, words);
            }
            (_, None) => {
                return Err(self.refuse(
                    NO_TYPE,
                    inst,
                    "does not declare its full type",
                    "declare it: `{type …}`",
                ));
            }
        }
        Ok(())
    }
}
