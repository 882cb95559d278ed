//! Numbers for a program from elsewhere: its parts get the numbers of the equal parts of its predecessor.
//!
//! ```text
//! before                       after, as read                 after, aligned
//! %3: b32 = const 1.0          %0: b32 = fadd %9, %9          %5: b32 = fadd %4, %4      new
//! %4: b32 = load %2            …                              …
//! ```
//!
//! Everything that shows several versions matches parts by number, so that dumps of any compiler look like a
//! trace of our own passes. Lines of the text form are compared: first those with equal expressions (the
//! operands' definitions count, not their numbers) whose order is the same, then, between these, lines that
//! differ only in operands. A part without a counterpart gets a number that no earlier version has.
//!
//! Refuses to compare meanings: a wrong match only makes a difference harder to read. A program that cannot be
//! renumbered keeps its numbers.

use rustc_hash::{FxHashMap, FxHasher};
use std::hash::Hasher;
use vitrine_ir::base::{EntityId, out_of_order};
use vitrine_ir::{Anchor, Func, Module};
use vitrine_text::{Class, Link, Options, Printer, Sink, parse_like};

/// Up to this number of pairs, lines between equal ones are matched optimally, otherwise in order.
const MOST_PAIRS: usize = 1 << 16;

/// Gives versions of a program their numbers, one after the other.
#[derive(Default)]
pub(super) struct Aligner {
    /// The lines of the last version.
    last: Vec<Section>,
    /// The last version itself.
    module: Module,
    /// The first free number of each kind, by kind and function.
    free: FxHashMap<(Kind, u32), u32>,
}

/// A kind of numbered parts.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Kind {
    Struct,
    Global,
    Var,
    Func,
    Reg,
    Inst,
    Block,
    Node,
}

impl Aligner {
    /// The module with the numbers of its predecessor; the first one keeps its own.
    pub(super) fn next(&mut self, module: Module) -> Module {
        let sections = Lines::of(&module);
        if self.last.is_empty() {
            self.note(sections, &module);
            return module;
        }
        let mut names = Names { known: matched(&self.last, &sections), free: &mut self.free };
        let text = renamed(&module, &mut names);
        let parsed = parse_like(&text, &self.module);
        let is_whole = parsed.diags.is_empty() && Lines::of(&parsed.module).len() == sections.len();
        let module = if is_whole { parsed.module } else { module };
        self.note(Lines::of(&module), &module);
        module
    }

    fn note(&mut self, sections: Vec<Section>, module: &Module) {
        for anchor in sections.iter().flat_map(|section| &section.lines).flat_map(|line| &line.defines) {
            if let Some((kind, func, number)) = parts(*anchor) {
                let free = self.free.entry((kind, func)).or_insert(0);
                *free = (*free).max(number + 1);
            }
        }
        (self.last, self.module) = (sections, module.clone());
    }
}

/// Kind, function and number of a numbered part; functions of the module's own parts are 0.
fn parts(anchor: Anchor) -> Option<(Kind, u32, u32)> {
    let of = |kind, func: Func, number: usize| Some((kind, func.index() as u32, number as u32));
    match anchor {
        Anchor::Struct(id) => Some((Kind::Struct, 0, id.index() as u32)),
        Anchor::Global(id) => Some((Kind::Global, 0, id.index() as u32)),
        Anchor::Var(id) => Some((Kind::Var, 0, id.index() as u32)),
        Anchor::Func(id) => Some((Kind::Func, 0, id.index() as u32)),
        Anchor::Reg(func, id) => of(Kind::Reg, func, id.index()),
        Anchor::Inst(func, id) => of(Kind::Inst, func, id.index()),
        Anchor::Block(func, id) => of(Kind::Block, func, id.index()),
        Anchor::Node(func, id) => of(Kind::Node, func, id.index()),
        Anchor::Module
        | Anchor::Member(..)
        | Anchor::Entry(_)
        | Anchor::Arg(..)
        | Anchor::Terminator(..)
        | Anchor::TerminatorArg(..)
        | Anchor::Span(..)
        | Anchor::Word(_) => None,
    }
}

