//! The history of an anchor, back to the input words and source lines it was read from, and its further
//! changes.
//!
//! Read from the journals of the passes and from the versions; unrecorded changes are not shown.

use super::facts::sentence;
use super::{Action, Report, Section};
use crate::ir::{Anchor, Block, Event, Func, Inst, Module, Node, Origin, Reason, Site};
use crate::pipeline::history::{HistoryEntry, future as future_of, past as past_of};
use crate::pipeline::{PASSES, Trace};
use crate::rules;
use crate::text::Class;
use crate::view_model::origins::Origins;

/// The subject of an inspection.
pub(super) struct Subject<'a> {
    pub(super) trace: &'a Trace,
    /// The version.
    pub(super) at: usize,
    pub(super) anchor: Anchor,
    pub(super) origins: &'a Origins,
    /// True if the anchor is in that version.
    pub(super) is_there: bool,
}

impl Subject<'_> {
    fn last(&self) -> usize {
        self.trace.len() - 1
    }
}

/// Describes the earlier events of the anchor, latest first, and its position in the input.
pub(super) fn past(report: &mut Report<'_>, subject: &Subject<'_>) {
    match subject.anchor {
        Anchor::Inst(func, inst) => {
            let past = past_of(subject.trace, subject.at, func, inst);
            for state in &past.entries {
                event(report, subject, Section::Origin, func, state);
            }
            for origin in &past.origins {
                read_from(report, subject, *origin);
            }
            // Positions in IR text come from the parser; those in SPIR-V from the origins.
            if past.origins.is_empty() {
                read_from(report, subject, Origin::default());
            }
        }
        anchor => {
            let entries = moments_of(subject, anchor, 0..subject.at);
            for (func, state) in entries.iter().rev() {
                event(report, subject, Section::Origin, *func, state);
            }
            changes(report, subject, Section::Origin, 0..subject.at);
            read_from(report, subject, Origin::default());
        }
    }
}

/// Describes the later events of the anchor, and its replacement in the last version.
pub(super) fn future(report: &mut Report<'_>, subject: &Subject<'_>) {
    let last = subject.last();
    if subject.at == last {
        return;
    }
    match subject.anchor {
        Anchor::Inst(func, inst) => {
            let future = future_of(subject.trace, subject.at, func, inst);
            for state in &future.entries {
                event(report, subject, Section::Later, func, state);
            }
            if !subject.is_there && future.entries.is_empty() {
                return;
            }
            let stands = |value: &&Inst| holds(subject.trace.last(), func, Site::Inst(**value));
            let values: Vec<Inst> = future.values.iter().filter(stands).copied().collect();
            for &value in &values {
                at_the_end(report, subject, Anchor::Inst(func, value), value == inst);
            }
            if values.is_empty() {
                report.labeled(Section::Later, Action::Nothing, "at the end");
                report.plain("removed, without a replacement");
                report.close();
            }
        }
        anchor => {
            for (func, state) in moments_of(subject, anchor, subject.at..last) {
                event(report, subject, Section::Later, func, &state);
            }
            changes(report, subject, Section::Later, subject.at..last);
            if is_in(subject.trace.last(), anchor) {
                at_the_end(report, subject, anchor, true);
            }
        }
    }
}

fn at_the_end(report: &mut Report<'_>, subject: &Subject<'_>, anchor: Anchor, is_itself: bool) {
    report.labeled(Section::Later, Action::Moment(subject.last(), anchor), "at the end");
    if is_itself {
        report.plain("still ");
    }
    match anchor {
        Anchor::Inst(func, inst) => match subject.trace.last().func(func) {
            Some(body) if body.tables().insts.contains(inst) && body.inst(inst).has_result() => {
                report.instruction(subject.trace.last(), func, inst);
            }
            Some(_) | None => report.name(anchor),
        },
        other => report.name(other),
    }
    report.close();
}

/// One event as a line: step, pass, reason, and the instruction before.
fn event(report: &mut Report<'_>, subject: &Subject<'_>, section: Section, func: Func, state: &HistoryEntry) {
    let Some(step) = subject.trace.steps.get(state.step) else { return };
    let before = subject.trace.version(state.step);
    let (verb, old, new) = match state.event {
        Event::Create(site) => ("made", None, Some(site)),
        Event::Rewrite(inst) => ("computed differently", Some(Site::Inst(inst)), Some(Site::Inst(inst))),
        Event::Replace { old, new } => ("replaced", Some(Site::Inst(old)), Some(Site::Inst(new))),
        Event::Operands(site) => ("has other operands", Some(site), Some(site)),
        Event::Move(site) => ("moved", Some(site), Some(site)),
        Event::Erase(site) => ("removed", Some(site), None),
        Event::Copy { of, new } => ("copied from", Some(of), Some(new)),
        Event::Control(site) => ("has different edges", Some(site), Some(site)),
    };
    let is_past = matches!(section, Section::Origin);
    // The past links to the version before, which still has the old anchor; the future to the one after.
    let before_it = old.map(|site| (state.step, site));
    let after_it = new.map(|site| (state.step + 1, site));
    let order = if is_past { [before_it, after_it] } else { [after_it, before_it] };
    let is_there =
        |&(at, site): &(usize, Site)| subject.trace.version(at).is_some_and(|m| holds(m, func, site));
    let target = order.into_iter().flatten().find(is_there);
    let action = target.map_or(Action::Nothing, |(at, site)| Action::Moment(at, anchor_of(func, site)));
    report.open(section, action);
    report.put(Class::Number, &(state.step + 1).to_string());
    report.put(Class::Keyword, &format!(" {}", step.name()));
    report.plain(": ");
    match (state.event, is_past) {
        (Event::Replace { new, .. }, false) => {
            report.plain("replaced by ");
            report.name(Anchor::Inst(func, new));
        }
        (Event::Copy { new, .. }, false) => {
            report.plain("copied to ");
            report.name(anchor_of(func, new));
        }
        (Event::Replace { .. } | Event::Copy { .. }, true) => {
            new.into_iter().for_each(|site| report.name(anchor_of(func, site)));
            report.plain(&format!(" {verb} "));
            old.into_iter().for_each(|site| report.name(anchor_of(func, site)));
        }
        (_, _) => report.plain(verb),
    }
    because(report, step.pass, state.why);
    if let (Some(module), Some(Site::Inst(old))) = (before, old)
        && is_computed(module, func, old)
        && !matches!(state.event, Event::Move(_))
    {
        report.put(Class::Note, " was ");
        report.instruction(module, func, old);
    }
    report.close();
}

