//! The parts of a module, kept apart until the end: what is mentioned where, and the header.

use super::words::{Words, text};
use super::{DECLARATION, Options, TOO_LONG, needs, refuse};
use crate::ir::{Anchor, Diag, FactKey, Func, Global, Module, Struct, Text, Type, Var};
use crate::ops::Key;
use crate::spirv::spec::{AddressingModel, MemoryModel, Op as S, SourceLanguage, StorageClass as C};
use crate::spirv::{HEADER_WORDS, MAGIC};
use rustc_hash::{FxHashMap, FxHashSet};

/// An entry point.
pub(super) struct Entry {
    /// The words before the interface.
    pub(super) head: Vec<u32>,
    /// The interface: ids of variables, with their storage classes.
    pub(super) interface: Vec<(u32, u32)>,
    /// Its function.
    pub(super) func: Func,
}

/// A module being written.
pub(super) struct Writer<'a> {
    pub(super) module: &'a Module,
    next: u32,
    /// Integers have no sign in kernels.
    pub(super) kernel: bool,
    /// Entry points.
    pub(super) entries: Vec<Entry>,
    pub(super) modes: Words,
    pub(super) strings: Words,
    pub(super) names: Words,
    pub(super) decorations: Words,
    /// Types, constants, variables, in the order they need each other.
    pub(super) globals: Words,
    pub(super) functions: Words,
    /// Imported instruction sets: name and id.
    imports: Vec<(String, u32)>,
    texts: FxHashMap<Text, u32>,
    empty: Option<u32>,
    processed: Words,
    /// Types and constants by their words.
    pub(super) interned: FxHashMap<Box<[u32]>, u32>,
    pub(super) types: FxHashMap<Type, super::types::State>,
    pub(super) structs: FxHashMap<Struct, u32>,
    pub(super) constants: super::constants::Table,
    pub(super) global_ids: FxHashMap<Global, super::constants::Written>,
    /// Constants being written that are made of each other.
    pub(super) depth: u32,
    pub(super) vars: FxHashMap<Var, u32>,
    /// Variables of functions, in order.
    pub(super) locals: FxHashMap<Func, Vec<Var>>,
    pub(super) funcs: FxHashMap<Func, u32>,
    pub(super) signatures: FxHashMap<Func, std::rc::Rc<super::func::Signature>>,
    /// Ids that have a name, and decorations that were written.
    named: FxHashSet<u32>,
    decorated: FxHashSet<(u32, u32)>,
    /// Array strides of pointer types.
    pub(super) strides: FxHashMap<u32, u32>,
    pub(super) cx: crate::analysis::Analyses,
    /// What was written for what; words are counted in `functions`.
    pub(super) trail: super::Trail,
}

impl<'a> Writer<'a> {
    pub(super) fn new(module: &'a Module) -> Writer<'a> {
        let mut capabilities = module.facts.iter().filter(|fact| fact.key == FactKey::Capability);
        Writer {
            module,
            next: 1,
            kernel: capabilities.any(|fact| module.text_of(fact.value) == "Kernel"),
            entries: Vec::new(),
            modes: Words::default(),
            strings: Words::default(),
            names: Words::default(),
            decorations: Words::default(),
            globals: Words::default(),
            functions: Words::default(),
            imports: Vec::new(),
            texts: FxHashMap::default(),
            empty: None,
            processed: Words::default(),
            interned: FxHashMap::default(),
            types: FxHashMap::default(),
            structs: FxHashMap::default(),
            constants: super::constants::Table::default(),
            global_ids: FxHashMap::default(),
            depth: 0,
            vars: FxHashMap::default(),
            locals: FxHashMap::default(),
            funcs: FxHashMap::default(),
            signatures: FxHashMap::default(),
            named: FxHashSet::default(),
            decorated: FxHashSet::default(),
            strides: FxHashMap::default(),
            cx: crate::analysis::Analyses::new(),
            trail: super::Trail::default(),
        }
    }

    /// Everything outside of functions that is there whether a function mentions it or not.
    pub(super) fn declare(&mut self) -> Result<(), Diag> {
        for (func, body) in self.module.funcs() {
            let id = self.fresh();
            self.funcs.insert(func, id);
            self.name(id, body.name());
        }
        for (var, data) in self.module.vars() {
            if let Some(owner) = data.owner {
                self.locals.entry(owner).or_default().push(var);
            }
        }
        self.find_kinds();
        self.declare_globals()?;
        self.declare_vars()?;
        self.declare_entries()
    }

    /// An id nobody had before.
    pub(super) fn fresh(&mut self) -> u32 {
        self.next += 1;
        self.next - 1
    }

    /// Gives an id a name, unless it has one.
    pub(super) fn name(&mut self, id: u32, name: Option<Text>) {
        if let Some(name) = name
            && self.named.insert(id)
        {
            let words = text(self.module.text_of(name));
            self.names.parts(S::Name, &[&[id], &words]);
        }
    }

    /// Says something about an id, once.
    pub(super) fn decorate(&mut self, id: u32, number: u32, operands: &[u32]) {
        if self.decorated.insert((id, number)) {
            self.decorations.parts(S::Decorate, &[&[id, number], operands]);
        }
    }

    /// The id of a text.
    pub(super) fn string(&mut self, of: Text) -> u32 {
        if let Some(&id) = self.texts.get(&of) {
            return id;
        }
        let id = self.fresh();
        let words = text(self.module.text_of(of));
        self.strings.parts(S::String, &[&[id], &words]);
        self.texts.insert(of, id);
        id
    }

    /// The id of an instruction set.
    pub(super) fn import(&mut self, name: &str) -> u32 {
        if let Some((_, id)) = self.imports.iter().find(|(known, _)| known == name) {
            return *id;
        }
        let id = self.fresh();
        self.imports.push((name.to_owned(), id));
        id
    }

    /// Whether the module declares a capability.
    pub(super) fn declares(&self, capability: &str) -> bool {
        self.facts(FactKey::Capability).any(|name| name == capability)
    }

    /// The facts of a kind.
    pub(super) fn facts(&self, key: FactKey) -> impl Iterator<Item = &'a str> {
        let module = self.module;
        module.facts.iter().filter(move |fact| fact.key == key).map(|fact| module.text_of(fact.value))
    }

