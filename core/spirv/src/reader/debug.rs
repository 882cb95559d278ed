//! Debug information in functions: lines (`OpLine` and `DebugLine`), scopes, the definition of a function, and the variables
//! of the source that addresses and values hold.
//!
//! A value holds a variable from its definition on. A `DebugValue` that comes later, in another block or after the next
//! value of the same variable, is left out with a note, as are expressions other than a plain deref, and composites, which
//! are several values in the IR.

use super::collect::Set;
use super::debug_table::{OTHER_KIND, number};
use super::values::{Lower, Val};
use super::words::{Instruction, Words};
use crate::spec::Op as S;
use vitrine_ir::base::EntityId;
use vitrine_ir::ops::{BasicOp, DerefOp, Key, Op};
use vitrine_ir::{Binding, Debug, DebugField, DebugKind, Held, Inst, Origin, Var};

/// Notes.
const NO_LINE: &str = "a part of a line of debug information that is missing or of another kind";
const NO_SCOPE: &str = "a scope of debug information that is missing, cyclic or of another kind";
const NO_VARIABLE: &str =
    "debug information of a variable whose entry or value is missing or of another kind";
const NO_PLACE: &str =
    "debug information of a variable by an expression, a part, or a value that is defined elsewhere";
/// `DebugOperation Deref`.
const DEREF: u32 = 0;

