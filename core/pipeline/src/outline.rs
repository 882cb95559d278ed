//! The outline of a pipeline: its text as rows, without the meaning of the names.
//!
//! ```text
//! ingest, -cse, fix(3: algebraic, dce)      ingest
//!                                         - cse            switched off: kept, but not run
//!                                           fix 3          a group, with its contents one level deeper
//!                                             algebraic
//!                                             dce
//! ```
//!
//! The text and the rows are equivalent: [`Outline::read`] of the printed [`Outline`] gives the same rows. A
//! text with errors gives the readable rows and the first error. Edits preserve correct nesting.
//!
//! Refuses to depend on passes and presets: `parse` does. Uses only the standard library, so that the page
//! can use it without the compiler.

use std::fmt;
use std::ops::Range;
use vitrine_ir::base::sort_by_number;
use vitrine_passes::{current_name, current_option};

/// The largest depth of nested groups.
pub const MOST_DEPTH: usize = 8;

/// The largest number of iterations of a group.
pub const MAX_ITERATIONS: u32 = 1000;

/// A pipeline as rows.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Outline {
    /// The rows in order; the contents of a group directly follow it, one level deeper.
    pub rows: Vec<Row>,
}

/// An entry of a pipeline.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Row {
    /// The number of enclosing groups.
    pub depth: usize,
    /// True if it is switched off, with its contents.
    pub off: bool,
    /// The kind of the row.
    pub what: RowKind,
}

/// The kind of a row.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum RowKind {
    /// A pass or a preset, with its options.
    Named(String, Vec<String>),
    /// A group that runs until nothing changes, with an optional limit of iterations.
    Fix(Option<u32>),
    /// A group that runs this number of times.
    Repeat(u32),
}

/// The position of a row in the text, in bytes.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct RowPlace {
    /// Its name, its mark and its braces; for a group the opening.
    pub row: Range<usize>,
    /// Each of its options.
    pub options: Vec<Range<usize>>,
}

/// The first error of a text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Fault {
    /// A stable code: `L002` for braces, `L004` for everything else.
    pub code: &'static str,
    /// Its position, in bytes.
    pub place: Range<usize>,
    /// The message.
    pub says: String,
    /// The fix; may be empty.
    pub help: &'static str,
}

/// A position at which a row may be inserted: an index, and a depth.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Slot {
    /// The row that will follow; the number of rows for the end.
    pub before: usize,
    /// The number of enclosing groups.
    pub depth: usize,
}

impl Outline {
    /// The rows of a text, their positions, and the first error.
    ///
    /// Linear. Empty entries between commas are skipped.
    pub fn read(text: &str) -> (Outline, Vec<RowPlace>, Option<Fault>) {
        let mut reader = Reader { text, at: 0, rows: Vec::new(), places: Vec::new(), fault: None };
        reader.all();
        (Outline { rows: reader.rows }, reader.places, reader.fault)
    }

    /// A row and its contents. Empty for an index out of range.
    pub fn part(&self, at: usize) -> Range<usize> {
        let Some(row) = self.rows.get(at) else { return self.rows.len()..self.rows.len() };
        let inside = self.rows.iter().skip(at + 1).take_while(|below| below.depth > row.depth);
        at..at + 1 + inside.count()
    }

    /// Every position at which a row can be inserted, from top to bottom, deepest first.
    pub fn slots(&self) -> Vec<Slot> {
        let mut slots = Vec::new();
        for before in 0..=self.rows.len() {
            let above = before.checked_sub(1).and_then(|at| self.rows.get(at));
            let deepest = above.map_or(0, |row| row.depth + usize::from(row.is_group()));
            let shallowest = self.rows.get(before).map_or(0, |row| row.depth);
            slots.extend((shallowest..=deepest).rev().map(|depth| Slot { before, depth }));
        }
        slots
    }

    /// Switches a row off or on.
    pub fn switch(&mut self, at: usize) {
        if let Some(row) = self.rows.get_mut(at) {
            row.off = !row.off;
        }
    }

