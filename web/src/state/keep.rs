//! The open inputs, and what is stored of them in the browser.
//!
//! The state has one input; the other open ones are stored, and only their names and views are here. An input is stored
//! when it is left and after a pause of the user; leaving it puts its view into `tabs`, entering it takes it from there.
//! Another input opens in the current tab if that is empty or has an unchanged example, otherwise in a new tab, so that
//! nothing is replaced that would be missed. A new tab has the pipeline of the current one.
//! Limits: when the compiler restarts, folds, pins and the choice are found again by their anchors; those of the last
//! moment, whose anchors are not known yet, are lost.

use crate::state::past::{self, Past};
use crate::state::session::{self, AnchorWords, Anchors, Frame, Kept, View};
use crate::state::update::{another_input, forget_graph, notify};
use crate::state::{
    Action, Camera, Command, CompilerCommand, Dirty, Engine, KeepCommand, Level, Notice, State, Tab,
};

/// Width and height of the picture of a graph in the list of recent inputs.
const PICTURE: [i32; 2] = [56, 36];
/// Blocks in such a picture.
const MOST_BLOCKS: usize = 60;

/// An event of the open inputs.
#[derive(Debug)]
pub enum Event {
    /// The storage has no session: the page begins with its example. The first free number of an input.
    Begin(u64),
    /// The session of the last visit: the first free number, the frame, the inputs, the content of the current one.
    Restore(u64, Vec<u8>, Vec<Vec<u8>>, Vec<u8>),
    /// The user paused, or the page is being hidden: stores what changed.
    Pause,
    /// Opens an empty input.
    New,
    /// Shows an input, by its index.
    Show(usize),
    /// Shows the next input, or the previous one, cyclically.
    Next(bool),
    /// Closes an input, by its index.
    Close(usize),
    /// Opens the last closed input again.
    Reopen,
    /// The storage sent an input of a tab: its number and content, if it has one.
    Loaded(u64, Option<Vec<u8>>),
    /// A recent input was chosen: its stored form and content.
    Recent(Vec<u8>, Vec<u8>),
    /// The browser refuses to store, for this reason.
    Refused(String),
    /// Shows the view before, or the one after.
    Travel(bool),
}

/// The open inputs.
#[derive(Debug)]
pub struct Keep {
    /// The open inputs, in order. The entry of the current one is older than the state.
    pub tabs: Vec<Kept>,
    /// The index of the current one.
    pub current: usize,
    /// Counts changes to another input: the editor has a history for each.
    pub epoch: u32,
    /// True until the storage has answered: nothing is compiled.
    pub waits: bool,
    /// True if numbers of things are requested for a compiler that does not have them yet.
    pub numbering: bool,
    /// The link that was opened or copied last.
    pub link: String,
    /// The history of the view.
    pub(in crate::state) past: Past,
    /// The histories of other tabs, by number: of the view, and of the pipeline back and forward.
    pasts: Vec<(u64, Past, [Vec<String>; 2])>,
    /// True if this page stores: not in tests of other parts, nor while it is prerendered.
    on: bool,
    /// The first free number of an input.
    free: u64,
    /// True if a pause is awaited.
    paused_later: bool,
    /// True while a pause is handled: the next one is awaited after another message.
    is_pause: bool,
    /// The last closed input, and its index.
    closed: Option<(usize, Kept)>,
    /// The input to show when its content arrives, and the one to close then, by number.
    wanted: Option<(u64, Option<u64>)>,
    /// The camera for the next graph.
    camera: Option<Camera>,
    /// The last stored bytes: the frame, the entry, the revision of its input, the number of errors of that.
    stored: (Vec<u8>, Vec<u8>, Option<u32>, Option<usize>),
    anchors: Anchors,
    /// True if the compiler does not have the numbers of `anchors`.
    is_stale: bool,
    /// Things whose anchors are requested.
    asked: Vec<u32>,
}

impl Default for Keep {
    fn default() -> Keep {
        Keep {
            tabs: vec![Kept { example: true, ..Kept::default() }],
            current: 0,
            epoch: 0,
            waits: false,
            numbering: false,
            link: String::new(),
            past: Past::default(),
            pasts: Vec::new(),
            on: false,
            free: 1,
            paused_later: false,
            is_pause: false,
            closed: None,
            wanted: None,
            camera: None,
            stored: Default::default(),
            anchors: Anchors::default(),
            is_stale: false,
            asked: Vec::new(),
        }
    }
}

