//! One pass over the words: definitions of ids, decorations of ids, and positions of functions.
//!
//! Nothing is lowered here. Names and decorations stay words until they are needed.

use super::diagnostics;
use super::schema::Form;
use super::tables::{ConstantTable, DebugReader, LeafTable, Read};
use super::words::{self, Binary, Instruction, Words};
use crate::IdMap;
use crate::spec::Op as S;
use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;
use vitrine_ir::base::{pair, sort_by_number};
use vitrine_ir::{Anchor, Diag, Diags, FactKey, Func, Level, Module, Struct, Text, Type, Var};

/// Everything known while a module is read.
pub(super) struct Reader<'a> {
    pub(super) binary: &'a Binary,
    /// All words of it.
    pub(super) words: &'a [u32],
    pub(super) module: Module,
    pub(super) diags: Diags,
    /// The word offset of the instruction that defines an id; 0 for none.
    pub(super) defs: IdMap<u32>,
    pub(super) names: IdMap<u32>,
    /// Structure, member, word of the `OpMemberName`; sorted.
    pub(super) member_names: Vec<(u32, u32, u32)>,
    /// Decorations, sorted by their targets.
    pub(super) decorations: Vec<Decoration>,
    /// Imported instruction sets.
    pub(super) sets: FxHashMap<u32, Set>,
    /// Words of declarations, in order.
    pub(super) type_offsets: Vec<u32>,
    pub(super) constant_offsets: Vec<u32>,
    pub(super) var_offsets: Vec<u32>,
    pub(super) entry_offsets: Vec<u32>,
    pub(super) mode_offsets: Vec<u32>,
    pub(super) bodies: Vec<Body>,
    /// Forward pointer types: id to storage class.
    pub(super) ahead: FxHashMap<u32, u32>,

    pub(super) types: IdMap<Type>,
    pub(super) structs: IdMap<Struct>,
    pub(super) buffer_blocks: FxHashSet<Struct>,
    pub(super) leaves: LeafTable,
    pub(super) constants: ConstantTable,
    pub(super) vars: IdMap<Var>,
    pub(super) funcs: IdMap<Func>,
    pub(super) strings: FxHashMap<u32, Text>,
    /// The number of leaves that composites may still be split into.
    pub(super) budget: usize,
    /// The anchors of variables, functions and blocks, by the word of their declaration.
    pub(super) homes: Vec<(u32, Anchor)>,
    /// Ignored constructs by kind, with their number: reported at the end.
    pub(super) left_out: FxHashMap<&'static str, (u32, u32)>,
    /// The declared extensions, in order.
    pub(super) extensions: Vec<String>,
    pub(super) debug: DebugReader,
}

/// The words of a function.
#[derive(Clone, Copy, Debug)]
pub(super) struct Body {
    /// Word of its `OpFunction`.
    pub(super) start: u32,
    /// The word after its last instruction.
    pub(super) end: u32,
}

/// A decoration of an id.
#[derive(Clone, Copy, Debug)]
pub(super) struct Decoration {
    /// Its target.
    pub(super) id: u32,
    /// 0 for the whole, otherwise the member, from 1 on.
    pub(super) member: u32,
    pub(super) number: u32,
    /// Words of its operands.
    pub(super) start: u32,
    pub(super) len: u32,
    /// Operands are ids.
    pub(super) by_id: bool,
}

/// An imported instruction set.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Set {
    Glsl,
    OpenCl,
    Printf,
    /// NonSemantic.Shader.DebugInfo.100.
    ShaderDebug,
    /// OpenCL.DebugInfo.100.
    OldDebug,
    /// Other non-semantic sets, and the first set of debug information.
    NonSemantic,
    Other,
}

