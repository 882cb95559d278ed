//! The repository, its target folder, and the programs that build it.
//!
//! Reads the environment once. Finds programs; installs nothing (`setup` does).

use std::env;
use std::path::{Path, PathBuf};

/// The repository and the programs that build it.
pub struct Workspace {
    /// The folder of the workspace's `Cargo.toml`.
    pub root: PathBuf,
    /// The folder of everything cargo builds.
    pub target: PathBuf,
    /// The cargo that runs this program.
    pub cargo: PathBuf,
    /// The rustc that this cargo uses.
    pub rustc: PathBuf,
}

impl Workspace {
    /// The workspace that `cargo run` names in the environment.
    pub fn find() -> Workspace {
        let manifest =
            env::var("CARGO_MANIFEST_DIR").unwrap_or_else(|_| env!("CARGO_MANIFEST_DIR").to_owned());
        let root = Path::new(&manifest).parent().unwrap_or(Path::new(".")).to_owned();
        let target =
            env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), |dir| root.join(dir));
        let cargo = env::var_os("CARGO").map_or_else(|| PathBuf::from("cargo"), PathBuf::from);
        let rustc = match env::var_os("RUSTC") {
            Some(rustc) => PathBuf::from(rustc),
            None => sibling(&cargo, "rustc"),
        };
        Workspace { root, target, cargo, rustc }
    }

    /// The finished site.
    pub fn dist(&self) -> PathBuf {
        self.root.join("dist")
    }

    /// The text editor of the page.
    pub fn editor(&self) -> PathBuf {
        self.root.join("web/editor")
    }

    /// The browser tests.
    pub fn e2e(&self) -> PathBuf {
        self.root.join("web/e2e")
    }

    /// The large corpus: `VITRINE_CORPUS`, or `../shared/corpus`. It need not exist.
    pub fn corpus(&self) -> PathBuf {
        env::var_os("VITRINE_CORPUS").map_or_else(|| self.root.join("../shared/corpus"), PathBuf::from)
    }
}

/// The program of that name in the folder of `program`, or the bare name for the search path.
pub fn sibling(program: &Path, name: &str) -> PathBuf {
    let file = format!("{name}{}", env::consts::EXE_SUFFIX);
    match program.parent().map(|folder| folder.join(&file)) {
        Some(path) if path.is_file() => path,
        _ => PathBuf::from(name),
    }
}

/// The first of these programs that is on the search path.
pub fn on_path(names: &[&str]) -> Option<PathBuf> {
    let path = env::var_os("PATH")?;
    let folders: Vec<PathBuf> = env::split_paths(&path).collect();
    names.iter().find_map(|name| {
        let file = format!("{name}{}", env::consts::EXE_SUFFIX);
        folders.iter().map(|folder| folder.join(&file)).find(|candidate| candidate.is_file())
    })
}
