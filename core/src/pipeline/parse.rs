//! The text form of pipelines.
//!
//! ```text
//! entries := entry ("," entry)*
//! entry   := pass [ "{" option ("," option)* "}" ]        structurize{imported}, vars-to-values{max-leaves=16}
//!          | preset                                       O1
//!          | "fix" "(" [ rounds ":" ] entries ")"         until nothing changes, at most so often
//!          | "repeat" "(" times ":" entries ")"           exactly so often
//! ```
//!
//! Every error has a place. Groups nest at most [`MOST_DEPTH`] deep, so that what walks them may recurse.

use super::presets;
use super::registry::{self, Options, PASSES, PassInfo};
use crate::ir::{Anchor, Diag, Place};

/// Rounds of a `fix` that names no number.
pub const ROUNDS: u32 = 8;

/// Most groups around an entry.
pub const MOST_DEPTH: usize = 8;

/// Most times a group may ask to be run.
const MOST_ROUNDS: u32 = 1000;

/// One entry of a pipeline.
#[derive(Clone, Debug)]
pub(super) enum Entry {
    Pass(PassUse),
    /// Until nothing changes, at most so many rounds.
    Fix(u32, Vec<Entry>),
    /// So many rounds.
    Repeat(u32, Vec<Entry>),
    /// What a preset stands for, in order.
    Preset(Vec<Entry>),
}

/// A pass where it stands in a pipeline.
#[derive(Clone, Debug)]
pub(super) struct PassUse {
    pub(super) pass: &'static PassInfo,
    pub(super) options: Options,
    /// Its number in the pipeline, from 0.
    pub(super) number: usize,
}

impl std::fmt::Debug for PassInfo {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name)
    }
}

/// Reads a pipeline. Empty entries between commas are left out.
pub(super) fn parse(text: &str) -> Result<Vec<Entry>, Diag> {
    let mut reader = Reader { text, at: 0, passes: 0 };
    let mut open: Vec<Group> = vec![Group { kind: Kind::Whole, start: 0, entries: Vec::new() }];
    loop {
        reader.space();
        let start = reader.at;
        match reader.peek() {
            None => break,
            Some(',') => reader.at += 1,
            Some(')') => {
                reader.at += 1;
                close(&mut reader, &mut open, start)?;
            }
            Some(_) => {
                let name = reader.word();
                if let Some(kind) = reader.group(name, start)? {
                    if open.len() > MOST_DEPTH {
                        return Err(reader.error(
                            "L004",
                            start,
                            format!("groups nest more than {MOST_DEPTH} deep"),
                        ));
                    }
                    open.push(Group { kind, start, entries: Vec::new() });
                    continue;
                }
                let entry = reader.entry(name, start)?;
                if let Some(group) = open.last_mut() {
                    group.entries.push(entry);
                }
                reader.separated()?;
            }
        }
    }
    match open.pop() {
        Some(Group { kind: Kind::Whole, entries, .. }) => Ok(entries),
        Some(Group { start, .. }) => Err(reader.error("L004", start, "this group does not close".to_owned())),
        None => Ok(Vec::new()),
    }
}

/// Ends the innermost group.
fn close(reader: &mut Reader<'_>, open: &mut Vec<Group>, at: usize) -> Result<(), Diag> {
    let done = open.pop_if(|group| !matches!(group.kind, Kind::Whole));
    let (Some(done), Some(around)) = (done, open.last_mut()) else {
        return Err(reader.error("L004", at, "there is no group to close here".to_owned()));
    };
    around.entries.push(match done.kind {
        Kind::Fix(rounds) => Entry::Fix(rounds, done.entries),
        Kind::Repeat(times) => Entry::Repeat(times, done.entries),
        Kind::Whole => return Ok(()),
    });
    reader.separated()
}

struct Group {
    kind: Kind,
    start: usize,
    entries: Vec<Entry>,
}

enum Kind {
    Whole,
    Fix(u32),
    Repeat(u32),
}

struct Reader<'t> {
    text: &'t str,
    at: usize,
    passes: usize,
}

impl<'t> Reader<'t> {
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

