//! Sampling and image access: assigns roles to operands.

use super::func::FuncDecoder;
use crate::micro_op::TexCode;
use crate::micro_op::{Arg, Opcode};
use vitrine_ir::ops::{Dim, Key, Role, TexOp, ValueType};
use vitrine_ir::{Diag, Inst};

impl FuncDecoder<'_, '_> {
    pub(super) fn tex(&mut self, op: TexOp, inst: Inst) -> Result<(), Diag> {
        let data = self.body.inst(inst);
        let args: Vec<Arg> = data.args.iter().map(|&arg| self.handle(arg)).collect::<Result<_, _>>()?;
        let what = match op {
            TexOp::Combine => Opcode::Combine,
            TexOp::ImageOf => Opcode::ImageOf,
            TexOp::Resident => {
                // All texels are resident: the code of a sparse access is 0.
                let yes = self.cx.constant(&[1])?;
                let vreg = Arg { slot: yes, width: vitrine_ir::ops::Width::W1, parts: 1 };
                self.moves(inst, &[vreg]);
                return Ok(());
            }
            TexOp::Sample
            | TexOp::SampleLod
            | TexOp::Fetch
            | TexOp::Gather
            | TexOp::QuerySize
            | TexOp::QueryLod
            | TexOp::QueryLevels
            | TexOp::QuerySamples
            | TexOp::Read
            | TexOp::Write => {
                let roles: Vec<Role> = match data.attrs.get(Key::Roles) {
                    Some(packed) => Role::unpack(packed).collect(),
                    None => vec![Role::Image],
                };
                if roles.len() != args.len() {
                    return Err(self.cannot(inst, "the number of operands differs from the number of roles"));
                }
                self.code.texes.push(TexCode {
                    op,
                    dim: data.attrs.word().unwrap_or(Dim::D2),
                    arrayed: data.attrs.has(Key::Arrayed),
                    sparse: data.attrs.has(Key::Sparse),
                    roles: roles.into_iter().zip(args.iter().copied()).collect(),
                });
                Opcode::Tex((self.code.texes.len() - 1) as u32)
            }
        };
        self.emit(what, inst, &args);
        Ok(())
    }

    /// An operand as a handle: a path or a pointer to a resource is loaded first.
    fn handle(&mut self, operand: Inst) -> Result<Arg, Diag> {
        let arg = self.arg(operand);
        match self.body.ty(operand) {
            ValueType::Path | ValueType::Ptr => {
                let slot = self.temporary()?;
                let width = vitrine_ir::ops::Width::W64;
                self.push(Opcode::Load { bytes: 8, step: 8 }, Some(operand), slot, 1, width, &[arg]);
                Ok(Arg { slot, width, parts: 1 })
            }
            ValueType::Bits { .. } | ValueType::Handle | ValueType::Void => Ok(arg),
        }
    }

    pub(super) fn texel(&mut self, inst: Inst) -> Result<(), Diag> {
        let data = self.body.inst(inst);
        let args: Vec<Arg> = data.args.iter().map(|&arg| self.handle(arg)).collect::<Result<_, _>>()?;
        self.code.texes.push(TexCode {
            op: TexOp::Read,
            dim: Dim::D2,
            arrayed: false,
            sparse: false,
            roles: [Role::Image, Role::Coord, Role::Sample].into_iter().zip(args.iter().copied()).collect(),
        });
        let number = (self.code.texes.len() - 1) as u32;
        self.emit(Opcode::Texel(number), inst, &args);
        Ok(())
    }
}
