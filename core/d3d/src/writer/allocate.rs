//! Registers and components for temporaries.
//!
//! Temporaries get the first register in which their components fit beside those that are live at the same time, in the
//! order in which the program defines them. Their components are permuted where no instruction forbids it, so four scalars
//! share a register.
//!
//! Refuses to spill: shader model 3 has no memory to spill to.

use super::coalesce::{Conflicts, Pressure, conflicts, retarget};
use super::code::{Code, FORGET, Model, Place, Profile, Reading, Temp, TempData};
use super::live::{Unit, unit};
use crate::sm1::{File, Register};
use vitrine_ir::Diag;

/// Temporary registers of shader model 3, the most of all models.
const REGISTERS: u16 = 32;

/// Temporary registers of a profile.
fn registers(profile: Profile) -> u16 {
    if profile.model == Model::Two { 12 } else { REGISTERS }
}

/// Replaces temporaries by registers; returns the number of registers.
///
/// Error `D154`: more components are live at once than there are.
pub(super) fn allocate(codes: &mut Vec<Code>, temps: &[TempData], profile: Profile) -> Result<u16, Diag> {
    let most = registers(profile);
    let (conflicts, pressure) = conflicts(codes, temps.len());
    if pressure.units > usize::from(most) * 4 {
        return Err(too_many(codes, pressure, most));
    }
    let used = used_components(codes, temps.len());
    let in_order = definition_order(codes, temps.len());
    // Large temporaries first, if the usual order fails: they need whole registers.
    let mut by_size = in_order.clone();
    by_size.sort_by_key(|temp| (std::cmp::Reverse(used[temp.0 as usize].count_ones()), temp.0));
    let found = [in_order, by_size].iter().find_map(|order| assign(order, temps, &used, &conflicts, most));
    let Some(places) = found else { return Err(too_many(codes, pressure, most)) };
    let mut count = 0;
    for code in codes.iter_mut() {
        for source in &mut code.sources {
            if let Place::Temp(temp) = source.place {
                let map = places[temp.0 as usize];
                source.place = Place::Fixed(Register::new(File::Temp, map.register));
                source.swizzle = source.swizzle.map(|at| map.components[usize::from(at & 3)]);
                count = count.max(map.register + 1);
            }
        }
        if let Some((temp, _)) = code.writes() {
            let map = places[temp.0 as usize];
            retarget(code, Place::Fixed(Register::new(File::Temp, map.register)), map.components);
            count = count.max(map.register + 1);
        }
    }
    codes.retain(|code| code.op != FORGET && !is_identity(code));
    Ok(count)
}

/// Returns true for a copy of components to themselves.
fn is_identity(code: &Code) -> bool {
    let (Some(target), Some(source)) = (code.target, code.sources.first()) else { return false };
    let same = (0..4).all(|at| target.mask >> at & 1 == 0 || usize::from(source.swizzle[at]) == at);
    code.is_copy() && target.place == source.place && same
}

fn too_many(codes: &[Code], pressure: Pressure, most: u16) -> Diag {
    let at = codes.get(pressure.at).map_or(vitrine_ir::Anchor::Module, |code| code.anchor);
    Diag::error("D154", at)
        .says(format!(
            "{} components are live at once; they do not fit into {most} registers",
            pressure.units
        ))
        .help(format!("the profile has {most} temporary registers of four components and cannot spill them"))
}

/// The place of a temporary.
#[derive(Clone, Copy, Default)]
struct Assigned {
    register: u16,
    components: [u8; 4],
}

fn definition_order(codes: &[Code], count: usize) -> Vec<Temp> {
    let mut seen = vec![false; count];
    let mut order = Vec::new();
    for code in codes.iter().filter(|code| code.op != FORGET) {
        let read = code.reads().map(|(temp, _)| temp);
        for temp in read.chain(code.writes().map(|(temp, _)| temp)) {
            if !std::mem::replace(&mut seen[temp.0 as usize], true) {
                order.push(temp);
            }
        }
    }
    order
}

/// The components of each temporary that the code mentions.
fn used_components(codes: &[Code], count: usize) -> Vec<u8> {
    let mut used = vec![0u8; count];
    for code in codes {
        for (temp, component) in code.reads() {
            used[temp.0 as usize] |= 1 << component;
        }
        if let Some((temp, mask)) = code.writes() {
            // An instruction without a mask writes all four.
            let mask = if matches!(code.reading, Reading::Whole(_)) { 0xf } else { mask };
            used[temp.0 as usize] |= mask;
        }
    }
    used
}

fn assign(
    order: &[Temp],
    temps: &[TempData],
    used: &[u8],
    conflicts: &Conflicts,
    most: u16,
) -> Option<Vec<Assigned>> {
    let mut places = vec![Assigned::default(); temps.len()];
    let mut is_placed = vec![false; temps.len()];
    for &temp in order {
        let mask = used[temp.0 as usize];
        let components: Vec<u8> = (0..4).filter(|at| mask >> at & 1 == 1).collect();
        // For each component, the components of each register that it may not have.
        let mut taken = [[0u8; REGISTERS as usize]; 4];
        for &component in &components {
            for other in conflicts.of(unit(temp, component)) {
                let (owner, at) = owner(other);
                if is_placed[owner.0 as usize] {
                    let place = places[owner.0 as usize];
                    taken[usize::from(component)][usize::from(place.register)] |=
                        1 << place.components[usize::from(at)];
                }
            }
        }
        let is_fixed = temps[temp.0 as usize].is_fixed;
        let found = (0..most).find_map(|register| {
            let blocked = taken.map(|of| of[usize::from(register)]);
            let map = fit(&components, blocked, is_fixed)?;
            Some(Assigned { register, components: map })
        })?;
        places[temp.0 as usize] = found;
        is_placed[temp.0 as usize] = true;
    }
    Some(places)
}

fn owner(unit: Unit) -> (Temp, u8) {
    (Temp(unit / 4), (unit % 4) as u8)
}

/// Positions in a register for the components, of which each may be blocked; the same ones if possible.
fn fit(components: &[u8], blocked: [u8; 4], is_fixed: bool) -> Option<[u8; 4]> {
    let free = |component: u8, at: u8| blocked[usize::from(component)] >> at & 1 == 0;
    if components.iter().all(|&component| free(component, component)) {
        return Some([0, 1, 2, 3]);
    }
    if is_fixed {
        return None;
    }
    // At most 4! orders; numbers count in base four.
    let count = components.len() as u32;
    for number in 0..4u32.pow(count) {
        let at = |index: usize| (number >> (2 * (count as usize - 1 - index)) & 3) as u8;
        let mut seen = 0u8;
        let fits = components.iter().enumerate().all(|(index, &component)| {
            let position = at(index);
            let is_new = seen >> position & 1 == 0;
            seen |= 1 << position;
            is_new && free(component, position)
        });
        if fits {
            let mut map = [0; 4];
            for (index, &component) in components.iter().enumerate() {
                map[usize::from(component)] = at(index);
            }
            return Some(map);
        }
    }
    None
}
