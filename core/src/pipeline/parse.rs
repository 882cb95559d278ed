//! The text form of pipelines.
//!
//! ```text
//! entries := entry ("," entry)*
//! entry   := ["-"] what                                  -cse: switched off, kept but not run
//! what    := pass [ "{" option ("," option)* "}" ]       structurize{imported}, vars-to-values{max-leaves=16}
//!          | preset                                      O1
//!          | "fix" "(" [ rounds ":" ] entries ")"        until nothing changes, at most so often
//!          | "repeat" "(" times ":" entries ")"          exactly so often
//! ```
//!
//! `outline` reads the form; here the names and options get their meaning. Every error has a place, also in
//! what is switched off. Groups nest at most [`MOST_DEPTH`](super::MOST_DEPTH) deep, so that what walks the
//! entries may recurse.

use super::outline::{Outline, Row, RowKind, RowPlace};
use super::presets::{self, PRESETS};
use crate::base::nearest;
use crate::ir::{Anchor, Diag, SourceSpan};
use crate::passes::{self, OptionInfo, Options, PASSES, PassInfo};
use rustc_hash::FxHashMap;
use std::ops::Range;

/// Rounds of a `fix` that names no number.
pub const ROUNDS: u32 = 8;

/// One entry of a pipeline that runs.
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
    /// Its number among what runs, from 0; presets written out.
    pub(super) number: usize,
    /// The number of the first that is the same pass with the same options.
    pub(super) first: usize,
    /// The row of the outline that it comes from: a preset's for what that stands for.
    pub(super) row: usize,
}

impl std::fmt::Debug for PassInfo {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name)
    }
}

/// Reads a pipeline. What is switched off is checked, too, and left out.
pub(super) fn parse(text: &str) -> Result<Vec<Entry>, Diag> {
    let (outline, places, fault) = Outline::read(text);
    let mut meant = Vec::with_capacity(outline.rows.len());
    for (at, (row, place)) in outline.rows.iter().zip(&places).enumerate() {
        // What stands behind the first fault may only follow from it.
        if fault.as_ref().is_some_and(|fault| fault.place.start < place.row.start) {
            break;
        }
        meant.push((row, meaning(text, at, row, place)?));
    }
    if let Some(fault) = fault {
        let diag = error(text, fault.code, fault.place, fault.says);
        return Err(if fault.help.is_empty() { diag } else { diag.help(fault.help) });
    }
    let mut entries = nested(meant);
    renumber(&mut entries, &mut FxHashMap::default(), &mut 0);
    Ok(entries)
}

/// What a row means by itself: groups are still empty.
fn meaning(text: &str, at: usize, row: &Row, place: &RowPlace) -> Result<Entry, Diag> {
    let (name, given) = match &row.what {
        RowKind::Fix(rounds) => return Ok(Entry::Fix(rounds.unwrap_or(ROUNDS), Vec::new())),
        RowKind::Repeat(times) => return Ok(Entry::Repeat(*times, Vec::new())),
        RowKind::Named(name, given) => (name, given),
    };
    if let Some(pass) = passes::find(name) {
        let mut options = pass.defaults();
        for (given, place) in given.iter().zip(&place.options) {
            option(pass, given, &mut options).map_err(|wrong| wrong.at(text, place.clone()))?;
        }
        return Ok(Entry::Pass(PassUse { pass, options, number: 0, first: 0, row: at }));
    }
    if let Some(preset) = presets::find(name) {
        return match place.options.first() {
            Some(place) => Err(error(text, "L002", place.clone(), format!("`{name}` takes no options"))),
            None => {
                let mut entries = parse(&preset.text())?;
                from_row(&mut entries, at);
                Ok(Entry::Preset(entries))
            }
        };
    }
    let known = PASSES.iter().map(|pass| pass.name).chain(PRESETS.iter().map(|preset| preset.name));
    let help = match nearest(name, known) {
        Some(near) => format!("did you mean `{near}`?"),
        None => "the catalog lists all passes and presets".to_owned(),
    };
    let start = place.row.start + usize::from(row.off);
    let diag = error(text, "L001", start..place.row.end, format!("there is no pass `{name}`"));
    Err(diag.help(help))
}

/// Puts into groups what stands below them, and leaves out what is switched off.
fn nested(rows: Vec<(&Row, Entry)>) -> Vec<Entry> {
    let mut top = Vec::new();
    // Groups that are open, each with its depth and whether it runs.
    let mut open: Vec<(usize, bool, Entry)> = Vec::new();
    for (row, entry) in rows {
        close(&mut open, &mut top, row.depth);
        match row.is_group() {
            true => open.push((row.depth, !row.off, entry)),
            false if !row.off => add(&mut open, &mut top, entry),
            false => {}
        }
    }
    close(&mut open, &mut top, 0);
    top
}

