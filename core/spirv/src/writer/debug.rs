//! Debug information as NonSemantic.Shader.DebugInfo.100: entries of the debug table that the module reaches, each once,
//! after those that it refers to; scopes, lines, definitions and variables in functions.
//!
//! A module without a debug table has none of this: its lines are `OpLine`. An address is declared if it is a variable or a
//! parameter, as the set requires; a value that is written only as part of its uses has no `DebugValue`.

use super::function::FunctionWriter;
use super::module::Writer;
use super::shared::{Scalar, Slot};
use super::words::{Words, string_words};
use crate::spec::Op as S;
use rustc_hash::{FxHashMap, FxHashSet};
use vitrine_ir::ops::{BasicOp, Op};
use vitrine_ir::{
    Binding, Debug, DebugArg, DebugField, DebugKind, DebugOperand, DebugPresence, FactKey, Held, Inst,
    Origin, Text, Var,
};

const SET: &str = "NonSemantic.Shader.DebugInfo.100";
/// The extension of the set before version 1.6.
pub(super) const EXTENSION: &str = "SPV_KHR_non_semantic_info";

/// Numbers of instructions without an entry of the table.
mod number {
    pub(super) const NONE: u32 = 0;
    pub(super) const SCOPE: u32 = 23;
    pub(super) const NO_SCOPE: u32 = 24;
    pub(super) const INLINED_AT: u32 = 25;
    pub(super) const DECLARE: u32 = 28;
    pub(super) const VALUE: u32 = 29;
    pub(super) const EXPRESSION: u32 = 31;
    pub(super) const DEFINITION: u32 = 101;
    pub(super) const SOURCE_CONTINUED: u32 = 102;
    pub(super) const LINE: u32 = 103;
    pub(super) const NO_LINE: u32 = 104;
}

/// A variable of the source, with the scope of its declaration.
type HeldVariable = (Debug, Option<Debug>);

/// The encoding of floats.
const FLOAT: u32 = 3;

/// The largest number of bytes of a source in one text; the rest continues.
const MOST_TEXT: usize = 240_000;

