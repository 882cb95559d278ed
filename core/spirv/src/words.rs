//! The binary form: a header of five words, then instructions that begin with their length.
//!
//! Every length is checked here, before any instruction is decoded. Words after a bad length cannot be split
//! into instructions and are kept as they are.

use super::push;
use std::borrow::Cow;
use vitrine_ir::{Anchor, Diag, Diags};

/// The first word of a module.
pub const MAGIC: u32 = 0x0723_0203;

/// Words before the first instruction.
pub const HEADER_WORDS: usize = 5;

/// The largest number of ids that the specification allows.
const MOST_IDS: u32 = 4_194_303;

/// The fields of the header, except the magic number.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Header {
    /// Version as a word: `0x00010600` is 1.6.
    pub version: u32,
    /// The tool that generated the module: its number in the upper half, its version in the lower.
    pub generator: u32,
    /// The declared bound of all ids. Never used to allocate memory.
    pub bound: u32,
    /// Reserved; 0.
    pub schema: u32,
}

impl Header {
    /// The version as major and minor number, if the word has no other bits.
    pub fn version_pair(&self) -> Option<(u8, u8)> {
        let [high, major, minor, low] = self.version.to_be_bytes();
        (high == 0 && low == 0).then_some((major, minor))
    }
}

/// A complete instruction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Instruction<'b> {
    /// The opcode; may be unknown.
    pub opcode: u16,
    /// Its offset, in words from the start of the module.
    pub offset: u32,
    /// All its words, including the first one with opcode and length. Never empty.
    pub words: &'b [u32],
}

impl Instruction<'_> {
    /// Its anchor, for diagnostics and links.
    pub fn anchor(&self) -> Anchor {
        Anchor::Word(self.offset)
    }

    /// The id it defines, if it defines one.
    pub fn result(&self) -> Option<u32> {
        let info = super::grammar::op(self.opcode).filter(|info| info.has_result)?;
        self.words.get(info.head().checked_sub(1)?).copied()
    }
}

/// A module in its binary form, as far as it can be split into instructions.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Binary {
    /// The header; fields beyond the end of the input are 0.
    pub header: Header,
    words: Vec<u32>,
    /// First word that belongs to no instruction.
    end: usize,
}

impl Binary {
    /// Reads bytes in either byte order.
    ///
    /// Errors have the offset of the word; everything before it remains readable.
    pub fn read(bytes: &[u8]) -> (Binary, Diags) {
        let mut diags = Diags::new();
        let chunks = bytes.chunks_exact(4);
        let over = chunks.remainder().len();
        let mut words: Vec<u32> =
            chunks.map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]])).collect();
        if words.first() == Some(&MAGIC.swap_bytes()) {
            words.iter_mut().for_each(|word| *word = word.swap_bytes());
        }
        if over != 0 {
            let message = format!("the input ends with {over} of the 4 bytes of a word");
            let help = "the file may be cut off, or may not be SPIR-V";
            push(&mut diags, Diag::error("S101", Anchor::Word(words.len() as u32)).says(message).help(help));
        }
        let (binary, more) = Binary::from_words(words);
        more.into_iter().for_each(|diag| push(&mut diags, diag));
        (binary, diags)
    }

    /// Reads words.
    pub fn from_words(mut words: Vec<u32>) -> (Binary, Diags) {
        let mut diags = Diags::new();
        // Offsets are 32-bit word offsets: words beyond 16 GiB have none.
        words.truncate(u32::MAX as usize);
        let at = |index: usize| words.get(index).copied().unwrap_or(0);
        let header = Header { version: at(1), generator: at(2), bound: at(3), schema: at(4) };
        let end = match judge_header(&words, &header, &mut diags) {
            true => walk(&words, &mut diags),
            false => 0,
        };
        (Binary { header, words, end }, diags)
    }

    /// All words, header included, in native order.
    pub fn words(&self) -> &[u32] {
        &self.words
    }

    /// The words after the last readable instruction. Empty in a valid module.
    pub fn unread(&self) -> &[u32] {
        &self.words[self.end.max(HEADER_WORDS.min(self.words.len()))..]
    }

    /// The instructions in order.
    pub fn instructions(&self) -> impl Iterator<Item = Instruction<'_>> {
        let mut offset = HEADER_WORDS;
        std::iter::from_fn(move || {
            let inst = self.instruction_at(offset as u32)?;
            offset += inst.words.len();
            Some(inst)
        })
    }

    /// The instruction that begins at a word; only for offsets of an [`Instruction`].
    pub fn instruction_at(&self, offset: u32) -> Option<Instruction<'_>> {
        let rest = self.words.get(..self.end)?.get(offset as usize..)?;
        let &first = rest.first()?;
        let words = rest.get(..(first >> 16) as usize)?;
        (!words.is_empty()).then_some(Instruction { opcode: first as u16, offset, words })
    }
}

