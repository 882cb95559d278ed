//! Where a thing came from, back to the words and lines it was read from, and what became of it.
//!
//! Read off the journals of the passes and off what they left; what no pass said is not told.

use super::facts::sentence;
use super::{Action, Section, Told};
use crate::ir::{Anchor, Block, Event, Func, Inst, Module, Node, Origin, Reason, Site};
use crate::pipeline::history::{HistoryEntry, future as future_of, past as past_of};
use crate::pipeline::{PASSES, Trace};
use crate::rules;
use crate::text::Class;
use crate::view_model::origins::Origins;

/// What is asked, and of whom.
pub(super) struct Asked<'a> {
    pub(super) trace: &'a Trace,
    /// The version.
    pub(super) at: usize,
    pub(super) anchor: Anchor,
    pub(super) origins: &'a Origins,
    /// Whether the thing is in that version.
    pub(super) is_there: bool,
}

impl Asked<'_> {
    fn last(&self) -> usize {
        self.trace.len() - 1
    }
}

/// Tells what happened to the thing before, latest first, and where it was read.
pub(super) fn past(told: &mut Told<'_>, asked: &Asked<'_>) {
    match asked.anchor {
        Anchor::Inst(func, inst) => {
            let past = past_of(asked.trace, asked.at, func, inst);
            for moment in &past.moments {
                event(told, asked, Section::Past, func, moment);
            }
            for origin in &past.origins {
                read_from(told, asked, *origin);
            }
            // IR text says itself where things stand; of SPIR-V the origins do.
            if past.origins.is_empty() {
                read_from(told, asked, Origin::default());
            }
        }
        anchor => {
            let moments = moments_of(asked, anchor, 0..asked.at);
            for (func, moment) in moments.iter().rev() {
                event(told, asked, Section::Past, *func, moment);
            }
            changes(told, asked, Section::Past, 0..asked.at);
            read_from(told, asked, Origin::default());
        }
    }
}

/// Tells what happened to the thing afterwards, and what stands for it in the last version.
pub(super) fn future(told: &mut Told<'_>, asked: &Asked<'_>) {
    let last = asked.last();
    if asked.at == last {
        return;
    }
    match asked.anchor {
        Anchor::Inst(func, inst) => {
            let future = future_of(asked.trace, asked.at, func, inst);
            for moment in &future.moments {
                event(told, asked, Section::Future, func, moment);
            }
            if !asked.is_there && future.moments.is_empty() {
                return;
            }
            let stands = |value: &&Inst| holds(asked.trace.last(), func, Site::Inst(**value));
            let values: Vec<Inst> = future.values.iter().filter(stands).copied().collect();
            for &value in &values {
                at_the_end(told, asked, Anchor::Inst(func, value), value == inst);
            }
            if values.is_empty() {
                told.labelled(Section::Future, Action::Nothing, "at the end");
                told.say("nothing stands for it");
                told.close();
            }
        }
        anchor => {
            for (func, moment) in moments_of(asked, anchor, asked.at..last) {
                event(told, asked, Section::Future, func, &moment);
            }
            changes(told, asked, Section::Future, asked.at..last);
            if is_in(asked.trace.last(), anchor) {
                at_the_end(told, asked, anchor, true);
            }
        }
    }
}

fn at_the_end(told: &mut Told<'_>, asked: &Asked<'_>, thing: Anchor, is_itself: bool) {
    told.labelled(Section::Future, Action::Moment(asked.last(), thing), "at the end");
    if is_itself {
        told.say("still ");
    }
    match thing {
        Anchor::Inst(func, inst) => match asked.trace.last().func(func) {
            Some(body) if body.tables().insts.contains(inst) && body.inst(inst).has_result() => {
                told.instruction(asked.trace.last(), func, inst);
            }
            Some(_) | None => told.name(thing),
        },
        other => told.name(other),
    }
    told.close();
}

