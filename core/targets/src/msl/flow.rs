//! MSL: functions, entry points and calls, as the engine asks about them.

use super::Msl;
use crate::dialect::{Argument, EntryHead, Flow, plain_param};
use crate::expr::{Expr, Token};
use crate::func::FuncWriter;
use crate::module::ModuleWriter;
use crate::paths::PathText;
use crate::stmt::Stmt;
use std::rc::Rc;
use vitrine_ir::ops::{Key, Width};
use vitrine_ir::{Anchor, EntryPoint, Func, Inst, Mode, Stage, Stop, Type};
use vitrine_text::{Class, Link};

impl Flow for Msl {
    fn has_stage(&self, stage: Stage) -> bool {
        match stage {
            Stage::Vertex | Stage::Fragment | Stage::Compute | Stage::Task | Stage::Kernel => true,
            Stage::TessControl
            | Stage::TessEval
            | Stage::Mesh
            | Stage::Geometry
            | Stage::RayGen
            | Stage::Intersection
            | Stage::AnyHit
            | Stage::ClosestHit
            | Stage::Miss
            | Stage::Callable
            | Stage::TaskNv
            | Stage::MeshNv => false,
        }
    }

    fn prepare_entries(&self, w: &mut ModuleWriter<'_>, entry: &EntryPoint, _entries: &[EntryPoint]) {
        w.msl_prepare(entry);
    }

    fn entry_head(
        &self,
        w: &mut ModuleWriter<'_>,
        func: Func,
        name: Rc<str>,
        anchor: Anchor,
    ) -> Option<EntryHead> {
        let (before, head, first) = w.msl_entry(func, name, anchor);
        Some(EntryHead { before, head, first })
    }

    fn first_statements(&self, f: &mut FuncWriter<'_, '_>) {
        f.name_kernel_arguments();
    }

    fn entry_result(&self, w: &ModuleWriter<'_>, func: Func) -> Option<Vec<Token>> {
        w.msl_result(func)
    }

    /// What the function uses of the module.
    fn further_params(&self, f: &mut FuncWriter<'_, '_>) -> Vec<Vec<Token>> {
        f.w.msl_parameters(f.func)
    }

    fn memory_param(
        &self,
        f: &mut FuncWriter<'_, '_>,
        name: (&Rc<str>, Link),
        param: Inst,
    ) -> Option<Vec<Token>> {
        let data = f.body.inst(param);
        match (data.entity::<Type>(Key::Type), data.attrs.word::<Mode>()) {
            (Some(ty), Some(mode)) => Some(f.msl_param(name, ty, mode, param)),
            _ => plain_param(f, name, param),
        }
    }

    fn stop(&self, f: &mut FuncWriter<'_, '_>, stop: Stop, is_last: bool, anchor: Anchor) {
        match stop {
            Stop::Unreachable => {}
            Stop::Discard | Stop::Terminate => {
                let (discard, end) = (f.msl_discard(anchor), f.zero_return(anchor));
                f.discard_and_return(discard, end);
            }
            // The end of an object function.
            Stop::EmitMeshTasks if is_last => {}
            Stop::EmitMeshTasks => {
                f.push(Stmt::Exit(vec![Token::linked(Class::Keyword, "return", anchor)]));
            }
            Stop::IgnoreIntersection | Stop::TerminateRay => f.refuse_stop(stop, anchor),
        }
    }

    fn has_switch_over(&self, width: Width) -> bool {
        matches!(width, Width::W32 | Width::W64)
    }

    fn passed_path(
        &self,
        f: &mut FuncWriter<'_, '_>,
        argument: Argument,
        text: PathText,
    ) -> Option<PathText> {
        f.msl_argument(argument.call, argument.path, text)
    }

    fn params_may_alias(&self) -> bool {
        // They are references.
        true
    }

    fn complete_arguments(&self, f: &mut FuncWriter<'_, '_>, callee: Func, mut args: Vec<Expr>) -> Vec<Expr> {
        args.extend(f.msl_arguments(callee));
        args
    }

    fn spirv(&self, f: &mut FuncWriter<'_, '_>, inst: Inst) {
        f.msl_spirv(inst);
    }
}
