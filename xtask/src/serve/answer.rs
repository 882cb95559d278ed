//! One HTTP/1.1 request and its answer; the connection closes after it.
//!
//! No bodies, no ranges, no keep-alive. Requests of more than 16 KB and silent visitors are dropped.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use crate::serve::Site;
use crate::serve::files::{self, Found};

const REQUEST_BYTES: u64 = 16 * 1024;
const PATIENCE: Duration = Duration::from_secs(10);

/// What is sent back.
struct Answer {
    status: &'static str,
    headers: Vec<(&'static str, String)>,
    body: Vec<u8>,
}

/// Reads a request, answers it, closes.
pub fn connection(mut stream: TcpStream, site: &Site) -> io::Result<()> {
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.set_write_timeout(Some(PATIENCE))?;
    let mut lines = BufReader::new((&mut stream).take(REQUEST_BYTES)).lines();
    let request = lines.next().transpose()?.unwrap_or_default();
    let mut accepts_brotli = false;
    for line in lines.map_while(Result::ok).take_while(|line| !line.is_empty()) {
        let (name, value) = line.split_once(':').unwrap_or((&line, ""));
        let names = |value: &str| value.split([',', ';', ' ']).any(|word| word == "br");
        accepts_brotli |= name.eq_ignore_ascii_case("accept-encoding") && names(value);
    }
    let mut words = request.split(' ');
    let (method, target) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
    let answer = match method {
        "GET" | "HEAD" => answer(site, target, accepts_brotli),
        _ => Answer::plain("405 Method Not Allowed", "only GET and HEAD are answered here"),
    };
    write(&mut stream, &answer, method == "HEAD")
}

fn answer(site: &Site, target: &str, accepts_brotli: bool) -> Answer {
    let path = target.split(['?', '#']).next().unwrap_or_default();
    match files::find(site, path) {
        Found::Elsewhere(path) => {
            let plain = Answer::plain("308 Permanent Redirect", "the site is served under another path");
            Answer { headers: [plain.headers, vec![("Location", path)]].concat(), ..plain }
        }
        Found::Nothing => Answer::plain("404 Not Found", "there is no such file in the site"),
        Found::File(file) => {
            let side = accepts_brotli.then(|| files::with_suffix(&file, "br")).filter(|side| side.is_file());
            let Ok(body) = std::fs::read(side.as_ref().unwrap_or(&file)) else {
                return Answer::plain("404 Not Found", "the file cannot be read");
            };
            let mut headers = vec![
                ("Content-Type", files::mime(&file).to_owned()),
                ("Vary", "Accept-Encoding".to_owned()),
                ("X-Content-Type-Options", "nosniff".to_owned()),
                // The developer's next build must show at once, whatever the names of the files.
                ("Cache-Control", "no-cache".to_owned()),
            ];
            if side.is_some() {
                headers.push(("Content-Encoding", "br".to_owned()));
            }
            Answer { status: "200 OK", headers, body }
        }
    }
}

impl Answer {
    fn plain(status: &'static str, sentence: &str) -> Answer {
        let headers = vec![("Content-Type", "text/plain; charset=utf-8".to_owned())];
        Answer { status, headers, body: format!("{sentence}\n").into_bytes() }
    }
}

fn write(stream: &mut TcpStream, answer: &Answer, head_only: bool) -> io::Result<()> {
    let mut head = format!("HTTP/1.1 {}\r\nConnection: close\r\n", answer.status);
    for (name, value) in &answer.headers {
        head.push_str(&format!("{name}: {value}\r\n"));
    }
    head.push_str(&format!("Content-Length: {}\r\n\r\n", answer.body.len()));
    stream.write_all(head.as_bytes())?;
    if !head_only {
        stream.write_all(&answer.body)?;
    }
    stream.flush()
}

/// Asks a server of ours for a page, as the check of README.md does: status line and body.
pub fn ask(address: &str) -> io::Result<(String, String)> {
    let rest = address.strip_prefix("http://").ok_or_else(|| io::Error::other("not an http address"))?;
    let (host, path) = rest.split_once('/').unwrap_or((rest, ""));
    let mut stream = TcpStream::connect(host)?;
    stream.set_read_timeout(Some(PATIENCE))?;
    write!(stream, "GET /{path} HTTP/1.1\r\nHost: {host}\r\n\r\n")?;
    let mut text = Vec::new();
    stream.read_to_end(&mut text)?;
    let text = String::from_utf8_lossy(&text).into_owned();
    let (head, body) = text.split_once("\r\n\r\n").unwrap_or((&text, ""));
    Ok((head.lines().next().unwrap_or_default().to_owned(), body.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::serve;
    use std::sync::atomic::{AtomicU32, Ordering};

    /// A small site served under `under`, asked for `path`.
    fn asked(under: &str, path: &str) -> (String, String) {
        // A folder of its own for every call: tests run side by side, and writing a file empties it first.
        static CALLS: AtomicU32 = AtomicU32::new(0);
        let call = CALLS.fetch_add(1, Ordering::Relaxed);
        let folder = std::env::temp_dir().join(format!("vitrine-serve-{}-{call}", std::process::id()));
        std::fs::create_dir_all(folder.join("sub")).unwrap();
        std::fs::write(folder.join("index.html"), "the page").unwrap();
        std::fs::write(folder.join("sub/a.wasm"), "module").unwrap();
        let address = serve::in_background(Site { folder, under: under.to_owned() }).unwrap();
        let root = address.strip_suffix(under).unwrap();
        ask(&format!("{root}{path}")).unwrap()
    }

    #[test]
    fn the_page_and_its_files_are_served_under_any_path() {
        assert_eq!(asked("/", "/"), ("HTTP/1.1 200 OK".to_owned(), "the page".to_owned()));
        assert_eq!(asked("/v/1/", "/v/1/sub/a.wasm?x").1, "module");
        assert_eq!(asked("/v/1/", "/v/1").0, "HTTP/1.1 308 Permanent Redirect");
        assert_eq!(asked("/v/1/", "/sub/a.wasm").0, "HTTP/1.1 404 Not Found");
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
            assert_eq!(asked("/", path).0, "HTTP/1.1 404 Not Found", "{path}");
        }
    }
}
