//! Running programs: streamed, captured, or both.
//!
//! A program that is missing and a program that fails are both a [`Trouble`]; the caller adds the fix.

use std::ffi::OsStr;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Command, Stdio};

use crate::say::{Outcome, Trouble};

/// How many words of a command a message shows.
const MOST_WORDS: usize = 16;

/// A program to run from a folder.
pub struct Run {
    command: Command,
    step: String,
    fix: String,
}

/// What a program that ran to its end left behind.
pub struct Ended {
    /// Whether it exited with zero.
    pub ok: bool,
    /// Its standard output.
    pub text: String,
}

impl Run {
    /// A program run from `folder`, as part of a step told as "checking the format".
    pub fn new(step: impl Into<String>, program: impl AsRef<OsStr>, folder: &Path) -> Run {
        let mut command = Command::new(program);
        command.current_dir(folder);
        Run { command, step: step.into(), fix: String::new() }
    }

    /// Adds arguments.
    pub fn args<S: AsRef<OsStr>>(mut self, args: impl IntoIterator<Item = S>) -> Run {
        self.command.args(args);
        self
    }

    /// Adds what comes after `--`, if anything does.
    pub fn arg_rest(mut self, rest: &[String]) -> Run {
        if !rest.is_empty() {
            self.command.arg("--").args(rest);
        }
        self
    }

    /// Sets a variable of its environment.
    pub fn env(mut self, name: &str, value: impl AsRef<OsStr>) -> Run {
        self.command.env(name, value);
        self
    }

    /// Takes a variable from its environment.
    pub fn without(mut self, name: &str) -> Run {
        self.command.env_remove(name);
        self
    }

    /// The sentence to show when it fails.
    pub fn fix(mut self, fix: impl Into<String>) -> Run {
        self.fix = fix.into();
        self
    }

    /// Runs it with its output on ours.
    pub fn streamed(mut self) -> Outcome {
        let status = self.command.stdin(Stdio::null()).status().map_err(|error| self.missing(&error))?;
        if status.success() { Ok(()) } else { Err(self.failed(&status.to_string())) }
    }

    /// Runs it silently; its output is the answer, its errors are the reason.
    pub fn captured(mut self) -> Outcome<String> {
        let output = self.command.stdin(Stdio::null()).output().map_err(|error| self.missing(&error))?;
        if output.status.success() {
            return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
        }
        let errors = String::from_utf8_lossy(&output.stderr);
        Err(self.failed(&format!("{}\n{}", output.status, errors.trim_end())))
    }

    /// Runs it with its output on ours and a copy of its standard output kept, whether it succeeds or not.
    pub fn watched(mut self) -> Outcome<Ended> {
        let spawned = self.command.stdin(Stdio::null()).stdout(Stdio::piped()).spawn();
        let mut child = spawned.map_err(|error| self.missing(&error))?;
        let mut text = String::new();
        if let Some(output) = child.stdout.take() {
            for line in BufReader::new(output).split(b'\n').map_while(Result::ok) {
                let line = String::from_utf8_lossy(&line);
                // A closed output (a pager that was left) must not end the program we watch.
                let _ = writeln!(std::io::stdout(), "{line}");
                text.push_str(&line);
                text.push('\n');
            }
        }
        let status = child.wait().map_err(|error| self.missing(&error))?;
        Ok(Ended { ok: status.success(), text })
    }

    fn missing(&self, error: &std::io::Error) -> Trouble {
        Trouble::new(&self.step).why(format!("{} did not start: {error}", self.told())).fix(&self.fix)
    }

    fn failed(&self, status: &str) -> Trouble {
        Trouble::new(&self.step).why(format!("{} ended with {status}", self.told())).fix(&self.fix)
    }

    /// The command as a person would type it; of a long list, the first words.
    fn told(&self) -> String {
        let program = Path::new(self.command.get_program()).file_name().unwrap_or_default().to_string_lossy();
        let args = self.command.get_args().map(|arg| arg.to_string_lossy().into_owned());
        let words: Vec<String> = std::iter::once(program.into_owned()).chain(args).collect();
        let more = if words.len() > MOST_WORDS { " …" } else { "" };
        format!("`{}{more}`", words.get(..MOST_WORDS).unwrap_or(&words).join(" "))
    }
}
