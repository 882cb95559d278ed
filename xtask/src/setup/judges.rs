//! Programs of other projects that judge: the DirectX Shader Compiler and Tint written texts, cargo-deny the dependencies.
//!
//! All are optional: tests without them count themselves as skipped. The library of the DirectX Shader Compiler is taken
//! from the source package of `compushady` on PyPI, whose checksum is pinned here; it is built for Linux on x86-64.

use std::fs;
use std::path::{Path, PathBuf};

use crate::command::Command;
use crate::report::{self, Error, Result};
use crate::setup::node;
use crate::workspace::{Workspace, on_path};

/// The package with the library, with the checksum of its archive.
const PACKAGE: &str = "compushady==0.17.5 \
    --hash=sha256:5052caf9e955d8e7a48e22f536e82b44b72e83af46e824a9e99157c7809de691";
const ARCHIVE: &str = "compushady-0.17.5.tar.gz";
const LIBRARY: &str = "compushady-0.17.5/compushady/backends/libdxcompiler_x86_64.so.3.7";

/// Installs both; a missing one is reported.
pub fn install(workspace: &Workspace) {
    for (name, installed) in
        [("the DirectX Shader Compiler", dxc(workspace)), ("Tint", tint(workspace).map(|_| ()))]
    {
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

/// Unpacks the library of the DirectX Shader Compiler into the target folder.
fn dxc(workspace: &Workspace) -> Result {
    let step = "installing the DirectX Shader Compiler, the judge of written HLSL";
    let folder = workspace.target.join("judges");
    let library = folder.join("libdxcompiler.so");
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
    let wanted = folder.join("requirements.txt");
    fs::write(&wanted, format!("{PACKAGE}\n")).map_err(io)?;
    let run = |program: &Path, args: &[&str]| {
        Command::new(step, program, &folder)
            .args(args)
            .fix("check the connection to the package index")
            .capture()
    };
    run(
        &pip,
        &[
            "download",
            "-q",
            "--no-deps",
            "--no-binary",
            "compushady",
            "--require-hashes",
            "-r",
            "requirements.txt",
        ],
    )?;
    run(Path::new("tar"), &["xzf", ARCHIVE, LIBRARY])?;
    // The test process looks for the library under its final name only, so an interrupted run leaves nothing to load.
    fs::rename(folder.join(LIBRARY), &library).map_err(io)?;
    let _ = fs::remove_dir_all(folder.join("compushady-0.17.5"));
    let _ = fs::remove_file(folder.join(ARCHIVE));
    Ok(())
}