/// A change of the storage.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Save {
    /// The session, if it changed: bytes, the numbers of the open inputs.
    pub session: Option<(Vec<u8>, Vec<u64>)>,
    /// The index of the current input.
    pub current: usize,
    /// The current input, if it changed.
    pub entry: Option<Entry>,
}

/// An input, for the storage and the list of recent inputs.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Entry {
    /// Its number.
    pub id: u64,
    /// Its name; a pasted text gets one from its first line.
    pub name: String,
    /// The number of bytes of its content.
    pub size: usize,
    /// The number of errors; none before the compiler has read it.
    pub errors: Option<usize>,
    /// True if the list of recent inputs shows it.
    pub is_listed: bool,
    /// The blocks of its graph: left, top, width, height.
    pub picture: Vec<i32>,
    /// Its stored form.
    pub kept: Vec<u8>,
    /// Its content, if it changed.
    pub content: Option<Vec<u8>>,
}

/// Changes the open inputs.
pub(in crate::state) fn update(state: &mut State, event: Event) -> Dirty {
    match event {
        Event::Begin(free) => {
            let keep = &mut state.keep;
            (keep.on, keep.waits, keep.free) = (true, false, free);
            identify(state);
            Dirty::KEEP | Dirty::FRAME
        }
        Event::Restore(free, frame, entries, content) => restore(state, free, &frame, &entries, content),
        Event::Pause => {
            store(state, false);
            state.keep.is_pause = true;
            Dirty::empty()
        }
        Event::New => {
            let kept = blank(state);
            insert(state, kept);
            enter(state, Vec::new())
        }
        Event::Show(at) if at == state.keep.current => {
            state.keep.wanted = None;
            Dirty::empty()
        }
        Event::Show(at) => request(state, at, None),
        Event::Next(forward) => {
            let count = state.keep.tabs.len();
            let by = if forward { 1 } else { count - 1 };
            let from =
                state.keep.wanted.and_then(|(id, _)| index_of(state, id)).unwrap_or(state.keep.current);
            update(state, Event::Show((from + by) % count))
        }
        Event::Close(at) => close(state, at),
        Event::Reopen => {
            let Some((at, kept)) = state.keep.closed.take() else { return Dirty::empty() };
            let keep = &mut state.keep;
            let at = at.min(keep.tabs.len());
            keep.tabs.insert(at, kept);
            keep.current += usize::from(at <= keep.current);
            state.notice = None;
            request(state, at, None) | Dirty::KEEP | Dirty::STATUS
        }
        Event::Loaded(id, content) => loaded(state, id, content),
        Event::Travel(forward) => past::travel(state, forward),
        Event::Recent(kept, content) => recent(state, &kept, content),
        Event::Refused(reason) => {
            let text = format!(
                "{reason}: open inputs are lost when this window is closed. Save them, or delete recent inputs."
            );
            notify(state, Notice { text, action: None, bad: true })
        }
    }
}

/// Waits for a pause after every message that may have changed something; requests anchors of new things.
pub(in crate::state) fn follow(state: &mut State) -> Dirty {
    if std::mem::take(&mut state.keep.is_pause) {
        state.keep.paused_later = false;
    } else if state.keep.on && !state.keep.waits && !state.keep.paused_later {
        state.keep.paused_later = true;
        state.queue(Command::Keep(KeepCommand::Pause));
    }
    let keep = &state.keep;
    if !keep.on || keep.is_stale || !keep.asked.is_empty() || state.engine != Engine::Idle || !state.shown.any
    {
        return Dirty::empty();
    }
    let things = View::of(state);
    let keep = &mut state.keep;
    let unknown = |thing: &u32| keep.anchors.find(*thing).is_none();
    keep.asked = things.things().filter(unknown).collect();
    if !keep.asked.is_empty() {
        state.queue(CompilerCommand::Anchors);
    }
    Dirty::empty()
}

impl Keep {
    /// The number of the current input in the editor: another one has another history.
    pub fn editor_key(&self) -> u64 {
        self.tabs[self.current].id
    }