    /// The module, word for word.
    pub(super) fn finish(mut self, options: Options) -> Result<(Vec<u32>, super::Trail), Diag> {
        self.carried_decorations()?;
        let model = self.memory_model()?;
        let sources = self.sources();
        let head = |writer: &Self, needs: Option<&needs::Needs>| {
            let mut head = Words::default();
            if let Some(needs) = needs {
                needs.capabilities.iter().for_each(|&capability| head.inst(S::Capability, &[capability]));
                needs.extensions.iter().for_each(|name| head.inst(S::Extension, &text(name)));
            }
            for (name, id) in &writer.imports {
                head.parts(S::ExtInstImport, &[&[*id], &text(name)]);
            }
            head.inst(S::MemoryModel, &model);
            head
        };
        let header = |writer: &Self, version| vec![MAGIC, version, generator(writer), writer.next, 0];
        let mut all = header(&self, self.declared_version());
        let entries = self.entry_words(None);
        let parts = [
            &head(&self, None),
            &entries,
            &self.modes,
            &self.processed,
            &self.decorations,
            &self.globals,
            &self.functions,
        ];
        for section in parts {
            all.extend_from_slice(&section.words);
        }
        let needs = needs::of(&self, all, options);
        let mut out = header(&self, needs.version);
        let mut trail = self.trail();
        let entries = self.entry_words(Some(needs.version));
        let head = head(&self, Some(&needs));
        let sections = [
            head,
            entries,
            self.modes,
            self.strings,
            sources,
            self.names,
            self.processed,
            self.decorations,
            self.globals,
            self.functions,
        ];
        if sections.iter().any(|section| section.too_long) {
            let says = "an instruction would have more than 65,535 words";
            let help = "split the structure, the switch or the list of operands it is about";
            return Err(refuse(TOO_LONG, says, help));
        }
        debug_assert_eq!(out.len(), HEADER_WORDS);
        out.reserve(sections.iter().map(Words::len).sum());
        sections.iter().for_each(|section| out.extend_from_slice(&section.words));
        let before = (out.len() - sections.last().map_or(0, Words::len)) as u32;
        trail.words.iter_mut().for_each(|(word, _)| *word += before);
        Ok((out, trail))
    }

    fn trail(&mut self) -> super::Trail {
        let mut trail = std::mem::take(&mut self.trail);
        trail.ids.extend(self.vars.iter().map(|(&var, &id)| (id, Anchor::Var(var))));
        trail.ids.extend(self.funcs.iter().map(|(&func, &id)| (id, Anchor::Func(func))));
        trail.ids.sort_unstable();
        trail
    }

    /// Entry points. Before 1.4 an interface is inputs and outputs; from 1.4 on, every variable of the module that the
    /// entry point may use.
    fn entry_words(&self, version: Option<u32>) -> Words {
        const COMPLETE: u32 = 1 << 16 | 4 << 8;
        let mut out = Words::default();
        let was_complete = self.declared_version() >= COMPLETE;
        for Entry { head, interface, func } in &self.entries {
            let is_border = |class: u32| class == C::Input as u32 || class == C::Output as u32;
            let mut ids: Vec<u32> = match version.is_some_and(|version| version < COMPLETE) {
                true => interface.iter().filter(|(_, class)| is_border(*class)).map(|(id, _)| *id).collect(),
                false => interface.iter().map(|(id, _)| *id).collect(),
            };
            if version.is_some_and(|version| version >= COMPLETE) && !was_complete {
                let known: FxHashSet<u32> = ids.iter().copied().collect();
                let used = used_by(self.module, *func);
                let globals =
                    self.module.vars().filter(|(var, data)| data.owner.is_none() && used.contains(var));
                let more = globals.filter_map(|(var, _)| self.vars.get(&var).copied());
                ids.extend(more.filter(|id| !known.contains(id)));
            }
            out.parts(S::EntryPoint, &[head, &ids]);
        }
        out
    }

