//! The debug table of a module: files, scopes, types and variables of the source, and the parts of the program that they
//! describe.
//!
//! Equal entries have one id, and an entry refers only to earlier ones: chains end, and no walk is recursive. The origin of
//! an instruction has the id of its scope. Bindings of local variables are those of `DebugDeclare` and `DebugValue`: a
//! variable of the IR, an address, or a value from its definition on.
//!
//! Refuses entries whose operands do not fit the table of kinds. Entries are never removed, as ids are not reused; writers
//! write those that the program reaches.

mod kinds; // start here: the kinds of entries

pub use kinds::{DebugField, DebugKind, DebugOperand, DebugPresence, DebugTakes};

use super::{Debug, Func, Text, Var};
use crate::base::{EntityMap, Interner};
use serde::{Deserialize, Serialize};
use std::rc::Rc;

/// An entry of the table.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize)]
pub struct DebugEntry {
    /// Its kind.
    pub kind: DebugKind,
    /// One value for each operand of the kind; those of a list follow one another.
    pub args: Rc<[DebugArg]>,
}

/// The value of an operand.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize)]
pub enum DebugArg {
    /// Absent.
    #[default]
    None,
    /// Another entry.
    Entry(Debug),
    /// A number.
    Number(u32),
    /// A text.
    Text(Text),
}

/// A variable of the source that a part of the program holds.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub struct Binding {
    /// The variable: a `Local` or a `Global`.
    pub variable: Debug,
    /// The scope of the declaration, for copies by inlining.
    pub scope: Option<Debug>,
    /// The relation of both.
    pub held: Held,
}

/// The relation of a part of the program to a variable of the source.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub enum Held {
    /// It is the memory of the variable, or its address.
    Address,
    /// It is one of the values of the variable, which holds it from its definition on. If a pass loses one of them, the
    /// others are out of date from some place on: none of them is written.
    Value {
        /// The number of the value, from 0 in the order of the program.
        number: u32,
        /// Number of values of the variable in the function.
        of: u32,
    },
}

/// Bindings of a variable or a value.
pub type Bindings = Option<Rc<[Binding]>>;

/// The table.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct DebugTable {
    entries: Interner<Debug, DebugEntry>,
    vars: EntityMap<Var, Bindings>,
    funcs: EntityMap<Func, Option<Debug>>,
}

/// A position in the source, with the function that has it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct DebugFrame {
    /// The line; 0 if unknown.
    pub line: u32,
    /// The name of the function; none outside of functions.
    pub function: Option<Text>,
    /// The innermost scope.
    pub scope: Debug,
}

/// The largest number of bindings of a variable or a value: no source has as many, and each one copies the list.
const MOST_BINDINGS: usize = 256;

/// Appends a binding unless it is there, or there are too many.
pub(super) fn with_binding(bindings: &Bindings, binding: Binding) -> Bindings {
    let list = bindings.as_deref().unwrap_or(&[]);
    match list.contains(&binding) || list.len() >= MOST_BINDINGS {
        true => bindings.clone(),
        false => Some(list.iter().copied().chain([binding]).collect()),
    }
}

