//! `cargo xtask serve`: the built site on 127.0.0.1, for developers and for the browser tests.
//!
//! `tiny_http` handles HTTP; this module maps requests to files of the site. It listens only on the loopback address and
//! answers GET and HEAD. Any static server can take its place: nothing depends on the headers it sends.

mod files; // from the path of a request to a file of the site
mod watch; // rebuilds after a change of a source

use std::io::{self, Cursor};
use std::net::Ipv4Addr;
use std::path::PathBuf;
use std::sync::Arc;
use std::thread;

use tiny_http::{Header, Method, Request, Response, Server};

use crate::report::{self, Error, Result};
use crate::site::{self, Effort};
use crate::workspace::Workspace;
use files::Found;

/// The port if none is named.
const PORT: u16 = 8017;
/// Number of threads that answer requests: a page loads its files in parallel.
const THREADS: usize = 4;

/// Options of `serve`.
#[derive(Debug, clap::Args)]
pub struct Options {
    /// Listens on this port; 0 is any free port
    #[arg(long)]
    port: Option<u16>,
    /// Serves the site under this path
    #[arg(long, default_value = "/", value_name = "PATH")]
    under: String,
    /// Builds the site as `dist` does: optimized, prerendered and compressed
    #[arg(long, conflicts_with = "dev")]
    release: bool,
    /// Builds fast and rebuilds after every change (the default)
    #[arg(long)]
    dev: bool,
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
pub fn command(workspace: &Workspace, options: &Options) -> Result {
    let effort = if options.release { Effort::Release } else { Effort::Development };
    site::build(workspace, effort)?;
    let server = listen(options.port)?;
    let site = Site { folder: workspace.dist(), under: normalized(&options.under) };
    report::step(format!("serving {} - stop with Ctrl C", address(&server, &site)));
    let changes = (effort == Effort::Development).then(|| watch::start(workspace)).transpose()?;
    thread::scope(|scope| {
        if let Some(changes) = changes {
            scope.spawn(move || changes.rebuild(workspace));
        }
        (0..THREADS).for_each(|_| drop(scope.spawn(|| run(&server, &site))));
    });
    Ok(())
}

/// Serves a site from background threads and returns its address.
pub fn in_background(site: Site) -> Result<String> {
    let server = Arc::new(listen(Some(0))?);
    let address = address(&server, &site);
    let site = Arc::new(site);
    for _ in 0..THREADS {
        let (server, site) = (Arc::clone(&server), Arc::clone(&site));
        thread::spawn(move || run(&server, &site));
    }
    Ok(address)
}

/// The path with a slash on both ends.
fn normalized(under: &str) -> String {
    format!("/{}/", under.trim_matches('/')).replace("//", "/")
}

/// Takes the port; without one, the usual port or any that is free.
fn listen(port: Option<u16>) -> Result<Server> {
    let bind = |port| Server::http((Ipv4Addr::LOCALHOST, port));
    let bound = match port {
        Some(port) => bind(port),
        None => bind(PORT).or_else(|_| bind(0)),
    };
    bound.map_err(|error| {
        Error::new("opening a port").reason(error).fix("run `cargo xtask serve --port 0` for any free port")
    })
}

fn address(server: &Server, site: &Site) -> String {
    let port = server.server_addr().to_ip().map_or(0, |address| address.port());
    format!("http://127.0.0.1:{port}{}", site.under)
}

/// Answers requests until the server is dropped.
fn run(server: &Server, site: &Site) {
    for request in server.incoming_requests() {
        // A closed connection is not an error.
        let _ = answer(request, site);
    }
}

fn answer(request: Request, site: &Site) -> io::Result<()> {
    if !matches!(request.method(), Method::Get | Method::Head) {
        return request.respond(sentence(405, "only GET and HEAD are supported"));
    }
    let path = request.url().split(['?', '#']).next().unwrap_or_default();
    let response = match files::find(site, path) {
        Found::Redirect(path) => {
            sentence(308, "the site is served under another path").with_header(header("Location", &path))
        }
        Found::Nothing => sentence(404, "the site has no such file"),
        Found::File(file) => {
            let compressed = accepts_brotli(&request).then(|| files::with_suffix(&file, "br"));
            let compressed = compressed.filter(|file| file.is_file());
            match std::fs::read(compressed.as_ref().unwrap_or(&file)) {
                Ok(body) => {
                    let response = Response::from_data(body)
                        .with_chunked_threshold(usize::MAX)
                        .with_header(header("Content-Type", files::media_type(&file)))
                        .with_header(header("Vary", "Accept-Encoding"))
                        .with_header(header("X-Content-Type-Options", "nosniff"))
                        // The next build must be visible after a reload, whatever the names of the files.
                        .with_header(header("Cache-Control", "no-cache"));
                    match compressed {
                        Some(_) => response.with_header(header("Content-Encoding", "br")),
                        None => response,
                    }
                }
                Err(_) => sentence(404, "the file cannot be read"),
            }
        }
    };
    request.respond(response)
}

fn accepts_brotli(request: &Request) -> bool {
    let accepted = request.headers().iter().filter(|header| header.field.equiv("Accept-Encoding"));
    accepted.flat_map(|header| header.value.as_str().split([',', ';', ' '])).any(|word| word == "br")
}

fn sentence(status: u16, text: &str) -> Response<Cursor<Vec<u8>>> {
    Response::from_string(format!("{text}\n"))
        .with_status_code(status)
        .with_header(header("Content-Type", "text/plain; charset=utf-8"))
}

/// A header of ASCII text, which `tiny_http` requires.
fn header(name: &str, value: &str) -> Header {
    Header::from_bytes(name, value).unwrap_or_else(|()| panic!("the header {name} is ASCII"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{Read, Write};
    use std::net::TcpStream;
    use std::sync::atomic::{AtomicU32, Ordering};

    /// The status line and the body for `path`, on a small site served under `under`.
    fn get(under: &str, path: &str) -> (String, String) {
        static CALLS: AtomicU32 = AtomicU32::new(0);
        // A separate folder for every call: tests run in parallel.
        let call = CALLS.fetch_add(1, Ordering::Relaxed);
        let folder = std::env::temp_dir().join(format!("vitrine-serve-{}-{call}", std::process::id()));
        std::fs::create_dir_all(folder.join("sub")).unwrap();
        std::fs::write(folder.join("index.html"), "the page").unwrap();
        std::fs::write(folder.join("sub/a.wasm"), "module").unwrap();
        let address = in_background(Site { folder, under: under.to_owned() }).unwrap();
        let host = address.strip_prefix("http://").unwrap().split('/').next().unwrap().to_owned();
        let mut stream = TcpStream::connect(&host).unwrap();
        write!(stream, "GET {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n").unwrap();
        let mut text = String::new();
        stream.read_to_string(&mut text).unwrap();
        let (head, body) = text.split_once("\r\n\r\n").unwrap();
        (head.lines().next().unwrap().to_owned(), body.to_owned())
    }

    #[test]
    fn the_page_and_its_files_are_served_under_any_path() {
        assert_eq!(get("/", "/"), ("HTTP/1.1 200 OK".to_owned(), "the page".to_owned()));
        assert_eq!(get("/v/1/", "/v/1/sub/a.wasm?x").1, "module");
        assert_eq!(get("/v/1/", "/v/1").0, "HTTP/1.1 308 Permanent Redirect");
        assert_eq!(get("/v/1/", "/sub/a.wasm").0, "HTTP/1.1 404 Not Found");
    }

    #[test]
    fn nothing_outside_the_site_is_served() {
        for path in [
            "/../Cargo.toml",
            "/%2e%2e/Cargo.toml",
            "/sub/..%2f..%2fx",
            "//etc/passwd",
            "/sub%00",
            "/%",
            "/sub",
        ] {
            assert_eq!(get("/", path).0, "HTTP/1.1 404 Not Found", "{path}");
        }
    }

    #[test]
    fn a_path_gets_a_slash_on_both_ends() {
        assert_eq!(["/", "v/1", "/v/1/"].map(normalized), ["/", "/v/1/", "/v/1/"]);
    }
}