    /// Returns true if anchors of things are known, which a restarted compiler will number.
    pub fn knows_things(&self) -> bool {
        !self.anchors.known.is_empty()
    }

    /// Returns true if the compiler has other numbers for things, or none.
    pub fn is_stale(&self) -> bool {
        self.is_stale
    }

    /// Things whose anchors are requested.
    pub fn asked(&self) -> Vec<u32> {
        self.asked.clone()
    }

    /// Anchors whose numbers are requested.
    pub fn anchors(&self) -> Vec<AnchorWords> {
        self.anchors.known.iter().map(|(_, anchor)| *anchor).collect()
    }
}

/// Prepares the page for the answer of the storage.
pub(in crate::state) fn wait(state: &mut State) -> Dirty {
    state.keep.waits = true;
    Dirty::empty()
}

/// Takes the anchors of things.
pub(in crate::state) fn anchored(state: &mut State, anchors: Vec<AnchorWords>) -> Dirty {
    let keep = &mut state.keep;
    let asked = std::mem::take(&mut keep.asked);
    keep.anchors.known.extend(asked.into_iter().zip(anchors));
    Dirty::empty()
}

/// The compiler restarts: it will number things anew.
pub(in crate::state) fn restarted(state: &mut State) {
    let keep = &mut state.keep;
    keep.asked.clear();
    keep.numbering = false;
    keep.is_stale = !keep.anchors.known.is_empty();
    if !keep.is_stale {
        forget_graph(state);
    }
}

/// Returns true if a request must wait for the numbers of things, which are requested then.
pub(in crate::state) fn must_number(state: &mut State) -> bool {
    let keep = &mut state.keep;
    if keep.is_stale && !keep.numbering {
        keep.numbering = true;
        state.queue(CompilerCommand::Numbers);
    }
    state.keep.numbering
}

/// Takes the numbers of `anchors`: all views get them.
pub(in crate::state) fn numbered(state: &mut State, numbers: &[u32]) {
    let mut view = View::of(state);
    let keep = &mut state.keep;
    (keep.is_stale, keep.numbering) = (false, false);
    let old = std::mem::take(&mut keep.anchors);
    let now = |number: u32| old.find(number).and_then(|at| numbers.get(at)).copied();
    keep.tabs.iter_mut().for_each(|kept| kept.view.renumber(now));
    if let Some((_, kept)) = &mut keep.closed {
        kept.view.renumber(now);
    }
    view.renumber(now);
    past::renumber(&mut keep.past, now);
    keep.pasts.iter_mut().for_each(|(_, past, _)| past::renumber(past, now));
    for (&(_, anchor), &number) in old.known.iter().zip(numbers) {
        if keep.anchors.find(number).is_none() {
            keep.anchors.known.push((number, anchor));
        }
    }
    let scene = &mut state.scene;
    (scene.folds, scene.opened, scene.pins, state.chosen) = (view.folds, view.opened, view.pins, view.chosen);
}

/// The camera of a stored view, at the first graph after it was entered.
pub(in crate::state) fn take_camera(state: &mut State) -> Option<Camera> {
    state.keep.camera.take()
}

/// Sets the camera for the next graph.
pub(in crate::state) fn set_camera(state: &mut State, camera: Option<Camera>) {
    state.keep.camera = camera;
}

/// Returns true if a stored view is being entered: the choice is kept.
pub(in crate::state) fn is_entering(state: &State) -> bool {
    state.keep.camera.is_some()
}

/// Prepares a tab for another input: a new one, unless the current one may be replaced. Returns true if it is new.
pub(in crate::state) fn make_room(state: &mut State) -> bool {
    let is_empty = state.input.given.is_none() && state.input.text.trim().is_empty();
    if is_example(state) || is_empty {
        return false;
    }
    let kept = blank(state);
    insert(state, kept);
    true
}

/// Returns true if the current input is an unchanged example.
pub(in crate::state) fn is_example(state: &State) -> bool {
    state.keep.tabs[state.keep.current].example && !state.input.edited
}

/// Names the current input in its tab. An example may be replaced as long as it is unchanged.
pub(in crate::state) fn named(state: &mut State, example: bool) -> Dirty {
    let keep = &mut state.keep;
    let kept = &mut keep.tabs[keep.current];
    kept.name.clone_from(&state.input.name);
    kept.example = example;
    keep.camera = None;
    Dirty::KEEP
}

