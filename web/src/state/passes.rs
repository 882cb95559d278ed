//! The pipeline as a list of rows to move, disable and configure, and the catalog.
//!
//! The text of the pipeline is authoritative; rows are parsed from it, and every edit of a row writes it again.
//! Each edit can be undone, independent of edits of the text.

use vitrine_core::base::sort_by_number;
use vitrine_core::pipeline::outline::{Outline, Row, RowKind, RowPlace, Slot};
use vitrine_protocol::{CatalogEntry, CatalogOption, EntryKind};

use crate::state::update::engine;
use crate::state::{CompilerCommand, Dirty, State};

/// Number of edits that can be undone.
const MOST_BEFORE: usize = 200;

/// State of the list.
#[derive(Debug, Default)]
pub struct Passes {
    /// True if it is shown.
    pub open: bool,
    /// True if the reasons of the shown step are shown.
    pub why: bool,
    /// The text from which the rows were parsed.
    pub text: String,
    /// The rows.
    pub outline: Outline,
    /// The range of each row in the text, in bytes.
    pub places: Vec<RowPlace>,
    /// The current row.
    pub at: usize,
    /// Texts before edits of the pipeline, of the list and of the text, oldest first.
    pub before: Vec<String>,
    /// Texts that were undone, the last one first to be restored.
    pub after: Vec<String>,
    /// The pipeline of the shown steps.
    pub ran: String,
    /// The entries of the catalog; empty until it is requested.
    pub catalog: Vec<CatalogEntry>,
    /// The query.
    pub query: String,
    /// The shown entry, by index.
    pub item: Option<usize>,
}

/// An event of the list.
#[derive(Debug)]
pub enum Event {
    /// Shows or hides the list.
    Open(bool),
    /// Shows or hides the reasons of the shown step.
    Why(bool),
    /// Makes a row the current one.
    Touch(usize),
    /// Disables or enables a row.
    Switch(usize),
    /// Moves a row by one place, down or up.
    Shift(usize, bool),
    /// Moves a row before another one, at a depth.
    Carry(usize, usize, usize),
    /// Removes a row.
    Take(usize),
    /// Replaces a preset by its passes.
    Spread(usize),
    /// Sets an option of a row: index of its field, and a word or a number.
    Set(usize, usize, String),
    /// Sets the number of iterations of a group; none until nothing changes.
    Rounds(usize, Option<u32>),
    /// Adds an entry of the catalog after the current row.
    Add(usize),
    /// Adds an entry of the catalog after the row of the shown step; before the first row if the input is shown.
    AddHere(usize),
    /// Adds an entry of the catalog after a row; before the first one without a row.
    AddAfter(usize, Option<usize>),
    /// Requests the catalog.
    Request,
    /// Adds an empty group after the current row: `fix` or `repeat`.
    Group(bool),
    /// Undoes the last edit.
    Undo,
    /// Makes the last undone edit again.
    Redo,
    /// The query of the catalog changed.
    Query(String),
    /// Shows an entry of the catalog.
    Read(usize),
}

/// Changes the list.
pub(in crate::state) fn update(state: &mut State, event: Event) -> Dirty {
    match event {
        Event::Open(open) => {
            state.passes.open = open;
            return request_catalog(state, open);
        }
        Event::Why(why) => {
            state.passes.why = why;
            return request_catalog(state, why);
        }
        Event::Request => return request_catalog(state, true),
        Event::AddHere(item) => return add_here(state, item),
        Event::Touch(at) => state.passes.at = at,
        Event::Query(query) => state.passes.query = query,
        Event::Read(item) => state.passes.item = Some(item),
        Event::Undo => {
            let Some(text) = state.passes.before.pop() else { return Dirty::empty() };
            state.passes.after.push(state.pipeline.clone());
            return engine::set_pipeline(state, text) | Dirty::PASSES;
        }
        Event::Redo => {
            let Some(text) = state.passes.after.pop() else { return Dirty::empty() };
            state.passes.before.push(state.pipeline.clone());
            return engine::set_pipeline(state, text) | Dirty::PASSES;
        }
        edit => {
            let before = state.passes.outline.to_string();
            edited(&mut state.passes, edit);
            let after = state.passes.outline.to_string();
            if before == after {
                return Dirty::PASSES;
            }
            // An empty list runs nothing, but an empty text is the default pipeline.
            let after = if after.is_empty() { "fix()".to_owned() } else { after };
            return engine::pipeline(state, after) | Dirty::PASSES;
        }
    }
    Dirty::PASSES
}