/// The declarations, or a function.
struct Section {
    /// The function, with the name of its entry point or its own; `None` for declarations.
    func: Option<(Func, String)>,
    lines: Vec<Line>,
}

/// A line of the text form.
#[derive(Default)]
struct Line {
    /// The numbered parts that it defines.
    defines: Vec<Anchor>,
    /// A hash of its words and of the definitions of its operands.
    exact: u64,
    /// A hash of its words without operands and names.
    rough: u64,
}

/// Collects the lines of a module.
struct Lines<'m> {
    module: &'m Module,
    sections: Vec<Section>,
    line: Line,
    exact: FxHasher,
    rough: FxHasher,
    /// The hashes of definitions so far.
    made: FxHashMap<Anchor, u64>,
}

impl Lines<'_> {
    fn of(module: &Module) -> Vec<Section> {
        let mut lines = Lines {
            module,
            sections: vec![Section { func: None, lines: Vec::new() }],
            line: Line::default(),
            exact: FxHasher::default(),
            rough: FxHasher::default(),
            made: FxHashMap::default(),
        };
        Printer::to_any(module, Options::default(), &mut lines).module();
        lines.sections
    }

    fn name(&self, func: Func) -> String {
        let entry = self.module.entries.iter().find(|entry| entry.func == func);
        let name = entry.map(|entry| entry.name).or_else(|| self.module.func(func)?.name());
        name.map_or_else(String::new, |name| self.module.text_of(name).to_owned())
    }
}

impl Sink for Lines<'_> {
    fn put(&mut self, _: Class, text: &str, link: Link) {
        match link {
            Link::Def(anchor) if parts(anchor).is_some() => {
                if let Anchor::Func(func) = anchor {
                    let name = self.name(func);
                    self.sections.push(Section { func: Some((func, name)), lines: Vec::new() });
                }
                self.line.defines.push(anchor);
                self.exact.write(stem(text).as_bytes());
                self.rough.write(sigil(text).as_bytes());
            }
            Link::Use(anchor) if parts(anchor).is_some() => {
                self.exact.write_u64(self.made.get(&anchor).copied().unwrap_or(1));
                self.rough.write(sigil(text).as_bytes());
            }
            Link::None | Link::Def(_) | Link::Use(_) => {
                self.exact.write(text.as_bytes());
                self.rough.write(text.as_bytes());
            }
        }
        for hasher in [&mut self.exact, &mut self.rough] {
            hasher.write_u8(0);
        }
    }

    fn open_line(&mut self, _: usize) {}

    fn close_line(&mut self) {
        let mut line = std::mem::take(&mut self.line);
        line.exact = std::mem::take(&mut self.exact).finish();
        line.rough = std::mem::take(&mut self.rough).finish();
        for (&anchor, at) in line.defines.iter().zip(2..) {
            self.made.insert(anchor, line.exact.rotate_left(at));
        }
        if let Some(section) = self.sections.last_mut() {
            section.lines.push(line);
        }
    }
}

/// The text of an id without its number.
fn stem(text: &str) -> &str {
    text.trim_end_matches(|char: char| char.is_ascii_digit())
}

/// The first character of an id.
fn sigil(text: &str) -> &str {
    text.get(..1).unwrap_or_default()
}

/// The numbers of the parts of `after` that are parts of `before`, too.
fn matched(before: &[Section], after: &[Section]) -> FxHashMap<Anchor, u32> {
    let mut known = FxHashMap::default();
    for (old, new) in pairs(before, after) {
        let matcher = Matcher { before: &old.lines, after: &new.lines, found: Vec::new() };
        for (a, b) in matcher.run() {
            let (a, b) = (&old.lines[a].defines, &new.lines[b].defines);
            for (&a, &b) in a.iter().zip(b) {
                if let (Some((kind, _, number)), Some((same, ..))) = (parts(a), parts(b))
                    && kind == same
                {
                    known.insert(b, number);
                }
            }
        }
    }
    known
}

