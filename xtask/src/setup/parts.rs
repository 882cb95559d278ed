//! rustfmt and clippy, which a minimal toolchain lacks.
//!
//! Looked for beside the cargo in use: a version from elsewhere would format and lint by other rules.

use std::env::consts::EXE_SUFFIX;

use crate::place::{Place, on_path};
use crate::run::Run;
use crate::say::{self, Outcome, Trouble};
use crate::setup::debian;

/// A tool that cargo calls: its program, its component in rustup, its package in Debian.
struct Part {
    program: &'static str,
    component: &'static str,
    package: &'static str,
}

/// Makes `cargo fmt` work.
pub fn rustfmt(place: &Place) -> Outcome {
    ensure(place, &Part { program: "rustfmt", component: "rustfmt", package: "rustfmt-web" })
}

/// Makes `cargo clippy` work.
pub fn clippy(place: &Place) -> Outcome {
    ensure(place, &Part { program: "clippy-driver", component: "clippy", package: "rust-web-clippy" })
}

fn ensure(place: &Place, part: &Part) -> Outcome {
    if there(place, part) {
        return Ok(());
    }
    let step = format!("adding {} to the toolchain", part.component);
    let by_hand = format!("run `rustup component add {}`", part.component);
    if on_path(&["rustup"]).is_some() {
        say::step(&step);
        Run::new(&step, "rustup", &place.root)
            .args(["component", "add", part.component])
            .fix(&by_hand)
            .captured()?;
    } else {
        debian::install(place, &[part.package], part.component)?;
    }
    if there(place, part) {
        return Ok(());
    }
    Err(Trouble::new(step)
        .why(format!("{} is still not beside {}", part.program, place.cargo.display()))
        .fix(by_hand))
}

fn there(place: &Place, part: &Part) -> bool {
    let bare = place.cargo.parent().is_none_or(|folder| folder.as_os_str().is_empty());
    match bare {
        true => on_path(&[part.program]).is_some(),
        false => place.cargo.with_file_name(format!("{}{EXE_SUFFIX}", part.program)).is_file(),
    }
}
