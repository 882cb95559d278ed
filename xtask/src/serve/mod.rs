//! `cargo xtask serve`: the built site on 127.0.0.1, for developers and for the browser tests.
//!
//! Not a web server: it listens on the loopback address only, answers GET and HEAD, and knows nothing but
//! the files of `dist/`. Any static server can take its place.

pub mod answer; // start here: one request, one answer
mod files; // from the path of a request to a file of the site
mod watch; // builds again when a source changes

use std::io;
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::path::PathBuf;
use std::sync::Arc;
use std::thread;

use crate::place::Place;
use crate::say::{self, Outcome, Trouble};
use crate::site::{self, Effort};

/// Where the site is served when nothing else is said.
const PORT: u16 = 8017;

/// What the command line asks for.
#[derive(Debug, PartialEq, Eq)]
struct Wish {
    port: Option<u16>,
    under: String,
    effort: Effort,
}

/// A folder of files and the path it is served under.
#[derive(Debug)]
pub struct Site {
    /// The folder.
    pub folder: PathBuf,
    /// `/`, or `/a/b/`.
    pub under: String,
}

/// Builds the site and serves it until interrupted.
pub fn command(place: &Place, args: &[String]) -> Outcome {
    let wish = Wish::read(args)?;
    site::build(place, wish.effort)?;
    let listener = listen(wish.port)?;
    let site = Site { folder: place.dist(), under: wish.under };
    say::step(format!("serving {} - stop with Ctrl C", address(&listener, &site)));
    thread::scope(|scope| {
        if wish.effort == Effort::Quick {
            scope.spawn(|| watch::run(place));
        }
        run(&listener, &Arc::new(site));
    });
    Ok(())
}

/// Serves a site from a thread of its own; its address.
pub fn in_background(site: Site) -> Outcome<String> {
    let listener = listen(Some(0))?;
    let address = address(&listener, &site);
    thread::spawn(move || run(&listener, &Arc::new(site)));
    Ok(address)
}

impl Wish {
    fn read(args: &[String]) -> Outcome<Wish> {
        let trouble = |why: String| {
            let fix = "run `cargo xtask serve --port 8080 --under /some/path/`, each part as you need it";
            Trouble::new("reading the command line").why(why).fix(fix)
        };
        let mut wish = Wish { port: None, under: "/".to_owned(), effort: Effort::Full };
        let mut words = args.iter();
        while let Some(word) = words.next() {
            let (flag, inline) =
                word.split_once('=').map_or((word.as_str(), None), |(flag, value)| (flag, Some(value)));
            let mut value = || {
                inline
                    .or_else(|| words.next().map(String::as_str))
                    .ok_or(trouble(format!("{flag} needs a value")))
            };
            match flag {
                "--port" => {
                    let port = value()?;
                    wish.port =
                        Some(port.parse().map_err(|_| trouble(format!("`{port}` is no port number")))?);
                }
                "--under" => wish.under = format!("/{}/", value()?.trim_matches('/')).replace("//", "/"),
                "--dev" if inline.is_none() => wish.effort = Effort::Quick,
                _ => return Err(trouble(format!("serve does not take `{word}`"))),
            }
        }
        Ok(wish)
    }
}

/// Takes the port, or any free one when none was asked for and the usual one is taken.
fn listen(port: Option<u16>) -> Outcome<TcpListener> {
    let bind = |port| TcpListener::bind((Ipv4Addr::LOCALHOST, port));
    let bound = match port {
        Some(port) => bind(port),
        None => bind(PORT).or_else(|_| bind(0)),
    };
    bound.map_err(|error| {
        Trouble::new("opening a port")
            .why(error.to_string())
            .fix("run `cargo xtask serve --port 0` for any free port")
    })
}

fn address(listener: &TcpListener, site: &Site) -> String {
    let port = listener.local_addr().map_or(0, |address: SocketAddr| address.port());
    format!("http://127.0.0.1:{port}{}", site.under)
}

/// Answers one connection per thread, for ever.
fn run(listener: &TcpListener, site: &Arc<Site>) {
    for stream in listener.incoming().filter_map(io::Result::ok) {
        let site = Arc::clone(site);
        // A visitor who goes away in the middle of an answer is no error of ours.
        thread::spawn(move || drop(answer::connection(stream, &site)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(line: &str) -> Outcome<Wish> {
        Wish::read(&line.split_whitespace().map(str::to_owned).collect::<Vec<_>>())
    }

    #[test]
    fn the_command_line_is_read() {
        let wish = read("--port=9000 --dev --under v/1").unwrap();
        assert_eq!(wish, Wish { port: Some(9000), under: "/v/1/".to_owned(), effort: Effort::Quick });
        assert_eq!(read("").unwrap(), Wish { port: None, under: "/".to_owned(), effort: Effort::Full });
        assert_eq!(read("--under /").unwrap().under, "/");
    }

    #[test]
    fn what_serve_does_not_take_is_refused() {
        for line in ["--port", "--port many", "--port 70000", "--dev=1", "site"] {
            assert!(read(line).is_err(), "{line}");
        }
    }
}
