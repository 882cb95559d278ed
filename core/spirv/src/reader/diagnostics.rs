//! Diagnostics of the reader: their codes, and a limit on their number.

use vitrine_ir::{Anchor, Diag, Diags};

/// The header, the end of the file, lengths of instructions.
pub(super) const HEADER: &str = "S001";
/// An unknown opcode or enumerant.
pub(super) const UNKNOWN: &str = "S002";
/// An instruction is too short or out of place.
pub(super) const LAYOUT: &str = "S003";
/// An id is defined twice, not defined, or defined as something else.
pub(super) const IDS: &str = "S004";
/// An invalid type.
pub(super) const TYPES: &str = "S005";
/// An invalid constant.
pub(super) const CONSTANTS: &str = "S006";
/// The operands of an instruction have the wrong types.
pub(super) const OPERANDS: &str = "S007";
/// Blocks, branches, phis.
pub(super) const CONTROL: &str = "S008";
/// A construct that the IR cannot express.
pub(super) const BEYOND: &str = "S009";
/// Something ignored because it does not change the program.
pub(super) const LEFT_OUT: &str = "S010";
/// A composite with too many leaves to split.
pub(super) const TOO_LARGE: &str = "S011";

/// The largest number of diagnostics that are kept. A damaged module would otherwise produce megabytes of
/// them.
const MOST: usize = 100;

/// An error.
pub(super) fn error(code: &'static str, at: Anchor) -> Diag {
    Diag::error(code, at)
}

/// Adds a diagnostic unless there are too many.
pub(super) fn push(diags: &mut Diags, diag: Diag) {
    if diags.len() < MOST {
        diags.push(diag);
    } else if diags.len() == MOST {
        let more = Diag::error(HEADER, Anchor::Module).says("too many diagnostics: the rest is omitted");
        diags.push(more.help("fix the errors above first"));
    }
}

/// The SPIR-V name of an opcode, such as `OpLoad`.
pub(super) fn opcode(opcode: u16) -> String {
    match crate::op(opcode) {
        Some(op) => op.name.clone(),
        None => format!("opcode {opcode}"),
    }
}

/// The extension that an instruction belongs to: the declared one that is named like its capability, such as
/// `SPV_KHR_untyped_pointers` for `UntypedPointersKHR`, otherwise the capability in words. `None` for an
/// instruction without the suffix of a vendor.
pub(super) fn extension_of(opcode: u16, declared: &[String]) -> Option<String> {
    let info = crate::op(opcode)?;
    let is_suffix = |last: &str| last.len() > 1 && last.chars().all(|letter| letter.is_ascii_uppercase());
    let stem = info.name.trim_end_matches(|letter: char| letter.is_ascii_uppercase());
    let vendor = &info.name[stem.len()..];
    if !is_suffix(vendor) {
        return None;
    }
    let capability = format!("{:?}", info.capabilities.first()?);
    let subject = capability.trim_end_matches(vendor).to_ascii_lowercase();
    let is_named_like = |extension: &&String| {
        let words = extension.splitn(3, '_').nth(2).unwrap_or_default().replace('_', "").to_ascii_lowercase();
        !words.is_empty() && (subject.starts_with(&words) || words.starts_with(&subject))
    };
    let extension = declared.iter().find(is_named_like).cloned();
    Some(extension.unwrap_or_else(|| format!("the capability {capability}")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use rspirv::spirv::Op;

    #[test]
    fn the_extension_of_an_instruction_is_named() {
        let declared =
            ["SPV_KHR_storage_buffer_storage_class", "SPV_KHR_untyped_pointers"].map(str::to_owned);
        let of = |op: Op, declared: &[String]| extension_of(op as u16, declared);
        assert_eq!(of(Op::UntypedVariableKHR, &declared).as_deref(), Some("SPV_KHR_untyped_pointers"));
        assert_eq!(of(Op::UntypedVariableKHR, &[]).as_deref(), Some("the capability UntypedPointersKHR"));
        assert_eq!(of(Op::Load, &declared), None);
        assert_eq!(of(Op::DPdx, &declared), None);
    }
}
