//! Details of the chosen thing, and the positions of things in the input.
//!
//! Details are requested when something is chosen and when another version is shown; an outdated answer is marked
//! as such. Positions in the input are bytes, the editor counts UTF-16 units: they are converted here and nowhere
//! else.

use vitrine_protocol::layout::{InspectAction as Action, InspectEntry, InspectSection, OriginEntry};
use vitrine_protocol::{Inspected, Origins, Table};

use crate::state::{
    Command, CompilerCommand, Dirty, Document, Engine, Go, Link, Pane, Selection, State, Tab, columns,
};

/// An event of the inspector.
#[derive(Debug)]
pub enum Event {
    /// Shows or hides the inspector.
    Toggle,
    /// A click on a line, or on a link in it.
    Act(usize, Option<usize>),
    /// The caret of the editor moved to this position, in UTF-16 units.
    Caret(u32),
    /// The pointer is at this line and column of the editor, as in [`Msg::Caret`](crate::state::Msg); none if it left.
    Pointer(Option<(u32, u32)>),
    /// Requests the details of a thing for a card.
    Card(u32),
    /// Chooses a thing.
    Choose(u32),
}

/// Set in the serial numbers of requests for cards, which are counted apart.
pub const OF_CARD: u32 = 1 << 31;

/// State of the inspector.
#[derive(Debug, Default)]
pub struct Inspect {
    /// True if the user closed it.
    pub closed: bool,
    /// Counts requests.
    pub serial: u32,
    /// The last request: a thing and a revision.
    requested: Option<(u32, u32)>,
    /// The serial number of the last answer.
    answered: u32,
    /// The lines.
    pub document: Document,
    rows: Table<InspectEntry>,
    origins: Table<OriginEntry>,
    /// The line and column of the pointer in the input.
    pointer: Option<(u32, u32)>,
    /// The thing of the card, and the serial number of its request.
    pub card: (u32, u32),
    /// The revision of the positions, and the revision they were requested for.
    located: u32,
    asked_origins: u32,
}

impl Inspect {
    /// The section and the action of a line, from 0.
    pub fn row(&self, line: usize) -> Option<(InspectSection, Action)> {
        let entry = self.rows.entries().get(line)?;
        Some((entry.section()?, entry.action()))
    }

    /// Returns true if the last request is answered.
    pub fn is_fresh(&self) -> bool {
        self.answered == self.serial
    }

    /// The thing of the last request.
    pub fn thing(&self) -> Option<u32> {
        self.requested.map(|(_, id)| id)
    }

    fn origins(&self) -> impl DoubleEndedIterator<Item = (u32, u32, u32)> + '_ {
        self.origins.entries().iter().map(|origin| (origin.id, origin.start, origin.len))
    }
}

impl State {
    /// The bytes of the input from which a thing was read: the first one, and their number.
    pub fn read_from(&self, id: u32) -> Option<(u32, u32)> {
        let is_now = self.inspect.located == self.revision && self.shown.any;
        let mut origins = self.inspect.origins().filter(|_| is_now);
        origins.find(|origin| origin.0 == id).map(|(_, start, len)| (start, len))
    }

    /// The line of the input, from 0, from which the highlighted thing was read.
    pub fn lit_line(&self) -> Option<u32> {
        let (start, _) = self.read_from(self.lit()?)?;
        Some(self.input.text.get(..start as usize)?.bytes().filter(|byte| *byte == b'\n').count() as u32)
    }

    /// The name of the highlighted thing in the input, and the bytes between which the name means it; none if the text does not
    /// define it by name.
    pub fn lit_name(&self) -> Option<(&str, std::ops::Range<usize>)> {
        let text = &self.input.text;
        // Names of a source are no names of the IR.
        if !self.shown.source_options.is_empty() {
            return None;
        }
        let (start, len) = self.read_from(self.lit()?)?;
        let (start, end) = (start as usize, (start + len) as usize);
        let at = start + text.get(start..end)?.find(|char| "%$@^#".contains(char))?;
        let name = name_at(text, at)?;
        let line = text[..at].rfind('\n').map_or(0, |at| at + 1);
        // A declaration begins with keywords; an instruction without a result has only uses.
        let declares = name.starts_with(['$', '@', '#'])
            && text[line..at].chars().all(|char| char.is_ascii_lowercase() || char == ' ');
        let is_parameter =
            text[line..at].trim_end().ends_with(['(', ',']) && text[at + name.len()..].starts_with(':');
        if name.len() < 2 || !(declares || is_parameter || is_defined(text, at, name)) {
            return None;
        }
        let within = if declares { 0..text.len() } else { function_around(text, at) };
        Some((name, within))
    }

