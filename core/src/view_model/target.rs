//! The text of a version in a target language, linked to the version, or everything that the language cannot express.
//!
//! The preset of the back end changes the program before it is written. A part that the preset made stands for the part of
//! the version with the same origin, so that both light together; a register stands for the block parameter that it replaces.
//! A part without an origin keeps its own number.
//!
//! Refuses to guess a pass that helps: a [`Refusal`] lists only those that the diagnostic names.

use super::diagnostic;
use super::linked::{Linked, Numbers, StyledText};
use super::origins::OfVersion;
use crate::back::{Backend, Output, Source, WriteOptions, all_funcs};
use crate::base::EntitySet;
use crate::ir::{Anchor, Diag, Func, FuncBody, Help, Inst, Module, Reg};
use crate::ops::{Key, Op, RegOp};
use crate::pipeline::prepared;
use crate::text::{Class, Fold, Link, Sink};
use rustc_hash::{FxHashMap, FxHashSet};
use vitrine_protocol::{Refusal, RefusedPlace};

/// The text of version `at`. Near linear in the program.
///
/// # Errors
///
/// The refusals, each once.
pub(super) fn target_text(
    version: &Module,
    at: u32,
    backend: &dyn Backend,
    numbers: &mut Numbers,
) -> Result<StyledText, Vec<Refusal>> {
    let prepared = match backend.preset() {
        Some(_) => match prepared(version, backend) {
            Ok(ready) => Some(ready),
            Err(diag) => return Err(refusals(&[diag], &Originals::default(), numbers)),
        },
        None => None,
    };
    let originals = prepared.as_ref().map_or_else(Originals::default, |ready| Originals::of(version, ready));
    let ready = prepared.as_ref().unwrap_or(version);
    let funcs = all_funcs(ready);
    let options = WriteOptions { align: true, ..WriteOptions::default() };
    let source = Source { options, ..Source::new(ready, &funcs) };
    let mut text =
        Relinked { originals: &originals, out: OfVersion { version: at, out: Linked::new(numbers) } };
    let written = backend.write(&source, &mut Output::forwarding(&mut text));
    let text = text.out.out.finish();
    written.map_err(|diags| refusals(&diags, &originals, numbers))?;
    Ok(text)
}

/// The parts of a version that stand for those of a prepared program.
#[derive(Debug, Default)]
struct Originals {
    insts: FxHashMap<(Func, Inst), Inst>,
    regs: FxHashMap<(Func, Reg), Inst>,
}

impl Originals {
    /// Finds, for each part that a preset made, that of the version with its origin.
    fn of(version: &Module, ready: &Module) -> Originals {
        let mut out = Originals::default();
        for (func, body) in ready.funcs() {
            let Some(before) = version.func(func) else { continue };
            let known = insts(before);
            let made: Vec<Inst> = in_order(body).filter(|&inst| !known.contains(inst)).collect();
            if !made.is_empty() || body.regs().count() > before.regs().count() {
                out.add(func, (before, body), &known, &made);
            }
        }
        out
    }

    fn add(
        &mut self,
        func: Func,
        (before, body): (&FuncBody, &FuncBody),
        known: &EntitySet<Inst>,
        made: &[Inst],
    ) {
        // `values-to-regs` reads a register by the instruction that was the parameter.
        for inst in in_order(body).filter(|&inst| known.contains(inst)) {
            let data = body.inst(inst);
            if data.op == Op::Reg(RegOp::Load)
                && let Some(reg) = data.entity::<Reg>(Key::Reg)
            {
                self.regs.entry((func, reg)).or_insert(inst);
            }
        }
        let mut by_word: FxHashMap<u32, Inst> = FxHashMap::default();
        for inst in in_order(before) {
            if let Some(word) = before.origin(inst).word_offset {
                by_word.entry(word).or_insert(inst);
            }
        }
        for &inst in made {
            let data = body.inst(inst);
            let same = body.origin(inst).word_offset.and_then(|word| by_word.get(&word).copied());
            let reg = data.entity::<Reg>(Key::Reg).filter(|_| matches!(data.op, Op::Reg(_)));
            let found = same.or_else(|| self.regs.get(&(func, reg?)).copied());
            self.insts.extend(found.map(|found| ((func, inst), found)));
        }
    }