impl<'a> Lower<'_, 'a> {
    /// Records a source line. Returns true if the instruction has no other purpose.
    pub(super) fn debug_line(&mut self, op: S, inst: Instruction<'a>) -> bool {
        match op {
            S::Line => {
                let file = self.r.string(inst.word(1));
                let scope = self.origin.scope;
                self.origin =
                    Origin { file, line: inst.word(2), column: inst.word(3), scope, ..Origin::default() };
                true
            }
            S::NoLine => {
                self.origin = Origin { scope: self.origin.scope, ..Origin::default() };
                true
            }
            S::ExtInst | S::ExtInstWithForwardRefsKHR => self.debug_instruction(inst),
            _ => false,
        }
    }

    fn debug_instruction(&mut self, inst: Instruction<'a>) -> bool {
        let Some(set) = self.r.debug_set(inst) else { return false };
        match (set, inst.word(4)) {
            (Set::ShaderDebug, number::LINE) => {
                let number = |at: usize| self.r.debug_word(set, inst.word(at));
                let (line, column) = (number(6), number(8));
                let source = self.r.debug_def(inst.word(5)).map(|(_, source)| source.word(5));
                let file = source.and_then(|file| self.r.string(file));
                if file.is_none() || line.is_none() || column.is_none() {
                    self.r.leave_out(NO_LINE, inst.offset);
                }
                let (line, column) = (line.unwrap_or(0), column.unwrap_or(0));
                self.origin = Origin { file, line, column, scope: self.origin.scope, ..Origin::default() };
            }
            (Set::ShaderDebug, number::NO_LINE) => {
                self.origin = Origin { scope: self.origin.scope, ..Origin::default() };
            }
            (_, number::SCOPE) => {
                self.origin.scope = self.scope_of(inst, 5, 6);
                if self.origin.scope.is_none() {
                    self.r.leave_out(NO_SCOPE, inst.offset);
                }
            }
            (_, number::NO_SCOPE) => self.origin.scope = None,
            (Set::ShaderDebug, number::DEFINITION) => {
                let entry = self.r.debug_entry(inst.word(5));
                let func = self.r.funcs.get(inst.word(6)).filter(|&func| func == self.func);
                let is_bound = entry
                    .zip(func)
                    .is_some_and(|(entry, func)| self.r.module.debug_mut().bind_func(func, entry));
                if !is_bound {
                    self.r.leave_out(NO_VARIABLE, inst.offset);
                }
            }
            (_, number::DECLARE | number::VALUE) => {
                if let Err(note) = self.debug_variable(inst) {
                    self.r.leave_out(note, inst.offset);
                }
            }
            (_, number::NONE | number::EXPRESSION | number::OPERATION) => {}
            _ => self.r.leave_out(OTHER_KIND, inst.offset),
        }
        if let Some(ty) = self.r.types.get(inst.word(1)) {
            self.set(inst.word(2), ty, Val::Many { at: 0, len: 0 });
        }
        true
    }

    /// The scope of two operands: the scope in the source, and the call that it was inlined by.
    fn scope_of(&mut self, inst: Instruction<'a>, scope: usize, call: usize) -> Option<Debug> {
        let scope = self.r.debug_entry(inst.word(scope))?;
        self.r.debug_scope_at(scope, inst.word(call))
    }

    /// Binds a variable of the source.
    ///
    /// Error: the note about what is left out.
    fn debug_variable(&mut self, inst: Instruction<'a>) -> Result<(), &'static str> {
        let variable = self.r.debug_entry(inst.word(5)).ok_or(NO_VARIABLE)?;
        if self.r.module.debug().kind(variable) != Some(DebugKind::Local) {
            return Err(NO_VARIABLE);
        }
        let derefs = self.derefs(inst.word(7)).filter(|_| inst.rest(8).is_empty());
        let is_declare = inst.word(4) == number::DECLARE;
        let scope = self.origin.scope;
        if !is_declare && derefs != Some(1) {
            let value = derefs.and_then(|_| self.known(inst.word(6)));
            let held = value.filter(|&value| self.holds_from_definition(value, variable));
            self.bound.entry((variable, scope)).or_default().push((held, inst.offset));
            return held.map(|_| ()).ok_or(NO_PLACE);
        }
        if derefs.is_none() || is_declare && derefs != Some(0) {
            return Err(NO_PLACE);
        }
        let value = self.known(inst.word(6)).ok_or(NO_VARIABLE)?;
        let binding = Binding { variable, scope, held: Held::Address };
        let data = self.asm.body().inst(value);
        let var: Option<Var> = (data.op == Op::Deref(DerefOp::Var)).then(|| data.entity(Key::Var)).flatten();
        match var {
            Some(var) => {
                if !self.r.module.debug_mut().bind_var(var, binding) {
                    return Err(NO_VARIABLE);
                }
                self.r.name_var(var, variable, true);
            }
            None if data.op != Op::from(BasicOp::Param) => return Err(NO_PLACE),
            None => {
                self.asm.bind(value, binding);
                self.name_held(value, variable);
            }
        }
        Ok(())
    }

    /// The single value of an id, if it has one; none is no error.
    fn known(&mut self, id: u32) -> Option<Inst> {
        if matches!(self.values.get(id).unwrap_or_default().val, Val::None) {
            let value = self.declared(id)?;
            self.values.insert(id, value);
            self.touched.push(id);
        }
        match self.values.get(id).unwrap_or_default().val {
            Val::One(inst) => Some(inst),
            Val::None | Val::Many { .. } => None,
        }
    }

    /// Names a value as the variable of the source that it holds, unless it has a name.
    fn name_held(&mut self, value: Inst, variable: Debug) {
        let name = self.r.module.debug().text(variable, DebugField::Name);
        if self.asm.body().inst_name(value).is_none() {
            self.asm.name_inst(value, name);
        }
    }

    /// Binds the values of the function's variables. A variable with a value that is left out has none: the others would be
    /// out of date after that place.
    pub(super) fn bind_values(&mut self) {
        let mut bound: Vec<_> = std::mem::take(&mut self.bound).into_iter().collect();
        bound.sort_unstable();
        for ((variable, scope), values) in bound {
            let of = values.len() as u32;
            let all: Option<Vec<Inst>> = values.iter().map(|&(value, _)| value).collect();
            // Those that are elsewhere were counted.
            for &(_, offset) in values.iter().filter(|(value, _)| all.is_none() && value.is_some()) {
                self.r.leave_out(NO_PLACE, offset);
            }
            for (value, number) in all.into_iter().flatten().zip(0..) {
                self.asm.bind(value, Binding { variable, scope, held: Held::Value { number, of } });
                if !self.is_constant(value) {
                    self.name_held(value, variable);
                }
            }
        }
    }

    /// Returns true if the variable holds the value from its definition on: the value is defined in the current block after
    /// the one before, or it is a constant and the first value, in the first block.
    fn holds_from_definition(&self, value: Inst, variable: Debug) -> bool {
        let before = self.bound.get(&(variable, self.origin.scope)).map_or(&[][..], |values| values);
        if self.is_constant(value) {
            return before.is_empty() && self.block_start == 0;
        }
        let is_after =
            |before: Option<Inst>| before.is_none_or(|before| !self.is_of_block(before) || before < value);
        self.is_of_block(value) && before.last().is_none_or(|&(before, _)| is_after(before))
    }

    fn is_constant(&self, value: Inst) -> bool {
        let op = self.asm.body().inst(value).op;
        matches!(op, Op::Basic(BasicOp::Const | BasicOp::Global | BasicOp::Undef))
    }

    /// Returns true for an instruction of the current block, or a parameter of it.
    fn is_of_block(&self, value: Inst) -> bool {
        let is_param = self.asm.body().inst(value).op == Op::from(BasicOp::Param);
        // Ids of instructions grow in a block.
        match is_param {
            true => value.index() >= self.block_start,
            false => self.block.binary_search(&value).is_ok(),
        }
    }

    /// Number of derefs of an expression, if it has nothing else and at most one.
    fn derefs(&self, id: u32) -> Option<usize> {
        let (_, expression) = self.r.debug_def(id).filter(|(_, inst)| inst.word(4) == number::EXPRESSION)?;
        let operations = expression.rest(5);
        let is_deref = |&id: &u32| {
            self.r.debug_def(id).is_some_and(|(set, inst)| {
                inst.word(4) == number::OPERATION && self.r.debug_word(set, inst.word(5)) == Some(DEREF)
            })
        };
        (operations.len() <= 1 && operations.iter().all(is_deref)).then_some(operations.len())
    }
}
