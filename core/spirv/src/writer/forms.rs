//! SPIR-V as a back end, twice: the binary, and its disassembly.
//!
//! Both write the same words ([`super::write_with_trail`]). Each instruction of the result is mapped to the part of the
//! program that it was written for: an instruction with a result to the owner of that id, one without to the
//! instruction that was being written, and a terminator to the block.

use super::{Options, Trail, write_with_trail};
use crate::spec::Op as S;
use crate::{Binary, DisOptions, disassemble};
use rustc_hash::FxHashMap;
use vitrine_forms::{Backend, Output, Source};
use vitrine_ir::{Anchor, Diag};
use vitrine_text::{Class, Fold, Link, Sink};

/// The preset that prepares a module for both.
const PRESET: &str = "spirv-legalize";

/// A SPIR-V binary.
pub const SPIRV: &dyn Backend = &SpirvBinary;

/// SPIR-V text.
pub const SPIRV_TEXT: &dyn Backend = &SpirvText;

struct SpirvBinary;

struct SpirvText;

impl Backend for SpirvBinary {
    fn name(&self) -> &'static str {
        "spirv"
    }

    fn doc(&self) -> &'static str {
        "SPIR-V binary."
    }

    fn label(&self) -> &'static str {
        "SPIR-V binary"
    }

    fn extensions(&self) -> &'static [&'static str] {
        &["spv"]
    }

    fn media(&self) -> &'static str {
        "application/octet-stream"
    }

    fn preset(&self) -> Option<&'static str> {
        Some(PRESET)
    }

    fn write(&self, source: &Source<'_>, out: &mut Output<'_>) -> Result<(), Vec<Diag>> {
        let (binary, anchors) = words(source)?;
        let mut done = 0;
        let bytes: Vec<u8> = binary.words().iter().flat_map(|word| word.to_le_bytes()).collect();
        for inst in binary.instructions() {
            let (start, end) = (inst.offset as usize * 4, (inst.offset as usize + inst.words.len()) * 4);
            out.push_bytes(bytes.get(done..end).unwrap_or(&[]));
            done = done.max(end);
            if let Some(&anchor) = anchors.get(&inst.offset) {
                out.place(start as u32, anchor);
            }
        }
        out.push_bytes(bytes.get(done..).unwrap_or(&[]));
        Ok(())
    }
}

impl Backend for SpirvText {
    fn name(&self) -> &'static str {
        "spvasm"
    }

    fn doc(&self) -> &'static str {
        "SPIR-V text."
    }

    fn label(&self) -> &'static str {
        "SPIR-V text"
    }

    fn language(&self) -> Option<&'static str> {
        Some("SPIR-V")
    }

    fn extensions(&self) -> &'static [&'static str] {
        &["spvasm"]
    }

    fn media(&self) -> &'static str {
        "text/plain"
    }

    fn preset(&self) -> Option<&'static str> {
        Some(PRESET)
    }

    fn write(&self, source: &Source<'_>, out: &mut Output<'_>) -> Result<(), Vec<Diag>> {
        let (binary, anchors) = words(source)?;
        let options = DisOptions { friendly: true, align: source.options.align, header: true };
        disassemble(&binary, &options, &mut Resolved { anchors, out });
        Ok(())
    }
}

/// The words, and the part of the program that each instruction was written for, by its first word.
fn words(source: &Source<'_>) -> Result<(Binary, FxHashMap<u32, Anchor>), Vec<Diag>> {
    let options = Options { as_in: source.options.as_in };
    let (words, trail) = write_with_trail(source.module, options).map_err(|diag| vec![diag])?;
    let (binary, _) = Binary::from_words(words);
    let anchors = anchors(&binary, &trail);
    Ok((binary, anchors))
}

fn anchors(binary: &Binary, trail: &Trail) -> FxHashMap<u32, Anchor> {
    let of_id = |id: u32| {
        let at = trail.ids.partition_point(|&(first, _)| first < id);
        trail.ids.get(at).filter(|&&(first, _)| first == id).map(|&(_, anchor)| anchor)
    };
    let mut found = FxHashMap::default();
    let mut block = None;
    for inst in binary.instructions() {
        let result = inst.result();
        let anchor = match S::from_u32(u32::from(inst.opcode)) {
            _ if result.is_some() => result.and_then(of_id),
            Some(S::Line | S::NoLine | S::FunctionEnd) => None,
            Some(
                S::Branch
                | S::BranchConditional
                | S::Switch
                | S::Return
                | S::ReturnValue
                | S::Kill
                | S::Unreachable
                | S::TerminateInvocation
                | S::SelectionMerge
                | S::LoopMerge,
            ) => block,
            Some(_) | None => {
                let next = trail.words.partition_point(|&(word, _)| word <= inst.offset);
                next.checked_sub(1).and_then(|at| trail.words.get(at)).map(|&(_, anchor)| anchor)
            }
        };
        if matches!(anchor, Some(Anchor::Block(..))) {
            block = anchor;
        }
        found.extend(anchor.map(|anchor| (inst.offset, anchor)));
    }
    found
}

/// Replaces the words that a disassembly links to by the parts of the program that they were written for.
/// Words of types and other declarations have no part and are unchanged.
struct Resolved<'o, 's> {
    anchors: FxHashMap<u32, Anchor>,
    out: &'o mut Output<'s>,
}

impl Resolved<'_, '_> {
    fn part(&self, anchor: Anchor) -> Anchor {
        match anchor {
            Anchor::Word(word) => self.anchors.get(&word).copied().unwrap_or(anchor),
            other => other,
        }
    }
}

impl Sink for Resolved<'_, '_> {
    fn put(&mut self, class: Class, text: &str, link: Link) {
        let link = match link {
            Link::None => Link::None,
            // An instruction without a result defines nothing: a branch is not its block.
            Link::Def(Anchor::Word(word)) if !text.starts_with('%') && self.anchors.contains_key(&word) => {
                Link::Use(self.part(Anchor::Word(word)))
            }
            Link::Def(anchor) => Link::Def(self.part(anchor)),
            Link::Use(anchor) => Link::Use(self.part(anchor)),
        };
        self.out.put(class, text, link);
    }

    fn open_line(&mut self, depth: usize) {
        self.out.open_line(depth);
    }

    fn close_line(&mut self) {
        self.out.close_line();
    }

    fn fold(&mut self, at: Fold) {
        self.out.fold(at);
    }
}
