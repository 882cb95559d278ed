//! The text editor: CodeMirror and the extensions of `web/editor`, as one module for the page.
//!
//! The folder's `package.json` and lockfile hold the versions; the bundler is one of the packages. The page
//! works without the module, which is loaded when the editor is first needed.

use crate::command::Command;
use crate::report::{self, Result};
use crate::setup::node;
use crate::site::{Effort, modules};
use crate::workspace::Workspace;

/// Writes `editor.js` next to the wasm modules.
pub fn bundle(workspace: &Workspace, effort: Effort) -> Result {
    let folder = workspace.editor();
    let node = node::with_packages(workspace, &folder, "the editor")?;
    let step = "bundling the editor";
    report::step(step);
    let out = format!("--outfile={}", modules::folder(workspace).join("editor.js").display());
    let options: &[&str] = match effort {
        Effort::Release => &["--minify"],
        Effort::Development => &[],
    };
    Command::new(step, node, &folder)
        .args(["node_modules/esbuild/bin/esbuild", "src/main.js", "--bundle", "--format=esm"])
        .args(["--target=es2022", "--legal-comments=none", "--external:./page.js", "--log-level=warning"])
        .args(options)
        .args([out])
        .env_remove("LD_LIBRARY_PATH")
        .fix("read the message above; it names the line in web/editor/src")
        .run()
}
