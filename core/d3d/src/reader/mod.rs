//! The reader of Direct3D 9 programs: shader models 1 to 3 become IR.
//!
//! ```text
//! program ── survey ──▶ registers in use ── interface ──▶ variables ── flow, arith, texture ──▶ tree
//! ```
//!
//! The IR shows the program as it is written: a register of the program is a register of the IR, an instruction
//! is a few operations, and structured control flow is the tree. `regs-to-values` makes values of the registers.
//!
//! * Constants are uniform buffers: `c` (floats), `i` (integers), `b` (booleans), set 0, bindings 0 to 2, 16 bytes for
//!   each register. They are arrays, or have the members of the program's table of constants if no relative address
//!   reads them. Constants that the program defines are literals. `bem` (binding 3) has the matrices of `texbem`.
//! * Textures with their samplers are `s0` and so on, set 1, binding by number. Pixel shaders of model 1 do not
//!   declare the type of a texture: it is 2D.
//! * Inputs and outputs have the names of their registers; the semantic is a decoration. The outputs of a stage
//!   and the inputs of the next one have the location of their semantic.
//! * Subroutines are functions. The registers of a program that has some are private variables.
//!
//! `_pp` is the flag `relaxed` of arithmetic and lookups.
//!
//! Limits: of several semantics in one register, the first one is its location.

mod survey; // start here: the registers that a program uses
mod interface; // variables
mod locations; // of inputs and outputs
mod storage; // registers
mod cursor; // creates instructions
mod operands; // sources and destinations
mod arith;
mod texture;
mod texture_1; // texture instructions of ps_1_1 to ps_1_4
mod flow; // blocks, loops, subroutines
pub mod forms; // entries of the front ends: bytecode, assembly, container

use crate::sm1::{ConstantTable, File, Inst as Sm1, Op, Program, Register, Version};
use cursor::Cursor;
use flow::Flow;
use interface::Interface;
use operands::components;
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use std::rc::Rc;
use survey::{Survey, instruction};
use vitrine_ir::{
    Anchor, Diag, Diags, EntryPoint, ExecutionMode, Fact, FactKey, Func, FuncBody, Inst, Mode, ModeUse,
    Module, Stage, Var,
};

/// The result of reading a program.
#[derive(Debug, Default)]
pub struct Read {
    /// The module, or the part of it that could be read.
    pub module: Module,
    /// Diagnostics with the words that they are about.
    pub diags: Diags,
}

/// The maximum number of diagnostics of one program.
const MOST_DIAGS: usize = 100;

/// Everything known while a program is read.
struct Reader<'m> {
    cursor: Cursor<'m>,
    version: Version,
    survey: Survey,
    interface: Interface,
    flow: Flow,
    /// Rows of a matrix that wait for the last one (ps_1_1 to ps_1_3).
    rows: Vec<Inst>,
    /// Names of constants.
    names: BTreeMap<Register, String>,
    /// Subroutines by label: their place in the program, from 1, and their function.
    functions: FxHashMap<u16, (usize, Func)>,
    /// The function that is read: 0 for the main one.
    order: usize,
    diags: Diags,
}

/// A result that is not written yet: the second instruction of a pair reads the registers from before the pair.
struct Pending {
    inst: Sm1,
    value: Inst,
    predicate: Option<Inst>,
}

/// The names of constants in the program's table: those of several registers have a number.
fn names(table: &ConstantTable, survey: &Survey) -> BTreeMap<Register, String> {
    let is_constant =
        |register: &&Register| matches!(register.file, File::Const | File::ConstInt | File::ConstBool);
    let named = survey.used.keys().filter(is_constant).filter_map(|&register| {
        let (constant, at) = table.constant_at(register)?;
        let name = if at == 0 { constant.name.clone() } else { format!("{}_{at}", constant.name) };
        (!constant.name.is_empty()).then_some((register, name))
    });
    named.collect()
}

/// Reads a program. One of an unknown version, which decoding reports (`D101`), gives an empty module.
///
/// Errors: `D131` blocks that do not fit; `D132` an operand that cannot be read; `D133` one that cannot be written;
/// `D134` an unknown comparison; `D135` an incomplete matrix; `D136` a call of no label. Linear in the number of
/// instructions, times the number of defined constants for relative addresses. With `zero_products`, a product is 0
/// if a factor is 0, also with infinity.
pub fn read(program: &Program, zero_products: bool) -> Read {
    let Some(version) = program.version else { return Read::default() };
    let mut module = Module::new();
    let mut survey = Survey::of(program, version);
    // Faults of the table are reported where the program is decoded; a name is no reason to refuse it.
    let table = program.constants().map(|(table, _)| table).unwrap_or_default();
    survey.add_table(&table);
    let names = names(&table, &survey);
    let main = module.add_func(FuncBody::default());
    let mut functions = FxHashMap::default();
    for (at, &label) in survey.labels.iter().enumerate() {
        let func = module.add_func(FuncBody::default());
        functions.entry(label).or_insert((at + 1, func));
    }
    let mut cursor = Cursor::new(&mut module, zero_products);
    let interface = Interface::declare(&mut cursor, &survey, version, &table);
    let mut reader = Reader {
        cursor,
        version,
        survey,
        interface,
        flow: Flow::default(),
        rows: Vec::new(),
        names,
        functions,
        order: 0,
        diags: Diags::new(),
    };
    reader.program(program, main);
    let Reader { interface, diags, .. } = reader;
    declare_entry(&mut module, version, main, &interface);
    Read { module, diags }
}

