//! Rules of operands, most of which only shader model 2 has.
//!
//! ```text
//! add r0, |r1|, c0          abs r2, r1;  add r0, r2, c0                  no modifier for absolute values
//! mov_sat r0, r1            max r2, r1, c0.x;  min r0, r2, c0.y          no saturation in vertex shaders
//! add r0.xy, r1.zw, c0      add r0.x, r1.z, c0;  add r0.y, r1.w, c0      few swizzles in pixel shaders
//! mov oC0, r0.xyzz          mov r1, …;  mov oC0, r1                      outputs of pixel shaders are copied whole
//! pow r0.x, r1.x, r0.x      mov r2.x, r0.x;  pow r0.x, r1.x, r2.x        in both models
//! ```
//!
//! [`modifiers`] runs on temporaries, before registers are assigned; [`exponents`] and [`operands`] on registers, since their assignment
//! permutes components. Operands that an instruction cannot read are copied to registers above those in use.
//!
//! Refuses lookups that depend on more than three others; `limits` counts the registers.

use super::code::{Code, Place, Reading, Source, Target, Temp, TempData};
use crate::sm1::{File, Op, Register};
use vitrine_ir::Diag;

/// The swizzles of `ps_2_0`, besides those that repeat a component.
const SWIZZLES: [[u8; 4]; 4] = [[0, 1, 2, 3], [1, 2, 0, 3], [2, 0, 1, 3], [3, 2, 1, 0]];

/// Lookups that may depend on each other.
const MOST_PHASES: u8 = 4;

/// Replaces modifiers that are missing by instructions.
pub(super) fn modifiers(codes: &mut Vec<Code>, temps: &mut Vec<TempData>, is_vertex: bool) {
    let mut temp = || {
        temps.push(TempData { components: 4, is_fixed: false });
        Place::Temp(Temp(temps.len() as u32 - 1))
    };
    let mut out: Vec<Code> = Vec::with_capacity(codes.len());
    for mut code in std::mem::take(codes) {
        for at in 0..code.sources.len() {
            let source = code.sources[at];
            if !source.absolute {
                continue;
            }
            let place = temp();
            let target = Target { place, mask: code.positions(at), saturate: false };
            let plain = Source { negated: false, absolute: false, ..source };
            out.push(simple(Op::Abs, target, vec![plain], &code));
            let read =
                if code.reading == Reading::First { Source::scalar(place, 0) } else { Source::of(place) };
            code.sources[at] = Source { negated: source.negated, ..read };
        }
        let Some(target) = code.target.filter(|target| target.saturate && is_vertex) else {
            out.push(code);
            continue;
        };
        let [first, second] = [temp(), temp()].map(|place| Target { place, saturate: false, ..target });
        let literal = |value: f32| Source::of(Place::Literals([value.to_bits(); 4]));
        let max = simple(Op::Max, second, vec![Source::of(first.place), literal(0.0)], &code);
        let last = Target { saturate: false, ..target };
        let min = simple(Op::Min, last, vec![Source::of(second.place), literal(1.0)], &code);
        code.target = Some(first);
        out.extend([code, max, min]);
    }
    *codes = out;
}

/// Copies exponents out of the destination of `pow`, which may not be read as one. Returns the registers in use.
pub(super) fn exponents(codes: &mut Vec<Code>, used: u16) -> u16 {
    let mut most = used;
    let mut at = 0;
    while at < codes.len() {
        let code = &codes[at];
        let target = code.target.map(|target| target.place);
        let exponent = code.sources.get(1).copied().filter(|source| Some(source.place) == target);
        if let (Op::Pow, Some(exponent)) = (code.op, exponent) {
            let place = Place::Fixed(Register::new(File::Temp, used));
            most = used + 1;
            let target = Target { place, mask: 1, saturate: false };
            let plain = Source { negated: false, absolute: false, ..exponent };
            let mov = simple(Op::Mov, target, vec![plain], code);
            let Source { negated, absolute, .. } = exponent;
            codes[at].sources[1] = Source { negated, absolute, ..Source::scalar(place, 0) };
            codes.insert(at, mov);
            at += 1;
        }
        at += 1;
    }
    most
}

/// An instruction on each component, written for the same part of the module as another one.
fn simple(op: Op, target: Target, sources: Vec<Source>, like: &Code) -> Code {
    Code {
        op,
        control: 0,
        reading: Reading::Each,
        target: Some(target),
        sources,
        predicate: None,
        partial: false,
        anchor: like.anchor,
    }
}

