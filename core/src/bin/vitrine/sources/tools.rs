//! Installed compilers that translate GLSL, HLSL and Slang to SPIR-V.
//!
//! Each runs in a temporary folder with a deadline, so that an endless macro or a hang ends with a message. The first compiler
//! that is installed is used.

use super::job::{Failure, Job};
use super::problems::problems;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use vitrine_core::front::source::{HlslChoice, HlslSource, Prepared, STAGES, hlsl_source};

/// The longest time that a compiler may take.
const DEADLINE: Duration = Duration::from_secs(30);
/// The pause between two looks at a running compiler.
const PAUSE: Duration = Duration::from_millis(5);
const INSTALL_GLSLANG: &str =
    "install glslang (Debian: glslang-tools), or convert the source to SPIR-V elsewhere";
const INSTALL_HLSL: &str = "install dxc, slangc or glslang, or convert the source to SPIR-V elsewhere";

/// A temporary folder, removed at the end.
struct Scratch(PathBuf);

impl Scratch {
    fn new() -> Result<Scratch, Failure> {
        let folder = std::env::temp_dir().join(format!("vitrine-source-{}", std::process::id()));
        std::fs::create_dir_all(&folder).map_err(|error| file_failure(&folder, &error))?;
        Ok(Scratch(folder))
    }

