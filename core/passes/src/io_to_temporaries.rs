//! `io-to-temporaries`: writes outputs once, at the end of the entry point, from private variables, or reads
//! inputs once, at its start.
//!
//! ```text
//! out $0: f32x4 {location 0}                out $0: f32x4 {location 0}
//!                                           private $1: f32x4
//! %1: path = deref.var $0                   %1: path = deref.var $1
//! store %1, %0 {mask 1}               =>    store %1, %0 {mask 1}
//! ...                                       ...
//! return                                    %2: path = deref.var $0
//!                                           %3: b32x4 = load %1
//!                                           store %2, %3
//!                                           return
//! ```
//!
//! Many targets require an output to be written once and as a whole, and passes optimize private variables freely.
//! The private variable is copied to the output before every return of an entry point with that output in its
//! interface, and before every emitted vertex. An invocation that ends otherwise writes no output. The initializer
//! of an output moves to the private variable.
//!
//! With `inputs`, every input is copied to a private variable at the start of the entry points with that input in
//! their interface, and all other code reads that variable. On targets that cannot index inputs dynamically, the
//! variable can be indexed; `indexed` does that for the inputs and outputs with such an index alone, structures included, and
//! `nested` for those among them that are split by `io-arrays-to-elements{nested}`, and for arrays of colors, which GLSL ES
//! indexes by constants only.
//!
//! Left alone: outputs of stages whose invocations access each other's (tessellation control, task, mesh),
//! structures without `indexed` (blocks have declared members), outputs with an escaping path or an address in a module constant,
//! those of an entry point that is called, and those already written once, as a whole, at the end of the entry
//! point. Of inputs: those read once, as a whole, in the first block of an entry point, those whose path is an
//! operand (`interpolate`), and the helper-invocation builtin, which changes during execution. NIR:
//! `nir_lower_io_to_temporaries`.

use super::options::{PassOptions, options};
use super::pass::{Journals, PassInfo, RunFn, merged};
use crate::util::io_components::{is_nested, names_all};
use crate::util::memory::called;
use crate::util::open::{in_order, open, refused};
use rustc_hash::{FxHashMap, FxHashSet};
use vitrine_ir::base::EntityId;
use vitrine_ir::base::opening::opening;
use vitrine_ir::ops::{BasicOp, Builtin, DerefOp, IoOp, Key, MemoryOp, Op, ValueType};
use vitrine_ir::{
    Attrs, Block, DecorTarget, Diag, Editor, Fuel, Func, FuncBody, GlobalValue, InsertPoint, Inst, InstData,
    Journal, Mode, Module, Reason, Refusal, Stage, Struct, Terminator, TypeData, Var, VarData,
};

options! {
    /// The variables that are copied.
    struct Copied {
        choice vars: Variables {
            /// Writes outputs at the end.
            Outputs "outputs",
            /// Reads inputs at the start.
            Inputs "inputs",
            /// Both.
            Both "both",
            /// Reads inputs at the start, and writes outputs at the end, that are indexed by a value known at
            /// run time.
            Indexed "indexed",
            /// The same, but only arrays of structures, structures with arrays or structures in them, and
            /// colors.
            Nested "nested",
        }
    }
}

/// The entry in the list of passes.
pub(super) const PASS: PassInfo = PassInfo {
    doc: "Writes outputs once, at the end of the entry point, or reads inputs once, at its start.",
    options: Copied::INFO,
    stages: STAGES,
    ..PassInfo::new(
        "io-to-temporaries",
        opening!("io_to_temporaries.rs"),
        RunFn::Module(|module, cx, fuel| io_to_temporaries(module, Copied::of(cx.options).vars, fuel)),
    )
};

/// Stages in which no other invocation accesses the outputs.
const STAGES: &[Stage] = &[Stage::Vertex, Stage::Fragment, Stage::Geometry, Stage::TessEval];

const WHY: Reason = Reason::Note("the output is written at the end of the entry point");
const READ: Reason = Reason::Note("the input is read at the start of the entry point");

/// Replaces outputs, inputs or both. Linear; idempotent; both shapes. One unit of fuel per variable.
///
/// Error: `P103` if a function is not valid.
fn io_to_temporaries(module: &mut Module, which: Variables, fuel: &mut Fuel) -> Result<Journals, Diag> {
    let modes: &[Mode] = match which {
        Variables::Outputs => &[Mode::Out],
        Variables::Inputs => &[Mode::In],
        Variables::Both | Variables::Indexed | Variables::Nested => &[Mode::Out, Mode::In],
    };
    let mut journals = Journals::new();
    for &mode in modes {
        let is_indexed = matches!(which, Variables::Indexed | Variables::Nested);
        let mut found = variables(module, mode, is_indexed);
        if is_indexed {
            let indexed = indexed(module);
            found.retain(|var| indexed.contains(var));
        }
        if which == Variables::Nested {
            let is_fragment = module.entries.iter().any(|entry| entry.stage == Stage::Fragment);
            let is_color = |data: &VarData| is_fragment && data.mode == Mode::Out;
            found
                .retain(|&var| module.var(var).is_some_and(|data| is_color(data) || is_nested(module, data)));
        }
        journals.extend(replace(module, mode, found, fuel)?);
    }
    Ok(merged(journals))
}

