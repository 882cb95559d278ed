//! The map of a variable's memory: its bytes, their declared types, the instructions that read and write them. And the
//! paths of pointers, for the description of the highlighted value.
//!
//! A map is requested while the tab is shown, if the version or the variable changes; paths are requested if the shown
//! versions have pointers. An answer counts only if it belongs to the last request.

use vitrine_protocol::layout::MemoryKind;
use vitrine_protocol::{MemoryMap, PointerPath, PointerPaths};

use crate::state::{CompilerCommand, Dirty, Document, Engine, Pane, State, Tab};

/// Number of lines drawn by default; further ones on request.
pub const MOST_LINES: usize = 600;

/// An event of the memory map.
#[derive(Debug)]
pub enum Event {
    /// Shows the map of the chosen thing, or the text if the map is shown.
    Toggle,
    /// Shows another variable, by number.
    Of(u32),
    /// A click on a line.
    Act(usize),
    /// Draws more lines.
    More,
}

/// State of the memory map.
#[derive(Debug, Default)]
pub struct Memory {
    /// The thing whose memory is shown; by default the first buffer.
    pub thing: Option<u32>,
    /// Counts requests.
    pub serial: u32,
    /// The last request: a revision and a thing.
    requested: Option<(u32, Option<u32>)>,
    /// The last answer.
    pub map: Map,
    /// Number of drawn lines.
    pub lines: usize,
    /// The line that was chosen.
    pub chosen: Option<usize>,
    /// Counts requests for paths; the versions and the revision of the last one.
    pub paths_serial: u32,
    requested_paths: Option<(u32, Vec<usize>)>,
    paths: Vec<PointerPath>,
}

/// A map of the compiler.
#[derive(Debug, Default)]
pub struct Map {
    /// The answer of the compiler; its text is in `document`.
    pub answer: MemoryMap,
    /// The lines.
    pub document: Document,
}

/// The kind of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RowKind {
    /// The head of a segment: bytes from one element to the next.
    Segment(i32),
    /// A declared member; the segment of its elements, or 0.
    Field(usize),
    /// Padding bytes.
    Padding,
    /// Bytes that are read or written, with their track among overlapping ranges.
    Used(usize),
    /// An instruction that accesses it, and the line of the range.
    Site(Option<u32>, usize),
    /// A remark.
    Remark,
}

/// A line of a map.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Row {
    /// Its kind.
    pub kind: RowKind,
    /// Its segment.
    pub segment: usize,
    /// Its first byte in the segment.
    pub start: i32,
    /// Number of bytes; none for an unbounded range.
    pub bytes: Option<i32>,
    /// Bits of [`access_flags`](vitrine_protocol::layout::access_flags).
    pub access: i32,
}

impl Map {
    /// The lines.
    pub fn rows(&self) -> impl Iterator<Item = Row> + '_ {
        self.answer.rows.entries().iter().map(|row| Row {
            kind: match row.kind() {
                MemoryKind::Segment => RowKind::Segment(row.detail),
                MemoryKind::Field => RowKind::Field(usize::try_from(row.detail).unwrap_or(0)),
                MemoryKind::Padding => RowKind::Padding,
                MemoryKind::Used => RowKind::Used(usize::try_from(row.track).unwrap_or(0)),
                MemoryKind::Access => RowKind::Site(
                    u32::try_from(row.detail).ok().and_then(|id| id.checked_sub(1)),
                    usize::try_from(row.count).unwrap_or(0),
                ),
                MemoryKind::Remark => RowKind::Remark,
            },
            segment: usize::try_from(row.segment).unwrap_or(0),
            start: row.start,
            bytes: Some(row.bytes).filter(|bytes| *bytes >= 0),
            access: row.access,
        })
    }
}

impl Memory {
    /// Returns true if the last request is not answered yet.
    pub fn is_stale(&self) -> bool {
        self.map.answer.serial != self.serial
    }