/// Records a text before it is edited.
pub(in crate::state) fn record(passes: &mut Passes, text: String) {
    passes.after.clear();
    passes.before.push(text);
    if passes.before.len() > MOST_BEFORE {
        passes.before.remove(0);
    }
}

/// Requests the catalog when it is shown for the first time.
fn request_catalog(state: &mut State, shows: bool) -> Dirty {
    if state.passes.catalog.is_empty() && shows {
        state.queue(CompilerCommand::Catalog);
    }
    Dirty::PASSES
}

/// Adds an entry after the row of the shown step. The list need not be open.
fn add_here(state: &mut State, item: usize) -> Dirty {
    let row = state.shown.timeline.step().map(|step| step.row as usize);
    state.passes.read(&state.pipeline);
    update(state, Event::AddAfter(item, row))
}

/// Takes the catalog.
pub(super) fn answered(state: &mut State, catalog: Vec<CatalogEntry>) -> Dirty {
    state.passes.catalog = catalog;
    Dirty::PASSES
}

/// Keeps the rows up to date with the text; called after every message.
pub(in crate::state) fn follow(state: &mut State) -> Dirty {
    let passes = &mut state.passes;
    if !passes.open || passes.text == state.pipeline {
        return Dirty::empty();
    }
    passes.read(&state.pipeline);
    passes.at = passes.at.min(passes.outline.rows.len().saturating_sub(1));
    Dirty::PASSES
}

fn edited(passes: &mut Passes, event: Event) {
    let rows = &mut passes.outline;
    match event {
        Event::Switch(at) => {
            rows.switch(at);
            passes.at = at;
        }
        Event::Shift(at, down) => passes.at = rows.shift(at, down).unwrap_or(at),
        Event::Carry(at, before, depth) => passes.at = rows.carry(at, before, depth).unwrap_or(at),
        Event::Take(at) => {
            rows.take(at);
            passes.at = at.min(rows.rows.len().saturating_sub(1));
        }
        Event::Spread(at) => {
            let name = rows.rows.get(at).map_or("", Row::name);
            if let Some(item) =
                passes.catalog.iter().find(|item| item.kind == EntryKind::Preset && item.name == name)
            {
                rows.spread(at, &item.pipeline);
            }
            passes.at = at;
        }
        Event::Set(at, field, value) => {
            let fields = passes.fields(at).to_vec();
            if let Some(field) = fields.get(field) {
                set(&mut passes.outline, at, (field, &fields), &value);
            }
            passes.at = at;
        }
        Event::Rounds(at, iterations) => {
            rows.set_iterations(at, iterations);
            passes.at = at;
        }
        Event::Add(item) => {
            if let Some(what) = passes.named(item) {
                passes.add(what, Some(passes.at));
            }
        }
        Event::AddAfter(item, row) => {
            if let Some(what) = passes.named(item) {
                passes.add(what, row);
            }
        }
        Event::Group(true) => passes.add(RowKind::Fix(None), Some(passes.at)),
        Event::Group(false) => passes.add(RowKind::Repeat(2), Some(passes.at)),
        Event::Open(_)
        | Event::Why(_)
        | Event::Touch(_)
        | Event::Undo
        | Event::Redo
        | Event::Query(_)
        | Event::Read(_) => {}
        Event::AddHere(_) | Event::Request => {}
    }
}

