//! Rays: what the languages that have them share. Acceleration structures, parts of answers, locations of payloads.

use super::expr::{Token, call};
use super::func::FuncWriter;
use super::module::ModuleWriter;
use super::number::Kind;
use super::operands::EXTRACT;
use vitrine_ir::ops::{BasicOp, Key, MemoryOp, Op, SpirvOp, ValueType};
use vitrine_ir::{Inst, Mode, Var};
use vitrine_text::Class;

/// An acceleration structure by its address.
pub(super) const FROM_BITS: u64 = 4447;

impl FuncWriter<'_, '_> {
    /// An acceleration structure: a resource, or an address.
    pub(super) fn accel_struct(&mut self, handle: Inst) -> Option<Vec<Token>> {
        let data = self.body.inst(handle);
        match data.op {
            Op::Memory(MemoryOp::Load) | Op::Basic(BasicOp::Copy) => {
                let &from = data.args.first()?;
                match self.body.ty(from) {
                    ValueType::Path => Some(self.path(from)?.tokens),
                    _ => self.accel_struct_once(from),
                }
            }
            Op::Basic(BasicOp::Param) => Some(self.path(handle)?.tokens),
            Op::Spirv(SpirvOp::Raw) if data.attrs.get(Key::Opcode) == Some(FROM_BITS) => {
                let &bits = data.args.first()?;
                let bits = self.value_as(bits, Kind::Uint);
                let ty = bits.ty;
                let name = Token::linked(Class::Type, "accelerationStructureEXT", self.anchor(handle));
                Some(call(name, [bits], ty).tokens)
            }
            _ => {
                self.refuse(handle, "it is a resource that is computed", "");
                None
            }
        }
    }

    /// A resource that was copied: from a path.
    fn accel_struct_once(&mut self, handle: Inst) -> Option<Vec<Token>> {
        let data = self.body.inst(handle);
        match (data.op, data.args.first()) {
            (Op::Memory(MemoryOp::Load), Some(&from)) => Some(self.path(from)?.tokens),
            _ => {
                self.refuse(handle, "it is a resource that is computed", "");
                None
            }
        }
    }

    /// Returns true if nothing between two instructions of the block that is written changes a ray query.
    pub(super) fn follows_at_once(&self, first: Inst, second: Inst) -> bool {
        let Some(block) = self.block else { return false };
        let insts = &self.body.block(block).insts;
        let mut between = insts.iter().skip_while(|&&at| at != first).skip(1).take_while(|&&at| at != second);
        insts.contains(&first)
            && between.all(|&at| {
                let data = self.body.inst(at);
                data.op.props().removable() || data.attrs.get(Key::Opcode) == Some(EXTRACT)
            })
    }
}

impl ModuleWriter<'_> {
    /// The location of a payload: the one that it states, else the first that no other of its kind has, incoming or not.
    pub(super) fn payload_location(&self, var: Var) -> u64 {
        let class = |var: Var| {
            self.module.var(var).and_then(|data| data.attrs.get(Key::Class)).map(|class| match class {
                5342 => 5338,
                5329 => 5328,
                class => class,
            })
        };
        let location = |var: Var| self.module.var(var).and_then(|data| data.attrs.get(Key::Location));
        if let Some(stated) = location(var) {
            return stated;
        }
        let others: Vec<Var> = self
            .module
            .vars()
            .filter(|&(other, data)| {
                matches!(data.mode, Mode::Payload | Mode::Callable) && class(other) == class(var)
            })
            .map(|(other, _)| other)
            .collect();
        let mut used: Vec<u64> = others.iter().filter_map(|&other| location(other)).collect();
        for other in others.into_iter().filter(|&other| location(other).is_none()) {
            let free = (0..).find(|number| !used.contains(number)).unwrap_or(0);
            if other == var {
                return free;
            }
            used.push(free);
        }
        0
    }
}
