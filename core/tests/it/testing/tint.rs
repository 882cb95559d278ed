//! Validation of WGSL by Tint, the compiler of Chromium, if it is installed.
//!
//! A process of node, `tests/judges/tint.mjs`, judges all texts; `cargo xtask test` installs its packages.

use super::skipped::skipped;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::Mutex;

/// A message on a text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Message {
    /// True for an error, false for a warning or a note.
    pub(crate) is_error: bool,
    /// From 1; 0 if the message has no place.
    pub(crate) line: u64,
    pub(crate) column: u64,
    pub(crate) text: String,
}

/// The process that judges texts. Threads may share it.
pub(crate) struct Tint {
    process: Option<(Child, Mutex<Pipes>)>,
    pub(crate) installed: bool,
}

struct Pipes {
    texts: ChildStdin,
    answers: BufReader<ChildStdout>,
}

impl Tint {
    /// Starts the process. Reports a missing Tint for the calling test.
    #[track_caller]
    pub(crate) fn new() -> Tint {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/judges");
        let is_there = folder.join("node_modules/webgpu/package.json").is_file();
        let process = is_there.then(|| start(&folder)).flatten();
        let installed = process.is_some();
        if !installed {
            skipped(1, "Tint is not installed");
        }
        Tint { process, installed }
    }

    /// Judges a text. Ok: it is accepted, with these warnings. Err: the messages, of which at least one is an error.
    pub(crate) fn judge(&self, text: &str) -> Result<Vec<Message>, Vec<Message>> {
        let (_, pipes) = self.process.as_ref().expect("Tint is installed");
        let mut pipes = pipes.lock().expect("no thread panicked");
        writeln!(pipes.texts, "{}", serde_json::Value::from(text)).expect("Tint reads");
        pipes.texts.flush().expect("Tint reads");
        let mut line = String::new();
        // Dawn prints lines of its own in between.
        let answer = loop {
            line.clear();
            let count = pipes.answers.read_line(&mut line).expect("Tint answers");
            assert!(count > 0, "Tint ended at this text:\n{text}");
            if let Some(answer) = line.strip_prefix("answer ") {
                break answer;
            }
        };
        let answer: serde_json::Value = serde_json::from_str(answer).expect("an answer is JSON");
        let messages: Vec<Message> = answer.as_array().expect("an array").iter().map(message).collect();
        let is_rejected = messages.iter().any(|message| message.is_error);
        if is_rejected { Err(messages) } else { Ok(messages) }
    }
}

impl Drop for Tint {
    fn drop(&mut self) {
        if let Some((child, _)) = &mut self.process {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

fn start(folder: &Path) -> Option<(Child, Mutex<Pipes>)> {
    let mut child = Command::new("node")
        .arg("tint.mjs")
        .current_dir(folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .ok()?;
    let texts = child.stdin.take()?;
    let answers = BufReader::new(child.stdout.take()?);
    Some((child, Mutex::new(Pipes { texts, answers })))
}

fn message(value: &serde_json::Value) -> Message {
    let number = |name: &str| value[name].as_u64().unwrap_or(0);
    Message {
        is_error: value["type"] == "error",
        line: number("line"),
        column: number("column"),
        text: value["message"].as_str().unwrap_or("").to_owned(),
    }
}

#[test]
fn a_right_text_is_accepted_and_a_wrong_one_is_rejected_at_its_line() {
    let tint = Tint::new();
    if !tint.installed {
        return;
    }
    let right = "@compute @workgroup_size(1)\nfn main() {\n  let x: i32 = 1i;\n}\n";
    assert_eq!(tint.judge(right), Ok(Vec::new()));
    let messages = tint.judge(&right.replace("1i", "1u")).unwrap_err();
    let errors: Vec<&Message> = messages.iter().filter(|message| message.is_error).collect();
    let [error] = &errors[..] else { panic!("{messages:?}") };
    assert_eq!((error.line, error.column), (3, 7), "{error:?}");
    assert!(error.text.contains("u32") && error.text.contains("i32"), "{error:?}");
    // The process goes on after an error.
    assert_eq!(tint.judge(right), Ok(Vec::new()));
}
