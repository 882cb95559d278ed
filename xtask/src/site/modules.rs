//! The wasm modules, and the JavaScript that loads each.
//!
//! `wasm-bindgen` runs in this process, from the same lockfile as the crate it must match, so there is no second program
//! to install and no version to keep in sync. The compiler is one module; `[profile.wasm]` in Cargo.toml states how it is optimized.

use std::env;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use wasm_bindgen_cli_support::Bindgen;

use crate::report::{self, Error, Result};
use crate::setup::wasm::{TARGET, Toolchain};
use crate::site::Effort;
use crate::workspace::Workspace;

/// A quarter of the usual limit of inlining, which profiles cannot set: the compiler is a tenth smaller. It is the limit of code
/// that is optimized for speed: the page keeps the one of its own level.
const INLINING: &str = "-Cllvm-args=-inlinedefault-threshold=60";

/// What to do when cargo fails.
const FIX: &str = "read the compiler's message above; `cargo clippy --workspace` may give more detail";

/// Cargo's separator of flags, which may have spaces.
const SEPARATOR: &str = "\u{1f}";

/// Packages, and the names of their files in the site.
const MODULES: [(&str, &str); 4] = [
    ("vitrine-wasm", "compiler"),
    ("vitrine-web", "page"),
    ("vitrine-sources", "wgsl"),
    ("vitrine-lessons-script", "markdown"),
];

/// The folder of the generated files, before they are laid out.
pub fn folder(workspace: &Workspace) -> PathBuf {
    workspace.target.join("site")
}

/// A module built by cargo, and its name in the site.
pub struct Module {
    file: PathBuf,
    name: &'static str,
}

/// Empties the folder of the generated files, so that files of an earlier build are not included.
pub fn clear(workspace: &Workspace) -> Result {
    let folder = folder(workspace);
    let error = |error| {
        Error::new("emptying the folder of generated files").reason(error).fix("run the command again")
    };
    match fs::remove_dir_all(&folder) {
        Err(why) if why.kind() != ErrorKind::NotFound => Err(error(why)),
        Ok(()) | Err(_) => fs::create_dir_all(&folder).map_err(error),
    }
}

/// Runs cargo: for all modules at once in development, one module after the other for a release.
pub fn build(workspace: &Workspace, toolchain: &Toolchain, effort: Effort) -> Result<Vec<Module>> {
    let built = match effort {
        Effort::Release => {
            MODULES.iter().try_for_each(|(package, _)| build_release(workspace, toolchain, package))?;
            "wasm"
        }
        Effort::Development => {
            build_all(workspace, toolchain)?;
            "debug"
        }
    };
    let folder = toolchain.target.join(TARGET).join(built);
    Ok(MODULES
        .iter()
        .map(|(package, name)| Module {
            file: folder.join(format!("{}.wasm", package.replace('-', "_"))),
            name,
        })
        .collect())
}

/// The profile `dev` shares the procedural macros that this program was built with.
fn build_all(workspace: &Workspace, toolchain: &Toolchain) -> Result {
    let packages = MODULES.iter().flat_map(|(package, _)| ["--package", package]);
    let args: Vec<&str> = ["--profile", "dev"].into_iter().chain(packages).collect();
    toolchain
        .build(workspace, "building for wasm", "build", &args)
        .env("CARGO_PROFILE_DEV_DEBUG", "false")
        .env("CARGO_ENCODED_RUSTFLAGS", "")
        .fix(FIX)
        .run()
}

/// Link-time optimization does not support crates that are also libraries, as these are for tests on the host: cargo builds
/// the module alone.
fn build_release(workspace: &Workspace, toolchain: &Toolchain, package: &str) -> Result {
    let args = ["--profile", "wasm", "--package", package, "--lib", "--crate-type", "cdylib"];
    toolchain
        .build(workspace, &format!("building {package} for wasm"), "rustc", &args)
        .env("CARGO_ENCODED_RUSTFLAGS", release_flags().join(SEPARATOR))
        .fix(FIX)
        .run()
}

/// The flags of a release: the same modules on every machine, whatever folder has the sources of the packages.
fn release_flags() -> Vec<String> {
    let home = env::var_os("CARGO_HOME").map(PathBuf::from).or_else(|| Some(env::home_dir()?.join(".cargo")));
    let folders = home.and_then(|home| fs::read_dir(home.join("registry/src")).ok()).into_iter().flatten();
    let short = |folder: PathBuf| format!("--remap-path-prefix={}/=", folder.display());
    let sources = folders.filter_map(|folder| Some(short(folder.ok()?.path())));
    [INLINING.to_owned()].into_iter().chain(sources).collect()
}

/// Writes `NAME.js` and `NAME_bg.wasm` for each module.
pub fn bindgen(workspace: &Workspace, modules: &[Module]) -> Result {
    report::step("writing the JavaScript of the modules");
    let folder = folder(workspace);
    modules.iter().try_for_each(|module| {
        write_module(module, &folder).map_err(|error| {
            Error::new(format!("writing the JavaScript of {}", module.name)).reason(error).fix(
                "check that wasm-bindgen and wasm-bindgen-cli-support have the same version in Cargo.toml",
            )
        })
    })
}

fn write_module(module: &Module, out: &Path) -> Result<(), Box<dyn std::error::Error>> {
    let mut bindgen = Bindgen::new();
    bindgen.input_path(&module.file).out_name(module.name).typescript(false).web(true)?;
    // Without this `init()` has no default address of its module, and throws.
    bindgen.omit_default_module_path(false);
    // Function names are half the size of the module; a panic report has its source location without them.
    bindgen.remove_name_section(true).demangle(false).remove_producers_section(true);
    Ok(bindgen.generate(out)?)
}
