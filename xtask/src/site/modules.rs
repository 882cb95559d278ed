//! The wasm modules, and the JavaScript that loads each.
//!
//! `wasm-bindgen` runs in this process, from the same lockfile as the crate it must match; there is no
//! second program to install and no version to keep in step. No `wasm-opt`: measured, it does not pay.

use std::fs;
use std::path::{Path, PathBuf};

use wasm_bindgen_cli_support::Bindgen;

use crate::place::Place;
use crate::say::{Outcome, Trouble};
use crate::setup::wasm::{TARGET, Toolchain};
use crate::site::{Effort, cut};

/// Package, name of its files in the site.
const MODULES: [(&str, &str); 2] = [("vitrine-wasm", COMPILER), ("vitrine-web", "page")];
/// The one that is cut in parts.
const COMPILER: &str = "compiler";

/// How large a function may be that is put in the place of its call, by LLVM's count of instructions; its own limits at
/// level `s` are 50 and, for what is marked, 325.
///
/// Measured in KB in transit and in times of the host's time, whole and before the laboratory was in it: level `z` 594
/// and 3.4; `s` with LLVM's limits 705 and 2.3; level 2 859 and 1.5. With these limits, and with what was saved since,
/// 607 and 2.4. Cut in parts (site/cut) it takes as long, within what can be measured. The allocator `talc` took 2 KB
/// less and five hundredths longer on large shaders: the standard library's stays.
const INLINE: &str = "-Cllvm-args=-inline-threshold=25 -Cllvm-args=-inlinehint-threshold=25";

/// Where the generated files wait to be laid out.
pub fn folder(place: &Place) -> PathBuf {
    place.target.join("site")
}

/// A module as cargo leaves it, and its name in the site.
pub struct Module {
    file: PathBuf,
    name: &'static str,
}

/// Runs cargo for all modules at once.
pub fn build(place: &Place, toolchain: &Toolchain, effort: Effort) -> Outcome<Vec<Module>> {
    let (profile, built) = match effort {
        Effort::Full => ("wasm", "wasm"),
        Effort::Quick => ("dev", "debug"),
    };
    let packages = MODULES.iter().flat_map(|(package, _)| ["--package", package]);
    let args: Vec<&str> = ["--profile", profile].into_iter().chain(packages).collect();
    toolchain
        .build(place, "building for wasm", &args)
        .env("CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_RUSTFLAGS", INLINE)
        .fix("read the compiler's message above; `cargo clippy --workspace` may say more")
        .streamed()?;
    let folder = toolchain.target.join(TARGET).join(built);
    Ok(MODULES
        .iter()
        .map(|(package, name)| Module {
            file: folder.join(format!("{}.wasm", package.replace('-', "_"))),
            name,
        })
        .collect())
}

/// Writes `NAME.js` and `NAME_bg.wasm` for each module, and the compiler's parts.
pub fn bindgen(place: &Place, modules: &[Module], effort: Effort) -> Outcome {
    let folder = folder(place);
    // What an earlier build left would be delivered, too.
    if folder.is_dir() {
        fs::remove_dir_all(&folder).map_err(|error| {
            Trouble::new("emptying the folder of generated files").why(error.to_string()).fix("run it again")
        })?;
    }
    modules.iter().try_for_each(|module| {
        let is_cut = module.name == COMPILER && effort == Effort::Full;
        border(module, &folder, is_cut).map_err(|error| {
            Trouble::new(format!("writing the border of {}", module.name)).why(error.to_string()).fix(
                "check that wasm-bindgen and wasm-bindgen-cli-support have the same version in Cargo.toml",
            )
        })?;
        match module.name {
            COMPILER => cut::parts(place, &folder, is_cut.then_some(&module.file)),
            _ => Ok(()),
        }
    })
}

fn border(module: &Module, out: &Path, names: bool) -> Result<(), Box<dyn std::error::Error>> {
    let mut bindgen = Bindgen::new();
    bindgen.input_path(&module.file).out_name(module.name).typescript(false).web(true)?;
    // Without this `init()` has no default address of its module, and throws.
    bindgen.omit_default_module_path(false);
    // Names of functions are half the size of the module; a report has the place of a panic without them. The program
    // is cut by them, as the linker wrote them.
    bindgen.remove_name_section(!names).demangle(false).remove_producers_section(true);
    let mut output = bindgen.generate_output()?;
    // What the linker left for the cut: nobody else reads it.
    for section in ["linking", "reloc.CODE", "reloc.DATA"] {
        output.wasm_mut().customs.remove_raw(section);
    }
    output.emit(out)?;
    Ok(())
}
