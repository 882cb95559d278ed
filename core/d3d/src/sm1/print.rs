//! Disassembly: programs as text that assembles to the same words.
//!
//! An instruction whose tokens say more than its spelling can is written as numbers, as is a comment:
//! `.word 0x0000002b`, `.comment 0x42415443 …`. Spellings are those of the vendor's assembler. The table of constants is
//! written before the program as remarks, too.

use std::fmt::Write;
use std::ops::Range;

use super::constants::listing;
use super::encode::{encode_comment, encode_inst};
use super::inst::{ALL_COMPONENTS, Declaration, Definition, Dst, IDENTITY, Index, Inst, SHIFTS, Src};
use super::number::float;
use super::program::{ItemKind, Program};
use super::register::{File, Register, TEXTURE_TYPES, USAGES};
use super::table::{Layout, Op};
use super::version::Version;

/// Words of a `.word` or `.comment` line.
const WORDS_OF_LINE: usize = 8;

/// Options of a disassembly.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PrintOptions {
    /// Comments are written as words; otherwise they are left out, and the text assembles to the program without them.
    pub comments: bool,
}

impl Default for PrintOptions {
    fn default() -> PrintOptions {
        PrintOptions { comments: true }
    }
}

/// A disassembly.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Disassembly {
    /// The text, a line for each instruction.
    pub text: String,
    /// The bytes of the text that each item of the program takes, with the index of the item.
    pub items: Vec<(Range<u32>, u32)>,
}

/// The text of a program.
pub fn disassembly(program: &Program, options: &PrintOptions) -> String {
    disassemble(program, options).text
}

/// The text of a program, and where each item is. Linear.
pub fn disassemble(program: &Program, options: &PrintOptions) -> Disassembly {
    let mut out = Disassembly::default();
    let Some(version) = program.version else { return out };
    if let Some((table, _)) = program.constants() {
        out.text.push_str(&listing(&table));
    }
    out.text.push_str(version.name());
    out.text.push('\n');
    let mut depth = 0usize;
    let mut words = Vec::new();
    for (at, item) in program.items.iter().enumerate() {
        let start = out.text.len();
        words.clear();
        match &item.kind {
            ItemKind::Inst(inst) if is_spelled(inst, version) => {
                depth = depth.saturating_sub(usize::from(ends_block(inst.op)));
                indent(&mut out.text, depth);
                instruction(&mut out.text, inst, version);
                out.text.push('\n');
                depth += usize::from(begins_block(inst.op));
            }
            ItemKind::Inst(inst) => {
                encode_inst(inst, version, &mut words);
                rows(&mut out.text, ".word", &words);
            }
            ItemKind::Words(raw) => rows(&mut out.text, ".word", raw),
            ItemKind::Comment(comment) if options.comments => {
                encode_comment(comment, &mut words);
                rows(&mut out.text, ".comment", words.get(1..).unwrap_or(&[]));
            }
            ItemKind::Comment(_) => {}
        }
        out.items.push((start as u32..out.text.len() as u32, at as u32));
    }
    if !program.has_end {
        out.text.push_str(".noend\n");
    }
    out
}

/// Lines of words. The rows of one comment end in a backslash, except for the last one.
fn rows(out: &mut String, directive: &str, words: &[u32]) {
    let count = words.len().div_ceil(WORDS_OF_LINE).max(1);
    for row in 0..count {
        let start = row * WORDS_OF_LINE;
        let part = words.get(start..words.len().min(start + WORDS_OF_LINE)).unwrap_or(&[]);
        out.push_str(if row == 0 { directive } else { "   " });
        for word in part {
            // Writing into a string cannot fail.
            let _ = write!(out, " {word:#010x}");
        }
        out.push_str(if row + 1 < count { " \\\n" } else { "\n" });
    }
}

/// Indentation, at most 16 levels, so that text stays linear in the program.
fn indent(out: &mut String, depth: usize) {
    (0..depth.min(16)).for_each(|_| out.push_str("  "));
}

/// Returns true if the following instructions are inside of a block.
pub(super) fn begins_block(op: Op) -> bool {
    matches!(op, Op::If | Op::IfC | Op::Else | Op::Loop | Op::Rep)
}

/// Returns true if a block ends before the instruction.
pub(super) fn ends_block(op: Op) -> bool {
    matches!(op, Op::EndIf | Op::Else | Op::EndLoop | Op::EndRep)
}

/// Returns true if the spelling of an instruction has all of its meaning.
fn is_spelled(inst: &Inst, version: Version) -> bool {
    inst.op.info().is_in(version)
        && inst.dst.iter().all(|dst| is_spelled_dst(dst, inst, version))
        && inst.predicate.iter().chain(inst.sources()).all(|src| is_spelled_src(src, version))
        && inst.declaration.iter().all(|of| match &inst.dst {
            Some(dst) => declared(of, dst, version).is_some(),
            None => false,
        })
        && match inst.definition {
            Some(Definition::Bool(value)) => value <= 1,
            Some(Definition::Float(_) | Definition::Int(_)) | None => true,
        }
}

fn is_spelled_dst(dst: &Dst, inst: &Inst, version: Version) -> bool {
    let is_plain = dst.shift == 0 && !dst.saturate && !dst.partial && !dst.centroid;
    let layout = inst.op.info().layout;
    let has_suffixes = !matches!(layout, Layout::DefineFloat | Layout::DefineInt | Layout::DefineBool);
    let has_shift = SHIFTS.iter().any(|(shift, _)| *shift == dst.shift) && layout != Layout::Declare;
    dst.mask != 0
        && (dst.shift == 0 || has_shift)
        && (is_plain || has_suffixes)
        && (dst.index.is_none() || dst.register.own_name().is_none())
        && dst.index.iter().all(|index| is_spelled_index(index, version))
        && has_name(dst.register, version)
}

