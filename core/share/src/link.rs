//! Permalinks: the state of a page in the fragment of an address, which is sent to no server.
//!
//! ```text
//! 1 m PAYLOAD CHECK
//! ```
//!
//! `1` is the version of the format, `m` the codec. The payload is base 64 with `-` and `_`. The check is
//! four characters of `0-9a-z` over everything before it, so that a link never ends with a character that a
//! chat or Markdown would cut off. Fields are a letter, a length, bytes. Unknown letters are skipped, so that
//! links from newer versions open here as far as possible. A decoder is never removed: `tests/it/links.rs`
//! opens a link of each kind.
//!
//! Codecs: `m` compresses the fields of the view, then the input, both by context mixing
//! ([`super::context_mixing`]). `s` is for inputs of several programs: the first one is compressed like an
//! input, the others as their differences from it and from each other ([`super::delta`]). `d`, of older links,
//! deflates all fields.

use super::expected::Expected;
use super::numbers::{push_number, take_number};
use super::{context_mixing, delta};
use miniz_oxide::inflate::decompress_to_vec_with_limit;
use vitrine_front::{Dump, base64, bundle, unbundle};
use vitrine_ir::base::fnv::fnv;

/// The largest size of a decoded link, in bytes: links may be hostile.
const MOST_BYTES: usize = 16 << 20;
/// The largest size of the view of a link, in bytes.
const MOST_VIEW_BYTES: usize = 1 << 20;
const CHECK: usize = 4;
const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/// The state of a page.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SharedState {
    /// The input, a text or a binary.
    pub input: Vec<u8>,
    /// Its name.
    pub name: String,
    /// The passes to run; empty for the default ones.
    pub pipeline: String,
    /// The displayed version; none for the last.
    pub at: Option<u32>,
    /// The displayed function; none for the default one.
    pub func: Option<u32>,
    /// The displayed text: 0 IR, 1 changes, 2 SPIR-V, 3 columns.
    pub shown: u32,
    /// The back end of a target's text; empty for the first one.
    pub target: String,
    /// The pane that a small screen shows, by name; empty for the choice of the page.
    pub pane: String,
    /// Changes to the inputs of runs, one on each line.
    pub assignments: String,
    /// The options of a source ([`SourceOptions`](vitrine_front::source::SourceOptions)), one on each line.
    pub source_options: String,
    /// Twice the number of the chosen overlay, and 1 more if it is shown.
    pub overlay: u32,
    /// The versions that are shown side by side, if they were chosen.
    pub columns: Vec<u32>,
    /// The first seed and the number of inputs of checks; none for the default ones.
    pub trials: Option<[u32; 2]>,
    /// The first difference that a check found.
    pub expected: Option<Expected>,
    /// The release that made the link; empty if it is to open in any.
    pub made_by: String,
}

impl SharedState {
    /// The link, without `#`. Deterministic. About two seconds a megabyte of input.
    pub fn link(&self) -> String {
        let mut view = Vec::new();
        let mut field = |letter: u8, bytes: &[u8]| {
            if !bytes.is_empty() {
                view.push(letter);
                push_number(&mut view, bytes.len());
                view.extend_from_slice(bytes);
            }
        };
        let number = |number: u32| {
            let mut out = Vec::new();
            push_number(&mut out, number as usize);
            out
        };
        field(b'n', self.name.as_bytes());
        field(b'p', self.pipeline.as_bytes());
        field(b'a', &self.at.map_or(Vec::new(), number));
        field(b'f', &self.func.map_or(Vec::new(), number));
        field(b'b', self.target.as_bytes());
        field(b'v', self.pane.as_bytes());
        field(b't', &if self.shown == 0 { Vec::new() } else { number(self.shown) });
        field(b'r', self.assignments.as_bytes());
        field(b'x', self.source_options.as_bytes());
        field(b'o', &if self.overlay == 0 { Vec::new() } else { number(self.overlay) });
        let numbers = |numbers: &[u32]| numbers.iter().flat_map(|&of| number(of)).collect::<Vec<u8>>();
        field(b'c', &numbers(&self.columns));
        field(b's', &self.trials.map_or(Vec::new(), |trials| numbers(&trials)));
        if let Some(Expected { text, digest }) = &self.expected {
            field(b'e', text.as_bytes());
            field(b'd', &digest.to_le_bytes());
        }
        field(b'm', self.made_by.as_bytes());
        // The view is written first: it is kept if the end of a link is lost.
        let mut payload = Vec::new();
        let packed = context_mixing::pack(&view);
        push_number(&mut payload, view.len());
        push_number(&mut payload, packed.len());
        payload.extend(packed);
        let several = unbundle(&self.input).filter(|dumps| !dumps.is_empty() && bundle(dumps) == self.input);
        match &several {
            Some(dumps) => push_several(&mut payload, dumps),
            None => push_packed(&mut payload, &self.input),
        }
        let mut link = String::from(if several.is_some() { "1s" } else { "1m" });
        push_base64(&mut link, &payload);
        let check = check(&link);
        link + &check
    }

