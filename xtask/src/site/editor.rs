//! The text editor: CodeMirror and what `web/editor` adds to it, as one module for the page.
//!
//! Versions stand in the folder's `package.json` and lockfile; the bundler is one of the packages. The page
//! works without the module, so a visitor waits for it only when there is something to edit.

use crate::place::Place;
use crate::run::Run;
use crate::say::{self, Outcome};
use crate::setup::node;
use crate::site::{Effort, modules};

/// Writes `editor.js` beside the wasm modules.
pub fn bundle(place: &Place, effort: Effort) -> Outcome {
    let folder = place.editor();
    let node = node::with_packages(place, &folder, "the editor")?;
    let step = "bundling the editor";
    say::step(step);
    let out = format!("--outfile={}", modules::folder(place).join("editor.js").display());
    let how: &[&str] = match effort {
        Effort::Full => &["--minify"],
        Effort::Quick => &[],
    };
    Run::new(step, node, &folder)
        .args(["node_modules/esbuild/bin/esbuild", "src/main.js", "--bundle", "--format=esm"])
        .args(["--target=es2022", "--legal-comments=none", "--external:./page.js", "--log-level=warning"])
        .args(how)
        .args([out])
        .without("LD_LIBRARY_PATH")
        .fix("read the message above; it names the place in web/editor/src")
        .streamed()
}