    /// The thing that was read from a position of the input: the one with the name at the position, otherwise the one
    /// defined by the instruction there.
    pub fn thing_at(&self, byte: usize) -> Option<u32> {
        let text = &self.input.text;
        let at = |byte: usize| {
            // Of several values of one instruction, the first.
            let holds = |origin: &(u32, u32, u32)| {
                (origin.1 as usize..=(origin.1 + origin.2) as usize).contains(&byte)
            };
            self.inspect.origins().find(holds).map(|origin| origin.0)
        };
        let name = name_at(text, byte)?;
        if self.inspect.located != self.revision {
            return None;
        }
        let home = match name {
            "" => None,
            name if name.starts_with('%') && is_defined(text, byte, name) => at(byte),
            name => definition(text, byte, name).and_then(at),
        };
        home.or_else(|| at(byte)).or_else(|| {
            let line = text.get(..byte)?.rfind('\n').map_or(0, |at| at + 1);
            let indent = text.get(line..)?.find(|char: char| char != ' ')?;
            at(line + indent)
        })
    }
}

/// The id around a position.
fn name_at(text: &str, byte: usize) -> Option<&str> {
    let is_part = |char: char| char.is_alphanumeric() || "_.%$@^!~&#".contains(char);
    let start = text
        .get(..byte)?
        .rfind(|char| !is_part(char))
        .map_or(0, |at| at + text[at..].chars().next().map_or(1, char::len_utf8));
    let end = text.get(byte..)?.find(|char| !is_part(char)).map_or(text.len(), |at| byte + at);
    let word = text.get(start..end)?;
    let Some(first) = word.find(|char| "%$@^!~&#".contains(char)) else { return Some("") };
    // `%4.xyz` is `%4`.
    word[first..].split('.').next().or(Some(""))
}

/// Returns true if the name at a position is defined there: it is the first word of its line and `=` or `:` follows.
fn is_defined(text: &str, byte: usize, name: &str) -> bool {
    let line = text[..byte].rfind('\n').map_or(0, |at| at + 1);
    let rest = text[line..].trim_start();
    let after = rest.strip_prefix(name).map(str::trim_start);
    after.is_some_and(|after| after.starts_with(['=', ':', '(']))
}

/// The definition of a name: first on a line, or after the keyword that declares it; in the enclosing function if
/// there are several.
fn definition(text: &str, byte: usize, name: &str) -> Option<usize> {
    text.get(byte..)?;
    let within = function_around(text, byte);
    let defined = |(at, _): &(usize, &str)| {
        let line = text[..*at].rfind('\n').map_or(0, |at| at + 1);
        let before = text[line..*at].trim();
        let after = text[at + name.len()..].trim_start();
        let ends = !text[at + name.len()..].starts_with(|char: char| char.is_alphanumeric() || char == '_');
        let declares =
            before.split_whitespace().all(|word| word.chars().all(|char| char.is_ascii_lowercase()));
        let parameter = before.ends_with(['(', ',']) && after.starts_with(':');
        ends && (parameter
            || declares && after.starts_with(['=', ':', '(', ' ', '{', '"']) && {
                !before.is_empty() || after.starts_with(['=', ':', '('])
            })
    };
    let mut found = text.match_indices(name).filter(defined).map(|(at, _)| at);
    let all: Vec<usize> = found.by_ref().collect();
    all.iter().copied().find(|at| within.contains(at)).or(all.first().copied())
}

/// The bytes of the function of the IR around a position; everything in a text without functions.
fn function_around(text: &str, byte: usize) -> std::ops::Range<usize> {
    let from = text.get(..byte).and_then(|before| before.rfind("\nfunc ")).unwrap_or(0);
    let to = text.get(byte..).and_then(|after| after.find("\nfunc ")).map_or(text.len(), |at| byte + at);
    from..to
}