impl DebugTable {
    /// Returns true if the module has no debug information but lines.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Number of entries.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Entries in the order of their ids.
    pub fn entries(&self) -> impl Iterator<Item = (Debug, &DebugEntry)> + '_ {
        self.entries.iter()
    }

    /// An entry.
    pub fn entry(&self, id: Debug) -> Option<&DebugEntry> {
        self.entries.get(id)
    }

    /// The kind of an entry.
    pub fn kind(&self, id: Debug) -> Option<DebugKind> {
        Some(self.entry(id)?.kind)
    }

    /// Checks a table that was read: every entry fits its kind, and refers only to earlier ones.
    pub(super) fn refers_back(&self) -> Result<(), &'static str> {
        let mut before = DebugTable::default();
        for (id, entry) in self.entries() {
            if before.add(entry.kind, entry.args.to_vec()) != Ok(id) {
                return Err("an entry of the debug table does not fit its kind");
            }
        }
        Ok(())
    }

    /// Adds an entry, or finds the equal one.
    ///
    /// Error: the first operand that does not fit its kind, or the field after which there are too many.
    pub fn add(&mut self, kind: DebugKind, args: Vec<DebugArg>) -> Result<Debug, DebugField> {
        let operands = kind.operands();
        for (at, operand) in operands.iter().enumerate() {
            let fits = match operand.presence {
                DebugPresence::List => {
                    args.get(at..).unwrap_or(&[]).iter().all(|&arg| self.fits(operand.takes, arg))
                }
                presence => match args.get(at) {
                    None => false,
                    Some(DebugArg::None) => presence != DebugPresence::Required,
                    Some(&arg) => self.fits(operand.takes, arg),
                },
            };
            if !fits {
                return Err(operand.field);
            }
        }
        let last = operands.last().filter(|last| last.presence != DebugPresence::List);
        match last {
            Some(last) if args.len() > operands.len() => Err(last.field),
            _ => Ok(self.entries.intern(DebugEntry { kind, args: args.into() })),
        }
    }

    fn fits(&self, takes: DebugTakes, arg: DebugArg) -> bool {
        match (takes, arg) {
            (DebugTakes::Text, DebugArg::Text(_)) | (DebugTakes::Number, DebugArg::Number(_)) => true,
            (DebugTakes::Entry(kinds), DebugArg::Entry(id)) => {
                self.kind(id).is_some_and(|kind| kinds.contains(&kind))
            }
            _ => false,
        }
    }

    /// An operand of an entry that is not a list.
    pub fn arg(&self, id: Debug, field: DebugField) -> DebugArg {
        let Some(entry) = self.entry(id) else { return DebugArg::None };
        let at = entry.kind.operands().iter().position(|operand| operand.field == field);
        at.and_then(|at| entry.args.get(at)).copied().unwrap_or_default()
    }

    /// The operands of an entry that are a list.
    pub fn list(&self, id: Debug) -> &[DebugArg] {
        let Some(entry) = self.entry(id) else { return &[] };
        let is_list = |operand: &DebugOperand| operand.presence == DebugPresence::List;
        let at = entry.kind.operands().iter().position(is_list);
        at.and_then(|at| entry.args.get(at..)).unwrap_or(&[])
    }

    /// A text of an entry.
    pub fn text(&self, id: Debug, field: DebugField) -> Option<Text> {
        match self.arg(id, field) {
            DebugArg::Text(text) => Some(text),
            DebugArg::None | DebugArg::Entry(_) | DebugArg::Number(_) => None,
        }
    }

    /// An entry that another one refers to.
    pub fn of(&self, id: Debug, field: DebugField) -> Option<Debug> {
        match self.arg(id, field) {
            DebugArg::Entry(entry) => Some(entry),
            DebugArg::None | DebugArg::Text(_) | DebugArg::Number(_) => None,
        }
    }

    /// A number of an entry.
    pub fn number(&self, id: Debug, field: DebugField) -> Option<u32> {
        match self.arg(id, field) {
            DebugArg::Number(number) => Some(number),
            DebugArg::None | DebugArg::Text(_) | DebugArg::Entry(_) => None,
        }
    }

    /// Bindings of variables, in order.
    pub fn bound_vars(&self) -> impl Iterator<Item = (Var, &[Binding])> + '_ {
        self.vars.iter().filter_map(|(var, bindings)| Some((var, bindings.as_deref()?)))
    }

    /// Bindings of a variable.
    pub fn var(&self, var: Var) -> &[Binding] {
        self.vars.get(var).and_then(|bindings| bindings.as_deref()).unwrap_or(&[])
    }

    /// Binds a variable of the source to one of the IR. Returns false if the entry is not a variable, or the scope no scope, or
    /// the variable has 256 bindings.
    pub fn bind_var(&mut self, var: Var, binding: Binding) -> bool {
        let binding = Binding { held: Held::Address, ..binding };
        if !self.is_binding(binding) {
            return false;
        }
        let all = with_binding(&self.vars.get(var).cloned().flatten(), binding);
        let is_bound = all.as_deref().is_some_and(|list| list.contains(&binding));
        self.vars.set(var, all);
        is_bound
    }

    /// Returns true if a binding names a variable, and a scope if any.
    pub fn is_binding(&self, binding: Binding) -> bool {
        matches!(self.kind(binding.variable), Some(DebugKind::Local | DebugKind::Global))
            && binding.scope.is_none_or(|scope| self.kind(scope).is_some_and(DebugKind::is_scope))
    }

    /// The entries of functions of the program, in order.
    pub fn bound_funcs(&self) -> impl Iterator<Item = (Func, Debug)> + '_ {
        self.funcs.iter().filter_map(|(func, entry)| Some((func, (*entry)?)))
    }

    /// The entry of a function of the program.
    pub fn func(&self, func: Func) -> Option<Debug> {
        self.funcs.get(func).copied().flatten()
    }

    /// Sets the entry of a function of the program. Returns false if it is not that of a function.
    pub fn bind_func(&mut self, func: Func, entry: Debug) -> bool {
        let is_func = self.kind(entry) == Some(DebugKind::Function);
        if is_func {
            self.funcs.set(func, Some(entry));
        }
        is_func
    }

    /// The scope in the source, without the calls that it was inlined by.
    pub fn lexical(&self, scope: Debug) -> Debug {
        self.of(scope, DebugField::Scope).unwrap_or(scope)
    }

    /// The line and the scope of the call that a scope was inlined by.
    pub fn call_of(&self, scope: Debug) -> Option<(u32, Debug)> {
        Some((self.number(scope, DebugField::Line)?, self.of(scope, DebugField::At)?))
    }

    /// A scope after inlining by a call of this line and scope: the outermost call of its chain gets a caller. A call without
    /// a scope is one that a compiler made, and its callee is what the source has: the scope stays. Linear in the length of
    /// the chain.
    pub fn inlined(&mut self, scope: Debug, line: u32, at: Option<Debug>) -> Option<Debug> {
        let Some(at) = at else { return Some(scope) };
        let mut chain = vec![];
        let mut outer = scope;
        while let Some((line, at)) = self.call_of(outer) {
            chain.push((self.lexical(outer), line));
            outer = at;
        }
        chain.push((outer, line));
        let mut at = at;
        for (scope, line) in chain.into_iter().rev() {
            let args = vec![DebugArg::Entry(scope), DebugArg::Number(line), DebugArg::Entry(at)];
            at = self.add(DebugKind::Inlined, args).ok()?;
        }
        Some(at)
    }

    /// The function that has a scope of the source.
    pub fn function_of(&self, scope: Debug) -> Option<Debug> {
        let mut at = Some(self.lexical(scope));
        while let Some(scope) = at {
            if self.kind(scope) == Some(DebugKind::Function) {
                return Some(scope);
            }
            at = self.of(scope, DebugField::Parent);
        }
        None
    }

    /// A line in a scope with its function, then those of the calls that it was inlined by, innermost first.
    pub fn frames(&self, line: u32, scope: Option<Debug>) -> Vec<DebugFrame> {
        let (mut frames, mut line, mut at) = (Vec::new(), line, scope);
        while let Some(scope) = at {
            let function = self.function_of(scope).and_then(|function| self.text(function, DebugField::Name));
            frames.push(DebugFrame { line, function, scope: self.lexical(scope) });
            at = None;
            if let Some((call, outer)) = self.call_of(scope) {
                (line, at) = (call, Some(outer));
            }
        }
        frames
    }

    /// Returns true if entries and bindings of both tables are the same. Tables of versions of one module only grow.
    pub fn is_same(&self, other: &DebugTable) -> bool {
        self.len() == other.len() && self.vars == other.vars && self.funcs == other.funcs
    }
}
