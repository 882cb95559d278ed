//! `bench` and `bless`: the commands that are about the compiler alone, and beside the layouts of others.
//!
//! Neither judges: `bench` prints what divan measured, `bless` shows what the accepted output changed.

use std::ffi::OsStr;
use std::fs;
use std::path::Path;

use crate::place::{Place, on_path};
use crate::run::Run;
use crate::say::{self, Outcome, Trouble};
use crate::setup::{debian, node};

/// Runs the benchmarks of `core`: all, those of one file, or those whose names hold a word.
pub fn bench(place: &Place, args: &[String]) -> Outcome {
    let step = "measuring the compiler";
    let benches = benches(place);
    if benches.is_empty() {
        return Err(Trouble::new(step)
            .why("core/bench/benches holds no benchmark")
            .fix("add one, with its row in core/bench/Cargo.toml"));
    }
    // A first word that is no file's name is a filter over all of them.
    let (names, filters) = match args.split_first() {
        Some((first, rest)) if benches.contains(first) => (vec![first.clone()], rest),
        _ => (benches, args),
    };
    if names == ["oracle"] {
        driver(place);
    }
    say::step(format!("{step}: {}", names.join(", ")));
    let targets = names.iter().flat_map(|name| ["--bench", name.as_str()]);
    Run::new(step, &place.cargo, &place.root)
        .args(["bench", "--package", "vitrine-bench"])
        .args(targets)
        .arg_rest(filters)
        .fix("read the message above; `cargo xtask bench NAME` runs one file of core/bench/benches")
        .streamed()?;
    // A filter asks for some figures of our own.
    if names == ["layout"] && filters.is_empty() { peers(place) } else { Ok(()) }
}

/// Sees to a Vulkan driver that runs on the processor; without one the comparison skips itself, and says so.
fn driver(place: &Place) {
    let installed = |name: &str| Path::new("/usr/share/vulkan/icd.d").join(name).exists();
    if ["lvp_icd.x86_64.json", "lvp_icd.aarch64.json", "lvp_icd.json"].into_iter().any(installed) {
        return;
    }
    if let Err(trouble) = debian::install(place, &["mesa-vulkan-drivers", "libvulkan1"], "a Vulkan driver") {
        say::step(format!("no Vulkan driver: {}", trouble.reason()));
    }
}

/// Draws the same graphs with the layouts of `core/bench/peers`; says so where that cannot be.
fn peers(place: &Place) -> Outcome {
    let step = "measuring layouts by other hands on the same graphs";
    let (Some(node), Some(_)) = (on_path(&["node"]), on_path(&["npm"])) else {
        say::step(format!("not {step}: there is no npm"));
        return Ok(());
    };
    let folder = place.root.join("core/bench/peers");
    let installed = node::packages(&folder, "the layouts by other hands");
    if let Err(trouble) = installed {
        say::step(format!("not {step}: {}", trouble.reason()));
        return Ok(());
    }
    let graphs = place.target.join("layout-graphs.jsonl");
    say::step("writing the graphs, with our own times");
    Run::new(step, &place.cargo, &place.root)
        .args(["bench", "--package", "vitrine-bench", "--bench", "layout"])
        .env("VITRINE_GRAPHS", &graphs)
        .fix("run `cargo xtask bench layout` again and read the message above")
        .streamed()?;
    say::step(step);
    Run::new(step, node, &folder)
        .args([OsStr::new("run.mjs"), graphs.as_os_str()])
        .fix("run `npm ci` in core/bench/peers and read what it says")
        .streamed()
}

/// Names of the benchmark files, in order.
fn benches(place: &Place) -> Vec<String> {
    let entries = fs::read_dir(place.root.join("core/bench/benches")).into_iter().flatten().flatten();
    let files =
        entries.map(|entry| entry.path()).filter(|path| path.extension().is_some_and(|kind| kind == "rs"));
    let mut names: Vec<String> =
        files.filter_map(|path| path.file_stem().map(|stem| stem.to_string_lossy().into_owned())).collect();
    names.sort();
    names
}

/// Accepts the output of the filetests and shows which files that changed.
pub fn bless(place: &Place) -> Outcome {
    let step = "accepting the output of the filetests";
    say::step(step);
    Run::new(step, &place.cargo, &place.root)
        .args(["test", "--package", "vitrine-core", "--all-features", "--test", "it", "filetests::"])
        .env("BLESS", "1")
        .fix("read the message above: a filetest that does not even run cannot be accepted")
        .streamed()?;
    say::step("what changed, for you to look at before you commit");
    Run::new("showing what changed", "git", &place.root)
        .args(["diff", "--stat"])
        .fix("run `git diff --stat`")
        .streamed()
}
