//! Removes copies: a temporary and the one it is copied to become one, if they are never needed with different values.
//!
//! The components of a temporary may get new positions in the other one: a scalar that is copied to the second component
//! of a vector is computed there. Copies in loops are tried first. Outputs take the place of the temporaries that are
//! copied to them.

use super::code::{Code, FORGET, Flow, Place, Profile, Reading, Source, Target, Temp, TempData, flow};
use super::live::{Unit, backward, unit};
use crate::sm1::{File, Op};
use rustc_hash::FxHashSet;

/// Pairs of components that are live at the same time.
pub(super) struct Conflicts {
    of: Vec<FxHashSet<Unit>>,
}

/// The most components that are live at once, and the instruction where they are.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct Pressure {
    pub units: usize,
    pub at: usize,
}

/// Computes the conflicts of machine code. A copy is no conflict between its source and its destination.
pub(super) fn conflicts(codes: &[Code], temps: usize) -> (Conflicts, Pressure) {
    let mut of: Vec<FxHashSet<Unit>> = vec![FxHashSet::default(); temps * 4];
    let mut pressure = Pressure::default();
    backward(codes, temps, |at, live| {
        let code = &codes[at];
        let Some((temp, mask)) = code.writes().filter(|_| code.op != FORGET) else { return };
        let written: Vec<Unit> = components(mask).map(|component| unit(temp, component)).collect();
        let len = live.len();
        if len > pressure.units {
            pressure = Pressure { units: len, at };
        }
        if len > MOST_LIVE {
            return;
        }
        for (&own, component) in written.iter().zip(components(mask)) {
            let copied = copied(code, component);
            for other in live.iter().chain(written.iter().copied()) {
                if other != own && copied != Some(other) {
                    of[own as usize].insert(other);
                    of[other as usize].insert(own);
                }
            }
        }
    });
    (Conflicts { of }, pressure)
}

/// Live components above which the program is refused anyway: 32 registers have 128.
pub(super) const MOST_LIVE: usize = 512;

/// The component that a copy reads for a component of its destination.
fn copied(code: &Code, component: u8) -> Option<Unit> {
    let source = code.sources.first().filter(|_| code.is_copy())?;
    match source.place {
        Place::Temp(temp) => Some(unit(temp, source.swizzle[usize::from(component)])),
        Place::Fixed(_) | Place::Literals(_) => None,
    }
}

fn components(mask: u8) -> impl Iterator<Item = u8> + Clone {
    (0..4).filter(move |&at| mask >> at & 1 == 1)
}

impl Conflicts {
    pub(super) fn has(&self, one: Unit, other: Unit) -> bool {
        self.of.get(one as usize).is_some_and(|set| set.contains(&other))
    }

    /// The units in conflict with one.
    pub(super) fn of(&self, unit: Unit) -> impl Iterator<Item = Unit> + '_ {
        self.of.get(unit as usize).into_iter().flat_map(|set| set.iter().copied())
    }

    /// Makes one unit stand for both.
    fn merge(&mut self, into: Unit, from: Unit) {
        let others = std::mem::take(&mut self.of[from as usize]);
        for &other in &others {
            self.of[other as usize].remove(&from);
            self.of[other as usize].insert(into);
        }
        self.of[into as usize].extend(others);
    }
}

/// The temporary that stands for each one, and the position of each of its components there.
struct Classes {
    of: Vec<(Temp, [u8; 4])>,
}

impl Classes {
    fn new(count: usize) -> Classes {
        Classes { of: (0..count as u32).map(|at| (Temp(at), [0, 1, 2, 3])).collect() }
    }

    /// The temporary that stands for one, and the positions of its components.
    fn find(&mut self, temp: Temp) -> (Temp, [u8; 4]) {
        let mut at = temp;
        let mut map = [0, 1, 2, 3];
        loop {
            let (next, step) = self.of[at.0 as usize];
            map = map.map(|component: u8| step[usize::from(component)]);
            if next == at {
                break;
            }
            at = next;
        }
        self.of[temp.0 as usize] = (at, map);
        (at, map)
    }
}

/// Removes copies between temporaries, and to outputs. Repeated while it removes any: a copy may only become removable
/// when another one is gone.
pub(super) fn coalesce(codes: &mut Vec<Code>, temps: &mut [TempData], profile: Profile) {
    loop {
        let before = codes.len();
        round(codes, temps);
        if codes.len() == before {
            break;
        }
    }
    // Only `mov` writes outputs of `ps_2_0`.
    if profile != Profile::PS_2_0 {
        to_outputs(codes);
    }
}

