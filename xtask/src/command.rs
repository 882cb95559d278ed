//! Programs that a step runs: with their output passed on, or captured.
//!
//! A program that is missing and a program that fails are both an [`Error`]; the caller adds the fix. No program reads
//! the standard input.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::Path;
use std::process::{self, Stdio};

use crate::report::{self, Error, Result};

/// Limit on the words of a command that a message shows.
const MAX_WORDS: usize = 16;

/// A program to run in a folder.
pub struct Command {
    command: process::Command,
    step: String,
    fix: String,
}

/// The result of a program whose failure is not an error in itself.
pub struct Finished {
    /// `true` if it exited with zero.
    pub success: bool,
    /// Its standard output.
    pub output: String,
}

impl Command {
    /// A program run in `folder`, as part of a step named like "checking the format".
    pub fn new(step: impl Into<String>, program: impl AsRef<OsStr>, folder: &Path) -> Command {
        let mut command = process::Command::new(program);
        command.current_dir(folder).stdin(Stdio::null());
        Command { command, step: step.into(), fix: String::new() }
    }

    /// Adds arguments.
    pub fn args<S: AsRef<OsStr>>(mut self, args: impl IntoIterator<Item = S>) -> Command {
        self.command.args(args);
        self
    }

    /// Adds `--` and the arguments after it, unless there are none.
    pub fn trailing_args(mut self, args: &[String]) -> Command {
        if !args.is_empty() {
            self.command.arg("--").args(args);
        }
        self
    }

    /// Sets an environment variable.
    pub fn env(mut self, name: &str, value: impl AsRef<OsStr>) -> Command {
        self.command.env(name, value);
        self
    }

    /// Removes an environment variable.
    pub fn env_remove(mut self, name: &str) -> Command {
        self.command.env_remove(name);
        self
    }

    /// Sets the sentence to show if it fails.
    pub fn fix(mut self, fix: impl Into<String>) -> Command {
        self.fix = fix.into();
        self
    }

    /// Runs the program and passes its output on.
    pub fn run(mut self) -> Result {
        let status = self
            .command
            .stdout(report::stdio())
            .stderr(report::stdio())
            .status()
            .map_err(|error| self.not_started(&error))?;
        if status.success() { Ok(()) } else { Err(self.failed(&status.to_string())) }
    }

    /// Runs the program silently and returns its standard output; its error output is the reason of a failure.
    pub fn capture(mut self) -> Result<String> {
        let output = self.command.output().map_err(|error| self.not_started(&error))?;
        if output.status.success() {
            return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
        }
        let errors = String::from_utf8_lossy(&output.stderr);
        Err(self.failed(&format!("{}\n{}", output.status, errors.trim_end())))
    }

    /// Runs the program with its standard output kept in `copy` and passed on at its end, successful or not.
    pub fn run_with_copy(mut self, copy: &Path) -> Result<Finished> {
        let io = |error: std::io::Error| {
            Error::new("keeping the output of a program").reason(format!("{}: {error}", copy.display()))
        };
        let mut kept =
            File::options().read(true).write(true).create(true).truncate(true).open(copy).map_err(io)?;
        let status = self
            .command
            .stdout(kept.try_clone().map_err(io)?)
            .stderr(report::stdio())
            .status()
            .map_err(|error| self.not_started(&error))?;
        let mut bytes = Vec::new();
        kept.seek(SeekFrom::Start(0)).and_then(|_| kept.read_to_end(&mut bytes)).map_err(io)?;
        let output = String::from_utf8_lossy(&bytes).into_owned();
        report::line(&output);
        Ok(Finished { success: status.success(), output })
    }

    fn not_started(&self, error: &std::io::Error) -> Error {
        Error::new(&self.step).reason(format!("{} did not start: {error}", self.shown())).fix(&self.fix)
    }

    fn failed(&self, status: &str) -> Error {
        Error::new(&self.step).reason(format!("{} ended with {status}", self.shown())).fix(&self.fix)
    }

    /// The command as a person would type it, shortened to its first words.
    fn shown(&self) -> String {
        let program = Path::new(self.command.get_program()).file_name().unwrap_or_default().to_string_lossy();
        let args = self.command.get_args().map(|arg| arg.to_string_lossy().into_owned());
        let words: Vec<String> = std::iter::once(program.into_owned()).chain(args).collect();
        let ellipsis = if words.len() > MAX_WORDS { " …" } else { "" };
        format!("`{}{ellipsis}`", words.get(..MAX_WORDS).unwrap_or(&words).join(" "))
    }
}