/// Ends the groups at this depth and below it.
fn close(open: &mut Vec<(usize, bool, Entry)>, top: &mut Vec<Entry>, depth: usize) {
    while let Some((_, runs, group)) = open.pop_if(|(of, _, _)| *of >= depth) {
        if runs {
            add(open, top, group);
        }
    }
}

fn add(open: &mut [(usize, bool, Entry)], top: &mut Vec<Entry>, entry: Entry) {
    match open.last_mut() {
        Some((_, _, Entry::Fix(_, inner) | Entry::Repeat(_, inner) | Entry::Preset(inner))) => {
            inner.push(entry);
        }
        Some((_, _, Entry::Pass(_))) | None => top.push(entry),
    }
}

/// What is wrong with an option.
struct Wrong {
    says: String,
    help: Option<String>,
}

impl Wrong {
    fn at(self, text: &str, place: Range<usize>) -> Diag {
        let diag = error(text, "L002", place, self.says);
        match self.help {
            Some(help) => diag.help(help),
            None => diag,
        }
    }
}

fn option(pass: &'static PassInfo, given: &str, options: &mut Options) -> Result<(), Wrong> {
    let name = pass.name;
    let wrong = |says: String| Err(Wrong { says, help: None });
    if pass.options.is_empty() {
        return wrong(format!("`{name}` takes no options"));
    }
    for info in pass.options {
        match info {
            OptionInfo::Word(word, _) if *word == given => {
                options.word = word;
                return Ok(());
            }
            OptionInfo::Word(..) => {}
            OptionInfo::Number { name: key, least, most, .. } => {
                let Some(value) = given.strip_prefix(key).and_then(|rest| rest.strip_prefix('=')) else {
                    continue;
                };
                let Ok(number) = value.parse() else {
                    return wrong(format!("`{value}` is no number for `{key}`"));
                };
                if !(*least..=*most).contains(&number) {
                    return wrong(format!("`{key}` goes from {least} to {most}, and not to {number}"));
                }
                if let Some(slot) = options.numbers.iter_mut().find(|(known, _)| known == key) {
                    slot.1 = number;
                }
                return Ok(());
            }
        }
    }
    let known: Vec<String> = pass.options.iter().map(OptionInfo::spelled).collect();
    let near = nearest(given, known.iter().map(String::as_str));
    let near = near.map_or(String::new(), |near| format!("did you mean `{near}`? "));
    let help = Some(format!("{near}it takes {}", known.join(", ")));
    Err(Wrong { says: format!("`{name}` has no option `{given}`"), help })
}

fn error(text: &str, code: &'static str, place: Range<usize>, says: String) -> Diag {
    let before = text.get(..place.start).unwrap_or("");
    let line = before.matches('\n').count() as u32 + 1;
    let column = before.rsplit('\n').next().map_or(0, |tail| tail.chars().count()) as u32 + 1;
    let place = SourceSpan { start: place.start as u32, len: place.len() as u32, line, column };
    Diag::error(code, Anchor::Module).says(says).placed(place)
}

/// Gives passes their numbers, in order of the text. `known` are those before, `next` is how many they are.
fn renumber(entries: &mut [Entry], known: &mut FxHashMap<(&'static str, Options), usize>, next: &mut usize) {
    for entry in entries {
        match entry {
            Entry::Pass(used) => {
                used.number = *next;
                used.first = *known.entry((used.pass.name, used.options.clone())).or_insert(*next);
                *next += 1;
            }
            Entry::Fix(_, inner) | Entry::Repeat(_, inner) | Entry::Preset(inner) => {
                renumber(inner, known, next);
            }
        }
    }
}

/// Makes passes come from a row.
fn from_row(entries: &mut [Entry], row: usize) {
    for entry in entries {
        match entry {
            Entry::Pass(used) => used.row = row,
            Entry::Fix(_, inner) | Entry::Repeat(_, inner) | Entry::Preset(inner) => from_row(inner, row),
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
        let meant = self.pass.defaults();
        if meant.word != self.options.word {
            parts.push(self.options.word.to_owned());
        }
        for (&(name, value), meant) in self.options.numbers.iter().zip(&meant.numbers) {
            if value != meant.1 {
                parts.push(format!("{name}={value}"));
            }
        }
        parts.join(", ")
    }
}
