//! GLSL: images, atomics, barriers and system values, as the engine asks about them.

use super::Glsl;
use crate::dialect::Effects;
use crate::func::FuncWriter;
use crate::images::Resource;
use crate::number::NumberType;
use crate::paths::PathText;
use vitrine_ir::Inst;
use vitrine_ir::ops::{GroupOp, IoOp, MemoryOp, TexOp};

impl Effects for Glsl {
    fn group_function(&self, f: &mut FuncWriter<'_, '_>, inst: Inst, op: GroupOp) -> Option<String> {
        f.glsl_group_function(inst, op)
    }

    fn group_call(&self, f: &mut FuncWriter<'_, '_>, inst: Inst, op: GroupOp, name: String) {
        f.glsl_group_call(inst, op, name);
    }

    fn interface_operation(&self, f: &mut FuncWriter<'_, '_>, inst: Inst, op: IoOp) {
        f.glsl_interface(inst, op);
    }

    fn image_operation(&self, f: &mut FuncWriter<'_, '_>, inst: Inst, op: TexOp) {
        f.glsl_image(inst, op);
    }

    fn with_sampler(
        &self,
        f: &mut FuncWriter<'_, '_>,
        inst: Inst,
        of: Resource,
        sampler: Inst,
        compares: bool,
    ) -> Option<Resource> {
        f.glsl_with_sampler(inst, of, sampler, compares)
    }
    fn memory_atomic(
        &self,
        f: &mut FuncWriter<'_, '_>,
        inst: Inst,
        op: MemoryOp,
        text: PathText,
        ty: NumberType,
    ) {
        f.glsl_atomic(inst, op, text, ty);
    }

    fn texel_atomic(&self, f: &mut FuncWriter<'_, '_>, inst: Inst, op: MemoryOp, pointer: Inst) {
        f.glsl_texel_atomic(inst, op, pointer);
    }
}
