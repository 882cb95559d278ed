//! All there is to say about one thing of one version: what it is, where it is used, where it came from, what
//! became of it.
//!
//! An answer is a text, line by line, and for each line a section and what a click on it does. Facts are those
//! that an analysis computed for this version; histories are read off the journals. Nothing is guessed: what is
//! not known has no line.

mod facts; // start here: what it is
mod history; // where it came from, what became of it

use super::linked::{Linked, Numbers, StyledText};
use super::origins::Origins;
use crate::back::picture::rows::{Part, Slot};
use crate::ir::{Anchor, Func, Inst, Module};
use crate::pipeline::Trace;
use crate::text::{Class, Link, Options, Printer, Sink};

/// Uses that are listed; of more the number is told.
const MOST_USES: u32 = 200;

/// What there is to say about a thing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Inspection {
    /// Its number.
    pub number: u32,
    /// What is said, a line each.
    pub text: StyledText,
    /// Four numbers a line: section (0 definition, 1 facts, 2 uses, 3 where it came from, 4 what became of it),
    /// what a click does (0 nothing, 1 shows use number `a` of it, 2 goes to version `a` with thing `b` and 1
    /// more chosen, 3 selects `b` bytes of the input from byte `a`, 4 chooses thing `a`, 5 shows
    /// the memory of thing `a`), then `a` and `b`.
    pub rows: Vec<u32>,
}

/// The sections of an inspection, by their numbers.
#[derive(Clone, Copy)]
enum Section {
    Definition,
    Facts,
    Uses,
    Past,
    Future,
}

/// What a click on a line does.
#[derive(Clone, Copy)]
enum Action {
    Nothing,
    /// Shows a use of the thing, by its place in reading order.
    Use(u32),
    /// Goes to a version with a thing chosen.
    Moment(usize, Anchor),
    /// Selects bytes of the input.
    Input(u32, u32),
    /// Chooses another thing.
    Thing(Anchor),
    /// Shows the map of a variable's memory.
    Memory(Anchor),
}

/// Everything about a thing of a version. `O(n)` in the function it is in; in the module for what is the module's.
pub(super) fn inspect(
    trace: &Trace,
    at: usize,
    anchor: Anchor,
    origins: &Origins,
    numbers: &mut Numbers,
) -> Inspection {
    let number = numbers.number(anchor);
    let Some(module) = trace.version(at) else { return Inspection::default() };
    let mut told = Told { out: Linked::new(numbers), rows: Vec::new() };
    let parts: Vec<Part> = slots(module, anchor).into_iter().map(|slot| Part::print(module, slot)).collect();
    let is_there = told.definition(&parts, anchor);
    if is_there {
        facts::facts(&mut told, module, anchor);
        told.uses(&parts, anchor);
    }
    let asked = history::Asked { trace, at, anchor, origins, is_there };
    history::past(&mut told, &asked);
    history::future(&mut told, &asked);
    let Told { out, rows } = told;
    Inspection { number, text: out.finish(), rows }
}

/// The parts of a module that can mention a thing.
fn slots(module: &Module, anchor: Anchor) -> Vec<Slot> {
    match func_of(anchor) {
        Some(func) => vec![Slot::Func(func)],
        None => {
            let funcs = module.funcs().map(|(func, _)| Slot::Func(func));
            [Slot::Head].into_iter().chain(funcs).chain([Slot::Tail]).collect()
        }
    }
}

/// The function whose ids an anchor is made of.
fn func_of(anchor: Anchor) -> Option<Func> {
    match anchor {
        Anchor::Reg(func, _) | Anchor::Inst(func, _) | Anchor::Arg(func, ..) => Some(func),
        Anchor::Block(func, _) | Anchor::Terminator(func, _) | Anchor::TerminatorArg(func, ..) => Some(func),
        Anchor::Node(func, _) => Some(func),
        Anchor::Module | Anchor::Struct(_) | Anchor::Member(..) | Anchor::Global(_) | Anchor::Var(_) => None,
        Anchor::Entry(_) | Anchor::Func(_) | Anchor::Span(..) | Anchor::Word(_) => None,
    }
}

/// Lines as they are told.
struct Told<'n> {
    out: Linked<'n>,
    rows: Vec<u32>,
}

impl Told<'_> {
    /// Begins a line.
    fn open(&mut self, section: Section, action: Action) {
        let words = match action {
            Action::Nothing => [0, 0, 0],
            Action::Use(at) => [1, at, 0],
            Action::Moment(at, thing) => [2, at as u32, self.out.numbers.number(thing) + 1],
            Action::Input(start, len) => [3, start, len],
            Action::Thing(thing) => [4, self.out.numbers.number(thing), 0],
            Action::Memory(thing) => [5, self.out.numbers.number(thing), 0],
        };
        self.rows.push(section as u32);
        self.rows.extend(words);
        self.out.open_line(0);
    }

    fn close(&mut self) {
        self.out.close_line();
    }

    fn put(&mut self, class: Class, text: &str) {
        self.out.put(class, text, Link::None);
    }

    fn say(&mut self, text: &str) {
        self.put(Class::Plain, text);
    }

    /// Names a thing, as a link to it.
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

    /// A fact: a word for what it is, and the fact.
    fn fact(&mut self, label: &str, text: &str) {
        self.labelled(Section::Facts, Action::Nothing, label);
        self.say(text);
        self.close();
    }

    /// Begins a line with a word for what follows.
    fn labelled(&mut self, section: Section, action: Action, label: &str) {
        self.open(section, action);
        self.put(Class::Note, label);
        self.say(" ");
    }

    /// A value's instruction as it stands in a version, in the line at hand.
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
        for run in part.runs_of(line) {
            let from = (run.start.saturating_sub(start)) as usize;
            let to = from + run.len as usize;
            self.say(words.get(at..from).unwrap_or(""));
            self.out.put(run.class, words.get(from..to).unwrap_or(""), run.link);
            at = to;
        }
        self.say(words.get(at..).unwrap_or(""));
    }

    /// The line that defines the thing; whether there is one.
    fn definition(&mut self, parts: &[Part], anchor: Anchor) -> bool {
        let found = parts.iter().find_map(|part| Some((part, part.definition(anchor)?)));
        self.open(Section::Definition, Action::Thing(anchor));
        match found {
            Some((part, line)) => self.line(part, line),
            None if matches!(anchor, Anchor::Span(..) | Anchor::Word(_)) => {
                self.say("an instruction that is there for no single value");
            }
            None => {
                self.name(anchor);
                self.say(" is not in this version");
            }
        }
        self.close();
        found.is_some()
    }

    /// The lines that mention the thing, in reading order.
    fn uses(&mut self, parts: &[Part], anchor: Anchor) {
        let mut count = 0;
        let mut left_out = 0;
        for part in parts {
            let mut last = None;
            for (at, run) in part.runs.iter().enumerate() {
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
                    self.say("  ");
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

/// Lets tokens through, and neither lines nor indentation.
pub(super) struct Inline<'l, 'n> {
    pub(super) out: &'l mut Linked<'n>,
}

impl Sink for Inline<'_, '_> {
    fn put(&mut self, class: Class, text: &str, link: Link) {
        // Only the line that is about a thing defines it.
        let link = match link {
            Link::Def(anchor) => Link::Use(anchor),
            Link::Use(_) | Link::None => link,
        };
        self.out.put(class, text, link);
    }

    fn open_line(&mut self, _depth: usize) {}

    fn close_line(&mut self) {}
}
