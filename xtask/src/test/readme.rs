//! The commands that the README files promise, run as they stand there.
//!
//! Every block fenced as `sh` is run from the root of the repository, in order, with `sh -e`. Commands of
//! xtask that would not end, that would test themselves or that change files are not run as they are:
//! `serve` is replaced by a server on a free port and a request for the page, `test`, `bench` and `bless`
//! are left to the commands themselves. Nothing else is left out.

use std::fs;

use crate::place::Place;
use crate::run::Run;
use crate::say::{self, Outcome, Trouble};
use crate::serve::{self, Site, answer};
use crate::test::Tally;

const FILES: [&str; 2] = ["README.md", "core/README.md"];

/// What to do with a line of a block.
#[derive(Debug, PartialEq, Eq)]
enum Line {
    Run,
    Serve,
    Leave,
}

/// Runs the commands of both files.
pub fn run(place: &Place) -> Outcome<Tally> {
    let mut tally = Tally::default();
    for file in FILES {
        match commands(place, file) {
            Ok(()) => tally.passed += 1,
            Err(trouble) => {
                trouble.print();
                tally.failed += 1;
            }
        }
    }
    Ok(tally)
}

/// Runs the commands of one file.
fn commands(place: &Place, file: &str) -> Outcome {
    let step = format!("running the commands of {file}");
    let text = fs::read_to_string(place.root.join(file))
        .map_err(|error| Trouble::new(&step).why(error.to_string()).fix(format!("write {file}")))?;
    let blocks = blocks(&text);
    if blocks.is_empty() {
        let why = "it holds no block fenced as ```sh";
        return Err(Trouble::new(&step).why(why).fix("show the commands a reader needs, in such a block"));
    }
    for block in blocks {
        if block.lines().any(|line| sort(line) == Line::Serve) {
            request_page(place)?;
        }
        let script: Vec<&str> = block.lines().filter(|line| sort(line) == Line::Run).collect();
        script.iter().filter(|line| !line.trim().is_empty()).for_each(|line| say::step(format!("$ {line}")));
        Run::new(&step, "sh", &place.root)
            .args(["-e", "-c", &script.join("\n")])
            .fix(format!("run the block by hand from the root, then mend it in {file} or mend what it shows"))
            .streamed()?;
    }
    Ok(())
}

/// The blocks fenced as `sh`.
fn blocks(text: &str) -> Vec<String> {
    let mut blocks = Vec::new();
    let mut open: Option<Vec<&str>> = None;
    for line in text.lines() {
        match (&mut open, line.trim_end()) {
            (None, "```sh") => open = Some(Vec::new()),
            (Some(lines), "```") => {
                blocks.push(lines.join("\n"));
                open = None;
            }
            (Some(lines), _) => lines.push(line),
            (None, _) => {}
        }
    }
    blocks
}

fn sort(line: &str) -> Line {
    let words: Vec<&str> = line.split_whitespace().take(3).collect();
    match words[..] {
        ["cargo", "xtask", "serve"] => Line::Serve,
        ["cargo", "xtask", "test" | "bench" | "bless"] => Line::Leave,
        _ => Line::Run,
    }
}

/// What `serve` promises: the page, at the address it prints.
fn request_page(place: &Place) -> Outcome {
    let address = serve::in_background(Site { folder: place.dist(), under: "/".to_owned() })?;
    say::step(format!("$ cargo xtask serve, asked for {address}"));
    let trouble =
        |why: String| Trouble::new("asking the server for the page").why(why).fix("run `cargo xtask serve`");
    let (status, body) = answer::ask(&address).map_err(|error| trouble(error.to_string()))?;
    match status == "HTTP/1.1 200 OK" && body.contains("<title>") {
        true => Ok(()),
        false => Err(trouble(format!("it said `{status}`"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_blocks_of_shell_are_taken() {
        let text = "a\n```sh\none\ntwo\n```\n```rust\nthree\n```\n```text\nfour\n```\n```sh\nfive\n```\n";
        assert_eq!(blocks(text), ["one\ntwo", "five"]);
    }

    #[test]
    fn only_our_own_commands_are_left_out() {
        let run = ["cargo xtask dist", "cargo test", "cargo run -- serve", "# cargo xtask serve", ""];
        assert!(run.iter().all(|line| sort(line) == Line::Run));
        assert_eq!(sort("cargo xtask serve --port 1  # look"), Line::Serve);
        assert_eq!(sort("cargo xtask bench text"), Line::Leave);
    }
}