/// Returns the variables with a path that has an index known at run time. The index of a vertex is none: every language
/// indexes the inputs of a primitive or a patch.
fn indexed(module: &Module) -> FxHashSet<Var> {
    let mut found = FxHashSet::default();
    let has_vertices = |stage| matches!(stage, Stage::Geometry | Stage::TessControl | Stage::TessEval);
    let has_vertices = module.entries.iter().any(|entry| has_vertices(entry.stage));
    let is_vertex = |var: Var| has_vertices && module.var(var).is_some_and(|data| data.mode == Mode::In);
    for (_, body) in module.funcs() {
        body.for_each_inst(|_, inst| {
            let data = body.inst(inst);
            let (Op::Deref(DerefOp::Elem), &[of, index]) = (data.op, &data.args[..]) else { return };
            if body.const_of(index).is_some() {
                return;
            }
            let mut at = of;
            // A path has fewer steps than the function has instructions.
            for _ in 0..body.tables().insts.len() {
                let step = body.inst(at);
                match (step.op, step.args.first()) {
                    (Op::Deref(DerefOp::Elem | DerefOp::Field) | Op::Basic(BasicOp::Copy), Some(&from)) => {
                        at = from;
                    }
                    (Op::Deref(DerefOp::Var), _) => {
                        let var = step.entity::<Var>(Key::Var);
                        found.extend(var.filter(|&var| at != of || !is_vertex(var)));
                        return;
                    }
                    _ => return,
                }
            }
        });
    }
    found
}

fn replace(module: &mut Module, mode: Mode, outputs: Vec<Var>, fuel: &mut Fuel) -> Result<Journals, Diag> {
    let mut temporaries: FxHashMap<Var, Var> = FxHashMap::default();
    let mut order = Vec::new();
    for output in outputs {
        let Some(data) = module.var(output).cloned() else { continue };
        if !fuel.take() {
            break;
        }
        let attrs = Attrs::None;
        let temporary = module.add_var(VarData { mode: Mode::Private, attrs, ..data.clone() });
        module.set_var(output, VarData { init: None, ..data });
        temporaries.insert(output, temporary);
        order.push(output);
    }
    if order.is_empty() {
        return Ok(Journals::new());
    }
    let mut at_ends: FxHashMap<Func, Vec<Var>> = FxHashMap::default();
    let complete = names_all(module);
    for entry in std::rc::Rc::make_mut(&mut module.entries) {
        let named: Vec<Var> = order.iter().copied().filter(|var| entry.interface.contains(var)).collect();
        if complete {
            entry.interface.extend(named.iter().filter_map(|var| temporaries.get(var)));
        }
        let all = at_ends.entry(entry.func).or_default();
        all.extend(named.into_iter().filter(|var| !all.contains(var)).collect::<Vec<_>>());
    }
    let funcs: Vec<Func> = module.funcs().map(|(func, _)| func).collect();
    let mut journals = Journals::new();
    for func in funcs {
        let ends = at_ends.get(&func).cloned().unwrap_or_default();
        let journal = match mode {
            Mode::In => {
                rewrite(module, func, &temporaries, &CopyPoints { starts: &ends, ends: &[], all: &[] }, READ)?
            }
            _ => rewrite(
                module,
                func,
                &temporaries,
                &CopyPoints { starts: &[], ends: &ends, all: &order },
                WHY,
            )?,
        };
        journals.push((func, journal));
    }
    Ok(journals)
}

/// Returns the outputs that can be written at the end, and are not yet, or the inputs that can be read at the
/// start, in order.
fn variables(module: &Module, mode: Mode, takes_structures: bool) -> Vec<Var> {
    let called = called(module);
    let entries = || module.entries.iter();
    let fits = |var: Var, data: &VarData| {
        let named = || entries().filter(|entry| entry.interface.contains(&var));
        data.mode == mode
            && !is_changing(data)
            && structure(module, data).is_none_or(|of| takes_structures && !has_builtins(module, of))
            && named().count() > 0
            && named().all(|entry| STAGES.contains(&entry.stage) && !called.contains(&entry.func))
    };
    let mut found: Vec<Var> =
        module.vars().filter(|(var, data)| fits(*var, data)).map(|(var, _)| var).collect();
    if found.is_empty() {
        return found;
    }
    let uses = Uses::of(module, mode);
    let entry_funcs: FxHashSet<Func> = entries().map(|entry| entry.func).collect();
    found.retain(|var| {
        let writes = uses.writes.get(var).map_or(&[][..], Vec::as_slice);
        let reads = uses.read_at.get(var).map_or(&[][..], Vec::as_slice);
        let done = match mode {
            Mode::In => reads.iter().all(|at| at.is_first(module, &entry_funcs)) && is_single_access(reads),
            _ => !uses.reads.contains(var) && writes.iter().all(|at| at.is_last(module, &entry_funcs)),
        };
        !uses.escaped.contains(var) && uses.any.contains(var) && !done
    });
    found
}