/// Walks a binary.
pub(super) fn collect<'a>(binary: &'a Binary, diags: Diags) -> Reader<'a> {
    let words = binary.words();
    let mut reader = Reader {
        binary,
        words,
        module: Module::new(),
        diags,
        defs: IdMap::for_words(words.len()),
        names: IdMap::for_words(words.len()),
        member_names: Vec::new(),
        decorations: Vec::new(),
        sets: FxHashMap::default(),
        type_offsets: Vec::new(),
        constant_offsets: Vec::new(),
        var_offsets: Vec::new(),
        entry_offsets: Vec::new(),
        mode_offsets: Vec::new(),
        bodies: Vec::new(),
        ahead: FxHashMap::default(),
        types: IdMap::for_words(words.len()),
        structs: IdMap::for_words(words.len()),
        buffer_blocks: FxHashSet::default(),
        leaves: LeafTable::default(),
        constants: ConstantTable::new(words.len()),
        vars: IdMap::for_words(words.len()),
        funcs: IdMap::for_words(words.len()),
        strings: FxHashMap::default(),
        budget: (1 << 16) + 2 * words.len(),
        homes: Vec::new(),
        left_out: FxHashMap::default(),
        extensions: Vec::new(),
        debug: DebugReader::default(),
    };
    reader.header();
    Walk {
        reader: &mut reader,
        function: None,
        group_members: Vec::new(),
        source: None,
        memory_model: false,
    }
    .run();
    reader
}

struct Walk<'r, 'a> {
    reader: &'r mut Reader<'a>,
    /// The first word of the function being read.
    function: Option<u32>,
    /// Target, member, group.
    group_members: Vec<(u32, u32, u32)>,
    /// Source text whose continuation may follow.
    source: Option<String>,
    memory_model: bool,
}

impl Walk<'_, '_> {
    fn run(mut self) {
        let binary = self.reader.binary;
        binary.instructions().for_each(|inst| self.instruction(inst));
        self.flush_source();
        let end = self.reader.words.len() as u32;
        if let Some(start) = self.function {
            self.reader.bodies.push(Body { start, end });
            let diag = diagnostics::error(diagnostics::LAYOUT, Anchor::Word(end))
                .says("the last function has no OpFunctionEnd");
            self.reader.report(diag.help("the end of the file may be missing"));
        }
        if !self.memory_model {
            let diag =
                diagnostics::error(diagnostics::LAYOUT, Anchor::Module).says("there is no OpMemoryModel");
            self.reader.report(diag.help("add one, such as `OpMemoryModel Logical GLSL450`"));
        }
        self.expand_groups();
        let by_place = |decoration: &Decoration| pair(decoration.id, decoration.member);
        sort_by_number(&mut self.reader.decorations, by_place);
        sort_by_number(&mut self.reader.member_names, |&(_, _, offset)| offset as u64);
        sort_by_number(&mut self.reader.member_names, |&(id, member, _)| pair(id, member));
    }

    fn instruction(&mut self, inst: Instruction<'_>) {
        let Some(form) = Form::of(inst.opcode) else {
            let diag = diagnostics::error(diagnostics::UNKNOWN, Anchor::Word(inst.offset));
            let diag = diag.says(format!("opcode {} is unknown", inst.opcode));
            return self.reader.report(match self.reader.extensions.is_empty() {
                true => diag.help("the word may be damaged, or from a version of SPIR-V newer than 1.6"),
                false => diag.help(format!(
                    "the word may be damaged, or from an extension that is not supported; the module declares {}",
                    self.reader.extensions.join(", ")
                )),
            });
        };
        if inst.words.len() < form.least() {
            let diag = diagnostics::error(diagnostics::LAYOUT, Anchor::Word(inst.offset));
            let name = diagnostics::opcode(inst.opcode);
            let diag =
                diag.says(format!("{name} has {} words, but needs {}", inst.words.len(), form.least()));
            return self.reader.report(diag.help("operands are missing"));
        }
        if let Some(at) = form.result_at() {
            self.define(inst.word(at), inst);
        }
        let Some(op) = S::from_u32(u32::from(inst.opcode)) else { return };
        match (op, self.function) {
            (S::Function, None) => self.function = Some(inst.offset),
            (S::Function, Some(start)) => {
                let diag = diagnostics::error(diagnostics::LAYOUT, Anchor::Word(inst.offset))
                    .says("OpFunction inside a function");
                self.reader.report(diag.help("end the function before it with OpFunctionEnd"));
                self.reader.bodies.push(Body { start, end: inst.offset });
                self.function = Some(inst.offset);
            }
            (S::FunctionEnd, Some(start)) => {
                self.reader.bodies.push(Body { start, end: inst.offset + inst.words.len() as u32 });
                self.function = None;
            }
            (S::FunctionEnd, None) => self.misplaced(inst, "outside of any function"),
            (_, Some(_)) => {}
            (_, None) => self.declaration(op, inst, form),
        }
    }

