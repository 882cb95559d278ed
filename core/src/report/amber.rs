//! An Amber script that runs a finding on a device: the program before and after the pass at fault, each with the results
//! that the original has.
//!
//! ```text
//! SHADER compute before SPIRV-ASM …      the pipeline `before` meets its expectations
//! SHADER compute after SPIRV-ASM …       the pipeline `after` fails if the pass is wrong on the device, too
//! ```
//!
//! The language is that of `docs/amber_script.md` of google/amber: buffers as words or bytes, `IDX` in bytes. A driver is at
//! fault if `before` fails. Refuses by name what a script cannot express or compare; see also `case`.

use super::case::{PlainBuffer, PlainCase, byte_of, defined};
use super::program::program_of;
use crate::ir::{Module, Stage};
use crate::lab::compare::Comparer;
use crate::ops::Width;
use std::fmt::Write;

/// Values on a line.
const ON_A_LINE: usize = 8;
/// The largest script, in bytes: all buffers are in it as text.
const MOST_BYTES: usize = 4 << 20;
/// A component of a pixel that is nearer to the middle of two bytes is not compared: devices may round either way.
const MIDDLE: f32 = 0.05;

/// The script of the finding of a comparison.
///
/// Errors: the construct that a script cannot express, in words.
pub fn amber(comparer: &Comparer, title: &str) -> Result<String, String> {
    let refused = |what: String| format!("an Amber script cannot express {what}");
    let (Some(finding), Some((entry, inputs))) = (comparer.finding(), comparer.shown()) else {
        return Err("nothing differs, so there is nothing to run".to_owned());
    };
    let module = |stage: usize| comparer.stages().get(stage).and_then(|stage| stage.module.as_ref());
    let (Some(first), Some(before), Some(after)) =
        (module(0), module(finding.against), module(finding.stage))
    else {
        return Err("a program of the finding cannot be read".to_owned());
    };
    let case = PlainCase::of(first, entry, inputs).map_err(refused)?;
    if case.stage == Stage::Fragment {
        let other =
            entry_of(after, &case).and_then(|entry| PlainCase::of(after, entry, inputs)).map_err(refused)?;
        if colors(&case) == colors(&other) {
            return Err(
                "a script cannot show the difference: the pixels of a frame of 8 bits are equal".to_owned()
            );
        }
    }
    let mut out = format!("#!amber\n# {}\n", one_line(title));
    let _ = writeln!(
        out,
        "# Inputs: {}. The results are those of the original in an interpreter.",
        one_line(&finding.trial)
    );
    out.push_str(
        "# If `before` fails, the fault is in the driver; if only `after` fails, it is in the pass.\n",
    );
    for (name, module) in [("before", before), ("after", after)] {
        shader(&mut out, name, module, &case).map_err(refused)?;
    }
    for name in ["before", "after"] {
        pipeline(&mut out, name, &case).map_err(refused)?;
    }
    match out.len() <= MOST_BYTES {
        true => Ok(out),
        false => Err(refused(format!("{} bytes of buffers within {MOST_BYTES} bytes of text", out.len()))),
    }
}

/// The entry point of the case in another program.
fn entry_of(module: &Module, case: &PlainCase) -> Result<usize, String> {
    let is_it =
        |entry: &crate::ir::EntryPoint| entry.stage == case.stage && module.text_of(entry.name) == case.entry;
    module
        .entries
        .iter()
        .position(is_it)
        .ok_or_else(|| format!("a program without the entry point `{}`", case.entry))
}

/// A text in a comment.
fn one_line(text: &str) -> String {
    text.chars().map(|char| if char.is_control() { ' ' } else { char }).collect()
}

fn stage_name(case: &PlainCase) -> &'static str {
    if case.stage == Stage::Fragment { "fragment" } else { "compute" }
}

/// The shader as text for `spirv-as`, with the version of SPIR-V that it needs.
fn shader(out: &mut String, name: &str, module: &Module, case: &PlainCase) -> Result<(), String> {
    entry_of(module, case)?;
    if case.entry.is_empty() || case.entry.contains(|char: char| char.is_whitespace() || char.is_control()) {
        return Err(format!("the name `{}` of the entry point, which has spaces", one_line(&case.entry)));
    }
    let program = program_of(module);
    if program.tool != "spirv-as" {
        return Err(format!("the program `{name}`, which is no SPIR-V"));
    }
    // The version that the text needs, not that of the module: the assembler ignores the comment.
    let version = program.text.lines().find_map(|line| line.strip_prefix("; Version: ")).unwrap_or("1.0");
    let _ = write!(
        out,
        "\nSHADER {} {name}_shader SPIRV-ASM TARGET_ENV spv{version}\n{}\nEND\n",
        stage_name(case),
        program.text.trim_end()
    );
    Ok(())
}

