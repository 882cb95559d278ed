//! Text to words. Accepts what spirv-as accepts, reports every error with its position, and continues after it.
//!
//! * Instructions may span lines. One begins at `Op` with a capital letter, at `%id =`, or at a word (`!0x…`)
//!   at the start of a line. Only the last is an extension: elsewhere a word belongs to the instruction
//!   before it.
//! * `!` and a number is a raw word. After one, an instruction has only words, numbers, strings and ids.
//! * The comments at the start of a disassembly give version, generator, bound and schema of the header.
//! * An instruction with an error is left out, so that words and text correspond.

use super::asm_ids::AsmIds;
use super::asm_inst::{Asm, AsmError};
use super::decode::Context;
use super::grammar::Expected;
use super::tokens::{TokenKind, Tokens};
use super::tools::tool_number;
use super::words::{HEADER_WORDS, Instruction, MAGIC};
use super::{MOST_DIAGS, push};
use vitrine_ir::{Anchor, Diag, Diags};
use vitrine_text::AsmLine;

/// The number of errors with a suggestion: finding one costs more than all other work for an error.
const MOST_SUGGESTIONS: usize = 10;

/// Options of the assembler.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct AsmOptions {
    /// `%12` is id 12. Otherwise numbers are ordinary names, and ids are numbered from 1 in order of
    /// appearance.
    pub preserve_ids: bool,
    /// Read the header from the comments at the start of the text.
    pub read_header: bool,
    /// Version, major and minor, if no comment states it.
    pub version: (u8, u8),
    /// The tool to name in the header, if no comment states it.
    pub generator: u32,
}

impl Default for AsmOptions {
    fn default() -> AsmOptions {
        AsmOptions { preserve_ids: false, read_header: true, version: (1, 6), generator: 0 }
    }
}

/// The result of assembling a text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Assembled {
    /// The module without the instructions that have errors.
    pub words: Vec<u32>,
    /// The errors of the text, with their positions.
    pub diags: Diags,
    /// The text of every instruction, in order.
    pub lines: Vec<AsmLine>,
}

/// Assembles a text. Never fails; linear in its length.
pub fn assemble(text: &str, options: &AsmOptions) -> Assembled {
    let mut diags = Diags::new();
    if text.len() > u32::MAX as usize {
        let message = "the text is longer than 4 GiB";
        diags.push(
            Diag::error("S120", Anchor::Module)
                .says(message)
                .help("positions in it would not fit in 32 bits"),
        );
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
                lines.push(AsmLine { word: begin as u32, start: start as u32, len });
            }
            Err(bad) => {
                asm.words.truncate(begin);
                // The column of an error costs a walk over its line, so it is not computed for errors that
                // are not kept.
                if diags.len() <= MOST_DIAGS {
                    push(&mut diags, diagnostic(bad, text));
                }
                asm.suggest = diags.len() < MOST_SUGGESTIONS;
                asm.recover();
            }
        }
    }
    asm.words[3] = if options.preserve_ids { asm.words[3].max(asm.ids.bound) } else { asm.ids.bound };
    Assembled { words: asm.words, diags, lines }
}

fn diagnostic(bad: AsmError<'_>, text: &str) -> Diag {
    let place = bad.token.place(text);
    let diag = Diag::error(bad.code, Anchor::Span(place.start, place.len)).says(bad.message).placed(place);
    match bad.help {
        Some(help) => diag.help(help),
        None => diag,
    }
}

/// Copies the values in the comments at the start into a header.
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
    /// Records the new instruction in the context.
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
