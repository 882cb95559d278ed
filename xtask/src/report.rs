//! Progress lines and errors of the commands: one plain line per step, and errors that name the step and the fix.
//!
//! No colors and no progress bars: the lines read the same on a screen and in a log. A thread can send its lines and
//! the output of its programs to a file instead, so that lines of concurrent steps do not mix.

use std::cell::RefCell;
use std::fmt::{self, Display};
use std::fs::File;
use std::io::Write;
use std::process::Stdio;

/// The result of a step.
pub type Result<T = (), E = Error> = std::result::Result<T, E>;

thread_local! {
    /// The file that takes the output of this thread; the standard output if there is none.
    static LOG: RefCell<Option<File>> = const { RefCell::new(None) };
}

/// Prints the step that begins now.
pub fn step(text: impl Display) {
    line(format_args!("xtask: {text}"));
}

/// Prints an additional line of a step.
pub fn line(text: impl Display) {
    LOG.with_borrow_mut(|log| match log {
        // A full disk or a closed pipe must not end the step.
        Some(log) => drop(writeln!(log, "{text}")),
        None => drop(writeln!(std::io::stdout(), "{text}")),
    });
}

/// Runs `work` with the output of this thread sent to `log`.
pub fn logged<T>(log: File, work: impl FnOnce() -> T) -> T {
    LOG.set(Some(log));
    let result = work();
    LOG.set(None);
    result
}

/// The log of this thread, for threads and programs that belong to its step.
pub fn log() -> Option<File> {
    LOG.with_borrow(|log| log.as_ref().and_then(|log| log.try_clone().ok()))
}

/// The destination of a program's output: the log of this thread, or the output of this process.
pub fn stdio() -> Stdio {
    log().map_or_else(Stdio::inherit, Stdio::from)
}

/// A failed step: its name, the reason, and the command that helps.
#[derive(Debug)]
pub struct Error {
    step: String,
    reason: String,
    fix: String,
}

impl Error {
    /// An error in a step named like "building the modules".
    pub fn new(step: impl Into<String>) -> Error {
        Error { step: step.into(), reason: String::new(), fix: String::new() }
    }

    /// Sets the reason.
    pub fn reason(self, reason: impl Display) -> Error {
        Error { reason: reason.to_string(), ..self }
    }

    /// Sets the sentence with the command that helps.
    pub fn fix(self, fix: impl Into<String>) -> Error {
        Error { fix: fix.into(), ..self }
    }

    /// The reason in one line.
    pub fn summary(&self) -> String {
        self.reason.lines().map(str::trim).filter(|line| !line.is_empty()).collect::<Vec<_>>().join("; ")
    }

    /// Prints the error.
    pub fn print(&self) {
        line(self);
    }
}

impl Display for Error {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "xtask: failed: {}", self.step)?;
        for (label, text) in [("why:", &self.reason), ("fix:", &self.fix)] {
            for (number, line) in text.lines().enumerate() {
                write!(out, "\n  {:4} {line}", if number == 0 { label } else { "" })?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_names_the_step_the_reason_and_the_fix() {
        let error = Error::new("building").reason("no compiler\n\nfound").fix("run `rustup`");
        assert_eq!(
            error.to_string(),
            "xtask: failed: building\n  why: no compiler\n       \n       found\n  fix: run `rustup`"
        );
        assert_eq!(error.summary(), "no compiler; found");
    }

    #[test]
    fn lines_of_a_logged_step_go_to_its_log() {
        let path = std::env::temp_dir().join(format!("vitrine-log-{}", std::process::id()));
        logged(File::create(&path).unwrap(), || {
            step("one");
            assert!(log().is_some());
        });
        assert!(log().is_none());
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "xtask: one\n");
        std::fs::remove_file(path).unwrap();
    }
}
