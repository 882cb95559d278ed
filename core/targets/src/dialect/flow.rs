//! Questions about functions, entry points and calls.

use crate::expr::{Expr, Prec, Token, punct, space};
use crate::func::FuncWriter;
use crate::module::ModuleWriter;
use crate::number::{Kind, NumberType};
use crate::paths::PathText;
use crate::print::Line;
use crate::stmt::{Stmt, StmtId};
use std::rc::Rc;
use vitrine_ir::ops::Width;
use vitrine_ir::{Anchor, EntryPoint, Func, Inst, Stage, Stop};
use vitrine_text::{Class, Link};

/// The head of an entry point that states what the entry point takes and returns, and what belongs to it.
#[derive(Debug)]
pub(crate) struct EntryHead {
    /// The lines before the head.
    pub(crate) before: Vec<Line>,
    /// The head with the brace that opens the body.
    pub(crate) head: Vec<Token>,
    /// The first lines of the body.
    pub(crate) first: Vec<Line>,
}

/// An argument that is memory or a resource.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Argument {
    /// The call.
    pub(crate) call: Inst,
    /// The function that is called.
    pub(crate) callee: Func,
    /// The number of the argument.
    pub(crate) at: usize,
    /// The operand of the call.
    pub(crate) value: Inst,
    /// The path that the operand is, or that it is loaded from.
    pub(crate) path: Inst,
}

/// What the engine asks about functions, entry points and calls.
pub(crate) trait Flow {
    /// Returns true if entry points of a stage are written in the language: by default vertex, fragment and compute shaders.
    fn has_stage(&self, stage: Stage) -> bool {
        match stage {
            Stage::Vertex | Stage::Fragment | Stage::Compute => true,
            Stage::Task | Stage::TessControl | Stage::TessEval | Stage::Mesh | Stage::Geometry => false,
            Stage::RayGen | Stage::Intersection | Stage::AnyHit | Stage::ClosestHit | Stage::Miss => false,
            Stage::Callable | Stage::Kernel | Stage::TaskNv | Stage::MeshNv => false,
        }
    }

    /// The refusal of a stage that another version of the language has, and the help. `None` for other stages: the engine
    /// lists those that the language has.
    fn missing_stage(&self, _stage: Stage) -> Option<[&'static str; 2]> {
        None
    }

    /// Returns true if one text has all entry points of a module side by side. Otherwise they are parts of the text, of which
    /// a macro of the preprocessor selects one, as in most languages.
    fn has_all_entries(&self) -> bool {
        false
    }

