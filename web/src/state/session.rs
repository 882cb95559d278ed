//! The stored form of inputs and of the session: what survives a reload.
//!
//! Bytes: a version, then `postcard`. Bytes of another version, or damaged ones, are no error: they read as nothing, and the
//! page begins with its example. Numbers of things belong to a running compiler, so a stored view has its own: indices of
//! the anchors stored with it.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use vitrine_protocol::{Tab, Watches};

use crate::state::{Camera, Dirty, Fold, Pane, State, passes};

/// The version of the format. A change of a struct below needs another one.
const VERSION: u8 = 2;

/// A stable name of a thing, as `Answer::Anchors` gives it.
pub type AnchorWords = [u32; 4];

/// The first number of things that a running compiler has not numbered yet.
const UNNUMBERED: u32 = 1 << 30;

/// An input with its pipeline and view, without its content.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Kept {
    /// Its number, unique in the browser's storage; 0 before it is stored.
    pub id: u64,
    /// The name of its file; empty for a pasted text.
    pub name: String,
    /// True if the content is a binary, or a text encoding of one.
    pub binary: bool,
    /// True for an unchanged example, which another input may replace.
    pub example: bool,
    /// The pipeline, if the user wrote it.
    pub pipeline: Option<String>,
    /// The view.
    pub view: View,
    /// The options of a source; stored after everything else, so that older inputs can be read.
    #[serde(skip)]
    pub source_options: String,
}

/// The view of an input.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct View {
    /// The requested version; by default the last one.
    pub at: Option<u32>,
    /// The requested function.
    pub func: Option<u32>,
    /// The tab of the text pane.
    pub tab: Tab,
    /// The format of the target tab.
    pub target: String,
    /// The camera: offset, zoom, size of the pane; none before the first graph.
    pub camera: Option<[i32; 5]>,
    /// Twice the index of the chosen overlay, and 1 more if it is shown.
    pub overlay: u32,
    /// True if the minimap is hidden.
    pub no_map: bool,
    /// See `Scene::folds`.
    pub folds: Vec<(Fold, u32)>,
    /// See `Scene::opened`.
    pub opened: Vec<u32>,
    /// See `Scene::pins`.
    pub pins: Vec<[i32; 3]>,
    /// The chosen thing.
    pub chosen: Option<u32>,
    /// The versions side by side, if the user chose them.
    pub columns: Vec<u32>,
    /// True if nothing is folded in columns.
    pub unfolded: bool,
    /// The caret: line and column, from 1.
    pub caret: Option<(u32, u32)>,
    /// Changes to the inputs of runs.
    pub assignments: Vec<String>,
    /// Breakpoints and watch expressions, one on each line.
    pub watch: [String; 2],
}

/// An entry of the storage: an input, and the anchors of the things in its view.
#[derive(Debug, Serialize, Deserialize)]
struct Stored {
    kept: Kept,
    anchors: Vec<AnchorWords>,
}

/// The parts of the page that belong to no input.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Frame {
    /// The index of the current input.
    pub current: u32,
    /// The pane of a small screen, by its index.
    pub pane: u32,
    /// The maximized pane, by its index.
    pub whole: Option<u32>,
    /// True if the list of passes is shown.
    pub list: bool,
    /// True if the inspector is closed.
    pub closed_inspector: bool,
    /// The link that was opened or copied last: it is not opened again by a reload.
    pub link: String,
}

/// The bytes of a value.
pub fn encode<T: Serialize>(value: &T) -> Vec<u8> {
    let mut bytes = vec![VERSION];
    // No struct of this file fails: all lengths are known.
    bytes.extend(postcard::to_allocvec(value).unwrap_or_default());
    bytes
}

/// The value of stored bytes; none for another version and for damaged bytes.
pub fn decode<T: DeserializeOwned>(bytes: &[u8]) -> Option<T> {
    decode_first(bytes).map(|(value, _)| value)
}

/// The same with the bytes after it.
fn decode_first<T: DeserializeOwned>(bytes: &[u8]) -> Option<(T, &[u8])> {
    let (&version, rest) = bytes.split_first()?;
    (version == VERSION).then(|| postcard::take_from_bytes(rest).ok()).flatten()
}

/// Anchors of things by their numbers.
#[derive(Debug, Default)]
pub struct Anchors {
    /// Number and anchor.
    pub known: Vec<(u32, AnchorWords)>,
}

