//! Text to words. Accepts what spirv-as accepts, reports every error with its place, and continues after it.
//!
//! * Instructions may span lines; one begins at `Op` with a capital, at `%id =`, or at a word (`!0x…`) in front
//!   of a line. Only the last is ours: elsewhere it would belong to the instruction before.
//! * `!` and a number is a word as it is. After one, an instruction has only words, numbers, texts and ids.
//! * The comments a disassembly begins with give version, generator, bound and schema back to the header.
//! * An instruction with an error is left out, so that words and text stay in step.

use super::asm_ids::AsmIds;
use super::asm_inst::{Asm, AsmError};
use super::decode::Context;
use super::grammar::Expected;
use super::tokens::{TokenKind, Tokens};
use super::tools::tool_number;
use super::words::{HEADER_WORDS, Instruction, MAGIC};
use super::{MOST_DIAGS, push};
use crate::ir::{Anchor, Diag, Diags};

/// Errors that come with a suggestion: looking for one costs more than all else about an error.
const MOST_SUGGESTIONS: usize = 10;

/// How a text is assembled.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct AsmOptions {
    /// `%12` is id 12. Otherwise numbers are names like any other, and ids are counted from 1 as they come.
    pub preserve_ids: bool,
    /// Take the header from the comments in front, where they say something.
    pub read_header: bool,
    /// Version, major and minor, where no comment says it.
    pub version: (u8, u8),
    /// The tool to name in the header, where no comment says it.
    pub generator: u32,
}

impl Default for AsmOptions {
    fn default() -> AsmOptions {
        AsmOptions { preserve_ids: false, read_header: true, version: (1, 6), generator: 0 }
    }
}

/// Which text an instruction was made of.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Line {
    /// Its offset in the words.
    pub word: u32,
    /// First byte of its text.
    pub start: u32,
    /// Length of its text in bytes.
    pub len: u32,
}

/// What came of a text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Assembled {
    /// The module, less the instructions with errors.
    pub words: Vec<u32>,
    /// What is wrong with the text, each with its place.
    pub diags: Diags,
    /// The text of every instruction, in order.
    pub lines: Vec<Line>,
}

/// Assembles a text. Total, and linear in its length.
pub fn assemble(text: &str, options: &AsmOptions) -> Assembled {
    let mut diags = Diags::new();
    if text.len() > u32::MAX as usize {
        let says = "the text is longer than 4 GiB";
        diags.push(Diag::error("S120", Anchor::Module).says(says).help("places in it cannot be counted"));
        return Assembled { words: Vec::new(), diags, lines: Vec::new() };
    }
    let (major, minor) = options.version;
    let version = u32::from(major) << 16 | u32::from(minor) << 8;
    let mut asm = Asm {
        tokens: Tokens::new(text),
        words: vec![MAGIC, version, options.generator, 0, 0],
        ids: AsmIds::new(text, options.preserve_ids),
        context: Context::for_words(text.len() / 2),
        expected: Expected::default(),
        end: 0,
        suggest: true,
    };
    if options.read_header {
        read_header(text, &mut asm.words);
    }
    let mut lines = Vec::new();
    while asm.tokens.now.kind != TokenKind::End {
        let (begin, start) = (asm.words.len(), asm.tokens.now.start);
        match asm.instruction() {
            Ok(()) => {
                asm.note(begin);
                let len = (asm.end - start) as u32;
                lines.push(Line { word: begin as u32, start: start as u32, len });
            }
            Err(bad) => {
                asm.words.truncate(begin);
                // Finding the column of an error that is not kept could cost a whole long line, each time.
                if diags.len() <= MOST_DIAGS {
                    push(&mut diags, say(bad, text));
                }
                asm.suggest = diags.len() < MOST_SUGGESTIONS;
                asm.recover();
            }
        }
    }
    asm.words[3] = if options.preserve_ids { asm.words[3].max(asm.ids.bound) } else { asm.ids.bound };
    Assembled { words: asm.words, diags, lines }
}

fn say(bad: AsmError<'_>, text: &str) -> Diag {
    let place = bad.token.place(text);
    let diag = Diag::error(bad.code, Anchor::Span(place.start, place.len)).says(bad.says).placed(place);
    match bad.help {
        Some(help) => diag.help(help),
        None => diag,
    }
}

/// Takes what the comments in front say over into a header.
fn read_header(text: &str, header: &mut [u32]) {
    let text = text.trim_start_matches('\u{feff}');
    let comments = text.lines().map(str::trim).take_while(|line| line.is_empty() || line.starts_with(';'));
    for line in comments.take(16) {
        let Some((key, value)) = line.trim_start_matches([';', ' ']).split_once(':') else { continue };
        let value = value.trim();
        let found = match key {
            "Version" => read_version(value).map(|word| (1, word)),
            "Generator" => read_generator(value).map(|word| (2, word)),
            "Bound" => value.parse().ok().map(|word| (3, word)),
            "Schema" => value.parse().ok().map(|word| (4, word)),
            _ => None,
        };
        if let Some((at, word)) = found {
            header[at] = word;
        }
    }
}

fn read_version(value: &str) -> Option<u32> {
    if let Some(hex) = value.strip_prefix("0x") {
        return u32::from_str_radix(hex, 16).ok();
    }
    let (major, minor) = value.split_once('.')?;
    Some(u32::from(major.parse::<u8>().ok()?) << 16 | u32::from(minor.parse::<u8>().ok()?) << 8)
}

fn read_generator(value: &str) -> Option<u32> {
    let (tool, version) = value.rsplit_once(';')?;
    Some(u32::from(tool_number(tool.trim())?) << 16 | u32::from(version.trim().parse::<u16>().ok()?))
}

impl Asm<'_> {
    /// Tells the context about the instruction just made.
    fn note(&mut self, begin: usize) {
        let words = &self.words[begin..];
        let Some(&first) = words.first() else { return };
        if first >> 16 == words.len() as u32 {
            self.context.note(&Instruction { opcode: first as u16, offset: begin as u32, words });
        }
    }

    /// Skips to the next line, or to an instruction on this one.
    fn recover(&mut self) {
        while self.tokens.now.kind != TokenKind::End && !self.tokens.at_start() && !self.tokens.now.is_first {
            self.tokens.advance();
        }
    }
}

const _: () = assert!(HEADER_WORDS == 5, "the header is written out above");