/// Buffers, pipeline, run and expectations of one of the programs.
fn pipeline(out: &mut String, name: &str, case: &PlainCase) -> Result<(), String> {
    out.push('\n');
    for buffer in &case.buffers {
        values(out, &buffer_name(name, buffer), &buffer.bytes);
    }
    if !case.push.is_empty() {
        values(out, &format!("{name}_push"), &case.push);
    }
    let is_fragment = case.stage == Stage::Fragment;
    let _ = match is_fragment {
        true => write!(
            out,
            "SHADER vertex {name}_vertex PASSTHROUGH\nBUFFER {name}_frame FORMAT B8G8R8A8_UNORM\n\
             PIPELINE graphics {name}\n  ATTACH {name}_vertex\n"
        ),
        false => writeln!(out, "PIPELINE compute {name}"),
    };
    let _ = write!(out, "  ATTACH {name}_shader ENTRY_POINT {}", case.entry);
    for spec in &case.specs {
        if ![Width::W1, Width::W32].contains(&spec.width) {
            return Err(format!("the specialization constant {}, which has no 32 bits", spec.id));
        }
        let _ = write!(out, " \\\n      SPECIALIZE {} AS uint32 {}", spec.id, spec.bits);
    }
    out.push('\n');
    for buffer in &case.buffers {
        let kind = if buffer.is_storage { "storage" } else { "uniform" };
        let (set, binding) = buffer.slot;
        let name = buffer_name(name, buffer);
        let _ = writeln!(out, "  BIND BUFFER {name} AS {kind} DESCRIPTOR_SET {set} BINDING {binding}");
    }
    if !case.push.is_empty() {
        let _ = writeln!(out, "  BIND BUFFER {name}_push AS push_constant");
    }
    let [width, height] = case.frame;
    let _ = match is_fragment {
        true => write!(
            out,
            "  FRAMEBUFFER_SIZE {width} {height}\n  BIND BUFFER {name}_frame AS color LOCATION 0\nEND\n\n\
             CLEAR_COLOR {name} 0 0 0 0\nCLEAR {name}\nRUN {name} DRAW_RECT POS 0 0 SIZE {width} {height}\n"
        ),
        false => {
            let [x, y, z] = case.groups;
            write!(out, "END\n\nRUN {name} {x} {y} {z}\n")
        }
    };
    expectations(out, name, case);
    Ok(())
}

fn buffer_name(name: &str, buffer: &PlainBuffer) -> String {
    format!("{name}_{}_{}", buffer.slot.0, buffer.slot.1)
}

/// A buffer of words, or of bytes if its size is no multiple of four.
fn values(out: &mut String, name: &str, bytes: &[u8]) {
    let is_words = bytes.len().is_multiple_of(4) && !bytes.is_empty();
    let _ = writeln!(out, "BUFFER {name} DATA_TYPE {} DATA", if is_words { "uint32" } else { "uint8" });
    // A buffer without bytes cannot be bound.
    let bytes = if bytes.is_empty() { &[0] } else { bytes };
    for line in numbers(bytes, is_words).chunks(ON_A_LINE) {
        let _ = writeln!(out, "  {}", line.join(" "));
    }
    out.push_str("END\n");
}

/// Numbers as text: words in hexadecimal, or bytes.
fn numbers(bytes: &[u8], is_words: bool) -> Vec<String> {
    match is_words {
        true => bytes
            .chunks_exact(4)
            .map(|word| {
                format!("{:#010x}", word.iter().rev().fold(0u32, |word, &byte| word << 8 | u32::from(byte)))
            })
            .collect(),
        false => bytes.iter().map(u8::to_string).collect(),
    }
}