/// Returns true if the value of an input changes during execution.
fn is_changing(data: &VarData) -> bool {
    data.attrs.word() == Some(Builtin::HelperInvocation)
}

/// Returns true if no function accesses it twice.
fn is_single_access(accesses: &[Access]) -> bool {
    let mut seen: FxHashSet<Func> = FxHashSet::default();
    accesses.iter().all(|access| seen.insert(access.func))
}

/// The structure that a variable is, or is an array of.
fn structure(module: &Module, data: &VarData) -> Option<Struct> {
    let mut at = data.ty;
    // The nesting depth of a type is below the number of types.
    for _ in 0..module.sizes()[0] {
        match *module.type_of(at) {
            TypeData::Array { of, .. } | TypeData::RuntimeArray { of, .. } => at = of,
            TypeData::Struct(of) => return Some(of),
            _ => break,
        }
    }
    None
}

/// Returns true for a block of system values.
fn has_builtins(module: &Module, of: Struct) -> bool {
    let members = module.structure(of).map_or(&[][..], |data| &data.members);
    members.iter().any(|member| member.attrs.has(Key::BuiltIn))
}

/// A read or write of a variable.
struct Access {
    func: Func,
    block: Block,
    at: usize,
    var: Var,
    whole: bool,
}

impl Access {
    /// Returns true if the variable is not accessed between this write of all of it and the end of the entry
    /// point, or the next emitted vertex.
    fn is_last(&self, module: &Module, entries: &FxHashSet<Func>) -> bool {
        let Some(body) = module.func(self.func).filter(|_| self.whole && entries.contains(&self.func)) else {
            return false;
        };
        let data = body.block(self.block);
        for &inst in data.insts.iter().skip(self.at + 1) {
            let data = body.inst(inst);
            let root = data.args.first().and_then(|&path| root(body, path));
            match data.op {
                Op::Io(IoOp::EmitVertex) => return true,
                Op::Memory(MemoryOp::Store | MemoryOp::CopyVar) if root == Some(self.var) => return false,
                Op::Basic(BasicOp::Call) => return false,
                _ => {}
            }
        }
        matches!(data.terminator, Terminator::Return(_))
    }

    /// Returns true if this reads all of the variable in the first block of an entry point.
    fn is_first(&self, module: &Module, entries: &FxHashSet<Func>) -> bool {
        let body = module.func(self.func).filter(|_| self.whole && entries.contains(&self.func));
        body.is_some_and(|body| in_order(body).first() == Some(&self.block))
    }
}

/// Accesses to outputs in all functions.
#[derive(Default)]
struct Uses {
    any: FxHashSet<Var>,
    reads: FxHashSet<Var>,
    escaped: FxHashSet<Var>,
    writes: FxHashMap<Var, Vec<Access>>,
    read_at: FxHashMap<Var, Vec<Access>>,
}

impl Uses {
    /// Finds the accesses to the variables of a mode.
    fn of(module: &Module, mode: Mode) -> Uses {
        let mut uses = Uses::default();
        let is_wanted = |var: &Var| module.var(*var).is_some_and(|data| data.mode == mode);
        for (func, body) in module.funcs() {
            for block in body.blocks_in_order() {
                for (at, &inst) in body.block(block).insts.iter().enumerate() {
                    uses.inst(body, (func, block, at), inst, is_wanted);
                }
                body.terminator(block)
                    .for_each_use(|value| uses.escaped.extend(root(body, value).filter(is_wanted)));
            }
        }
        for (_, data) in module.globals() {
            if let GlobalValue::Address(var) = data.value {
                uses.escaped.insert(var);
            }
        }
        for decor in module.decors.iter() {
            if let DecorTarget::Var(var) = decor.on {
                uses.escaped.insert(var);
            }
        }
        uses
    }