fn is_spelled_src(src: &Src, version: Version) -> bool {
    (src.index.is_none() || src.register.own_name().is_none())
        && src.index.iter().all(|index| is_spelled_index(index, version))
        && has_name(src.register, version)
}

fn is_spelled_index(index: &Index, version: Version) -> bool {
    match index.register.file {
        File::Loop => index.register.number == 0 && index.swizzle == IDENTITY,
        File::Address => replicated(index.swizzle).is_some() && has_name(index.register, version),
        _ => false,
    }
}

/// Returns true if the name of a register reads back as it.
fn has_name(register: Register, version: Version) -> bool {
    let mut name = String::new();
    register.spell(&mut name);
    Register::from_name(&name, version) == Some(register)
}

/// The component that all of a swizzle are.
fn replicated(swizzle: u8) -> Option<u8> {
    let one = swizzle & 3;
    (swizzle == one * 0x55).then_some(one)
}

/// The suffix of a declaration, with its underscore; none if it has no spelling.
fn declared(of: &Declaration, dst: &Dst, version: Version) -> Option<String> {
    if dst.register.file == File::Sampler {
        let texture = *TEXTURE_TYPES.get(usize::from(of.texture))?;
        let is_plain = of.usage == 0 && of.index == 0;
        return is_plain.then(|| if texture.is_empty() { String::new() } else { format!("_{texture}") });
    }
    if of.texture != 0 {
        return None;
    }
    if !has_semantic(dst.register.file, version) {
        return (of.usage == 0 && of.index == 0).then(String::new);
    }
    let usage = *USAGES.get(usize::from(of.usage))?;
    let index = if of.index == 0 { String::new() } else { of.index.to_string() };
    Some(format!("_{usage}{index}"))
}

/// Returns true if declarations of a register file have a semantic.
pub(super) fn has_semantic(file: File, version: Version) -> bool {
    match file {
        File::Input => version.is_vertex() || version.major >= 3,
        File::Output => true,
        _ => false,
    }
}

/// Appends an instruction without its line break.
pub(super) fn instruction(out: &mut String, inst: &Inst, version: Version) {
    if inst.coissue {
        out.push_str("+ ");
    }
    if let Some(predicate) = &inst.predicate {
        out.push('(');
        source(out, predicate, version);
        out.push_str(") ");
    }
    let (name, comparison) = inst.name();
    out.push_str(name);
    if !comparison.is_empty() {
        out.push('_');
        out.push_str(comparison);
    }
    if let (Some(of), Some(dst)) = (&inst.declaration, &inst.dst) {
        out.push_str(&declared(of, dst, version).unwrap_or_default());
    }
    if let Some(dst) = &inst.dst {
        suffixes(out, dst);
        out.push(' ');
        destination(out, dst, version);
    }
    for (at, src) in inst.sources().iter().enumerate() {
        out.push_str(if at > 0 || inst.dst.is_some() { ", " } else { " " });
        source(out, src, version);
    }
    if let Some(definition) = &inst.definition {
        define(out, definition);
    }
}

fn suffixes(out: &mut String, dst: &Dst) {
    if let Some((_, shift)) = SHIFTS.iter().find(|(shift, _)| *shift == dst.shift) {
        out.extend(["_", shift]);
    }
    for (is_set, suffix) in [(dst.saturate, "_sat"), (dst.partial, "_pp"), (dst.centroid, "_centroid")] {
        if is_set {
            out.push_str(suffix);
        }
    }
}

fn register(out: &mut String, of: Register, index: Option<Index>, version: Version) {
    let Some(index) = index else { return of.spell(out) };
    out.push_str(of.prefix());
    // The spelling of model 1 has the number inside of the brackets.
    if version.has_lengths() {
        out.push_str(&of.number.to_string());
    }
    out.push('[');
    index.register.spell(out);
    if index.register.file == File::Address {
        out.push('.');
        out.push(b"xyzw"[usize::from(index.swizzle & 3)] as char);
    }
    if !version.has_lengths() && of.number > 0 {
        out.push_str(" + ");
        out.push_str(&of.number.to_string());
    }
    out.push(']');
}

fn destination(out: &mut String, dst: &Dst, version: Version) {
    register(out, dst.register, dst.index, version);
    if dst.mask != ALL_COMPONENTS {
        out.push('.');
        (0..4).filter(|at| dst.mask >> at & 1 != 0).for_each(|at| out.push(b"xyzw"[at] as char));
    }
}

/// Appends a source.
fn source(out: &mut String, src: &Src, version: Version) {
    let (before, after) = src.modifier.spelling();
    out.push_str(before);
    register(out, src.register, src.index, version);
    out.push_str(after);
    if src.swizzle != IDENTITY {
        out.push('.');
        let count = if replicated(src.swizzle).is_some() { 1 } else { 4 };
        (0..count).for_each(|at| out.push(b"xyzw"[usize::from(src.component(at))] as char));
    }
}

fn define(out: &mut String, definition: &Definition) {
    match definition {
        Definition::Float(values) => values.iter().for_each(|bits| {
            out.push_str(", ");
            float(out, *bits);
        }),
        Definition::Int(values) => values.iter().for_each(|value| {
            let _ = write!(out, ", {}", value.cast_signed());
        }),
        Definition::Bool(value) => out.push_str(if *value == 0 { ", false" } else { ", true" }),
    }
}
