//! Limits of the profiles, each refused by name and at its place.

use super::code::{Code, FORGET, Flow, flow};
use crate::sm1::{File, ItemKind, Op, Version, slots};
use vitrine_ir::{Anchor, Diag};

/// Instruction slots that a device may have at most; every device has 512.
const MOST_SLOTS: u32 = 32_768;

/// The depth of nested branches.
const MOST_BRANCHES: usize = 24;

/// Instruction slots of `vs_2_0`, and of arithmetic and of textures in `ps_2_0`.
const SLOTS_OF_MODEL_2: [u32; 3] = [256, 64, 32];

/// Registers of a file: what they are, and how many `vs_3_0`, `ps_3_0`, `vs_2_0` and `ps_2_0` have.
const FILES: &[(File, &str, [usize; 4])] = &[
    (File::Const, "constant registers", [256, 224, 256, 32]),
    (File::Temp, "temporary registers", [32, 32, 12, 12]),
    (File::Input, "input registers", [16, 10, 16, 2]),
    (File::Texture, "texture coordinates", [0, 0, 0, 8]),
    (File::Output, "output registers", [12, 0, 0, 0]),
    (File::TexCoordOut, "texture coordinates", [0, 0, 8, 0]),
    (File::ColorOut, "colors", [0, 0, 2, 0]),
    (File::Color, "color outputs", [0, 4, 0, 4]),
    (File::Sampler, "samplers", [4, 16, 0, 16]),
];

/// The number that a profile has, of those for each one.
fn most_of(numbers: [usize; 4], version: Version) -> usize {
    numbers[usize::from(version.major < 3) * 2 + usize::from(!version.is_vertex())]
}

/// Refuses code that is too large whatever becomes of its copies.
///
/// Error `D154`: it takes more instruction slots than any device has.
pub(super) fn check_size(codes: &[Code]) -> Result<(), Diag> {
    let count = codes.iter().filter(|code| !code.is_copy() && code.op != FORGET).count();
    match u32::try_from(count) {
        Ok(0..=MOST_SLOTS) => Ok(()),
        _ => Err(too_large(count as u64)),
    }
}

fn too_large(slots: u64) -> Diag {
    Diag::error("D154", Anchor::Module)
        .says(format!("the program takes {slots} instruction slots"))
        .help(format!("devices have at most {MOST_SLOTS}"))
}

/// The limits that a program exceeds.
pub(super) fn check(items: &[(ItemKind, Anchor)], constants: usize, version: Version) -> Vec<Diag> {
    let mut diags = Vec::new();
    let (mut total, mut lookups) = (0, 0);
    let mut depth = 0usize;
    let mut worst: Vec<Option<(usize, Anchor)>> = vec![None; FILES.len()];
    let mut note = |file: File, count: usize, anchor: Anchor| {
        for (slot, &(known, _, numbers)) in worst.iter_mut().zip(FILES) {
            let most = most_of(numbers, version);
            if known == file && count > most && slot.is_none_or(|(before, _)| count > before) {
                *slot = Some((count, anchor));
            }
        }
    };
    note(File::Const, constants, Anchor::Module);
    for (kind, anchor) in items {
        let ItemKind::Inst(inst) = kind else { continue };
        if !inst.op.info().is_in(version) {
            let says = format!("`{}` is not in {}", inst.op.info().name, version.name());
            diags.push(Diag::error("D152", *anchor).says(says).help("write the program for shader model 3"));
        }
        total += slots(inst, version);
        lookups += u32::from(inst.op == Op::TexLd);
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
    for (&(_, name, numbers), found) in FILES.iter().zip(worst) {
        let Some((count, anchor)) = found else { continue };
        let most = most_of(numbers, version);
        let says = format!("the program needs {count} {name}; {} has {most}", version.name());
        diags.push(Diag::error("D154", anchor).says(says).help("use fewer of them"));
    }
    let [vertex, arithmetic, textures] = SLOTS_OF_MODEL_2;
    let over = |count: u32, most: u32, what: &str| {
        let says =
            format!("the program takes {count} instruction slots{what}; {} has {most}", version.name());
        let diag = Diag::error("D154", Anchor::Module).says(says);
        (version.major < 3 && count > most).then(|| diag.help("write it for shader model 3"))
    };
    if version.is_vertex() {
        diags.extend(over(total, vertex, ""));
    } else {
        diags.extend(over(total - lookups, arithmetic, " of arithmetic"));
        diags.extend(over(lookups, textures, " of textures"));
    }
    if total > MOST_SLOTS {
        diags.push(too_large(u64::from(total)));
    }
    diags
}
