//! `cargo xtask serve`: the built site on 127.0.0.1, for developers and for the browser tests.
//!
//! `hyper` handles HTTP; this module maps requests to files of the site. It listens only on the loopback address and
//! answers GET and HEAD. Any static server can take its place: nothing depends on the headers it sends.

mod files; // from the path of a request to a file of the site
mod watch; // rebuilds after a change of a source

use std::convert::Infallible;
use std::io;
use std::net::{Ipv4Addr, TcpListener};
use std::path::PathBuf;
use std::sync::Arc;
use std::thread;

use http_body_util::Full;
use hyper::body::{Bytes, Incoming};
use hyper::header::{ACCEPT_ENCODING, CACHE_CONTROL, CONTENT_ENCODING, CONTENT_TYPE, LOCATION, VARY};
use hyper::header::{HeaderName, HeaderValue, X_CONTENT_TYPE_OPTIONS};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Method, Request, Response, StatusCode};
use hyper_util::rt::TokioIo;

use crate::report::{self, Error, Result};
use crate::site::{self, Effort};
use crate::workspace::Workspace;
use files::Found;

/// The port if none is named.
const PORT: u16 = 8017;

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
    let listener = listen(options.port)?;
    let site = Site { folder: workspace.dist(), under: normalized(&options.under) };
    report::step(format!("serving {} - stop with Ctrl C", address(&listener, &site)));
    let changes = (effort == Effort::Development).then(|| watch::start(workspace)).transpose()?;
    thread::scope(|scope| {
        if let Some(changes) = changes {
            scope.spawn(move || changes.rebuild(workspace));
        }
        run(listener, site)
    })
    .map_err(|error| Error::new("serving the site").reason(error).fix("run the command again"))
}

/// Serves a site from a background thread and returns its address.
pub fn in_background(site: Site) -> Result<String> {
    let listener = listen(Some(0))?;
    let address = address(&listener, &site);
    thread::spawn(move || {
        // A server that stops shows in every request to it.
        if let Err(error) = run(listener, site) {
            report::step(format!("the server stopped: {error}"));
        }
    });
    Ok(address)
}

/// The path with a slash on both ends.
fn normalized(under: &str) -> String {
    format!("/{}/", under.trim_matches('/')).replace("//", "/")
}

/// Takes the port; without one, the usual port or any that is free.
fn listen(port: Option<u16>) -> Result<TcpListener> {
    let bind = |port| TcpListener::bind((Ipv4Addr::LOCALHOST, port));
    let bound = match port {
        Some(port) => bind(port),
        None => bind(PORT).or_else(|_| bind(0)),
    };
    bound.map_err(|error| {
        Error::new("opening a port").reason(error).fix("run `cargo xtask serve --port 0` for any free port")
    })
}

fn address(listener: &TcpListener, site: &Site) -> String {
    let port = listener.local_addr().map_or(0, |address| address.port());
    format!("http://127.0.0.1:{port}{}", site.under)
}

/// Answers requests without end, all connections in one thread.
fn run(listener: TcpListener, site: Site) -> io::Result<()> {
    listener.set_nonblocking(true)?;
    let site = Arc::new(site);
    tokio::runtime::Builder::new_current_thread().enable_io().build()?.block_on(async {
        let listener = tokio::net::TcpListener::from_std(listener)?;
        loop {
            let (stream, _) = listener.accept().await?;
            let site = Arc::clone(&site);
            let service = service_fn(move |request| {
                let response = answer(&request, &site);
                async { Ok::<_, Infallible>(response) }
            });
            // A closed connection is not an error.
            drop(tokio::spawn(http1::Builder::new().serve_connection(TokioIo::new(stream), service)));
        }
    })
}

fn answer(request: &Request<Incoming>, site: &Site) -> Response<Full<Bytes>> {
    if ![Method::GET, Method::HEAD].contains(request.method()) {
        return sentence(StatusCode::METHOD_NOT_ALLOWED, "only GET and HEAD are supported");
    }
    match files::find(site, request.uri().path()) {
        Found::Redirect(path) => {
            let response = sentence(StatusCode::PERMANENT_REDIRECT, "the site is served under another path");
            with(response, LOCATION, &path)
        }
        Found::Nothing => sentence(StatusCode::NOT_FOUND, "the site has no such file"),
        Found::File(file) => {
            let compressed = accepts_brotli(request).then(|| files::with_suffix(&file, "br"));
            let compressed = compressed.filter(|file| file.is_file());
            let Ok(body) = std::fs::read(compressed.as_ref().unwrap_or(&file)) else {
                return sentence(StatusCode::NOT_FOUND, "the file cannot be read");
            };
            let response = with(Response::new(Full::from(body)), CONTENT_TYPE, files::media_type(&file));
            let response = with(response, VARY, "Accept-Encoding");
            let response = with(response, X_CONTENT_TYPE_OPTIONS, "nosniff");
            // The next build must be visible after a reload, whatever the names of the files.
            let response = with(response, CACHE_CONTROL, "no-cache");
            if compressed.is_some() { with(response, CONTENT_ENCODING, "br") } else { response }
        }
    }
}

fn accepts_brotli(request: &Request<Incoming>) -> bool {
    let accepted = request.headers().get_all(ACCEPT_ENCODING).iter().filter_map(|value| value.to_str().ok());
    accepted.flat_map(|value| value.split([',', ';', ' '])).any(|word| word == "br")
}

fn sentence(status: StatusCode, text: &str) -> Response<Full<Bytes>> {
    let mut response = Response::new(Full::from(format!("{text}\n")));
    *response.status_mut() = status;
    with(response, CONTENT_TYPE, "text/plain; charset=utf-8")
}

/// The response with a header. A value that is not visible ASCII is left out.
fn with(mut response: Response<Full<Bytes>>, name: HeaderName, value: &str) -> Response<Full<Bytes>> {
    if let Ok(value) = HeaderValue::from_str(value) {
        response.headers_mut().insert(name, value);
    }
    response
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
        std::fs::write(folder.join("sub/index.html"), "a lesson").unwrap();
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
        assert_eq!(get("/v/1/", "/v/1/sub/").1, "a lesson");
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
            "//",
            "/sub//",
        ] {
            assert_eq!(get("/", path).0, "HTTP/1.1 404 Not Found", "{path}");
        }
    }

    #[test]
    fn a_path_gets_a_slash_on_both_ends() {
        assert_eq!(["/", "v/1", "/v/1/"].map(normalized), ["/", "/v/1/", "/v/1/"]);
    }
}