    /// The state of a link, and its problem, if it has one. The readable part of a damaged link is kept.
    pub fn read(link: &str) -> (SharedState, Option<&'static str>) {
        let link = link.trim();
        let codec = match link.get(..2) {
            Some("1d") if link.is_ascii() => inflated,
            Some("1m") if link.is_ascii() => unpacked,
            Some("1s") if link.is_ascii() => unpacked_several,
            _ => {
                return (
                    SharedState::default(),
                    Some("this is not a link of Vitrine, or it is from a newer release"),
                );
            }
        };
        let (body, sum) = link.split_at(link.len().saturating_sub(CHECK).max(2));
        let is_whole = check(body) == sum;
        // In a truncated link, the last characters are payload too.
        let payload = if is_whole { body } else { link };
        let Some(bytes) = base64(payload.get(2..).unwrap_or("")) else {
            return (SharedState::default(), Some("this link is damaged: it has invalid characters"));
        };
        let (state, is_complete) = codec(&bytes);
        let problem = match (is_whole && is_complete, state.input.is_empty()) {
            (true, _) => None,
            (false, true) => Some("this link is damaged or truncated; nothing in it could be read"),
            (false, false) => Some("this link is damaged or truncated; its readable part is shown"),
        };
        (state, problem)
    }

    fn of_fields(mut fields: &[u8]) -> SharedState {
        let mut state = SharedState::default();
        while let Some((&letter, rest)) = fields.split_first() {
            let Some((length, rest)) = take_number(rest) else { break };
            let (bytes, rest) = rest.split_at(length.min(rest.len()));
            let text = || String::from_utf8_lossy(bytes).into_owned();
            let number = || take_number(bytes).map(|(number, _)| number as u32);
            match letter {
                b'n' => state.name = text(),
                b'p' => state.pipeline = text(),
                b'a' => state.at = number(),
                b'f' => state.func = number(),
                b'b' => state.target = text(),
                b'v' => state.pane = text(),
                b't' => state.shown = number().unwrap_or(0),
                b'r' => state.assignments = text(),
                b'x' => state.source_options = text(),
                b'o' => state.overlay = number().unwrap_or(0),
                b'i' => state.input = bytes.to_vec(),
                b'c' => state.columns = numbers(bytes),
                b's' => state.trials = numbers(bytes).try_into().ok(),
                b'e' => state.expected.get_or_insert_default().text = text(),
                b'd' => {
                    let digest = bytes.try_into().map_or(0, u64::from_le_bytes);
                    state.expected.get_or_insert_default().digest = digest;
                }
                b'm' => state.made_by = text(),
                _ => {}
            }
            fields = rest;
        }
        state
    }
}

/// Codec `d`: deflated fields. Returns true if all of it could be read.
fn inflated(bytes: &[u8]) -> (SharedState, bool) {
    match decompress_to_vec_with_limit(bytes, MOST_BYTES) {
        Ok(fields) => (SharedState::of_fields(&fields), true),
        Err(mut error) => {
            // The buffer after the inflated bytes is zeros.
            let length = error.output.iter().rposition(|&byte| byte != 0).map_or(0, |last| last + 1);
            error.output.truncate(length);
            (SharedState::of_fields(&error.output), false)
        }
    }
}

/// Codec `m`: the packed view, the packed input.
fn unpacked(bytes: &[u8]) -> (SharedState, bool) {
    let (state, mut rest, is_view) = view(bytes);
    let (input, is_input) = take_packed(&mut rest, true);
    (SharedState { input, ..state }, is_view && is_input)
}

