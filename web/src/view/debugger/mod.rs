//! The debugger: *Check each pass* on the timeline, and the pane of runs.

mod check; // marks of the steps, and results
mod run; // a version, executed and stepped through
mod table; // memory and invocations, row by row

use web_sys::KeyboardEvent;

use crate::dom::{document, listen as on};
use crate::state::debugger::Event;
use crate::state::{Dirty, State};
use crate::store;
use crate::view::frame::in_control;

/// The elements of the debugger.
pub(crate) struct Debugger {
    check: check::Check,
    run: run::RunPane,
}

impl Debugger {
    /// Finds the elements.
    pub(crate) fn find() -> Debugger {
        Debugger { check: check::Check::find(), run: run::RunPane::find() }
    }

    /// Draws the dirty parts.
    pub(crate) fn draw(&mut self, state: &State, dirty: Dirty) {
        if dirty.intersects(Dirty::DEBUGGER | Dirty::TIMELINE) {
            self.check.draw(state);
        }
        if dirty.intersects(Dirty::DEBUGGER | Dirty::STEP) {
            self.run.draw(state, dirty);
        }
    }
}

/// Listens to its buttons and keys.
pub(crate) fn listen() {
    check::listen();
    run::listen();
    on(&document(), "keydown", |event: KeyboardEvent| {
        if event.ctrl_key() || event.meta_key() || event.alt_key() || in_control(&event) {
            return;
        }
        match event.key().as_str() {
            "v" => store::send(Event::Check.into()),
            key if run::key(key) => {}
            _ => return,
        }
        event.prevent_default();
    });
}
