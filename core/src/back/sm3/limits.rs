//! Limits of the profiles vs_3_0 and ps_3_0, each refused by name and at its place.

use super::code::{Flow, flow};
use crate::d3d::sm1::{File, ItemKind, Op, Version, slots};
use crate::ir::{Anchor, Diag};

/// Instruction slots that a device may have at most; every device has 512.
const MOST_SLOTS: u32 = 32_768;

/// The depth of nested branches.
const MOST_BRANCHES: usize = 24;

/// Registers of a file: what they are, in a vertex shader, in a pixel shader.
const FILES: &[(File, &str, usize, usize)] = &[
    (File::Const, "constant registers", 256, 224),
    (File::Input, "input registers", 16, 10),
    (File::Output, "output registers", 12, 0),
    (File::Color, "color outputs", 0, 4),
    (File::Sampler, "samplers", 4, 16),
];

/// The limits that a program exceeds.
pub(super) fn check(items: &[(ItemKind, Anchor)], constants: usize, version: Version) -> Vec<Diag> {
    let mut diags = Vec::new();
    let mut total = 0;
    let mut depth = 0usize;
    let mut worst: Vec<Option<(usize, Anchor)>> = vec![None; FILES.len()];
    let mut note = |file: File, count: usize, anchor: Anchor| {
        for (slot, &(known, _, vertex, pixel)) in worst.iter_mut().zip(FILES) {
            let most = if version.is_vertex() { vertex } else { pixel };
            if known == file && count > most && slot.is_none_or(|(before, _)| count > before) {
                *slot = Some((count, anchor));
            }
        }
    };
    note(File::Const, constants, Anchor::Module);
    for (kind, anchor) in items {
        let ItemKind::Inst(inst) = kind else { continue };
        total += slots(inst, version);
        let registers =
            inst.sources().iter().map(|source| source.register).chain(inst.dst.map(|dst| dst.register));
        for register in registers.filter(|_| !matches!(inst.op, Op::Def | Op::DefI | Op::DefB)) {
            note(register.file, usize::from(register.number) + 1, *anchor);
        }
        match flow(inst.op) {
            Flow::If => {
                depth += 1;
                if depth == MOST_BRANCHES + 1 {
                    let says = format!("branches are nested deeper than {MOST_BRANCHES}");
                    diags.push(Diag::error("D154", *anchor).says(says).help("flatten some of them"));
                }
            }
            Flow::EndIf => depth = depth.saturating_sub(1),
            Flow::None | Flow::Else | Flow::Rep | Flow::EndRep | Flow::Break { .. } => {}
        }
    }
    for (&(_, name, vertex, pixel), found) in FILES.iter().zip(worst) {
        let Some((count, anchor)) = found else { continue };
        let most = if version.is_vertex() { vertex } else { pixel };
        let says = format!("the program needs {count} {name}; {} has {most}", version.name());
        diags.push(Diag::error("D154", anchor).says(says).help("use fewer of them"));
    }
    if total > MOST_SLOTS {
        let says = format!("the program takes {total} instruction slots");
        let help = format!("devices have at most {MOST_SLOTS}");
        diags.push(Diag::error("D154", Anchor::Module).says(says).help(help));
    }
    diags
}
