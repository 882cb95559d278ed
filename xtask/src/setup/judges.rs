//! Programs of other projects that judge: the DirectX Shader Compiler, Tint and glslang written texts, cargo-deny the dependencies.
//!
//! All are optional: tests without them count themselves as skipped. The library of the DirectX Shader Compiler is taken
//! from the package `compushady-lrtu` on PyPI, whose checksum is pinned here: version 1.8, built for Linux on x86-64.

use std::fs;
use std::path::PathBuf;

use crate::command::Command;
use crate::report::{self, Error, Result};
use crate::setup::{debian, node};
use crate::workspace::{Workspace, on_path};

/// The package with the library, with the checksum of its archive. The library has its version in its name, so that a
/// folder with another one gets this one.
const PACKAGE: &str = "compushady-lrtu==0.18.0 \
    --hash=sha256:b76371972f2543a1e83034a86c83cfad678dabf66be0b50b7d78edbcb1c98243";
const LIBRARY: &str = "compushady/backends/libdxcompiler_x86_64.so";

/// Installs all; a missing one is reported.
pub fn install(workspace: &Workspace) {
    for (name, installed) in [
        ("the DirectX Shader Compiler", dxc(workspace)),
        ("Tint", tint(workspace).map(|_| ())),
        ("library of glslang", glslang(workspace)),
    ] {
        if let Err(error) = installed {
            report::step(format!("no {name}: {}", error.summary()));
        }
    }
}

/// The program that checks licenses, bans, sources and advisories of the dependencies; it needs the toolchain of the project.
const CARGO_DENY: &str = "0.20.2";

/// `cargo-deny`: the installed one, or one that is built in the target folder without optimization, which takes two minutes.
pub fn cargo_deny(workspace: &Workspace) -> Result<PathBuf> {
    if let Some(program) = on_path(&["cargo-deny"]) {
        return Ok(program);
    }
    let folder = workspace.target.join("tools");
    let program = folder.join("bin").join(format!("cargo-deny{}", std::env::consts::EXE_SUFFIX));
    if program.is_file() {
        return Ok(program);
    }
    let step = "installing cargo-deny, which checks the dependencies";
    report::step(step);
    let package = format!("cargo-deny@{CARGO_DENY}");
    Command::new(step, &workspace.cargo, &workspace.root)
        .args(["install", "--quiet", "--locked", "--debug", &package, "--root"])
        .args([&folder])
        .env_remove("CARGO_INCREMENTAL")
        .fix("check the connection to the package registry")
        .capture()?;
    Ok(program)
}

/// Installs Tint's packages in the folder of the judges.
fn tint(workspace: &Workspace) -> Result<PathBuf> {
    node::with_packages(workspace, &workspace.root.join("core/tests/judges"), "the judge of written WGSL")
}

/// The archives of which the library of glslang is made, all that the installed version has; the last ones only where others
/// refer to them.
const GLSLANG: [&str; 8] = [
    "glslang",
    "SPIRV",
    "MachineIndependent",
    "GenericCodeGen",
    "OSDependent",
    "OGLCompiler",
    "HLSL",
    "glslang-default-resource-limits",
];
const GLSLANG_USES: [&str; 2] = ["SPIRV-Tools-opt", "SPIRV-Tools"];

/// Links the library of glslang, the judge of written GLSL, in the target folder, from the archives of its package. Without it
/// the judge is a process for each text, which takes a tenth of a second.
fn glslang(workspace: &Workspace) -> Result {
    let step = "linking the library of glslang, the judge of written GLSL";
    let folder = workspace.target.join("judges");
    let library = folder.join("libglslang.so");
    if library.is_file() || !cfg!(target_os = "linux") {
        return Ok(());
    }
    let Some(compiler) = on_path(&["c++", "clang++", "g++"]) else {
        return Err(Error::new(step).reason("there is no compiler of C++").fix("install clang"));
    };
    let archive = |name: &&str| -> Option<PathBuf> {
        let file = format!("-print-file-name=lib{name}.a");
        let command =
            Command::new(step, &compiler, &workspace.root).args([file]).fix("reinstall the compiler");
        let path = PathBuf::from(command.capture().ok()?.trim());
        path.is_file().then_some(path)
    };
    if archive(&"glslang").is_none() {
        debian::install(workspace, &["glslang-dev"], "the library of glslang")?;
    }
    report::step(step);
    fs::create_dir_all(&folder)
        .map_err(|error| Error::new(step).reason(error).fix("check the target folder"))?;
    // The tests look for the library under its final name only, so that an interrupted run leaves nothing to load.
    let unfinished = folder.join("libglslang.unfinished");
    Command::new(step, &compiler, &folder)
        .args(["-shared", "-Wl,--whole-archive"])
        .args(GLSLANG.iter().filter_map(archive))
        .args(["-Wl,--no-whole-archive"])
        .args(GLSLANG_USES.iter().filter_map(archive))
        .args(["-lpthread", "-o"])
        .args([&unfinished])
        .fix("install the package glslang-dev of this system")
        .capture()?;
    fs::rename(unfinished, library)
        .map_err(|error| Error::new(step).reason(error).fix("check the target folder"))
}

/// Unpacks the library of the DirectX Shader Compiler into the target folder.
fn dxc(workspace: &Workspace) -> Result {
    let step = "installing the DirectX Shader Compiler, the judge of written HLSL";
    let folder = workspace.target.join("judges");
    let library = folder.join("libdxcompiler-1.8.so");
    if library.is_file() {
        return Ok(());
    }
    if !cfg!(all(target_os = "linux", target_arch = "x86_64")) {
        return Err(Error::new(step)
            .reason("its library exists for Linux on x86-64 only")
            .fix("name a library of your system in VITRINE_DXC"));
    }
    let Some(pip) = on_path(&["pip3", "pip"]) else {
        return Err(Error::new(step).reason("there is no pip").fix("install Python with pip"));
    };
    report::step(step);
    let io = |error: std::io::Error| Error::new(step).reason(error).fix("check the target folder");
    fs::create_dir_all(&folder).map_err(io)?;
    fs::write(folder.join("requirements.txt"), format!("{PACKAGE}\n")).map_err(io)?;
    let unpacked = folder.join("package");
    Command::new(step, &pip, &folder)
        .args(["install", "-q", "--no-deps", "--only-binary", ":all:", "--require-hashes"])
        // The library is the same in the packages of all versions of Python: the machine's own does not matter.
        .args(["--implementation", "cp", "--python-version", "3.11", "--abi", "cp311"])
        .args(["--platform", "manylinux_2_28_x86_64", "--target", "package", "-r", "requirements.txt"])
        .fix("check the connection to the package index")
        .capture()?;
    // The test process looks for the library under its final name only, so an interrupted run leaves nothing to load.
    fs::rename(unpacked.join(LIBRARY), &library).map_err(io)?;
    let _ = fs::remove_dir_all(unpacked);
    Ok(())
}