    fn memory_model(&self) -> Result<[u32; 2], Diag> {
        let number = |key, what: &str, default: &'static str, of: fn(&str) -> Option<u32>| {
            let name = self.facts(key).next().unwrap_or(default);
            name.parse().ok().or_else(|| of(name)).ok_or_else(|| {
                refuse(DECLARATION, format!("there is no {what} `{name}`"), "use a name of SPIR-V")
            })
        };
        let addressing = number(FactKey::Addressing, "addressing model", "Logical", |name| {
            name.parse::<AddressingModel>().ok().map(|model| model as u32)
        })?;
        let memory = number(FactKey::Memory, "memory model", "GLSL450", |name| {
            name.parse::<MemoryModel>().ok().map(|model| model as u32)
        })?;
        Ok([addressing, memory])
    }

    /// Language, file and text of the source.
    fn sources(&mut self) -> Words {
        let mut out = Words::default();
        let mut open: Option<(u32, u32, Option<u32>, Option<Text>)> = None;
        let facts = self.module.facts.clone();
        for fact in facts.iter() {
            match fact.key {
                FactKey::Language => {
                    flush_source(self.module, &mut out, open.take());
                    let mut words = self.module.text_of(fact.value).split(' ');
                    let name = words.next().unwrap_or("");
                    let known = name.parse::<SourceLanguage>().ok().map(|language| language as u32);
                    let language = known.or_else(|| name.parse().ok()).unwrap_or(0);
                    let version = words.next().and_then(|version| version.parse().ok()).unwrap_or(0);
                    open = Some((language, version, None, None));
                }
                FactKey::File => {
                    let file = self.string(fact.value);
                    match &mut open {
                        Some((_, _, slot @ None, None)) => *slot = Some(file),
                        _ => {
                            flush_source(self.module, &mut out, open.take());
                            open = Some((0, 0, Some(file), None));
                        }
                    }
                }
                FactKey::Source => {
                    // A text stands behind a file.
                    let nameless = match &open {
                        Some((_, _, file, None)) => file.is_none(),
                        _ => true,
                    };
                    let file = nameless.then(|| self.empty_string());
                    match &mut open {
                        Some((_, _, slot, text @ None)) => {
                            *slot = file.or(*slot);
                            *text = Some(fact.value);
                        }
                        _ => {
                            flush_source(self.module, &mut out, open.take());
                            open = Some((0, 0, file, Some(fact.value)));
                        }
                    }
                }
                FactKey::Processed => {
                    self.processed.inst(S::ModuleProcessed, &text(self.module.text_of(fact.value)));
                }
                FactKey::Version
                | FactKey::Generator
                | FactKey::Capability
                | FactKey::Extension
                | FactKey::Import
                | FactKey::Addressing
                | FactKey::Memory => {}
            }
        }
        flush_source(self.module, &mut out, open);
        out
    }

    pub(super) fn empty_string(&mut self) -> u32 {
        if let Some(id) = self.empty {
            return id;
        }
        let id = self.fresh();
        self.strings.inst(S::String, &[id, 0]);
        self.empty = Some(id);
        id
    }
}

fn generator(writer: &Writer<'_>) -> u32 {
    writer.facts(FactKey::Generator).next().and_then(|number| number.parse().ok()).unwrap_or(0)
}

/// Most words of a text in one instruction; what is longer goes on in `OpSourceContinued`.
const MOST_TEXT: usize = 60_000;

fn flush_source(module: &Module, out: &mut Words, source: Option<(u32, u32, Option<u32>, Option<Text>)>) {
    let Some((language, version, file, of)) = source else { return };
    let Some(of) = of else {
        let file = file.map_or(vec![], |file| vec![file]);
        return out.parts(S::Source, &[&[language, version], &file]);
    };
    let mut rest = module.text_of(of);
    let mut first = true;
    while first || !rest.is_empty() {
        let mut at = rest.len().min(MOST_TEXT * 4);
        while !rest.is_char_boundary(at) {
            at -= 1;
        }
        let (piece, more) = rest.split_at(at);
        match first {
            true => out.parts(S::Source, &[&[language, version, file.unwrap_or(0)], &text(piece)]),
            false => out.inst(S::SourceContinued, &text(piece)),
        }
        (rest, first) = (more, false);
    }
}

/// The variables that a function and all it calls name.
fn used_by(module: &Module, func: Func) -> FxHashSet<Var> {
    let (mut used, mut seen, mut open) = (FxHashSet::default(), FxHashSet::default(), vec![func]);
    while let Some(func) = open.pop() {
        let Some(body) = module.func(func).filter(|_| seen.insert(func)) else { continue };
        body.for_each_inst(|_, inst| {
            let data = body.inst(inst);
            used.extend(data.entity::<Var>(Key::Var));
            open.extend(data.entity::<Func>(Key::Func));
        });
    }
    used
}