    fn define(&mut self, id: u32, inst: Instruction<'_>) {
        let name = diagnostics::opcode(inst.opcode);
        let diag = || diagnostics::error(diagnostics::IDS, Anchor::Word(inst.offset));
        if id == 0 || id >= self.reader.binary.header.bound {
            let message =
                format!("{name} defines %{id}, but the bound of ids is {}", self.reader.binary.header.bound);
            return self
                .reader
                .report(diag().says(message).help("the bound in the header must be greater than every id"));
        }
        match self.reader.defs.get(id).unwrap_or(0) {
            0 => self.reader.defs.insert(id, inst.offset),
            before => {
                let message = format!("{name} defines %{id} again, which word {before} defines");
                self.reader.report(diag().says(message).help("define each id only once"));
            }
        }
    }

    fn misplaced(&mut self, inst: Instruction<'_>, place: &str) {
        let diag = diagnostics::error(diagnostics::LAYOUT, Anchor::Word(inst.offset));
        let diag = diag.says(format!("{} {place}", diagnostics::opcode(inst.opcode)));
        self.reader.report(diag.help("an instruction before it may be damaged"));
    }

    fn declaration(&mut self, op: S, inst: Instruction<'_>, form: Form) {
        if op != S::SourceContinued {
            self.flush_source();
        }
        let word = |at| inst.word(at);
        let reader = &mut *self.reader;
        match op {
            S::Nop | S::Line | S::NoLine | S::String | S::ConditionalExtensionINTEL => {}
            S::Capability => reader.fact(FactKey::Capability, &capability(word(1))),
            S::Extension => {
                let name = words::text(inst.rest(1)).0;
                reader.fact(FactKey::Extension, &name);
                reader.extensions.push(name);
            }
            S::ExtInstImport => {
                let name = words::text(inst.rest(2)).0;
                reader.sets.insert(word(1), set(&name));
                reader.fact(FactKey::Import, &name);
            }
            S::MemoryModel => {
                use crate::spec::{AddressingModel, MemoryModel};
                self.memory_model = true;
                let addressing = AddressingModel::from_u32(word(1));
                let memory = MemoryModel::from_u32(word(2));
                let name = addressing.map_or(word(1).to_string(), |model| format!("{model:?}"));
                reader.fact(FactKey::Addressing, &name);
                let name = memory.map_or(word(2).to_string(), |model| format!("{model:?}"));
                reader.fact(FactKey::Memory, &name);
            }
            S::Source => self.source(inst),
            S::SourceContinued => match &mut self.source {
                Some(source) => source.push_str(&words::text(inst.rest(1)).0),
                None => self.misplaced(inst, "without the OpSource that it continues"),
            },
            S::SourceExtension => reader.leave_out("OpSourceExtension", inst.offset),
            S::ModuleProcessed => reader.fact(FactKey::Processed, &words::text(inst.rest(1)).0),
            S::Name => {
                if !words::ends(inst.rest(2)) {
                    let diag = diagnostics::error(diagnostics::LAYOUT, Anchor::Word(inst.offset))
                        .says("the text of OpName is not terminated");
                    reader.report(diag.help("a string ends with a zero byte inside the instruction"));
                } else if word(1) < reader.binary.header.bound {
                    reader.names.insert(word(1), inst.offset);
                }
            }
            S::MemberName => reader.member_names.push((word(1), word(2), inst.offset)),
            S::Decorate | S::DecorateString | S::DecorateId => {
                let start = inst.offset + 3;
                let by_id = op == S::DecorateId;
                let len = inst.words.len() as u32 - 3;
                reader.decorations.push(Decoration {
                    id: word(1),
                    member: 0,
                    number: word(2),
                    start,
                    len,
                    by_id,
                });
            }
            S::MemberDecorate | S::MemberDecorateString => {
                let (start, len) = (inst.offset + 4, inst.words.len() as u32 - 4);
                let member = word(2).saturating_add(1);
                let by_id = false;
                reader.decorations.push(Decoration {
                    id: word(1),
                    member,
                    number: word(3),
                    start,
                    len,
                    by_id,
                });
            }
            S::DecorationGroup => {}
            S::GroupDecorate => {
                self.group_members.extend(inst.rest(2).iter().map(|&target| (target, 0, word(1))));
            }
            S::GroupMemberDecorate => {
                let pairs = inst.rest(2).chunks_exact(2);
                self.group_members.extend(pairs.map(|pair| (pair[0], pair[1].saturating_add(1), word(1))));
            }
            S::EntryPoint => reader.entry_offsets.push(inst.offset),
            S::ExecutionMode | S::ExecutionModeId => reader.mode_offsets.push(inst.offset),
            S::TypeForwardPointer => {
                reader.ahead.insert(word(1), word(2));
            }
            S::Variable | S::UntypedVariableKHR => reader.var_offsets.push(inst.offset),
            S::ExtInst | S::ExtInstWithForwardRefsKHR => reader.module_ext_inst(inst),
            op if is_constant(op) => reader.constant_offsets.push(inst.offset),
            _ if form.result && !form.typed => reader.type_offsets.push(inst.offset),
            _ => match diagnostics::extension_of(inst.opcode, &self.reader.extensions) {
                Some(extension) => self.unsupported(inst, &extension),
                None => self.misplaced(inst, "outside of any function"),
            },
        }
    }

