//! SPIR-V instructions that the IR has no operation for, by name: `spirv.OpTraceRayKHR %4, %7 as u, 255`.
//!
//! The operation is `spirv.raw`; the name is that of its opcode. Literals stand between the values, where the instruction
//! has them. `as` and a letter state how a value is read, which values do not have: `u` unsigned, `i` signed, `f` float.
//! Where that cannot reproduce `opcode` and `words`, as for words that a program states in another order, the instruction
//! is written as `spirv.raw` with both attributes; either form is read.
//!
//! Refuses to check operands: validation and the back end do that.

use vitrine_ir::base::EntityId;
use vitrine_ir::ops::{Key, Op, RAW_MEANT, SpirvOp};
use vitrine_ir::{Blob, InstData, Module};

/// What a name begins with before that of SPIR-V.
pub(super) const PREFIX: &str = "spirv.Op";

/// The letters after `as`, by the number in `words`.
pub(super) const READINGS: [&str; 3] = ["u", "i", "f"];

/// The opcode of an instruction of an extended set. The index 0 of its operands is the set, which is its `text`.
const EXT_INST: u64 = rspirv::spirv::Op::ExtInst as u64;

/// An operand in the order of the instruction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Operand {
    /// A number that is no value.
    Literal(u32),
    /// The value with this index, and the index of its reading in [`READINGS`].
    Value(usize, Option<usize>),
}

/// The SPIR-V name of an opcode without `Op`.
fn name_of(opcode: u64) -> Option<&'static str> {
    rspirv::grammar::INSTRUCTION_TABLE.iter().find(|row| row.opcode as u64 == opcode).map(|row| row.opname)
}

/// The opcode that a word of the text names; `None` if it is no name of an instruction.
pub(super) fn opcode(word: &str) -> Option<u64> {
    let name = word.strip_prefix(PREFIX)?;
    rspirv::grammar::INSTRUCTION_TABLE.iter().find(|row| row.opname == name).map(|row| row.opcode as u64)
}

/// The index of the first operand that is written.
pub(super) fn first_place(opcode: u64, has_text: bool) -> u32 {
    u32::from(opcode == EXT_INST && has_text)
}

/// The word for an instruction, and its operands in order; `None` if it is not `spirv.raw`, or cannot be written by name.
pub(super) fn by_name(module: &Module, data: &InstData) -> Option<(String, Vec<Operand>)> {
    if data.op != Op::Spirv(SpirvOp::Raw) {
        return None;
    }
    let opcode = data.attrs.get(Key::Opcode)?;
    let has_text = data.attrs.has(Key::Text);
    let name = name_of(opcode).filter(|_| !has_text || opcode == EXT_INST)?;
    let words = match data.attrs.get(Key::Words) {
        Some(blob) => {
            Some(module.blob_of(Blob::from_index(blob as usize))).filter(|words| !words.is_empty())?
        }
        None => &[],
    };
    let first = first_place(opcode, has_text);
    let operands = operands(words, first, data.args.len())?;
    (self::words(&operands, first) == words).then(|| (format!("{PREFIX}{name}"), operands))
}

/// Literals and values in the order of their places.
fn operands(words: &[u32], first: u32, values: usize) -> Option<Vec<Operand>> {
    let pairs = words.chunks_exact(2).map(|pair| (pair[0], pair[1]));
    let mut literals = pairs.clone().filter(|&(place, _)| place < RAW_MEANT).peekable();
    let mut readings = pairs.filter(|&(place, _)| place >= RAW_MEANT).peekable();
    let mut out = Vec::new();
    let mut value = 0;
    loop {
        let place = first + out.len() as u32;
        if let Some((_, literal)) = literals.next_if(|&(at, _)| at == place) {
            out.push(Operand::Literal(literal));
        } else if value < values {
            let reading = readings.next_if(|&(at, _)| (at - RAW_MEANT) as usize == value);
            let reading = reading.map(|(_, reading)| reading as usize);
            if reading.is_some_and(|reading| reading >= READINGS.len()) {
                return None;
            }
            out.push(Operand::Value(value, reading));
            value += 1;
        } else {
            break;
        }
    }
    (literals.next().is_none() && readings.next().is_none()).then_some(out)
}

/// The `words` that operands in their order state.
pub(super) fn words(operands: &[Operand], first: u32) -> Vec<u32> {
    let literal = |(place, operand): (u32, &Operand)| match *operand {
        Operand::Literal(word) => Some([place, word]),
        Operand::Value(..) => None,
    };
    let reading = |operand: &Operand| match *operand {
        Operand::Value(index, Some(reading)) => Some([RAW_MEANT + index as u32, reading as u32]),
        Operand::Value(_, None) | Operand::Literal(_) => None,
    };
    let literals = (first..).zip(operands).filter_map(literal);
    literals.chain(operands.iter().filter_map(reading)).flatten().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use Operand::{Literal, Value};

    #[test]
    fn operands_follow_from_the_words_and_give_them_again() {
        let m = RAW_MEANT;
        for (words_, first, values, wanted) in [
            (&[][..], 0, 2, vec![Value(0, None), Value(1, None)]),
            (&[1, 7, m + 1, 2], 0, 2, vec![Value(0, None), Literal(7), Value(1, Some(2))]),
            (&[1, 3, 3, 9, m, 0], 1, 1, vec![Literal(3), Value(0, Some(0)), Literal(9)]),
        ] {
            assert_eq!(operands(words_, first, values).as_ref(), Some(&wanted));
            assert_eq!(words(&wanted, first), words_);
        }
        // A place after a gap, a reading of no value, an unknown reading.
        for words in [&[5, 1][..], &[m + 3, 1], &[m, 3]] {
            assert_eq!(operands(words, 0, 1), None);
        }
    }

    #[test]
    fn every_instruction_of_the_grammar_is_found_by_its_name() {
        for row in rspirv::grammar::INSTRUCTION_TABLE.iter() {
            let name = name_of(row.opcode as u64).expect(row.opname);
            assert_eq!(opcode(&format!("{PREFIX}{name}")), Some(row.opcode as u64), "{name}");
        }
        assert_eq!(opcode("spirv.raw"), None);
    }
}
