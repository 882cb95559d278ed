//! `qptr-infer-storage`: infers the storage class of generic pointers.
//!
//! ```text
//! func @0() tree {                                     func @0() tree {
//!   %0: ptr = ptr.var $private                           %0: ptr = ptr.var $private
//!   call @1(%0)                                          call @1(%0)
//!   %1: ptr = ptr.var $local                             %1: ptr = ptr.var $local
//!   call @1(%1)                                   =>     call @2(%1)
//! }                                                    }
//! func @1(%0: ptr {type u32, mode generic}) tree {     func @1(%0: ptr {type u32, mode private}) tree {
//!                                                      func @2(%0: ptr {type u32, mode local}) tree {
//! ```
//!
//! Languages with a single kind of pointer (Rust, through Rust-GPU) use `generic` as the storage class of
//! parameters, of block parameters and of pointers in memory. Shaders require a concrete one. A pointer has the
//! mode of the variable it is based on; steps, copies, selects, edges, loads and stores propagate the mode in
//! both directions, until every class of pointers has one.
//!
//! * A function is processed once, after those it calls. Modes that it leaves open are determined by each call;
//!   for each distinct set of modes there is one clone of the function, with its own local variables, shared by
//!   all calls with that set.
//! * A pointer in memory has the mode of the pointers that are stored there: all pointers in one variable have
//!   the same one (`split-struct-vars` and `qptr-partition` separate them before). The type of the variable is
//!   rewritten accordingly.
//! * Known modes are kept. Without any `generic`, nothing changes.
//!
//! Supports both untyped pointers and typed paths; run `qptr-lower` first, since a path of one mode may not be
//! passed as one of another mode.
//!
//! Fails, without changing the program, for a pointer without an origin, one that would have two modes, and
//! more than `max-copies` clones of a function. NIR and SPIR-T have no such pass; Rust-GPU has one on SPIR-V,
//! which runs before all others.

mod gather; // start here
mod nodes;
mod types;

use super::options::{PassOptions, options};
use super::pass::{Journals, PassInfo, RunFn};
use crate::util::calls::{callees_first, calls};
use crate::util::rebuild;
use crate::util::rebuilt::{Change, Rebuilt};
use gather::{Gathered, Known, declared_pointer};
use nodes::Node;
use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;
use types::ModeSequence;
use vitrine_ir::base::EntityId;
use vitrine_ir::base::opening::opening;
use vitrine_ir::ops::{BasicOp, Key};
use vitrine_ir::{
    Anchor, Attrs, Decor, DecorTarget, Diag, Editor, Event, Fuel, Func, FuncBody, GlobalData, GlobalValue,
    Help, Inst, InstData, Journal, Mode, Module, Operand, Shape, Type, Var, VarData,
};

options! {
    /// The modules that are rewritten, and the largest result.
    struct Inferred {
        choice modules: Modules {
            /// In every module.
            All "all",
            /// Only in modules that do not declare `Kernel`, which allows generic pointers.
            Shaders "shaders",
        }
        /// Largest number of clones of a function, one for each set of modes that it is called with.
        max_copies: u32 = 64 in 1..=65_536;
    }
}

/// The entry in the list of passes.
pub(super) const PASS: PassInfo = PassInfo {
    doc: "Infers the storage class of generic pointers.",
    options: Inferred::INFO,
    reason,
    ..PassInfo::new(
        "qptr-infer-storage",
        opening!("mod.rs"),
        RunFn::Module(|module, cx, fuel| qptr_infer_storage(module, &Inferred::of(cx.options), fuel)),
    )
};

/// Infers modes. Near-linear in the size of the result; idempotent; both shapes. The whole pass is one unit of
/// fuel.
///
/// Errors: `P112` a pointer whose origin is unknown; `P113` a pointer with two modes; `P114` too many clones;
/// `P115` an initializer of a type that would have to be rewritten.
fn qptr_infer_storage(module: &mut Module, options: &Inferred, fuel: &mut Fuel) -> Result<Journals, Diag> {
    let is_left = match options.modules {
        Modules::All => false,
        Modules::Shaders => module.declares("Kernel"),
    };
    if is_left || !has_generic(module) || !fuel.take() {
        return Ok(Journals::new());
    }
    let before = module.clone();
    let order = callees_first(&before);
    let mut all = Gathered::of(&before)?;
    for &func in &order {
        if let Some(body) = before.func(func) {
            all.read(func, body)?;
        }
    }
    let mut after = module.clone();
    let copies = copies(&mut all, &mut after, &order, options.max_copies as usize)?;
    Writer { all, copies, after: &mut after, decors: Vec::new() }.write()?;
    *module = after;
    Ok(Journals::new())
}

