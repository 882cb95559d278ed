//! Debug information of the module: entries of NonSemantic.Shader.DebugInfo.100 and of OpenCL.DebugInfo.100 become those of
//! the debug table.
//!
//! Both sets have the same instructions but for the form of numbers (ids of constants, literals) and for a few operands.
//! Entries may refer to later ones: they are resolved with a stack. An entry with a missing or cyclic operand, or one of
//! another kind, is left out with a note, as are enumerations, inheritance, macros and imported entities. A template stands
//! for its class.

use super::collect::{Reader, Set};
use super::tables::DebugEntryState;
use super::words::{Instruction, Words};
use crate::spec::Op as S;
use std::rc::Rc;
use vitrine_ir::{
    Binding, Debug, DebugArg, DebugKind, DebugOperand, DebugPresence, DebugTakes, FactKey, Held,
};

/// Numbers of instructions in both sets.
pub(super) mod number {
    pub(crate) const NONE: u32 = 0;
    pub(crate) const TEMPLATE: u32 = 14;
    pub(crate) const TEMPLATE_PARAMETER: u32 = 15;
    pub(crate) const GLOBAL: u32 = 18;
    pub(crate) const FUNCTION: u32 = 20;
    pub(crate) const SCOPE: u32 = 23;
    pub(crate) const NO_SCOPE: u32 = 24;
    pub(crate) const INLINED_AT: u32 = 25;
    pub(crate) const DECLARE: u32 = 28;
    pub(crate) const VALUE: u32 = 29;
    pub(crate) const OPERATION: u32 = 30;
    pub(crate) const EXPRESSION: u32 = 31;
    pub(crate) const SOURCE: u32 = 35;
    // In NonSemantic.Shader.DebugInfo.100 only.
    pub(crate) const DEFINITION: u32 = 101;
    pub(crate) const SOURCE_CONTINUED: u32 = 102;
    pub(crate) const LINE: u32 = 103;
    pub(crate) const NO_LINE: u32 = 104;
    pub(crate) const MATRIX: u32 = 108;
}

/// Notes.
pub(super) const OTHER_KIND: &str = "debug information of a kind that is not read";
const NO_OPERAND: &str = "debug information with an operand that is missing, cyclic or of another kind";
const MORE: &str = "an operand of debug information that is not read";

/// The operands of an entry in words: their first word, and whether the set has them.
fn word_of(set: Set, kind: DebugKind, at: usize) -> Option<usize> {
    let from_5 = |at: usize| Some(5 + at);
    match (set, kind, at) {
        // The variable itself comes before the flags.
        (_, DebugKind::Global, 7) => from_5(8),
        (Set::OldDebug, DebugKind::Basic, 3) => None,
        // The structure of a member comes before its offset.
        (Set::OldDebug, DebugKind::Member, 5..) => from_5(at + 1),
        _ => from_5(at),
    }
}