fn round(codes: &mut Vec<Code>, temps: &mut [TempData]) {
    let (mut conflicts, _) = conflicts(codes, temps.len());
    let needed = needed_at_forgets(codes, temps.len());
    let mut classes = Classes::new(temps.len());
    let mut copies: Vec<(usize, usize)> = Vec::new();
    let mut depth = 0usize;
    for (at, code) in codes.iter().enumerate() {
        match flow(code.op) {
            Flow::Rep => depth += 1,
            Flow::EndRep => depth = depth.saturating_sub(1),
            Flow::None | Flow::If | Flow::Else | Flow::EndIf | Flow::Break { .. } => {}
        }
        let is_temp = |source: &Source| matches!(source.place, Place::Temp(_));
        if code.is_copy() && code.writes().is_some() && code.sources.first().is_some_and(is_temp) {
            copies.push((at, depth));
        }
    }
    copies.sort_by_key(|&(at, depth)| (usize::MAX - depth, at));
    for (at, _) in copies {
        join(&codes[at], temps, &mut classes, &mut conflicts);
    }
    keep_needed(codes, &needed, &mut classes);
    rewrite(codes, &mut classes);
}

/// The components that are live after each [`FORGET`], without its own.
fn needed_at_forgets(codes: &[Code], temps: usize) -> Vec<(usize, Vec<Unit>)> {
    let mut needed = Vec::new();
    backward(codes, temps, |at, live| {
        let Some((temp, mask)) = codes[at].writes().filter(|_| codes[at].op == FORGET) else { return };
        let own: Vec<Unit> = components(mask).map(|component| unit(temp, component)).collect();
        needed.push((at, live.iter().filter(|live| !own.contains(live)).collect()));
    });
    needed
}

/// Removes from each [`FORGET`] the components that became one with a component that is needed there.
fn keep_needed(codes: &mut [Code], needed: &[(usize, Vec<Unit>)], classes: &mut Classes) {
    for (at, live) in needed {
        let Some((temp, mask)) = codes[*at].writes() else { continue };
        let (own, map) = classes.find(temp);
        let is_needed = live.iter().fold(0u8, |bits, live| {
            let (other, at) = classes.find(Temp(live / 4));
            bits | u8::from(other == own) << at[(live % 4) as usize]
        });
        let kept = components(mask).filter(|&component| is_needed >> map[usize::from(component)] & 1 == 0);
        let mask = kept.fold(0, |mask, component| mask | 1 << component);
        if let Some(target) = &mut codes[*at].target {
            target.mask = mask;
        }
    }
}

/// Makes source and destination of a copy one temporary, if that is possible.
fn join(code: &Code, temps: &mut [TempData], classes: &mut Classes, conflicts: &mut Conflicts) {
    let (Some((target, mask)), Some(source)) = (code.writes(), code.sources.first()) else { return };
    let Place::Temp(from) = source.place else { return };
    let ((into, into_map), (from, from_map)) = (classes.find(target), classes.find(from));
    if into == from {
        return;
    }
    let (into_data, from_data) = (temps[into.0 as usize], temps[from.0 as usize]);
    // The new position of each component of the source.
    let mut map = [u8::MAX; 4];
    for component in components(mask) {
        let old = from_map[usize::from(source.swizzle[usize::from(component)])];
        let new = into_map[usize::from(component)];
        if map[usize::from(old)] != u8::MAX && map[usize::from(old)] != new {
            return;
        }
        map[usize::from(old)] = new;
    }
    let mut count = into_data.components;
    for old in 0..from_data.components {
        if map[usize::from(old)] == u8::MAX {
            if count == 4 {
                return;
            }
            map[usize::from(old)] = count;
            count += 1;
        }
    }
    let used = || (0..from_data.components).map(|old| (old, map[usize::from(old)]));
    let mut seen = 0u8;
    for (_, new) in used() {
        if seen >> new & 1 == 1 {
            return;
        }
        seen |= 1 << new;
    }
    if from_data.is_fixed && used().any(|(old, new)| old != new) {
        return;
    }
    // A temporary that moves its components must not become the fixed one.
    if into_data.is_fixed && count > into_data.components {
        return;
    }
    if used().any(|(old, new)| conflicts.has(unit(into, new), unit(from, old))) {
        return;
    }
    for (old, new) in used() {
        conflicts.merge(unit(into, new), unit(from, old));
    }
    temps[into.0 as usize] =
        TempData { components: count, is_fixed: into_data.is_fixed || from_data.is_fixed };
    let full = map.map(|new| if new == u8::MAX { 0 } else { new });
    classes.of[from.0 as usize] = (into, full);
}

/// Replaces temporaries by those that stand for them, and removes copies to themselves.
fn rewrite(codes: &mut Vec<Code>, classes: &mut Classes) {
    for code in codes.iter_mut() {
        for source in &mut code.sources {
            if let Place::Temp(temp) = source.place {
                let (into, map) = classes.find(temp);
                source.place = Place::Temp(into);
                source.swizzle = source.swizzle.map(|component| map[usize::from(component & 3)]);
            }
        }
        if let Some((temp, _)) = code.writes() {
            let (into, map) = classes.find(temp);
            retarget(code, Place::Temp(into), map);
        }
    }
    codes.retain_mut(|code| {
        let (Some(target), true, Some(&source)) = (code.target, code.is_copy(), code.sources.first()) else {
            return true;
        };
        if source.place != target.place {
            return true;
        }
        let kept = components(target.mask).filter(|&at| source.swizzle[usize::from(at)] != at);
        let mask = kept.fold(0, |mask, at| mask | 1 << at);
        code.target = Some(Target { mask, ..target });
        mask != 0
    });
}