/// Codec `s`: the packed view, the packed first program, the heads of all programs, the steps and the literals
/// of the others.
fn unpacked_several(bytes: &[u8]) -> (SharedState, bool) {
    let (state, mut rest, is_view) = view(bytes);
    let parts = [false, false, false, true].map(|is_last| take_packed(&mut rest, is_last));
    let is_whole = is_view && parts.iter().all(|(_, is_whole)| *is_whole);
    let [(heads, _), (first, _), (steps, _), (literals, _)] = parts;
    let mut dumps = Vec::new();
    let mut heads = heads.as_slice();
    while let Some((length, rest)) = take_number(heads) {
        let Some((name_length, rest)) = take_number(rest) else { break };
        let (name, rest) = rest.split_at(name_length.min(rest.len()));
        dumps.push((String::from_utf8_lossy(name).into_owned(), length));
        heads = rest;
    }
    let total = dumps.iter().fold(0usize, |sum, (_, length)| sum.saturating_add(*length)).min(MOST_BYTES);
    let all = delta::decode(first, &steps, &literals, total);
    let mut all_rest = all.as_slice();
    let mut several = Vec::new();
    for (name, length) in dumps {
        let (bytes, after) = all_rest.split_at(length.min(all_rest.len()));
        several.push(Dump { name, bytes: bytes.to_vec() });
        all_rest = after;
    }
    let is_complete = is_whole && all.len() == total;
    let input = if several.is_empty() { Vec::new() } else { bundle(&several) };
    (SharedState { input, ..state }, is_complete)
}

/// Programs in the order of [`unpacked_several`].
fn push_several(payload: &mut Vec<u8>, dumps: &[Dump]) {
    let (mut heads, mut all) = (Vec::new(), Vec::new());
    for Dump { name, bytes } in dumps {
        push_number(&mut heads, bytes.len());
        push_number(&mut heads, name.len());
        heads.extend(name.as_bytes());
        all.extend(bytes);
    }
    let known = dumps.first().map_or(0, |first| first.bytes.len());
    let (steps, literals) = delta::encode(&all, known);
    push_part(payload, &heads);
    push_part(payload, all.get(..known).unwrap_or_default());
    push_part(payload, &steps);
    push_packed(payload, &literals);
}

/// The last packed part: its length, then its code up to the end.
fn push_packed(payload: &mut Vec<u8>, bytes: &[u8]) {
    push_number(payload, bytes.len());
    payload.extend(context_mixing::pack(bytes));
}

/// A packed part: its length, the length of its code, its code.
fn push_part(payload: &mut Vec<u8>, bytes: &[u8]) {
    let packed = context_mixing::pack(bytes);
    push_number(payload, bytes.len());
    push_number(payload, packed.len());
    payload.extend(packed);
}

/// A part, and true if it is complete.
fn take_packed(rest: &mut &[u8], is_last: bool) -> (Vec<u8>, bool) {
    let Some((length, after)) = take_number(rest) else { return (Vec::new(), false) };
    let (packed_length, after) = match is_last {
        true => (after.len(), after),
        false => take_number(after).unwrap_or((0, &[])),
    };
    let (packed, after) = after.split_at(packed_length.min(after.len()));
    *rest = after;
    let bytes = context_mixing::unpack(packed, length.min(MOST_BYTES));
    let is_whole = bytes.len() == length;
    (bytes, is_whole)
}

/// The view, the bytes after it, and true if it is complete.
fn view(bytes: &[u8]) -> (SharedState, &[u8], bool) {
    let split = || {
        let (view_length, rest) = take_number(bytes)?;
        let (packed_length, rest) = take_number(rest)?;
        let (packed, rest) = rest.split_at(packed_length.min(rest.len()));
        let view = context_mixing::unpack(packed, view_length.min(MOST_VIEW_BYTES));
        Some((view.len() == view_length, view, rest))
    };
    match split() {
        Some((is_whole, view, rest)) => (SharedState::of_fields(&view), rest, is_whole),
        None => (SharedState::default(), &[], false),
    }
}

/// Numbers up to the end.
fn numbers(mut bytes: &[u8]) -> Vec<u32> {
    let mut out = Vec::new();
    while let Some((number, rest)) = take_number(bytes) {
        out.push(number as u32);
        bytes = rest;
    }
    out
}

fn push_base64(out: &mut String, bytes: &[u8]) {
    for three in bytes.chunks(3) {
        let at = |place: usize| u32::from(three.get(place).copied().unwrap_or(0));
        let bits = at(0) << 16 | at(1) << 8 | at(2);
        for place in 0..=three.len() {
            let six = bits >> (18 - 6 * place) & 63;
            out.push(char::from(LETTERS.get(six as usize).copied().unwrap_or(b'A')));
        }
    }
}