    /// Removes a row with its contents.
    pub fn take(&mut self, at: usize) -> Vec<Row> {
        self.rows.drain(self.part(at)).collect()
    }

    /// Inserts rows at a slot; the first one gets its depth. Returns `false` if they would nest too deep.
    pub fn put(&mut self, slot: Slot, mut rows: Vec<Row>) -> bool {
        let base = rows.first().map_or(0, |row| row.depth);
        for row in &mut rows {
            row.depth = row.depth.saturating_sub(base) + slot.depth;
        }
        let fits = |row: &Row| row.depth + usize::from(row.is_group()) <= MOST_DEPTH;
        let fit = rows.iter().all(fits) && self.slots().contains(&slot);
        if fit {
            self.rows.splice(slot.before..slot.before, rows);
        }
        fit
    }

    /// Moves a row with its contents to the next slot down or up: past its neighbor, into a group or out of
    /// one. Returns its new index; none if it cannot move further.
    pub fn shift(&mut self, at: usize, down: bool) -> Option<usize> {
        let before = self.rows.get(at)?.depth;
        let here = Slot { before: at, depth: before };
        let mut rest = self.clone();
        let rows = rest.take(at);
        let slots = rest.slots();
        let place = slots.iter().position(|slot| *slot == here)?;
        let beyond: Vec<Slot> = match down {
            true => slots.get(place + 1..)?.to_vec(),
            false => slots.get(..place)?.iter().rev().copied().collect(),
        };
        let slot = beyond.into_iter().find(|slot| rest.put(*slot, rows.clone()))?;
        *self = rest;
        Some(slot.before)
    }

    /// Moves a row with its contents before another row, given by its current index, at the given depth or
    /// the nearest possible one. Returns its new index; none if it cannot be inserted there.
    pub fn carry(&mut self, at: usize, before: usize, depth: usize) -> Option<usize> {
        self.rows.get(at)?;
        let part = self.part(at);
        let before = match before {
            before if before <= part.start => before,
            before if before < part.end => part.start,
            before => before - part.len(),
        };
        let mut rest = self.clone();
        let rows = rest.take(at);
        let mut there = rest.slots();
        there.retain(|slot| slot.before == before);
        sort_by_number(&mut there, |slot| slot.depth.abs_diff(depth) as u64);
        let slot = there.into_iter().find(|slot| rest.put(*slot, rows.clone()))?;
        *self = rest;
        Some(slot.before)
    }

    /// Replaces a row by the rows of a text. They are off if the row was.
    pub fn spread(&mut self, at: usize, text: &str) -> bool {
        let Some(row) = self.rows.get(at).cloned() else { return false };
        let (mut inner, _, _) = Outline::read(text);
        for top in inner.rows.iter_mut().filter(|inner| inner.depth == 0) {
            top.off |= row.off;
        }
        let mut rest = self.clone();
        rest.take(at);
        let mut before = at;
        // Inserted one by one, because only the first row of an insertion may change its depth.
        while !inner.rows.is_empty() {
            let rows = inner.take(0);
            let count = rows.len();
            if !rest.put(Slot { before, depth: row.depth }, rows) {
                return false;
            }
            before += count;
        }
        *self = rest;
        true
    }

    /// Sets an option of a row: removes the options for which `replaces` returns true, then adds `option`
    /// unless it is empty.
    pub fn set_option(&mut self, at: usize, replaces: impl Fn(&str) -> bool, option: &str) {
        if let Some(Row { what: RowKind::Named(_, options), .. }) = self.rows.get_mut(at) {
            options.retain(|known| !replaces(known));
            if !option.is_empty() {
                options.push(option.to_owned());
            }
        }
    }

    /// Sets the number of iterations of a group, clamped to the valid range; none removes the limit of a
    /// `fix`.
    pub fn set_iterations(&mut self, at: usize, iterations: Option<u32>) {
        let iterations = iterations.map(|iterations| iterations.clamp(1, MAX_ITERATIONS));
        match self.rows.get_mut(at).map(|row| &mut row.what) {
            Some(RowKind::Fix(most)) => *most = iterations,
            Some(RowKind::Repeat(times)) => *times = iterations.unwrap_or(*times),
            Some(RowKind::Named(..)) | None => {}
        }
    }
}