impl Reader<'_> {
    fn program(&mut self, program: &Program, main: Func) {
        let mut current = main;
        self.begin_function();
        self.interface.prologue(&mut self.cursor, &self.survey);
        let mut waiting: Vec<Pending> = Vec::new();
        let mut items =
            program.items.iter().filter_map(|item| Some((item.at, instruction(item)?))).peekable();
        while let Some((word, inst)) = items.next() {
            self.cursor.word = word;
            if inst.op == Op::Label {
                self.finish(current);
                let label = inst.sources().first().map_or(0, |label| label.register.number);
                let Some(&(order, func)) = self.functions.get(&label) else { continue };
                if order <= self.order {
                    self.error("D136", format!("the label `l{label}` is there twice"));
                }
                (self.order, current) = (self.order + 1, func);
                self.begin_function();
                continue;
            }
            if !self.control(inst) {
                self.instruction(inst, &mut waiting);
            }
            let is_paired = items.peek().is_some_and(|(_, next)| next.coissue);
            if !is_paired {
                for Pending { inst, value, predicate } in waiting.drain(..) {
                    if let Some(dst) = inst.dst {
                        self.cursor.relaxed = dst.partial;
                        self.write(&dst, value, predicate);
                        self.cursor.relaxed = false;
                    }
                }
            }
        }
        self.finish(current);
    }

    /// Ends a function and defines it.
    fn finish(&mut self, func: Func) {
        self.close_all();
        if !self.flow.ended {
            // Programs of model 1 have no `ret`.
            self.finish_path();
        }
        let root = self.root();
        let name = if self.order == 0 { "main".to_owned() } else { format!("l{}", self.label_of(func)) };
        let name = self.cursor.module.text(&name);
        let mut asm = self.cursor.next_function();
        asm.name(Some(name));
        asm.tree(root);
        self.cursor.module.define_func(func, asm.finish());
    }

    fn label_of(&self, func: Func) -> u16 {
        self.functions.iter().find(|(_, (_, known))| *known == func).map_or(0, |(&label, _)| label)
    }

    /// Reads an instruction that is not control flow.
    fn instruction(&mut self, inst: &Sm1, waiting: &mut Vec<Pending>) {
        match inst.op {
            Op::Nop | Op::Phase | Op::Dcl | Op::Def | Op::DefI | Op::DefB => return,
            Op::TexKill => return self.kill(inst),
            // Damaged programs have destinations without components.
            _ if inst.dst.is_some_and(|dst| dst.mask == 0) => return,
            _ => {}
        }
        self.cursor.relaxed = inst.dst.is_some_and(|dst| dst.partial);
        let value = match self.arithmetic(inst) {
            Some(value) => Some(value),
            None if self.version.is_ps_1() => self.texture_1(inst),
            None => self.texture(inst),
        };
        self.cursor.relaxed = false;
        let (Some(value), Some(dst)) = (value, inst.dst) else { return };
        let predicate = inst.predicate.map(|predicate| self.predicate(&predicate, &components(dst.mask)));
        waiting.push(Pending { inst: *inst, value, predicate });
    }

    /// Reports an error about the current instruction.
    fn error(&mut self, code: &'static str, says: String) {
        self.error_at(self.cursor.word, code, says);
    }

    /// Reports an error about the instruction at a word.
    fn error_at(&mut self, word: u32, code: &'static str, says: String) {
        if self.diags.len() < MOST_DIAGS {
            self.diags.push(Diag::error(code, Anchor::Word(word)).says(says));
        }
    }
}

fn declare_entry(module: &mut Module, version: Version, func: Func, interface: &Interface) {
    for (key, value) in [
        (FactKey::Version, "1.3"),
        (FactKey::Capability, "Shader"),
        // Semantics are decorations of this extension.
        (FactKey::Extension, "SPV_GOOGLE_hlsl_functionality1"),
        (FactKey::Addressing, "Logical"),
        (FactKey::Memory, "GLSL450"),
        // Reads of constants that do not exist give 0.
        (FactKey::Robust, "all"),
    ] {
        let value = module.text(value);
        Rc::make_mut(&mut module.facts).push(Fact { key, value });
    }
    let stage = if version.is_vertex() { Stage::Vertex } else { Stage::Fragment };
    let mut modes = Vec::new();
    if stage == Stage::Fragment {
        modes.push(ExecutionMode::OriginUpperLeft);
        if interface.outputs.iter().any(|(register, ..)| register.file == File::Depth) {
            modes.push(ExecutionMode::DepthReplacing);
        }
    }
    let modes = modes.into_iter().map(|mode| ModeUse { mode, args: Vec::new() }).collect();
    let name = module.text("main");
    let is_varying =
        |var: &Var| module.var(*var).is_some_and(|data| matches!(data.mode, Mode::In | Mode::Out));
    let interface = interface.all.iter().copied().filter(is_varying).collect();
    Rc::make_mut(&mut module.entries).push(EntryPoint { name, stage, func, interface, modes });
}
