//! Two versions in one text: the later one, with removed lines inserted at their old positions, and every
//! line marked.
//!
//! The key of a line is its definition, and lines are matched by keys, never by their words: a value that is
//! computed differently is one changed line, not a removed and an added one. Lines that define nothing
//! (terminators, braces) belong to the block above them and are matched by their words inside it.

use super::linked::{Linked, Mark, Numbers, StyledText, styled};
use crate::ir::{Anchor, Module};
use crate::pipeline::diff::{Change, ModuleDiff, modules};
use crate::text::{Options, Printer};
use rustc_hash::FxHashMap;
use vitrine_protocol::Bytes;
use vitrine_protocol::layout::SpanEntry;

/// The identity of a line, independent of its words.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
enum Key {
    /// It defines this.
    Defines(Anchor),
    /// It is one of several equal lines with the same owner; the number among them.
    Says(Option<Anchor>, String, u32),
}

/// A printed version.
struct Printed {
    text: StyledText,
    keys: Vec<Key>,
    starts: Vec<usize>,
}

impl Printed {
    fn of(module: &Module, numbers: &mut Numbers) -> Printed {
        let mut out = Linked::new(numbers);
        Printer::new(module, Options::default(), &mut out).module();
        let lines = std::mem::take(&mut out.lines);
        let text = out.finish();
        let mut starts: Vec<usize> = lines.iter().map(|&(start, _)| start).collect();
        starts.push(text.text.len());
        let mut under = None;
        let mut seen: FxHashMap<(Option<Anchor>, &str), u32> = FxHashMap::default();
        let mut keys = Vec::with_capacity(lines.len());
        for (&(_, about), range) in lines.iter().zip(starts.windows(2)) {
            match about {
                Some(anchor) => {
                    if matches!(anchor, Anchor::Block(..) | Anchor::Func(_)) {
                        under = Some(anchor);
                    }
                    keys.push(Key::Defines(anchor));
                }
                None => {
                    let words = text.text.get(range[0]..range[1]).unwrap_or("").trim();
                    let times = seen.entry((under, words)).or_insert(0);
                    keys.push(Key::Says(under, words.to_owned(), *times));
                    *times += 1;
                }
            }
        }
        Printed { text, keys, starts }
    }
}

/// The text under construction.
#[derive(Default)]
struct Marked {
    text: String,
    spans: Vec<SpanEntry>,
    marks: Vec<u8>,
}

/// The text of `after`, marked against `before`. Linear in both.
pub(super) fn changes(before: &Module, after: &Module, numbers: &mut Numbers) -> StyledText {
    let diff = modules(before, after);
    let (old, new) = (Printed::of(before, numbers), Printed::of(after, numbers));
    let places: FxHashMap<&Key, usize> = (0..).zip(&new.keys).map(|(at, key)| (key, at)).collect();
    let was: FxHashMap<&Key, ()> = old.keys.iter().map(|key| (key, ())).collect();
    // A removed line is inserted after the last unremoved line before it: `removed[0]` precedes all lines.
    let mut removed: Vec<Vec<usize>> = vec![Vec::new(); new.keys.len() + 1];
    let mut last = 0;
    for (at, key) in old.keys.iter().enumerate() {
        match places.get(key) {
            Some(&place) => last = place + 1,
            None if is_blank(&old, at) => {}
            None => removed[last].push(at),
        }
    }
    let mut out = Marked::default();
    let mut spans = [0, 0];
    let mut put = |out: &mut Marked, from: &Printed, which: usize, at: usize, mark: Mark| {
        copy_line(out, from, &mut spans[which], at);
        out.marks.push(mark as u8);
    };
    let gone =
        |out: &mut Marked, place: usize, put: &mut dyn FnMut(&mut Marked, &Printed, usize, usize, Mark)| {
            for &at in removed.get(place).into_iter().flatten() {
                put(out, &old, 0, at, Mark::Gone);
            }
        };
    gone(&mut out, 0, &mut put);
    for (at, key) in new.keys.iter().enumerate() {
        let mark = match was.contains_key(key) || is_blank(&new, at) {
            false => Mark::Added,
            true => mark_of(&diff, key),
        };
        put(&mut out, &new, 1, at, mark);
        gone(&mut out, at + 1, &mut put);
    }
    StyledText { marks: Bytes(out.marks), ..styled(out.text, out.spans) }
}

fn is_blank(printed: &Printed, at: usize) -> bool {
    matches!(&printed.keys[at], Key::Says(_, words, _) if words.is_empty())
}

fn mark_of(diff: &ModuleDiff, key: &Key) -> Mark {
    let Key::Defines(anchor) = key else { return Mark::Same };
    let inside = |func| diff.inside.iter().find(|inside| inside.func == Some(func));
    let change = match *anchor {
        Anchor::Inst(func, inst) => inside(func).and_then(|of| of.of_inst(inst)),
        Anchor::Block(func, block) => inside(func).and_then(|of| of.of_block(block)),
        Anchor::Node(func, node) => inside(func).and_then(|of| of.of_node(node)),
        Anchor::Func(func) => inside(func).filter(|of| of.itself).map(|_| Change::Changed),
        _ => None,
    };
    match change {
        None => Mark::Same,
        Some(Change::Added) => Mark::Added,
        Some(Change::Gone) => Mark::Gone,
        Some(Change::Changed) => Mark::Changed,
        Some(Change::Moved) => Mark::Moved,
    }
}

/// Appends a line with its styled ranges; `from_span` is the end of the ranges of earlier lines.
fn copy_line(out: &mut Marked, from: &Printed, from_span: &mut usize, at: usize) {
    let (start, end) = (from.starts[at], from.starts[at + 1]);
    let shift = out.text.len();
    out.text.push_str(from.text.text.get(start..end).unwrap_or(""));
    let spans = from.text.spans.entries();
    while spans.get(*from_span).is_some_and(|span| (span.start as usize) < start) {
        *from_span += 1;
    }
    while let Some(span) = spans.get(*from_span).filter(|span| (span.start as usize) < end) {
        out.spans.push(SpanEntry { start: (span.start as usize - start + shift) as u32, ..*span });
        *from_span += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::parse;

    fn marked(before: &str, after: &str) -> String {
        let text = changes(&parse(before).module, &parse(after).module, &mut Numbers::default());
        let signs = [' ', '+', '-', '~', '>'];
        assert!(text.spans.entries().iter().all(|span| text.text.get(span.range()).is_some()));
        assert_eq!(text.marks.0.len(), text.text.lines().count());
        text.text
            .lines()
            .zip(&text.marks.0)
            .map(|(line, &mark)| format!("{}{line}\n", signs[mark as usize]))
            .collect()
    }

    #[test]
    fn lines_are_matched_by_what_they_define() {
        let before = "func @0() -> b32 graph {\n^0:\n  %0: b32 = const 1\n  %1: b32 = const 2\n  %2 = iadd %0, %1\n  return %2\n}\n";
        let after = "func @0() -> b32 graph {\n^0:\n  %0: b32 = const 1\n  %2: b32 = const 3\n  %3: b32 = const 4\n  return %3\n}\n";
        let wanted = " func @0() -> b32 graph {\n~^0:\n   %0: b32 = const 1\n-  %1: b32 = const 2\n~  %2: b32 = const 3\n-  return %2\n+  %3: b32 = const 4\n+  return %3\n }\n";
        assert_eq!(marked(before, after), wanted);
    }

    #[test]
    fn what_is_the_same_has_no_mark() {
        let text = "func @0() graph {\n^0:\n  return\n}\n";
        assert!(marked(text, text).lines().all(|line| line.starts_with(' ')));
    }
}
