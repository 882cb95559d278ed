//! HLSL: functions, entry points and calls, as the engine asks about them.

use super::Hlsl;
use super::literals::{is_untyped, typed};
use crate::dialect::Flow;
use crate::expr::{Expr, Token};
use crate::func::FuncWriter;
use crate::module::ModuleWriter;
use crate::number::Kind;
use crate::print::Line;
use crate::stmt::{Stmt, StmtId};
use vitrine_ir::{Anchor, EntryPoint, Func, Inst, Stage, Stop};
use vitrine_text::Class;

impl Flow for Hlsl {
    fn has_stage(&self, stage: Stage) -> bool {
        match stage {
            Stage::Vertex
            | Stage::Fragment
            | Stage::Compute
            | Stage::Geometry
            | Stage::RayGen
            | Stage::Intersection
            | Stage::AnyHit
            | Stage::ClosestHit
            | Stage::Miss
            | Stage::Callable => true,
            Stage::Task
            | Stage::TessControl
            | Stage::TessEval
            | Stage::Mesh
            | Stage::Kernel
            | Stage::TaskNv
            | Stage::MeshNv => false,
        }
    }

    fn prepare_entries(&self, w: &mut ModuleWriter<'_>, entry: &EntryPoint, _entries: &[EntryPoint]) {
        w.hlsl_prepare(entry);
    }

    /// The function that copies inputs and outputs around the program's own entry point.
    fn footer(&self, w: &mut ModuleWriter<'_>, entry: &EntryPoint) -> Vec<Line> {
        w.hlsl_footer(entry)
    }

    /// The stream of vertices, which the program's own entry point takes, too.
    fn further_params(&self, f: &mut FuncWriter<'_, '_>) -> Vec<Vec<Token>> {
        f.w.hlsl_stream_param(f.func).into_iter().collect()
    }

    fn stop(&self, f: &mut FuncWriter<'_, '_>, stop: Stop, _is_last: bool, anchor: Anchor) {
        match stop {
            Stop::Unreachable => {
                if f.w.signature(f.func).result.is_some() {
                    let tokens = f.hlsl_return(anchor);
                    f.push(Stmt::Exit(tokens));
                }
            }
            Stop::Discard | Stop::Terminate => {
                let end = f.hlsl_return(anchor);
                f.discard_and_return(vec![Token::linked(Class::Keyword, "discard", anchor)], end);
            }
            Stop::IgnoreIntersection | Stop::TerminateRay => f.hlsl_end_hit(stop, anchor),
            Stop::EmitMeshTasks => f.refuse_stop(stop, anchor),
        }
    }

    /// A number of 32 bits: a literal without a suffix has 64.
    fn switch_selector(&self, f: &mut FuncWriter<'_, '_>, operand: Inst) -> Expr {
        let expr = f.count(operand);
        let is_literal = match &expr.tokens[..] {
            [only] => expr.ty.kind == Kind::Int && only.class == Class::Number,
            _ => false,
        };
        let expr = if is_literal { f.value_as(operand, Kind::Uint) } else { expr };
        if is_untyped(&expr) { typed(expr) } else { expr }
    }

    fn block_selector(&self) -> &'static str {
        // A literal without a suffix has 64 bits.
        "0u"
    }

    fn endless_loop(&self, f: &mut FuncWriter<'_, '_>, made: StmtId, anchor: Anchor) {
        if f.w.signature(f.func).result.is_some() {
            f.hlsl_hide_endless(made, anchor);
        }
    }

    fn complete_arguments(&self, f: &mut FuncWriter<'_, '_>, callee: Func, mut args: Vec<Expr>) -> Vec<Expr> {
        args.extend(f.w.hlsl_stream(callee));
        args
    }

    fn spirv(&self, f: &mut FuncWriter<'_, '_>, inst: Inst) {
        f.hlsl_spirv(inst);
    }

    fn formatted_output(&self, f: &mut FuncWriter<'_, '_>, inst: Inst) -> bool {
        f.hlsl_print(inst);
        true
    }
}
