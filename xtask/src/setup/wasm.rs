//! A compiler that can build for wasm32-unknown-unknown, by the first of four roads that is open.
//!
//! | road | what it needs |
//! | --- | --- |
//! | `installed` | the standard library for wasm beside the compiler |
//! | `rustup` | rustup and its server: adds that library |
//! | `build-std` | the library's source beside the compiler: built here, about half a minute more |
//! | `debian` | a Debian system and root: installs Debian's second toolchain, then as `build-std` |
//!
//! `VITRINE_WASM_ROAD` takes one of them and no other. The host's compiler is never replaced.

use std::env;
use std::path::{Path, PathBuf};

use crate::place::{Place, on_path};
use crate::run::Run;
use crate::say::{self, Outcome, Trouble};
use crate::setup::debian;

/// The target's name.
pub const TARGET: &str = "wasm32-unknown-unknown";

const DEBIAN_PACKAGES: [&str; 4] = ["rustc-web", "cargo-web", "rust-web-src", "lld-22"];
const BY_HAND: &str = "run `rustup target add wasm32-unknown-unknown`, or on Debian as root \
                       `apt-get install rustc-web cargo-web rust-web-src lld-22`";

/// A cargo and a rustc, and what else they need to build for wasm.
#[derive(Debug)]
pub struct Toolchain {
    cargo: PathBuf,
    rustc: PathBuf,
    build_std: bool,
    /// The linker, where the compiler does not bring its own.
    linker: Option<PathBuf>,
    /// Where it builds; its own folder where the compiler is not the host's.
    pub target: PathBuf,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Road {
    Installed,
    Rustup,
    BuildStd,
    Debian,
}

/// Name, road: in the order in which they are tried.
const ROADS: [(&str, Road); 4] = [
    ("installed", Road::Installed),
    ("rustup", Road::Rustup),
    ("build-std", Road::BuildStd),
    ("debian", Road::Debian),
];

impl Toolchain {
    /// Finds or installs one.
    pub fn ready(place: &Place) -> Outcome<Toolchain> {
        let step = "preparing the wasm target";
        let forced = env::var("VITRINE_WASM_ROAD").ok();
        let mut reasons = Vec::new();
        for (name, road) in ROADS.iter().filter(|(name, _)| forced.as_deref().is_none_or(|one| one == *name))
        {
            match road.take(place) {
                Ok(toolchain) => return Ok(toolchain),
                Err(reason) => reasons.push(format!("{name}: {reason}")),
            }
        }
        match forced {
            Some(word) if reasons.is_empty() => Err(Trouble::new(step)
                .why(format!("VITRINE_WASM_ROAD is `{word}`, which is no road"))
                .fix("set it to installed, rustup, build-std or debian, or unset it")),
            _ => Err(Trouble::new(step).why(reasons.join("\n")).fix(BY_HAND)),
        }
    }

    /// A run of this toolchain's cargo, with what comes after `build`.
    pub fn build(&self, place: &Place, step: &str, args: &[&str]) -> Run {
        let mut run = Run::new(step, &self.cargo, &place.root)
            .args(["build", "--target", TARGET])
            .args(args)
            .env("RUSTC", &self.rustc)
            .env("CARGO_TARGET_DIR", &self.target)
            // `cargo run` points these at the host's toolchain; a second one must find its own.
            .without("LD_LIBRARY_PATH")
            .without("CARGO");
        if let Some(linker) = &self.linker {
            run = run.env("CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_LINKER", linker);
        }
        if self.build_std {
            run = run.args(["-Z", "build-std=std,panic_abort"]).env("RUSTC_BOOTSTRAP", "1");
        }
        run
    }
}

impl Road {
    /// Goes the road; the error is one line on why it is closed.
    fn take(self, place: &Place) -> Result<Toolchain, String> {
        let ours = |build_std| Toolchain {
            cargo: place.cargo.clone(),
            rustc: place.rustc.clone(),
            build_std,
            linker: None,
            target: place.target.clone(),
        };
        match self {
            Road::Installed => has_library(place, &place.rustc)
                .then(|| ours(false))
                .ok_or("the compiler has no library for it".into()),
            Road::Rustup => {
                if on_path(&["rustup"]).is_none() {
                    return Err("rustup is not installed".into());
                }
                if !has_library(place, &place.rustc) {
                    add_with_rustup(place)?;
                }
                has_library(place, &place.rustc).then(|| ours(false)).ok_or_else(|| {
                    format!("rustup added it to a toolchain other than {}", place.rustc.display())
                })
            }
            Road::BuildStd => {
                let linker = parts(place, &place.rustc)?;
                Ok(Toolchain { linker, target: place.target.join("wasm-build-std"), ..ours(true) })
            }
            Road::Debian => {
                let (cargo, rustc) = (PathBuf::from("/usr/bin/cargo"), PathBuf::from("/usr/bin/rustc"));
                if !cargo.is_file() || parts(place, &rustc).is_err() {
                    let installed = debian::install(place, &DEBIAN_PACKAGES, "a compiler for wasm");
                    installed.map_err(|trouble| trouble.reason())?;
                }
                let linker = parts(place, &rustc)?;
                Ok(Toolchain {
                    cargo,
                    rustc,
                    linker,
                    build_std: true,
                    target: place.target.join("wasm-debian"),
                })
            }
        }
    }
}

fn add_with_rustup(place: &Place) -> Result<(), String> {
    say::step(format!("adding {TARGET} with rustup"));
    // The toolchain is named because `rustup` would otherwise look at the folder it is called from.
    let toolchain =
        env::var("RUSTUP_TOOLCHAIN").map(|name| vec!["--toolchain".to_owned(), name]).unwrap_or_default();
    Run::new("adding the target", "rustup", &place.root)
        .args(["target", "add", TARGET])
        .args(toolchain)
        .captured()
        .map(|_| ())
        .map_err(|trouble| trouble.reason())
}

/// Whether the compiler has a standard library for wasm beside it.
fn has_library(place: &Place, rustc: &Path) -> bool {
    let Some(folder) = print(place, rustc, &["target-libdir", "--target", TARGET]) else { return false };
    let files = std::fs::read_dir(folder).into_iter().flatten().flatten();
    files.map(|file| file.file_name()).any(|name| name.to_string_lossy().starts_with("libstd-"))
}

/// What building the library here takes: its source, and a linker (`None`: the compiler's own).
fn parts(place: &Place, rustc: &Path) -> Result<Option<PathBuf>, String> {
    let sysroot =
        print(place, rustc, &["sysroot"]).ok_or_else(|| format!("{} does not run", rustc.display()))?;
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
    on_path(&names).map(Some).ok_or("there is no linker for wasm (rust-lld or wasm-ld)".into())
}

/// One answer of `rustc --print`, as a path.
fn print(place: &Place, rustc: &Path, what: &[&str]) -> Option<PathBuf> {
    let run = Run::new("asking the compiler", rustc, &place.root)
        .args(["--print"])
        .args(what)
        .without("LD_LIBRARY_PATH");
    run.captured().ok().map(|answer| PathBuf::from(answer.trim()))
}