impl Row {
    /// Returns true if it may contain other rows.
    pub fn is_group(&self) -> bool {
        !matches!(self.what, RowKind::Named(..))
    }

    /// The keyword it begins with.
    pub fn name(&self) -> &str {
        match &self.what {
            RowKind::Named(name, _) => name,
            RowKind::Fix(_) => "fix",
            RowKind::Repeat(_) => "repeat",
        }
    }
}

impl fmt::Display for Outline {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut open = 0;
        let mut is_first = true;
        for row in &self.rows {
            for _ in row.depth..open {
                f.write_str(")")?;
            }
            if !is_first || row.depth < open {
                f.write_str(", ")?;
            }
            open = row.depth + usize::from(row.is_group());
            is_first = row.is_group();
            if row.off {
                f.write_str("-")?;
            }
            match &row.what {
                RowKind::Named(name, options) if options.is_empty() => f.write_str(name)?,
                RowKind::Named(name, options) => write!(f, "{name}{{{}}}", options.join(", "))?,
                RowKind::Fix(None) => f.write_str("fix(")?,
                RowKind::Fix(Some(most)) => write!(f, "fix({most}: ")?,
                RowKind::Repeat(times) => write!(f, "repeat({times}: ")?,
            }
        }
        for _ in 0..open {
            f.write_str(")")?;
        }
        Ok(())
    }
}

struct Reader<'t> {
    text: &'t str,
    at: usize,
    rows: Vec<Row>,
    places: Vec<RowPlace>,
    fault: Option<Fault>,
}

impl<'t> Reader<'t> {
    fn all(&mut self) {
        // The start of each open group.
        let mut open: Vec<usize> = Vec::new();
        loop {
            self.space();
            let start = self.at;
            match self.peek() {
                None => break,
                Some(',') => self.at += 1,
                Some(')') => {
                    self.at += 1;
                    if open.pop().is_none() {
                        self.fault("L004", start, "there is no group to close here".to_owned(), "");
                    }
                    self.separated();
                }
                Some(_) => {
                    let off = self.rest().strip_prefix('-').is_some_and(|rest| rest.starts_with(is_part));
                    self.at += usize::from(off);
                    let name = self.word();
                    let Some((what, options)) = self.what(name, start) else { continue };
                    let row = Row { depth: open.len(), off, what };
                    if row.is_group() && open.len() == MOST_DEPTH {
                        self.fault("L004", start, format!("groups nest more than {MOST_DEPTH} deep"), "");
                        return;
                    }
                    let is_group = row.is_group();
                    self.rows.push(row);
                    self.places.push(RowPlace { row: start..self.at, options });
                    match is_group {
                        true => open.push(start),
                        false => self.separated(),
                    }
                }
            }
        }
        if let Some(start) = open.pop() {
            self.fault("L004", start, "this group is not closed".to_owned(), "");
        }
    }

    /// A row, under current names, and the positions of its options; none for a group without parentheses.
    fn what(&mut self, name: &str, start: usize) -> Option<(RowKind, Vec<Range<usize>>)> {
        if name != "fix" && name != "repeat" {
            let (options, places) = self.options(start);
            let options = options.iter().map(|option| current_option(name, option).to_owned()).collect();
            return Some((RowKind::Named(current_name(name).to_owned(), options), places));
        }
        self.space();
        if self.peek() != Some('(') {
            self.fault("L004", start, format!("`{name}` must be followed by passes in parentheses"), "");
            return None;
        }
        self.at += 1;
        let iterations = self.iterations();
        let what = match (name, iterations) {
            ("fix", iterations) => RowKind::Fix(iterations),
            (_, Some(times)) => RowKind::Repeat(times),
            (_, None) => {
                let help = "write it as `repeat(3: dce)`";
                self.fault("L004", start, "`repeat` has no number of iterations".to_owned(), help);
                RowKind::Repeat(1)
            }
        };
        Some((what, Vec::new()))
    }

