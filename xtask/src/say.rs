//! What the commands tell: one plain line per step, and troubles that name the step and the fix.
//!
//! No colours, no progress bars: the lines read the same on a screen and in a log.

use std::fmt::Display;

/// The result of a step.
pub type Outcome<T = ()> = Result<T, Trouble>;

/// Says what is being done now.
pub fn step(what: impl Display) {
    println!("xtask: {what}");
}

/// A failed step: what was being done, what happened, what helps.
#[derive(Debug)]
pub struct Trouble {
    step: String,
    why: String,
    fix: String,
}

impl Trouble {
    /// A trouble in a step, told as "building the modules".
    pub fn new(step: impl Into<String>) -> Trouble {
        Trouble { step: step.into(), why: String::new(), fix: String::new() }
    }

    /// What happened.
    pub fn why(self, why: impl Into<String>) -> Trouble {
        Trouble { why: why.into(), ..self }
    }

    /// A sentence with the command that helps.
    pub fn fix(self, fix: impl Into<String>) -> Trouble {
        Trouble { fix: fix.into(), ..self }
    }

    /// Why the step failed, in one line.
    pub fn reason(&self) -> String {
        self.why.lines().map(str::trim).filter(|line| !line.is_empty()).collect::<Vec<_>>().join("; ")
    }

    /// Writes the trouble to the error output.
    pub fn print(&self) {
        eprintln!("xtask: failed: {}", self.step);
        for (label, text) in [("why", &self.why), ("fix", &self.fix)] {
            for (number, line) in text.lines().enumerate() {
                eprintln!("  {:4} {line}", if number == 0 { format!("{label}:") } else { String::new() });
            }
        }
    }
}
