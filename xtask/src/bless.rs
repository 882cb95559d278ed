//! `cargo xtask bless`: accepts the output of the filetests, the language reference and the gallery, and shows the files that changed.
//!
//! Accepted changes must be reviewed before they are committed.

use crate::command::Command;
use crate::report::{self, Result};
use crate::workspace::Workspace;

/// Accepts the output of these tests and shows the files that changed.
pub fn bless(workspace: &Workspace) -> Result {
    let step = "accepting the output of the filetests, the language reference and the gallery";
    report::step(step);
    let of_core = ["--test", "it", "--", "language::", "addresses_of_entries::", "gallery::"];
    for (package, tests) in [("vitrine-filetests", &["--test", "all"][..]), ("vitrine-core", &of_core)] {
        Command::new(step, &workspace.cargo, &workspace.root)
            .args(["test", "--all-features", "--package", package])
            .args(tests)
            .env("BLESS", "1")
            .fix("read the message above: the output of a filetest that does not run cannot be accepted")
            .run()?;
    }
    report::step("the changed files; review the changes before you commit");
    Command::new("showing the changed files", "git", &workspace.root)
        .args(["diff", "--stat"])
        .fix("run `git diff --stat`")
        .run()
}