    /// `8:` at the start of a group.
    fn iterations(&mut self) -> Option<u32> {
        self.space();
        let start = self.at;
        if !self.peek().is_some_and(|c| c.is_ascii_digit()) {
            return None;
        }
        let word = self.word();
        self.space();
        let has_colon = self.peek() == Some(':');
        let number = word.parse().ok().filter(|number| (1..=MAX_ITERATIONS).contains(number));
        if number.is_none() {
            self.fault("L004", start, format!("`{word}` is not a number from 1 to {MAX_ITERATIONS}"), "");
        } else if !has_colon {
            self.fault("L004", start, format!("a colon is missing after `{word}`"), "");
        }
        self.at += usize::from(has_colon);
        Some(number.unwrap_or(1))
    }

    fn options(&mut self, start: usize) -> (Vec<String>, Vec<Range<usize>>) {
        self.space();
        let (mut options, mut places) = (Vec::new(), Vec::new());
        if self.peek() != Some('{') {
            return (options, places);
        }
        let open = self.at;
        let Some(length) = self.rest().find('}') else {
            let text = self.text.get(start..).unwrap_or("").trim_end();
            let says = format!("the braces of `{text}` are not closed");
            self.at = self.text.len();
            self.fault("L002", start, says, "");
            return (options, places);
        };
        self.at = open + length + 1;
        let mut at = open + 1;
        for given in self.text.get(open + 1..open + length).unwrap_or("").split(',') {
            let indent = given.len() - given.trim_start().len();
            if !given.trim().is_empty() {
                options.push(spaced(given));
                places.push(at + indent..at + indent + given.trim().len());
            }
            at += given.len() + 1;
        }
        (options, places)
    }

    fn rest(&self) -> &'t str {
        self.text.get(self.at..).unwrap_or("")
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn space(&mut self) {
        let rest = self.rest();
        self.at += rest.len() - rest.trim_start().len();
    }

    /// Letters, digits and hyphens; any other characters are taken as one word, so that a diagnostic can name
    /// it.
    fn word(&mut self) -> &'t str {
        let rest = self.rest();
        let end = rest.find(|c| !is_part(c)).unwrap_or(rest.len());
        let end = if end == 0 { rest.chars().next().map_or(0, char::len_utf8) } else { end };
        self.at += end;
        rest.get(..end).unwrap_or("")
    }

    /// The possible ends of an entry: a comma, the end of a group, the end of the text.
    fn separated(&mut self) {
        self.space();
        match self.peek() {
            None | Some(',' | ')') => {}
            Some(odd) => {
                let start = self.at;
                self.fault("L004", start, format!("a comma is missing before `{odd}`"), "");
            }
        }
    }

    /// Records the first error only: later ones may follow from it.
    fn fault(&mut self, code: &'static str, start: usize, says: String, help: &'static str) {
        let place = start..self.at.max(start);
        self.fault.get_or_insert(Fault { code, place, says, help });
    }
}

fn is_part(c: char) -> bool {
    c.is_alphanumeric() || c == '-' || c == '_'
}