impl Writer<'_> {
    /// An instruction of the set outside of functions.
    fn debug_inst(&mut self, number: u32, operands: &[u32]) -> u32 {
        let (set, void) = (self.import(SET), self.intern(S::TypeVoid, &[]));
        let id = self.fresh();
        self.debug.words.parts(S::ExtInst, &[&[void, id, set, number], operands]);
        id
    }

    fn debug_none(&mut self) -> u32 {
        if let Some(id) = self.debug.none {
            return id;
        }
        let id = self.debug_inst(number::NONE, &[]);
        self.debug.none = Some(id);
        id
    }

    fn debug_expression(&mut self) -> u32 {
        if let Some(id) = self.debug.expression {
            return id;
        }
        let id = self.debug_inst(number::EXPRESSION, &[]);
        self.debug.expression = Some(id);
        id
    }

    /// The id of an entry. Those that it refers to have smaller ids in the table, and are written first.
    fn debug_id(&mut self, entry: Debug) -> u32 {
        let module = self.module;
        let (mut wanted, mut work) = (FxHashSet::default(), vec![entry]);
        while let Some(entry) = work.pop() {
            if self.debug.ids.contains_key(&entry) || !wanted.insert(entry) {
                continue;
            }
            let args = module.debug().entry(entry).map_or(&[][..], |entry| &entry.args);
            work.extend(args.iter().filter_map(|&arg| match arg {
                DebugArg::Entry(entry) => Some(entry),
                DebugArg::None | DebugArg::Number(_) | DebugArg::Text(_) => None,
            }));
        }
        let mut wanted: Vec<Debug> = wanted.into_iter().collect();
        wanted.sort_unstable();
        for entry in wanted {
            let id = self.write_debug_entry(entry);
            self.debug.ids.insert(entry, id);
        }
        self.debug.ids.get(&entry).copied().unwrap_or(0)
    }

    fn write_debug_entry(&mut self, id: Debug) -> u32 {
        let module = self.module;
        let Some(entry) = module.debug().entry(id) else { return self.debug_none() };
        if entry.kind == DebugKind::Source {
            return self.write_debug_source(id);
        }
        let operands = entry.kind.operands();
        let last = operands.len().saturating_sub(1);
        let mut words = Vec::new();
        for (at, &arg) in entry.args.iter().enumerate() {
            let operand = &operands[at.min(last)];
            if entry.kind == DebugKind::Global && operand.field == DebugField::Flags {
                words.push(self.debug_variable_id(id));
            }
            words.extend(self.debug_operand(operand, arg));
        }
        self.debug_inst(entry.kind.number(), &words)
    }

    /// The word of an operand; none for one that is absent at the end.
    fn debug_operand(&mut self, operand: &DebugOperand, arg: DebugArg) -> Option<u32> {
        Some(match (arg, operand.field) {
            (DebugArg::Number(number), DebugField::ColumnMajor) => {
                let (op, bool) = (if number == 0 { S::ConstantFalse } else { S::ConstantTrue }, S::TypeBool);
                let ty = self.intern(bool, &[]);
                self.typed(op, ty, &[])
            }
            (DebugArg::Number(number), _) => self.uint(number),
            (DebugArg::Text(text), _) => self.string(text),
            (DebugArg::Entry(entry), _) => self.debug.ids.get(&entry).copied().unwrap_or(0),
            (DebugArg::None, _) if operand.presence == DebugPresence::Trailing => return None,
            (DebugArg::None, DebugField::Result) => self.intern(S::TypeVoid, &[]),
            (DebugArg::None, DebugField::Flags) => self.uint(0),
            (DebugArg::None, _) => self.debug_none(),
        })
    }

    /// The variable of a global; none if the module does not have it any more.
    fn debug_variable_id(&mut self, global: Debug) -> u32 {
        let (module, vars) = (self.module, &self.vars);
        let globals = self.debug.globals.get_or_insert_with(|| {
            let bound = module.debug().bound_vars().filter_map(|(var, list)| Some((*vars.get(&var)?, list)));
            let bound = bound.flat_map(|(id, list)| list.iter().map(move |binding| (binding.variable, id)));
            bound.collect()
        });
        globals.get(&global).copied().unwrap_or_else(|| self.debug_none())
    }

    /// A file, with its text in pieces.
    fn write_debug_source(&mut self, id: Debug) -> u32 {
        let module = self.module;
        let Some(file) = module.debug().text(id, DebugField::File) else { return self.debug_none() };
        let name = self.string(file);
        let text = self.source_facts(file).and_then(|(_, text)| text);
        let Some(text) = text else { return self.debug_inst(DebugKind::Source.number(), &[name]) };
        let mut rest = module.text_of(text);
        let mut source = None;
        while source.is_none() || !rest.is_empty() {
            let mut at = rest.len().min(MOST_TEXT);
            while !rest.is_char_boundary(at) {
                at -= 1;
            }
            let (piece, more) = rest.split_at(at);
            let piece =
                if more.is_empty() && source.is_none() { self.string(text) } else { self.piece(piece) };
            match source {
                None => source = Some(self.debug_inst(DebugKind::Source.number(), &[name, piece])),
                Some(_) => drop(self.debug_inst(number::SOURCE_CONTINUED, &[piece])),
            }
            rest = more;
        }
        source.unwrap_or(0)
    }

    fn piece(&mut self, text: &str) -> u32 {
        let id = self.fresh();
        self.strings.parts(S::String, &[&[id], &string_words(text)]);
        id
    }

    /// The index of the last fact about a file, with its text.
    fn source_facts(&self, file: Text) -> Option<(usize, Option<Text>)> {
        let facts = &self.module.facts;
        let at = facts.iter().rposition(|fact| fact.key == FactKey::File && fact.value == file)?;
        let text = facts.get(at + 1).filter(|fact| fact.key == FactKey::Source);
        Some((at, text.map(|fact| fact.value)))
    }

    /// The indices of facts that are written as files of debug information.
    pub(super) fn debug_facts(&self) -> FxHashSet<usize> {
        let table = self.module.debug();
        let written = table.entries().filter(|(id, _)| self.debug.ids.contains_key(id));
        let files = written.filter(|(_, entry)| entry.kind == DebugKind::Source);
        let facts = files.filter_map(|(id, _)| self.source_facts(table.text(id, DebugField::File)?));
        facts.flat_map(|(at, text)| [Some(at), text.map(|_| at + 1)]).flatten().collect()
    }

    /// The id of the file of a line; none if the debug table does not have it.
    fn debug_file(&mut self, file: Text) -> Option<u32> {
        let table = self.module.debug();
        if table.is_empty() {
            return None;
        }
        let sources = self.debug.sources.get_or_insert_with(|| {
            let files = table.entries().filter(|(_, entry)| entry.kind == DebugKind::Source);
            files.filter_map(|(id, _)| Some((table.text(id, DebugField::File)?, id))).collect()
        });
        let source = sources.get(&file).copied()?;
        Some(self.debug_id(source))
    }

    /// The id of the call that a scope was inlined by; the calls around it are written first.
    fn debug_call(&mut self, scope: Debug) -> Option<u32> {
        let table = self.module.debug();
        let mut chain = Vec::new();
        let mut at = table.call_of(scope);
        while let Some(call) = at.filter(|call| !self.debug.calls.contains_key(call)) {
            chain.push(call);
            at = table.call_of(call.1);
        }
        for (line, scope) in chain.into_iter().rev() {
            let outer = table.call_of(scope).and_then(|call| self.debug.calls.get(&call).copied());
            let mut words = vec![self.uint(line), self.debug_id(table.lexical(scope))];
            words.extend(outer);
            let id = self.debug_inst(number::INLINED_AT, &words);
            self.debug.calls.insert((line, scope), id);
        }
        self.debug.calls.get(&table.call_of(scope)?).copied()
    }

    /// Writes the entries that no function refers to: variables of the module, entry points, compilation units.
    pub(super) fn debug_roots(&mut self) {
        let table = self.module.debug();
        for (id, entry) in table.entries() {
            if matches!(entry.kind, DebugKind::Global | DebugKind::EntryPoint | DebugKind::Unit) {
                self.debug_id(id);
            }
        }
    }
}

