//! Prints the computed parts of the course: each placeholder as a line with its name and its length in bytes, and then its
//! text. Run by `cargo xtask dist`, with the path of a list of jobs, whose format is in `web/lessons/src/job.rs`.

use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::ExitCode;

use vitrine_core::lessons::compute;
use vitrine_lessons::{Job, Lesson};

fn main() -> ExitCode {
    let path = std::env::args().nth(1).unwrap_or_default();
    let jobs = fs::read_to_string(&path).map_err(|error| format!("{path}: {error}"));
    let all = jobs.and_then(|jobs| {
        let of = |line: &str| parts(line).map_err(|why| format!("{line}: {why}"));
        jobs.lines().map(of).collect::<Result<Vec<_>, _>>()
    });
    let output = all.map(|all| {
        let entry = |(name, text): (String, String)| format!("{name} {}\n{text}", text.len());
        all.into_iter().flatten().map(entry).collect::<String>()
    });
    match output {
        Ok(out) if std::io::stdout().write_all(out.as_bytes()).is_ok() => ExitCode::SUCCESS,
        Ok(_) => ExitCode::FAILURE,
        Err(why) => {
            let _ = writeln!(std::io::stderr(), "{why}");
            ExitCode::FAILURE
        }
    }
}

fn parts(line: &str) -> Result<Vec<(String, String)>, String> {
    let job = Job::parse(line)?;
    let program = program(Path::new(&job.program)).map_err(|why| format!("{}: {why}", job.program))?;
    compute(&job, program.as_bytes())
}

/// The program of a job: a file beside its lesson, or inside of it.
fn program(path: &Path) -> Result<String, String> {
    if let Ok(text) = fs::read_to_string(path) {
        return Ok(text);
    }
    let (Some(folder), Some(name)) = (path.parent(), path.file_name().and_then(|name| name.to_str())) else {
        return Err("no path of a file in a folder".to_owned());
    };
    let mut files = BTreeMap::new();
    for entry in fs::read_dir(folder).map_err(|error| error.to_string())? {
        let entry = entry.map_err(|error| error.to_string())?;
        let text = fs::read_to_string(entry.path()).map_err(|error| error.to_string())?;
        files.insert(entry.file_name().to_string_lossy().into_owned(), text);
    }
    let text =
        files.remove("lesson.md").or_else(|| files.remove("guide.md")).ok_or("no lesson in the folder")?;
    let lesson =
        Lesson::read("", &text, files).map_err(|why| format!("line {}: {}", why.line, why.sentence))?;
    lesson.files.get(name).cloned().ok_or_else(|| "neither beside the lesson nor inside of it".to_owned())
}