/// Sections that belong together: declarations, functions of one name, and the others in order.
fn pairs<'s>(before: &'s [Section], after: &'s [Section]) -> Vec<(&'s Section, &'s Section)> {
    let mut left: Vec<Option<&Section>> = before.iter().map(Some).collect();
    let mut take = |wanted: &dyn Fn(&Section) -> bool| {
        left.iter_mut().find(|section| section.is_some_and(wanted)).and_then(Option::take)
    };
    let mut out = Vec::new();
    let mut rest = Vec::new();
    for section in after {
        let name = |of: &Section| of.func.as_ref().map(|(_, name)| name.clone());
        let is_named = section.func.as_ref().is_none_or(|(_, name)| !name.is_empty());
        match take(&|old| is_named && name(old) == name(section)) {
            Some(old) => out.push((old, section)),
            None => rest.push(section),
        }
    }
    for section in rest {
        out.extend(take(&|old| old.func.is_some()).map(|old| (old, section)));
    }
    out
}

/// Matches two lists of lines.
struct Matcher<'l> {
    before: &'l [Line],
    after: &'l [Line],
    found: Vec<(usize, usize)>,
}

/// A range of both lists.
type Gap = [std::ops::Range<usize>; 2];

impl Matcher<'_> {
    /// The matched lines, as positions in both lists.
    fn run(mut self) -> Vec<(usize, usize)> {
        let mut gaps = vec![[0..self.before.len(), 0..self.after.len()]];
        while let Some(gap) = gaps.pop() {
            let gap = self.trim(gap);
            if gap.iter().any(std::ops::Range::is_empty) {
                continue;
            }
            let anchors = self.unique(&gap);
            if anchors.is_empty() {
                self.close(&gap);
                continue;
            }
            let mut from = [gap[0].start, gap[1].start];
            for (a, b) in anchors {
                gaps.push([from[0]..a, from[1]..b]);
                self.found.push((a, b));
                from = [a + 1, b + 1];
            }
            gaps.push([from[0]..gap[0].end, from[1]..gap[1].end]);
        }
        self.rest();
        self.found
    }

    /// Matches lines that moved: the first equal ones that have no match yet.
    fn rest(&mut self) {
        let [mut before, mut after] = [self.before, self.after].map(|lines| vec![true; lines.len()]);
        for &(a, b) in &self.found {
            (before[a], after[b]) = (false, false);
        }
        let mut left: FxHashMap<u64, Vec<usize>> = FxHashMap::default();
        for at in (0..before.len()).rev().filter(|&at| before[at] && !self.before[at].defines.is_empty()) {
            left.entry(self.before[at].exact).or_default().push(at);
        }
        for at in (0..after.len()).filter(|&at| after[at]) {
            let equal = left.get_mut(&self.after[at].exact).and_then(Vec::pop);
            self.found.extend(equal.map(|before| (before, at)));
        }
    }

    fn same(&self, a: usize, b: usize) -> bool {
        self.before[a].exact == self.after[b].exact
    }

    /// Matches equal lines at both ends of a gap, and returns the rest.
    fn trim(&mut self, [mut before, mut after]: Gap) -> Gap {
        while !before.is_empty() && !after.is_empty() && self.same(before.start, after.start) {
            self.found.push((before.start, after.start));
            (before.start, after.start) = (before.start + 1, after.start + 1);
        }
        while !before.is_empty() && !after.is_empty() && self.same(before.end - 1, after.end - 1) {
            (before.end, after.end) = (before.end - 1, after.end - 1);
            self.found.push((before.end, after.end));
        }
        [before, after]
    }

    /// Equal lines that occur a single time on both sides of a gap, in the same order.
    fn unique(&self, [before, after]: &Gap) -> Vec<(usize, usize)> {
        let mut places: FxHashMap<u64, [Option<(usize, bool)>; 2]> = FxHashMap::default();
        for (side, (lines, range)) in [(self.before, before), (self.after, after)].into_iter().enumerate() {
            for at in range.clone() {
                let place = &mut places.entry(lines[at].exact).or_default()[side];
                *place = Some((at, place.is_none()));
            }
        }
        let mut pairs: Vec<(usize, u32)> = Vec::new();
        for at in after.clone() {
            if let Some([Some((a, true)), Some((b, true))]) = places.get(&self.after[at].exact) {
                pairs.push((*b, *a as u32));
            }
        }
        let moved = out_of_order(&pairs);
        let stays = pairs.iter().filter(|(b, _)| moved.binary_search(b).is_err());
        stays.map(|&(b, a)| (a as usize, b)).collect()
    }

    /// Matches the lines of a gap without unique equal lines, also those that differ in operands.
    fn close(&mut self, [before, after]: &Gap) {
        let (rows, columns) = (before.len(), after.len());
        let score = |a: usize, b: usize| {
            let (a, b) = (&self.before[before.start + a], &self.after[after.start + b]);
            match (a.exact == b.exact, a.rough == b.rough && !a.defines.is_empty()) {
                (true, _) => 3,
                (false, true) => 2,
                (false, false) => 0u32,
            }
        };
        let mut found = Vec::new();
        if rows.saturating_mul(columns) > MOST_PAIRS {
            let mut from = 0;
            for b in 0..columns {
                // A bounded search keeps this linear.
                if let Some(a) = (from..rows.min(from + 64)).find(|&a| score(a, b) > 0) {
                    found.push((a, b));
                    from = a + 1;
                }
            }
        } else {
            let wide = columns + 1;
            let mut best = vec![0u32; (rows + 1) * wide];
            for a in (0..rows).rev() {
                for b in (0..columns).rev() {
                    let matched = match score(a, b) {
                        0 => 0,
                        score => score + best[(a + 1) * wide + b + 1],
                    };
                    best[a * wide + b] = matched.max(best[(a + 1) * wide + b]).max(best[a * wide + b + 1]);
                }
            }
            let (mut a, mut b) = (0, 0);
            while a < rows && b < columns {
                let here = best[a * wide + b];
                if here == best[(a + 1) * wide + b] {
                    a += 1;
                } else if here == best[a * wide + b + 1] {
                    b += 1;
                } else {
                    found.push((a, b));
                    (a, b) = (a + 1, b + 1);
                }
            }
        }
        self.found.extend(found.into_iter().map(|(a, b)| (before.start + a, after.start + b)));
    }
}