    /// Reports an instruction of an extension that the IR cannot express.
    fn unsupported(&mut self, inst: Instruction<'_>, extension: &str) {
        let name = diagnostics::opcode(inst.opcode);
        let diag = diagnostics::error(diagnostics::BEYOND, Anchor::Word(inst.offset))
            .says(format!("{extension} is not supported: {name} cannot be read"));
        self.reader.report(diag.help("compile the shader without this extension"));
    }

    fn source(&mut self, inst: Instruction<'_>) {
        use crate::spec::SourceLanguage;
        let language = SourceLanguage::from_u32(inst.word(1));
        let language = language.map_or(inst.word(1).to_string(), |language| format!("{language:?}"));
        self.reader.fact(FactKey::Language, &format!("{language} {}", inst.word(2)));
        if inst.words.len() > 3
            && let Some(file) = self.reader.string(inst.word(3))
        {
            let file = self.reader.module.text_of(file).to_owned();
            self.reader.fact(FactKey::File, &file);
        }
        if inst.words.len() > 4 {
            self.source = Some(words::text(inst.rest(4)).0);
        }
    }

    fn flush_source(&mut self) {
        if let Some(source) = self.source.take() {
            self.reader.fact(FactKey::Source, &source);
        }
    }

    /// Gives the decorations of groups to their targets.
    fn expand_groups(&mut self) {
        if self.group_members.is_empty() {
            return;
        }
        let reader = &mut *self.reader;
        sort_by_number(&mut reader.decorations, |decoration| pair(decoration.id, decoration.member));
        let most = reader.words.len() * 2;
        let mut made = Vec::new();
        for &(id, member, group) in &self.group_members {
            made.extend(reader.decorations_of(group).iter().map(|&of| Decoration { id, member, ..of }));
            if made.len() > most {
                let diag = diagnostics::error(diagnostics::TOO_LARGE, Anchor::Module)
                    .says("decoration groups expand to too many decorations");
                reader.report(diag.help("use fewer targets, or fewer decorations in a group"));
                break;
            }
        }
        reader.decorations.extend(made);
    }
}

fn is_constant(op: S) -> bool {
    let number = op as u32;
    (S::ConstantTrue as u32..=S::SpecConstantOp as u32).contains(&number)
        || matches!(
            op,
            S::Undef | S::ConstantCompositeContinuedINTEL | S::SpecConstantCompositeContinuedINTEL
        )
}

fn capability(number: u32) -> String {
    let known = crate::spec::Capability::from_u32(number);
    known.map_or(number.to_string(), |capability| format!("{capability:?}"))
}

fn set(name: &str) -> Set {
    match name {
        "GLSL.std.450" => Set::Glsl,
        "OpenCL.std" => Set::OpenCl,
        "NonSemantic.DebugPrintf" => Set::Printf,
        "NonSemantic.Shader.DebugInfo.100" => Set::ShaderDebug,
        "OpenCL.DebugInfo.100" => Set::OldDebug,
        // The forerunner of both sets, `DebugInfo`, has other operands.
        name if name == "DebugInfo" || name.starts_with("NonSemantic.") => Set::NonSemantic,
        _ => Set::Other,
    }
}

impl<'a> Reader<'a> {
    fn header(&mut self) {
        let header = self.binary.header;
        let (major, minor) = (header.version >> 16 & 255, header.version >> 8 & 255);
        self.fact(FactKey::Version, &format!("{major}.{minor}"));
        self.fact(FactKey::Generator, &header.generator.to_string());
    }

