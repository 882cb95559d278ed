//! Entry points for functions that have none: each function without a caller gets a wrapper, so that it can be run and
//! checked on many inputs.
//!
//! ```text
//! in[i] ──► parameters ──► call ──► result, and values of module variables ──► out[i]        i: the invocation
//! ```
//!
//! The wrapper is text, added after the printed module, with ids that the module does not use. A function without
//! visible effects records the path that it takes ([`marked`]). `interp::with_callers` makes entry points for a
//! debugger instead: one invocation, with a location for each parameter.
//!
//! Rejects parameters that are pointers, paths or handles.

use std::collections::BTreeSet;
use std::fmt::Write;
use vitrine_analysis::validate::validate;
use vitrine_analysis::{Analyses, Types};
use vitrine_ir::base::EntityId;
use vitrine_ir::ops::{BasicOp, Bits, IntOp, Key, Op, Scalar, ValueType, Width};
use vitrine_ir::{
    Attrs, Editor, Func, FuncBody, InsertPoint, Len, Mode, Module, Operand, Reason, Shape, Terminator, Type,
    TypeData, Var, VarData,
};
use vitrine_text::{parse, print_module};

/// The first id of a wrapper is a multiple of this number.
const STEP: usize = 1000;
/// The first descriptor set that wrappers use.
const SET: u64 = 7;
/// Size of a member of a record, in bytes.
const MEMBER: usize = 32;
/// Limit on the shown leaves of module variables.
const MOST_LEAVES: usize = 24;

/// The number of invocations that run a function.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Invocations {
    /// A workgroup of 16, or quads.
    Many,
    /// A single one, for functions that do not terminate for all.
    One,
}

/// The text of entry points for all uncalled functions; empty if all of them are entry points
/// already. Errors: the reason why nothing can be run. Linear in the instructions.
pub fn wrapper(module: &Module, invocations: Invocations) -> Result<String, String> {
    match written(module, invocations) {
        Err(_) if !module.entries.is_empty() => Ok(String::new()),
        text => text,
    }
}

/// A module without entry points as one that can be run: its functions record their paths if they have no visible
/// effects, and uncalled ones get wrappers. Errors: the reason why nothing can be run.
pub fn runnable(module: &Module, invocations: Invocations) -> Result<Module, String> {
    let marked = marked(module);
    let module = marked.as_ref().unwrap_or(module);
    attach(module, &wrapper(module, invocations)?)
}

fn written(module: &Module, invocations: Invocations) -> Result<String, String> {
    let roots = roots(module);
    if roots.is_empty() {
        return Err("every function is called".to_owned());
    }
    let first = (module.sizes().iter().copied().max().unwrap_or(0) / STEP + 1) * STEP;
    let mut sorry = String::new();
    for stage in ["compute", "fragment"] {
        if (stage, invocations) == ("fragment", Invocations::One) {
            continue;
        }
        let mut text = String::new();
        for (at, &func) in roots.iter().enumerate() {
            text.push_str(&one(module, func, [first + 10 * at, 2 * at], stage, invocations)?);
        }
        match attach(module, &text) {
            Ok(_) => return Ok(text),
            Err(why) => sorry = why,
        }
    }
    Err(sorry)
}

/// The module with a wrapper after it. Errors: the first diagnostic of the wrapper.
pub fn attach(module: &Module, wrapper: &str) -> Result<Module, String> {
    let text = format!("{}\n{}", print_module(module), views(module, wrapper));
    let parsed = parse(&text);
    let mut diags = parsed.diags;
    if diags.is_empty() {
        diags = validate(&parsed.module);
    }
    match diags.first() {
        Some(diag) => Err(format!("the wrapper is invalid: {diag}")),
        None => Ok(parsed.module),
    }
}

/// The text with typed views of untyped variables that it accesses through paths.
fn views(module: &Module, wrapper: &str) -> String {
    let mut text = wrapper.to_owned();
    for (var, _) in module.vars().filter(|(_, data)| data.is_untyped()) {
        let mut out = String::new();
        for line in text.lines() {
            // Writing to a string does not fail.
            let path =
                line.trim().split_once(&format!(" = deref.var {var}")).filter(|(_, rest)| rest.is_empty());
            let _ = match path.and_then(|(path, _)| path.strip_prefix('%')) {
                None => writeln!(out, "{line}"),
                Some(id) => {
                    let ty = declared(module, var);
                    writeln!(out, "  %9{id}: ptr = ptr.var {var}").and_then(|()| {
                        writeln!(out, "  %{id} = deref.cast %9{id} {{type {ty}, mode private}}")
                    })
                }
            };
        }
        text = out;
    }
    text
}