impl FunctionWriter<'_, '_> {
    fn debug_words(&mut self, number: u32, operands: &[u32]) -> Vec<u32> {
        let (set, void) = (self.writer.import(SET), self.writer.intern(S::TypeVoid, &[]));
        let id = self.writer.fresh();
        [void, id, set, number].iter().chain(operands).copied().collect()
    }

    fn debug(&mut self, number: u32, operands: &[u32]) {
        let words = self.debug_words(number, operands);
        self.code.inst(S::ExtInst, &words);
    }

    /// Writes the line and the scope of an origin, as far as they differ from the last ones.
    pub(super) fn line_of(&mut self, origin: Origin) {
        let line = origin.line_only();
        if line == self.line {
            return;
        }
        if line.scope != self.line.scope {
            self.write_scope(line.scope);
        }
        if (Origin { scope: None, ..line }) != (Origin { scope: None, ..self.line }) {
            let file = line.file.and_then(|file| self.writer.debug_file(file)).filter(|_| line.line > 0);
            match (file, line.line, line.file) {
                (Some(file), number, _) => {
                    if self.line.line > 0 && !self.is_debug_line {
                        self.code.inst(S::NoLine, &[]);
                    }
                    let (number, column) = (self.writer.uint(number), self.writer.uint(line.column));
                    self.debug(number::LINE, &[file, number, number, column, column]);
                }
                (None, 0, None) if self.is_debug_line => self.debug(number::NO_LINE, &[]),
                (None, 0, None) => self.code.inst(S::NoLine, &[]),
                (None, number, name) => {
                    if self.is_debug_line {
                        self.debug(number::NO_LINE, &[]);
                    }
                    let name = match name {
                        Some(name) => self.writer.string(name),
                        None => self.writer.empty_string(),
                    };
                    self.code.inst(S::Line, &[name, number, line.column]);
                }
            }
            self.is_debug_line = file.is_some();
        }
        self.line = line;
    }

    fn write_scope(&mut self, scope: Option<Debug>) {
        match scope.and_then(|scope| self.scope_operands(scope)) {
            Some(operands) => self.debug(number::SCOPE, &operands),
            None => self.debug(number::NO_SCOPE, &[]),
        }
    }

    /// The scope in the source, and the call that it was inlined by.
    fn scope_operands(&mut self, scope: Debug) -> Option<Vec<u32>> {
        let table = self.writer.module.debug();
        table.kind(scope).filter(|kind| kind.is_scope())?;
        let call = self.writer.debug_call(scope);
        let lexical = self.writer.debug_id(table.lexical(scope));
        Some([lexical].into_iter().chain(call).collect())
    }

    /// Words after the local variables: the definition of the function, and the variables of the source that its variables
    /// and parameters hold.
    pub(super) fn debug_head(&mut self, vars: &[Var]) -> Words {
        let mut out = Words::default();
        let module = self.writer.module;
        let table = module.debug();
        if let Some(entry) = table.func(self.func) {
            let entry = self.writer.debug_id(entry);
            let func = self.writer.funcs.get(&self.func).copied().unwrap_or(0);
            let words = self.debug_words(number::DEFINITION, &[entry, func]);
            out.inst(S::ExtInst, &words);
        }
        let mut bound: Vec<(u32, Binding)> = Vec::new();
        for var in vars {
            if let Some(&id) = self.writer.vars.get(var) {
                bound.extend(table.var(*var).iter().map(|&binding| (id, binding)));
            }
        }
        for &param in self.body.params() {
            if let Slot::Bits { id, .. } | Slot::Whole { id, .. } = self.slot(param) {
                bound.extend(self.body.bindings(param).iter().map(|&binding| (id, binding)));
            }
        }
        self.held = self.complete_values();
        self.first_constants(&mut bound);
        bound.retain(|(_, binding)| self.is_written(*binding));
        let mut current = None;
        for (id, binding) in bound {
            if binding.scope != current {
                current = binding.scope;
                let words = match current.and_then(|scope| self.scope_operands(scope)) {
                    Some(operands) => self.debug_words(number::SCOPE, &operands),
                    None => self.debug_words(number::NO_SCOPE, &[]),
                };
                out.inst(S::ExtInst, &words);
            }
            let words = self.binding_words(id, binding);
            out.inst(S::ExtInst, &words);
        }
        if current.is_some() {
            let words = self.debug_words(number::NO_SCOPE, &[]);
            out.inst(S::ExtInst, &words);
        }
        out
    }