/// The reason for a difference between the versions of a function.
fn reason(rebuilt: &Rebuilt<'_>, event: Event) -> Option<&'static str> {
    match rebuilt.change(event)? {
        Change::ChangedInst(_, new) if new.op == BasicOp::Call.into() => {
            Some("it calls the clone for the storage classes of its arguments")
        }
        Change::ChangedInst(..) => Some("the origin of the pointer determines its storage class"),
        Change::NewInst(_)
        | Change::GoneInst(_)
        | Change::MovedInst
        | Change::NewBlock
        | Change::GoneBlock
        | Change::ChangedBlock(..)
        | Change::MovedBlock
        | Change::NewNode(_)
        | Change::GoneNode(_)
        | Change::ChangedNode
        | Change::MovedNode => None,
    }
}

/// Returns true if any pointer has the mode `generic`.
fn has_generic(module: &Module) -> bool {
    let is_generic = |attrs: &Attrs| declared_pointer(attrs).1 == Some(Mode::Generic);
    let types = types::Types::of(module);
    module.vars().any(|(_, data)| types.is_generic(data.ty))
        || module.funcs().any(|(_, body)| {
            let mut insts = body.tables().insts.iter();
            let holds = |attrs: &Attrs| declared_pointer(attrs).0.is_some_and(|ty| types.is_generic(ty));
            is_generic(body.attrs()) || insts.any(|(_, data)| is_generic(&data.attrs) || holds(&data.attrs))
        })
}

/// A clone of a function for one set of modes: those of its open classes, in their order.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct Copy {
    of: Func,
    modes: Vec<Mode>,
}

/// All clones, callers first, with their ids.
type Copies = Vec<(Copy, Func)>;

/// The modes of the classes of one clone.
struct Modes<'c> {
    open: FxHashMap<Node, usize>,
    modes: &'c [Mode],
}

impl<'c> Modes<'c> {
    fn of(known: &Known, copy: &'c Copy) -> Modes<'c> {
        let open = known.open.iter().enumerate().map(|(at, &node)| (node, at)).collect();
        Modes { open, modes: &copy.modes }
    }

    fn get(&self, nodes: &mut nodes::Nodes, node: Node) -> Option<Mode> {
        let root = nodes.root(node);
        nodes.mode(root).or_else(|| self.modes.get(*self.open.get(&root)?).copied())
    }
}

/// Determines the clones, and declares them.
fn copies(all: &mut Gathered<'_>, after: &mut Module, order: &[Func], most: usize) -> Result<Copies, Diag> {
    let before = all.module;
    let called: FxHashSet<Func> =
        before.funcs().flat_map(|(_, body)| calls(body)).map(|(_, callee)| callee).collect();
    let mut wanted: FxHashMap<Func, Vec<Copy>> = FxHashMap::default();
    let mut seen: FxHashSet<Copy> = FxHashSet::default();
    let mut out = Copies::new();
    for &func in order.iter().rev() {
        let (Some(known), Some(body)) = (all.funcs.get(&func), before.func(func)) else { continue };
        let mut mine = wanted.remove(&func).unwrap_or_default();
        if mine.is_empty() && (!called.contains(&func) || known.open.is_empty()) {
            mine.push(Copy { of: func, modes: Vec::new() });
        }
        if mine.len() > most {
            return Err(too_many(func, mine.len(), most));
        }
        for (at, copy) in mine.into_iter().enumerate() {
            let modes = Modes::of(known, &copy);
            for call in &known.calls {
                let given: Option<Vec<Mode>> =
                    call.gives.iter().map(|&node| modes.get(&mut all.nodes, node)).collect();
                let Some(given) = given else { return Err(unknown(func, Some(call.at))) };
                let next = Copy { of: call.callee, modes: given };
                if seen.insert(next.clone()) {
                    wanted.entry(call.callee).or_default().push(next);
                }
            }
            let id = if at == 0 { func } else { after.add_func(body.clone()) };
            out.push((copy, id));
        }
    }
    Ok(out)
}

/// Writes the clones and the declarations they share.
struct Writer<'a, 'm> {
    all: Gathered<'m>,
    copies: Copies,
    after: &'a mut Module,
    decors: Vec<Decor>,
}

impl Writer<'_, '_> {
    fn write(mut self) -> Result<(), Diag> {
        let before = self.all.module;
        let mut locals: FxHashMap<Func, Vec<Var>> = FxHashMap::default();
        for (var, data) in before.vars() {
            match data.owner {
                Some(owner) => locals.entry(owner).or_default().push(var),
                None => self.shared(var, data)?,
            }
        }
        let copies = std::mem::take(&mut self.copies);
        let ids: FxHashMap<&Copy, Func> = copies.iter().map(|(copy, id)| (copy, *id)).collect();
        for (copy, id) in &copies {
            let (Some(known), Some(body)) = (self.all.funcs.remove(&copy.of), before.func(copy.of)) else {
                continue;
            };
            let mine = locals.get(&copy.of).map_or(&[][..], Vec::as_slice);
            let done =
                CloneWriter { writer: &mut self, known: &known, copy, id: *id, body }.write(mine, &ids);
            self.all.funcs.insert(copy.of, known);
            done?;
        }
        self.all.types.decorate(self.after);
        if !self.decors.is_empty() {
            Rc::make_mut(&mut self.after.decors).append(&mut self.decors);
        }
        Ok(())
    }