/// Makes every operand of a program of `ps_2_0` one that its instruction can read.
///
/// `used` registers are in use. Error: `D154` too many lookups that depend on each other.
pub(super) fn operands(codes: &mut Vec<Code>, used: u16) -> Result<(), Diag> {
    let mut out: Vec<Code> = Vec::with_capacity(codes.len());
    for mut code in std::mem::take(codes) {
        let mut next = used;
        if code.reading == Reading::Each && code.op != Op::Mov && !all_legal(&code) || partial_move(&code) {
            split(code, &mut next, &mut out);
        } else {
            for at in 0..code.sources.len() {
                if !is_legal_operand(&code, at) {
                    code.sources[at] = copied(&code, at, &mut next, &mut out);
                }
            }
            out.push(code);
        }
    }
    *codes = out;
    phases(codes)
}

/// Returns true for a copy with a swizzle that is written in parts.
fn partial_move(code: &Code) -> bool {
    code.op == Op::Mov && code.reading == Reading::Each && !is_output(code) && !all_legal(code)
}

fn is_output(code: &Code) -> bool {
    matches!(code.target, Some(Target { place: Place::Fixed(register), .. })
        if matches!(register.file, File::Color | File::Depth))
}

fn all_legal(code: &Code) -> bool {
    (0..code.sources.len()).all(|at| legal(code.sources[at].swizzle, code.positions(at)).is_some())
}

/// The swizzle of `ps_2_0` that agrees with one at the positions that are read.
fn legal(swizzle: [u8; 4], positions: u8) -> Option<[u8; 4]> {
    let first = swizzle[usize::from(positions.trailing_zeros().min(3) as u8)];
    let agrees = |known: &[u8; 4]| {
        (0..4).all(|at| positions >> at & 1 == 0 || known[at as usize] == swizzle[at as usize])
    };
    let repeated = [first; 4];
    std::iter::once(repeated).chain(SWIZZLES).find(agrees)
}

/// The packed swizzle of a source that [`operands`] has seen.
pub(super) fn swizzle(code: &Code, at: usize, source: &Source) -> u8 {
    let found = legal(source.swizzle, code.positions(at)).unwrap_or(source.swizzle);
    (0..4).fold(0, |packed, at| packed | (found[at] & 3) << (2 * at))
}

/// Returns true if an instruction can read a source as it is.
fn is_legal_operand(code: &Code, at: usize) -> bool {
    let source = &code.sources[at];
    let file = match source.place {
        Place::Fixed(register) => register.file,
        Place::Temp(_) | Place::Literals(_) => File::Temp,
    };
    let is_plain = !source.negated && !source.absolute;
    let in_place = |positions: u8| {
        (0..4).all(|at| positions >> at & 1 == 0 || source.swizzle[usize::from(at as u8)] == at as u8)
    };
    match code.op {
        Op::TexLd if at == 0 => {
            is_plain && matches!(file, File::Temp | File::Texture) && in_place(code.positions(at))
        }
        Op::TexLd => true,
        Op::TexKill => is_plain && file == File::Temp && in_place(0xf),
        Op::Mov if is_output(code) => {
            let is_depth =
                matches!(code.target, Some(Target { place: Place::Fixed(it), .. }) if it.file == File::Depth);
            is_plain && file == File::Temp && (is_depth || in_place(0xf))
        }
        _ => legal(source.swizzle, code.positions(at)).is_some(),
    }
}

/// Copies a source to a new register, each component to the position that reads it.
fn copied(code: &Code, at: usize, next: &mut u16, out: &mut Vec<Code>) -> Source {
    let place = Place::Fixed(Register::new(File::Temp, *next));
    *next += 1;
    let mask = if code.op == Op::TexKill { 0xf } else { code.positions(at) };
    let source = code.sources[at];
    let target = Target { place, mask, saturate: false };
    let mov = simple(Op::Mov, target, vec![source], code);
    groups(&mov, out);
    if code.reading == Reading::First { Source::scalar(place, 0) } else { Source::of(place) }
}