/// Four characters over a text, by Fowler, Noll and Vo's hash: a single wrong character changes them.
fn check(text: &str) -> String {
    let hash = fnv(text.as_bytes());
    let mut rest = hash ^ hash >> 32;
    let mut out = String::new();
    for _ in 0..CHECK {
        out.push(char::from_digit((rest % 36) as u32, 36).unwrap_or('0'));
        rest /= 36;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample() -> SharedState {
        SharedState {
            input: include_bytes!("../../../www/examples/loop.ir").to_vec(),
            name: "loop.ir".to_owned(),
            pipeline: "structurize, dce".to_owned(),
            at: Some(1),
            func: Some(200),
            shown: 2,
            target: "spvasm".to_owned(),
            pane: "output".to_owned(),
            assignments: "time = 1.5\nsky = noise".to_owned(),
            source_options: "stage=frag\ndefine=A=2".to_owned(),
            overlay: 5,
            columns: vec![0, 300],
            trials: Some([7, 64]),
            expected: Some(Expected::of(&["licm", "main, seed 3", "0x1 (1)"])),
            made_by: "0.2.0".to_owned(),
        }
    }

    /// A comparison: two SPIR-V binaries, or texts.
    fn several(texts: &[&[u8]]) -> SharedState {
        let dump = |(at, bytes): (usize, &&[u8])| Dump { name: format!("pass {at}"), bytes: bytes.to_vec() };
        let input = bundle(&texts.iter().enumerate().map(dump).collect::<Vec<_>>());
        SharedState { input, ..sample() }
    }

    #[test]
    fn modules_of_a_comparison_share_their_bytes() {
        let one = sample().input;
        let text = String::from_utf8(one.clone()).unwrap();
        let other = text.replacen("fadd", "fsub", 1).into_bytes();
        let link = several(&[&one, &other, &one, &[]]).link();
        assert!(link.starts_with("1s"));
        assert_eq!(SharedState::read(&link), (several(&[&one, &other, &one, &[]]), None));
        let alone = sample().link().len();
        assert!(link.len() < alone + 130, "{} {alone}", link.len());
        // A bundle with other line breaks than ours is packed as it is.
        let odd = SharedState { input: b"Vitrine comparison 1\nmodule 2 a\nab".to_vec(), ..sample() };
        assert_eq!(SharedState::read(&odd.link()), (odd, None));
        for at in (2..link.len()).step_by(3) {
            let other = if link.as_bytes()[at] == b'x' { "y" } else { "x" };
            let mut damaged = link.clone();
            damaged.replace_range(at..=at, other);
            assert!(SharedState::read(&damaged).1.is_some(), "{at}");
            assert!(SharedState::read(&link[..at]).1.is_some(), "cut at {at}");
        }
    }

    #[test]
    fn a_link_opens_to_what_it_was_made_of() {
        for state in [
            sample(),
            SharedState::default(),
            SharedState { input: vec![0xff; 1000], ..SharedState::default() },
        ] {
            let link = state.link();
            assert_eq!(SharedState::read(&link), (state, None), "{link}");
            assert!(link.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte)));
            assert!(link.ends_with(|last: char| last.is_ascii_alphanumeric()));
        }
        assert!(sample().link().len() < 1010, "{}", sample().link().len());
    }

    #[test]
    fn any_wrong_character_is_noticed() {
        let link = sample().link();
        for at in 2..link.len() {
            let other = if link.as_bytes()[at] == b'x' { "y" } else { "x" };
            let mut damaged = link.clone();
            damaged.replace_range(at..=at, other);
            assert!(SharedState::read(&damaged).1.is_some(), "{at}");
        }
    }

    #[test]
    fn a_link_that_was_cut_off_keeps_what_is_in_it() {
        let link = sample().link();
        let (kept, problem) = SharedState::read(&link[..link.len() * 3 / 4]);
        assert!(problem.is_some_and(|problem| problem.contains("shown")));
        assert_eq!((kept.name.as_str(), kept.at), ("loop.ir", Some(1)));
        assert!(sample().input.starts_with(&kept.input) && kept.input.len() > 300, "{}", kept.input.len());
    }

    #[test]
    fn invalid_links_are_reported() {
        for text in ["", "1", "2x", "1d", "1m", "1dä", "1mä", "hello", "1d????", "1m????", "1mAAAA"] {
            assert!(SharedState::read(text).1.is_some(), "{text}");
        }
    }
}