/// Uncalled functions with a body that are not entry points.
fn roots(module: &Module) -> Vec<Func> {
    let mut called: BTreeSet<Func> = module.entries.iter().map(|entry| entry.func).collect();
    for (_, body) in module.funcs() {
        body.for_each_inst(|_, inst| called.extend(body.inst(inst).entity::<Func>(Key::Func)));
    }
    let bodies = module.funcs().filter(|(_, body)| !matches!(body.shape(), Shape::Declaration));
    bodies.map(|(func, _)| func).filter(|func| !called.contains(func)).collect()
}

/// Lines of a function under construction.
#[derive(Default)]
struct Lines {
    text: String,
    next: usize,
}

impl Lines {
    /// Adds an instruction with a result, and returns its number.
    fn add(&mut self, ty: &str, text: &str) -> usize {
        let colon = if ty.is_empty() { "" } else { ": " };
        let _ = writeln!(self.text, "  %{}{colon}{ty} = {text}", self.next);
        self.next += 1;
        self.next - 1
    }
}

/// The entry point that calls a function, with ids from `id` and bindings from `binding`.
fn one(
    module: &Module,
    func: Func,
    [id, binding]: [usize; 2],
    stage: &str,
    invocations: Invocations,
) -> Result<String, String> {
    let body = module.func(func).ok_or("the function does not exist")?;
    let hints = Analyses::new().get::<Types>(module, func);
    let mut lines = Lines::default();
    let index = index(&mut lines, stage);
    let row = row(&mut lines, id, index);
    let (mut given, mut args) = (Vec::new(), Vec::new());
    for &param in body.params() {
        let ty = body.ty(param);
        let ValueType::Bits { width, .. } = ty else {
            return Err(format!("a parameter is a {ty}, which cannot be generated"));
        };
        let mut read = |spelled: String, ty: ValueType| {
            let path = lines.add("", &format!("deref.field %{row}.{}", given.len()));
            given.push(spelled);
            lines.add(&ty.to_string(), &format!("load %{path}"))
        };
        if width == Width::W1 {
            let wide = ValueType::B32.with_components(ty.components());
            let [a, b] = [(); 2].map(|()| read(memory_type(wide, false), wide));
            args.push(lines.add("", &format!("ult %{a}, %{b}")));
        } else {
            let is_float = hints.spell(param).starts_with('f');
            args.push(read(memory_type(ty, is_float), ty));
        }
    }
    let args: Vec<String> = args.iter().map(|arg| format!("%{arg}")).collect();
    let result = if body.result() == ValueType::Void { String::new() } else { body.result().to_string() };
    let call = lines.add(&result, &format!("call {func}({})", args.join(", ")));
    let mut shown = Vec::new();
    if body.result() != ValueType::Void {
        let mut results =
            body.blocks_in_order().into_iter().filter_map(|block| match *body.terminator(block) {
                Terminator::Return(value) => value,
                _ => None,
            });
        shown.push((call, body.result(), results.all(|value| hints.spell(value).starts_with('f'))));
    }
    shown.extend(variables(module, &mut lines));
    let mut found = Vec::new();
    if !shown.is_empty() {
        let row = self::row(&mut lines, id + 1, index);
        for (value, ty, is_float) in shown {
            let Some((value, ty)) = storable(&mut lines, value, ty) else { continue };
            let path = lines.add("", &format!("deref.field %{row}.{}", found.len()));
            lines.add("", &format!("store %{path}, %{value}"));
            found.push(memory_type(ty, is_float));
        }
    }
    let slot = |further: usize| format!("set {}, binding {}", free_set(module), binding + further);
    let mut text = record(id, &given, &slot(0));
    text.push_str(&record(id + 1, &found, &slot(1)));
    let vars = module.vars().filter(|(_, data)| matches!(data.mode, Mode::In | Mode::Out));
    let vars: Vec<String> = vars.map(|(var, _)| var.to_string()).collect();
    let modes = match (stage, invocations) {
        ("compute", Invocations::Many) => "local_size 16 1 1",
        ("compute", Invocations::One) => "local_size 1 1 1",
        _ => "origin_upper_left",
    };
    let vars = vars.join(", ");
    let is_plain = |name: &&str| {
        !name.is_empty() && name.chars().all(|char| char.is_ascii_alphanumeric() || "_.".contains(char))
    };
    let own = |body: &FuncBody| body.name().map(|name| module.text_of(name)).filter(is_plain);
    let is_unique = module.funcs().filter(|(_, other)| own(other) == own(body)).count() == 1;
    let name = match own(body) {
        Some(name) if is_unique => name.to_owned(),
        Some(name) => format!("{name}_{}", func.index()),
        None => func.to_string(),
    };
    let _ = write!(text, "entry {stage} \"run {name}\" @{id} ({vars}) {{{modes}}}\n\n");
    let _ = write!(text, "func @{id}() tree {{\n^0:\n{}  return\n}}\n\n", lines.text);
    Ok(text)
}

