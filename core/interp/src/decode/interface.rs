//! Inputs, outputs and system values without variables, and termination of invocations.

use super::func::FuncDecoder;
use super::{Decoder, VarCode};
use crate::inputs::Slot;
use crate::io::{InterpolateAt, IoCode};
use crate::memory::RootKind;
use crate::micro_op::Opcode;
use vitrine_ir::base::EntityId;
use vitrine_ir::layout::scalar_bytes;
use vitrine_ir::ops::{Builtin, Interp, IoOp, Key, Width};
use vitrine_ir::{Diag, Inst, Mode};

impl FuncDecoder<'_, '_> {
    pub(super) fn io(&mut self, op: IoOp, inst: Inst) -> Result<(), Diag> {
        let data = self.body.inst(inst);
        let args = self.args(inst);
        let number = |key| data.attrs.get(key).unwrap_or(0) as u32;
        let (location, component, index) =
            (number(Key::Location), number(Key::Component), number(Key::Index));
        let builtin = data.attrs.word().unwrap_or(Builtin::Position);
        let mask = data.attrs.get(Key::Mask).unwrap_or(0xffff) as u16;
        let offset = data.attrs.get(Key::Offset).map_or(0, |offset| i64::from(offset as u32 as i32));
        let bytes = |width: Option<Width>| scalar_bytes(width.unwrap_or_default()) as u8;
        let code = match op {
            IoOp::Input | IoOp::InputAt => IoCode::Input { location, component },
            IoOp::Output | IoOp::OutputAt => IoCode::Output { location, component, index, mask },
            IoOp::OutputRead => IoCode::OutputRead { location, component, index },
            IoOp::BuiltIn | IoOp::BuiltInAt => IoCode::BuiltIn { builtin },
            IoOp::SetBuiltIn | IoOp::SetBuiltInAt => IoCode::SetBuiltIn { builtin, mask },
            IoOp::Push => {
                let var = self.cx.bound(Mode::Push, None);
                IoCode::Push { var, offset, bytes: bytes(data.ty.width()) }
            }
            IoOp::Ubo | IoOp::Ssbo => {
                let mode = if op == IoOp::Ubo { Mode::Uniform } else { Mode::Storage };
                let var = self.cx.bound(mode, Some((number(Key::Set), number(Key::Binding))));
                IoCode::Buffer { var, offset, bytes: bytes(data.ty.width()) }
            }
            IoOp::SetSsbo => {
                let var = self.cx.bound(Mode::Storage, Some((number(Key::Set), number(Key::Binding))));
                IoCode::SetBuffer { var, offset, bytes: bytes(self.body.ty(data.args[0]).width()), mask }
            }
            IoOp::InterpCentroid => self.interpolate(inst, InterpolateAt::Centroid),
            IoOp::InterpSample => self.interpolate(inst, InterpolateAt::Sample),
            IoOp::InterpOffset => self.interpolate(inst, InterpolateAt::Offset),
            IoOp::DiscardIf => IoCode::Discard,
            IoOp::TerminateIf => IoCode::Terminate,
            IoOp::Demote | IoOp::DemoteIf => IoCode::Demote,
            IoOp::IsHelper => IoCode::IsHelper,
            IoOp::Clock => IoCode::Clock,
            IoOp::InterlockBegin | IoOp::InterlockEnd => IoCode::Nothing,
            IoOp::InputVertex => IoCode::InputVertex { location, component },
            IoOp::OutputVertex => {
                let primitive = data.attrs.words::<Interp>().has(Interp::PER_PRIMITIVE);
                IoCode::OutputVertex { location, component, mask, primitive }
            }
            IoOp::EmitVertex => IoCode::EmitVertex { stream: number(Key::Stream) },
            IoOp::EndPrimitive => IoCode::EndPrimitive { stream: number(Key::Stream) },
            IoOp::SetMeshOutputs => IoCode::SetMeshOutputs,
        };
        self.code.ios.push(code);
        let number = (self.code.ios.len() - 1) as u32;
        self.emit(Opcode::Io(number), inst, &args);
        Ok(())
    }

    fn interpolate(&self, inst: Inst, at: InterpolateAt) -> IoCode {
        let path = self.body.inst(inst).args.first().and_then(|&path| self.spots[path]);
        let width = self.body.ty(inst).width().unwrap_or_default();
        let step = path.map_or(0, |spot| spot.step);
        IoCode::Interpolate { at, step: if step == 0 { scalar_bytes(width) as u32 } else { step } }
    }
}

impl Decoder<'_> {
    /// The buffer of this mode with this set and binding (push constants: none), by number in the program. If
    /// passes left no variable for it, it is taken from the inputs.
    fn bound(&mut self, mode: Mode, slot: Option<Slot>) -> u32 {
        let known = self.program.vars.iter_mut().enumerate();
        let mut known = known.filter(|(_, var)| var.mode == mode && var.slot == slot && var.first == 0);
        if let Some((number, var)) = known.next() {
            var.used = true;
            return number as u32;
        }
        let given = slot.and_then(|slot| self.inputs.buffers.get(&slot));
        let count = given.map_or(1, |list| list.len().max(1)) as u32;
        let root = self.roots;
        self.roots += count;
        self.program.vars.push(VarCode {
            var: EntityId::from_index(usize::MAX),
            ty: EntityId::from_index(usize::MAX),
            mode,
            kind: if mode == Mode::Storage { RootKind::Buffer } else { RootKind::Constant },
            slot,
            first: 0,
            root,
            count,
            bytes: 0,
            init: Vec::new(),
            used: true,
        });
        (self.program.vars.len() - 1) as u32
    }
}