    /// Returns true for a variable of the function: its memory, or a value if all of them are there.
    fn is_written(&self, binding: Binding) -> bool {
        self.writer.module.debug().kind(binding.variable) == Some(DebugKind::Local)
            && (binding.held == Held::Address || self.held.contains(&(binding.variable, binding.scope)))
    }

    /// The variables of the source of which no value was lost. A constant may only be the first value, and the others are
    /// written as instructions of their own.
    fn complete_values(&self) -> FxHashSet<HeldVariable> {
        // Number of values of each variable and those that are there; none if one does not fit.
        let mut found: FxHashMap<HeldVariable, Option<(u32, FxHashSet<u32>)>> = FxHashMap::default();
        let mut one = |inst: Inst| {
            for binding in self.body.bindings(inst) {
                let Held::Value { number, of } = binding.held else { continue };
                let entry = found
                    .entry((binding.variable, binding.scope))
                    .or_insert_with(|| Some((of, FxHashSet::default())));
                let fits = match self.body.inst(inst).op {
                    Op::Basic(BasicOp::Const) => number == 0,
                    Op::Basic(BasicOp::Param) => true,
                    _ => self.uses.any(inst) && self.body.ty(inst).width().is_some(),
                };
                let is_new =
                    entry.as_mut().is_some_and(|(all, numbers)| *all == of && numbers.insert(number));
                if !fits || !is_new {
                    *entry = None;
                }
            }
        };
        self.body.params().iter().for_each(|&param| one(param));
        for block in self.body.blocks_in_order() {
            let data = self.body.block(block);
            data.params.iter().chain(data.insts.iter()).for_each(|&inst| one(inst));
        }
        let complete = found.into_iter().filter(|(_, found)| {
            found.as_ref().is_some_and(|(of, numbers)| numbers.len() == *of as usize && !numbers.is_empty())
        });
        complete.map(|(key, _)| key).collect()
    }

    /// Values that are constants: a variable holds one from the start of the function on.
    fn first_constants(&mut self, bound: &mut Vec<(u32, Binding)>) {
        for block in self.body.blocks_in_order().into_iter().filter(|_| !self.held.is_empty()) {
            for &inst in self.body.block(block).insts.iter() {
                let Some(bits) = self.body.const_of(inst) else { continue };
                for &binding in self.body.bindings(inst) {
                    let is_float = self.is_float(binding.variable);
                    let id = self.writer.bits(bits, if is_float { Scalar::Float } else { Scalar::Uint });
                    bound.push((id, binding));
                }
            }
        }
    }

    /// Returns true if a variable of the source is a float, or has float components.
    fn is_float(&self, variable: Debug) -> bool {
        let table = self.writer.module.debug();
        let mut at = table.of(variable, DebugField::Type);
        while let Some(of) = at.and_then(|at| table.of(at, DebugField::Of)) {
            at = Some(of);
        }
        at.and_then(|at| table.number(at, DebugField::Encoding)) == Some(FLOAT)
    }

    fn binding_words(&mut self, id: u32, binding: Binding) -> Vec<u32> {
        let number = if binding.held == Held::Address { number::DECLARE } else { number::VALUE };
        let variable = self.writer.debug_id(binding.variable);
        let expression = self.writer.debug_expression();
        self.debug_words(number, &[variable, id, expression])
    }

    /// Writes the variables of the source that a value holds from here on.
    pub(super) fn debug_values(&mut self, inst: Inst) {
        let body = self.body;
        for &binding in body.bindings(inst) {
            let (Slot::Bits { id, .. } | Slot::Whole { id, .. }) = self.slot(inst) else { return };
            if binding.held == Held::Address || !self.is_written(binding) {
                continue;
            }
            self.line_of(Origin { scope: binding.scope, ..self.line });
            let words = self.binding_words(id, binding);
            self.code.inst(S::ExtInst, &words);
        }
    }
}
