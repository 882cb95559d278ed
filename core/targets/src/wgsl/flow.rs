//! WGSL: functions, entry points and calls, as the engine asks about them.

use super::Wgsl;
use super::values::apart_from_templates;
use crate::dialect::{Argument, EntryHead, Flow, in_parentheses, path_argument};
use crate::expr::{Expr, Token, prefix, punct, space};
use crate::func::FuncWriter;
use crate::module::{ModuleWriter, NO_TYPE};
use crate::number::NumberType;
use crate::paths::PathText;
use crate::stmt::{Stmt, StmtId};
use std::rc::Rc;
use vitrine_ir::ops::Width;
use vitrine_ir::{Anchor, EntryPoint, Func, Help, Inst, Stop};
use vitrine_text::{Class, Link};

impl Flow for Wgsl {
    fn has_all_entries(&self) -> bool {
        // There is no preprocessor.
        true
    }

    fn prepare_entries(&self, w: &mut ModuleWriter<'_>, _entry: &EntryPoint, entries: &[EntryPoint]) {
        w.wgsl_prepare(entries);
    }

    fn begin_entry(&self, w: &mut ModuleWriter<'_>, at: usize, entry: &EntryPoint) {
        w.wgsl_begin_entry(at, entry);
    }

    fn entry_head(
        &self,
        w: &mut ModuleWriter<'_>,
        _func: Func,
        name: Rc<str>,
        anchor: Anchor,
    ) -> Option<EntryHead> {
        let (before, head, first) = w.wgsl_entry(name, anchor);
        Some(EntryHead { before, head, first })
    }

    fn entry_result(&self, w: &ModuleWriter<'_>, func: Func) -> Option<Vec<Token>> {
        w.wgsl_result(func)
    }

    /// `fn f(x: f32) -> f32 {`.
    fn function_head(&self, name: Token, result: Option<Token>, params: Vec<Vec<Token>>) -> Vec<Token> {
        let mut head = vec![Token::new(Class::Keyword, "fn"), space(), name];
        head.extend(in_parentheses(params));
        head.push(space());
        if let Some(result) = result {
            head.extend([punct("->"), space(), result, space()]);
        }
        head.push(punct("{"));
        head
    }

    /// `x: ptr<function, f32>`.
    fn memory_param(
        &self,
        f: &mut FuncWriter<'_, '_>,
        name: (&Rc<str>, Link),
        param: Inst,
    ) -> Option<Vec<Token>> {
        let declared = f.declared_param(name, param)?;
        if f.is_resource_param(param) {
            let says = format!("the parameter {param} is a resource");
            f.w.refuse(NO_TYPE, f.anchor(param), says, Help::by_pass("inline-functions", "removes it"));
            return Some(declared);
        }
        let [name, colon, gap, of] = &declared[..] else { return Some(declared) };
        let mut tokens = vec![name.clone(), colon.clone(), gap.clone(), Token::new(Class::Type, "ptr")];
        tokens.extend([punct("<"), Token::new(Class::Keyword, "function"), punct(","), space()]);
        tokens.extend([of.clone(), punct(">")]);
        Some(tokens)
    }

    fn stop(&self, f: &mut FuncWriter<'_, '_>, stop: Stop, _is_last: bool, anchor: Anchor) {
        match stop {
            Stop::Unreachable => {
                // Every end of a function that returns a value is a return.
                let tokens = f.zero_return(anchor);
                f.push(Stmt::Exit(tokens));
            }
            Stop::Discard | Stop::Terminate => {
                let end = f.zero_return(anchor);
                f.discard_and_return(vec![Token::linked(Class::Keyword, "discard", anchor)], end);
            }
            Stop::IgnoreIntersection | Stop::TerminateRay | Stop::EmitMeshTasks => {
                f.refuse_stop(stop, anchor);
            }
        }
    }

    fn falls_through(&self) -> bool {
        false
    }

    fn demands_default(&self) -> bool {
        true
    }

    /// `case 1, 2, default:`.
    fn switch_labels(
        &self,
        f: &FuncWriter<'_, '_>,
        values: &[u64],
        is_default: bool,
        ty: NumberType,
    ) -> Vec<Token> {
        let mut tokens = Vec::new();
        if !values.is_empty() {
            tokens.extend([Token::new(Class::Keyword, "case"), space()]);
        }
        for (at, &value) in values.iter().enumerate() {
            if at > 0 {
                tokens.extend([punct(","), space()]);
            }
            let literal = f.w.dialect.literal(ty.kind, Width::W32, value & 0xffff_ffff);
            tokens.push(Token::new(Class::Number, literal));
        }
        if is_default {
            if !values.is_empty() {
                tokens.extend([punct(","), space()]);
            }
            tokens.push(Token::new(Class::Keyword, "default"));
        }
        tokens.push(punct(":"));
        tokens
    }

    fn endless_loop(&self, f: &mut FuncWriter<'_, '_>, made: StmtId, anchor: Anchor) {
        f.begin_with_exit(made, anchor);
    }

    fn refuses_call(&self, f: &mut FuncWriter<'_, '_>, call: Inst, callee: Func) -> bool {
        f.wgsl_refuses_call(call, callee)
    }

    /// `&x`: a pointer to a whole variable.
    fn memory_argument(
        &self,
        f: &mut FuncWriter<'_, '_>,
        argument: Argument,
        text: PathText,
    ) -> Option<Expr> {
        if text.whole.is_none() || text.atomic.is_some() {
            let says = "it passes the address of a part of a variable";
            f.refuse(argument.call, says, Help::by_pass("inline-functions", "removes the call"));
            return None;
        }
        let memory = path_argument(text);
        let ty = memory.ty;
        Some(prefix(Token::new(Class::Op, "&"), memory, ty))
    }

    fn complete_arguments(&self, _f: &mut FuncWriter<'_, '_>, _callee: Func, args: Vec<Expr>) -> Vec<Expr> {
        apart_from_templates(args)
    }
}
