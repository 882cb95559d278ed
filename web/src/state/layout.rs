//! The layout of the panes on a large screen: their widths, which are closed, which one is maximized.
//!
//! ```text
//! | Input    | Graph | Text |     shares of the width, in thousandths
//! | Problems |       |      |     the share of the height that Problems has, if the user chose one
//! ```
//!
//! Stored as one short line, which `www/theme.js` also reads before the first paint.

use crate::state::{Command, Dirty, Pane, State};

/// Default shares of the columns.
const SHARES: [i32; 3] = [260, 420, 320];
/// The smallest share of a column or of the height.
const LEAST: i32 = 80;
/// The CSS variables of the shares of the columns, and of the height of Problems.
const NAMES: [&str; 3] = ["--a", "--b", "--c"];
const HEIGHT: &str = "--p";

/// The layout of the panes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layout {
    /// Shares of the columns; their sum is 1000.
    shares: [i32; 3],
    /// Share of the height of Problems, in thousandths; none for automatic.
    problems: Option<i32>,
    /// Closed panes, in the order of `Pane::ALL`.
    closed: [bool; 4],
    /// The maximized pane.
    pub whole: Option<Pane>,
}

/// An event of the layout.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// Moves a splitter (0 and 1 between columns, 2 above Problems) to a place, in thousandths.
    Split(usize, i32),
    /// Moves a splitter while the pointer holds it; the layout is not stored yet.
    Drag(usize, i32),
    /// Moves a splitter by a distance.
    By(usize, i32),
    /// Moves a splitter to its default place.
    Reset(usize),
    /// Closes a pane.
    Close(Pane),
    /// Opens a pane.
    Open(Pane),
    /// Maximizes a pane, or restores the layout.
    Whole(Pane),
    /// Restores the default layout.
    Begin,
}

impl Default for Layout {
    fn default() -> Layout {
        Layout { shares: SHARES, problems: None, closed: [false; 4], whole: None }
    }
}

/// Changes the layout.
pub(in crate::state) fn update(state: &mut State, event: Event) -> Dirty {
    let layout = &mut state.layout;
    let is_stored = !matches!(event, Event::Drag(..));
    match event {
        Event::Split(2, to) | Event::Drag(2, to) => {
            layout.problems = Some((1000 - to).clamp(LEAST, 1000 - LEAST));
        }
        Event::Split(at, to) | Event::Drag(at, to) => layout.split(at, to),
        Event::By(at, by) => {
            let to = layout.place(at) + by;
            return update(state, Event::Split(at, to));
        }
        Event::Reset(2) => layout.problems = None,
        Event::Reset(at) => layout.split(at, Layout::default().place(at)),
        Event::Close(pane) => {
            layout.whole = None;
            layout.set_closed(pane, true);
            // The last pane cannot be closed.
            if layout.columns().iter().all(|open| !open) {
                layout.set_closed(pane, false);
            }
        }
        Event::Open(pane) => {
            layout.whole = None;
            layout.set_closed(pane, false);
        }
        Event::Whole(pane) => {
            layout.whole = if layout.whole == Some(pane) { None } else { Some(pane) };
            layout.set_closed(pane, false);
        }
        Event::Begin => *layout = Layout::default(),
    }
    if is_stored {
        state.queue(Command::StoreLayout);
    }
    Dirty::LAYOUT
}

/// The layout depends on nothing else.
pub(in crate::state) fn follow(_: &mut State) -> Dirty {
    Dirty::empty()
}

impl Layout {
    /// Returns true if a pane is closed.
    pub fn is_closed(&self, pane: Pane) -> bool {
        Pane::ALL.iter().zip(self.closed).any(|(of, closed)| *of == pane && closed)
    }

    fn set_closed(&mut self, pane: Pane, closed: bool) {
        for (of, slot) in Pane::ALL.iter().zip(&mut self.closed) {
            *slot = if *of == pane { closed } else { *slot };
        }
    }

    /// For each column, true if it has an open pane.
    fn columns(&self) -> [bool; 3] {
        let [input, graph, output, problems] = self.closed.map(|closed| !closed);
        [input || problems, graph, output]
    }

    /// The columns on the left and right of a splitter; none if it separates nothing.
    fn sides(&self, at: usize) -> Option<(usize, usize)> {
        let open = self.columns();
        let left = (0..=at.min(2)).rev().find(|&column| open[column])?;
        let right = (at + 1..3).find(|&column| open[column])?;
        // If two splitters separate the same columns, the left one is shown.
        (at == 0 || open[at]).then_some((left, right))
    }

    /// Returns true if a splitter separates two open panes.
    pub fn has(&self, at: usize) -> bool {
        match at {
            2 => !self.is_closed(Pane::Input) && !self.is_closed(Pane::Problems),
            at => self.sides(at).is_some(),
        }
    }

    fn sum(&self) -> i32 {
        self.shares
            .iter()
            .zip(self.columns())
            .map(|(share, open)| if open { *share } else { 0 })
            .sum::<i32>()
            .max(1)
    }

    /// The place of a splitter, in thousandths from the left or top.
    pub fn place(&self, at: usize) -> i32 {
        if at == 2 {
            return 1000 - self.problems.unwrap_or(150);
        }
        let open = self.columns();
        let before: i32 =
            (0..=at.min(2)).filter(|&column| open[column]).map(|column| self.shares[column]).sum();
        before * 1000 / self.sum()
    }