fn is_computed(module: &Module, func: Func, inst: Inst) -> bool {
    let data = module.func(func).and_then(|body| body.tables().insts.get(inst));
    data.is_some_and(|data| data.op != crate::ops::Op::from(crate::ops::BasicOp::Param))
}

/// The reason: the rule with its doc, the pass with its summary, or the recorded note.
fn because(report: &mut Report<'_>, pass: &str, why: Reason) {
    match why {
        Reason::Rule(number) => {
            let Some(rule) = rules::by_number(number) else { return };
            report.plain(", ");
            report.put(Class::Op, rule.text.name);
            report.put(Class::Note, &format!(" {}", sentence(rule.text.doc)));
        }
        Reason::Pass => {
            if let Some(info) = PASSES.iter().find(|info| info.name == pass) {
                report.put(Class::Note, &format!(". {}", info.doc));
            }
        }
        Reason::Note(note) => report.put(Class::Note, &format!(", {note}")),
    }
}

/// The position of an anchor in the input: words of the binary, its text, the source line.
fn read_from(report: &mut Report<'_>, subject: &Subject<'_>, origin: Origin) {
    let place = subject.origins.place(subject.anchor, origin);
    if let Some((start, len)) = place {
        report.labeled(Section::Origin, Action::Input(start, len), "read from");
        match origin.word_offset {
            Some(word) => {
                let (first, end) = subject.origins.range(word);
                report.plain(&match end {
                    Some(end) if end > first + 1 => format!("words {first} to {}", end - 1),
                    Some(_) | None => format!("word {first}"),
                });
                report.plain(" of the SPIR-V");
            }
            None => report.plain("the input"),
        }
        report.close();
    } else if let Some(word) = origin.word_offset {
        report.labeled(Section::Origin, Action::Nothing, "read from");
        report.plain(&format!("word {word} of the SPIR-V"));
        report.close();
    }
    if origin.line > 0 {
        let file = origin.file.and_then(|file| Some(subject.trace.version(0)?.text_of(file)));
        let column = if origin.column > 0 { format!(":{}", origin.column) } else { String::new() };
        report.labeled(Section::Origin, Action::Nothing, "source");
        report.plain(&format!("{}:{}{column}", file.unwrap_or("line"), origin.line));
        report.close();
    }
    // The debug table only grows.
    let scope = subject.trace.last().describe_scope(origin);
    if !scope.is_empty() {
        report.labeled(Section::Origin, Action::Nothing, "scope");
        report.plain(&scope);
        report.close();
    }
}

/// The journal entries of a block or a node in some steps.
fn moments_of(
    subject: &Subject<'_>,
    anchor: Anchor,
    steps: std::ops::Range<usize>,
) -> Vec<(Func, HistoryEntry)> {
    let (func, site): (Func, Site) = match anchor {
        Anchor::Block(func, block) => (func, block.into()),
        Anchor::Node(func, node) => (func, node.into()),
        _ => return Vec::new(),
    };
    let mut out = Vec::new();
    for (at, step) in subject.trace.steps.iter().enumerate().take(steps.end).skip(steps.start) {
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

/// Steps that changed a declaration of the module: variables, functions, structures, constants.
fn changes(report: &mut Report<'_>, subject: &Subject<'_>, section: Section, steps: std::ops::Range<usize>) {
    if matches!(subject.anchor, Anchor::Block(..) | Anchor::Node(..)) {
        return;
    }
    let mut found = Vec::new();
    for at in steps {
        let (Some(before), Some(after)) = (subject.trace.version(at), subject.trace.version(at + 1)) else {
            break;
        };
        let what = match (is_in(before, subject.anchor), is_in(after, subject.anchor)) {
            (false, true) => "declared",
            (true, false) => "removed",
            (true, true) if differs(before, after, subject.anchor) => "changed",
            (true, true) | (false, false) => continue,
        };
        let to = if what == "removed" || matches!(section, Section::Origin) && what != "declared" {
            at
        } else {
            at + 1
        };
        found.push((at, to, what));
    }
    if matches!(section, Section::Origin) {
        found.reverse();
    }
    for (at, to, what) in found {
        let Some(step) = subject.trace.steps.get(at) else { continue };
        report.open(section, Action::Moment(to, subject.anchor));
        report.put(Class::Number, &(at + 1).to_string());
        report.put(Class::Keyword, &format!(" {}", step.name()));
        report.plain(&format!(": {what}"));
        because(report, step.pass, Reason::Pass);
        report.close();
    }
}

/// Returns true if a version has a declaration; blocks and nodes are covered by journals.
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

/// Returns true if an anchor is part of a function, as printed. Linear in the function.
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
