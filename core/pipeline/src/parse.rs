//! The text form of pipelines.
//!
//! ```text
//! entries := entry ("," entry)*
//! entry   := ["-"] item                                  -cse: switched off, kept but not run
//! item    := pass [ "{" option ("," option)* "}" ]       structurize{imported}, vars-to-values{max-leaves=16}
//!          | preset                                      O1
//!          | "fix" "(" [ limit ":" ]  entries ")"        until nothing changes, at most `limit` times
//!          | "repeat" "(" times ":" entries ")"          exactly `times` times
//! ```
//!
//! `outline` parses the form; names and options are resolved here. Every error has a position, also in
//! entries that are switched off. Groups nest at most [`MOST_DEPTH`](super::MOST_DEPTH) deep, so that walks
//! of the entries may recurse.

use super::outline::{Outline, Row, RowKind, RowPlace};
use super::presets::{self, PRESETS};
use rustc_hash::FxHashMap;
use std::ops::Range;
use vitrine_ir::base::nearest;
use vitrine_ir::{Anchor, Diag, Help, SourceSpan};
use vitrine_passes::{GivenPlace, OptionInfo, Options, PASSES, PassInfo};

/// The default limit of iterations of a `fix`.
pub const ITERATIONS: u32 = 8;

/// An entry of a pipeline that runs.
#[derive(Clone, Debug)]
pub(super) enum Entry {
    Pass(PassUse),
    /// Runs until nothing changes, at most this number of iterations.
    Fix(u32, Vec<Entry>),
    /// Runs this number of iterations.
    Repeat(u32, Vec<Entry>),
    /// The entries of a preset, in order.
    Preset(Vec<Entry>),
}

/// A pass at a position of a pipeline.
#[derive(Clone, Debug)]
pub(super) struct PassUse {
    pub(super) pass: &'static PassInfo,
    pub(super) options: Options,
    /// Its index among the passes that run, from 0, with presets expanded.
    pub(super) number: usize,
    /// The index of the first pass with the same name and options.
    pub(super) first: usize,
    /// The row of the outline that it comes from; for passes of a preset, the row of the preset.
    pub(super) row: usize,
}

/// Parses a pipeline. Entries that are switched off are checked, too, and removed.
pub(super) fn parse(text: &str) -> Result<Vec<Entry>, Diag> {
    let (outline, places, fault) = Outline::read(text);
    let mut meant = Vec::with_capacity(outline.rows.len());
    for (at, (row, place)) in outline.rows.iter().zip(&places).enumerate() {
        // Further errors may only follow from the first one.
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

/// The entry of a row; groups are still empty.
fn meaning(text: &str, at: usize, row: &Row, place: &RowPlace) -> Result<Entry, Diag> {
    let (name, given) = match &row.what {
        RowKind::Fix(iterations) => return Ok(Entry::Fix(iterations.unwrap_or(ITERATIONS), Vec::new())),
        RowKind::Repeat(times) => return Ok(Entry::Repeat(*times, Vec::new())),
        RowKind::Named(name, given) => (name, given),
    };
    if let Some(pass) = vitrine_passes::find(name) {
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
        Some(near) if vitrine_passes::find(near).is_some() => Help::text("did you mean").pass(near).then("?"),
        Some(near) => Help::text(format!("did you mean `{near}`?")),
        None => Help::text("the catalog lists all passes and presets"),
    };
    let start = place.row.start + usize::from(row.off);
    let diag = error(text, "L001", start..place.row.end, format!("there is no pass `{name}`"));
    Err(diag.help(help))
}

/// Moves entries into their groups, and removes those that are switched off.
fn nested(rows: Vec<(&Row, Entry)>) -> Vec<Entry> {
    let mut top = Vec::new();
    // The open groups, each with its depth, and true if it runs.
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

/// Closes the groups at this depth and deeper.
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

/// The error of an option.
struct Wrong {
    message: String,
    help: Option<String>,
}

impl Wrong {
    fn at(self, text: &str, place: Range<usize>) -> Diag {
        let diag = error(text, "L002", place, self.message);
        match self.help {
            Some(help) => diag.help(help),
            None => diag,
        }
    }
}

fn option(pass: &'static PassInfo, given: &str, options: &mut Options) -> Result<(), Wrong> {
    let name = pass.name;
    let wrong = |message: String| Err(Wrong { message, help: None });
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
                    return wrong(format!("`{value}` is not a number for `{key}`"));
                };
                if !(*least..=*most).contains(&number) {
                    return wrong(format!("`{key}` must be from {least} to {most}, not {number}"));
                }
                if let Some(slot) = options.numbers.iter_mut().find(|(known, _)| known == key) {
                    slot.1 = number;
                }
                return Ok(());
            }
            OptionInfo::Places { form, .. } => {
                if !given.contains('=') {
                    continue;
                }
                let Some(place) = GivenPlace::read(given) else {
                    return wrong(format!("`{given}` is not of the form `{form}`"));
                };
                if options.places.iter().any(|other| other.name == place.name) {
                    return wrong(format!("`{}` is given two places", place.name));
                }
                options.places.push(place);
                return Ok(());
            }
        }
    }
    let known: Vec<String> = pass.options.iter().map(OptionInfo::spelled).collect();
    let near = nearest(given, known.iter().map(String::as_str));
    let near = near.map_or(String::new(), |near| format!("did you mean `{near}`? "));
    let help = Some(format!("{near}it takes {}", known.join(", ")));
    Err(Wrong { message: format!("`{name}` has no option `{given}`"), help })
}

fn error(text: &str, code: &'static str, place: Range<usize>, message: String) -> Diag {
    let before = text.get(..place.start).unwrap_or("");
    let line = before.matches('\n').count() as u32 + 1;
    let column = before.rsplit('\n').next().map_or(0, |tail| tail.chars().count()) as u32 + 1;
    let place = SourceSpan { start: place.start as u32, len: place.len() as u32, line, column };
    Diag::error(code, Anchor::Module).says(message).placed(place)
}

/// Numbers the passes in order of the text. `known` are the previous ones, `next` is their number.
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

/// Sets the row that passes come from.
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
    /// The options as text; empty if all have their default values.
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
        parts.extend(self.options.places.iter().map(ToString::to_string));
        parts.join(", ")
    }
}