    /// A variable of the module.
    fn shared(&mut self, var: Var, data: &VarData) -> Result<(), Diag> {
        let Some(&node) = self.all.vars.get(&var) else { return Ok(()) };
        let nothing = Copy { of: Func::from_index(0), modes: Vec::new() };
        let modes = Modes { open: FxHashMap::default(), modes: &nothing.modes };
        if let Some(data) = self.typed(var, data, node, &modes)? {
            self.after.set_var(var, data);
        }
        Ok(())
    }

    /// A variable with a rewritten type; none if its type is already concrete.
    fn typed(
        &mut self,
        var: Var,
        data: &VarData,
        node: Node,
        modes: &Modes<'_>,
    ) -> Result<Option<VarData>, Diag> {
        if !self.all.types.is_generic(data.ty) {
            return Ok(None);
        }
        let missing = || {
            Diag::error("P112", Anchor::Var(var))
                .names(var, Anchor::Var(var))
                .says("holds pointers whose origin is unknown")
                .help(
                    Help::text("store the address of a variable there, or run").pass("remove-dead-variables"),
                )
        };
        let ty = self.with_modes(data.ty, node, modes).ok_or_else(missing)?;
        let init = data.init.map(|init| self.initializer(var, init, data.ty, ty)).transpose()?;
        Ok(Some(VarData { ty, init, ..data.clone() }))
    }

    fn with_modes(&mut self, ty: Type, node: Node, modes: &Modes<'_>) -> Option<Type> {
        let row = ModeSequence::of_pointee(&mut self.all.nodes, node, |nodes, node| modes.get(nodes, node));
        self.all.types.with_modes(self.all.module, self.after, ty, row)
    }

    /// The initializer of a variable with a new type.
    fn initializer(&mut self, var: Var, init: Operand, old: Type, new: Type) -> Result<Operand, Diag> {
        let Operand::Global(global) = init else { return Ok(init) };
        let Some(data) = self.after.global(global).cloned() else { return Ok(init) };
        let value = match data.value {
            GlobalValue::Zero(ty) if ty == old => GlobalValue::Zero(new),
            GlobalValue::Undef(ty) if ty == old => GlobalValue::Undef(new),
            GlobalValue::Address(_) => return Ok(init),
            GlobalValue::Zero(_)
            | GlobalValue::Undef(_)
            | GlobalValue::Parts(..)
            | GlobalValue::Spec(_)
            | GlobalValue::Op { .. } => {
                return Err(Diag::error("P115", Anchor::Var(var))
                    .names(var, Anchor::Var(var))
                    .says("has an initializer that holds pointers together with other data")
                    .help(Help::text("run").pass("lower-variable-initializers").then("first")));
            }
        };
        Ok(Operand::Global(self.after.add_global(GlobalData { value, ..data })))
    }
}

/// Writes one clone.
struct CloneWriter<'a, 'w, 'm> {
    writer: &'a mut Writer<'w, 'm>,
    known: &'a Known,
    copy: &'a Copy,
    id: Func,
    body: &'a FuncBody,
}