/// Writes an option, one of those of a pass, in its shortest form.
fn set(rows: &mut Outline, at: usize, (option, all): (&CatalogOption, &[CatalogOption]), value: &str) {
    match option {
        CatalogOption::Words(words) => {
            let is_word = |known: &str| words.iter().any(|(word, _)| word == known);
            let is_default = words.first().is_some_and(|(word, _)| word == value);
            if is_word(value) {
                rows.set_option(at, is_word, if is_default { "" } else { value });
            }
        }
        CatalogOption::Number { name, default, least, most, .. } => {
            let Ok(number) = value.parse::<u32>() else { return };
            let number = number.clamp(*least, *most);
            let written = if number == *default { String::new() } else { format!("{name}={number}") };
            rows.set_option(at, |known| known.split('=').next() == Some(name.as_str()), &written);
        }
        CatalogOption::Places { .. } => {
            rows.set_option(at, |known| is_place(known, all), "");
            // A brace or a comma would end the option; everything else is checked with the pipeline.
            for place in value.replace(['{', '}'], "").split(',').map(str::trim).filter(|it| !it.is_empty()) {
                rows.set_option(at, |_| false, place);
            }
        }
    }
}

/// Returns true if an option of a row is neither a word nor a number of its pass.
fn is_place(option: &str, all: &[CatalogOption]) -> bool {
    let name = option.split('=').next().unwrap_or(option).trim();
    !all.iter().any(|field| match field {
        CatalogOption::Words(words) => words.iter().any(|(word, _)| word == option),
        CatalogOption::Number { name: of, .. } => of == name,
        CatalogOption::Places { .. } => false,
    })
}

/// Returns true if an entry can be a row of a pipeline.
pub fn is_step(entry: &CatalogEntry) -> bool {
    match entry.kind {
        EntryKind::Pass | EntryKind::Preset => true,
        EntryKind::Rule
        | EntryKind::Operation
        | EntryKind::Analysis
        | EntryKind::Frontend
        | EntryKind::Backend
        | EntryKind::Diagnostic => false,
    }
}

impl Passes {
    /// Parses the rows from a text.
    fn read(&mut self, text: &str) {
        text.clone_into(&mut self.text);
        (self.outline, self.places, _) = Outline::read(text);
    }

    /// Options of a row, if the catalog contains its pass.
    pub fn fields(&self, at: usize) -> &[CatalogOption] {
        let name = self.outline.rows.get(at).map_or("", Row::name);
        let item = self.catalog.iter().find(|item| item.kind == EntryKind::Pass && item.name == name);
        item.map_or(&[], |item| item.options.as_slice())
    }

    /// The value of an option in a row.
    pub fn value(&self, at: usize, field: &CatalogOption) -> String {
        let options = match self.outline.rows.get(at).map(|row| &row.what) {
            Some(RowKind::Named(_, options)) => options.as_slice(),
            Some(RowKind::Fix(_) | RowKind::Repeat(_)) | None => &[],
        };
        if let CatalogOption::Places { .. } = field {
            let all = self.fields(at);
            let places = options.iter().filter(|option| is_place(option, all)).map(String::as_str);
            return places.collect::<Vec<_>>().join(", ");
        }
        let given = |option: &String| match (field, option.split_once('=')) {
            (CatalogOption::Number { name, .. }, Some((of, value))) => (of == name).then(|| value.to_owned()),
            (CatalogOption::Words(words), None) => {
                words.iter().any(|(word, _)| word == option).then(|| option.clone())
            }
            (CatalogOption::Number { .. }, None)
            | (CatalogOption::Words(_), Some(_))
            | (CatalogOption::Places { .. }, _) => None,
        };
        options.iter().find_map(given).unwrap_or_else(|| match field {
            CatalogOption::Words(words) => words.first().map_or_else(String::new, |(word, _)| word.clone()),
            CatalogOption::Number { default, .. } => default.to_string(),
            CatalogOption::Places { .. } => String::new(),
        })
    }

    /// The row at a byte of the text.
    pub fn row_of(&self, byte: usize) -> Option<usize> {
        self.places.iter().rposition(|place| place.row.start <= byte)
    }

    /// Entries whose name contains the query, then those whose docs do. Without a query, all that can be in
    /// a pipeline.
    pub fn found(&self) -> Vec<usize> {
        let query = self.query.trim().to_ascii_lowercase();
        let all = || self.catalog.iter().enumerate();
        if query.is_empty() {
            return all().filter(|(_, item)| is_step(item)).map(|(at, _)| at).collect();
        }
        let rank = |item: &CatalogEntry| match () {
            () if item.name.to_ascii_lowercase().starts_with(&query) => 0,
            () if item.name.to_ascii_lowercase().contains(&query) => 1,
            () if item.doc.to_ascii_lowercase().contains(&query) => 2,
            () => 3,
        };
        let mut found: Vec<(u32, usize)> = all().map(|(at, item)| (rank(item), at)).collect();
        found.retain(|(rank, _)| *rank < 3);
        sort_by_number(&mut found, |&(rank, _)| rank.into());
        found.into_iter().map(|(_, at)| at).collect()
    }