/// Writes the result of an instruction to another place, each component to a new position.
pub(super) fn retarget(code: &mut Code, place: Place, map: [u8; 4]) {
    let Some(target) = &mut code.target else { return };
    let old = target.mask;
    target.place = place;
    if map == [0, 1, 2, 3] {
        return;
    }
    target.mask = components(old).fold(0, |mask, at| mask | 1 << map[usize::from(at)]);
    if code.reading != Reading::Each {
        return;
    }
    for source in &mut code.sources {
        let first = components(old).next().unwrap_or(0);
        let mut swizzle = [source.swizzle[usize::from(first)]; 4];
        for at in components(old) {
            swizzle[usize::from(map[usize::from(at)])] = source.swizzle[usize::from(at)];
        }
        source.swizzle = swizzle;
    }
}

/// Lets instructions outside of branches and loops write an output, if their result is only copied there.
fn to_outputs(codes: &mut Vec<Code>) {
    let mut depth = 0usize;
    let mut outside = vec![false; codes.len()];
    for (at, code) in codes.iter().enumerate() {
        match flow(code.op) {
            Flow::If | Flow::Rep => depth += 1,
            Flow::EndIf | Flow::EndRep => depth = depth.saturating_sub(1),
            Flow::None | Flow::Else | Flow::Break { .. } => {}
        }
        outside[at] = depth == 0;
    }
    let mut removed = vec![false; codes.len()];
    for at in 0..codes.len() {
        let code = &codes[at];
        let Some(Target { place: Place::Fixed(register), mask, saturate: false }) = code.target else {
            continue;
        };
        let is_output = matches!(register.file, File::Output | File::Color | File::Depth);
        let Some(source) = code.sources.first().copied().filter(|_| code.is_copy() && is_output) else {
            continue;
        };
        let Place::Temp(temp) = source.place else { continue };
        // The position in the output of each component.
        let mut map = [u8::MAX; 4];
        let mut is_one_to_one = true;
        for component in components(mask) {
            let slot = &mut map[usize::from(source.swizzle[usize::from(component)])];
            is_one_to_one &= *slot == u8::MAX;
            *slot = component;
        }
        let of_temp = |other: &Code| other.writes().is_some_and(|(written, _)| written == temp);
        let reads = |other: &Code| other.reads().any(|(read, _)| read == temp);
        let fits = |(index, other): (usize, &Code)| {
            let is_plain = !matches!(other.reading, Reading::Whole(_)) && other.predicate.is_none();
            let covered = other
                .writes()
                .is_none_or(|(_, mask)| components(mask).all(|it| map[usize::from(it)] != u8::MAX));
            let writes = of_temp(other);
            let fine = outside[index] && index < at && is_plain && covered && other.op != Op::SinCos;
            (!writes || fine) && (index == at || removed[index] || !reads(other))
        };
        if !is_one_to_one || !outside[at] || !codes.iter().enumerate().all(fits) {
            continue;
        }
        removed[at] = true;
        let map = map.map(|it| if it == u8::MAX { 0 } else { it });
        for other in codes.iter_mut().filter(|other| of_temp(other)) {
            retarget(other, Place::Fixed(register), map);
        }
    }
    let mut index = 0;
    codes.retain(|_| {
        index += 1;
        !removed[index - 1]
    });
}

/// Simplifies flow: a branch that only leaves a loop, an empty arm, an empty branch.
pub(super) fn simplify_flow(codes: &mut Vec<Code>) {
    let mut at = 0;
    while at < codes.len() {
        let kinds = |range: std::ops::Range<usize>, codes: &[Code]| -> Vec<Flow> {
            codes.get(range).unwrap_or(&[]).iter().map(|code| flow(code.op)).collect()
        };
        let always = Flow::Break { conditional: false };
        if codes[at].op == Op::IfC && kinds(at + 1..at + 3, codes) == [always, Flow::EndIf] {
            codes[at].op = Op::BreakC;
            codes.drain(at + 1..at + 3);
        } else if codes[at].op == Op::IfC && kinds(at + 1..at + 2, codes) == [Flow::Else] {
            codes[at].control = inverse(codes[at].control);
            codes.remove(at + 1);
        } else if codes[at].op == Op::IfC && kinds(at + 1..at + 2, codes) == [Flow::EndIf] {
            codes.drain(at..at + 2);
            at = at.saturating_sub(2);
        } else if codes[at].op == Op::Else && kinds(at + 1..at + 2, codes) == [Flow::EndIf] {
            codes.remove(at);
            at = at.saturating_sub(3);
        } else {
            at += 1;
        }
    }
}

/// The comparison that holds where another one does not.
fn inverse(control: u8) -> u8 {
    match control {
        1 => 6,
        2 => 5,
        3 => 4,
        4 => 3,
        5 => 2,
        other => {
            if other == 6 {
                1
            } else {
                other
            }
        }
    }
}
