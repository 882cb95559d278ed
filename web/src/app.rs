//! Starts the page and connects its parts: a message changes the state, views draw it, commands are carried out.

use std::cell::RefCell;

use crate::dispatch::dispatch;
use crate::dom::document;
use crate::state::{Command, Dirty, Msg, State};
use crate::view::Views;
use crate::worker::{Workers, sources};
use crate::{save, store};

/// The views and workers of the page.
struct App {
    views: Views,
    workers: Workers,
}

thread_local! {
    static APP: RefCell<Option<App>> = const { RefCell::new(None) };
}

/// Finds the page's elements, draws them, loads the compiler.
pub(crate) fn start() {
    let app = App { views: Views::find(), workers: Workers::start() };
    APP.with_borrow_mut(|slot| *slot = Some(app));
    store::listen(changed);
    store::redraw(Dirty::whole_page());
    sources::find_slang();
    if let Some(places) = prerendered() {
        store::send(Msg::Prerendered(places));
    }
    Views::listen();
}

fn changed(state: &State, dirty: Dirty, commands: Vec<Command>) {
    APP.with_borrow_mut(|slot| {
        let Some(app) = slot else { return };
        app.views.draw(state, dirty);
        dispatch(&mut app.workers, state, commands);
    });
}

/// The extent of the prerendered graph and its entry block, unless the page was opened with a link.
fn prerendered() -> Option<[[i32; 4]; 2]> {
    let places = document().get_element_by_id("scene")?.get_attribute("data-extent")?;
    let places: Vec<i32> = places.split(' ').filter_map(|word| word.parse().ok()).collect();
    let (extent, entry) = save::linked().is_none().then_some(&places)?.split_at_checked(4)?;
    Some([extent.try_into().ok()?, entry.try_into().ok()?])
}
