//! Rebuilds the site after a source changes, and keeps serving the last build if that fails.
//!
//! `notify` reports the changes. The page is not reloaded automatically.

use std::fs;
use std::sync::mpsc::{self, Receiver};
use std::thread;
use std::time::Duration;

use notify::{Event, RecommendedWatcher, RecursiveMode, Watcher};

use crate::report::{self, Error, Result};
use crate::site::{self, Effort};
use crate::workspace::Workspace;

/// Changes within this time count as one, since an editor may save several files.
const DEBOUNCE: Duration = Duration::from_millis(200);
/// Folders of the page, and the file of the dependencies. The crates of the compiler are found.
const SOURCES: [&str; 7] =
    ["core/src", "wasm/src", "wasm/sources/src", "web/src", "web/editor/src", "www", "Cargo.lock"];

/// A running watcher and its changes.
pub struct Changes {
    /// Stops watching when it is dropped.
    _watcher: RecommendedWatcher,
    events: Receiver<notify::Result<Event>>,
}

/// Starts to watch the sources.
pub fn start(workspace: &Workspace) -> Result<Changes> {
    let fix = "run `cargo xtask serve --release`, which does not watch the sources";
    let error = |error| Error::new("watching the sources").reason(error).fix(fix);
    let (sender, events) = mpsc::channel();
    let mut watcher = notify::recommended_watcher(sender).map_err(error)?;
    let crates = fs::read_dir(workspace.root.join("core")).into_iter().flatten().flatten();
    let crates = crates.map(|folder| folder.path().join("src")).filter(|sources| sources.is_dir());
    let named = SOURCES.iter().map(|source| workspace.root.join(source)).filter(|source| source.exists());
    for source in named.chain(crates) {
        watcher.watch(&source, RecursiveMode::Recursive).map_err(error)?;
    }
    Ok(Changes { _watcher: watcher, events })
}

impl Changes {
    /// Builds after every change, forever.
    pub fn rebuild(&self, workspace: &Workspace) {
        while let Ok(event) = self.events.recv() {
            match event {
                Err(error) => report::step(format!("watching the sources: {error}")),
                // The build itself opens the sources to read them.
                Ok(event) if event.kind.is_access() => {}
                Ok(_) => {
                    thread::sleep(DEBOUNCE);
                    while self.events.try_recv().is_ok() {}
                    match site::build(workspace, Effort::Development) {
                        Ok(()) => report::step("rebuilt; reload the page"),
                        Err(error) => error.print(),
                    }
                }
            }
        }
    }
}