/// An option without spaces around it and around its `=`.
fn spaced(option: &str) -> String {
    match option.split_once('=') {
        Some((name, value)) => format!("{}={}", name.trim(), value.trim()),
        None => option.trim().to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outline(text: &str) -> Outline {
        let (outline, places, fault) = Outline::read(text);
        assert_eq!((fault, places.len()), (None, outline.rows.len()), "{text}");
        outline
    }

    fn edited(text: &str, edit: impl FnOnce(&mut Outline)) -> String {
        let mut outline = outline(text);
        edit(&mut outline);
        outline.to_string()
    }

    #[test]
    fn text_and_rows_are_the_same_thing() {
        for text in [
            "",
            "dce",
            "-dce, cse",
            "structurize{imported}, fix(copy-prop, -cse), dce",
            "repeat(2: vars-to-values{max-leaves=16}, -fix(3: a, b)), -O1",
            "fix(), fix(fix(repeat(1: ))), a",
        ] {
            assert_eq!(outline(text).to_string(), text);
        }
        assert_eq!(outline(" a ,, b{ x , y = 1 }").to_string(), "a, b{x, y=1}");
    }

    #[test]
    fn a_row_moves_past_its_neighbors_into_groups_and_out_of_them() {
        let mut text = "a, fix(b), c".to_owned();
        let mut at = 0;
        let mut seen = Vec::new();
        while let Some(there) = {
            let mut moved = outline(&text);
            let there = moved.shift(at, true);
            text = moved.to_string();
            there
        } {
            at = there;
            seen.push(text.clone());
        }
        assert_eq!(seen, ["fix(a, b), c", "fix(b, a), c", "fix(b), a, c", "fix(b), c, a"]);
        assert_eq!(edited("fix(a), b", |rows| assert_eq!(rows.shift(2, false), Some(2))), "fix(a, b)");
        assert_eq!(edited("a, fix(b)", |rows| assert_eq!(rows.shift(1, false), Some(0))), "fix(b), a");
        assert_eq!(edited("a", |rows| assert_eq!(rows.shift(0, true), None)), "a");
    }

    #[test]
    fn rows_are_carried_to_where_they_are_dropped() {
        assert_eq!(edited("a, b, fix(c)", |rows| assert_eq!(rows.carry(0, 4, 0), Some(3))), "b, fix(c), a");
        assert_eq!(edited("a, b, fix(c)", |rows| assert_eq!(rows.carry(0, 4, 9), Some(3))), "b, fix(c, a)");
        assert_eq!(edited("fix(a), b", |rows| assert_eq!(rows.carry(0, 1, 1), Some(0))), "fix(a), b");
        assert_eq!(edited("a, b", |rows| assert_eq!(rows.carry(9, 0, 0), None)), "a, b");
    }

    #[test]
    fn rows_are_switched_removed_spread_and_set() {
        assert_eq!(edited("a, fix(b, c), d", |rows| rows.switch(1)), "a, -fix(b, c), d");
        assert_eq!(edited("a, fix(b, c), d", |rows| drop(rows.take(1))), "a, d");
        assert_eq!(
            edited("a, fix(-O1), d", |rows| assert!(rows.spread(2, "x, fix(y)"))),
            "a, fix(-x, -fix(y)), d"
        );
        assert_eq!(
            edited("a{x, n=1}", |rows| rows.set_option(0, |known| known.starts_with("n="), "n=2")),
            "a{x, n=2}"
        );
        assert_eq!(
            edited("fix(a), repeat(2: b)", |rows| rows.set_iterations(0, Some(9999))),
            "fix(1000: a), repeat(2: b)"
        );
        assert_eq!(
            edited("fix(3: a), repeat(2: b)", |rows| rows.set_iterations(0, None)),
            "fix(a), repeat(2: b)"
        );
    }

    #[test]
    fn nothing_nests_too_deep() {
        let deep = "fix(".repeat(MOST_DEPTH) + &")".repeat(MOST_DEPTH) + ", fix()";
        let text = edited(&deep, |rows| assert!(rows.carry(8, 8, 8).is_some()));
        assert_eq!(outline(&text).rows.iter().map(|row| row.depth).max(), Some(MOST_DEPTH - 1));
        assert!(Outline::read(&"fix(".repeat(MOST_DEPTH + 1)).2.is_some());
    }

    #[test]
    fn what_could_be_read_of_a_damaged_text_is_there() {
        for (text, rest) in [
            ("a b", "a, b"),
            ("fix(a", "fix(a)"),
            ("a), b", "a, b"),
            ("fix a, b", "a, b"),
            ("repeat(a)", "repeat(1: a)"),
            ("a{x", "a"),
            ("ä, ?", "ä, ?"),
        ] {
            assert_eq!(Outline::read(text).0.to_string(), rest, "{text}");
        }
    }
}