    fn split(&mut self, at: usize, to: i32) {
        let Some((left, right)) = self.sides(at) else { return };
        let both = self.shares[left] + self.shares[right];
        let by = (to - self.place(at)) * self.sum() / 1000;
        self.shares[left] = (self.shares[left] + by).clamp(LEAST.min(both / 2), both - LEAST.min(both / 2));
        self.shares[right] = both - self.shares[left];
    }

    /// The CSS variables with their values.
    pub fn style(&self) -> [(&'static str, String); 4] {
        let open = self.columns();
        let share = |at: usize| {
            (NAMES[at], if open[at] { format!("{}fr", self.shares[at]) } else { "0fr".to_owned() })
        };
        let height = self.problems.map_or_else(|| "auto".to_owned(), |share| format!("{}%", share / 10));
        [share(0), share(1), share(2), (HEIGHT, height)]
    }

    /// Names of the closed panes.
    pub fn closed(&self) -> String {
        let closed: Vec<&str> =
            Pane::ALL.into_iter().filter(|pane| self.is_closed(*pane)).map(Pane::name).collect();
        closed.join(" ")
    }

    /// The layout as a line for storage: `--a:260fr;--b:420fr;--c:320fr;--p:auto|graph|260 420 320`.
    pub fn stored(&self) -> String {
        let style: Vec<String> = self.style().iter().map(|(name, value)| format!("{name}:{value}")).collect();
        let [a, b, c] = self.shares;
        format!("{}|{}|{a} {b} {c}", style.join(";"), self.closed())
    }

    /// Reads a stored layout; the default one if it is malformed.
    pub fn read(stored: &str) -> Layout {
        let mut layout = Layout::default();
        let mut parts = stored.split('|');
        let height =
            parts.next().and_then(|style| style.rsplit(':').next()).and_then(|value| value.strip_suffix('%'));
        layout.problems = height
            .and_then(|share| share.parse::<i32>().ok())
            .map(|share| (share * 10).clamp(LEAST, 1000 - LEAST));
        for pane in parts.next().unwrap_or_default().split(' ').filter_map(Pane::named) {
            layout.set_closed(pane, true);
        }
        let shares: Vec<i32> =
            parts.next().unwrap_or_default().split(' ').filter_map(|word| word.parse().ok()).collect();
        if let Ok(shares) = <[i32; 3]>::try_from(shares)
            && shares.iter().sum::<i32>() == 1000
            && shares.iter().all(|share| (1..1000).contains(share))
        {
            layout.shares = shares;
        }
        if layout.columns().iter().all(|open| !open) { Layout::default() } else { layout }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(events: &[Event]) -> Layout {
        let mut state = State::default();
        for event in events {
            update(&mut state, *event);
        }
        state.layout
    }

    #[test]
    fn splitters_change_only_their_neighbors() {
        assert_eq!(after(&[Event::Split(0, 400)]).shares, [400, 280, 320]);
        assert_eq!(after(&[Event::Split(1, 400)]).shares, [260, 140, 600]);
        assert_eq!(after(&[Event::Split(0, -50)]).shares, [80, 600, 320], "nothing vanishes");
        assert_eq!(after(&[Event::Split(0, 400), Event::By(0, 20)]).place(0), 420);
        assert_eq!(after(&[Event::Split(0, 400), Event::Reset(0)]), Layout::default());
        assert_eq!(after(&[Event::Split(2, 600)]).style()[3], ("--p", "40%".to_owned()));
    }

    #[test]
    fn a_closed_column_gives_its_width_to_the_others() {
        let layout = after(&[Event::Close(Pane::Graph)]);
        assert_eq!(layout.style().map(|(_, value)| value), ["260fr", "0fr", "320fr", "auto"]);
        assert_eq!((layout.has(0), layout.has(1)), (true, false));
        assert_eq!(after(&[Event::Close(Pane::Graph), Event::Split(0, 500)]).shares, [290, 420, 290]);
        let layout = after(&[Event::Close(Pane::Input)]);
        assert!(layout.style()[0].1 == "260fr" && !layout.has(2), "problems are still there");
    }

    #[test]
    fn one_pane_is_always_there() {
        let events: Vec<Event> = Pane::ALL.into_iter().map(Event::Close).collect();
        let layout = after(&events);
        assert_eq!(layout.closed(), "input graph output");
        assert_eq!(after(&[Event::Whole(Pane::Graph), Event::Whole(Pane::Graph)]).whole, None);
        assert_eq!(after(&[Event::Close(Pane::Graph), Event::Whole(Pane::Graph)]).closed(), "");
    }

    #[test]
    fn a_stored_layout_is_restored_and_a_malformed_one_is_not() {
        let layout = after(&[Event::Split(0, 333), Event::Split(2, 700), Event::Close(Pane::Output)]);
        assert_eq!(Layout::read(&layout.stored()), layout);
        for nonsense in ["", "|input graph output problems|", "--p:900%||1 2 3", "x"] {
            assert!(Layout::read(nonsense).shares == SHARES, "{nonsense}");
        }
    }
}
