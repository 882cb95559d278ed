//! WGSL: every operation on constants whose result overflows or is undefined, all of them and some of them, judged by Tint,
//! which evaluates what it can. And literals, which are read back as the same bits.
#![allow(clippy::print_stdout)] // the counts are output

use crate::spirv_ops::typings;
use crate::testing::tint::Tint;
use crate::testing::written::text_of;
use std::fmt::Write;
use vitrine_core::ops::{Op, ValueType, Width};
use vitrine_core::text::parse;

/// Constants of 32 bits: corners of integers and floats, counts beyond the width, halves that are infinite.
const WORDS: [u32; 18] = [
    0,
    1,
    2,
    33,
    129,
    0x7fff_ffff,
    0x8000_0000,
    0xffff_ffff,
    0x3f80_0000,
    0xbf80_0000,
    0x4000_0000,
    0x42c8_0000,
    0x7f7f_ffff,
    0xff7f_ffff,
    0x7f80_0000,
    0x7fc0_0000,
    0x7c00_7c00,
    0x0080_0000,
];

/// Constants of 16 bits.
const HALVES: [u32; 8] = [0, 1, 0x3c00, 0xbc00, 0x7bff, 0xfbff, 0x5640, 0x4000];

/// The rounds of constants for each choice of types.
const ROUNDS: usize = 7;

/// The samples in one text.
const BATCH: usize = 60;

/// An operand of a sample.
#[derive(Clone, Copy, PartialEq)]
enum Given {
    /// A constant.
    Constant,
    /// A vector that is composed of constants.
    Composed,
    /// A value that is read.
    Read,
}

struct Sample {
    op: Op,
    types: Vec<ValueType>,
    result: ValueType,
    given: Vec<Given>,
    round: usize,
}

/// The text of a module in which the results of samples are stored.
struct Program {
    text: String,
    next: usize,
}

impl Program {
    fn new() -> Program {
        let text = "module capability \"Shader\"\nmodule memory \"GLSL450\"\n\nstruct #B_0 {block} {\n  \
             data: [u32 step 4] {offset 0}\n}\n\nstorage $data_0: #B_0 {set 0, binding 0}\n\n\
             entry compute \"main\" @main_0 ($data_0) {local_size 1 1 1}\n\nfunc @main_0() tree {\n^0:\n  \
             %0: path = deref.var $data_0\n  %1: path = deref.field %0.0\n  %2: b32 = const 0\n  \
             %3: path = deref.elem %1, %2\n"
            .to_owned();
        Program { text, next: 4 }
    }

    fn value(&mut self, ty: &str, is: &str) -> String {
        let name = format!("%{}", self.next);
        self.next += 1;
        let _ = writeln!(self.text, "  {name}: {ty} = {is}");
        name
    }

    fn constant(width: Width, at: usize) -> u32 {
        match width {
            Width::W1 => (at % 2) as u32,
            Width::W16 => HALVES[at % HALVES.len()],
            _ => WORDS[at % WORDS.len()],
        }
    }

    fn scalar(&mut self, width: Width, given: Given, at: usize) -> String {
        let constant = format!("const {}", Program::constant(width, at));
        match (given, width) {
            (Given::Constant | Given::Composed, _) => {
                self.value(&ValueType::bits(width, 1).to_string(), &constant)
            }
            (Given::Read, Width::W32) => self.value("b32", "load %3"),
            (Given::Read, _) => {
                let word = self.value("b32", "load %3");
                let one = |op| format!("{op} {word}");
                match width {
                    Width::W1 => self.value("b1", &format!("ine {word}, %2")),
                    _ => self.value("b16", &one("f2f")),
                }
            }
        }
    }

    fn operand(&mut self, ty: ValueType, given: Given, at: usize) -> String {
        let (width, count) = (ty.width().expect("a number"), usize::from(ty.components()));
        if count == 1 {
            return self.scalar(width, given, at);
        }
        if given == Given::Constant {
            let parts: Vec<String> =
                (0..count).map(|part| Program::constant(width, at + 5 * part).to_string()).collect();
            return self.value(&ty.to_string(), &format!("const ({})", parts.join(", ")));
        }
        let parts: Vec<String> = (0..count).map(|part| self.scalar(width, given, at + 5 * part)).collect();
        self.value(&ty.to_string(), &format!("vec {}", parts.join(", ")))
    }

    fn add(&mut self, sample: &Sample) {
        let mut args = Vec::new();
        for (at, (&ty, &given)) in sample.types.iter().zip(&sample.given).enumerate() {
            args.push(self.operand(ty, given, sample.round * (2 * at + 3) + 7 * at));
        }
        let op = format!("{} {}", sample.op.name(), args.join(", "));
        let mut result = self.value(&sample.result.to_string(), &op);
        let width = sample.result.width().expect("a number");
        if sample.result.components() > 1 {
            result = self.value(&ValueType::bits(width, 1).to_string(), &format!("swizzle {result}.x"));
        }
        let word = match width {
            Width::W1 => self.value("b32", &format!("b2i {result}")),
            Width::W16 => self.value("b32", &format!("f2f {result}")),
            _ => result,
        };
        let _ = writeln!(self.text, "  %{} = store %3, {word}", self.next);
        self.next += 1;
    }