/// The expected values: of all storage buffers, and of the frame.
fn expectations(out: &mut String, name: &str, case: &PlainCase) {
    for buffer in &case.buffers {
        let is_words = buffer.bytes.len().is_multiple_of(4) && !buffer.bytes.is_empty();
        for (offset, bytes) in buffer.expected.iter().flat_map(defined) {
            // Values have the size of those of the buffer: a word of which some bytes are undefined is not compared.
            let (from, to) = match is_words {
                true => (offset.next_multiple_of(4), (offset + bytes.len()) / 4 * 4),
                false => (offset, offset + bytes.len()),
            };
            let Some(bytes) =
                bytes.get(from - offset..to.saturating_sub(offset)).filter(|bytes| !bytes.is_empty())
            else {
                continue;
            };
            let step = if is_words { 4 } else { 1 };
            for (at, line) in numbers(bytes, is_words).chunks(ON_A_LINE).enumerate() {
                let offset = from + at * ON_A_LINE * step;
                let _ =
                    writeln!(out, "EXPECT {} IDX {offset} EQ {}", buffer_name(name, buffer), line.join(" "));
            }
        }
    }
    for ([x, y], color) in colors(case) {
        let [red, green, blue, alpha] = color;
        let _ =
            writeln!(out, "EXPECT {name}_frame IDX {x} {y} SIZE 1 1 EQ_RGBA {red} {green} {blue} {alpha}");
    }
}

/// The pixels of a frame of 8 bits that every device rounds alike.
fn colors(case: &PlainCase) -> Vec<([u32; 2], [u8; 4])> {
    let is_clear = |component: &f32| {
        let fraction = (component.clamp(0.0, 1.0) * 255.0).fract();
        !component.is_nan() && (fraction - 0.5).abs() > MIDDLE
    };
    let clear = case.pixels.iter().filter(|(_, color)| color.iter().all(is_clear));
    clear.map(|(place, color)| (*place, color.map(byte_of))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::interp::Bytes;

    fn buffer(bytes: &[u8], undefined: &[u32]) -> PlainCase {
        let expected = Some(Bytes { bytes: bytes.to_vec(), undefined: undefined.to_vec() });
        PlainCase {
            entry: "main".to_owned(),
            stage: Stage::Compute,
            buffers: vec![PlainBuffer { slot: (1, 2), is_storage: true, bytes: bytes.to_vec(), expected }],
            push: Vec::new(),
            specs: Vec::new(),
            groups: [2, 1, 1],
            frame: [8, 8],
            pixels: Vec::new(),
        }
    }

    fn expected(case: &PlainCase) -> String {
        let mut out = String::new();
        expectations(&mut out, "x", case);
        out
    }

    #[test]
    fn only_whole_words_that_are_defined_are_compared() {
        let bytes: Vec<u8> = (0..20).collect();
        assert_eq!(
            expected(&buffer(&bytes, &[5])),
            "EXPECT x_1_2 IDX 0 EQ 0x03020100\nEXPECT x_1_2 IDX 8 EQ 0x0b0a0908 0x0f0e0d0c 0x13121110\n"
        );
        assert_eq!(expected(&buffer(&[7, 8, 9], &[1])), "EXPECT x_1_2 IDX 0 EQ 7\nEXPECT x_1_2 IDX 2 EQ 9\n");
        assert_eq!(expected(&buffer(&[], &[])), "");
        let long: Vec<u8> = (0..40).collect();
        assert!(expected(&buffer(&long, &[])).contains("EXPECT x_1_2 IDX 32 EQ 0x23222120 0x27262524\n"));
    }

    #[test]
    fn pixels_between_two_bytes_are_not_compared() {
        let pixels = vec![([0, 0], [0.5, 0.0, 0.0, 1.0]), ([1, 0], [1.0, 2.0, -1.0, 0.2])];
        let case = PlainCase { stage: Stage::Fragment, pixels, ..buffer(&[], &[]) };
        assert_eq!(colors(&case), [([1, 0], [255, 255, 0, 51])]);
        assert_eq!(expected(&case), "EXPECT x_frame IDX 1 0 SIZE 1 1 EQ_RGBA 255 255 0 51\n");
    }

    #[test]
    fn a_buffer_has_words_or_bytes() {
        let mut out = String::new();
        values(&mut out, "a", &[1, 0, 0, 0]);
        values(&mut out, "b", &[1, 2]);
        assert_eq!(
            out,
            "BUFFER a DATA_TYPE uint32 DATA\n  0x00000001\nEND\nBUFFER b DATA_TYPE uint8 DATA\n  1 2\nEND\n"
        );
    }
}
