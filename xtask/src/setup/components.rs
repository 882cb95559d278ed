//! rustfmt and clippy, which a minimal toolchain lacks.
//!
//! They are searched for in the folder of the cargo in use: another version would format and lint by other rules.

use std::env::consts::EXE_SUFFIX;

use crate::command::Command;
use crate::report::{self, Error, Result};
use crate::setup::debian;
use crate::workspace::{Workspace, on_path};

/// A tool that cargo runs: its program, its component in rustup, its package in Debian.
struct Component {
    program: &'static str,
    name: &'static str,
    package: &'static str,
}

/// Ensures that `cargo fmt` works.
pub fn rustfmt(workspace: &Workspace) -> Result {
    ensure(workspace, &Component { program: "rustfmt", name: "rustfmt", package: "rustfmt-web" })
}

/// Ensures that `cargo clippy` works.
pub fn clippy(workspace: &Workspace) -> Result {
    ensure(workspace, &Component { program: "clippy-driver", name: "clippy", package: "rust-web-clippy" })
}

fn ensure(workspace: &Workspace, component: &Component) -> Result {
    if is_installed(workspace, component) {
        return Ok(());
    }
    let step = format!("adding {} to the toolchain", component.name);
    let by_hand = format!("run `rustup component add {}`", component.name);
    if on_path(&["rustup"]).is_some() {
        report::step(&step);
        Command::new(&step, "rustup", &workspace.root)
            .args(["component", "add", component.name])
            .fix(&by_hand)
            .capture()?;
    } else {
        debian::install(workspace, &[component.package], component.name)?;
    }
    if is_installed(workspace, component) {
        return Ok(());
    }
    Err(Error::new(step)
        .reason(format!("{} is not in the folder of {}", component.program, workspace.cargo.display()))
        .fix(by_hand))
}

fn is_installed(workspace: &Workspace, component: &Component) -> bool {
    let bare = workspace.cargo.parent().is_none_or(|folder| folder.as_os_str().is_empty());
    match bare {
        true => on_path(&[component.program]).is_some(),
        false => workspace.cargo.with_file_name(format!("{}{EXE_SUFFIX}", component.program)).is_file(),
    }
}