    /// A new row of an entry that can be a step.
    fn named(&self, item: usize) -> Option<RowKind> {
        let item = self.catalog.get(item).filter(|item| is_step(item))?;
        Some(RowKind::Named(item.name.clone(), Vec::new()))
    }

    /// Adds a row after another one, or into it if it is an empty group; without one, at the start.
    fn add(&mut self, what: RowKind, after: Option<usize>) {
        let row = after.and_then(|at| Some((at, self.outline.rows.get(at)?)));
        let slot = row.map_or(Slot { before: 0, depth: 0 }, |(at, row)| {
            let part = self.outline.part(at);
            Slot { before: part.end, depth: row.depth + usize::from(row.is_group() && part.len() == 1) }
        });
        if self.outline.put(slot, vec![Row { depth: 0, off: false, what }]) {
            self.at = slot.before;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::{Answer, Msg};

    fn item(kind: EntryKind, name: &str, pipeline: &str) -> CatalogEntry {
        let words = ["faithful", "imported"].map(|word| (word.to_owned(), String::new())).to_vec();
        let number = CatalogOption::Number {
            name: "max".to_owned(),
            doc: String::new(),
            default: 64,
            least: 0,
            most: 100,
        };
        let places = CatalogOption::Places { form: "RESOURCE=INDEX".to_owned(), doc: String::new() };
        CatalogEntry {
            page: String::new(),
            kind,
            name: name.to_owned(),
            doc: "Makes trees.".to_owned(),
            about: String::new(),
            pipeline: pipeline.to_owned(),
            options: vec![CatalogOption::Words(words), number, places],
        }
    }

    fn page(pipeline: &str) -> State {
        let mut state = State { pipeline: pipeline.to_owned(), own_pipeline: true, ..State::default() };
        let items = vec![
            item(EntryKind::Pass, "cse", ""),
            item(EntryKind::Preset, "O1", "fix(cse, dce)"),
            item(EntryKind::Rule, "cse_rule", ""),
        ];
        crate::state::update(&mut state, Event::Open(true).into());
        crate::state::update(&mut state, Msg::Answer(Answer::Catalog(items)));
        state
    }

    fn after(pipeline: &str, events: Vec<Event>) -> String {
        let mut state = page(pipeline);
        for event in events {
            crate::state::update(&mut state, event.into());
        }
        assert_eq!(state.passes.text, state.pipeline, "rows and text are in step");
        state.pipeline
    }

    #[test]
    fn edits_of_rows_are_edits_of_the_text() {
        assert_eq!(after("a, b", vec![Event::Switch(0), Event::Shift(0, true)]), "b, -a");
        assert_eq!(after("a, O1, b", vec![Event::Spread(1), Event::Take(0)]), "fix(cse, dce), b");
        assert_eq!(
            after("a, fix(b)", vec![Event::Carry(0, 3, 1), Event::Rounds(0, Some(3))]),
            "fix(3: b, a)"
        );
        assert_eq!(after("a", vec![Event::Take(0)]), "fix()", "an empty list is not the default pipeline");
    }

    #[test]
    fn options_are_written_in_their_shortest_form() {
        let set = |field, value: &str| Event::Set(0, field, value.to_owned());
        assert_eq!(after("cse", vec![set(0, "imported"), set(1, "7")]), "cse{imported, max=7}");
        assert_eq!(after("cse{imported, max=7}", vec![set(0, "faithful"), set(1, "64")]), "cse");
        assert_eq!(
            after("cse", vec![set(1, "9999"), set(1, "x"), set(0, "moon"), set(7, "1")]),
            "cse{max=100}"
        );
        assert_eq!(
            after("cse{max=7, a=1}", vec![set(2, "b=2:3,, c=4"), set(0, "imported")]),
            "cse{max=7, b=2:3, c=4, imported}"
        );
        assert_eq!(after("cse{a=1, max=7}", vec![set(2, " ")]), "cse{max=7}");
        let state = page("cse{a=1, max=7, b=2:3}");
        assert_eq!(state.passes.value(0, &state.passes.fields(0)[2]), "a=1, b=2:3");
        let state = page("cse{max=7}");
        let fields = state.passes.fields(0);
        assert_eq!(
            (state.passes.value(0, &fields[0]), state.passes.value(0, &fields[1])),
            ("faithful".into(), "7".into())
        );
    }

    #[test]
    fn an_entry_is_added_after_the_current_row() {
        assert_eq!(after("a, b", vec![Event::Touch(0), Event::Add(1), Event::Add(0)]), "a, O1, cse, b");
        assert_eq!(after("a", vec![Event::Group(true), Event::Add(0), Event::Add(0)]), "a, fix(cse, cse)");
        assert_eq!(after("a", vec![Event::Add(2), Event::Add(99)]), "a", "a rule is no pass");
    }

    #[test]
    fn an_entry_is_added_after_the_shown_step_also_if_the_list_is_closed() {
        let added = |at: usize| {
            let mut state = page("fix(a, b), c");
            crate::state::update(&mut state, Event::Open(false).into());
            let step = |row| crate::state::PassStep { row, ..Default::default() };
            state.shown.timeline =
                crate::state::Timeline { steps: vec![step(1), step(2), step(1), step(2), step(3)], at };
            crate::state::update(&mut state, Event::AddHere(0).into());
            state.pipeline
        };
        assert_eq!(added(0), "cse, fix(a, b), c");
        assert_eq!((added(1).as_str(), added(3).as_str()), ("fix(a, cse, b), c", "fix(a, cse, b), c"));
        assert_eq!(added(5), "fix(a, b), c, cse");
    }

    #[test]
    fn edits_are_undone_one_by_one() {
        let mut state = page("a, b");
        for event in [Event::Take(0), Event::Switch(0), Event::Undo, Event::Undo, Event::Undo] {
            crate::state::update(&mut state, event.into());
        }
        assert_eq!((state.pipeline.as_str(), state.passes.outline.rows.len()), ("a, b", 2));
        crate::state::update(&mut state, Event::Redo.into());
        assert_eq!(state.pipeline, "b");
    }

    #[test]
    fn edits_of_the_text_are_undone_too_and_the_default_comes_back_as_such() {
        let mut state =
            State { pipeline: "dce".to_owned(), default_pipeline: "dce".to_owned(), ..State::default() };
        for text in ["a", "a, b", ""] {
            crate::state::update(&mut state, Msg::Pipeline(text.to_owned()));
        }
        assert_eq!(state.pipeline, "dce");
        let mut seen = Vec::new();
        for event in
            [Event::Undo, Event::Undo, Event::Undo, Event::Undo, Event::Redo, Event::Redo, Event::Redo]
        {
            crate::state::update(&mut state, event.into());
            seen.push((state.pipeline.clone(), state.own_pipeline));
        }
        let seen: Vec<(&str, bool)> = seen.iter().map(|(text, own)| (text.as_str(), *own)).collect();
        let wanted = [
            ("a, b", true),
            ("a", true),
            ("dce", false),
            ("dce", false),
            ("a", true),
            ("a, b", true),
            ("dce", false),
        ];
        assert_eq!(seen, wanted);
    }

    #[test]
    fn typed_text_updates_the_rows_and_their_ranges() {
        let mut state = page("a");
        crate::state::update(&mut state, Msg::Pipeline("fix(a, moon), b".to_owned()));
        assert_eq!(state.passes.outline.rows.len(), 4);
        assert_eq!([0, 7, 99].map(|byte| state.passes.row_of(byte)), [Some(0), Some(2), Some(3)]);
    }

    #[test]
    fn names_are_found_before_docs() {
        let mut state = page("a");
        let mut found = |query: &str| {
            crate::state::update(&mut state, Event::Query(query.to_owned()).into());
            state.passes.found()
        };
        assert_eq!(found(""), [0, 1]);
        assert_eq!(found("CSE"), [0, 2]);
        assert_eq!(found("trees"), [0, 1, 2]);
        assert_eq!(found("moon"), [0; 0]);
    }
}
