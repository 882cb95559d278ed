//! A description of one anchor of one version: its definition, facts, uses, origin and later changes.
//!
//! An answer is a text, line by line, and for each line a section and the action of a click. Facts are
//! computed by analyses of this version; histories are read from the journals. Unknown facts have no line.

mod facts; // start here: facts from analyses
mod history; // earlier and later changes

use super::linked::{Linked, Numbers};
use super::origins::Origins;
use crate::back::picture::rows::{Part, Slot};
use crate::ir::{Anchor, Func, Inst, Module};
use crate::pipeline::Trace;
use crate::text::{Class, Link, Options, Printer, Sink};
use vitrine_protocol::layout::{InspectAction, InspectEntry, InspectSection as Section};
use vitrine_protocol::{Inspected, Table};

/// The largest number of listed uses; the number of the others is shown.
const MOST_USES: u32 = 200;

/// The action of a click on a line, an [`InspectAction`] without ids.
#[derive(Clone, Copy)]
enum Action {
    Nothing,
    /// Shows a use, by its index in reading order.
    Use(u32),
    /// Goes to a version and selects an anchor.
    Moment(usize, Anchor),
    /// Selects bytes of the input.
    Input(u32, u32),
    /// Selects another anchor.
    Select(Anchor),
    /// Shows the memory map of a variable.
    Memory(Anchor),
}

/// Describes an anchor of a version. `O(n)` in its function, or in the module for module-level anchors.
pub(super) fn inspect(
    trace: &Trace,
    at: usize,
    anchor: Anchor,
    origins: &Origins,
    numbers: &mut Numbers,
) -> Inspected {
    let Some(module) = trace.version(at) else { return Inspected::default() };
    let mut report = Report { out: Linked::new(numbers), rows: Vec::new() };
    let parts: Vec<Part> = slots(module, anchor).into_iter().map(|slot| Part::print(module, slot)).collect();
    let is_there = report.definition(&parts, anchor);
    if is_there {
        facts::facts(&mut report, module, anchor);
        report.uses(&parts, anchor);
    }
    let subject = history::Subject { trace, at, anchor, origins, is_there };
    history::past(&mut report, &subject);
    history::future(&mut report, &subject);
    let Report { out, rows } = report;
    Inspected { serial: 0, text: out.finish(), rows: Table::of_all(rows) }
}

/// The parts of a module that can mention an anchor.
fn slots(module: &Module, anchor: Anchor) -> Vec<Slot> {
    match func_of(anchor) {
        Some(func) => vec![Slot::Func(func)],
        None => {
            let funcs = module.funcs().map(|(func, _)| Slot::Func(func));
            [Slot::Head].into_iter().chain(funcs).chain([Slot::Tail]).collect()
        }
    }
}

/// The function of an anchor's ids.
fn func_of(anchor: Anchor) -> Option<Func> {
    match anchor {
        Anchor::Reg(func, _) | Anchor::Inst(func, _) | Anchor::Arg(func, ..) => Some(func),
        Anchor::Block(func, _) | Anchor::Terminator(func, _) | Anchor::TerminatorArg(func, ..) => Some(func),
        Anchor::Node(func, _) => Some(func),
        Anchor::Module | Anchor::Struct(_) | Anchor::Member(..) | Anchor::Global(_) | Anchor::Var(_) => None,
        Anchor::Entry(_) | Anchor::Func(_) | Anchor::Span(..) | Anchor::Word(_) => None,
    }
}

/// The lines under construction.
struct Report<'n> {
    out: Linked<'n>,
    rows: Vec<InspectEntry>,
}

