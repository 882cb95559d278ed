//! A compiler that can build for wasm32-unknown-unknown, from the first of four sources that works.
//!
//! | source | requirements |
//! | --- | --- |
//! | `installed` | the standard library for wasm beside the compiler |
//! | `rustup` | rustup and its server: adds that library |
//! | `build-std` | the source of the library beside the compiler; building it takes about half a minute |
//! | `debian` | a Debian system and root: installs Debian's second toolchain, then as `build-std` |
//!
//! `VITRINE_WASM_SOURCE` selects one of them and no other. The host's compiler is never replaced.

use std::env;
use std::path::{Path, PathBuf};

use crate::command::Command;
use crate::report::{self, Error, Result};
use crate::setup::debian;
use crate::workspace::{Workspace, on_path};

/// The target's name.
pub const TARGET: &str = "wasm32-unknown-unknown";

const DEBIAN_PACKAGES: [&str; 4] = ["rustc-web", "cargo-web", "rust-web-src", "lld-22"];
const BY_HAND: &str = "run `rustup target add wasm32-unknown-unknown`, or on Debian as root \
                       `apt-get install rustc-web cargo-web rust-web-src lld-22`";

/// A cargo and a rustc that build for wasm, with their settings.
#[derive(Debug)]
pub struct Toolchain {
    cargo: PathBuf,
    rustc: PathBuf,
    build_std: bool,
    /// The linker, if the compiler does not include one.
    linker: Option<PathBuf>,
    /// The target folder, a separate one if the compiler is not the host's.
    pub target: PathBuf,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Source {
    Installed,
    Rustup,
    BuildStd,
    Debian,
}

/// Names and sources, in the order in which they are tried.
const SOURCES: [(&str, Source); 4] = [
    ("installed", Source::Installed),
    ("rustup", Source::Rustup),
    ("build-std", Source::BuildStd),
    ("debian", Source::Debian),
];

impl Toolchain {
    /// Finds or installs a toolchain.
    pub fn ready(workspace: &Workspace) -> Result<Toolchain> {
        let step = "preparing the wasm target";
        let forced = env::var("VITRINE_WASM_SOURCE").ok();
        let mut reasons = Vec::new();
        for (name, source) in
            SOURCES.iter().filter(|(name, _)| forced.as_deref().is_none_or(|one| one == *name))
        {
            match source.take(workspace) {
                Ok(toolchain) => return Ok(toolchain),
                Err(reason) => reasons.push(format!("{name}: {reason}")),
            }
        }
        match forced {
            Some(word) if reasons.is_empty() => Err(Error::new(step)
                .reason(format!("`{word}` is not a value of VITRINE_WASM_SOURCE"))
                .fix("set it to installed, rustup, build-std or debian, or unset it")),
            _ => Err(Error::new(step).reason(reasons.join("\n")).fix(BY_HAND)),
        }
    }

