//! The map of some memory: which bytes it has, as what they were declared, who reads and writes them. And where
//! pointers lead, for what the pointer is over.
//!
//! The compiler is asked for a map while it is shown, when another moment or another variable is wanted; for the
//! paths of pointers where there are any, whenever other versions are shown. An answer counts only if it is the one
//! to the last question.

use crate::state::{Dirty, Document, Engine, Pane, State, Tab};

/// Numbers of a line of the map, as the compiler sends them.
const ROW_NUMBERS: usize = 8;
/// Lines that are drawn to begin with, and more on demand.
pub const MOST_LINES: usize = 600;

/// What can happen to the map.
#[derive(Debug)]
pub enum Event {
    /// It is wanted, of the chosen thing; or the text, where it is shown.
    Toggle,
    /// Another variable is wanted, by number.
    Of(u32),
    /// The compiler answered.
    Answer(Box<Map>),
    /// A line was chosen.
    Act(usize),
    /// More lines are to be drawn.
    More,
    /// Where pointers lead: the question, numbers of things, a line for each.
    Paths(u32, Vec<u32>, String),
}

/// What the page knows of it.
#[derive(Debug, Default)]
pub struct Memory {
    /// The thing whose memory is wanted; none for the first buffer.
    pub thing: Option<u32>,
    /// Counts questions.
    pub serial: u32,
    /// What the last question was about: a revision and a thing.
    asked: Option<(u32, Option<u32>)>,
    /// The last answer.
    pub map: Map,
    /// Lines that are drawn.
    pub lines: usize,
    /// The line that was chosen.
    pub chosen: Option<usize>,
    /// Counts questions for paths; the versions of the last one, at a revision.
    pub paths_serial: u32,
    asked_paths: Option<(u32, Vec<usize>)>,
    paths: Vec<(u32, String)>,
}

/// A map as the compiler sends it.
#[derive(Debug, Default)]
pub struct Map {
    /// The question it answers.
    pub serial: u32,
    /// The variable; none where there is no memory.
    pub number: Option<u32>,
    /// All variables, with their names.
    pub variables: Vec<(u32, String)>,
    /// The lines.
    pub document: Document,
    /// Their numbers.
    pub rows: Vec<i32>,
}

/// What a line is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// The head of a segment: bytes from one element to the next.
    Segment(i32),
    /// Something declared; the segment of its elements, or 0.
    Field(usize),
    /// Bytes between.
    Padding,
    /// Bytes that are read or written, in a lane of those that overlap.
    Used(usize),
    /// Who does it: an instruction, and the line of the range.
    Site(Option<u32>, usize),
    /// Something said about it.
    Remark,
}

/// A line of a map.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Row {
    /// What it is.
    pub kind: Kind,
    /// The segment it lies in.
    pub segment: usize,
    /// The first byte there.
    pub start: i32,
    /// How many; none for all that follow.
    pub bytes: Option<i32>,
    /// 1 read, 2 written, 4 atomic.
    pub how: i32,
}

impl Map {
    /// Its lines.
    pub fn rows(&self) -> impl Iterator<Item = Row> + '_ {
        self.rows.chunks_exact(ROW_NUMBERS).map(|row| Row {
            kind: match row[0] {
                0 => Kind::Segment(row[5]),
                1 => Kind::Field(usize::try_from(row[5]).unwrap_or(0)),
                2 => Kind::Padding,
                3 => Kind::Used(usize::try_from(row[7]).unwrap_or(0)),
                4 => Kind::Site(
                    u32::try_from(row[5]).ok().and_then(|number| number.checked_sub(1)),
                    usize::try_from(row[6]).unwrap_or(0),
                ),
                _ => Kind::Remark,
            },
            segment: usize::try_from(row[1]).unwrap_or(0),
            start: row[2],
            bytes: Some(row[3]).filter(|bytes| *bytes >= 0),
            how: row[4],
        })
    }
}