    fn inst(
        &mut self,
        body: &FuncBody,
        (func, block, at): (Func, Block, usize),
        inst: Inst,
        is_wanted: impl Fn(&Var) -> bool,
    ) {
        let data = body.inst(inst);
        // Arithmetic takes no paths.
        if matches!(data.op, Op::Int(_) | Op::Float(_) | Op::Vector(_) | Op::Convert(_)) {
            return;
        }
        if let Some(var) = data.entity::<Var>(Key::Var).filter(&is_wanted) {
            self.any.insert(var);
            self.escaped.extend((data.op != Op::Deref(DerefOp::Var)).then_some(var));
        }
        for (number, &arg) in data.args.iter().enumerate() {
            if number == 0 && matches!(data.op, Op::Deref(DerefOp::Field | DerefOp::Elem)) {
                continue;
            }
            let Some(var) = root(body, arg).filter(&is_wanted) else { continue };
            match data.op {
                Op::Memory(MemoryOp::Store | MemoryOp::CopyVar) if number == 0 => {
                    let path = body.inst(arg).op == Op::Deref(DerefOp::Var);
                    let whole = path && !data.attrs.has(Key::Mask);
                    self.writes.entry(var).or_default().push(Access { func, block, at, var, whole });
                }
                Op::Memory(MemoryOp::Load | MemoryOp::CopyVar) => {
                    self.reads.insert(var);
                    let whole = body.inst(arg).op == Op::Deref(DerefOp::Var);
                    self.read_at.entry(var).or_default().push(Access { func, block, at, var, whole });
                }
                _ => {
                    self.escaped.insert(var);
                }
            }
        }
    }
}

/// Returns the variable that a path starts from.
fn root(body: &FuncBody, path: Inst) -> Option<Var> {
    let mut at = path;
    // A path is at most as long as its type is deep; a cycle is possible only in invalid code.
    for _ in 0..256 {
        let data = body.inst(at);
        match (data.op, data.args.first()) {
            (Op::Deref(DerefOp::Var), _) => return data.entity(Key::Var),
            (Op::Deref(_), Some(&base)) => at = base,
            _ => return None,
        }
    }
    None
}

/// Variables copied at points of a function.
struct CopyPoints<'a> {
    /// Inputs, at its start.
    starts: &'a [Var],
    /// Outputs, at its end.
    ends: &'a [Var],
    /// Outputs, at each emitted vertex.
    all: &'a [Var],
}

/// Redirects a function to the private variables, writes outputs at its end and at emitted vertices, and reads
/// inputs at its start.
fn rewrite(
    module: &mut Module,
    func: Func,
    temporaries: &FxHashMap<Var, Var>,
    copies: &CopyPoints<'_>,
    why: Reason,
) -> Result<Journal, Diag> {
    let Some(body) = module.func(func) else { return Ok(Journal::new()) };
    let (mut paths, mut places) = (Vec::new(), Vec::new());
    let blocks = in_order(body);
    if let Some(&first) = blocks.first().filter(|_| !copies.starts.is_empty()) {
        places.push((InsertPoint::Start(first), copies.starts));
    }
    for block in blocks {
        for &inst in body.block(block).insts.iter() {
            if body.inst(inst).op == Op::Io(IoOp::EmitVertex) && !copies.all.is_empty() {
                places.push((InsertPoint::Before(inst), copies.all));
            }
        }
        if matches!(body.terminator(block), Terminator::Return(_)) && !copies.ends.is_empty() {
            places.push((InsertPoint::End(block), copies.ends));
        }
    }
    body.for_each_inst(|_, inst| {
        let var = body.inst(inst).entity::<Var>(Key::Var);
        paths.extend(var.and_then(|var| temporaries.get(&var)).map(|&new| (inst, new)));
    });
    if paths.is_empty() && places.is_empty() {
        return Ok(Journal::new());
    }
    let reads = !copies.starts.is_empty();
    let mut ed = open(module, func)?;
    let done = (|| -> Result<(), Refusal> {
        for (path, new) in paths {
            let data = ed.func().inst(path).clone().with(Key::Var, new.index() as u64);
            ed.rewrite(path, data, why)?;
        }
        for (at, vars) in places {
            for &var in vars {
                let Some(&temporary) = temporaries.get(&var) else { continue };
                let (to, from) = if reads { (temporary, var) } else { (var, temporary) };
                copy(&mut ed, at, (to, from), why)?;
            }
        }
        Ok(())
    })();
    let edited = ed.finish();
    done.map_err(|refusal| refused(func, &refusal))?;
    Ok(edited.journal)
}

/// Copies all of a variable to another of its type.
fn copy(ed: &mut Editor<'_>, at: InsertPoint, (to, from): (Var, Var), why: Reason) -> Result<(), Refusal> {
    let is_value = ed.module().var(to).is_some_and(|data| ed.module().value_type(data.ty).is_some());
    let mut b = ed.build(at, why);
    let (to, from) = (b.deref_var(to), b.deref_var(from));
    if is_value {
        let value = b.load(from);
        b.store(to, value);
    } else {
        b.emit_with(InstData::new(MemoryOp::CopyVar, ValueType::Void, &[to, from]));
    }
    b.finish()
}