/// The numbers of parts.
struct Names<'f> {
    known: FxHashMap<Anchor, u32>,
    free: &'f mut FxHashMap<(Kind, u32), u32>,
}

impl Names<'_> {
    /// The number of a part; a part without a counterpart gets a free one.
    fn number(&mut self, anchor: Anchor, kind: Kind, func: u32) -> u32 {
        if let Some(&number) = self.known.get(&anchor) {
            return number;
        }
        // Free numbers of a function are those of the function that it becomes.
        let func = match kind {
            Kind::Struct | Kind::Global | Kind::Var | Kind::Func => 0,
            Kind::Reg | Kind::Inst | Kind::Block | Kind::Node => {
                self.number(Anchor::Func(Func::from_index(func as usize)), Kind::Func, 0)
            }
        };
        let free = self.free.entry((kind, func)).or_insert(0);
        let number = *free;
        *free += 1;
        self.known.insert(anchor, number);
        number
    }
}

/// The text of a module with other numbers.
fn renamed(module: &Module, names: &mut Names<'_>) -> String {
    let mut out = Renamed { names, text: String::new() };
    Printer::to_any(module, Options::default(), &mut out).module();
    out.text
}

struct Renamed<'n, 'f> {
    names: &'n mut Names<'f>,
    text: String,
}