fn restore(state: &mut State, free: u64, frame: &[u8], entries: &[Vec<u8>], content: Vec<u8>) -> Dirty {
    let keep = &mut state.keep;
    (keep.on, keep.waits, keep.free) = (true, false, free);
    let tabs: Option<Vec<Kept>> = entries.iter().map(|entry| keep.anchors.decode(entry)).collect();
    let frame: Option<Frame> = session::decode(frame);
    let (Some(tabs), Some(frame)) = (tabs.filter(|tabs| !tabs.is_empty()), frame) else {
        keep.anchors = Anchors::default();
        state.queue(Command::Keep(KeepCommand::StartOver));
        identify(state);
        return Dirty::KEEP | Dirty::FRAME;
    };
    keep.is_stale = !keep.anchors.known.is_empty();
    keep.current = (frame.current as usize).min(tabs.len() - 1);
    keep.tabs = tabs;
    // The page shows the graph of its example: it is no graph of this input.
    state.prerendered = false;
    let framed = frame.show(state);
    let entered = enter(state, content);
    state.keep.stored.2 = Some(state.input.revision);
    entered | framed | Dirty::LAYOUT | Dirty::INSPECT | Dirty::PASSES
}

/// An empty input with the pipeline of the current one.
fn blank(state: &mut State) -> Kept {
    let keep = &mut state.keep;
    keep.free += 1;
    let view = View { tab: state.tab, target: state.target.clone(), ..View::default() };
    let pipeline = state.own_pipeline.then(|| state.pipeline.clone());
    Kept { id: keep.free - 1, pipeline, view, ..Kept::default() }
}

/// Leaves the current input, and makes another one the current one, after it.
fn insert(state: &mut State, kept: Kept) {
    leave(state);
    let keep = &mut state.keep;
    keep.current += 1;
    keep.tabs.insert(keep.current, kept);
    keep.epoch += 1;
}

/// Stores the current input before another one is entered.
fn leave(state: &mut State) {
    store(state, true);
    let kept = current(state);
    let keep = &mut state.keep;
    let pipelines = [&mut state.passes.before, &mut state.passes.after].map(std::mem::take);
    keep.pasts.push((kept.id, std::mem::take(&mut keep.past), pipelines));
    keep.tabs[keep.current] = kept;
    keep.stored.1.clear();
    (keep.stored.2, keep.stored.3) = (None, None);
    keep.wanted = None;
}

/// Shows the input of the current tab.
fn enter(state: &mut State, content: Vec<u8>) -> Dirty {
    let kept = state.keep.tabs[state.keep.current].clone();
    let input = &mut state.input;
    input.name.clone_from(&kept.name);
    input.options.clone_from(&kept.source_options);
    input.before = None;
    (input.text, input.given) = match String::from_utf8(content) {
        Ok(text) if !kept.binary => (text, None),
        Ok(text) => (String::new(), Some(text.into_bytes())),
        Err(error) => (String::new(), Some(error.into_bytes())),
    };
    state.own_pipeline = kept.pipeline.is_some();
    state.pipeline = kept.pipeline.unwrap_or_else(|| state.default_pipeline.clone());
    state.notice = None;
    state.keep.epoch += 1;
    let dirty = another_input(state);
    let pasts = &mut state.keep.pasts;
    if let Some(at) = pasts.iter().position(|past| past.0 == kept.id) {
        let (_, past, pipelines) = pasts.remove(at);
        state.keep.past = past;
        [state.passes.before, state.passes.after] = pipelines;
    }
    kept.view.show(state);
    state.keep.camera = kept.view.camera();
    dirty | Dirty::KEEP | Dirty::PIPELINE | Dirty::FRAME | Dirty::STATUS | Dirty::OVERLAY
}

/// Requests the content of a tab, and shows it when it arrives; then closes another one.
fn request(state: &mut State, at: usize, closes: Option<u64>) -> Dirty {
    let Some(id) = state.keep.tabs.get(at).map(|kept| kept.id) else { return Dirty::empty() };
    state.keep.wanted = Some((id, closes));
    state.queue(Command::Keep(KeepCommand::Load(id)));
    Dirty::empty()
}