/// One event as a line: step, pass, why, and what was there before.
fn event(told: &mut Told<'_>, asked: &Asked<'_>, section: Section, func: Func, moment: &HistoryEntry) {
    let Some(step) = asked.trace.steps.get(moment.step) else { return };
    let before = asked.trace.version(moment.step);
    let (verb, old, new) = match moment.event {
        Event::Create(site) => ("made", None, Some(site)),
        Event::Rewrite(inst) => ("computed otherwise", Some(Site::Inst(inst)), Some(Site::Inst(inst))),
        Event::Replace { old, new } => ("took the place of", Some(Site::Inst(old)), Some(Site::Inst(new))),
        Event::Operands(site) => ("reads other values", Some(site), Some(site)),
        Event::Move(site) => ("moved", Some(site), Some(site)),
        Event::Erase(site) => ("taken out", Some(site), None),
        Event::Copy { of, new } => ("copied from", Some(of), Some(new)),
        Event::Control(site) => ("entered or left otherwise", Some(site), Some(site)),
    };
    let is_past = matches!(section, Section::Past);
    // Back leads to the version before, where the old thing still is; forward to the one after.
    let before_it = old.map(|site| (moment.step, site));
    let after_it = new.map(|site| (moment.step + 1, site));
    let order = if is_past { [before_it, after_it] } else { [after_it, before_it] };
    let is_there =
        |&(at, site): &(usize, Site)| asked.trace.version(at).is_some_and(|m| holds(m, func, site));
    let target = order.into_iter().flatten().find(is_there);
    let action = target.map_or(Action::Nothing, |(at, site)| Action::Moment(at, anchor_of(func, site)));
    told.open(section, action);
    told.put(Class::Number, &(moment.step + 1).to_string());
    told.put(Class::Keyword, &format!(" {}", step.pass));
    told.say(": ");
    match (moment.event, is_past) {
        (Event::Replace { new, .. }, false) => {
            told.say("replaced by ");
            told.name(Anchor::Inst(func, new));
        }
        (Event::Copy { new, .. }, false) => {
            told.say("copied to ");
            told.name(anchor_of(func, new));
        }
        (Event::Replace { .. } | Event::Copy { .. }, true) => {
            new.into_iter().for_each(|site| told.name(anchor_of(func, site)));
            told.say(&format!(" {verb} "));
            old.into_iter().for_each(|site| told.name(anchor_of(func, site)));
        }
        (_, _) => told.say(verb),
    }
    because(told, step.pass, moment.why);
    if let (Some(module), Some(Site::Inst(old))) = (before, old)
        && is_computed(module, func, old)
        && !matches!(moment.event, Event::Move(_))
    {
        told.put(Class::Note, " was ");
        told.instruction(module, func, old);
    }
    told.close();
}

fn is_computed(module: &Module, func: Func, inst: Inst) -> bool {
    let data = module.func(func).and_then(|body| body.tables().insts.get(inst));
    data.is_some_and(|data| data.op != crate::ops::Op::from(crate::ops::BasicOp::Param))
}

/// The reason: the rule with its doc, the pass with what it is for, or the sentence that was noted.
fn because(told: &mut Told<'_>, pass: &str, why: Reason) {
    match why {
        Reason::Rule(number) => {
            let Some(rule) = rules::by_number(number) else { return };
            told.say(", ");
            told.put(Class::Op, rule.text.name);
            told.put(Class::Note, &format!(" {}", sentence(rule.text.doc)));
        }
        Reason::Pass => {
            if let Some(info) = PASSES.iter().find(|info| info.name == pass) {
                told.put(Class::Note, &format!(". {}", info.doc));
            }
        }
        Reason::Note(note) => told.put(Class::Note, &format!(", {note}")),
    }
}

/// Where the program read says a thing stands: words of the binary, its text, the line of the source.
fn read_from(told: &mut Told<'_>, asked: &Asked<'_>, origin: Origin) {
    let place = asked.origins.place(asked.anchor, origin);
    if let Some((start, len)) = place {
        told.labelled(Section::Past, Action::Input(start, len), "read from");
        match origin.word_offset {
            Some(word) => {
                let (first, behind) = asked.origins.range(word);
                told.say(&match behind {
                    Some(behind) if behind > first + 1 => format!("words {first} to {}", behind - 1),
                    Some(_) | None => format!("word {first}"),
                });
                told.say(" of the SPIR-V");
            }
            None => told.say("the input"),
        }
        told.close();
    } else if let Some(word) = origin.word_offset {
        told.labelled(Section::Past, Action::Nothing, "read from");
        told.say(&format!("word {word} of the SPIR-V"));
        told.close();
    }
    if origin.line > 0 {
        let file = origin.file.and_then(|file| Some(asked.trace.version(0)?.text_of(file)));
        let column = if origin.column > 0 { format!(":{}", origin.column) } else { String::new() };
        told.labelled(Section::Past, Action::Nothing, "source");
        told.say(&format!("{}:{}{column}", file.unwrap_or("line"), origin.line));
        told.close();
    }
}

/// What journals say about a block or a node in some steps.
fn moments_of(asked: &Asked<'_>, anchor: Anchor, steps: std::ops::Range<usize>) -> Vec<(Func, HistoryEntry)> {
    let (func, site): (Func, Site) = match anchor {
        Anchor::Block(func, block) => (func, block.into()),
        Anchor::Node(func, node) => (func, node.into()),
        _ => return Vec::new(),
    };
    let mut out = Vec::new();
    for (at, step) in asked.trace.steps.iter().enumerate().take(steps.end).skip(steps.start) {
        for (_, journal) in step.journals.iter().filter(|(of, _)| *of == func) {
            for &(event, why) in journal.events() {
                if event.sites().contains(&Some(site)) {
                    out.push((func, HistoryEntry { step: at, event, why }));
                }
            }
        }
    }
    out
}

