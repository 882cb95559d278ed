//! Variables, functions and entry points: what the module declares besides types and constants.

use super::collect::Reader;
use super::diagnostics;
use super::words::{self, Instruction, Words};
use crate::spec::{ExecutionModel as M, Op as S};
use std::rc::Rc;
use vitrine_ir::ops::{Bits, Width};
use vitrine_ir::{
    Anchor, DecorTarget, EntryPoint, ExecutionMode, FuncBody, GlobalValue, ModeUse, Operand, Stage, Type,
    TypeData, Var, VarData,
};

/// The parts of a function's type that callers need.
pub(super) struct Signature {
    /// Types of its parameters.
    pub(super) params: Vec<Type>,
    /// Type of its result.
    pub(super) result: Type,
}

impl Reader<'_> {
    /// Declares the variables of the module.
    pub(super) fn declare_vars(&mut self) {
        let offsets = std::mem::take(&mut self.var_offsets);
        for &offset in &offsets {
            if let Some(inst) = self.at(offset) {
                self.declare_var(inst, None);
            }
        }
        self.var_offsets = offsets;
    }

    /// Declares a variable, of the module or of a function.
    pub(super) fn declare_var(
        &mut self,
        inst: Instruction<'_>,
        owner: Option<vitrine_ir::Func>,
    ) -> Option<Var> {
        let (pointer, id, class) = (inst.word(1), inst.word(2), inst.word(3));
        let ty = self.type_of_id(pointer, inst)?;
        let TypeData::Pointer { to, .. } = *self.module.type_of(ty) else {
            self.error(
                diagnostics::OPERANDS,
                inst,
                format!("has the type %{pointer}, which is not a pointer type"),
                "use a pointer type",
            );
            return None;
        };
        // An untyped variable names the type of its memory after its storage class, and then its initializer.
        let is_untyped = inst.opcode == S::UntypedVariableKHR as u16;
        let to = match inst.rest(4).first() {
            Some(&id) if is_untyped => self.type_of_id(id, inst)?,
            None if is_untyped => {
                let message = "has no data type, which the memory of a shader needs";
                self.error(diagnostics::OPERANDS, inst, message, "name the type after the storage class");
                return None;
            }
            _ => to,
        };
        let mode = self.mode(class, to, inst)?;
        // Some tools declare variables of type void, which SPIR-V allows but no instruction can use.
        let to = match self.module.type_of(to) {
            TypeData::Void => {
                let name = self.module.text("OpTypeVoid");
                self.module.ty(TypeData::Opaque(name))
            }
            _ => to,
        };
        if (mode == vitrine_ir::Mode::Local) != owner.is_some() {
            let help = "use the class Function inside functions only";
            self.error(diagnostics::LAYOUT, inst, format!("has storage class {class} here"), help);
            return None;
        }
        let init = inst.rest(if is_untyped { 5 } else { 4 }).first();
        let init = init.and_then(|&init| self.initializer(init, inst));
        let name = self.name(id);
        let data = VarData { name, ty: to, mode, owner, init, attrs: Default::default() };
        let var = self.module.add_var(data.clone());
        self.homes.push((inst.offset, Anchor::Var(var)));
        let mut attrs = self.attrs(id, 0, Some(DecorTarget::Var(var)));
        if let Some((key, value)) = Reader::class_attr(class) {
            attrs = attrs.with(key, value);
        }
        if !attrs.is_empty() {
            self.module.set_var(var, VarData { attrs, ..data });
        }
        if owner.is_none() {
            self.vars.insert(id, var);
        }
        Some(var)
    }

    fn initializer(&mut self, id: u32, inst: Instruction<'_>) -> Option<Operand> {
        if let Some(operand) = self.constant_operand(id) {
            return Some(operand);
        }
        if let Some(var) = self.vars.get(id) {
            return Some(Operand::Global(self.add_global(0, GlobalValue::Address(var))));
        }
        let message = format!("has the initializer %{id}, which is not a constant");
        self.error(diagnostics::OPERANDS, inst, message, "use a constant or a variable of the module");
        None
    }

    /// Declares functions and entry points.
    pub(super) fn declare_functions(&mut self) {
        for at in 0..self.bodies.len() {
            let Some(inst) = self.at(self.bodies[at].start) else { continue };
            if self.funcs.get(inst.word(2)).is_none() {
                let func = self.module.add_func(FuncBody::default());
                self.funcs.insert(inst.word(2), func);
                self.homes.push((inst.offset, Anchor::Func(func)));
            }
        }
        let offsets = std::mem::take(&mut self.entry_offsets);
        let mut entries: Vec<(u32, EntryPoint)> = Vec::new();
        for &offset in &offsets {
            if let Some(inst) = self.at(offset) {
                entries.extend(self.entry(inst).map(|entry| (inst.word(2), entry)));
            }
        }
        let modes = std::mem::take(&mut self.mode_offsets);
        for &offset in &modes {
            let Some(inst) = self.at(offset) else { continue };
            let Some(used) = self.execution_mode(inst) else { continue };
            for (_, entry) in entries.iter_mut().filter(|(id, _)| *id == inst.word(1)) {
                entry.modes.push(used.clone());
            }
        }
        self.module.entries = Rc::new(entries.into_iter().map(|(_, entry)| entry).collect());
    }

    fn entry(&mut self, inst: Instruction<'_>) -> Option<EntryPoint> {
        let Some(stage) = stage(inst.word(1)) else {
            self.error(
                diagnostics::UNKNOWN,
                inst,
                format!("is for execution model {}", inst.word(1)),
                "this number is unknown",
            );
            return None;
        };
        let Some(func) = self.funcs.get(inst.word(2)) else {
            self.error(
                diagnostics::IDS,
                inst,
                format!("names %{}, which is not a function", inst.word(2)),
                "name a function",
            );
            return None;
        };
        let (name, count) = words::text(inst.rest(3));
        let name = self.module.text(&name);
        let mut interface = Vec::new();
        for &id in inst.rest(3 + count) {
            match self.vars.get(id) {
                Some(var) => interface.push(var),
                None => {
                    let message = format!("names %{id}, which is not a variable of the module");
                    self.error(diagnostics::IDS, inst, message, "list only variables in the interface");
                }
            }
        }
        Some(EntryPoint { name, stage, func, interface, modes: Vec::new() })
    }

    fn execution_mode(&mut self, inst: Instruction<'_>) -> Option<ModeUse> {
        if self.funcs.get(inst.word(1)).is_none() {
            self.error(
                diagnostics::IDS,
                inst,
                format!("names %{}, which is not a function", inst.word(1)),
                "name an entry point",
            );
            return None;
        }
        let by_id = inst.opcode == S::ExecutionModeId as u16;
        let Some(mode) = ExecutionMode::from_spirv(inst.word(2)) else {
            self.leave_out("an execution mode", inst.offset);
            return None;
        };
        let mut args = Vec::new();
        for &word in inst.rest(3) {
            if by_id {
                args.extend(self.constant_operand(word));
            } else {
                let bits = self.module.bits(Bits::from_components(Width::W32, &[u64::from(word)]));
                args.push(Operand::Bits(bits));
            }
        }
        if args.len() != usize::from(mode.operands()) {
            let message = format!("gives `{}` {} operands", mode.name(), args.len());
            self.error(diagnostics::OPERANDS, inst, message, &format!("it takes {}", mode.operands()));
            return None;
        }
        Some(ModeUse { mode, args })
    }

    /// Parameters and result of a function, from its `OpFunction`.
    pub(super) fn signature(&mut self, function: Instruction<'_>) -> Option<Signature> {
        let ty = self.def(function.word(4)).filter(|ty| ty.opcode == S::TypeFunction as u16);
        let Some(ty) = ty else {
            let message = format!("has the type %{}, which is not a function type", function.word(4));
            self.error(diagnostics::IDS, function, message, "declare it with OpTypeFunction");
            return None;
        };
        let result = self.types.get(ty.word(2))?;
        let params: Option<Vec<Type>> = ty.rest(3).iter().map(|&id| self.types.get(id)).collect();
        Some(Signature { params: params?, result })
    }
}

fn stage(model: u32) -> Option<Stage> {
    Some(match M::from_u32(model)? {
        M::Vertex => Stage::Vertex,
        M::TessellationControl => Stage::TessControl,
        M::TessellationEvaluation => Stage::TessEval,
        M::Geometry => Stage::Geometry,
        M::Fragment => Stage::Fragment,
        M::GLCompute => Stage::Compute,
        M::Kernel => Stage::Kernel,
        M::TaskNV => Stage::TaskNv,
        M::MeshNV => Stage::MeshNv,
        M::RayGenerationKHR => Stage::RayGen,
        M::IntersectionKHR => Stage::Intersection,
        M::AnyHitKHR => Stage::AnyHit,
        M::ClosestHitKHR => Stage::ClosestHit,
        M::MissKHR => Stage::Miss,
        M::CallableKHR => Stage::Callable,
        M::TaskEXT => Stage::Task,
        M::MeshEXT => Stage::Mesh,
    })
}
