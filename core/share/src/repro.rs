//! Reproductions: a small file with an input, its pipeline, and digests of the results when it was made.
//!
//! ```text
//! Vitrine reproduction 1
//! Drop this file on the page of Vitrine, or run `vitrine show FILE`.
//! made-by 0.1.0
//! name loop.ir
//! pipeline structurize, dce
//! digest input 9f2c…
//! digest structurize 01ab…
//! digest dce 77e0…
//! link 1d…
//! check 5d41…
//! ```
//!
//! Input, pipeline and view are stored in the link, as it is shared ([`SharedState`]); the other lines are
//! for readers and for comparison. Opened with another version, a reproduction reports "same result" or the
//! first step that differs. A line is a keyword and the rest. Unknown keywords are skipped, so that newer
//! files open here as far as possible. Line breaks may be of any kind. A format is never dropped:
//! `tests/it/repro.rs` opens one of each.
//!
//! Refuses to run anything: the caller that opens a reproduction decides that.

use super::link::SharedState;
use rustc_hash::FxHashMap;
use std::fmt::Write;
use vitrine_ir::base::fnv;
use vitrine_ir::{Anchor, Module};
use vitrine_text::{Class, Link, Options, Printer, Sink};

const FIRST_LINE: &str = "Vitrine reproduction 1";
const HELP: &str = "Drop this file on the page of Vitrine, or run `vitrine show FILE`.";
/// The name of the digest of the input.
const INPUT: &str = "input";

/// A reproduction.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Repro {
    /// Input, pipeline and view. The pipeline is always explicit, because the default may change.
    pub state: SharedState,
    /// The version that made it.
    pub version: String,
    /// The digest of the input, then that of the program after each step. Empty if no step ran.
    pub digests: Vec<StepDigest>,
}

/// The name of a step and the digest of the program after it; the first one is that of the input.
pub type StepDigest = (String, u64);

/// The result of a comparison.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// There is nothing to compare with.
    Nothing,
    /// Every step computed the same program; the number of steps.
    Same(usize),
    /// The first step with a different program, from 1 (0 for the input itself), and its name, from either
    /// side.
    Differs(usize, String),
}

impl Repro {
    /// A reproduction of a shared state, made by this version. `digests` are those of the versions
    /// ([`digests`]); empty if nothing ran.
    pub fn of(state: SharedState, digests: Vec<StepDigest>) -> Repro {
        Repro { state, version: env!("CARGO_PKG_VERSION").to_owned(), digests }
    }

    /// Returns true if a file has the first line of a reproduction.
    pub fn is_one(bytes: &[u8]) -> bool {
        bytes.starts_with(FIRST_LINE.as_bytes())
    }

    /// The file. Deterministic.
    pub fn text(&self) -> String {
        let mut out = format!("{FIRST_LINE}\n{HELP}\nmade-by {}\n", self.version);
        for (word, value) in [("name", &self.state.name), ("pipeline", &self.state.pipeline)] {
            let _ = writeln!(out, "{word} {}", value.split_whitespace().collect::<Vec<_>>().join(" "));
        }
        for (name, digest) in &self.digests {
            let _ = writeln!(out, "digest {name} {digest:016x}");
        }
        let _ = writeln!(out, "link {}", self.state.link());
        let check = check(out.lines());
        let _ = writeln!(out, "check {check:016x}");
        out
    }