impl Sink for Renamed<'_, '_> {
    fn put(&mut self, _: Class, text: &str, link: Link) {
        let anchor = match link {
            Link::None => None,
            Link::Def(anchor) | Link::Use(anchor) => parts(anchor).map(|parts| (anchor, parts)),
        };
        match anchor.filter(|_| text.ends_with(|last: char| last.is_ascii_digit())) {
            None => self.text.push_str(text),
            Some((anchor, (kind, func, _))) => {
                let number = self.names.number(anchor, kind, func);
                self.text.push_str(stem(text));
                self.text.push_str(&number.to_string());
            }
        }
    }

    fn open_line(&mut self, depth: usize) {
        self.text.push_str(if depth > 0 { "  " } else { "" });
    }

    fn close_line(&mut self) {
        self.text.push('\n');
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use vitrine_pipeline::diff::modules;
    use vitrine_text::{parse, print_module};

    const BEFORE: &str = "in $1: f32 {location 0}\nout $2: f32 {location 0}\n\nentry fragment \"main\" @3 ($1, $2) {origin_upper_left}\n\n\
        func @3() graph {\n^0:\n  %4: path = deref.var $1\n  %5: b32 = load %4\n  %6: b32 = const 1.0\n  %7: b32 = fadd %5, %6\n  \
        %8: b32 = fmul %7, %7\n  %9: path = deref.var $2\n  %10 = store %9, %8\n  return\n}\n";

    fn aligned(texts: &[&str]) -> Vec<Module> {
        let mut aligner = Aligner::default();
        let read = |text: &&str| {
            let parsed = parse(text);
            assert_eq!(parsed.diags, []);
            parsed.module
        };
        texts.iter().map(read).map(|module| aligner.next(module)).collect()
    }

    #[test]
    fn other_numbers_of_the_same_program_are_the_same_program() {
        let mut other =
            BEFORE.replace("$1", "$7").replace("$2", "$4").replace("@3", "@0").replace("^0", "^9");
        for (from, to) in [("%10", "%0"), ("%4", "%20"), ("%8", "%1"), ("%5", "%4")] {
            other = other.replace(from, to);
        }
        let versions = aligned(&[BEFORE, &other]);
        assert!(modules(&versions[0], &versions[1]).is_empty(), "{}", print_module(&versions[1]));
    }

    #[test]
    fn a_changed_line_is_one_change_and_a_new_one_gets_a_new_number() {
        let changed = BEFORE.replace("fmul %7, %7", "fmul %7, %6");
        let more = changed
            .replace("  %9: path", "  %12: b32 = fneg %8\n  %9: path")
            .replace("store %9, %8", "store %9, %12");
        let versions =
            aligned(&[BEFORE, &changed, &changed.replace("%6", "%2"), &more.replace("%12", "%0"), BEFORE]);
        let count = |at: usize| {
            modules(&versions[at], &versions[at + 1]).inside.iter().map(|of| of.insts.len()).sum::<usize>()
        };
        assert_eq!([count(0), count(1), count(2)], [1, 0, 2]);
        assert!(print_module(&versions[3]).contains("%11: b32 = fneg %8"), "{}", print_module(&versions[3]));
        assert_eq!(print_module(&versions[4]), print_module(&versions[0]));
    }

    #[test]
    fn unrelated_programs_keep_their_meaning() {
        let other = "func @0(%0: b32) -> b32 graph {\n^0:\n  %1 = iadd %0, %0\n  return %1\n}\n";
        let versions = aligned(&[BEFORE, other, "", BEFORE]);
        assert!(print_module(&versions[1]).contains("iadd"));
        // Nothing of it is in its predecessor: all numbers are new.
        let [first, last] = [0, 3].map(|at| print_module(&versions[at]));
        assert_eq!(first.lines().count(), last.lines().count());
        assert!(last.contains("fmul") && !last.contains("@3"), "{last}");
    }
}