impl Memory {
    /// Whether the answer to the last question is still on its way.
    pub fn is_stale(&self) -> bool {
        self.map.serial != self.serial
    }

    /// Where a pointer or an access leads, in words.
    pub fn path(&self, id: u32) -> Option<&str> {
        self.paths.iter().find(|(of, _)| *of == id).map(|(_, path)| path.as_str())
    }
}

/// Shows the map of a thing's memory.
pub(super) fn open(state: &mut State, thing: Option<u32>) -> Dirty {
    state.memory.thing = thing;
    state.memory.chosen = None;
    state.pane = Pane::Output;
    let shown =
        if state.tab == Tab::Memory { Dirty::NONE } else { super::update::show_tab(state, Tab::Memory) };
    shown | Dirty::FRAME
}

/// Asks again where another moment or thing is shown; called after every message.
pub(super) fn follow(state: &mut State) -> Dirty {
    if matches!(state.engine, Engine::Starting | Engine::Recovering(_) | Engine::Down) {
        // Another worker has other numbers for things.
        state.memory = Memory { serial: state.memory.serial + 1, ..Memory::default() };
    }
    if state.engine != Engine::Idle || !state.shown.any {
        return Dirty::NONE;
    }
    let versions = match state.tab {
        Tab::Columns => state.columns.chosen.clone(),
        Tab::Ir | Tab::Changes | Tab::Spirv | Tab::Memory => vec![state.shown.timeline.at],
    };
    let mut dirty = Dirty::NONE;
    let memory = &mut state.memory;
    if memory.asked_paths.as_ref() != Some(&(state.revision, versions.clone())) {
        memory.asked_paths = Some((state.revision, versions));
        memory.paths_serial += 1;
        // Who sees no pointers waits for nothing that is only about them.
        memory.paths.clear();
        let class = state.classes.iter().position(|class| class == "qptr");
        let is_there = class.is_some_and(|class| state.shown.document.has_class(class as u32));
        let was_there = state.shown.timeline.steps.iter().any(|step| step.pass.starts_with("qptr-"));
        if is_there || was_there {
            dirty |= Dirty::PATHS_ASK;
        }
    }
    let wanted = Some((state.revision, memory.thing));
    if state.tab != Tab::Memory || memory.asked == wanted {
        return dirty;
    }
    memory.asked = wanted;
    memory.serial += 1;
    dirty | Dirty::MEMORY_ASK | Dirty::MEMORY
}

/// The versions whose pointers are asked about.
pub fn versions(state: &State) -> Vec<u32> {
    let asked = state.memory.asked_paths.iter().flat_map(|(_, versions)| versions);
    asked.map(|at| *at as u32).collect()
}