    fn anchor(&self, anchor: Anchor) -> Anchor {
        if let Anchor::Inst(func, inst) = anchor {
            Anchor::Inst(func, self.insts.get(&(func, inst)).copied().unwrap_or(inst))
        } else if let Anchor::Reg(func, reg) = anchor {
            self.regs.get(&(func, reg)).map_or(anchor, |&inst| Anchor::Inst(func, inst))
        } else {
            anchor
        }
    }
}

/// The instructions of a function and its parameters, block by block.
fn in_order(body: &FuncBody) -> impl Iterator<Item = Inst> {
    let mut all: Vec<Inst> = body.params().to_vec();
    body.for_each_inst(|_, inst| all.push(inst));
    all.into_iter()
}

fn insts(body: &FuncBody) -> EntitySet<Inst> {
    let mut set = EntitySet::new();
    for inst in in_order(body) {
        set.insert(inst);
    }
    set
}

/// Links tokens to the parts that stand for theirs.
struct Relinked<'s, 'n> {
    originals: &'s Originals,
    out: OfVersion<'n>,
}

impl Sink for Relinked<'_, '_> {
    fn put(&mut self, class: Class, text: &str, link: Link) {
        let link = match link {
            Link::None => Link::None,
            Link::Def(anchor) => Link::Def(self.originals.anchor(anchor)),
            Link::Use(anchor) => Link::Use(self.originals.anchor(anchor)),
        };
        self.out.put(class, text, link);
    }

    fn open_line(&mut self, depth: usize) {
        self.out.open_line(depth);
    }

    fn close_line(&mut self) {
        self.out.close_line();
    }

    fn fold(&mut self, at: Fold) {
        self.out.fold(at);
    }
}

/// The refusals, each once.
fn refusals(diags: &[Diag], originals: &Originals, numbers: &mut Numbers) -> Vec<Refusal> {
    let mut seen = FxHashSet::default();
    let mut out = Vec::new();
    for diag in diags {
        let sentence = diagnostic(diag).message.replace('\n', " ");
        let place = match originals.anchor(diag.at.owner()) {
            Anchor::Module => None,
            anchor => Some(RefusedPlace { id: numbers.number(anchor), name: name_of(anchor) }),
        };
        if seen.insert((sentence.clone(), place.as_ref().map(|place| place.id))) {
            let passes = diag.help.iter().flat_map(Help::passes).map(str::to_owned).collect();
            let place = place.filter(|place| !place.name.is_empty());
            out.push(Refusal { sentence, is_invalid: false, place, passes });
        }
    }
    out
}

/// The refusal of an invalid program.
pub(super) fn invalid(sentence: String) -> Vec<Refusal> {
    vec![Refusal { sentence, is_invalid: true, ..Refusal::default() }]
}

/// The sentences of refusals, one on each line.
pub(super) fn sentences(refusals: &[Refusal]) -> String {
    refusals.iter().map(|of| of.sentence.as_str()).collect::<Vec<_>>().join("\n")
}

/// The name of a thing, as the text of the IR has it.
fn name_of(anchor: Anchor) -> String {
    match anchor {
        Anchor::Inst(_, inst) => inst.to_string(),
        Anchor::Block(_, block) => block.to_string(),
        Anchor::Var(var) => var.to_string(),
        Anchor::Func(func) => func.to_string(),
        Anchor::Global(global) => global.to_string(),
        Anchor::Struct(id) | Anchor::Member(id, _) => id.to_string(),
        Anchor::Node(_, node) => node.to_string(),
        Anchor::Reg(_, reg) => reg.to_string(),
        Anchor::Arg(..) | Anchor::Terminator(..) | Anchor::TerminatorArg(..) | Anchor::Module => {
            String::new()
        }
        Anchor::Entry(_) | Anchor::Span(..) | Anchor::Word(_) => String::new(),
    }
}