impl Report<'_> {
    /// Begins a line.
    fn open(&mut self, section: Section, action: Action) {
        let mut id = |anchor| self.out.numbers.number(anchor);
        let action = match action {
            Action::Nothing => InspectAction::Nothing,
            Action::Use(at) => InspectAction::Use(at),
            Action::Moment(at, anchor) => InspectAction::Version(at as u32, Some(id(anchor))),
            Action::Input(start, len) => InspectAction::Input(start, len),
            Action::Select(anchor) => InspectAction::Select(id(anchor)),
            Action::Memory(anchor) => InspectAction::Memory(id(anchor)),
        };
        self.rows.push(InspectEntry::new(section, action));
        self.out.open_line(0);
    }

    fn close(&mut self) {
        self.out.close_line();
    }

    fn put(&mut self, class: Class, text: &str) {
        self.out.put(class, text, Link::None);
    }

    fn plain(&mut self, text: &str) {
        self.put(Class::Plain, text);
    }

    /// Names an anchor, as a link to it.
    fn name(&mut self, anchor: Anchor) {
        let (class, spelled) = match anchor {
            Anchor::Inst(_, inst) => (Class::Value, inst.to_string()),
            Anchor::Block(_, block) => (Class::Block, block.to_string()),
            Anchor::Node(_, node) => (Class::Node, node.to_string()),
            Anchor::Func(func) => (Class::Name, func.to_string()),
            Anchor::Var(var) => (Class::Name, var.to_string()),
            Anchor::Reg(_, reg) => (Class::Name, reg.to_string()),
            Anchor::Global(global) => (Class::Name, global.to_string()),
            Anchor::Struct(id) => (Class::Type, id.to_string()),
            Anchor::Member(id, member) => (Class::Type, format!("{id}.{member}")),
            Anchor::Entry(at) => (Class::Name, format!("entry {at}")),
            Anchor::Word(word) => (Class::Number, format!("word {word}")),
            Anchor::Module | Anchor::Span(..) | Anchor::Arg(..) => return,
            Anchor::Terminator(..) | Anchor::TerminatorArg(..) => return,
        };
        self.out.put(class, &spelled, Link::Use(anchor));
    }

    /// A fact: its label, and its text.
    fn fact(&mut self, label: &str, text: &str) {
        self.labeled(Section::Facts, Action::Nothing, label);
        self.plain(text);
        self.close();
    }

    /// Begins a line with a label.
    fn labeled(&mut self, section: Section, action: Action, label: &str) {
        self.open(section, action);
        self.put(Class::Note, label);
        self.plain(" ");
    }

    /// The instruction of a value as printed in a version, in the current line.
    fn instruction(&mut self, module: &Module, func: Func, inst: Inst) {
        let mut inline = Inline { out: &mut self.out };
        Printer::to_any(module, Options::default(), &mut inline).one_inst(func, inst);
    }

    /// A line of a part, without its indentation.
    fn line(&mut self, part: &Part, line: usize) {
        let (words, whole) = (part.words(line), part.line(line));
        let indent = (whole.len() - words.len()) as u32;
        let start = part.lines.get(line).map_or(0, |line| line.start) + indent;
        let mut at = 0;
        for run in part.ranges_of(line) {
            let from = (run.start.saturating_sub(start)) as usize;
            let to = from + run.len as usize;
            self.plain(words.get(at..from).unwrap_or(""));
            self.out.put(run.class, words.get(from..to).unwrap_or(""), run.link);
            at = to;
        }
        self.plain(words.get(at..).unwrap_or(""));
    }

    /// The line that defines the anchor. Returns true if there is one.
    fn definition(&mut self, parts: &[Part], anchor: Anchor) -> bool {
        let found = parts.iter().find_map(|part| Some((part, part.definition(anchor)?)));
        self.open(Section::Definition, Action::Select(anchor));
        match found {
            Some((part, line)) => self.line(part, line),
            None if matches!(anchor, Anchor::Span(..) | Anchor::Word(_)) => {
                self.plain("an instruction without a single result");
            }
            None => {
                self.name(anchor);
                self.plain(" is not in this version");
            }
        }
        self.close();
        found.is_some()
    }

    /// The lines that mention the anchor, in reading order.
    fn uses(&mut self, parts: &[Part], anchor: Anchor) {
        let mut count = 0;
        let mut left_out = 0;
        for part in parts {
            let mut last = None;
            for (at, run) in part.ranges.iter().enumerate() {
                if run.link != Link::Use(anchor) {
                    continue;
                }
                let line = part.lines.partition_point(|line| line.run as usize <= at).saturating_sub(1);
                let first = count;
                count += 1;
                if last == Some(line) {
                    continue;
                }
                last = Some(line);
                if count > MOST_USES {
                    left_out += 1;
                    continue;
                }
                self.open(Section::Uses, Action::Use(first));
                let owner = part.lines.get(line).and_then(|line| line.owner);
                if let Some(block @ Anchor::Block(..)) = owner {
                    self.name(block);
                    self.plain("  ");
                }
                self.line(part, line);
                self.close();
            }
        }
        if left_out > 0 {
            self.open(Section::Uses, Action::Nothing);
            self.put(Class::Note, &format!("and {left_out} more lines"));
            self.close();
        }
    }
}

/// Forwards tokens, but neither line breaks nor indentation.
pub(super) struct Inline<'l, 'n> {
    pub(super) out: &'l mut Linked<'n>,
}

impl Sink for Inline<'_, '_> {
    fn put(&mut self, class: Class, text: &str, link: Link) {
        // Only the line of a definition defines it.
        let link = match link {
            Link::Def(anchor) => Link::Use(anchor),
            Link::Use(_) | Link::None => link,
        };
        self.out.put(class, text, link);
    }

    fn open_line(&mut self, _depth: usize) {}

    fn close_line(&mut self) {}
}