    /// The instruction at a word.
    pub(super) fn at(&self, offset: u32) -> Option<Instruction<'a>> {
        if offset == 0 { None } else { self.binary.instruction_at(offset) }
    }

    /// The instruction that defines an id.
    pub(super) fn def(&self, id: u32) -> Option<Instruction<'a>> {
        self.at(self.defs.get(id).unwrap_or(0))
    }

    /// Adds a diagnostic.
    pub(super) fn report(&mut self, diag: Diag) {
        diagnostics::push(&mut self.diags, diag);
    }

    /// Adds an error about an instruction.
    pub(super) fn error(
        &mut self,
        code: &'static str,
        at: Instruction<'_>,
        message: impl Into<String>,
        help: &str,
    ) {
        let diag = diagnostics::error(code, Anchor::Word(at.offset))
            .says(diagnostics::opcode(at.opcode))
            .says(message);
        self.report(diag.help(help));
    }

    /// Counts something ignored that has no effect.
    pub(super) fn leave_out(&mut self, what: &'static str, offset: u32) {
        self.left_out.entry(what).or_insert((0, offset)).0 += 1;
    }

    /// Adds a fact about the module.
    pub(super) fn fact(&mut self, key: FactKey, value: &str) {
        let value = self.module.text(value);
        Rc::make_mut(&mut self.module.facts).push(vitrine_ir::Fact { key, value });
    }

    /// The text of an `OpString`.
    pub(super) fn string(&mut self, id: u32) -> Option<Text> {
        if let Some(&text) = self.strings.get(&id) {
            return Some(text);
        }
        let inst = self.def(id).filter(|inst| inst.opcode == S::String as u16)?;
        let text = self.module.text(&words::text(inst.rest(2)).0);
        self.strings.insert(id, text);
        Some(text)
    }

    /// The name of an id, unless it is empty.
    pub(super) fn name(&mut self, id: u32) -> Option<Text> {
        let name = words::text(self.at(self.names.get(id).unwrap_or(0))?.rest(2)).0;
        (!name.is_empty()).then(|| self.module.text(&name))
    }

    /// The name of a member.
    pub(super) fn member_name(&mut self, id: u32, member: u32) -> Option<Text> {
        let at = self.member_names.partition_point(|&(of, number, _)| (of, number) < (id, member));
        let &(of, number, offset) = self.member_names.get(at)?;
        if (of, number) != (id, member) {
            return None;
        }
        let name = words::text(self.at(offset)?.rest(3)).0;
        (!name.is_empty()).then(|| self.module.text(&name))
    }

    /// The decorations of an id as a whole.
    pub(super) fn decorations_of(&self, id: u32) -> &[Decoration] {
        self.member_decorations(id, 0)
    }

    /// The decorations of a member, from 1 on, or of the whole.
    pub(super) fn member_decorations(&self, id: u32, member: u32) -> &[Decoration] {
        let key = |decoration: &Decoration| (decoration.id, decoration.member);
        let start = self.decorations.partition_point(|decoration| key(decoration) < (id, member));
        // No valid module has more for one target. A hostile one could make every lookup slow.
        let run = self.decorations[start..].iter().take(4096);
        let len = run.take_while(|decoration| key(decoration) == (id, member)).count();
        &self.decorations[start..start + len]
    }

    /// The first operand of a decoration of an id.
    pub(super) fn decoration(&self, id: u32, number: u32) -> Option<u32> {
        let found = self.decorations_of(id).iter().find(|decoration| decoration.number == number)?;
        Some(if found.len > 0 { self.words[found.start as usize] } else { 0 })
    }

    /// The module and its diagnostics.
    pub(super) fn finish(mut self) -> Read {
        let mut notes: Vec<_> = std::mem::take(&mut self.left_out).into_iter().collect();
        notes.sort_unstable_by_key(|&(what, (_, offset))| (offset, what));
        for (what, (count, offset)) in notes {
            let times = if count > 1 { format!(", {count} times") } else { String::new() };
            let mut diag = Diag::warning(diagnostics::LEFT_OUT, Anchor::Word(offset))
                .says(format!("{what} was ignored{times}"));
            diag.level = Level::Note;
            self.diags.push(diag.help("it does not change the results of the program"));
        }
        self.homes.sort_unstable();
        Read { module: self.module, diags: self.diags, homes: self.homes }
    }
}