    /// Letters, digits and hyphens; whatever else stands here counts as one word, so that it can be named.
    fn word(&mut self) -> &'t str {
        let rest = self.rest();
        let part = |c: char| c.is_alphanumeric() || c == '-' || c == '_';
        let end = rest.find(|c| !part(c)).unwrap_or(rest.len());
        let end = if end == 0 { rest.chars().next().map_or(0, char::len_utf8) } else { end };
        self.at += end;
        rest.get(..end).unwrap_or("")
    }

    fn error(&self, code: &'static str, start: usize, says: String) -> Diag {
        let before = self.text.get(..start).unwrap_or("");
        let line = before.matches('\n').count() as u32 + 1;
        let column = before.rsplit('\n').next().map_or(0, |tail| tail.chars().count()) as u32 + 1;
        let len = self.at.max(start) - start;
        let place = Place { start: start as u32, len: len as u32, line, column };
        Diag::error(code, Anchor::Module).says(says).placed(place)
    }

    /// What may follow an entry: a comma, the end of a group, the end.
    fn separated(&mut self) -> Result<(), Diag> {
        self.space();
        match self.peek() {
            None | Some(',' | ')') => Ok(()),
            Some(odd) => {
                let start = self.at;
                self.at += odd.len_utf8();
                Err(self.error("L004", start, format!("a comma is missing before `{odd}`")))
            }
        }
    }

    /// The opening of a group, if the word is one.
    fn group(&mut self, name: &str, start: usize) -> Result<Option<Kind>, Diag> {
        if name != "fix" && name != "repeat" {
            return Ok(None);
        }
        self.space();
        if self.peek() != Some('(') {
            return Err(self.error("L004", start, format!("`{name}` is followed by passes in parentheses")));
        }
        self.at += 1;
        let number = self.rounds()?;
        match (name, number) {
            ("fix", number) => Ok(Some(Kind::Fix(number.unwrap_or(ROUNDS)))),
            (_, Some(times)) => Ok(Some(Kind::Repeat(times))),
            (_, None) => {
                let diag = self.error("L004", start, "`repeat` does not say how often".to_owned());
                Err(diag.help("write it so: `repeat(3: dce)`"))
            }
        }
    }

    /// `8:` at the start of a group.
    fn rounds(&mut self) -> Result<Option<u32>, Diag> {
        self.space();
        let start = self.at;
        if !self.peek().is_some_and(|c| c.is_ascii_digit()) {
            return Ok(None);
        }
        let word = self.word();
        self.space();
        let number = word.parse().ok().filter(|number| (1..=MOST_ROUNDS).contains(number));
        match number {
            Some(number) if self.peek() == Some(':') => {
                self.at += 1;
                Ok(Some(number))
            }
            Some(_) => Err(self.error("L004", start, format!("a colon is missing behind `{word}`"))),
            None => Err(self.error("L004", start, format!("`{word}` is no number from 1 to {MOST_ROUNDS}"))),
        }
    }

    fn entry(&mut self, name: &str, start: usize) -> Result<Entry, Diag> {
        let Some(pass) = registry::find(name) else {
            if let Some(preset) = presets::find(name) {
                let mut inner = Reader { text: &preset.text(), at: 0, passes: self.passes };
                let entries = inner.whole()?;
                self.passes = inner.passes;
                return Ok(Entry::Preset(entries));
            }
            let known: Vec<&str> = PASSES.iter().map(|pass| pass.name).collect();
            let diag = self.error("L001", start, format!("there is no pass `{name}`"));
            return Err(diag.help(format!("there are {}", known.join(", "))));
        };
        let options = self.options(pass, start)?;
        self.passes += 1;
        Ok(Entry::Pass(PassUse { pass, options, number: self.passes - 1 }))
    }

    /// A preset's text: passes, or one group of them. Presets never name presets.
    fn whole(&mut self) -> Result<Vec<Entry>, Diag> {
        let mut entries = parse(self.text)?;
        renumber(&mut entries, &mut self.passes);
        Ok(entries)
    }

    fn options(&mut self, pass: &'static PassInfo, start: usize) -> Result<Options, Diag> {
        let mut options = Options::default();
        for &known in pass.options {
            match known.split_once('=') {
                Some((name, value)) => options.numbers.push((name, value.parse().unwrap_or(0))),
                None if options.word.is_empty() => options.word = known,
                None => {}
            }
        }
        self.space();
        if self.peek() != Some('{') {
            return Ok(options);
        }
        let open = self.at;
        let Some(len) = self.rest().find('}') else {
            let (from, text) = (start, self.text.get(start..).unwrap_or("").trim_end());
            return Err(self.error("L002", from, format!("the braces of `{text}` do not close")));
        };
        let inside = self.text.get(open + 1..open + len).unwrap_or("");
        self.at = open + len + 1;
        let mut at = open + 1;
        for given in inside.split(',') {
            let indent = given.len() - given.trim_start().len();
            self.option(pass, given.trim(), at + indent, &mut options)?;
            at += given.len() + 1;
        }
        Ok(options)
    }

    fn option(
        &self,
        pass: &'static PassInfo,
        given: &str,
        start: usize,
        options: &mut Options,
    ) -> Result<(), Diag> {
        let name = pass.name;
        if pass.options.is_empty() {
            return Err(self.error("L002", start, format!("`{name}` takes no options")));
        }
        if let Some((key, value)) = given.split_once('=') {
            let (key, value) = (key.trim(), value.trim());
            if let Some(slot) = options.numbers.iter_mut().find(|(known, _)| *known == key) {
                let Ok(number) = value.parse() else {
                    return Err(self.error("L002", start, format!("`{value}` is no number for `{key}`")));
                };
                slot.1 = number;
                return Ok(());
            }
        } else if let Some(word) = pass.options.iter().find(|&&known| known == given) {
            options.word = word;
            return Ok(());
        }
        let diag = self.error("L002", start, format!("`{name}` has no option `{given}`"));
        Err(diag.help(format!("it takes {}", pass.options.join(", "))))
    }
}

/// Gives passes their numbers, in order of the text.
fn renumber(entries: &mut [Entry], next: &mut usize) {
    for entry in entries {
        match entry {
            Entry::Pass(used) => {
                used.number = *next;
                *next += 1;
            }
            Entry::Fix(_, inner) | Entry::Repeat(_, inner) | Entry::Preset(inner) => renumber(inner, next),
        }
    }
}

impl std::fmt::Display for PassUse {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.pass.name)?;
        let spelled = self.spelled_options();
        if spelled.is_empty() { Ok(()) } else { write!(f, "{{{spelled}}}") }
    }
}

impl PassUse {
    /// The options as they would be written; empty where all are what is meant anyway.
    pub(super) fn spelled_options(&self) -> String {
        let mut parts = Vec::new();
        if self.pass.options.first().is_some_and(|&first| first != self.options.word && !first.contains('='))
        {
            parts.push(self.options.word.to_owned());
        }
        for (name, value) in &self.options.numbers {
            let spelled = format!("{name}={value}");
            if !self.pass.options.contains(&spelled.as_str()) {
                parts.push(spelled);
            }
        }
        parts.join(", ")
    }
}
