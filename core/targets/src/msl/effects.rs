//! MSL: images, atomics, barriers and system values, as the engine asks about them.

use super::Msl;
use crate::dialect::Effects;
use crate::func::FuncWriter;
use crate::number::NumberType;
use crate::paths::PathText;
use vitrine_ir::Inst;
use vitrine_ir::ops::{GroupOp, IoOp, MemoryOp, TexOp};

impl Effects for Msl {
    fn group_function(&self, f: &mut FuncWriter<'_, '_>, inst: Inst, op: GroupOp) -> Option<String> {
        f.msl_group_function(inst, op)
    }

    fn group_call(&self, f: &mut FuncWriter<'_, '_>, inst: Inst, op: GroupOp, name: String) {
        f.msl_group_call(inst, op, name);
    }

    fn interface_operation(&self, f: &mut FuncWriter<'_, '_>, inst: Inst, op: IoOp) {
        f.msl_interface(inst, op);
    }

    fn image_operation(&self, f: &mut FuncWriter<'_, '_>, inst: Inst, op: TexOp) {
        f.msl_image(inst, op);
    }

    fn memory_atomic(
        &self,
        f: &mut FuncWriter<'_, '_>,
        inst: Inst,
        op: MemoryOp,
        text: PathText,
        ty: NumberType,
    ) {
        f.msl_atomic(inst, op, text, ty);
    }

    fn texel_atomic(&self, f: &mut FuncWriter<'_, '_>, inst: Inst, op: MemoryOp, pointer: Inst) {
        f.msl_texel_atomic(inst, op, pointer);
    }
}
