//! Lines of the source: `OpLine`, and the instructions of NonSemantic.Shader.DebugInfo.100.

use super::collect::{Reader, Set};
use super::values::{Lower, Val};
use super::words::{Instruction, Words};
use crate::ir::{FactKey, Origin};
use crate::spirv::spec::Op as S;

/// Numbers of instructions in NonSemantic.Shader.DebugInfo.100.
mod number {
    pub(super) const SOURCE: u32 = 35;
    pub(super) const SOURCE_CONTINUED: u32 = 102;
    pub(super) const LINE: u32 = 103;
    pub(super) const NO_LINE: u32 = 104;
}

impl Reader<'_> {
    /// An extended instruction outside of functions: only debug information occurs there.
    pub(super) fn module_ext_inst(&mut self, inst: Instruction<'_>) {
        let set = self.sets.get(&inst.word(3)).copied();
        match (set, inst.word(4)) {
            (Some(Set::ShaderDebug | Set::OldDebug), number::SOURCE) => {
                for (key, id) in [(FactKey::File, inst.word(5)), (FactKey::Source, inst.word(6))] {
                    if let Some(text) = self.string(id) {
                        let text = self.module.text_of(text).to_owned();
                        self.fact(key, &text);
                    }
                }
            }
            (Some(Set::ShaderDebug), number::SOURCE_CONTINUED) => {
                if let Some(text) = self.string(inst.word(5)) {
                    let text = self.module.text_of(text).to_owned();
                    self.fact(FactKey::Source, &text);
                }
            }
            _ => self.leave_out("debug information other than lines and sources", inst.offset),
        }
    }
}

impl<'a> Lower<'_, 'a> {
    /// Records a source line. Returns true if the instruction has no other purpose.
    pub(super) fn debug_line(&mut self, op: S, inst: Instruction<'a>) -> bool {
        match op {
            S::Line => {
                let file = self.r.string(inst.word(1));
                self.origin = Origin { file, line: inst.word(2), column: inst.word(3), ..Origin::default() };
                true
            }
            S::NoLine => {
                self.origin = Origin::default();
                true
            }
            S::ExtInst => self.debug_instruction(inst),
            _ => false,
        }
    }

    fn debug_instruction(&mut self, inst: Instruction<'a>) -> bool {
        let set = self.r.sets.get(&inst.word(3)).copied();
        if !matches!(set, Some(Set::ShaderDebug | Set::OldDebug)) {
            return false;
        }
        match (set, inst.word(4)) {
            (Some(Set::ShaderDebug), number::LINE) => {
                let number =
                    |at: usize| self.r.number_of(inst.word(at)).and_then(|number| u32::try_from(number).ok());
                let (line, column) = (number(6).unwrap_or(0), number(8).unwrap_or(0));
                let source = self.r.def(inst.word(5)).filter(|def| def.opcode == S::ExtInst as u16);
                let file = source.and_then(|source| self.r.string(source.word(5)));
                self.origin = Origin { file, line, column, ..Origin::default() };
            }
            (Some(Set::ShaderDebug), number::NO_LINE) => self.origin = Origin::default(),
            _ => self.r.leave_out("debug information other than lines and sources", inst.offset),
        }
        if let Some(ty) = self.r.types.get(inst.word(1)) {
            self.set(inst.word(2), ty, Val::Many { at: 0, len: 0 });
        }
        true
    }
}
