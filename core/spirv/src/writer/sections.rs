//! Sections of a module: the declarations that do not depend on functions, and finally every section in the
//! order of the specification, after a header.

use super::diagnostics::{DECLARATION, TOO_LONG, refuse};
use super::module::Writer;
use super::needs::{Needs, needs_of};
use super::shared::{EntryPoint, Options, Trail};
use super::words::{Words, string_words};
use crate::spec::{
    AddressingModel, Decoration as D, MemoryModel, Op as S, SourceLanguage, StorageClass as C,
};
use crate::{HEADER_WORDS, MAGIC};
use rustc_hash::FxHashSet;
use vitrine_ir::ops::Key;
use vitrine_ir::{Anchor, DecorTarget, Diag, FactKey, Func, Module, Text, Var};

impl Writer<'_> {
    /// Writes the declarations outside of functions that do not depend on uses.
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
        self.infer_global_scalars();
        self.declare_globals()?;
        self.declare_vars()?;
        self.declare_entries()
    }

    /// The complete module, as words.
    pub(super) fn finish(mut self, options: Options) -> Result<(Vec<u32>, Trail), Diag> {
        self.carried_decorations()?;
        self.debug_roots();
        let model = self.memory_model()?;
        let sources = self.sources();
        let head = |writer: &Self, needs: Option<&Needs>| {
            let mut head = Words::default();
            if let Some(needs) = needs {
                needs.capabilities.iter().for_each(|&capability| head.inst(S::Capability, &[capability]));
                needs.extensions.iter().for_each(|name| head.inst(S::Extension, &string_words(name)));
            }
            for (name, id) in &writer.imports {
                head.parts(S::ExtInstImport, &[&[*id], &string_words(name)]);
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
        let needs = needs_of(&self, all, options);
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
            self.debug.words,
            self.functions,
        ];
        if sections.iter().any(|section| section.too_long) {
            let message = "an instruction would have more than 65,535 words";
            let help = "split the structure, the switch or the list of operands";
            return Err(refuse(TOO_LONG, message, help));
        }
        debug_assert_eq!(out.len(), HEADER_WORDS);
        out.reserve(sections.iter().map(Words::len).sum());
        sections.iter().for_each(|section| out.extend_from_slice(&section.words));
        let before = (out.len() - sections.last().map_or(0, Words::len)) as u32;
        trail.words.iter_mut().for_each(|(word, _)| *word += before);
        Ok((out, trail))
    }

    fn trail(&mut self) -> Trail {
        let mut trail = std::mem::take(&mut self.trail);
        trail.ids.extend(self.vars.iter().map(|(&var, &id)| (id, Anchor::Var(var))));
        trail.ids.extend(self.funcs.iter().map(|(&func, &id)| (id, Anchor::Func(func))));
        trail.ids.sort_unstable();
        trail
    }

    /// Entry points. Before 1.4 an interface lists inputs and outputs; from 1.4 on, every variable of the
    /// module that the entry point may use.
    fn entry_words(&self, version: Option<u32>) -> Words {
        const COMPLETE: u32 = 1 << 16 | 4 << 8;
        let mut out = Words::default();
        let was_complete = self.declared_version() >= COMPLETE;
        for EntryPoint { head, interface, func } in &self.entries {
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
        // Pointers to physical storage buffers have an addressing model of their own.
        let is_logical = addressing == AddressingModel::Logical as u32;
        let addressing = match is_logical && self.has_physical_pointers {
            true => AddressingModel::PhysicalStorageBuffer64 as u32,
            false => addressing,
        };
        Ok([addressing, memory])
    }

    /// Language, file and text of the source.
    fn sources(&mut self) -> Words {
        let mut out = Words::default();
        let mut open: Option<(u32, u32, Option<u32>, Option<Text>)> = None;
        let facts = self.module.facts.clone();
        let elsewhere = self.debug_facts();
        for (_, fact) in facts.iter().enumerate().filter(|(at, _)| !elsewhere.contains(at)) {
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
                    // A source text follows a file.
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
                    self.processed.inst(S::ModuleProcessed, &string_words(self.module.text_of(fact.value)));
                }
                FactKey::Version
                | FactKey::Generator
                | FactKey::Capability
                | FactKey::Extension
                | FactKey::Import
                | FactKey::Addressing
                | FactKey::Memory
                | FactKey::Robust => {}
            }
        }
        flush_source(self.module, &mut out, open);
        out
    }

    /// Decorations that the IR keeps without interpreting them.
    pub(super) fn carried_decorations(&mut self) -> Result<(), Diag> {
        let module = self.module;
        for decor in module.decors.iter() {
            let mut words = decor.text.map_or(Vec::new(), |of| string_words(module.text_of(of)));
            words.extend(decor.words.map_or(&[][..], |of| module.blob_of(of)));
            let is_string = decor.text.is_some() && D::from_u32(decor.number) != Some(D::LinkageAttributes);
            let (id, member) = match decor.on {
                DecorTarget::Var(var) => (self.var(var)?, None),
                DecorTarget::Func(func) => (self.funcs.get(&func).copied().unwrap_or(0), None),
                DecorTarget::Global(global) => (self.global(global)?.id, None),
                // Decorations of an unused structure are dropped.
                DecorTarget::Struct(structure) => (self.structs.get(&structure).copied().unwrap_or(0), None),
                DecorTarget::Member(structure, member) => {
                    (self.structs.get(&structure).copied().unwrap_or(0), Some(member))
                }
            };
            match (id, member, is_string) {
                (0, ..) if matches!(decor.on, DecorTarget::Func(_)) => {
                    return Err(refuse(
                        DECLARATION,
                        "a decoration has a target function that does not exist",
                        "remove it",
                    ));
                }
                (0, ..) => {}
                (_, None, false) => self.decorations.parts(S::Decorate, &[&[id, decor.number], &words]),
                (_, None, true) => self.decorations.parts(S::DecorateString, &[&[id, decor.number], &words]),
                (_, Some(member), false) => {
                    self.decorations.parts(S::MemberDecorate, &[&[id, member, decor.number], &words]);
                }
                (_, Some(member), true) => {
                    self.decorations.parts(S::MemberDecorateString, &[&[id, member, decor.number], &words]);
                }
            }
        }
        Ok(())
    }
}

fn generator(writer: &Writer<'_>) -> u32 {
    writer.facts(FactKey::Generator).next().and_then(|number| number.parse().ok()).unwrap_or(0)
}

/// The largest number of words of a string in one instruction; the rest continues in `OpSourceContinued`.
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
            true => out.parts(S::Source, &[&[language, version, file.unwrap_or(0)], &string_words(piece)]),
            false => out.inst(S::SourceContinued, &string_words(piece)),
        }
        (rest, first) = (more, false);
    }
}

/// The variables that a function and its callees name.
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
