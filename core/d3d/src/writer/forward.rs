//! Reads constants at computed addresses directly, where an instruction can.
//!
//! ```text
//! mov r1, c4[a0.x]
//! dp4 o0.x, v0, r1      =>      dp4 o0.x, v0, c4[a0.x]
//! ```
//!
//! The address register must not change in between, and the instruction must read no other constant.

use super::code::{Code, Flow, Place, Source, Temp, flow};
use crate::sm1::{File, Op};
use rustc_hash::FxHashMap;

/// The most instructions between a copy and its last use.
const REACH: usize = 64;

/// Replaces reads of copies of constants at computed addresses.
pub(super) fn forward(codes: &mut Vec<Code>) {
    let mut writes: FxHashMap<Temp, u32> = FxHashMap::default();
    let mut reads: FxHashMap<Temp, u32> = FxHashMap::default();
    for code in codes.iter() {
        if let Some((temp, _)) = code.writes() {
            *writes.entry(temp).or_default() += 1;
        }
        for source in &code.sources {
            if let Place::Temp(temp) = source.place {
                *reads.entry(temp).or_default() += 1;
            }
        }
    }
    let mut removed = vec![false; codes.len()];
    for at in 0..codes.len() {
        let Some((temp, copied)) = copy(&codes[at]).filter(|(temp, _)| writes.get(temp) == Some(&1)) else {
            continue;
        };
        let Some(uses) = uses(codes, at, temp, copied.relative) else { continue };
        let found: usize = uses.len();
        if reads.get(&temp).copied().unwrap_or(0) as usize != found {
            continue;
        }
        for (user, source) in uses {
            let old = codes[user].sources[source];
            let swizzle = old.swizzle.map(|component| copied.swizzle[usize::from(component & 3)]);
            let (negated, absolute) = (old.negated, old.absolute);
            codes[user].sources[source] = Source { swizzle, negated, absolute, ..copied };
        }
        removed[at] = true;
    }
    let mut index = 0;
    codes.retain(|_| {
        index += 1;
        !removed[index - 1]
    });
}

/// The temporary that an instruction copies a constant at a computed address to, and the constant.
fn copy(code: &Code) -> Option<(Temp, Source)> {
    let source = *code.sources.first()?;
    let (temp, _) = code.writes()?;
    let is_copy =
        code.op == Op::Mov && code.predicate.is_none() && code.target.is_some_and(|it| !it.saturate);
    (is_copy && source.relative.is_some() && !source.negated && !source.absolute).then_some((temp, source))
}

/// The reads of a temporary before the address changes; none if one of them cannot read a constant.
fn uses(codes: &[Code], at: usize, temp: Temp, relative: Option<u8>) -> Option<Vec<(usize, usize)>> {
    let mut uses = Vec::new();
    for (index, code) in codes.iter().enumerate().skip(at + 1).take(REACH) {
        let own: Vec<usize> = (0..code.sources.len())
            .filter(|&source| code.sources[source].place == Place::Temp(temp))
            .collect();
        if !own.is_empty() {
            let is_constant = |source: &Source| match source.place {
                Place::Fixed(register) => register.file == File::Const,
                Place::Literals(_) => true,
                Place::Temp(_) => false,
            };
            let special = matches!(code.op, Op::TexLdl | Op::TexKill | Op::Nrm | Op::MovA);
            if special || code.sources.iter().any(is_constant) {
                return None;
            }
            uses.extend(own.into_iter().map(|source| (index, source)));
        }
        let changes = code.op == Op::MovA
            && code
                .target
                .is_some_and(|target| relative.is_some_and(|component| target.mask >> component & 1 == 1));
        if changes || flow(code.op) != Flow::None {
            break;
        }
    }
    Some(uses)
}
