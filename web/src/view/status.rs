//! The status line: state of the compiler, a notice, the size of the module.

use web_sys::{Event, HtmlElement};

use crate::dom::{by_id, joined, listen as on, window};
use crate::state::{Action, Dirty, Engine, Msg, Notice, SaveFormat, SlangEvent, State, Took, keep};
use crate::store;
use crate::view::output;

/// The elements of the line.
pub(crate) struct Status {
    status: HtmlElement,
    notice: HtmlElement,
    action: HtmlElement,
    also: HtmlElement,
    counts: HtmlElement,
}

impl Status {
    /// Finds the elements.
    pub(crate) fn find() -> Status {
        Status {
            status: by_id("status"),
            notice: by_id("notice"),
            action: by_id("action"),
            also: by_id("also"),
            counts: by_id("counts"),
        }
    }

    /// Shows the line.
    pub(crate) fn draw(&mut self, state: &State, dirty: Dirty) {
        if !dirty.intersects(Dirty::STATUS) {
            return;
        }
        set(&self.status, &engine(state));
        // For tests and tools: «Ready» is also shown while an answer is on its way.
        let _ = self.status.class_list().toggle_with_force("pending", state.is_pending());
        let notice = notice(state);
        set(&self.notice, notice.as_ref().map_or("", |notice| &notice.text));
        let _ = self
            .notice
            .class_list()
            .toggle_with_force("bad", notice.as_ref().is_some_and(|notice| notice.bad));
        let label = notice.and_then(|notice| notice.action).map(label);
        set(&self.action, label.unwrap_or_default());
        self.action.set_hidden(label.is_none());
        self.also.set_hidden(label != Some("Copy report"));
        set(&self.counts, &counts(state));
    }
}

/// Changes a text only if it differs, so that nothing is announced twice.
fn set(element: &HtmlElement, text: &str) {
    if element.text_content().as_deref() != Some(text) {
        element.set_text_content(Some(text));
    }
}

fn engine(state: &State) -> String {
    let words = match state.engine {
        Engine::Starting => "Loading the compiler…",
        Engine::Recovering(_) => "Restarting the compiler…",
        Engine::Idle | Engine::Busy { slow: false, .. } => "Ready",
        Engine::Busy { slow: true, .. } => match &state.progress {
            Some((done, pass)) => return format!("Still working: step {}, {pass}…", done + 1),
            None => "Still working…",
        },
        Engine::Down => "No compiler",
    };
    words.to_owned()
}

/// The notice; a long compilation has a separate one.
fn notice(state: &State) -> Option<Notice> {
    match state.engine {
        Engine::Busy { slow: true, .. } => {
            Some(Notice { text: String::new(), action: Some(Action::Stop), bad: false })
        }
        Engine::Starting | Engine::Recovering(_) | Engine::Idle | Engine::Busy { .. } | Engine::Down => {
            state.notice.clone()
        }
    }
}

fn label(action: Action) -> &'static str {
    match action {
        Action::Undo | Action::Reopen => "Undo",
        Action::LoadSlang => "Load Slang",
        Action::Stop => "Stop",
        Action::Retry => "Try again",
        Action::CopyReport => "Copy report",
        Action::Reload => "Reload",
    }
}

/// `2 functions · 7 blocks · 41 instructions · 0.4 ms`; of a source that was translated, with the time of its front end and of the
/// whole answer: `… · glslang 31 ms · 84 ms`.
fn counts(state: &State) -> String {
    if !state.shown.any {
        return String::new();
    }
    let names = ["function", "block", "instruction"];
    let parts = state.shown.counts.iter().zip(names).map(|(count, name)| match count {
        1 => format!("1 {name}"),
        count => format!("{count} {name}s"),
    });
    let Took { front_tenths, whole_tenths } = state.shown.took;
    let times = match front_tenths {
        Some(tenths) => vec![format!("{} {}", state.front_end(), duration(tenths)), duration(whole_tenths)],
        None => vec![duration(state.shown.tenths_ms)],
    };
    joined(&parts.chain(times).collect::<Vec<_>>(), " · ")
}

/// A time in tenths of a millisecond; those of more than ten are rounded.
fn duration(tenths: u32) -> String {
    match tenths {
        0 => "under 0.1 ms".to_owned(),
        1..=99 => format!("{}.{} ms", tenths / 10, tenths % 10),
        100.. => format!("{} ms", tenths.saturating_add(5) / 10),
    }
}

/// Listens to the buttons of the notice, and for a newer version.
pub(crate) fn listen() {
    on(&by_id::<HtmlElement>("also"), "click", |_: Event| store::send(Msg::Save(SaveFormat::Repro)));
    on(&window(), "vitrine-newer", |_: Event| store::send(Msg::Newer));
    on(&by_id::<HtmlElement>("action"), "click", |_: Event| {
        match store::with_state(notice).flatten().and_then(|notice| notice.action) {
            Some(Action::Undo) => store::send(Msg::Undo),
            Some(Action::Reopen) => store::send(keep::Event::Reopen.into()),
            Some(Action::LoadSlang) => store::send(SlangEvent::Load.into()),
            Some(Action::Stop) => store::send(Msg::Stop),
            Some(Action::Retry) => store::send(Msg::Retry),
            // `www/boot.js` activates the newer version.
            Some(Action::Reload) => {
                let _ = window().dispatch_event(&Event::new("vitrine-reload").expect("a plain name"));
            }
            Some(Action::CopyReport) => {
                let report = store::with_state(report).unwrap_or_default();
                output::copy(&report, "Report copied.");
            }
            None => {}
        }
    });
}

/// The text of a bug report.
fn report(state: &State) -> String {
    let message = state.notice.as_ref().map_or("", |notice| &notice.text);
    format!("Vitrine {}\n{message}\n\nInput:\n{}", env!("CARGO_PKG_VERSION"), state.input.text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::Shown;

    #[test]
    fn counts_are_words() {
        let shown = Shown { counts: [1, 2, 0], tenths_ms: 4, any: true, ..Shown::default() };
        let mut state = State { shown, ..State::default() };
        assert_eq!(counts(&state), "1 function · 2 blocks · 0 instructions · 0.4 ms");
        state.shown.tenths_ms = 0;
        assert!(counts(&state).ends_with("under 0.1 ms"));
        state.shown.took = Took { front_tenths: Some(312), whole_tenths: 845 };
        assert!(counts(&state).ends_with(" · naga 31 ms · 85 ms"), "{}", counts(&state));
    }

    #[test]
    fn a_long_compilation_can_be_stopped_and_hides_an_old_notice() {
        let earlier = Notice { text: "Opened a.ir.".to_owned(), action: None, bad: false };
        let mut state = State { notice: Some(earlier.clone()), ..State::default() };
        assert_eq!(notice(&state), Some(earlier));
        state.engine = Engine::Busy { revision: 1, slow: true };
        assert_eq!(notice(&state).and_then(|notice| notice.action), Some(Action::Stop));
    }

    #[test]
    fn a_report_holds_the_input() {
        let state = State::default();
        assert!(report(&state).starts_with(&format!("Vitrine {}", env!("CARGO_PKG_VERSION"))));
    }
}