    fn wgsl(samples: &[&Sample]) -> Result<String, String> {
        let mut program = Program::new();
        samples.iter().for_each(|sample| program.add(sample));
        let parsed = parse(&format!("{}  return\n}}\n", program.text));
        assert!(parsed.diags.is_empty(), "{:?}\n{}", parsed.diags, program.text);
        text_of(&parsed.module, "wgsl").map_err(|diags| diags[0].to_string())
    }
}

/// Every operation on numbers with types that the language has.
fn samples() -> Vec<Sample> {
    let mut out = Vec::new();
    let has_numbers = |op: &Op| {
        ["Float", "Int", "Convert", "Vector"].contains(&op.family())
            && !["swizzle", "shuffle", "insert", "extract", "repack"].contains(&op.name())
    };
    for op in Op::all().filter(has_numbers) {
        let info = op.info();
        for components in 1..=2 {
            for types in typings(info, components) {
                let is_known = |ty: &ValueType| match ty.width() {
                    Some(Width::W1 | Width::W32) => true,
                    Some(Width::W16) => op.family() == "Float",
                    _ => false,
                };
                let Some(result) = info.infer(&types).filter(is_known) else { continue };
                if !types.iter().all(is_known) {
                    continue;
                }
                let count = types.len();
                let mut choices = vec![vec![Given::Constant; count], vec![Given::Composed; count]];
                for read in (0..count).filter(|_| count > 1) {
                    let of = |at| if at == read { Given::Read } else { Given::Constant };
                    choices.push((0..count).map(of).collect());
                }
                for given in choices {
                    for round in 0..ROUNDS {
                        let (types, given) = (types.clone(), given.clone());
                        out.push(Sample { op, types, result, given, round });
                    }
                }
            }
        }
    }
    out
}

#[test]
fn operations_on_constants_are_accepted_whatever_their_result() {
    let tint = Tint::new();
    let samples = samples();
    let written: Vec<&Sample> = samples.iter().filter(|&sample| Program::wgsl(&[sample]).is_ok()).collect();
    println!("{} of {} operations on constants are written", written.len(), samples.len());
    assert!(written.len() > 3_000, "{}", written.len());
    if !tint.installed {
        return;
    }
    let mut failed = Vec::new();
    for batch in written.chunks(BATCH) {
        if tint.judge(&Program::wgsl(batch).expect("each one is written")).is_ok() {
            continue;
        }
        for &sample in batch {
            let text = Program::wgsl(&[sample]).expect("it is written");
            if let Err(messages) = tint.judge(&text) {
                let why =
                    messages.iter().find(|it| it.is_error).map(|it| it.text.clone()).unwrap_or_default();
                let body = text.split_once("fn main() {").map_or("", |(_, body)| body);
                failed.push(format!("{}: {why}\n{body}", sample.op.name()));
            }
        }
    }
    assert!(failed.is_empty(), "{} failed\n{}", failed.len(), failed[..failed.len().min(40)].join("\n"));
}

/// Floats: all powers of two and their neighbors, and some between.
fn floats() -> Vec<u32> {
    let mut out: Vec<u32> = (0..255u32)
        .flat_map(|exponent| {
            let power = exponent << 23;
            [power.wrapping_sub(1), power, power + 1].into_iter().flat_map(|it| [it, it | 1 << 31])
        })
        .collect();
    out.extend((0..23).map(|bit| 1 << bit));
    let mut state = 0x9e37_79b9u32;
    for _ in 0..2_000 {
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        out.push(state);
    }
    out.extend([0x7f7f_ffff, 0xff7f_ffff]);
    out.retain(|&bits| f32::from_bits(bits).is_finite());
    out
}

#[test]
fn literals_are_read_as_the_bits_that_they_stand_for() {
    let tint = Tint::new();
    let mut program = Program::new();
    let values = floats();
    for bits in &values {
        let constant = program.value("b32", &format!("const {bits}"));
        let sum = program.value("b32", "load %3");
        // A float where it is used as one.
        let result = program.value("b32", &format!("fadd {sum}, {constant}"));
        let _ = writeln!(program.text, "  %{} = store %3, {result}", program.next);
        program.next += 1;
    }
    let parsed = parse(&format!("{}  return\n}}\n", program.text));
    let text = text_of(&parsed.module, "wgsl").expect("it is written");
    let module =
        naga::front::wgsl::parse_str(&text).unwrap_or_else(|error| panic!("{}", error.emit_to_string(&text)));
    let (_, entry) = module.entry_points.iter().map(|it| ((), &it.function)).next().expect("an entry point");
    let found: Vec<u32> = entry
        .expressions
        .iter()
        .filter_map(|(_, it)| match it {
            naga::Expression::Literal(naga::Literal::F32(value)) => Some(value.to_bits()),
            _ => None,
        })
        .collect();
    let missing: Vec<&u32> = values.iter().filter(|bits| !found.contains(bits)).collect();
    assert!(missing.is_empty(), "{missing:x?} of {}", found.len());
    if tint.installed {
        assert_eq!(tint.judge(&text).map_err(|it| it.into_iter().find(|it| it.is_error)), Ok(Vec::new()));
    }
}