/// Steps that changed something of the module: variables, functions, structures, constants.
fn changes(told: &mut Told<'_>, asked: &Asked<'_>, section: Section, steps: std::ops::Range<usize>) {
    if matches!(asked.anchor, Anchor::Block(..) | Anchor::Node(..)) {
        return;
    }
    let mut found = Vec::new();
    for at in steps {
        let (Some(before), Some(after)) = (asked.trace.version(at), asked.trace.version(at + 1)) else {
            break;
        };
        let what = match (is_in(before, asked.anchor), is_in(after, asked.anchor)) {
            (false, true) => "declared",
            (true, false) => "taken out",
            (true, true) if differs(before, after, asked.anchor) => "changed",
            (true, true) | (false, false) => continue,
        };
        let to = if what == "taken out" || matches!(section, Section::Past) && what != "declared" {
            at
        } else {
            at + 1
        };
        found.push((at, to, what));
    }
    if matches!(section, Section::Past) {
        found.reverse();
    }
    for (at, to, what) in found {
        let Some(step) = asked.trace.steps.get(at) else { continue };
        told.open(section, Action::Moment(to, asked.anchor));
        told.put(Class::Number, &(at + 1).to_string());
        told.put(Class::Keyword, &format!(" {}", step.pass));
        told.say(&format!(": {what}"));
        because(told, step.pass, Reason::Pass);
        told.close();
    }
}

/// Whether a version has a declaration; blocks and nodes are told by journals.
fn is_in(module: &Module, anchor: Anchor) -> bool {
    match anchor {
        Anchor::Var(var) => module.var(var).is_some(),
        Anchor::Func(func) => module.func(func).is_some(),
        Anchor::Struct(id) | Anchor::Member(id, _) => module.structure(id).is_some(),
        Anchor::Global(global) => module.global(global).is_some(),
        Anchor::Entry(at) => module.entries.get(at as usize).is_some(),
        Anchor::Reg(func, reg) => module.func(func).and_then(|body| body.reg(reg)).is_some(),
        Anchor::Block(func, block) => has_block(module, func, block),
        Anchor::Node(func, node) => has_node(module, func, node),
        Anchor::Module | Anchor::Inst(..) | Anchor::Arg(..) | Anchor::Terminator(..) => false,
        Anchor::TerminatorArg(..) | Anchor::Span(..) | Anchor::Word(_) => false,
    }
}

/// Whether something is part of a function, as its text shows it. Linear in the function.
fn holds(module: &Module, func: Func, site: Site) -> bool {
    let Some(body) = module.func(func) else { return false };
    match site {
        Site::Block(block) => has_block(module, func, block),
        Site::Node(node) => has_node(module, func, node),
        Site::Inst(inst) => {
            let in_block = |block: Block| {
                let data = body.block(block);
                data.params.contains(&inst) || data.insts.contains(&inst)
            };
            body.params().contains(&inst) || body.blocks_in_order().into_iter().any(in_block)
        }
    }
}

fn has_block(module: &Module, func: Func, block: Block) -> bool {
    module.func(func).is_some_and(|body| body.blocks_in_order().contains(&block))
}

fn has_node(module: &Module, func: Func, node: Node) -> bool {
    let entered = |body| crate::ir::TreeWalk::new(body).any(|step| step == crate::ir::TreeStep::Enter(node));
    module.func(func).is_some_and(entered)
}

fn differs(a: &Module, b: &Module, anchor: Anchor) -> bool {
    match anchor {
        Anchor::Var(var) => a.var(var) != b.var(var),
        Anchor::Func(func) => crate::pipeline::diff::differs(a, b, func),
        Anchor::Struct(id) | Anchor::Member(id, _) => a.structure(id) != b.structure(id),
        Anchor::Global(global) => a.global(global) != b.global(global),
        Anchor::Module | Anchor::Entry(_) | Anchor::Reg(..) | Anchor::Inst(..) | Anchor::Arg(..) => false,
        Anchor::Block(..) | Anchor::Node(..) | Anchor::Terminator(..) => false,
        Anchor::TerminatorArg(..) | Anchor::Span(..) | Anchor::Word(_) => false,
    }
}

fn anchor_of(func: Func, site: Site) -> Anchor {
    match site {
        Site::Inst(inst) => Anchor::Inst(func, inst),
        Site::Block(block) => Anchor::Block(func, block),
        Site::Node(node) => Anchor::Node(func, node),
    }
}
