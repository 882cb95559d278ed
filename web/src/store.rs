//! The one state of the page, and the queue of messages that change it.
//!
//! Views and workers send messages and read the state here; they do not know `app`, which listens: it draws and carries out
//! commands. Messages that are sent during the handling of another one are queued, so a view may send one.

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;

use crate::state::{self, Command, Dirty, Msg, State};

/// Draws, and carries out commands.
type Listener = fn(&State, Dirty, Vec<Command>);

thread_local! {
    static STATE: RefCell<State> = RefCell::default();
    static QUEUE: RefCell<VecDeque<Msg>> = const { RefCell::new(VecDeque::new()) };
    static LISTENER: Cell<Option<Listener>> = const { Cell::new(None) };
    static IS_BUSY: Cell<bool> = const { Cell::new(false) };
}

/// Sets the listener.
pub(crate) fn listen(listener: Listener) {
    LISTENER.set(Some(listener));
}

/// Handles a message, and all messages that it causes.
pub(crate) fn send(msg: Msg) {
    QUEUE.with_borrow_mut(|queue| queue.push_back(msg));
    run(|listener| {
        while let Some(msg) = QUEUE.with_borrow_mut(VecDeque::pop_front) {
            let (dirty, commands) = STATE.with_borrow_mut(|state| state::update(state, msg));
            STATE.with_borrow(|state| listener(state, dirty, commands));
        }
    });
}

/// Redraws after a scroll or a resize of the window: the state is unchanged.
pub(crate) fn redraw(dirty: Dirty) {
    run(|listener| STATE.with_borrow(|state| listener(state, dirty, Vec::new())));
}

/// Reads the state: for the few events whose message depends on it. None while a message changes it.
pub(crate) fn with_state<T>(read: impl FnOnce(&State) -> T) -> Option<T> {
    STATE.with(|state| state.try_borrow().ok().map(|state| read(&state)))
}

/// Does nothing during the handling of an earlier message: its loop handles later ones.
fn run(act: impl FnOnce(Listener)) {
    let Some(listener) = LISTENER.get().filter(|_| !IS_BUSY.replace(true)) else { return };
    act(listener);
    IS_BUSY.set(false);
}
