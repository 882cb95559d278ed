//! GLSL: functions, entry points and calls, as the engine asks about them.

use super::Glsl;
use crate::dialect::{Argument, Flow, copied_param, path_argument};
use crate::expr::{Expr, Token};
use crate::func::FuncWriter;
use crate::language::Version;
use crate::module::ModuleWriter;
use crate::paths::PathText;
use crate::stmt::{Stmt, StmtId};
use std::rc::Rc;
use vitrine_ir::ops::Key;
use vitrine_ir::{Anchor, EntryPoint, Inst, Stage, Stop, Type};
use vitrine_text::{Class, Link};

impl Flow for Glsl {
    fn has_stage(&self, stage: Stage) -> bool {
        match stage {
            Stage::Vertex | Stage::Fragment | Stage::Compute => true,
            Stage::Task
            | Stage::TessControl
            | Stage::TessEval
            | Stage::Mesh
            | Stage::Geometry
            | Stage::RayGen
            | Stage::Intersection
            | Stage::AnyHit
            | Stage::ClosestHit
            | Stage::Miss
            | Stage::Callable => self.0 == Version::Vulkan,
            Stage::Kernel | Stage::TaskNv | Stage::MeshNv => false,
        }
    }

    fn missing_stage(&self, stage: Stage) -> Option<[&'static str; 2]> {
        let is_missing = stage == Stage::Compute && self.0 == Version::Es300;
        is_missing.then_some([
            "compute shaders need version 3.10",
            "GLSL ES 3.00 is written for vertex and fragment shaders",
        ])
    }

    fn prepare_entries(&self, w: &mut ModuleWriter<'_>, entry: &EntryPoint, _entries: &[EntryPoint]) {
        w.glsl_prepare(entry);
        w.name_entry(entry.func, "main".into());
    }

    fn first_statements(&self, f: &mut FuncWriter<'_, '_>) {
        f.es_fill_inputs();
        f.glsl_initialize_outputs();
    }

    fn last_statements(&self, f: &mut FuncWriter<'_, '_>) {
        f.glsl_last_return();
    }

    fn memory_param(
        &self,
        f: &mut FuncWriter<'_, '_>,
        (name, link): (&Rc<str>, Link),
        param: Inst,
    ) -> Option<Vec<Token>> {
        let (ty, anchor) = (f.body.inst(param).entity::<Type>(Key::Type)?, f.anchor(param));
        let spelled = f.w.spelled_type(ty, anchor)?;
        Some(match f.is_resource_param(param) {
            true => f.glsl_image_param(param, spelled).declares(name, link),
            false => copied_param(spelled.declares(name, link)),
        })
    }

    fn stop(&self, f: &mut FuncWriter<'_, '_>, stop: Stop, _is_last: bool, anchor: Anchor) {
        let (word, extension) = match stop {
            Stop::Discard => ("discard", None),
            Stop::Terminate if self.0.is_es() => ("discard", None),
            Stop::Terminate => ("terminateInvocation", Some("GL_EXT_terminate_invocation")),
            Stop::IgnoreIntersection => ("ignoreIntersectionEXT", None),
            Stop::TerminateRay => ("terminateRayEXT", None),
            // The instruction before it starts them and ends the invocation.
            Stop::EmitMeshTasks => return,
            Stop::Unreachable => return,
        };
        f.w.extensions.extend(extension);
        f.push(Stmt::Exit(vec![Token::linked(Class::Keyword, word, anchor)]));
    }

    fn endless_loop(&self, f: &mut FuncWriter<'_, '_>, made: StmtId, anchor: Anchor) {
        // Browsers reject loops that have no exit.
        if self.0 == Version::Es300 {
            f.begin_with_exit(made, anchor);
        }
    }

    fn passed_path(
        &self,
        f: &mut FuncWriter<'_, '_>,
        argument: Argument,
        text: PathText,
    ) -> Option<PathText> {
        // A variable that holds an address, not the memory at this address.
        let is_address = argument.path == argument.value && f.w.pointee(text.ty).is_some();
        f.copyable_path(argument.call, text, is_address)
    }

    /// An image that is looked up with and without comparisons has two declarations: the callee takes the one that it needs.
    fn memory_argument(
        &self,
        f: &mut FuncWriter<'_, '_>,
        argument: Argument,
        mut text: PathText,
    ) -> Option<Expr> {
        let Argument { callee, at, .. } = argument;
        let mixed = text.root.filter(|&var| {
            let param = f.w.module.func(callee).and_then(|body| body.params().get(at).copied());
            let compares = param.is_some_and(|param| f.w.own.glsl.uses.of_param(callee, param).compare);
            compares && f.w.own.glsl.uses.of_var(var).are_mixed()
        });
        if let (Some(var), Some(name)) = (mixed, text.tokens.first_mut()) {
            name.text = f.w.glsl_shadow_name(var).into();
        }
        Some(path_argument(text))
    }

    fn refuses_instruction(&self, f: &mut FuncWriter<'_, '_>, inst: Inst) -> bool {
        self.0.is_es() && f.es_refused(inst)
    }

    fn spirv(&self, f: &mut FuncWriter<'_, '_>, inst: Inst) {
        f.spirv(inst);
    }

    fn formatted_output(&self, f: &mut FuncWriter<'_, '_>, inst: Inst) -> bool {
        let has_output = self.0 == Version::Vulkan;
        if has_output {
            f.glsl_print(inst);
        }
        has_output
    }
}