impl Anchors {
    /// The index of a number.
    pub fn find(&self, number: u32) -> Option<usize> {
        self.known.iter().position(|(known, _)| *known == number)
    }

    /// The bytes of an input. Things without a known anchor are left out.
    pub fn encode(&self, kept: &Kept) -> Vec<u8> {
        let mut kept = kept.clone();
        let mut anchors = Vec::new();
        kept.view.renumber(|number| {
            let (_, anchor) = self.known[self.find(number)?];
            anchors.push(anchor);
            Some(anchors.len() as u32 - 1)
        });
        let source_options = std::mem::take(&mut kept.source_options);
        let mut bytes = encode(&Stored { kept, anchors });
        bytes.extend(source_options.as_bytes());
        bytes
    }

    /// The input of stored bytes. Its things get temporary numbers: the compiler must be asked for others.
    pub fn decode(&mut self, bytes: &[u8]) -> Option<Kept> {
        let (Stored { mut kept, anchors }, rest) = decode_first(bytes)?;
        kept.source_options = String::from_utf8(rest.to_vec()).ok()?;
        let first = UNNUMBERED + self.known.len() as u32;
        kept.view.renumber(|index| anchors.get(index as usize).map(|_| first + index));
        self.known.extend((first..).zip(anchors));
        Some(kept)
    }
}

impl View {
    /// The view of a state.
    pub fn of(state: &State) -> View {
        let (scene, camera) = (&state.scene, &state.camera);
        let [width, height] = camera.pane;
        let has_camera = width > 0 && !state.fresh && state.shown.any;
        let Watches { stops, watches } = &state.debugger.run.watches;
        View {
            at: state.at.map(|at| at as u32),
            func: state.func,
            tab: state.tab,
            target: state.target.clone(),
            camera: has_camera.then_some([camera.x, camera.y, camera.zoom, width, height]),
            overlay: scene.overlay_code(),
            no_map: !scene.map,
            folds: scene.folds.clone(),
            opened: scene.opened.clone(),
            pins: scene.pins.clone(),
            chosen: state.chosen,
            columns: state.columns.own_choice(),
            unfolded: state.columns.unfolded,
            caret: state.caret,
            assignments: state.debugger.run.assignments.clone(),
            watch: [stops, watches].map(|lines| lines.join("\n")),
        }
    }

    /// Shows this view; the camera is placed when the graph is there.
    pub fn show(&self, state: &mut State) {
        state.at = self.at.map(|at| at as usize);
        state.func = self.func;
        state.tab = self.tab;
        state.target.clone_from(&self.target);
        let scene = &mut state.scene;
        scene.show_overlay(self.overlay);
        scene.map = !self.no_map;
        scene.folds.clone_from(&self.folds);
        scene.opened.clone_from(&self.opened);
        scene.pins.clone_from(&self.pins);
        state.chosen = self.chosen;
        state.caret = self.caret;
        state.debugger.run.assignments.clone_from(&self.assignments);
        let [stops, watches] = self.watch.each_ref().map(|text| text.lines().map(str::to_owned).collect());
        state.debugger.run.watches = Watches { stops, watches };
        state.columns.restore(&self.columns, self.unfolded, state.input.revision);
    }

    /// The stored camera.
    pub fn camera(&self) -> Option<Camera> {
        self.camera.map(|[x, y, zoom, width, height]| Camera { x, y, zoom, pane: [width, height] })
    }

    /// The things of the view.
    pub fn things(&self) -> impl Iterator<Item = u32> + '_ {
        let folds = self.folds.iter().map(|fold| fold.1);
        let pins = self.pins.iter().map(|pin| pin[0] as u32);
        folds.chain(self.opened.iter().copied()).chain(pins).chain(self.chosen)
    }

    /// Gives the things other numbers, and removes those without one.
    pub fn renumber(&mut self, mut number: impl FnMut(u32) -> Option<u32>) {
        self.folds.retain_mut(|fold| number(fold.1).map(|now| fold.1 = now).is_some());
        self.opened.retain_mut(|block| number(*block).map(|now| *block = now).is_some());
        self.pins.retain_mut(|pin| number(pin[0] as u32).map(|now| pin[0] = now as i32).is_some());
        self.chosen = self.chosen.and_then(number);
    }
}

