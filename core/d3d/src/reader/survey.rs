//! The registers that a program uses: one pass over its instructions.

use crate::sm1::{
    ALL_COMPONENTS, ConstantTable, Declaration, Definition, File, Inst, Item, ItemKind, Op, Register, Src,
};
use crate::sm1::{Program, Version};
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, BTreeSet};

/// The facts about a program that its variables depend on.
#[derive(Default)]
pub(super) struct Survey {
    /// Every register that is read or written, with the components that are written.
    pub(super) used: BTreeMap<Register, u8>,
    /// Files with a relative address.
    pub(super) relative: BTreeSet<File>,
    /// Declarations by register, first one first, and true if interpolated at the centroid.
    pub(super) declared: FxHashMap<Register, (Declaration, bool)>,
    /// Constants that the program defines; the last definition counts.
    pub(super) defined: BTreeMap<Register, Definition>,
    /// Subroutines in order.
    pub(super) labels: Vec<u16>,
    /// True if a subroutine is called.
    pub(super) has_calls: bool,
    /// True if the matrix of a texture stage is needed.
    pub(super) needs_bem: bool,
    /// True if a pixel that was killed may be asked for a derivative: a lookup or a difference may follow.
    pub(super) kills_go_on: bool,
    /// One more than the last register of each file in the table of constants, if the program has one. Relative addresses
    /// stay below: every array is in the table.
    pub(super) ends: BTreeMap<File, u16>,
}

impl Survey {
    /// Surveys a program.
    pub(super) fn of(program: &Program, version: Version) -> Survey {
        let mut survey = Survey::default();
        let (mut kills, mut asks, mut repeats) = (false, false, false);
        for (_, inst) in program.insts() {
            survey.instruction(inst, version);
            kills |= inst.op == Op::TexKill;
            repeats |= matches!(inst.op, Op::Loop | Op::Rep | Op::Call | Op::CallNz);
            if takes_derivatives(inst.op) {
                asks = true;
                survey.kills_go_on |= kills;
            }
        }
        survey.kills_go_on |= kills && asks && repeats;
        survey
    }

    fn instruction(&mut self, inst: &Inst, version: Version) {
        match inst.op {
            Op::Dcl => {
                if let (Some(dst), Some(declaration)) = (inst.dst, inst.declaration) {
                    self.declared.entry(dst.register).or_insert((declaration, dst.centroid));
                }
                return;
            }
            Op::Def | Op::DefI | Op::DefB => {
                if let (Some(dst), Some(definition)) = (inst.dst, inst.definition) {
                    self.defined.insert(dst.register, definition);
                }
                return;
            }
            Op::Label => {
                self.labels.extend(inst.sources().first().map(|label| label.register.number));
                return;
            }
            Op::Call | Op::CallNz => self.has_calls = true,
            Op::TexBem | Op::TexBemL | Op::Bem => self.needs_bem = true,
            _ => {}
        }
        if let Some(dst) = inst.dst {
            *self.used.entry(dst.register).or_default() |= dst.mask;
            if let Some(index) = dst.index {
                self.relative.insert(dst.register.file);
                self.used.entry(index.register).or_default();
            }
        }
        let rows = matrix_rows(inst.op);
        for (at, src) in inst.sources().iter().enumerate() {
            // A matrix takes consecutive registers.
            let count = if at == 1 { rows } else { 1 };
            for further in 0..count {
                self.source(src, further);
            }
        }
        if let Some(predicate) = inst.predicate {
            self.source(&predicate, 0);
        }
        if version.is_ps_1() {
            self.stage(inst, version);
        }
    }

    fn source(&mut self, src: &Src, further: u16) {
        let register = Register::new(src.register.file, src.register.number.saturating_add(further));
        self.used.entry(register).or_default();
        if let Some(index) = src.index {
            self.relative.insert(src.register.file);
            self.used.entry(index.register).or_default();
        }
    }

    /// Texture instructions of model 1 sample the texture with the number of their destination.
    fn stage(&mut self, inst: &Inst, version: Version) {
        let samples = match inst.op {
            Op::Tex | Op::TexLd4 => true,
            Op::TexCoord | Op::TexCrd | Op::TexKill => false,
            op => op.info().is_texture() && version.minor < 4,
        };
        if let (true, Some(dst)) = (samples, inst.dst) {
            self.used.entry(Register::new(File::Sampler, dst.register.number)).or_default();
        }
    }

    /// The registers of a file, by number.
    pub(super) fn of_file(&self, file: File) -> impl Iterator<Item = (u16, u8)> + '_ {
        let all = Register::new(file, 0)..=Register::new(file, u16::MAX);
        self.used.range(all).map(|(register, &written)| (register.number, written))
    }

    /// Returns true if a relative address may reach a register.
    pub(super) fn is_reached(&self, register: Register) -> bool {
        self.ends.get(&register.file).is_none_or(|&end| register.number < end)
    }

    /// Records the registers of a table of constants.
    pub(super) fn add_table(&mut self, table: &ConstantTable) {
        for constant in &table.constants {
            let end = self.ends.entry(constant.set.file()).or_insert(0);
            *end = (*end).max(constant.register.saturating_add(constant.count));
        }
    }

    /// The components of a register that are written; all if it is written by a relative address.
    pub(super) fn written(&self, register: Register) -> u8 {
        match self.relative.contains(&register.file) {
            true => ALL_COMPONENTS,
            false => self.used.get(&register).copied().unwrap_or(0),
        }
    }
}

/// Returns true for a difference of neighbors, and a lookup whose level follows from one.
fn takes_derivatives(op: Op) -> bool {
    let is_lookup = op.info().is_texture() && !matches!(op, Op::TexKill | Op::TexCoord | Op::TexCrd);
    is_lookup || matches!(op, Op::Dsx | Op::Dsy)
}

/// The number of registers that the second source of an instruction takes.
pub(super) fn matrix_rows(op: Op) -> u16 {
    match op {
        Op::M4x4 | Op::M3x4 => 4,
        Op::M4x3 | Op::M3x3 => 3,
        Op::M3x2 => 2,
        _ => 1,
    }
}

/// The instruction of an item.
pub(super) fn instruction(item: &Item) -> Option<&Inst> {
    match &item.kind {
        ItemKind::Inst(inst) => Some(inst),
        ItemKind::Comment(_) | ItemKind::Words(_) => None,
    }
}