/// What an event changes.
pub(super) fn update(state: &mut State, event: Event) -> Dirty {
    let chosen = state.chosen;
    let memory = &mut state.memory;
    match event {
        Event::Toggle if state.tab == Tab::Memory => super::update::show_tab(state, Tab::Ir),
        Event::Toggle => open(state, chosen),
        Event::Of(number) => {
            (memory.thing, memory.chosen) = (Some(number), None);
            Dirty::MEMORY
        }
        Event::Answer(map) if map.serial != memory.serial => Dirty::NONE,
        Event::Answer(map) => {
            if memory.map.number != map.number {
                (memory.lines, memory.chosen) = (MOST_LINES, None);
            }
            memory.map = *map;
            Dirty::MEMORY | Dirty::LINKS
        }
        Event::More => {
            memory.lines += MOST_LINES;
            Dirty::MEMORY
        }
        Event::Act(line) => {
            let row = memory.map.rows().nth(line);
            memory.chosen = Some(line);
            match row.map(|row| row.kind) {
                Some(Kind::Site(Some(id), range)) => {
                    state.memory.chosen = Some(range);
                    let shown = super::update::show_home(state, id);
                    super::update::choose_id(state, Some(id)) | shown | Dirty::MEMORY
                }
                Some(_) | None => Dirty::MEMORY,
            }
        }
        Event::Paths(serial, ..) if serial != memory.paths_serial => Dirty::NONE,
        Event::Paths(_, numbers, lines) => {
            memory.paths = numbers.into_iter().zip(lines.lines().map(str::to_owned)).collect();
            Dirty::LINKS
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page() -> State {
        let mut state = State { engine: Engine::Idle, tab: Tab::Memory, ..State::default() };
        state.shown.any = true;
        state
    }

    fn answer(state: &State) -> Event {
        let document = Document::new("m\n%1 = load\n".to_owned(), &[2, 2, 0, 2, 7]);
        let rows = vec![3, 0, 4, 4, 1, 1, 0, 2, 4, 0, 4, -1, 1, 8, 0, 0];
        Event::Answer(Box::new(Map {
            serial: state.memory.serial,
            number: Some(3),
            document,
            rows,
            ..Map::default()
        }))
    }

    #[test]
    fn a_map_is_asked_for_once_while_it_is_shown() {
        let mut state = page();
        assert!(follow(&mut state).has(Dirty::MEMORY_ASK));
        assert_eq!(follow(&mut state), Dirty::NONE);
        let old = answer(&state);
        update(&mut state, Event::Of(3));
        assert!(follow(&mut state).has(Dirty::MEMORY_ASK) && state.memory.is_stale());
        assert_eq!(update(&mut state, old), Dirty::NONE, "an older answer");
        let new = answer(&state);
        assert!(update(&mut state, new).has(Dirty::MEMORY));
        assert_eq!((state.memory.map.number, state.memory.lines), (Some(3), MOST_LINES));
        state.tab = Tab::Ir;
        state.revision += 1;
        assert!(!follow(&mut state).has(Dirty::MEMORY_ASK), "nobody looks at it");
    }

    #[test]
    fn lines_say_what_they_are_and_lead_to_instructions() {
        let mut state = page();
        follow(&mut state);
        let map = answer(&state);
        update(&mut state, map);
        let rows: Vec<Row> = state.memory.map.rows().collect();
        assert_eq!((rows[0].kind, rows[0].bytes), (Kind::Used(2), Some(4)));
        assert_eq!((rows[1].kind, rows[1].bytes), (Kind::Site(Some(7), 0), None));
        update(&mut state, Event::Act(1));
        assert_eq!((state.chosen, state.memory.chosen), (Some(7), Some(0)));
    }

    #[test]
    fn the_key_goes_to_the_map_and_back() {
        let mut state = page();
        (state.tab, state.chosen) = (Tab::Ir, Some(9));
        update(&mut state, Event::Toggle);
        assert_eq!((state.tab, state.memory.thing, state.pane), (Tab::Memory, Some(9), Pane::Output));
        update(&mut state, Event::Toggle);
        assert_eq!(state.tab, Tab::Ir);
    }

    #[test]
    fn paths_are_those_of_the_versions_in_sight() {
        let mut state = page();
        state.tab = Tab::Ir;
        assert!(!follow(&mut state).has(Dirty::PATHS_ASK), "there are no pointers");
        state.classes = vec!["plain".to_owned(), "qptr".to_owned()];
        state.shown.document = Document::new("ptr\n".to_owned(), &[0, 3, 1, 0, 0]);
        state.memory = Memory::default();
        assert!(follow(&mut state).has(Dirty::PATHS_ASK));
        assert_eq!(versions(&state), [0]);
        update(&mut state, Event::Paths(1, vec![7], "a.b: byte 4 of $0\n".to_owned()));
        assert_eq!((state.memory.path(7), state.memory.path(8)), (Some("a.b: byte 4 of $0"), None));
        assert_eq!(follow(&mut state), Dirty::NONE);
        state.tab = Tab::Columns;
        state.columns.chosen = vec![0, 2];
        assert!(follow(&mut state).has(Dirty::PATHS_ASK), "other versions");
        assert_eq!(versions(&state), [0, 2]);
    }
}
