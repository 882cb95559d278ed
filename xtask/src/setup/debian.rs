//! Packages of Debian and its children, for root.
//!
//! Never asks for a password and never touches another system: then it says what to install by hand.

use std::path::Path;

use crate::place::{Place, on_path};
use crate::run::Run;
use crate::say::{self, Outcome, Trouble};

/// Installs packages, or says how to.
pub fn install(place: &Place, packages: &[&str], purpose: &str) -> Outcome {
    let step = format!("installing {} ({purpose})", packages.join(", "));
    let by_hand = format!("run `apt-get update && apt-get install -y {}` as root", packages.join(" "));
    if !Path::new("/etc/debian_version").exists() || on_path(&["apt-get"]).is_none() {
        let why = "this is not a Debian system, so xtask does not know its packages";
        return Err(Trouble::new(step)
            .why(why)
            .fix(format!("install {purpose} with your system's package manager")));
    }
    if Run::new("asking who we are", "id", &place.root).args(["-u"]).captured()?.trim() != "0" {
        return Err(Trouble::new(step).why("only root can install packages").fix(by_hand));
    }
    say::step(&step);
    let apt = |args: &[&str]| {
        Run::new(&step, "apt-get", &place.root)
            .args(["-qq", "-o=Dpkg::Use-Pty=0"])
            .args(args)
            .env("DEBIAN_FRONTEND", "noninteractive")
            .fix(&by_hand)
            .captured()
    };
    apt(&["update"])?;
    apt(&[&["install", "-y", "--no-install-recommends"], packages].concat())?;
    Ok(())
}