    /// Asked before anything is written: names the entry points, and finds what declarations and functions depend on. `entry`
    /// is the first of `entries`, which share their declarations.
    fn prepare_entries(&self, w: &mut ModuleWriter<'_>, entry: &EntryPoint, entries: &[EntryPoint]);

    /// Asked before the functions of an entry point are written: makes it the current one, by its number among those that
    /// share their declarations. Nothing where a text has a single entry point.
    fn begin_entry(&self, _w: &mut ModuleWriter<'_>, _at: usize, _entry: &EntryPoint) {}

    /// The lines after all functions, usually none.
    fn footer(&self, _w: &mut ModuleWriter<'_>, _entry: &EntryPoint) -> Vec<Line> {
        Vec::new()
    }

    /// The head of an entry point whose parameters and result are its inputs, outputs and resources. `None` if it is the head
    /// of a function without parameters and result.
    fn entry_head(
        &self,
        _w: &mut ModuleWriter<'_>,
        _func: Func,
        _name: Rc<str>,
        _anchor: Anchor,
    ) -> Option<EntryHead> {
        None
    }

    /// Writes the statements of an entry point that are executed before the program's own, and names the values that it takes.
    /// Usually there are none.
    fn first_statements(&self, _f: &mut FuncWriter<'_, '_>) {}

    /// Writes the statements at the end of the body of a function that only the language demands. Usually there are none.
    fn last_statements(&self, _f: &mut FuncWriter<'_, '_>) {}

    /// The outputs that a return of an entry point returns, empty if there are none. `None` for other functions, and in a
    /// language whose entry points have no result.
    fn entry_result(&self, _w: &ModuleWriter<'_>, _func: Func) -> Option<Vec<Token>> {
        None
    }

    /// The head of a function with the brace that opens its body: by default in the order of C, `float f(float x) {`.
    fn function_head(&self, name: Token, result: Option<Token>, params: Vec<Vec<Token>>) -> Vec<Token> {
        let mut head = vec![result.unwrap_or(Token::new(Class::Type, "void")), space(), name];
        head.extend(in_parentheses(params));
        head.extend([space(), punct("{")]);
        head
    }

    /// The parameters of a function after those of the program, usually none: [`Flow::complete_arguments`] has their
    /// arguments.
    fn further_params(&self, _f: &mut FuncWriter<'_, '_>) -> Vec<Vec<Token>> {
        Vec::new()
    }

    /// The declaration of a parameter that is memory or a resource, with its name. `None` if its type cannot be written, which
    /// the engine refuses. By default resources are passed as they are declared, and memory is copied.
    fn memory_param(
        &self,
        f: &mut FuncWriter<'_, '_>,
        name: (&Rc<str>, Link),
        param: Inst,
    ) -> Option<Vec<Token>> {
        plain_param(f, name, param)
    }

    /// Writes a terminator that ends the invocation, or one that is never reached. `is_last` is true at the end of the
    /// function, outside of all nodes.
    fn stop(&self, f: &mut FuncWriter<'_, '_>, stop: Stop, is_last: bool, anchor: Anchor);

    /// The selector of a switch: by default the number as it was written.
    fn switch_selector(&self, f: &mut FuncWriter<'_, '_>, operand: Inst) -> Expr {
        f.count(operand)
    }

    /// Returns true if a switch may select by numbers of a width: by default, of 32 bits alone.
    fn has_switch_over(&self, width: Width) -> bool {
        width == Width::W32
    }

    /// Returns true if the arms of a switch go on in the next arm unless they end with a word such as `break`, as in languages
    /// like C.
    fn falls_through(&self) -> bool {
        true
    }

    /// Returns true if every switch has an arm for all other values, even if it does nothing.
    fn demands_default(&self) -> bool {
        false
    }

    /// The labels of an arm: by default one for each value as in C, `case 1: case 2: default:`. Values have the type of the
    /// selector.
    fn switch_labels(
        &self,
        f: &FuncWriter<'_, '_>,
        values: &[u64],
        is_default: bool,
        ty: NumberType,
    ) -> Vec<Token> {
        separate_labels(f, values, is_default, ty)
    }

    /// The selector of the switch with a single arm that a block with breaks is: a literal of 32 bits.
    fn block_selector(&self) -> &'static str {
        "0"
    }

    /// Changes a loop that nothing leaves into one that the language accepts. Usually it accepts every loop.
    fn endless_loop(&self, _f: &mut FuncWriter<'_, '_>, _made: StmtId, _anchor: Anchor) {}

    /// Refuses a call at a place where the callee cannot be called. Returns true if it did. By default a function may be called
    /// anywhere.
    fn refuses_call(&self, _f: &mut FuncWriter<'_, '_>, _call: Inst, _callee: Func) -> bool {
        false
    }

    /// The path that an argument is, if the language can pass it. `None` if it was refused. By default local variables that can
    /// be copied and resources are passed.
    fn passed_path(
        &self,
        f: &mut FuncWriter<'_, '_>,
        argument: Argument,
        text: PathText,
    ) -> Option<PathText> {
        f.copyable_path(argument.call, text, false)
    }

    /// Returns true if two parameters may be the same memory. By default parameters are copies, of which one would be lost.
    fn params_may_alias(&self) -> bool {
        false
    }

    /// The argument for memory or a resource: by default its path. `None` if it was refused.
    fn memory_argument(
        &self,
        _f: &mut FuncWriter<'_, '_>,
        _argument: Argument,
        text: PathText,
    ) -> Option<Expr> {
        Some(path_argument(text))
    }

    /// The arguments of a call as the language needs them, with those for [`Flow::further_params`]. By default there are no
    /// others.
    fn complete_arguments(&self, _f: &mut FuncWriter<'_, '_>, _callee: Func, args: Vec<Expr>) -> Vec<Expr> {
        args
    }

    /// Refuses an instruction that the version of the language does not have, and declares the extension of one that it has.
    /// Returns true if it refused. By default the form of each operation states that.
    fn refuses_instruction(&self, _f: &mut FuncWriter<'_, '_>, _inst: Inst) -> bool {
        false
    }

    /// Writes an instruction of SPIR-V that the IR has no operation for: refuses it by default.
    fn spirv(&self, f: &mut FuncWriter<'_, '_>, inst: Inst) {
        f.no_spirv(inst);
    }

    /// Writes formatted output. Returns false if the language has none.
    fn formatted_output(&self, _f: &mut FuncWriter<'_, '_>, _inst: Inst) -> bool {
        false
    }
}

/// Parameters in parentheses.
pub(crate) fn in_parentheses(params: Vec<Vec<Token>>) -> Vec<Token> {
    let mut tokens = vec![punct("(")];
    for (at, param) in params.into_iter().enumerate() {
        if at > 0 {
            tokens.extend([punct(","), space()]);
        }
        tokens.extend(param);
    }
    tokens.push(punct(")"));
    tokens
}

/// A parameter that is memory, copied at the call and back at the return.
pub(crate) fn copied_param(declared: Vec<Token>) -> Vec<Token> {
    let mut tokens = vec![Token::new(Class::Keyword, "inout"), space()];
    tokens.extend(declared);
    tokens
}

/// A parameter that is a resource as it is declared, or memory that is copied. `None` if its type cannot be written.
pub(crate) fn plain_param(
    f: &mut FuncWriter<'_, '_>,
    name: (&Rc<str>, Link),
    param: Inst,
) -> Option<Vec<Token>> {
    let declared = f.declared_param(name, param)?;
    Some(if f.is_resource_param(param) { declared } else { copied_param(declared) })
}

/// A path as an argument.
pub(crate) fn path_argument(text: PathText) -> Expr {
    Expr::new(text.tokens, Prec::Postfix, NumberType::scalar(Kind::Uint))
}

/// `case 1: case 2: default:`.
pub(crate) fn separate_labels(
    f: &FuncWriter<'_, '_>,
    values: &[u64],
    is_default: bool,
    ty: NumberType,
) -> Vec<Token> {
    let mut tokens = Vec::new();
    for &value in values {
        if !tokens.is_empty() {
            tokens.push(space());
        }
        let literal = f.w.dialect.literal(ty.kind, ty.width, value & ty.width.mask());
        tokens.extend([
            Token::new(Class::Keyword, "case"),
            space(),
            Token::new(Class::Number, literal),
            punct(":"),
        ]);
    }
    if is_default {
        if !tokens.is_empty() {
            tokens.push(space());
        }
        tokens.extend([Token::new(Class::Keyword, "default"), punct(":")]);
    }
    tokens
}

impl FuncWriter<'_, '_> {
    /// Begins a loop that nothing leaves with an exit that is never taken.
    pub(crate) fn begin_with_exit(&mut self, made: StmtId, anchor: Anchor) {
        let cond = Expr::atom(Token::new(Class::Number, "false"), NumberType::BOOL);
        let then = vec![self.arena.add(Stmt::Break(anchor))];
        let test = self.arena.add(Stmt::If { cond, then, els: Vec::new(), anchor });
        self.arena.begin_loop(made, test);
    }

    /// Discards a fragment in a language that goes on as a helper, which must not be seen: `end` returns.
    pub(crate) fn discard_and_return(&mut self, discard: Vec<Token>, end: Vec<Token>) {
        self.push(Stmt::Simple { tokens: discard, declares: None, assigns: None });
        self.push(Stmt::Exit(end));
    }

    /// A return without a value of the program: what the entry point returns, or a zero, `T()`.
    pub(crate) fn zero_return(&mut self, anchor: Anchor) -> Vec<Token> {
        let mut tokens = vec![Token::linked(Class::Keyword, "return", anchor)];
        let value = match self.entry_result() {
            Some(outputs) => outputs,
            None => match self.w.signature(self.func).result {
                Some(ty) => vec![
                    Token::new(Class::Type, self.w.number_name(ty, anchor)),
                    Token::new(Class::Punct, "("),
                    Token::new(Class::Punct, ")"),
                ],
                None => Vec::new(),
            },
        };
        if !value.is_empty() {
            tokens.push(space());
            tokens.extend(value);
        }
        tokens
    }
}