impl Reader<'_> {
    /// An extended instruction outside of functions: only debug information occurs there.
    pub(super) fn module_ext_inst(&mut self, inst: Instruction<'_>) {
        let set = self.sets.get(&inst.word(3)).copied();
        let is_continued = (set, inst.word(4)) == (Some(Set::ShaderDebug), number::SOURCE_CONTINUED);
        if !is_continued {
            self.flush_debug_source();
        }
        match (set, inst.word(4)) {
            (Some(Set::ShaderDebug | Set::OldDebug), number::SOURCE) => {
                self.debug.offsets.push(inst.offset);
                if let Some(file) = self.string(inst.word(5)) {
                    let file = self.module.text_of(file).to_owned();
                    self.fact(FactKey::File, &file);
                }
                self.debug.source = self.owned_string(inst.word(6));
            }
            (Some(Set::ShaderDebug), number::SOURCE_CONTINUED) => {
                match (self.owned_string(inst.word(5)), &mut self.debug.source) {
                    (Some(more), Some(source)) => source.push_str(&more),
                    _ => self.leave_out(NO_OPERAND, inst.offset),
                }
            }
            (Some(Set::ShaderDebug | Set::OldDebug), _) => self.debug.offsets.push(inst.offset),
            _ => self.leave_out(OTHER_KIND, inst.offset),
        }
    }

    fn owned_string(&mut self, id: u32) -> Option<String> {
        let text = self.string(id)?;
        Some(self.module.text_of(text).to_owned())
    }

    fn flush_debug_source(&mut self) {
        if let Some(source) = self.debug.source.take() {
            self.fact(FactKey::Source, &source);
        }
    }

    /// Makes the debug table. Types, constants, variables and functions are known.
    pub(super) fn declare_debug(&mut self) {
        self.flush_debug_source();
        for offset in std::mem::take(&mut self.debug.offsets) {
            let Some(inst) = self.at(offset) else { continue };
            let Some(set) = self.debug_set(inst) else { continue };
            match inst.word(4) {
                number::NONE | number::OPERATION | number::EXPRESSION | number::TEMPLATE_PARAMETER => {}
                number::INLINED_AT => drop(self.debug_call(inst.word(2))),
                number::TEMPLATE => drop(self.debug_entry(inst.word(2))),
                number if DebugKind::from_number(number).is_some() => {
                    let Some(entry) = self.debug_entry(inst.word(2)) else { continue };
                    self.bind_declared(set, inst, entry);
                }
                _ => self.leave_out(OTHER_KIND, offset),
            }
        }
    }

    /// Binds the variable of a global, and in the older set the function.
    fn bind_declared(&mut self, set: Set, inst: Instruction<'_>, entry: Debug) {
        match (set, inst.word(4)) {
            (_, number::GLOBAL) => {
                if let Some(var) = self.vars.get(inst.word(12)) {
                    let binding = Binding { variable: entry, scope: None, held: Held::Address };
                    if !self.module.debug_mut().bind_var(var, binding) {
                        self.leave_out(MORE, inst.offset);
                    }
                    self.name_var(var, entry, false);
                }
            }
            (Set::OldDebug, number::FUNCTION) => {
                if let Some(func) = self.funcs.get(inst.word(14)) {
                    self.module.debug_mut().bind_func(func, entry);
                }
            }
            _ => {}
        }
    }

    /// Names a variable as the source does: one without a name, or, if `is_local`, any of a function.
    pub(super) fn name_var(&mut self, var: vitrine_ir::Var, entry: Debug, is_local: bool) {
        let name = self.module.debug().text(entry, vitrine_ir::DebugField::Name);
        let Some(name) = name.filter(|&name| !self.module.text_of(name).is_empty()) else { return };
        if let Some(data) = self
            .module
            .var(var)
            .filter(|data| is_local && data.owner.is_some() || data.name.is_none())
            .cloned()
        {
            self.module.set_var(var, vitrine_ir::VarData { name: Some(name), ..data });
        }
    }

    /// The set of an instruction of debug information.
    pub(super) fn debug_set(&self, inst: Instruction<'_>) -> Option<Set> {
        let set = self.sets.get(&inst.word(3)).copied();
        set.filter(|set| matches!(set, Set::ShaderDebug | Set::OldDebug))
    }

    /// The instruction of debug information that defines an id.
    pub(super) fn debug_def(&self, id: u32) -> Option<(Set, Instruction<'_>)> {
        let is_ext =
            |opcode: u16| opcode == S::ExtInst as u16 || opcode == S::ExtInstWithForwardRefsKHR as u16;
        let inst = self.at(self.defs.get(id)?).filter(|inst| is_ext(inst.opcode))?;
        Some((self.debug_set(inst)?, inst))
    }

    /// The entry of an id; entries that it refers to are made first.
    pub(super) fn debug_entry(&mut self, id: u32) -> Option<Debug> {
        let mut work = vec![id];
        while let Some(&id) = work.last() {
            match self.debug.ids.get(&id) {
                Some(DebugEntryState::Done(_)) => drop(work.pop()),
                Some(DebugEntryState::Open) => {
                    work.pop();
                    let made = self.make_entry(id);
                    self.debug.ids.insert(id, DebugEntryState::Done(made));
                }
                None => {
                    self.debug.ids.insert(id, DebugEntryState::Open);
                    // Those that are open are part of a cycle.
                    let wanted = self.wanted_entries(id);
                    work.extend(wanted.into_iter().filter(|id| !self.debug.ids.contains_key(id)));
                }
            }
        }
        self.debug.made(id)
    }

    /// Ids of the entries that an entry refers to.
    fn wanted_entries(&self, id: u32) -> Vec<u32> {
        let Some((set, inst)) = self.debug_def(id) else { return Vec::new() };
        if inst.word(4) == number::TEMPLATE {
            return vec![inst.word(5)];
        }
        let Some(kind) = DebugKind::from_number(inst.word(4)) else { return Vec::new() };
        let mut wanted = Vec::new();
        for (at, operand) in kind.operands().iter().enumerate() {
            let Some(word) = word_of(set, kind, at).filter(|_| matches!(operand.takes, DebugTakes::Entry(_)))
            else {
                continue;
            };
            match operand.presence {
                DebugPresence::List => {
                    wanted.extend(inst.rest(word).iter().filter(|&&id| self.is_listed(kind, id)));
                }
                _ => wanted.extend(inst.words.get(word)),
            }
        }
        wanted.retain(|&id| self.debug_def(id).is_some_and(|(_, inst)| inst.word(4) != number::NONE));
        wanted
    }

    /// Returns true for the members of a composite that hold data; its methods refer to it.
    fn is_listed(&self, kind: DebugKind, id: u32) -> bool {
        kind != DebugKind::Composite
            || self.debug_def(id).is_some_and(|(_, inst)| inst.word(4) == DebugKind::Member.number())
    }

    /// Makes an entry; those that it refers to are known.
    fn make_entry(&mut self, id: u32) -> Option<Debug> {
        let (set, inst) = self.debug_def(id)?;
        let (offset, opcode) = (inst.offset, inst.word(4));
        // The instruction outlives the borrow of the reader.
        let inst = self.at(offset)?;
        if opcode == number::TEMPLATE {
            self.leave_out(MORE, offset);
            return self.debug.made(inst.word(5));
        }
        let Some(kind) = DebugKind::from_number(opcode) else {
            if opcode != number::NONE {
                self.leave_out(OTHER_KIND, offset);
            }
            return None;
        };
        if opcode == number::MATRIX && set != Set::ShaderDebug {
            self.leave_out(OTHER_KIND, offset);
            return None;
        }
        let mut args = Vec::new();
        for (at, operand) in kind.operands().iter().enumerate() {
            let Some(word) = word_of(set, kind, at) else {
                args.push(DebugArg::None);
                continue;
            };
            if operand.presence != DebugPresence::List {
                args.push(self.debug_arg(set, operand, inst.word(word)));
                continue;
            }
            for &id in inst.rest(word) {
                match self.is_listed(kind, id).then(|| self.debug_arg(set, operand, id)) {
                    Some(arg) if arg != DebugArg::None => args.push(arg),
                    _ if matches!(operand.takes, DebugTakes::Number) => args.push(DebugArg::Number(0)),
                    _ => self.leave_out(MORE, offset),
                }
            }
        }
        let made = self.module.debug_mut().add(kind, args).ok();
        if made.is_none() {
            self.leave_out(NO_OPERAND, offset);
        }
        made
    }

    /// An operand, none if it is not as the table wants it.
    fn debug_arg(&mut self, set: Set, operand: &DebugOperand, word: u32) -> DebugArg {
        match operand.takes {
            DebugTakes::Text => self.string(word).map_or(DebugArg::None, DebugArg::Text),
            DebugTakes::Entry(_) => self.debug.made(word).map_or(DebugArg::None, DebugArg::Entry),
            DebugTakes::Number => {
                self.debug_number(set, operand, word).map_or(DebugArg::None, DebugArg::Number)
            }
        }
    }

    fn debug_number(&self, set: Set, operand: &DebugOperand, word: u32) -> Option<u32> {
        use vitrine_ir::DebugField as F;
        // In the older set, sizes and numbers of elements are ids, too.
        let is_id = matches!(operand.field, F::Size | F::Offset | F::Counts);
        if set == Set::OldDebug && !is_id {
            return Some(word);
        }
        u32::try_from(self.number_of(word)?).ok()
    }

    /// A number in an instruction of a function: the id of a constant, or a literal in the older set.
    pub(super) fn debug_word(&self, set: Set, word: u32) -> Option<u32> {
        match set {
            Set::OldDebug => Some(word),
            _ => u32::try_from(self.number_of(word)?).ok(),
        }
    }

    /// Line and scope of the call of a `DebugInlinedAt`; those of the calls around it are made first.
    pub(super) fn debug_call(&mut self, id: u32) -> Option<(u32, Debug)> {
        let mut chain = Vec::new();
        let mut next = id;
        while next != 0 && !self.debug.calls.contains_key(&next) {
            self.debug.calls.insert(next, None);
            chain.push(next);
            next = self.debug_def(next).map_or(0, |(_, inst)| inst.word(7));
        }
        for id in chain.into_iter().rev() {
            let Some((set, inst)) = self.debug_def(id).filter(|(_, inst)| inst.word(4) == number::INLINED_AT)
            else {
                continue;
            };
            let (line, scope, outer, offset) = (inst.word(5), inst.word(6), inst.word(7), inst.offset);
            let line = self.debug_word(set, line);
            let scope = self.debug_entry(scope);
            let scope = scope.and_then(|scope| self.debug_scope_at(scope, outer));
            let call = line.zip(scope);
            if call.is_none() {
                self.leave_out(NO_OPERAND, offset);
            }
            self.debug.calls.insert(id, call);
        }
        self.debug.calls.get(&id).copied().flatten()
    }

    /// A scope, inlined by the call of a `DebugInlinedAt`, if `call` is not 0.
    pub(super) fn debug_scope_at(&mut self, scope: Debug, call: u32) -> Option<Debug> {
        if call == 0 {
            return self.module.debug().kind(scope).filter(|kind| kind.is_scope()).map(|_| scope);
        }
        let (line, at) = self.debug_call(call)?;
        self.module.debug_mut().inlined(scope, line, Some(at))
    }

    /// Names members of structures that have no name, as the source does.
    pub(super) fn name_members(&mut self) {
        use vitrine_ir::{DebugField as F, TypeData};
        let bound: Vec<(vitrine_ir::Var, Debug)> =
            self.module.debug().bound_vars().map(|(var, list)| (var, list[0].variable)).collect();
        for (var, variable) in bound {
            let Some(mut ty) = self.module.var(var).map(|data| data.ty) else { continue };
            let table = self.module.debug();
            let Some(mut entry) = table.of(variable, F::Type) else { continue };
            while let TypeData::Array { of, .. } | TypeData::RuntimeArray { of, .. } = self.module.type_of(ty)
            {
                ty = *of;
            }
            while let (Some(of), true) =
                (table.of(entry, F::Of), table.kind(entry) != Some(DebugKind::Matrix))
            {
                entry = of;
            }
            let TypeData::Struct(structure) = *self.module.type_of(ty) else { continue };
            let Some(data) = self.module.structure(structure).cloned() else { continue };
            let names: Vec<_> = table
                .list(entry)
                .iter()
                .map(|&arg| match arg {
                    DebugArg::Entry(member) => table.text(member, F::Name),
                    DebugArg::None | DebugArg::Number(_) | DebugArg::Text(_) => None,
                })
                .collect();
            if table.kind(entry) != Some(DebugKind::Composite)
                || names.len() != data.members.len()
                || data.members.iter().all(|member| member.name.is_some())
            {
                continue;
            }
            let members = data
                .members
                .iter()
                .zip(names)
                .map(|(member, name)| vitrine_ir::Member { name: member.name.or(name), ..member.clone() });
            let members: Rc<[vitrine_ir::Member]> = members.collect();
            let data = vitrine_ir::StructData { members: members.to_vec().into(), ..data };
            self.module.set_struct(structure, data);
        }
    }
}