/// Writes an instruction on each component in parts that have swizzles of the profile.
fn split(mut code: Code, next: &mut u16, out: &mut Vec<Code>) {
    let Some(target) = code.target else { return };
    let reads_target = code.sources.iter().any(|source| source.place == target.place);
    if !reads_target {
        groups(&code, out);
        return;
    }
    let place = Place::Fixed(Register::new(File::Temp, *next));
    *next += 1;
    code.target = Some(Target { place, ..target });
    groups(&code, out);
    let back = Target { saturate: false, ..target };
    out.push(simple(Op::Mov, back, vec![Source::of(place)], &code));
}

/// Appends an instruction for each set of components that legal swizzles read.
fn groups(code: &Code, out: &mut Vec<Code>) {
    let Some(target) = code.target else { return };
    let mut open = target.mask;
    while open != 0 {
        let mut mask = 0u8;
        for at in (0..4).filter(|at| open >> at & 1 == 1) {
            let wider = mask | 1 << at;
            if code.sources.iter().all(|source| legal(source.swizzle, wider).is_some()) {
                mask = wider;
            }
        }
        let mut part = code.clone();
        part.target = Some(Target { mask, ..target });
        out.push(part);
        open &= !mask;
    }
}

/// Refuses lookups at coordinates that depend on too many others.
fn phases(codes: &[Code]) -> Result<(), Diag> {
    let mut levels = [[0u8; 4]; 32];
    for code in codes {
        let mut level = 0;
        for (at, source) in code.sources.iter().enumerate() {
            let Place::Fixed(register) = source.place else { continue };
            let positions = code.positions(at);
            for position in (0..4).filter(|&position| positions >> position & 1 == 1) {
                let of = levels.get(usize::from(register.number)).filter(|_| register.file == File::Temp);
                level = level.max(of.map_or(0, |of| of[usize::from(source.swizzle[position] & 3)]));
            }
        }
        if code.op == Op::TexLd {
            level += 1;
        }
        if level > MOST_PHASES {
            let says = format!("a lookup depends on {} others", level - 1);
            let help = "ps_2_0 allows three; write the program for shader model 3";
            return Err(Diag::error("D154", code.anchor).says(says).help(help));
        }
        let Some(Target { place: Place::Fixed(register), mask, .. }) = code.target else { continue };
        if let Some(of) = levels.get_mut(usize::from(register.number)).filter(|_| register.file == File::Temp)
        {
            (0..4).filter(|at| mask >> at & 1 == 1).for_each(|at: usize| of[at] = level);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use vitrine_ir::Anchor;

    /// Every swizzle with every mask becomes parts with legal swizzles that cover the mask once.
    #[test]
    fn parts_have_legal_swizzles_and_cover_the_mask() {
        let place = |number| Place::Fixed(Register::new(File::Temp, number));
        for packed in 0..=255u8 {
            let swizzle = [0, 2, 4, 6].map(|shift| packed >> shift & 3);
            for mask in 1..16 {
                let target = Target { place: place(1), mask, saturate: false };
                let source = Source { swizzle, ..Source::of(place(0)) };
                let code = Code {
                    op: Op::Add,
                    control: 0,
                    reading: Reading::Each,
                    target: Some(target),
                    sources: vec![source, Source::of(place(2))],
                    predicate: None,
                    partial: false,
                    anchor: Anchor::Module,
                };
                let mut parts = Vec::new();
                groups(&code, &mut parts);
                let masks: Vec<u8> = parts.iter().filter_map(|part| part.target).map(|it| it.mask).collect();
                assert_eq!(masks.iter().fold(0, |all, mask| all | mask), mask);
                assert_eq!(masks.iter().map(|mask| mask.count_ones()).sum::<u32>(), mask.count_ones());
                assert!(parts.iter().all(all_legal), "{swizzle:?} {mask}");
            }
        }
    }

    #[test]
    fn lookups_depend_on_three_others_at_most() {
        let register = Place::Fixed(Register::new(File::Temp, 0));
        let lookup = Code {
            op: Op::TexLd,
            control: 0,
            reading: Reading::Whole(2),
            target: Some(Target { place: register, mask: 0xf, saturate: false }),
            sources: vec![Source::of(register)],
            predicate: None,
            partial: false,
            anchor: Anchor::Module,
        };
        assert!(phases(&vec![lookup.clone(); 4]).is_ok());
        assert!(phases(&vec![lookup; 5]).is_err_and(|diag| diag.to_string().contains("depends on 4 others")));
    }
}