    /// The memory that a pointer or an access refers to.
    pub fn path(&self, id: u32) -> Option<&str> {
        self.paths.iter().find(|of| of.id == id).map(|of| of.path.as_str())
    }
}

/// Shows the map of a thing's memory.
pub(super) fn open(state: &mut State, thing: Option<u32>) -> Dirty {
    state.memory.thing = thing;
    state.memory.chosen = None;
    state.pane = Pane::Output;
    let shown =
        if state.tab == Tab::Memory { Dirty::empty() } else { super::update::show_tab(state, Tab::Memory) };
    shown | Dirty::FRAME
}

/// Sends a request if the version or the thing changed; called after every message.
pub(super) fn follow(state: &mut State) -> Dirty {
    if matches!(state.engine, Engine::Starting | Engine::Recovering(_) | Engine::Down) {
        // A restarted compiler has other numbers for things.
        state.memory = Memory { serial: state.memory.serial + 1, ..Memory::default() };
    }
    if state.engine != Engine::Idle || !state.shown.any {
        return Dirty::empty();
    }
    let versions = match state.tab {
        Tab::Columns => state.columns.chosen.clone(),
        Tab::Ir | Tab::Changes | Tab::Target | Tab::Memory => vec![state.shown.timeline.at],
    };
    let memory = &mut state.memory;
    if memory.requested_paths.as_ref() != Some(&(state.revision, versions.clone())) {
        memory.requested_paths = Some((state.revision, versions));
        memory.paths_serial += 1;
        // A text without pointers needs no paths.
        memory.paths.clear();
        let class = state.classes.iter().position(|class| class == "qptr");
        let is_there = class.is_some_and(|class| state.shown.document.has_class(class as u32));
        let was_there = state.shown.timeline.steps.iter().any(|step| step.pass.starts_with("qptr-"));
        if is_there || was_there {
            state.queue(CompilerCommand::Paths);
        }
    }
    let memory = &mut state.memory;
    let wanted = Some((state.revision, memory.thing));
    if state.tab != Tab::Memory || memory.requested == wanted {
        return Dirty::empty();
    }
    memory.requested = wanted;
    memory.serial += 1;
    state.queue(CompilerCommand::Memory);
    Dirty::MEMORY
}

/// The versions whose pointers are requested.
pub fn versions(state: &State) -> Vec<u32> {
    let requested = state.memory.requested_paths.iter().flat_map(|(_, versions)| versions);
    requested.map(|at| *at as u32).collect()
}

/// Changes the state by an event.
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
        Event::More => {
            memory.lines += MOST_LINES;
            Dirty::MEMORY
        }
        Event::Act(line) => {
            let row = memory.map.rows().nth(line);
            memory.chosen = Some(line);
            match row.map(|row| row.kind) {
                Some(RowKind::Site(Some(id), range)) => {
                    state.memory.chosen = Some(range);
                    let shown = super::update::show_block(state, id);
                    super::update::choose_id(state, Some(id)) | shown | Dirty::MEMORY
                }
                Some(_) | None => Dirty::MEMORY,
            }
        }
    }
}

/// Takes a map of the compiler.
pub(super) fn answered(state: &mut State, mut answer: MemoryMap) -> Dirty {
    let memory = &mut state.memory;
    if answer.serial != memory.serial {
        return Dirty::empty();
    }
    if memory.map.answer.variable != answer.variable {
        (memory.lines, memory.chosen) = (MOST_LINES, None);
    }
    let document = Document::of(std::mem::take(&mut answer.text));
    memory.map = Map { answer, document };
    Dirty::MEMORY | Dirty::LINKS
}

/// Takes the paths of pointers.
pub(super) fn paths_answered(state: &mut State, answer: PointerPaths) -> Dirty {
    if answer.serial != state.memory.paths_serial {
        return Dirty::empty();
    }
    state.memory.paths = answer.paths;
    Dirty::LINKS
}

