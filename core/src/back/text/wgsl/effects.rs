//! WGSL: images, atomics, barriers and system values, as the engine asks about them.

use super::Wgsl;
use crate::back::text::dialect::Effects;
use crate::back::text::func::FuncWriter;
use crate::back::text::number::NumberType;
use crate::back::text::paths::PathText;
use crate::ir::Inst;
use crate::ops::{GroupOp, IoOp, MemoryOp, TexOp};

impl Effects for Wgsl {
    fn group_function(&self, f: &mut FuncWriter<'_, '_>, inst: Inst, op: GroupOp) -> Option<String> {
        f.wgsl_group_function(inst, op)
    }

    fn group_call(&self, f: &mut FuncWriter<'_, '_>, inst: Inst, op: GroupOp, name: String) {
        f.wgsl_group_call(inst, op, name);
    }

    fn interface_operation(&self, f: &mut FuncWriter<'_, '_>, inst: Inst, op: IoOp) {
        f.wgsl_interface(inst, op);
    }

    fn image_operation(&self, f: &mut FuncWriter<'_, '_>, inst: Inst, op: TexOp) {
        f.wgsl_image(inst, op);
    }

    fn memory_atomic(
        &self,
        f: &mut FuncWriter<'_, '_>,
        inst: Inst,
        op: MemoryOp,
        text: PathText,
        ty: NumberType,
    ) {
        f.wgsl_atomic(inst, op, text, ty);
    }

    fn texel_atomic(&self, f: &mut FuncWriter<'_, '_>, inst: Inst, _op: MemoryOp, _pointer: Inst) {
        f.refuse(inst, "it has no atomics on texels", "");
    }
}
