//! The loop: a message changes the state, the views redraw what became dirty, the worker gets its orders.
//!
//! Messages that arrive while one is being handled wait for their turn, so a view may cause one.

use std::cell::RefCell;
use std::collections::VecDeque;

use crate::dom::document;
use crate::state::{self, Dirty, Msg, State};
use crate::view::Views;
use crate::worker::Client;

/// The page, while it is open.
struct App {
    state: State,
    views: Views,
    client: Client,
}

thread_local! {
    static APP: RefCell<Option<App>> = const { RefCell::new(None) };
    static QUEUE: RefCell<VecDeque<Msg>> = const { RefCell::new(VecDeque::new()) };
}

/// Finds the page's elements, draws them, loads the compiler.
pub(crate) fn start() {
    let mut app = App { state: State::default(), views: Views::find(), client: Client::start() };
    app.views.draw(&app.state, Dirty::whole_page());
    APP.with_borrow_mut(|slot| *slot = Some(app));
    if let Some(extent) = still() {
        send(Msg::Still(extent));
    }
    Views::listen();
}

/// The extent of the picture that the page came with, unless it was opened with a link to something else.
fn still() -> Option<[i32; 4]> {
    let extent = document().get_element_by_id("scene")?.get_attribute("data-extent")?;
    let extent: Vec<i32> = extent.split(' ').filter_map(|word| word.parse().ok()).collect();
    crate::save::linked().is_none().then_some(extent)?.try_into().ok()
}

/// Handles a message, and all that it causes.
pub(crate) fn send(msg: Msg) {
    QUEUE.with_borrow_mut(|queue| queue.push_back(msg));
    APP.with(|slot| {
        // Busy with an earlier message: that one's loop will come to ours.
        let Ok(mut slot) = slot.try_borrow_mut() else { return };
        let Some(app) = slot.as_mut() else { return };
        while let Some(msg) = QUEUE.with_borrow_mut(VecDeque::pop_front) {
            let dirty = state::update(&mut app.state, msg);
            app.views.draw(&app.state, dirty);
            app.client.obey(&app.state, dirty);
        }
    });
}

/// Looks at the state: for the few actions that need more of it than their message says.
pub(crate) fn with_state<T>(look: impl FnOnce(&State) -> T) -> Option<T> {
    APP.with(|slot| slot.try_borrow().ok()?.as_ref().map(|app| look(&app.state)))
}

/// Draws again after a scroll or another size of the window: the state is as it was.
pub(crate) fn redraw(dirty: Dirty) {
    APP.with(|slot| {
        if let Ok(mut slot) = slot.try_borrow_mut()
            && let Some(app) = slot.as_mut()
        {
            app.views.draw(&app.state, dirty);
        }
    });
}