    fn file(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn file_failure(path: &Path, error: &std::io::Error) -> Failure {
    Failure::NotRun(format!("{}: {error}", path.display()), "check the folder for temporary files".to_owned())
}

/// The programs that translate GLSL.
const GLSLANGS: &[&str] = &["glslangValidator", "glslang"];

/// True if a compiler for GLSL is installed.
pub(super) fn has_glsl() -> bool {
    GLSLANGS.iter().any(|tool| is_installed(tool))
}

/// GLSL by glslang.
pub(super) fn glsl(job: &Job<'_>, source: &Prepared) -> Result<Vec<u8>, Failure> {
    let target = job.options.source_target.as_ref().map(|version| format!("spirv{version}"));
    let target = target.as_deref().unwrap_or("vulkan1.2");
    let args = ["-V", "-C", "-g", "-R", "--aml", "--amb", "--target-env", target, "-S", source.stage]
        .into_iter()
        .map(str::to_owned)
        .collect();
    run(job, GLSLANGS, INSTALL_GLSLANG, job.name(&format!("source.{}", source.stage)), &source.text, args)
}

/// HLSL and Slang: by dxc, Slang or glslang. `note` gets what was added to the source.
pub(super) fn hlsl(job: &Job<'_>, note: &dyn Fn(&str)) -> Result<Vec<u8>, Failure> {
    let name = job.file.to_str().unwrap_or("");
    let HlslSource { text, choice, note: added } = hlsl_source(job.text, name, &job.options.prepared())
        .map_err(|problem| Failure::Problems(vec![problem]))?;
    let HlslChoice { entry, stage, others, .. } = choice;
    if !others.is_empty() && job.options.source_entry.is_none() {
        let others = others.join("`, `");
        note(&format!("the entry point is `{entry}`; `--source-entry` chooses another one: `{others}`"));
    }
    let (_, profile, slang) = STAGES.iter().find(|(name, ..)| *name == stage).copied().unwrap_or(STAGES[0]);
    let entry = entry.as_str();
    let shader_model = if profile == "lib" {
        "6_3"
    } else if matches!(profile, "ms" | "as") {
        "6_5"
    } else {
        "6_0"
    };
    let profile = format!("{profile}_{shader_model}");
    let dxc =
        ["-spirv", "-T", &profile, "-E", entry, "-fspv-debug=line", "-fspv-target-env=vulkan1.1spirv1.4"];
    let slangc = ["-target", "spirv", "-O0", "-stage", slang, "-entry", entry, "-g"];
    let glslang =
        ["-D", "-V", "-C", "-g", "--aml", "--amb", "--target-env", "vulkan1.2", "-S", stage, "-e", entry];
    let choices: [(&str, &[&str]); 3] = [("dxc", &dxc), ("slangc", &slangc), ("glslangValidator", &glslang)];
    let Some((tool, args)) = choices.into_iter().find(|(tool, _)| is_installed(tool)) else {
        let says = "no compiler for HLSL and Slang is installed".to_owned();
        return Err(Failure::NotRun(says, INSTALL_HLSL.to_owned()));
    };
    let mut args = args.iter().map(|arg| (*arg).to_owned()).collect();
    defines(job, "-D", &mut args);
    let is_known = |name: &&str| name.ends_with(".hlsl") || name.ends_with(".slang");
    let default = if tool == "slangc" { "source.slang" } else { "source.hlsl" };
    let name = Some(job.name(default)).filter(is_known).unwrap_or(default);
    added.iter().for_each(|added| note(added));
    run(job, &[tool], INSTALL_HLSL, name, &text, args)
}

fn defines(job: &Job<'_>, option: &str, args: &mut Vec<String>) {
    args.extend(job.options.define.iter().map(|define| format!("{option}{define}")));
}

fn is_installed(tool: &str) -> bool {
    Command::new(tool)
        .arg("--version")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_ok()
}

/// Runs the first of the tools that is installed on a copy of the source.
fn run(
    job: &Job<'_>,
    tools: &[&str],
    install: &str,
    name: &str,
    text: &str,
    mut args: Vec<String>,
) -> Result<Vec<u8>, Failure> {
    let Some(tool) = tools.iter().find(|tool| is_installed(tool)) else {
        return Err(Failure::NotRun(
            format!("`{}` is not installed", tools.join("` or `")),
            install.to_owned(),
        ));
    };
    let scratch = Scratch::new()?;
    let (source, out) = (scratch.file(name), scratch.file("out.spv"));
    std::fs::write(&source, text).map_err(|error| file_failure(&source, &error))?;
    // Included files are beside the source.
    let beside =
        job.file.parent().filter(|_| job.file.exists()).and_then(|folder| std::path::absolute(folder).ok());
    args.extend(beside.map(|folder| format!("-I{}", folder.display())));
    args.extend(["-o".to_owned(), "out.spv".to_owned(), name.to_owned()]);
    let child = Command::new(tool)
        .args(&args)
        .current_dir(&scratch.0)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|error| Failure::NotRun(format!("`{tool}`: {error}"), install.to_owned()))?;
    let (succeeded, output) = finish(child)
        .map_err(|says| Failure::NotRun(format!("`{tool}` {says}"), "simplify the source".to_owned()))?;
    match std::fs::read(&out) {
        Ok(bytes) if succeeded && !bytes.is_empty() => Ok(bytes),
        Ok(_) | Err(_) => Err(Failure::Problems(problems(&output, name))),
    }
}

/// Waits for a compiler until the deadline. Returns true if it succeeded, and its output.
fn finish(mut child: Child) -> Result<(bool, String), String> {
    let streams: Vec<Box<dyn Read + Send>> = [
        child.stdout.take().map(|stream| Box::new(stream) as Box<dyn Read + Send>),
        child.stderr.take().map(|stream| Box::new(stream) as Box<dyn Read + Send>),
    ]
    .into_iter()
    .flatten()
    .collect();
    let readers: Vec<_> = streams
        .into_iter()
        .map(|mut stream| {
            std::thread::spawn(move || {
                let mut bytes = Vec::new();
                let _ = stream.read_to_end(&mut bytes);
                bytes
            })
        })
        .collect();
    let begin = Instant::now();
    let status = loop {
        match child.try_wait() {
            Ok(Some(status)) => break status,
            Ok(None) if begin.elapsed() < DEADLINE => std::thread::sleep(PAUSE),
            Ok(None) => {
                let _ = child.kill();
                let _ = child.wait();
                return Err(format!("did not finish within {} seconds", DEADLINE.as_secs()));
            }
            Err(error) => return Err(error.to_string()),
        }
    };
    let output: Vec<u8> = readers.into_iter().filter_map(|reader| reader.join().ok()).flatten().collect();
    Ok((status.success(), String::from_utf8_lossy(&output).into_owned()))
}