/// Reports errors of the header. Returns false if the rest cannot be read.
fn judge_header(words: &[u32], header: &Header, diags: &mut Diags) -> bool {
    let mut report = |word: u32, message: String, help: &str| {
        push(diags, Diag::error("S102", Anchor::Word(word)).says(message).help(help));
    };
    if words.is_empty() {
        report(0, "the input is empty".to_owned(), "a module begins with a header of 5 words");
        return false;
    }
    if words[0] != MAGIC {
        let message = format!("the first word is {:#010x}, but a module begins with {MAGIC:#010x}", words[0]);
        report(0, message, "the input may not be SPIR-V");
        return false;
    }
    if words.len() < HEADER_WORDS {
        let message = format!("the header has {} of its {HEADER_WORDS} words", words.len());
        report(words.len() as u32, message, "the file may be cut off");
        return false;
    }
    if !matches!(header.version_pair(), Some((1, 0..=6))) {
        let message = match header.version_pair() {
            Some((major, minor)) => format!("version {major}.{minor} is unknown"),
            None => format!("{:#010x} is not a version", header.version),
        };
        report(1, message, "versions 1.0 to 1.6 are supported; the module is read as if it were 1.6");
    }
    if header.bound == 0 {
        report(3, "the id bound is 0".to_owned(), "it is one more than the largest id");
    } else if header.bound > MOST_IDS + 1 {
        let message = format!("the id bound is {}, more than the {MOST_IDS} ids allowed", header.bound);
        let diag = Diag::warning("S103", Anchor::Word(3)).says(message);
        push(diags, diag.help("it is one more than the largest id; compact the ids"));
    }
    if header.schema != 0 {
        let message = format!("the last word of the header is {}, which has no meaning", header.schema);
        push(
            diags,
            Diag::warning("S103", Anchor::Word(4)).says(message).help("it is reserved and should be 0"),
        );
    }
    true
}

/// The first word that belongs to no instruction.
fn walk(words: &[u32], diags: &mut Diags) -> usize {
    let mut at = HEADER_WORDS;
    while let Some(&first) = words.get(at) {
        let (length, left) = ((first >> 16) as usize, words.len() - at);
        if length == 0 {
            let message = format!("the instruction {first:#010x} has a length of 0 words");
            let help = "the length is the upper half of its first word; nothing after it can be read";
            push(diags, Diag::error("S104", Anchor::Word(at as u32)).says(message).help(help));
            break;
        }
        if length > left {
            let message =
                format!("the instruction {first:#010x} is {length} words long, but only {left} are left");
            let help = "the file may be cut off here, or a length before it may be wrong";
            push(diags, Diag::error("S105", Anchor::Word(at as u32)).says(message).help(help));
            break;
        }
        at += length;
    }
    at
}

/// The string at the start of `words`, and the number of words it takes; none if it is not terminated.
///
/// Bytes that are not UTF-8 are replaced; the words keep the original bytes.
pub fn string_of(words: &[u32]) -> Option<(Cow<'static, str>, usize)> {
    let (bytes, length) = string_bytes(words)?;
    let text = match String::from_utf8(bytes) {
        Ok(text) => text,
        Err(error) => String::from_utf8_lossy(error.as_bytes()).into_owned(),
    };
    Some((Cow::Owned(text), length))
}

/// The bytes of a string before its terminator, and the number of words it takes; none if it is not
/// terminated.
pub(super) fn string_bytes(words: &[u32]) -> Option<(Vec<u8>, usize)> {
    let last = string_end(words)?;
    let mut bytes: Vec<u8> = words[..=last].iter().flat_map(|word| word.to_le_bytes()).collect();
    let end = bytes.iter().position(|&byte| byte == 0).unwrap_or(bytes.len());
    bytes.truncate(end);
    Some((bytes, last + 1))
}

/// The word with the zero byte that terminates a string.
pub(super) fn string_end(words: &[u32]) -> Option<usize> {
    words.iter().position(|word| word.to_le_bytes().contains(&0))
}

/// Appends a string with its terminator and padding.
pub(super) fn push_string(out: &mut Vec<u32>, bytes: &[u8]) {
    let chunks = bytes.chunks_exact(4);
    let mut last = [0; 4];
    last[..chunks.remainder().len()].copy_from_slice(chunks.remainder());
    out.extend(chunks.map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]])));
    out.push(u32::from_le_bytes(last));
}