/// Sends a request if the choice or the shown version changed; called after every message.
pub(super) fn follow(state: &mut State) -> Dirty {
    let is_lost = matches!(state.engine, Engine::Recovering(_) | Engine::Down) && !state.keep.knows_things();
    if is_lost && state.chosen.is_some() {
        // A restarted compiler has other numbers for things.
        (state.chosen, state.cursor) = (None, None);
        return Dirty::LINKS;
    }
    if state.engine != Engine::Idle || !state.shown.any || state.keep.is_stale() {
        return Dirty::empty();
    }
    if state.inspect.asked_origins != state.revision {
        state.inspect.asked_origins = state.revision;
        state.queue(CompilerCommand::Origins);
    }
    let wanted = state.chosen.filter(|_| !state.inspect.closed).map(|id| (state.revision, id));
    if wanted == state.inspect.requested {
        return Dirty::empty();
    }
    state.inspect.requested = wanted;
    state.inspect.serial += 1;
    if wanted.is_some() {
        state.queue(CompilerCommand::Inspect);
    }
    Dirty::INSPECT
}

/// Changes the state by an event.
pub(super) fn update(state: &mut State, event: Event) -> Dirty {
    let inspect = &mut state.inspect;
    match event {
        Event::Toggle => {
            inspect.closed = !inspect.closed;
            Dirty::INSPECT
        }
        Event::Act(line, span) => act(state, line, span),
        Event::Caret(unit) => light(state, byte_of(&state.input.text, unit)),
        Event::Choose(id) => choose(state, id),
        Event::Card(id) => {
            let (_, serial) = inspect.card;
            inspect.card = (id, (serial + 1) & !OF_CARD);
            state.queue(CompilerCommand::Card);
            Dirty::empty()
        }
        Event::Pointer(place) => {
            inspect.pointer = place;
            pointed(state)
        }
    }
}

/// Takes the details of a thing.
pub(super) fn answered(state: &mut State, answer: Inspected) -> Dirty {
    let inspect = &mut state.inspect;
    if answer.serial == inspect.card.1 | OF_CARD {
        state.queue(Command::ShowCard(answer));
        return Dirty::empty();
    }
    if answer.serial != inspect.serial {
        return Dirty::empty();
    }
    (inspect.answered, inspect.rows) = (answer.serial, answer.rows);
    inspect.document = Document::of(answer.text);
    // The pane may now cover the chosen token.
    let reveal = if state.cursor.is_some() { Dirty::REVEAL } else { Dirty::empty() };
    Dirty::INSPECT | Dirty::LINKS | reveal
}

/// Highlights the thing under the pointer in the input.
fn pointed(state: &mut State) -> Dirty {
    let is_now = state.engine == Engine::Idle && state.inspect.located == state.revision;
    let place = state.inspect.pointer.filter(|_| is_now);
    let before = state.lit();
    state.hover =
        place.and_then(|(line, column)| byte_at(state, line, column)).and_then(|byte| state.thing_at(byte));
    if state.lit() == before { Dirty::empty() } else { Dirty::LINKS | Dirty::STATUS }
}

/// Takes the positions of things in the input.
pub(super) fn located(state: &mut State, answer: Origins) -> Dirty {
    (state.inspect.located, state.inspect.origins) = (answer.revision, answer.table);
    // The pointer may have reached its word before.
    if state.inspect.pointer.is_some() {
        pointed(state);
    }
    Dirty::LINKS
}

/// Chooses the thing at the caret of the editor: line and column from 1, the column in characters.
pub fn caret(state: &mut State, line: u32, column: u32) -> Dirty {
    // While the user types, positions belong to an older text.
    if state.engine != Engine::Idle || state.inspect.located != state.revision {
        return Dirty::empty();
    }
    byte_at(state, line, column).map_or(Dirty::empty(), |byte| light(state, byte))
}