impl Frame {
    /// The frame of a state.
    pub fn of(state: &State) -> Frame {
        let index = |pane: Pane| Pane::ALL.iter().position(|of| *of == pane).unwrap_or_default() as u32;
        Frame {
            current: state.keep.current as u32,
            pane: index(state.pane),
            whole: state.layout.whole.map(index),
            list: state.passes.open,
            closed_inspector: state.inspect.closed,
            link: state.keep.link.clone(),
        }
    }

    /// Shows this frame.
    pub(in crate::state) fn show(self, state: &mut State) -> Dirty {
        let pane = |index: u32| Pane::ALL.get(index as usize).copied();
        state.pane = pane(self.pane).unwrap_or_default();
        state.layout.whole = self.whole.and_then(pane);
        state.inspect.closed = self.closed_inspector;
        state.keep.link = self.link;
        passes::update(state, passes::Event::Open(self.list))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample() -> Kept {
        let view = View {
            at: Some(3),
            func: Some(1),
            tab: Tab::Columns,
            camera: Some([10, -20, 5_000, 800, 600]),
            overlay: 7,
            folds: vec![(Fold::Loop, 70), (Fold::Branch, 71)],
            opened: vec![71],
            pins: vec![[70, 5, -5]],
            chosen: Some(99),
            columns: vec![0, 3],
            caret: Some((2, 5)),
            watch: ["@0 ^3 if %i == 4".to_owned(), "%12.x\n%i".to_owned()],
            ..View::default()
        };
        Kept {
            id: 7,
            name: "ä.spv".to_owned(),
            binary: true,
            pipeline: Some("dce".to_owned()),
            view,
            ..Kept::default()
        }
    }

    #[test]
    fn an_input_is_read_as_it_was_stored_with_new_numbers() {
        let anchors = Anchors { known: vec![(70, [1, 0, 5, 0]), (99, [2, 0, 9, 0]), (71, [1, 0, 6, 0])] };
        let bytes = anchors.encode(&sample());
        let mut other = Anchors { known: vec![(4, [9, 9, 9, 9])] };
        let mut read = other.decode(&bytes).unwrap();
        let anchor = |number: u32| other.find(number).map(|at| other.known[at].1);
        assert_eq!(
            read.view.folds.iter().map(|fold| anchor(fold.1)).collect::<Vec<_>>(),
            [Some([1, 0, 5, 0]), Some([1, 0, 6, 0])]
        );
        assert_eq!(
            (anchor(read.view.pins[0][0] as u32), read.view.chosen.and_then(anchor)),
            (Some([1, 0, 5, 0]), Some([2, 0, 9, 0]))
        );
        let back = |number: u32| anchors.known.iter().find(|of| Some(of.1) == anchor(number)).map(|of| of.0);
        read.view.renumber(back);
        assert_eq!(read, sample());
    }

    #[test]
    fn options_of_a_source_are_after_the_bytes_of_an_input_without_them() {
        let without = Anchors::default().encode(&Kept { id: 7, ..Kept::default() });
        let source_options = "define=A=1\nstage=frag".to_owned();
        let kept = Kept { id: 7, source_options, ..Kept::default() };
        let with = Anchors::default().encode(&kept);
        assert!(with.starts_with(&without));
        assert_eq!(Anchors::default().decode(&with), Some(kept));
        let read = Anchors::default().decode(&without).map(|kept| kept.source_options);
        assert_eq!(read.as_deref(), Some(""));
    }

    #[test]
    fn things_without_an_anchor_are_left_out() {
        let bytes = Anchors { known: vec![(71, [1, 0, 6, 0])] }.encode(&sample());
        let view = Anchors::default().decode(&bytes).unwrap().view;
        assert_eq!((view.folds.len(), view.opened.len(), view.pins.len(), view.chosen), (1, 1, 0, None));
    }

    #[test]
    fn other_versions_and_damaged_bytes_read_as_nothing() {
        let frame = Frame { current: 2, whole: Some(1), link: "1m".to_owned(), ..Frame::default() };
        let bytes = encode(&frame);
        assert_eq!(decode(&bytes), Some(frame));
        for version in [0, VERSION + 1, 255] {
            let mut other = bytes.clone();
            other[0] = version;
            assert_eq!(decode::<Frame>(&other), None, "version {version}");
        }
        let entry = Anchors::default().encode(&sample());
        for length in 0..entry.len() {
            assert_eq!(Anchors::default().decode(&entry[..length]), None, "{length} bytes");
        }
        assert_eq!(decode::<Frame>(&[VERSION, 255, 255, 255, 255, 255, 255]), None);
    }
}
