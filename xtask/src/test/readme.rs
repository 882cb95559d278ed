//! The commands of the README files, run as they are written.
//!
//! Every block fenced as `sh` runs from the root of the repository, in order, with `sh -e`; `vitrine` is the binary that
//! the tests built. Commands of xtask that do not terminate, that would run this test or that change files are not run:
//! `serve` becomes a server on a free port and a request for the page, `test`, `bench`, `bless` and the installation of
//! `vitrine` are left out. `cargo test` builds and lists the tests that it would run, of which there must be one: the step
//! `tests` has run them, in the same build. With a variable such as `VITRINE_CASES` they are other tests, and run. Every other
//! command runs.

use std::env;
use std::fs;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::Path;

use crate::command::Command;
use crate::report::{self, Error, Result};
use crate::serve::{self, Site};
use crate::test::{Counted, Tally};
use crate::workspace::Workspace;

const FILES: [&str; 2] = ["README.md", "core/README.md"];

/// The treatment of a line of a block.
#[derive(Debug, PartialEq, Eq)]
enum Line {
    Run,
    List,
    Serve,
    Leave,
}

/// Runs the commands of both files.
pub fn run(workspace: &Workspace) -> Result<Counted> {
    super::vitrine(workspace, "dev")?;
    let programs = env::var_os("PATH").unwrap_or_default();
    let path =
        env::join_paths([workspace.target.join("debug")].into_iter().chain(env::split_paths(&programs)))
            .map_err(|error| {
                Error::new("running the commands")
                    .reason(error)
                    .fix("use a target folder without `:` in its path")
            })?;
    let mut tally = Tally::default();
    for file in FILES {
        match commands(workspace, file, Path::new(&path)) {
            Ok(()) => tally.passed += 1,
            Err(error) => {
                error.print();
                tally.failed += 1;
            }
        }
    }
    Ok((tally, String::new()))
}

/// Runs the commands of one file.
fn commands(workspace: &Workspace, file: &str, path: &Path) -> Result {
    let step = format!("running the commands of {file}");
    let text = fs::read_to_string(workspace.root.join(file))
        .map_err(|error| Error::new(&step).reason(error).fix(format!("write {file}")))?;
    let blocks = blocks(&text);
    if blocks.is_empty() {
        let reason = "it has no block fenced as ```sh";
        return Err(Error::new(&step).reason(reason).fix("add the commands in such a block"));
    }
    for block in blocks {
        if block.lines().any(|line| classify(line) == Line::Serve) {
            request_page(workspace)?;
        }
        let script: Vec<String> = block.lines().filter_map(command_of).collect();
        script
            .iter()
            .filter(|line| !line.trim().is_empty())
            .for_each(|line| report::step(format!("$ {line}")));
        Command::new(&step, "sh", &workspace.root)
            .args(["-e", "-c", &script.join("\n")])
            .env("PATH", path)
            .fix(format!(
                "run the block by hand from the root, then correct it in {file} or correct the program"
            ))
            .run()?;
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

/// The command of the shell for a line of a block; `None` if it is not run here.
fn command_of(line: &str) -> Option<String> {
    match classify(line) {
        Line::Run => Some(line.to_owned()),
        // The count; an error if it is 0.
        Line::List => Some(format!("{line} -- --list | grep -c ': test$'")),
        Line::Serve | Line::Leave => None,
    }
}

fn classify(line: &str) -> Line {
    let words: Vec<&str> = line.split_whitespace().take(3).collect();
    match words[..] {
        ["cargo", "xtask", "serve"] => Line::Serve,
        // A comment or an option of the test program would stand before the option here.
        ["cargo", "test", ..] if !line.contains(['#', '|', ';']) && !line.contains(" -- ") => Line::List,
        ["cargo", "xtask", "test" | "bench" | "bless"] | ["cargo", "install", _] => Line::Leave,
        _ => Line::Run,
    }
}

/// Requests the page from the server of `serve`, at the address it prints.
fn request_page(workspace: &Workspace) -> Result {
    let address = serve::in_background(Site { folder: workspace.dist(), under: "/".to_owned() })?;
    report::step(format!("$ cargo xtask serve, requesting {address}"));
    let error = |reason: String| {
        Error::new("requesting the page from the server").reason(reason).fix("run `cargo xtask serve`")
    };
    let text = get(&address).map_err(|why| error(why.to_string()))?;
    match text.starts_with("HTTP/1.1 200 OK") && text.contains("<title>") {
        true => Ok(()),
        false => Err(error(format!("the answer begins `{}`", text.lines().next().unwrap_or_default()))),
    }
}

/// The whole answer to a request for an address of the local server.
fn get(address: &str) -> std::io::Result<String> {
    let host = address.trim_start_matches("http://").trim_end_matches('/');
    let mut stream = TcpStream::connect(host)?;
    write!(stream, "GET / HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n")?;
    let mut bytes = Vec::new();
    stream.read_to_end(&mut bytes)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
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
        let run = [
            "cargo xtask dist",
            "N=3 cargo test",
            "cargo test a -- --nocapture",
            "cargo run -- serve",
            "# cargo xtask serve",
            "",
        ];
        assert!(run.iter().all(|line| classify(line) == Line::Run));
        assert_eq!(classify("cargo xtask serve --port 1  # look"), Line::Serve);
        assert_eq!(classify("cargo test --test it ops::"), Line::List);
        assert_eq!(classify("cargo xtask bench text"), Line::Leave);
        assert_eq!(classify("cargo install --path core --features cli"), Line::Leave);
    }
}