/// A buffer of 64 records with members of these types. It has the number of its record type.
fn record(id: usize, members: &[String], slot: &str) -> String {
    let mut text = format!("struct #{id} {{\n");
    let pad = ["u32".to_owned()];
    let members = if members.is_empty() { &pad[..] } else { members };
    for (at, ty) in members.iter().enumerate() {
        let _ = writeln!(text, "  m{at}: {ty} {{offset {}}}", MEMBER * at);
    }
    let (block, step) = (id + 5, MEMBER * members.len());
    let _ = write!(
        text,
        "}}\n\nstruct #{block} {{block}} {{\n  rows: [#{id} * 64 step {step}] {{offset 0}}\n}}\n\n"
    );
    let _ = write!(text, "storage ${id}: #{block} {{{slot}}}\n\n");
    text
}

/// A descriptor set that the module does not use.
fn free_set(module: &Module) -> u64 {
    let used = module.vars().filter_map(|(_, data)| data.attrs.get(Key::Set)).max();
    used.map_or(SET, |used| SET.max(used.saturating_add(1)))
}

/// The invocation index, below 64.
fn index(lines: &mut Lines, stage: &str) -> usize {
    if stage == "compute" {
        let id = lines.add("b32x3", "io.builtin {builtin global_invocation_id}");
        return lines.add("b32", &format!("swizzle %{id}.x"));
    }
    let at = lines.add("b32x4", "io.builtin {builtin frag_coord}");
    let [x, y] = ["x", "y"].map(|component| {
        let part = lines.add("b32", &format!("swizzle %{at}.{component}"));
        lines.add("b32", &format!("f2u %{part}"))
    });
    let eight = lines.add("b32", "const 8");
    let rows = lines.add("b32", &format!("imul %{y}, %{eight}"));
    let all = lines.add("b32", &format!("iadd %{rows}, %{x}"));
    let most = lines.add("b32", "const 63");
    lines.add("b32", &format!("iand %{all}, %{most}"))
}

/// The path to the record of an invocation.
fn row(lines: &mut Lines, id: usize, index: usize) -> usize {
    let var = lines.add("", &format!("deref.var ${id}"));
    let rows = lines.add("", &format!("deref.field %{var}.0"));
    lines.add("", &format!("deref.elem %{rows}, %{index}"))
}

/// A memory type with these bits.
fn memory_type(ty: ValueType, is_float: bool) -> String {
    let bits = ty.width().map_or(32, Width::bits);
    let scalar = if is_float && bits >= 16 { format!("f{bits}") } else { format!("u{bits}") };
    if ty.components() == 1 { scalar } else { format!("{scalar}x{}", ty.components()) }
}

/// A value converted to a type that buffers can hold.
fn storable(lines: &mut Lines, value: usize, ty: ValueType) -> Option<(usize, ValueType)> {
    let ValueType::Bits { width, components } = ty else { return None };
    if width != Width::W1 {
        return Some((value, ty));
    }
    let wide = ValueType::B32.with_components(components);
    Some((lines.add(&wide.to_string(), &format!("b2i %{value}")), wide))
}

/// Returns true for floats and vectors of them.
fn is_float(module: &Module, ty: Type) -> bool {
    let of = module.element_type(ty).unwrap_or(ty);
    matches!(module.type_of(of), TypeData::Float { .. })
}