#[cfg(test)]
mod tests {
    use super::*;
    use vitrine_protocol::{StyledText, Table, Utf8};

    fn page() -> State {
        let mut state = State { engine: Engine::Idle, tab: Tab::Memory, ..State::default() };
        state.shown.any = true;
        state
    }

    fn answer(state: &State) -> MemoryMap {
        MemoryMap {
            serial: state.memory.serial,
            variable: Some(3),
            text: StyledText {
                text: Utf8("m\n%1 = load\n".to_owned()),
                spans: Table::from_words(vec![2, 2, 0, 2, 7]),
                ..StyledText::default()
            },
            rows: Table::from_numbers(vec![3, 0, 4, 4, 1, 1, 0, 2, 4, 0, 4, -1, 1, 8, 0, 0]),
            ..MemoryMap::default()
        }
    }

    fn following(state: &mut State, command: CompilerCommand) -> bool {
        follow(state);
        state.took(command)
    }

    #[test]
    fn a_map_is_requested_a_single_time_while_it_is_shown() {
        let mut state = page();
        assert!(following(&mut state, CompilerCommand::Memory));
        assert_eq!(follow(&mut state), Dirty::empty());
        let old = answer(&state);
        update(&mut state, Event::Of(3));
        assert!(following(&mut state, CompilerCommand::Memory) && state.memory.is_stale());
        assert_eq!(answered(&mut state, old), Dirty::empty(), "an older answer");
        let new = answer(&state);
        assert!(answered(&mut state, new).intersects(Dirty::MEMORY));
        assert_eq!((state.memory.map.answer.variable, state.memory.lines), (Some(3), MOST_LINES));
        state.tab = Tab::Ir;
        state.revision += 1;
        assert!(!following(&mut state, CompilerCommand::Memory), "the map is hidden");
    }

    #[test]
    fn lines_have_kinds_and_actions() {
        let mut state = page();
        follow(&mut state);
        let map = answer(&state);
        answered(&mut state, map);
        let rows: Vec<Row> = state.memory.map.rows().collect();
        assert_eq!((rows[0].kind, rows[0].bytes), (RowKind::Used(2), Some(4)));
        assert_eq!((rows[1].kind, rows[1].bytes), (RowKind::Site(Some(7), 0), None));
        update(&mut state, Event::Act(1));
        assert_eq!((state.chosen, state.memory.chosen), (Some(7), Some(0)));
    }

    #[test]
    fn the_key_opens_and_closes_the_map() {
        let mut state = page();
        (state.tab, state.chosen) = (Tab::Ir, Some(9));
        update(&mut state, Event::Toggle);
        assert_eq!((state.tab, state.memory.thing, state.pane), (Tab::Memory, Some(9), Pane::Output));
        update(&mut state, Event::Toggle);
        assert_eq!(state.tab, Tab::Ir);
    }

    #[test]
    fn paths_belong_to_the_shown_versions() {
        let mut state = page();
        state.tab = Tab::Ir;
        assert!(!following(&mut state, CompilerCommand::Paths), "there are no pointers");
        state.classes = vec!["plain".to_owned(), "qptr".to_owned()];
        state.shown.document = Document::new("ptr\n".to_owned(), &[0, 3, 1, 0, 0]);
        state.memory = Memory::default();
        assert!(following(&mut state, CompilerCommand::Paths));
        assert_eq!(versions(&state), [0]);
        let path = PointerPath { id: 7, path: "a.b: byte 4 of $0".to_owned() };
        paths_answered(&mut state, PointerPaths { serial: 1, paths: vec![path] });
        assert_eq!((state.memory.path(7), state.memory.path(8)), (Some("a.b: byte 4 of $0"), None));
        assert_eq!(follow(&mut state), Dirty::empty());
        state.tab = Tab::Columns;
        state.columns.chosen = vec![0, 2];
        assert!(following(&mut state, CompilerCommand::Paths), "other versions");
        assert_eq!(versions(&state), [0, 2]);
    }
}
