//! Liveness of the components of temporaries in machine code, and code that computes nothing.
//!
//! Backward data flow over the blocks between flow instructions; the sets are bits, one for each component.

use super::code::{Code, Flow, Temp, TempData, flow};
use super::code::{Place, Reading};
use crate::sm1::{File, Op};

/// A component of a temporary, by number: `4 * temp + component`.
pub(super) type Unit = u32;

/// The unit of a component.
pub(super) fn unit(temp: Temp, component: u8) -> Unit {
    temp.0 * 4 + u32::from(component & 3)
}

/// A set of units.
#[derive(Clone, PartialEq, Eq, Default)]
pub(super) struct Units(Vec<u64>);

impl Units {
    /// An empty set for this many temporaries.
    pub(super) fn new(temps: usize) -> Units {
        Units(vec![0; (temps * 4).div_ceil(64)])
    }

    /// Adds a unit; returns true if it was not in the set.
    pub(super) fn insert(&mut self, unit: Unit) -> bool {
        let Some(word) = self.0.get_mut(unit as usize / 64) else { return false };
        let before = *word;
        *word |= 1 << (unit % 64);
        *word != before
    }

    pub(super) fn remove(&mut self, unit: Unit) {
        if let Some(word) = self.0.get_mut(unit as usize / 64) {
            *word &= !(1 << (unit % 64));
        }
    }

    pub(super) fn contains(&self, unit: Unit) -> bool {
        self.0.get(unit as usize / 64).is_some_and(|word| word >> (unit % 64) & 1 == 1)
    }

    /// Adds another set; returns true if any unit was new.
    fn add(&mut self, other: &Units) -> bool {
        let mut grew = false;
        for (word, &more) in self.0.iter_mut().zip(&other.0) {
            grew |= more & !*word != 0;
            *word |= more;
        }
        grew
    }

    /// The units in order.
    pub(super) fn iter(&self) -> impl Iterator<Item = Unit> + '_ {
        self.0.iter().enumerate().flat_map(|(at, &word)| {
            let mut rest = word;
            std::iter::from_fn(move || {
                let bit = (rest != 0).then(|| rest.trailing_zeros())?;
                rest &= rest - 1;
                Some(at as u32 * 64 + bit)
            })
        })
    }

    pub(super) fn len(&self) -> usize {
        self.0.iter().map(|word| word.count_ones() as usize).sum()
    }
}

/// The instructions that may follow each one.
pub(super) fn successors(codes: &[Code]) -> Vec<[Option<u32>; 2]> {
    let mut next: Vec<[Option<u32>; 2]> = (0..codes.len()).map(|at| [Some(at as u32 + 1), None]).collect();
    let mut open: Vec<(usize, Vec<usize>)> = Vec::new();
    let mut loops: Vec<(usize, Vec<usize>)> = Vec::new();
    for (at, code) in codes.iter().enumerate() {
        match flow(code.op) {
            Flow::None => {}
            Flow::If => open.push((at, Vec::new())),
            Flow::Else => {
                if let Some((start, ends)) = open.last_mut() {
                    next[*start][1] = Some(at as u32 + 1);
                    *start = at;
                    ends.push(at);
                }
            }
            Flow::EndIf => {
                if let Some((start, ends)) = open.pop() {
                    let is_else = ends.last() == Some(&start);
                    for end in ends {
                        next[end] = [Some(at as u32), None];
                    }
                    if !is_else {
                        next[start][1] = Some(at as u32);
                    }
                }
            }
            Flow::Rep => loops.push((at, Vec::new())),
            Flow::Break { conditional } => {
                if let Some((_, breaks)) = loops.last_mut() {
                    breaks.push(at);
                }
                next[at] = [conditional.then_some(at as u32 + 1), None];
            }
            Flow::EndRep => {
                if let Some((start, breaks)) = loops.pop() {
                    let after = Some(at as u32 + 1);
                    next[start][1] = after;
                    next[at][1] = Some(start as u32 + 1);
                    for from in breaks {
                        next[from][1] = after;
                    }
                }
            }
        }
    }
    next
}