impl CloneWriter<'_, '_, '_> {
    fn write(mut self, locals: &[Var], ids: &FxHashMap<&Copy, Func>) -> Result<(), Diag> {
        let modes = Modes::of(self.known, self.copy);
        let vars = self.locals(locals, &modes)?;
        let mut changed: Vec<(Inst, InstData)> = Vec::new();
        for (inst, data) in self.body.tables().insts.iter() {
            let Some(node) = self.known.of[inst] else { continue };
            if let Some(attrs) = self.attrs(&data.attrs, node, &modes).ok_or_else(|| self.unknown(inst))? {
                changed.push((inst, InstData { attrs, ..data.clone() }));
            }
        }
        let callees = self.callees(&modes, ids);
        let attrs = match self.known.result {
            Some(node) => {
                self.attrs(self.body.attrs(), node, &modes).ok_or_else(|| unknown(self.copy.of, None))?
            }
            None => None,
        };
        let is_copy = self.id != self.copy.of;
        if !is_copy && changed.is_empty() && callees.is_empty() && attrs.is_none() {
            return Ok(());
        }
        let mut asm = rebuild::copy(self.body);
        match self.body.shape() {
            Shape::Declaration => {}
            Shape::Graph(order) => asm.graph(order.to_vec()),
            Shape::Tree(root) => asm.tree(*root),
        }
        for (inst, data) in changed {
            *asm.inst_mut(inst) = data;
        }
        for (inst, callee) in callees {
            let data = asm.inst_mut(inst);
            data.attrs = data.attrs.with(Key::Func, callee.index() as u64);
        }
        if !vars.is_empty() {
            for (inst, data) in self.body.tables().insts.iter() {
                if let Some(new) = data.entity::<Var>(Key::Var).and_then(|var| vars.get(&var)) {
                    let data = asm.inst_mut(inst);
                    data.attrs = data.attrs.with(Key::Var, new.index() as u64);
                }
            }
        }
        if let Some(attrs) = attrs {
            asm.attrs(attrs);
        }
        if is_copy {
            self.decorated(DecorTarget::Func(self.copy.of), DecorTarget::Func(self.id));
        }
        Editor::replace_body(self.writer.after, self.id, asm.finish(), Journal::new());
        Ok(())
    }

    /// The locals of the clone, by their originals.
    fn locals(&mut self, locals: &[Var], modes: &Modes<'_>) -> Result<FxHashMap<Var, Var>, Diag> {
        let mut out = FxHashMap::default();
        for &var in locals {
            let (Some(data), Some(&node)) = (self.writer.all.module.var(var), self.writer.all.vars.get(&var))
            else {
                continue;
            };
            let typed = self.writer.typed(var, data, node, modes)?;
            if self.id != self.copy.of {
                let data = VarData { owner: Some(self.id), ..typed.unwrap_or_else(|| data.clone()) };
                let new = self.writer.after.add_var(data);
                self.decorated(DecorTarget::Var(var), DecorTarget::Var(new));
                out.insert(var, new);
            } else if let Some(data) = typed {
                self.writer.after.set_var(var, data);
            }
        }
        Ok(out)
    }

    /// The attributes of a pointer with its mode; none if nothing changes. The outer none stands for an unknown
    /// mode.
    fn attrs(&mut self, attrs: &Attrs, node: Node, modes: &Modes<'_>) -> Option<Option<Attrs>> {
        let (ty, mode) = declared_pointer(attrs);
        let mut new = attrs.clone();
        if mode == Some(Mode::Generic) {
            let mode = modes.get(&mut self.writer.all.nodes, node)?;
            new = new.with_word(mode);
        }
        if let Some(ty) = ty.filter(|&ty| self.writer.all.types.is_generic(ty)) {
            let ty = self.writer.with_modes(ty, node, modes)?;
            new = new.with(Key::Type, ty.index() as u64);
        }
        Some((new != *attrs).then_some(new))
    }

    /// Calls with another callee.
    fn callees(&mut self, modes: &Modes<'_>, ids: &FxHashMap<&Copy, Func>) -> Vec<(Inst, Func)> {
        let mut out = Vec::new();
        for call in &self.known.calls {
            let nodes = &mut self.writer.all.nodes;
            let given: Option<Vec<Mode>> = call.gives.iter().map(|&node| modes.get(nodes, node)).collect();
            let Some(modes) = given else { continue };
            let id = ids.get(&Copy { of: call.callee, modes }).copied();
            out.extend(id.filter(|&id| id != call.callee).map(|id| (call.at, id)));
        }
        out
    }

    fn decorated(&mut self, old: DecorTarget, new: DecorTarget) {
        let decors = self.writer.all.module.decors.iter().filter(|decor| decor.on == old);
        self.writer.decors.extend(decors.map(|decor| Decor { on: new, ..*decor }));
    }

    fn unknown(&self, inst: Inst) -> Diag {
        unknown(self.copy.of, Some(inst))
    }
}

/// A diagnostic for a pointer whose origin is unknown: a value, or the result of the function.
fn unknown(func: Func, inst: Option<Inst>) -> Diag {
    let diag = match inst {
        Some(inst) => {
            let at = Anchor::Inst(func, inst);
            Diag::error("P112", at).names(inst, at).says("is a pointer without an origin in the program")
        }
        None => Diag::error("P112", Anchor::Func(func))
            .names(func, Anchor::Func(func))
            .says("returns a pointer without an origin in the program"),
    };
    diag.help("derive it from a variable, or declare its `mode`; remove the function if it is never called")
}

fn too_many(func: Func, count: usize, most: usize) -> Diag {
    Diag::error("P114", Anchor::Func(func))
        .names(func, Anchor::Func(func))
        .says(format!("is called with {count} sets of pointer modes, which exceeds the limit of {most}"))
        .help(Help::text("raise `max-copies`, or run").pass("inline-functions").then("first"))
}