    /// The contents of a file, and its problem, if it has one. The readable part of a damaged file is kept.
    pub fn read(bytes: &[u8]) -> (Repro, Option<&'static str>) {
        if !Repro::is_one(bytes) {
            return (
                Repro::default(),
                Some("this is not a reproduction of Vitrine, or it is from a newer release"),
            );
        }
        let text = String::from_utf8_lossy(bytes);
        let mut repro = Repro::default();
        let (mut link, mut sum) = (None, None);
        let mut before = 0;
        for (at, line) in text.lines().enumerate() {
            let (word, rest) = line.trim_end().split_once(' ').unwrap_or((line, ""));
            match word {
                "made-by" => rest.clone_into(&mut repro.version),
                "digest" => repro.digests.extend(digest(rest)),
                "link" => link = Some(SharedState::read(rest)),
                "check" => (sum, before) = (u64::from_str_radix(rest, 16).ok(), at),
                _ => {}
            }
        }
        let is_whole = sum == Some(check(text.lines().take(before)));
        if !is_whole {
            // A damaged digest would report a difference.
            repro.digests.clear();
        }
        let Some((state, problem)) = link else {
            return (repro, Some("this reproduction is damaged or truncated; nothing in it could be read"));
        };
        repro.state = state;
        let problem = match (is_whole && problem.is_none(), repro.state.input.is_empty()) {
            (true, _) => None,
            (false, false) => Some("this reproduction is damaged or truncated; its readable part is shown"),
            (false, true) => Some("this reproduction is damaged or truncated; nothing in it could be read"),
        };
        (repro, problem)
    }

    /// Compares these digests with those of a run of this version.
    pub fn verdict(&self, here: &[StepDigest]) -> Verdict {
        if self.digests.is_empty() {
            return Verdict::Nothing;
        }
        let differs = self.digests.iter().zip(here).position(|(then, now)| then != now);
        let first =
            differs.or((self.digests.len() != here.len()).then(|| here.len().min(self.digests.len())));
        match first {
            None => Verdict::Same(here.len().saturating_sub(1)),
            Some(at) => {
                let name =
                    self.digests.get(at).or(here.get(at)).map_or(String::new(), |(name, _)| name.clone());
                Verdict::Differs(at, name)
            }
        }
    }
}

impl Verdict {
    /// A sentence without its period; `version` is the one that made the reproduction.
    pub fn words(&self, version: &str) -> String {
        match self {
            Verdict::Nothing => format!("made with Vitrine {version}, without digests to compare"),
            Verdict::Same(steps) => format!("same result as with Vitrine {version}, in all {steps} steps"),
            Verdict::Differs(0, _) => {
                format!("the input already differs: this version reads it differently from Vitrine {version}")
            }
            Verdict::Differs(step, name) => {
                format!("differs from the result of Vitrine {version}, starting with step {step}, `{name}`")
            }
        }
    }
}

/// `NAME HEX`; the name may have spaces in its braces.
fn digest(line: &str) -> Option<StepDigest> {
    let (name, digest) = line.rsplit_once(' ')?;
    Some((name.to_owned(), u64::from_str_radix(digest, 16).ok()?))
}

/// The digests of an input and of the program after each step. A step is its name and its result, which is
/// `None` if it changed nothing. Linear in the versions that differ.
pub fn digests<'m>(
    input: &Module,
    steps: impl IntoIterator<Item = (String, Option<&'m Module>)>,
) -> Vec<StepDigest> {
    let mut now = digest_of(input);
    let mut out = vec![(INPUT.to_owned(), now)];
    for (name, version) in steps {
        now = version.map_or(now, digest_of);
        out.push((name, now));
    }
    out
}

/// A digest of a program. Entities are numbered in the order in which they occur, not by their ids, so that a
/// version with a different numbering has the same digest.
fn digest_of(module: &Module) -> u64 {
    let mut out = Digest { hash: fnv::START, met: FxHashMap::default() };
    Printer::to_any(module, Options::default(), &mut out).module();
    out.hash
}

/// Hashes lines without their line breaks.
fn check<'t>(lines: impl Iterator<Item = &'t str>) -> u64 {
    lines.fold(fnv::START, |hash, line| fnv::with(fnv::with(hash, line.trim_end().bytes()), [b'\n']))
}

struct Digest {
    hash: u64,
    /// The order in which entities occurred.
    met: FxHashMap<Anchor, u32>,
}