    /// A command of cargo that builds, such as `build`, of this toolchain, with the arguments after it.
    pub fn build(&self, workspace: &Workspace, step: &str, verb: &str, args: &[&str]) -> Command {
        let mut command = Command::new(step, &self.cargo, &workspace.root)
            .args([verb, "--target", TARGET])
            .args(args)
            .env("RUSTC", &self.rustc)
            .env("CARGO_TARGET_DIR", &self.target)
            // `cargo run` sets these to the host's toolchain; another toolchain must find its own.
            .env_remove("LD_LIBRARY_PATH")
            .env_remove("CARGO");
        if let Some(linker) = &self.linker {
            command = command.env("CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_LINKER", linker);
        }
        if self.build_std {
            command = command.args(["-Z", "build-std=std,panic_abort"]).env("RUSTC_BOOTSTRAP", "1");
        }
        command
    }
}

impl Source {
    /// Prepares the toolchain; the error is one line with the reason why this source does not work.
    fn take(self, workspace: &Workspace) -> Result<Toolchain, String> {
        let host = |build_std| Toolchain {
            cargo: workspace.cargo.clone(),
            rustc: workspace.rustc.clone(),
            build_std,
            linker: None,
            target: workspace.target.clone(),
        };
        match self {
            Source::Installed => has_library(workspace, &workspace.rustc)
                .then(|| host(false))
                .ok_or("the compiler has no library for it".into()),
            Source::Rustup => {
                if on_path(&["rustup"]).is_none() {
                    return Err("rustup is not installed".into());
                }
                if !has_library(workspace, &workspace.rustc) {
                    add_with_rustup(workspace)?;
                }
                has_library(workspace, &workspace.rustc).then(|| host(false)).ok_or_else(|| {
                    format!("rustup added it to a toolchain other than {}", workspace.rustc.display())
                })
            }
            Source::BuildStd => {
                let linker = build_std_linker(workspace, &workspace.rustc)?;
                Ok(Toolchain { linker, target: workspace.target.join("wasm-build-std"), ..host(true) })
            }
            Source::Debian => {
                let (cargo, rustc) = (PathBuf::from("/usr/bin/cargo"), PathBuf::from("/usr/bin/rustc"));
                if !cargo.is_file() || build_std_linker(workspace, &rustc).is_err() {
                    let installed = debian::install(workspace, &DEBIAN_PACKAGES, "a compiler for wasm");
                    installed.map_err(|error| error.summary())?;
                }
                let linker = build_std_linker(workspace, &rustc)?;
                Ok(Toolchain {
                    cargo,
                    rustc,
                    linker,
                    build_std: true,
                    target: workspace.target.join("wasm-debian"),
                })
            }
        }
    }
}

fn add_with_rustup(workspace: &Workspace) -> Result<(), String> {
    report::step(format!("adding {TARGET} with rustup"));
    // `rustup` chooses a toolchain by the current folder unless one is named.
    let toolchain =
        env::var("RUSTUP_TOOLCHAIN").map(|name| vec!["--toolchain".to_owned(), name]).unwrap_or_default();
    Command::new("adding the target", "rustup", &workspace.root)
        .args(["target", "add", TARGET])
        .args(toolchain)
        .capture()
        .map(|_| ())
        .map_err(|error| error.summary())
}

/// `true` if the compiler has a standard library for wasm.
fn has_library(workspace: &Workspace, rustc: &Path) -> bool {
    let Some(folder) = print(workspace, rustc, &["target-libdir", "--target", TARGET]) else { return false };
    let files = std::fs::read_dir(folder).into_iter().flatten().flatten();
    files.map(|file| file.file_name()).any(|name| name.to_string_lossy().starts_with("libstd-"))
}

/// Checks the requirements of building the library: its source, and a linker (`None` is the compiler's own).
fn build_std_linker(workspace: &Workspace, rustc: &Path) -> Result<Option<PathBuf>, String> {
    let sysroot =
        print(workspace, rustc, &["sysroot"]).ok_or_else(|| format!("{} does not run", rustc.display()))?;
    let rustlib = sysroot.join("lib/rustlib");
    if !rustlib.join("src/rust/library/std/Cargo.toml").is_file() {
        return Err("the compiler has no source of its library (rust-src)".into());
    }
    let hosts = std::fs::read_dir(rustlib).into_iter().flatten().flatten();
    if hosts.map(|host| host.path().join("bin/rust-lld")).any(|linker| linker.is_file()) {
        return Ok(None);
    }
    // Debian puts the version of LLVM into the name.
    let versions = (14..40).rev().map(|version| format!("wasm-ld-{version}"));
    let names: Vec<String> =
        ["rust-lld".to_owned(), "wasm-ld".to_owned()].into_iter().chain(versions).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    on_path(&names).map(Some).ok_or("no linker for wasm is installed (rust-lld or wasm-ld)".into())
}

/// A path that `rustc --print` writes.
fn print(workspace: &Workspace, rustc: &Path, request: &[&str]) -> Option<PathBuf> {
    let command = Command::new("reading the compiler's settings", rustc, &workspace.root)
        .args(["--print"])
        .args(request)
        .env_remove("LD_LIBRARY_PATH");
    command.capture().ok().map(|answer| PathBuf::from(answer.trim()))
}