/// The byte of the input at a line and a column, from 1, the column in characters.
fn byte_at(state: &State, line: u32, column: u32) -> Option<usize> {
    let text = &state.input.text;
    let start = match line.saturating_sub(2) as usize {
        _ if line < 2 => 0,
        nth => text.match_indices('\n').nth(nth).map(|(at, _)| at + 1)?,
    };
    let rest = text.get(start..).unwrap_or("");
    let along = rest.char_indices().nth(column.saturating_sub(1) as usize).map_or(rest.len(), |(at, _)| at);
    Some(start + along)
}

/// Chooses the thing that was read from a byte of the input, unless it is chosen already.
fn light(state: &mut State, byte: usize) -> Dirty {
    let is_now = state.engine == Engine::Idle && state.inspect.located == state.revision;
    match state.thing_at(byte).filter(|id| is_now && state.chosen != Some(*id)) {
        Some(id) => choose(state, id),
        None => Dirty::empty(),
    }
}

fn act(state: &mut State, line: usize, span: Option<usize>) -> Dirty {
    let linked = span.map(|span| state.inspect.document.span(span).link).filter(|link| *link != Link::None);
    let Some((_, action)) = state.inspect.row(line) else { return Dirty::empty() };
    match (action, linked.and_then(Link::id)) {
        // The action of a line has precedence over links in it, except in the first two sections.
        (Action::Use(_), _) if state.tab != Tab::Ir => {
            // Uses are numbered as in the IR: other texts show the definition on the line instead.
            let document = &state.inspect.document;
            let links = document.spans_of_line(line).map(|span| document.span(span).link);
            let made = links.clone().find(|link| matches!(link, Link::Def(_)));
            let made = made.or_else(|| links.clone().find(|link| *link != Link::None));
            made.and_then(Link::id).map_or(Dirty::empty(), |id| choose(state, id))
        }
        (Action::Use(nth), _) => {
            let id = state.inspect.thing();
            let found = id.and_then(|id| state.shown.document.uses(id).nth(nth as usize));
            match found {
                Some(_) => {
                    state.cursor = found;
                    state.pane = Pane::Output;
                    Dirty::REVEAL | Dirty::LINKS | Dirty::FRAME
                }
                None => Dirty::empty(),
            }
        }
        (Action::Version(at, thing), _) => {
            let gone = super::update::gone(state, Go::To(at as usize));
            let chosen = super::update::choose_id(state, thing);
            let shown = thing.map_or(Dirty::empty(), |id| columns::show(state, id));
            chosen | gone | shown
        }
        (Action::Input(start, len), _) => {
            state.selection = Some(selection_of(&state.input.text, start, len));
            state.pane = Pane::Input;
            Dirty::FRAME | Dirty::SELECTION
        }
        (Action::Memory(id), None) => super::memory::open(state, Some(id)),
        (Action::Memory(_), Some(id)) => choose(state, id),
        (Action::Select(id), linked) => choose(state, linked.unwrap_or(id)),
        (Action::Nothing, Some(id)) => choose(state, id),
        (Action::Nothing, None) => Dirty::empty(),
    }
}

fn choose(state: &mut State, id: u32) -> Dirty {
    let shown = super::update::show_block(state, id);
    super::update::choose_id(state, Some(id)) | shown | columns::show(state, id)
}

/// Converts bytes of a text to a selection of the editor.
fn selection_of(text: &str, start: u32, len: u32) -> Selection {
    let units = |text: &str| text.chars().map(|char| char.len_utf16() as u32).sum::<u32>();
    let before = text.get(..start as usize).unwrap_or("");
    let inside = text.get(start as usize..(start + len) as usize).unwrap_or("");
    let start = units(before);
    let line = before.bytes().filter(|byte| *byte == b'\n').count() as u32;
    Selection { start, end: start + units(inside), line }
}

