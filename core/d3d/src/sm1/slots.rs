//! Instruction slots, as the limits of a profile count them.

use super::inst::Inst;
use super::table::Op;
use super::version::Version;

/// The slots that an instruction takes.
pub fn slots(inst: &Inst, version: Version) -> u32 {
    match (inst.op, version.major) {
        // The projection and the bias of model 3 take slots of their own.
        (Op::TexLd, 3) => [1, 3, 6].get(usize::from(inst.control)).copied().unwrap_or(1),
        (Op::TexKill, 3) => 2,
        (Op::Dsx | Op::Dsy, _) => 2,
        _ => inst.op.info().slots(version),
    }
}
