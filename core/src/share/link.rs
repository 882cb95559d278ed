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
//! ([`super::context_mixing`]); `d`, of older links, deflates all fields.

use super::context_mixing;
use crate::front::base64;
use miniz_oxide::inflate::decompress_to_vec_with_limit;

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
    /// Twice the number of the chosen overlay, and 1 more if it is shown.
    pub overlay: u32,
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
        field(b'o', &if self.overlay == 0 { Vec::new() } else { number(self.overlay) });
        // The view is written first: it is kept if the end of a link is lost.
        let mut payload = Vec::new();
        let packed = context_mixing::pack(&view);
        push_number(&mut payload, view.len());
        push_number(&mut payload, packed.len());
        payload.extend(packed);
        push_number(&mut payload, self.input.len());
        payload.extend(context_mixing::pack(&self.input));
        let mut link = String::from("1m");
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
            _ => {
                return (
                    SharedState::default(),
                    Some("this is not a link of Vitrine, or it is from a newer release"),
                );
            }
        };
        let (body, said) = link.split_at(link.len().saturating_sub(CHECK).max(2));
        let is_whole = check(body) == said;
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
                b'o' => state.overlay = number().unwrap_or(0),
                b'i' => state.input = bytes.to_vec(),
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
    let split = || {
        let (view_length, rest) = take_number(bytes)?;
        let (packed_length, rest) = take_number(rest)?;
        let (packed, rest) = rest.split_at(packed_length.min(rest.len()));
        let view = context_mixing::unpack(packed, view_length.min(MOST_VIEW_BYTES));
        let input = take_number(rest).unwrap_or((0, &[]));
        Some((view, view_length, input))
    };
    let Some((view, view_length, (length, packed))) = split() else { return (SharedState::default(), false) };
    let state = SharedState::of_fields(&view);
    let input = context_mixing::unpack(packed, length.min(MOST_BYTES));
    let is_complete = view.len() == view_length && input.len() == length;
    (SharedState { input, ..state }, is_complete)
}

/// Seven bits a byte, the lowest first.
fn push_number(out: &mut Vec<u8>, mut number: usize) {
    while number > 127 {
        out.push(number as u8 | 128);
        number >>= 7;
    }
    out.push(number as u8);
}

fn take_number(bytes: &[u8]) -> Option<(usize, &[u8])> {
    let mut number = 0;
    for (at, &byte) in bytes.iter().take(4).enumerate() {
        number |= usize::from(byte & 127) << (7 * at);
        if byte < 128 {
            return Some((number, bytes.get(at + 1..).unwrap_or(&[])));
        }
    }
    None
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
    let hash = text.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
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
            overlay: 5,
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
        assert!(sample().link().len() < 900, "{}", sample().link().len());
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
