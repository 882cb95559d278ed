//! `cargo xtask bench [NAME]`: the benchmarks of the compiler on the host, and layouts of other projects on the same
//! graphs.
//!
//! Prints medians and checks no limits.

use std::ffi::OsStr;
use std::fs;
use std::path::Path;

use crate::command::Command;
use crate::report::{self, Error, Result};
use crate::setup::{debian, node};
use crate::workspace::{Workspace, on_path};

/// Runs the benchmarks of `core`: all, those of one file, or those whose names contain a word.
pub fn run(workspace: &Workspace, args: &[String]) -> Result {
    let step = "measuring the compiler";
    let benches = benches(workspace);
    if benches.is_empty() {
        return Err(Error::new(step)
            .reason("core/bench/benches has no benchmark")
            .fix("add one, with its entry in core/Cargo.toml"));
    }
    // A first word that is not the name of a file filters all of them.
    let (names, filters) = match args.split_first() {
        Some((first, rest)) if benches.contains(first) => (vec![first.clone()], rest),
        _ => (benches, args),
    };
    if names == ["oracle"] {
        driver(workspace);
    }
    report::step(format!("{step}: {}", names.join(", ")));
    let targets = names.iter().flat_map(|name| ["--bench", name.as_str()]);
    Command::new(step, &workspace.cargo, &workspace.root)
        .args(["bench", "--package", "vitrine-bench"])
        .args(targets)
        .trailing_args(filters)
        .fix("read the message above; `cargo xtask bench NAME` runs one file of core/bench/benches")
        .run()?;
    // A filter selects benchmarks of this project.
    if names == ["layout"] && filters.is_empty() { peers(workspace) } else { Ok(()) }
}

/// Installs a Vulkan driver that runs on the CPU; without one, the comparison is skipped with a message.
fn driver(workspace: &Workspace) {
    let installed = |name: &str| Path::new("/usr/share/vulkan/icd.d").join(name).exists();
    if ["lvp_icd.x86_64.json", "lvp_icd.aarch64.json", "lvp_icd.json"].into_iter().any(installed) {
        return;
    }
    if let Err(error) = debian::install(workspace, &["mesa-vulkan-drivers", "libvulkan1"], "a Vulkan driver")
    {
        report::step(format!("no Vulkan driver: {}", error.summary()));
    }
}

/// Lays out the same graphs with the libraries of `core/bench/peers`; prints the reason if that is not possible.
fn peers(workspace: &Workspace) -> Result {
    let step = "measuring layouts of other projects on the same graphs";
    let (Some(node), Some(_)) = (on_path(&["node"]), on_path(&["npm"])) else {
        report::step(format!("skipped {step}: npm is not installed"));
        return Ok(());
    };
    let folder = workspace.root.join("core/bench/peers");
    let installed = node::packages(&folder, "the layouts of other projects");
    if let Err(error) = installed {
        report::step(format!("not {step}: {}", error.summary()));
        return Ok(());
    }
    let graphs = workspace.target.join("layout-graphs.jsonl");
    report::step("writing the graphs, with the times of this project");
    Command::new(step, &workspace.cargo, &workspace.root)
        .args(["bench", "--package", "vitrine-bench", "--bench", "layout"])
        .env("VITRINE_GRAPHS", &graphs)
        .fix("run `cargo xtask bench layout` again and read the message above")
        .run()?;
    report::step(step);
    Command::new(step, node, &folder)
        .args([OsStr::new("run.mjs"), graphs.as_os_str()])
        .fix("run `npm ci` in core/bench/peers and read its messages")
        .run()
}

/// Names of the benchmark files, in order.
fn benches(workspace: &Workspace) -> Vec<String> {
    let entries = fs::read_dir(workspace.root.join("core/bench/benches")).into_iter().flatten().flatten();
    let files =
        entries.map(|entry| entry.path()).filter(|path| path.extension().is_some_and(|kind| kind == "rs"));
    let mut names: Vec<String> =
        files.filter_map(|path| path.file_stem().map(|stem| stem.to_string_lossy().into_owned())).collect();
    names.sort();
    names
}
