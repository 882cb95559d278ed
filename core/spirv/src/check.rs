//! Checks a module against the grammar and reports diagnostics. Does not check the meaning of instructions.

use super::decode::{Context, Decoded, Fault};
use super::enums::enumerants;
use super::grammar::Kind;
use super::push;
use super::words::{Binary, Instruction};
use vitrine_ir::{Diag, Diags};

/// Decodes every instruction and reports violations of the grammar: unknown opcodes and enumerants, missing
/// or superfluous operands, ids that are 0 or not less than the bound. Linear in the words.
pub fn check(binary: &Binary) -> Diags {
    let mut diags = Diags::new();
    let mut context = Context::for_words(binary.words().len());
    let mut decoded = Decoded::default();
    for inst in binary.instructions() {
        context.decode(&inst, &mut decoded);
        if let Some(fault) = decoded.fault {
            push(&mut diags, fault_diagnostic(&inst, &decoded, fault));
        }
        check_operands(binary, &inst, &decoded, &mut diags);
        context.note(&inst);
    }
    diags
}

fn check_operands(binary: &Binary, inst: &Instruction<'_>, decoded: &Decoded, diags: &mut Diags) {
    let bound = binary.header.bound;
    for operand in &decoded.operands {
        let word = operand.word(inst);
        if operand.is_id() && (word == 0 || word >= bound) {
            let message = match word {
                0 => "the id %0, which is not valid".to_owned(),
                _ => format!("the id %{word}, which is not less than the bound {bound} in the header"),
            };
            let diag =
                Diag::error("S112", inst.anchor()).says(name_of(inst, decoded)).says("has").says(message);
            push(diags, diag.help("raise the bound, the fourth word of the header, or correct the id"));
        } else if let Some(table) = enumerants(operand.kind) {
            let unknown = match table.is_mask {
                true => (0..32).map(|bit| word & 1 << bit).find(|&bit| bit != 0 && table.name(bit).is_none()),
                false => table.name(word).is_none().then_some(word),
            };
            if let Some(value) = unknown {
                let message = format!("has {value}, which is not a known {}", kind_name(operand.kind));
                let diag = Diag::warning("S113", inst.anchor()).says(name_of(inst, decoded)).says(message);
                push(diags, diag.help("it is kept as a number"));
            }
        }
    }
}

fn name_of(inst: &Instruction<'_>, decoded: &Decoded) -> String {
    decoded.info.map_or_else(|| format!("opcode {}", inst.opcode), |info| info.name.clone())
}

fn fault_diagnostic(inst: &Instruction<'_>, decoded: &Decoded, fault: Fault) -> Diag {
    let diag = Diag::error("S110", inst.anchor()).says(name_of(inst, decoded));
    match fault {
        Fault::UnknownOp => Diag::error("S111", inst.anchor())
            .says(format!("the opcode {} is unknown", inst.opcode))
            .help("it may be newer than this program, or the words may be damaged"),
        Fault::UnknownInner(opcode) => diag
            .says(format!("contains the opcode {opcode}, which has no result"))
            .help("it is kept as words"),
        Fault::Missing(kind) => diag
            .says(format!("ends after {} words, before its {}", inst.words.len(), kind_name(kind)))
            .help("its length, the upper half of its first word, may be wrong"),
        Fault::Leftover(at) => diag
            .says(format!("has {} words too many", inst.words.len() - at as usize))
            .help("its length, the upper half of its first word, may be wrong"),
        Fault::OpenString => diag
            .says("has an unterminated string")
            .help("a string ends with a zero byte inside its instruction"),
    }
}

/// A kind of operand in words, used after "its" or "a".
pub(super) fn kind_name(kind: Kind) -> String {
    match kind {
        Kind::IdResultType => "result type".to_owned(),
        Kind::IdResult => "result id".to_owned(),
        Kind::IdRef | Kind::IdScope | Kind::IdMemorySemantics => "id".to_owned(),
        Kind::LiteralString => "string".to_owned(),
        Kind::LiteralInteger => "integer".to_owned(),
        Kind::LiteralFloat | Kind::LiteralContextDependentNumber => "number".to_owned(),
        Kind::LiteralExtInstInteger => "extended instruction".to_owned(),
        Kind::LiteralSpecConstantOpInteger => "opcode".to_owned(),
        Kind::OpenclDebuginfo100(kind) => format!("{kind:?}"),
        Kind::Debuginfo(kind) => format!("{kind:?}"),
        other => format!("{other:?}"),
    }
}