/// Calls `f` with each instruction from the last to the first, and the units that are live after it.
///
/// Linear in the code for programs without loops; a fixpoint over blocks otherwise.
pub(super) fn backward(codes: &[Code], temps: usize, mut f: impl FnMut(usize, &Units)) {
    let next = successors(codes);
    // Blocks: runs of instructions without flow.
    let mut starts: Vec<usize> = vec![0];
    for (at, code) in codes.iter().enumerate() {
        if flow(code.op) != Flow::None {
            starts.extend([at, at + 1]);
        }
    }
    starts.dedup();
    starts.retain(|&at| at < codes.len());
    let mut block_of = vec![0u32; codes.len()];
    let end = |block: usize| starts.get(block + 1).copied().unwrap_or(codes.len());
    for block in 0..starts.len() {
        block_of[starts[block]..end(block)].fill(block as u32);
    }
    let mut live_in: Vec<Units> = vec![Units::new(temps); starts.len()];
    let live_out = |block: usize, live_in: &[Units]| {
        let mut out = Units::new(temps);
        for to in next[end(block) - 1].into_iter().flatten() {
            if let Some(&of) = block_of.get(to as usize) {
                out.add(&live_in[of as usize]);
            }
        }
        out
    };
    let mut changed = true;
    while changed {
        changed = false;
        for block in (0..starts.len()).rev() {
            let mut live = live_out(block, &live_in);
            for code in codes[starts[block]..end(block)].iter().rev() {
                step(code, &mut live);
            }
            if live != live_in[block] {
                changed = true;
                live_in[block] = live;
            }
        }
    }
    for block in (0..starts.len()).rev() {
        let mut live = live_out(block, &live_in);
        for at in (starts[block]..end(block)).rev() {
            f(at, &live);
            step(&codes[at], &mut live);
        }
    }
}

/// The units that are live before an instruction, from those after it.
fn step(code: &Code, live: &mut Units) {
    if let (Some((temp, mask)), None) = (code.writes(), code.predicate) {
        for component in (0..4).filter(|&at| mask >> at & 1 == 1) {
            live.remove(unit(temp, component));
        }
    }
    for (temp, component) in code.reads() {
        live.insert(unit(temp, component));
    }
}

/// Removes instructions and components that nothing reads, also those that only feed themselves around a loop.
pub(super) fn remove_dead(codes: &mut Vec<Code>, temps: &[TempData]) {
    let mut writers: Vec<Vec<u32>> = vec![Vec::new(); temps.len() * 4];
    for (at, code) in codes.iter().enumerate() {
        if let Some((temp, mask)) = code.writes() {
            for component in (0..4).filter(|&component| mask >> component & 1 == 1) {
                if let Some(list) = writers.get_mut(unit(temp, component) as usize) {
                    list.push(at as u32);
                }
            }
        }
    }
    let mut needed = Units::new(temps.len());
    let mut open: Vec<Unit> = Vec::new();
    for code in codes.iter().filter(|code| code.writes().is_none()) {
        open.extend(code.reads().map(|(temp, component)| unit(temp, component)));
    }
    while let Some(unit_of) = open.pop() {
        if !needed.insert(unit_of) {
            continue;
        }
        let component = (unit_of % 4) as usize;
        for &writer in writers.get(unit_of as usize).into_iter().flatten() {
            let code = &codes[writer as usize];
            for (at, source) in code.sources.iter().enumerate() {
                let Place::Temp(temp) = source.place else { continue };
                let positions = match code.reading {
                    Reading::Each => 1 << component,
                    _ => code.positions(at),
                };
                for position in (0..4).filter(|&position| positions >> position & 1 == 1) {
                    open.push(unit(temp, source.swizzle[position]));
                }
            }
        }
    }
    codes.retain_mut(|code| {
        let Some((temp, mask)) = code.writes() else { return true };
        let read = (0..4).filter(|&at| needed.contains(unit(temp, at))).fold(0u8, |read, at| read | 1 << at);
        if let (Some(target), Reading::Each | Reading::First | Reading::Dot(_)) =
            (code.target.as_mut(), code.reading)
        {
            target.mask = mask & read;
        }
        mask & read != 0
    });
    remove_unread(codes, File::Predicate, |code| code.predicate.is_some());
    remove_unread(codes, File::Address, |code| code.sources.iter().any(|source| source.relative.is_some()));
}

/// Removes writes to a register that is read only until the next write or flow instruction, if nothing reads it.
fn remove_unread(codes: &mut Vec<Code>, file: File, reads: impl Fn(&Code) -> bool) {
    let mut is_read = false;
    let mut dead = Vec::new();
    for (at, code) in codes.iter().enumerate().rev() {
        let writes =
            matches!(code.target.map(|target| target.place), Some(Place::Fixed(it)) if it.file == file);
        if writes && !is_read && file == File::Predicate {
            dead.push(at);
        }
        // An address register has four components, and is kept while any of them is read.
        if writes && file == File::Predicate {
            is_read = false;
        }
        is_read |= reads(code);
        if flow(code.op) != Flow::None && file == File::Predicate {
            is_read = false;
        }
    }
    if file == File::Address && !is_read {
        codes.retain(|code| code.op != Op::MovA);
        return;
    }
    for at in dead {
        codes.remove(at);
    }
}
