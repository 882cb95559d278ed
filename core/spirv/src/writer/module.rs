//! The writer of a module: ids, names, texts, decorations, and the sections as separate words until the end.

use super::shared::{ConstantTable, DebugWriter, EntryPoint, Signature, Trail, TypeState, WrittenGlobal};
use super::words::{Words, string_words};
use crate::spec::Op as S;
use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;
use vitrine_analysis::Analyses;
use vitrine_ir::{FactKey, Func, Global, Module, Struct, Text, Type, Var};

/// A module being written.
pub(super) struct Writer<'a> {
    pub(super) module: &'a Module,
    pub(super) next: u32,
    /// Integers have no signedness in kernels.
    pub(super) kernel: bool,
    /// The module declares untyped pointers.
    pub(super) has_untyped_pointers: bool,
    /// Entry points.
    pub(super) entries: Vec<EntryPoint>,
    pub(super) modes: Words,
    pub(super) strings: Words,
    pub(super) names: Words,
    pub(super) decorations: Words,
    /// Types, constants and variables, each after those it depends on.
    pub(super) globals: Words,
    pub(super) functions: Words,
    /// Imported instruction sets: name and id.
    pub(super) imports: Vec<(String, u32)>,
    texts: FxHashMap<Text, u32>,
    empty: Option<u32>,
    pub(super) processed: Words,
    /// Types and constants by their words.
    pub(super) interned: FxHashMap<Box<[u32]>, u32>,
    pub(super) types: FxHashMap<Type, TypeState>,
    pub(super) structs: FxHashMap<Struct, u32>,
    pub(super) constants: ConstantTable,
    pub(super) global_ids: FxHashMap<Global, WrittenGlobal>,
    /// Nesting of the constants that are being written.
    pub(super) depth: u32,
    pub(super) vars: FxHashMap<Var, u32>,
    /// Variables of functions, in order.
    pub(super) locals: FxHashMap<Func, Vec<Var>>,
    pub(super) funcs: FxHashMap<Func, u32>,
    pub(super) signatures: FxHashMap<Func, Rc<Signature>>,
    /// Ids that have a name, and decorations that were written.
    named: FxHashSet<u32>,
    decorated: FxHashSet<(u32, u32)>,
    /// Array strides of pointer types.
    pub(super) strides: FxHashMap<u32, u32>,
    /// True if there is a pointer to a physical storage buffer.
    pub(super) has_physical_pointers: bool,
    pub(super) cx: Analyses,
    pub(super) debug: DebugWriter,
    /// Map from words to the program; words are counted in `functions`.
    pub(super) trail: Trail,
}

impl<'a> Writer<'a> {
    pub(super) fn new(module: &'a Module) -> Writer<'a> {
        let capabilities = module.facts.iter().filter(|fact| fact.key == FactKey::Capability);
        let has = |name| capabilities.clone().any(|fact| module.text_of(fact.value) == name);
        Writer {
            module,
            next: 1,
            kernel: has("Kernel"),
            has_untyped_pointers: has("UntypedPointersKHR"),
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
            constants: ConstantTable::default(),
            global_ids: FxHashMap::default(),
            depth: 0,
            vars: FxHashMap::default(),
            locals: FxHashMap::default(),
            funcs: FxHashMap::default(),
            signatures: FxHashMap::default(),
            named: FxHashSet::default(),
            decorated: FxHashSet::default(),
            strides: FxHashMap::default(),
            has_physical_pointers: false,
            cx: Analyses::new(),
            debug: DebugWriter::default(),
            trail: Trail::default(),
        }
    }

    /// Returns a new id.
    pub(super) fn fresh(&mut self) -> u32 {
        self.next += 1;
        self.next - 1
    }

    /// Gives an id a name, unless it has one.
    pub(super) fn name(&mut self, id: u32, name: Option<Text>) {
        if let Some(name) = name
            && self.named.insert(id)
        {
            let words = string_words(self.module.text_of(name));
            self.names.parts(S::Name, &[&[id], &words]);
        }
    }

    /// Decorates an id, once per decoration.
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
        let words = string_words(self.module.text_of(of));
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

    /// Returns true if the module declares a capability.
    pub(super) fn declares(&self, capability: &str) -> bool {
        self.facts(FactKey::Capability).any(|name| name == capability)
    }

    /// The facts with a key.
    pub(super) fn facts(&self, key: FactKey) -> impl Iterator<Item = &'a str> {
        let module = self.module;
        module.facts.iter().filter(move |fact| fact.key == key).map(|fact| module.text_of(fact.value))
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

    /// The declared version in the header's encoding; 1.0 by default.
    pub(super) fn declared_version(&self) -> u32 {
        let stated = self.facts(FactKey::Version).next().and_then(|version| version.split_once('.'));
        let number = |text: &str| text.parse::<u32>().ok().filter(|&number| number < 256);
        match stated.and_then(|(major, minor)| Some((number(major)?, number(minor)?))) {
            Some((major, minor)) => major << 16 | minor << 8,
            None => 1 << 16,
        }
    }
}
