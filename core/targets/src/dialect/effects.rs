//! Questions about images, atomics, barriers and system values.

use crate::func::FuncWriter;
use crate::images::Resource;
use crate::number::NumberType;
use crate::paths::PathText;
use vitrine_ir::ops::{GroupOp, IoOp, MemoryOp, TexOp};
use vitrine_ir::{Help, Inst};

/// What the engine asks about images, atomics, barriers and system values.
///
/// An answer writes an instruction as statements and defines its result, or refuses it with a diagnostic.
pub(crate) trait Effects {
    /// The function of an operation between invocations whose name depends on more than the operation, such as its precision
    /// or its direction. Asked where the form is code of the language. `None` if the operation was written or refused.
    fn group_function(&self, f: &mut FuncWriter<'_, '_>, inst: Inst, op: GroupOp) -> Option<String>;

    /// Writes the call of the function `name`, by which the language has an operation between invocations, and declares the
    /// extensions that it needs.
    fn group_call(&self, f: &mut FuncWriter<'_, '_>, inst: Inst, op: GroupOp, name: String);

    /// Writes an interface operation whose form is code of the language: the end of an invocation, an interpolation, a
    /// system value without a variable.
    fn interface_operation(&self, f: &mut FuncWriter<'_, '_>, inst: Inst, op: IoOp);

    /// Writes an operation on an image: a lookup, an access to a texel, a query.
    fn image_operation(&self, f: &mut FuncWriter<'_, '_>, inst: Inst, op: TexOp);

    /// An image together with a separate sampler, as a value. `compares` is true for a lookup that compares with a reference.
    /// `None` if it was refused, as by default: a value of both exists in few languages.
    fn with_sampler(
        &self,
        f: &mut FuncWriter<'_, '_>,
        inst: Inst,
        _of: Resource,
        _sampler: Inst,
        _compares: bool,
    ) -> Option<Resource> {
        let help = Help::by_pass("lower-samplers", "separates them");
        f.refuse(inst, "it joins an image and a sampler outside of a lookup", help);
        None
    }

    /// Writes an atomic on the memory at a path, which has numbers of the type `ty`.
    fn memory_atomic(
        &self,
        f: &mut FuncWriter<'_, '_>,
        inst: Inst,
        op: MemoryOp,
        text: PathText,
        ty: NumberType,
    );

    /// Writes an atomic on the texel that `pointer` is the address of; the operands of `pointer` are the image, the coordinate
    /// and the number of the sample. Refuses it by default.
    fn texel_atomic(&self, f: &mut FuncWriter<'_, '_>, inst: Inst, _op: MemoryOp, _pointer: Inst) {
        f.refuse(inst, "it has no atomics on texels", "");
    }
}
