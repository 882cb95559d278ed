//! Packages of Debian and systems made from it, installed by root.
//!
//! Never prompts for a password and never changes another system: the error names the packages to install by hand.

use std::path::Path;

use crate::command::Command;
use crate::report::{self, Error, Result};
use crate::workspace::{Workspace, on_path};

/// Installs packages; the error describes how to install them by hand.
pub fn install(workspace: &Workspace, packages: &[&str], purpose: &str) -> Result {
    let step = format!("installing {} ({purpose})", packages.join(", "));
    let by_hand = format!("run `apt-get update && apt-get install -y {}` as root", packages.join(" "));
    if !Path::new("/etc/debian_version").exists() || on_path(&["apt-get"]).is_none() {
        let why = "this is not a Debian system, so its package names are unknown";
        return Err(Error::new(step)
            .reason(why)
            .fix(format!("install {purpose} with your system's package manager")));
    }
    if Command::new("reading the user id", "id", &workspace.root).args(["-u"]).capture()?.trim() != "0" {
        return Err(Error::new(step).reason("only root can install packages").fix(by_hand));
    }
    report::step(&step);
    let apt = |args: &[&str]| {
        Command::new(&step, "apt-get", &workspace.root)
            .args(["-qq", "-o=Dpkg::Use-Pty=0"])
            .args(args)
            .env("DEBIAN_FRONTEND", "noninteractive")
            .fix(&by_hand)
            .capture()
    };
    apt(&["update"])?;
    apt(&[&["install", "-y", "--no-install-recommends"], packages].concat())?;
    Ok(())
}