impl Sink for Digest {
    fn put(&mut self, _: Class, text: &str, link: Link) {
        match link {
            Link::None => self.hash = fnv::with(self.hash, text.bytes()),
            Link::Def(anchor) | Link::Use(anchor) => {
                let next = self.met.len() as u32;
                let number = *self.met.entry(anchor).or_insert(next);
                self.hash = fnv::with(fnv::with(self.hash, [b'%']), number.to_le_bytes());
            }
        }
    }

    fn open_line(&mut self, depth: usize) {
        self.hash = fnv::with(self.hash, (depth as u32).to_le_bytes());
    }

    fn close_line(&mut self) {
        self.hash = fnv::with(self.hash, [b'\n']);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use vitrine_text::parse;

    const TEXT: &str =
        "func @0() -> b32 graph {\n^0:\n  %0: b32 = const 7\n  %1 = iadd %0, %0\n  return %1\n}\n";

    /// The digests of steps of these names, of which `constant-fold` changes the program.
    fn run(text: &str, pipeline: &str) -> Vec<StepDigest> {
        let input = parse(text).module;
        let folded = parse(&text.replace("iadd", "isub")).module;
        let names = pipeline.split(", ").filter(|name| !name.is_empty());
        digests(&input, names.map(|name| (name.to_owned(), (name == "constant-fold").then_some(&folded))))
    }

    fn sample() -> Repro {
        let pipeline = "structurize{imported}, constant-fold, dce";
        let state = SharedState {
            input: TEXT.as_bytes().to_vec(),
            name: "seven.ir".to_owned(),
            pipeline: pipeline.to_owned(),
            ..SharedState::default()
        };
        Repro::of(state, run(TEXT, pipeline))
    }

    #[test]
    fn a_file_opens_to_what_it_was_made_of_whatever_ends_its_lines() {
        let text = sample().text();
        assert_eq!(Repro::read(text.as_bytes()), (sample(), None));
        assert_eq!(Repro::read(text.replace('\n', "\r\n").as_bytes()), (sample(), None));
        assert_eq!(Repro::read(text.replace("name", "unheard of\nname").as_bytes()).0.state, sample().state);
    }

    #[test]
    fn the_first_step_that_differs_is_named() {
        let verdict = |text: &str, pipeline: &str| sample().verdict(&run(text, pipeline));
        assert_eq!(verdict(TEXT, &sample().state.pipeline), Verdict::Same(3));
        let other = TEXT.replace("%1", "%9").replace("%0", "%4").replace("^0", "^5");
        assert_eq!(verdict(&other, &sample().state.pipeline), Verdict::Same(3), "only the numbers differ");
        let shorter = verdict(TEXT, "structurize{imported}, dce");
        assert_eq!(shorter, Verdict::Differs(2, "constant-fold".to_owned()));
        assert_eq!(
            verdict(TEXT, "structurize{imported}, constant-fold"),
            Verdict::Differs(3, "dce".to_owned())
        );
        assert_eq!(
            verdict(&TEXT.replace('7', "8"), "").words("9"),
            "the input already differs: this version reads it differently from Vitrine 9"
        );
        assert!(shorter.words("0.1.0").ends_with("starting with step 2, `constant-fold`"));
    }

    #[test]
    fn a_damaged_file_is_a_sentence_and_compares_nothing() {
        let text = sample().text();
        let (kept, problem) = Repro::read(text.replace("digest dce", "digest dcf").as_bytes());
        assert!(problem.is_some_and(|problem| problem.ends_with("shown")));
        assert_eq!((&kept.state, kept.verdict(&run(TEXT, ""))), (&sample().state, Verdict::Nothing));
        for cut in (0..text.len() - 1).step_by(7) {
            assert!(Repro::read(&text.as_bytes()[..cut]).1.is_some(), "{cut}");
        }
        assert!(Repro::read(b"\xff").1.is_some());
    }
}