fn loaded(state: &mut State, id: u64, content: Option<Vec<u8>>) -> Dirty {
    let Some((_, closes)) = state.keep.wanted.filter(|wanted| wanted.0 == id) else { return Dirty::empty() };
    let Some(at) = index_of(state, id) else { return Dirty::empty() };
    leave(state);
    state.keep.current = at;
    let notice = state.notice.take();
    let is_missing = content.is_none();
    let dirty = enter(state, content.unwrap_or_default());
    if is_missing {
        let text = "The browser no longer has the content of this input.".to_owned();
        return dirty | notify(state, Notice { text, action: None, bad: true });
    }
    let Some(closed) = closes.and_then(|id| index_of(state, id)) else { return dirty };
    state.notice = notice;
    dirty | remove(state, closed)
}

fn close(state: &mut State, at: usize) -> Dirty {
    let keep = &state.keep;
    if at != keep.current {
        return if at < keep.tabs.len() { remove(state, at) } else { Dirty::empty() };
    }
    if keep.tabs.len() > 1 {
        let next = if at + 1 < keep.tabs.len() { at + 1 } else { at - 1 };
        let id = keep.tabs[at].id;
        return request(state, next, Some(id));
    }
    let kept = blank(state);
    insert(state, kept);
    let dirty = enter(state, Vec::new());
    dirty | remove(state, at)
}

/// Removes a tab that is not the current one. It can be opened again.
fn remove(state: &mut State, at: usize) -> Dirty {
    let keep = &mut state.keep;
    let kept = keep.tabs.remove(at);
    keep.current -= usize::from(at < keep.current);
    let text = format!("Closed {}.", label(&kept));
    keep.closed = Some((at, kept));
    notify(state, Notice { text, action: Some(Action::Reopen), bad: false }) | Dirty::KEEP
}

/// Opens a recent input: its tab if it is open, or else a new one.
fn recent(state: &mut State, kept: &[u8], content: Vec<u8>) -> Dirty {
    let Some(kept) = state.keep.anchors.decode(kept) else {
        let text = "This input was stored by another version of the page, which can open it.".to_owned();
        return notify(state, Notice { text, action: None, bad: true });
    };
    state.keep.is_stale |= !state.keep.anchors.known.is_empty();
    if let Some(at) = index_of(state, kept.id) {
        return update(state, Event::Show(at));
    }
    let text = format!("Opened {}.", label(&kept));
    if make_room(state) {
        let keep = &mut state.keep;
        keep.tabs[keep.current] = kept;
    } else {
        leave(state);
        let keep = &mut state.keep;
        keep.tabs[keep.current] = kept;
    }
    let dirty = enter(state, content);
    dirty | notify(state, Notice { text, action: None, bad: false })
}

/// Opens the current input once more, in a tab beside it, with another pipeline; shows that tab if there is one.
pub(in crate::state) fn beside(state: &mut State, title: &str, pipeline: &str, tab: Tab) -> Dirty {
    let own = current(state);
    let name = [label(&own), title].concat();
    let is_same = |kept: &Kept| kept.name == name && kept.pipeline.as_deref() == Some(pipeline);
    if let Some(at) = state.keep.tabs.iter().position(is_same) {
        return update(state, Event::Show(at));
    }
    let content = state.input.bytes().to_vec();
    let view = View { tab, ..View::default() };
    let (binary, source_options) = (own.binary, own.source_options);
    let pipeline = Some(pipeline.to_owned());
    let kept = Kept { name, binary, pipeline, view, source_options, ..blank(state) };
    insert(state, kept);
    let text = "Opened beside, with a pipeline of its own. The other tab keeps its pipeline.".to_owned();
    enter(state, content) | notify(state, Notice { text, action: None, bad: false })
}

fn index_of(state: &State, id: u64) -> Option<usize> {
    state.keep.tabs.iter().position(|kept| kept.id == id)
}

/// Gives the current input a number.
fn identify(state: &mut State) {
    let keep = &mut state.keep;
    let kept = &mut keep.tabs[keep.current];
    if kept.id == 0 {
        kept.id = keep.free;
        keep.free += 1;
    }
}