/// Loads the leaves of module variables, and if they are floats.
fn variables(module: &Module, lines: &mut Lines) -> Vec<(usize, ValueType, bool)> {
    let mut out = Vec::new();
    for (var, data) in module.vars().filter(|(_, data)| data.mode == Mode::Private) {
        let root = lines.add("", &format!("deref.var {var}"));
        let mut work: Vec<(usize, Type)> = vec![(root, data.ty)];
        while let Some((path, ty)) = work.pop() {
            if out.len() >= MOST_LEAVES || work.len() >= MOST_LEAVES {
                break;
            }
            match module.type_of(ty) {
                TypeData::Struct(structure) => {
                    let members = module.structure(*structure).map_or(&[][..], |data| &data.members[..]);
                    for (at, member) in members.iter().enumerate() {
                        work.push((lines.add("", &format!("deref.field %{path}.{at}")), member.ty));
                    }
                }
                TypeData::Array { of, len: Len::Count(count), .. } => {
                    for at in 0..(*count).min(8) {
                        let at = lines.add("b32", &format!("const {at}"));
                        work.push((lines.add("", &format!("deref.elem %{path}, %{at}")), *of));
                    }
                }
                TypeData::Bool | TypeData::Int { .. } | TypeData::Float { .. } | TypeData::Vector { .. } => {
                    let leaf = ty;
                    if let Some(ty) = module.value_type(leaf) {
                        out.push((
                            lines.add(&ty.to_string(), &format!("load %{path}")),
                            ty,
                            is_float(module, leaf),
                        ));
                    }
                }
                _ => {}
            }
        }
    }
    out
}

/// The text of the declared type of untyped memory.
fn declared(module: &Module, var: Var) -> String {
    let mut plain = module.clone();
    if let Some(data) = module.var(var) {
        plain.set_var(var, VarData { name: None, ..data.clone() });
    }
    let text = print_module(&plain);
    let line = text.lines().find(|line| line.starts_with(&format!("private {var}:")));
    let was = line.and_then(|line| line.split_once(" was ")).map_or("", |(_, was)| was);
    let end = [" = ", " {"].iter().filter_map(|mark| was.find(mark)).min().unwrap_or(was.len());
    was[..end].to_owned()
}

/// The module in which functions without visible effects record the path that they take, in a new variable.
/// `None` if all functions have visible effects.
pub fn marked(module: &Module) -> Option<Module> {
    let silent: Vec<Func> =
        module.funcs().filter(|(_, body)| has_no_effects(body)).map(|(func, _)| func).collect();
    if silent.is_empty() {
        return None;
    }
    let mut module = module.clone();
    let var = path_variable(&mut module);
    for func in silent {
        let blocks = module.func(func).map(FuncBody::blocks_in_order).unwrap_or_default();
        let Some(mut editor) = Editor::new(&mut module, func) else { continue };
        for block in blocks {
            let mut build = editor.build(InsertPoint::End(block), Reason::Note("a mark"));
            let path = build.deref_var(var);
            let before = build.load(path);
            let [factor, number] = [31, 1 + block.index() as i64].map(|value| build.int(Width::W32, value));
            let times = build.checked(IntOp::IMul, ValueType::B32, &[before, factor]);
            let after = build.checked(IntOp::IAdd, ValueType::B32, &[times, number]);
            build.store(path, after);
            // A marker is valid in every block.
            let _ = build.finish();
        }
        editor.finish();
    }
    Some(module)
}

/// A module variable that records the path that was taken.
fn path_variable(module: &mut Module) -> Var {
    let ty = module.ty(TypeData::Int { width: Width::W32, signed: false });
    let init = Operand::Bits(module.bits(Bits::scalar(Scalar::i(Width::W32, 7))));
    let attrs = Attrs::None;
    module.add_var(VarData { name: None, ty, mode: Mode::Private, owner: None, init: Some(init), attrs })
}

/// Returns true if a function has no visible result: it returns nothing and has no effect.
fn has_no_effects(body: &FuncBody) -> bool {
    let mut effects = body.result() != ValueType::Void || matches!(body.shape(), Shape::Declaration);
    body.for_each_inst(|_, inst| {
        let data = body.inst(inst);
        effects |= data.ty == ValueType::Void || matches!(data.op, Op::Basic(BasicOp::Call));
    });
    !effects
}