/// The byte at a position in UTF-16 units.
fn byte_of(text: &str, unit: u32) -> usize {
    let mut left = unit as usize;
    for (at, char) in text.char_indices() {
        if left == 0 {
            return at;
        }
        left = left.saturating_sub(char.len_utf16());
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;
    use vitrine_protocol::{StyledText, Utf8};

    const TEXT: &str = "%1 = OpTypeInt\n%ä = OpFoo %1\nOpStore %1 %ä\n";

    fn page(text: &str, ties: &[u32]) -> State {
        let mut state = State { engine: Engine::Idle, ..State::default() };
        state.input.text = text.to_owned();
        state.shown.any = true;
        state.shown.document =
            Document::new("%5 %6\n%5\n".to_owned(), &[0, 2, 0, 1, 5, 3, 2, 0, 1, 6, 6, 2, 0, 2, 5]);
        assert!(following(&mut state, CompilerCommand::Origins) || state.revision == 0);
        located(&mut state, Origins { revision: 0, table: Table::from_words(ties.to_vec()) });
        state
    }

    fn details(serial: u32, rows: &[u32]) -> Inspected {
        let text = StyledText { text: Utf8("a\nb\n".to_owned()), ..StyledText::default() };
        Inspected { serial, text, rows: Table::from_words(rows.to_vec()) }
    }

    fn following(state: &mut State, command: CompilerCommand) -> bool {
        follow(state);
        state.took(command)
    }

    #[test]
    fn choosing_sends_a_single_request_and_old_answers_are_ignored() {
        let mut state = page("", &[]);
        state.chosen = Some(5);
        assert!(following(&mut state, CompilerCommand::Inspect));
        assert_eq!(follow(&mut state), Dirty::empty());
        assert!(!state.inspect.is_fresh());
        state.chosen = Some(6);
        follow(&mut state);
        assert_eq!(answered(&mut state, details(1, &[])), Dirty::empty());
        assert!(answered(&mut state, details(2, &[0, 0, 0, 0])).intersects(Dirty::INSPECT));
        assert!(state.inspect.is_fresh());
        state.revision += 1;
        assert!(following(&mut state, CompilerCommand::Inspect), "another revision");
        update(&mut state, Event::Toggle);
        assert!(!following(&mut state, CompilerCommand::Inspect));
        assert_eq!(state.inspect.thing(), None);
    }

    #[test]
    fn lines_have_actions_for_uses_versions_the_input_and_things() {
        let mut state = page(TEXT, &[]);
        state.chosen = Some(5);
        follow(&mut state);
        let rows = [2, 1, 0, 0, 3, 2, 1, 7, 3, 3, 15, 16, 1, 4, 6, 0];
        answered(&mut state, details(1, &rows));
        assert!(update(&mut state, Event::Act(0, None)).intersects(Dirty::REVEAL));
        assert_eq!(state.cursor, Some(2));
        state.shown.timeline.steps.resize(3, crate::state::PassStep::default());
        update(&mut state, Event::Act(1, None));
        assert!(state.took(CompilerCommand::Open));
        assert_eq!((state.shown_at(), state.chosen), (1, Some(6)));
        assert!(update(&mut state, Event::Act(2, None)).intersects(Dirty::SELECTION));
        let selected = state.selection.map(|place| (place.start, place.end, place.line));
        assert_eq!(selected, Some((15, 30, 1)), "in the editor's units");
        update(&mut state, Event::Act(3, None));
        assert_eq!(state.chosen, Some(6));
        assert_eq!(update(&mut state, Event::Act(9, None)), Dirty::empty());
    }

    #[test]
    fn a_position_in_the_input_maps_to_a_thing_and_back() {
        let mut state = page(TEXT, &[5, 0, 14, 6, 15, 14, 7, 30, 14]);
        let at = |state: &State, needle: &str| state.thing_at(state.input.text.find(needle).unwrap());
        assert_eq!(at(&state, "%1"), Some(5));
        assert_eq!(at(&state, "%ä"), Some(6));
        assert_eq!(at(&state, "%1\nOpStore"), Some(5), "a use is its definition");
        assert_eq!(at(&state, "OpStore"), Some(7));
        state.chosen = Some(6);
        assert_eq!(state.lit_line(), Some(1));
        assert!(update(&mut state, Event::Caret(1)).intersects(Dirty::LINKS));
        assert_eq!(state.chosen, Some(5));
        state.chosen = None;
        assert!(caret(&mut state, 1, 2).intersects(Dirty::LINKS));
        assert_eq!((state.chosen, caret(&mut state, 99, 1)), (Some(5), Dirty::empty()));
        state.revision = 1;
        assert_eq!(state.lit_line(), None, "the places are those of another revision");
        assert_eq!(update(&mut state, Event::Caret(20)), Dirty::empty());
    }

    #[test]
    fn the_name_of_the_highlighted_thing_is_known_where_it_is_defined() {
        let mut state = page(TEXT, &[5, 0, 14, 6, 15, 14, 7, 30, 14]);
        let name = |state: &State| state.lit_name().map(|(name, within)| (name.to_owned(), within));
        state.chosen = Some(6);
        assert_eq!(name(&state), Some(("%ä".to_owned(), 0..TEXT.len())));
        state.chosen = Some(7);
        assert_eq!(name(&state), None, "a store has no name, but two uses");
        let text = "uniform $a_0: f32\nfunc @0() {\n  %1: b32 = x\n}\n\nfunc @1(%1: b32) {\n  y %1 $a_0\n}\n";
        let place = |needle: &str| text.find(needle).unwrap() as u32;
        let ties = [9, place("$a_0"), 4, 5, place("%1: b32 ="), 2, 6, place("%1: b32)"), 2];
        let mut state = page(text, &ties);
        let second = text.find("\nfunc @1").unwrap();
        for (id, wanted, within) in
            [(9, "$a_0", 0..text.len()), (5, "%1", 17..second), (6, "%1", second..text.len())]
        {
            state.chosen = Some(id);
            assert_eq!(name(&state), Some((wanted.to_owned(), within)));
        }
    }

    #[test]
    fn the_pointer_in_the_input_highlights_like_the_pointer_elsewhere() {
        let mut state = page(TEXT, &[5, 0, 14, 6, 15, 14]);
        assert!(update(&mut state, Event::Pointer(Some((2, 1)))).intersects(Dirty::LINKS));
        assert_eq!((state.hover, state.chosen), (Some(6), None));
        assert_eq!(update(&mut state, Event::Pointer(Some((2, 2)))), Dirty::empty(), "the same thing");
        assert!(update(&mut state, Event::Pointer(None)).intersects(Dirty::LINKS));
        assert_eq!(state.hover, None);
        // Before the positions are known, and after them.
        state.revision = 1;
        assert_eq!(update(&mut state, Event::Pointer(Some((1, 1)))), Dirty::empty());
        located(&mut state, Origins { revision: 1, table: Table::from_words(vec![5, 0, 14]) });
        assert_eq!(state.hover, Some(5));
    }

    #[test]
    fn a_card_gets_the_answer_to_its_last_request_only() {
        let mut state = page("", &[]);
        update(&mut state, Event::Card(5));
        update(&mut state, Event::Card(6));
        assert!(state.took(CompilerCommand::Card));
        assert_eq!(state.inspect.card, (6, 2));
        answered(&mut state, details(1 | OF_CARD, &[]));
        assert_eq!(state.commands, []);
        answered(&mut state, details(2 | OF_CARD, &[]));
        assert!(matches!(state.commands[..], [Command::ShowCard(_)]));
    }

    #[test]
    fn values_of_the_ir_are_distinguished_by_function() {
        let text = "uniform $a_0: f32\nfunc @0() {\n  %1: b32 = x\n  y %1\n}\n\nfunc @1(%1: b32) {\n  y %1 $a_0\n}\n";
        let place = |needle: &str| text.find(needle).unwrap() as u32;
        let ties = [9, place("$a_0"), 4, 5, place("%1: b32 ="), 2, 6, place("%1: b32)"), 2];
        let state = page(text, &ties);
        assert_eq!(state.thing_at(text.find("y %1\n").unwrap() + 3), Some(5));
        assert_eq!(state.thing_at(text.find("y %1 $").unwrap() + 3), Some(6));
        assert_eq!(state.thing_at(text.rfind("$a_0").unwrap() + 1), Some(9));
    }

    #[test]
    fn places_are_counted_in_bytes_and_units() {
        assert_eq!((byte_of("😀ä", 2), byte_of("😀ä", 3), byte_of("a", 9)), (4, 6, 1));
        let found = selection_of("ä😀b", 2, 4);
        assert_eq!((found.start, found.end), (1, 3));
    }

    #[test]
    fn messages_reach_the_inspector() {
        let mut state = page("", &[]);
        assert!(crate::state::update(&mut state, Event::Toggle.into()).0.intersects(Dirty::INSPECT));
        assert!(state.inspect.closed);
    }
}