/// The current input, as the state has it.
fn current(state: &State) -> Kept {
    let kept = &state.keep.tabs[state.keep.current];
    // A view that is being entered is not shown yet: its camera is the stored one.
    let camera = if is_entering(state) { kept.view.camera } else { None };
    let view = View::of(state);
    Kept {
        id: kept.id,
        name: state.input.name.clone(),
        binary: state.input.given.is_some(),
        example: kept.example && !state.input.edited,
        pipeline: state.own_pipeline.then(|| state.pipeline.clone()),
        view: View { camera: camera.or(view.camera), ..view },
        source_options: state.input.options.clone(),
    }
}

/// Returns true if the page shows its example as every first visit does: there is nothing to store.
fn is_untouched(state: &State) -> bool {
    let Keep { tabs, stored, .. } = &state.keep;
    let kept = current(state);
    // The step is the page's choice, and not the user's.
    let view = View { at: None, camera: None, caret: None, ..kept.view };
    tabs.len() == 1
        && stored.0.is_empty()
        && state.first_sight
        && kept.pipeline.is_none()
        && kept.source_options.is_empty()
        && view == View::default()
}

/// Stores what changed; the page's example also before anything changed, if another input is entered.
fn store(state: &mut State, leaves: bool) {
    if !state.keep.on || state.keep.waits || !leaves && is_untouched(state) {
        return;
    }
    let kept = current(state);
    let entry = state.keep.anchors.encode(&kept);
    let frame =
        session::encode(&(Frame::of(state), state.keep.tabs.iter().map(|kept| kept.id).collect::<Vec<_>>()));
    let revision = Some(state.input.revision);
    let (old_frame, old_entry, old_revision, old_errors) = &state.keep.stored;
    let (is_framed, is_same, is_read) = (*old_frame == frame, *old_entry == entry, *old_revision == revision);
    // The answer of the compiler may come after the input was stored, and change nothing else.
    let errors = errors(state).or(old_errors.filter(|_| is_read));
    let is_judged = is_read && *old_errors == errors;
    if is_framed && is_same && is_judged {
        return;
    }
    let content = (!is_read).then(|| state.input.bytes().to_vec());
    let picture = picture(state);
    let session = (!is_framed)
        .then(|| (session::encode(&Frame::of(state)), state.keep.tabs.iter().map(|kept| kept.id).collect()));
    let entry_of_list = Entry {
        id: kept.id,
        name: if kept.name.is_empty() { first_line(&state.input.text) } else { kept.name },
        size: state.input.bytes().len(),
        errors,
        is_listed: !kept.example,
        picture,
        kept: entry.clone(),
        content,
    };
    state.keep.stored = (frame, entry, revision, errors);
    let entry = (!is_same || !is_judged).then_some(entry_of_list);
    let save = Save { session, current: state.keep.current, entry };
    state.queue(Command::Keep(KeepCommand::Save(save)));
}

fn is_shown(state: &State) -> bool {
    state.shown.any && state.shown.input == state.input.revision
}

fn errors(state: &State) -> Option<usize> {
    let errors = || state.shown.problems.iter().filter(|problem| problem.level == Level::Error).count();
    is_shown(state).then(errors)
}

/// The blocks of the graph, scaled.
fn picture(state: &State) -> Vec<i32> {
    let [left, top, width, height] = state.shown.graph.extent;
    if !is_shown(state) || width <= 0 || height <= 0 {
        return Vec::new();
    }
    let fits_width = i64::from(width) * i64::from(PICTURE[1]) > i64::from(height) * i64::from(PICTURE[0]);
    let (room, size) = if fits_width { (PICTURE[0], width) } else { (PICTURE[1], height) };
    let scaled = |length: i32| (i64::from(length) * i64::from(room) / i64::from(size)) as i32;
    let blocks = state.shown.graph.blocks.iter().take(MOST_BLOCKS);
    blocks
        .flat_map(|block| {
            let [x, y, width, height] = block.rect;
            [scaled(x - left), scaled(y - top), scaled(width).max(2), scaled(height).max(1)]
        })
        .collect()
}

/// The name of an input without one.
fn first_line(text: &str) -> String {
    let line = text.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default();
    line.chars().take(40).collect()
}

/// The name of an input in its tab.
pub fn label(kept: &Kept) -> &str {
    match kept.name.as_str() {
        "" if kept.example => "example",
        "" => "untitled",
        name => name,
    }
}

#[cfg(test)]
mod tests;
