//! Compilation of GLSL by glslang, if it is installed: by its library, or in a process of glslangValidator for each text.

use super::glslang_library::{self, Target};
use super::skipped::skipped;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock};

/// The SPIR-V of a shader, or the messages of the compiler.
type Compiled = Result<Vec<u8>, String>;

/// Runs glslangValidator on shaders for Vulkan.
pub(crate) struct Glslang {
    folder: PathBuf,
    pub(crate) installed: bool,
    next: AtomicUsize,
}

impl Glslang {
    /// A compiler with its own temporary folder. Reports a missing glslangValidator for the calling test.
    #[track_caller]
    pub(crate) fn new(name: &str) -> Glslang {
        let folder = std::env::temp_dir().join(format!("vitrine-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let installed = Command::new("glslangValidator").arg("--version").output().is_ok();
        if !installed {
            skipped(1, "glslangValidator is not installed");
        }
        Glslang { folder, installed, next: AtomicUsize::new(0) }
    }

    /// Checks a shader of OpenGL ES; `stage` is `vert`, `frag` or `comp`. Error: the messages of the compiler.
    pub(crate) fn check(&self, text: &str, stage: &str) -> Result<(), String> {
        match glslang_library::compile(text, stage, Target::OpenGlEs) {
            Some(compiled) => compiled.map(|_| ()),
            None => self.check_apart(text, stage),
        }
    }

    fn check_apart(&self, text: &str, stage: &str) -> Result<(), String> {
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        let source = self.folder.join(format!("{number}.{stage}"));
        std::fs::write(&source, text).unwrap();
        let run = Command::new("glslangValidator").args(["-S", stage]).arg(&source).output().unwrap();
        match run.status.success() {
            true => Ok(()),
            false => Err(String::from_utf8_lossy(&[run.stdout, run.stderr].concat()).trim().to_owned()),
        }
    }

    /// The SPIR-V of a shader; `stage` is `vert`, `frag` or `comp`. Error: the messages of the compiler.
    pub(crate) fn compile(&self, text: &str, stage: &str) -> Compiled {
        self.compile_with(text, stage, &[])
    }

    /// The same with further options, such as `-g` for source lines. Tests of one process compile equal texts once.
    pub(crate) fn compile_with(&self, text: &str, stage: &str, options: &[&str]) -> Compiled {
        type Slot = Arc<OnceLock<Compiled>>;
        static COMPILED: Mutex<BTreeMap<(String, String), Slot>> = Mutex::new(BTreeMap::new());
        let key = (format!("{stage} {}", options.join(" ")), text.to_owned());
        let slot = Slot::clone(COMPILED.lock().expect("no thread panicked").entry(key).or_default());
        let compile = || match glslang_library::compile(text, stage, Target::Vulkan) {
            Some(compiled) if options.is_empty() => compiled,
            _ => self.compile_apart(text, stage, options),
        };
        slot.get_or_init(compile).clone()
    }

    fn compile_apart(&self, text: &str, stage: &str, options: &[&str]) -> Compiled {
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        let (source, result) =
            (self.folder.join(format!("{number}.{stage}")), self.folder.join(format!("{number}.spv")));
        std::fs::write(&source, text).unwrap();
        let run = Command::new("glslangValidator")
            .args(["-V", "--target-env", "vulkan1.3", "-S", stage])
            .args(options)
            .arg(&source)
            .arg("-o")
            .arg(&result)
            .output()
            .unwrap();
        match run.status.success() {
            true => Ok(std::fs::read(&result).unwrap()),
            false => Err(String::from_utf8_lossy(&[run.stdout, run.stderr].concat()).trim().to_owned()),
        }
    }
}

impl Drop for Glslang {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

#[test]
fn the_library_and_the_program_are_one_compiler() {
    let glslang = Glslang::new("library");
    let head = "#version 460\nlayout(location = 0) in vec4 a;\nlayout(location = 0) out vec4 o;\n";
    let es = "#version 300 es\nprecision highp float;\nin vec4 a;\nout vec4 o;\n";
    let bodies =
        ["o = a * 2.0;", "o = b;", "for (int i = 0; i < 4; ++i) { o += a * float(i); }", "o = a", "o = 1;"];
    if !glslang.installed {
        return;
    }
    if glslang_library::compile("", "frag", Target::Vulkan).is_none() {
        return skipped(1, "the library of glslang is not linked");
    }
    for body in bodies {
        let text = |head: &str| format!("{head}void main() {{\n  {body}\n}}\n");
        let library =
            |head, target| glslang_library::compile(&text(head), "frag", target).expect("it is there");
        // Before the number of the line stands the name of the file.
        let line = |why: String| {
            let error = why.lines().find(|line| line.starts_with("ERROR: ")).unwrap_or_default();
            error.trim_start_matches("ERROR: ").split_once(':').map(|(_, rest)| rest.to_owned())
        };
        let program = glslang.compile_apart(&text(head), "frag", &[]).map_err(line);
        assert_eq!(library(head, Target::Vulkan).map_err(line), program, "{body}");
        let program = glslang.check_apart(&text(es), "frag").map(|()| Vec::new()).map_err(line);
        assert_eq!(library(es, Target::OpenGlEs).map_err(line), program, "{body}");
    }
}
