//! The first store or branch at which two programs part, for the invocation whose result differs.
//!
//! ```text
//! first    store color.x 1.0    branch 1    store color.z 1.0
//! second   store color.x 1.0    branch 1    store color.z 0.0     ◄── here
//! ```
//!
//! Both run on the same inputs. Stores to visible memory are aligned by place: of each place the last store counts, because
//! passes remove overwritten ones, and the earliest of those that differ is reported. Branches are aligned in order,
//! and only if both programs have equally many: a pass that changes control flow changes its decisions, too. A branch
//! that parts the programs before that store is reported instead of it.
//!
//! Refuses to follow values backward from the store.

use super::judge::{Difference, Spot};
use std::collections::{BTreeMap, BTreeSet};
use vitrine_interp::{Event, EventKind, Inputs, Visible, Watched, watch};
use vitrine_ir::{Anchor, Func, Module, Nesting, Shape, Terminator};
use vitrine_text::{Options, Plain, Printer};

/// An event of one program, in words.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Happened {
    /// The function.
    pub func: Func,
    /// The instruction or terminator.
    pub at: Anchor,
    /// The instruction as text.
    pub text: String,
    /// The written bits or the condition as text.
    pub value: String,
}

/// The events at which two programs part.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Parting {
    /// The invocation.
    pub invocation: u64,
    /// If set, the programs part at a branch; otherwise at a store.
    pub is_branch: bool,
    /// The event in the first and in the second program; `None` if that program has none.
    pub sides: [Option<Happened>; 2],
    /// Number of visible places whose last stores are equal.
    pub equal: usize,
}

/// A program with its entry point.
pub(super) type Program<'m> = (&'m Module, usize);

/// Finds the parting of two programs. Errors: a sentence that says why there is none.
pub(super) fn parting(
    programs: [Program<'_>; 2],
    inputs: &Inputs,
    difference: &Difference,
) -> Result<Parting, String> {
    let events = |which: usize, watched: Watched| {
        let (module, entry) = programs[which];
        watch(module, entry, inputs, watched).map_err(|diag| diag.to_string())
    };
    let invocation = match (difference.invocation, visible(difference.spot)) {
        (Some(invocation), _) => invocation,
        (None, Some(byte)) => {
            // The last store decides.
            let writers = [events(0, Watched::Byte(byte))?, events(1, Watched::Byte(byte))?];
            let last = writers.iter().filter_map(|events| events.last()).map(|event| event.invocation).next();
            last.ok_or("neither version writes the byte")?
        }
        (None, None) => return Err("no single store makes the difference".to_owned()),
    };
    let both = [events(0, Watched::Invocation(invocation))?, events(1, Watched::Invocation(invocation))?];
    let [first, second] = [&both[0], &both[1]].map(|events| last_stores(events));
    let places: BTreeSet<Visible> = first.keys().chain(second.keys()).copied().collect();
    let (mut equal, mut parted) = (0, [None, None]);
    for place in places {
        let numbers = [first.get(&place).copied(), second.get(&place).copied()];
        let kinds = [0, 1].map(|which| numbers[which].map(|number| both[which][number].kind));
        // Places that only the second program writes have no order in the first.
        let order = |numbers: [Option<usize>; 2]| numbers[0].or(numbers[1]).unwrap_or(usize::MAX);
        if kinds[0] == kinds[1] {
            equal += 1;
        } else if order(numbers) < order(parted) {
            parted = numbers;
        }
    }
    let limits = [0, 1].map(|which| parted[which].unwrap_or(both[which].len()));
    let branch = branches(programs[0].0).filter(|count| branches(programs[1].0) == Some(*count));
    let branch = branch.and_then(|_| parted_branch([&both[0], &both[1]], limits));
    let is_branch = branch.is_some();
    let at = branch.map_or(parted, |at| at.map(Some));
    if at == [None, None] {
        return Err("the events of both versions are the same".to_owned());
    }
    let side = |which: usize| {
        let event = both[which].get(at[which]?)?;
        Some(happened(programs[which].0, event))
    };
    Ok(Parting { invocation, is_branch, sides: [side(0), side(1)], equal })
}

fn visible(spot: Spot) -> Option<Visible> {
    let offset = |offset: u64| u32::try_from(offset).ok();
    match spot {
        Spot::End | Spot::Element | Spot::Behavior(_) => None,
        Spot::Output(key) => Some(Visible::Output(key)),
        Spot::Buffer(slot, element, at) => Some(Visible::Buffer(slot, element, offset(at)?)),
        Spot::Image(slot, element, at) => Some(Visible::Image(slot, element, offset(at)?)),
        Spot::Arg(arg, at) => Some(Visible::Arg(arg, offset(at)?)),
    }
}

/// The number of the last store to each place.
fn last_stores(events: &[Event]) -> BTreeMap<Visible, usize> {
    let of = |(number, event): (usize, &Event)| match event.kind {
        EventKind::Store { to, .. } => Some((to, number)),
        EventKind::Branch { .. } => None,
    };
    events.iter().enumerate().filter_map(of).collect()
}

/// Number of conditional branches and switches of the functions of a module; `None` if a function is a tree.
fn branches(module: &Module) -> Option<usize> {
    let mut count = 0;
    for (_, body) in module.funcs() {
        if matches!(body.shape(), Shape::Tree(_)) {
            return None;
        }
        let blocks = body.blocks_in_order();
        let is_branch = |terminator: &Terminator| {
            matches!(terminator, Terminator::Branch { .. } | Terminator::Switch { .. })
        };
        count += blocks.iter().filter(|&&block| is_branch(&body.block(block).terminator)).count();
    }
    Some(count)
}

/// The first branch before the limits whose decision differs, as event numbers in both programs.
fn parted_branch(both: [&[Event]; 2], limits: [usize; 2]) -> Option<[usize; 2]> {
    let decisions = |which: usize| {
        let before = both[which].iter().enumerate().take(limits[which]);
        let branch = |(number, event): (usize, &Event)| match event.kind {
            EventKind::Branch { on } => Some((number, on)),
            EventKind::Store { .. } => None,
        };
        before.filter_map(branch).collect::<Vec<_>>()
    };
    let [first, second] = [decisions(0), decisions(1)];
    let parted = first.iter().zip(&second).find(|(a, b)| a.1 != b.1)?;
    Some([parted.0.0, parted.1.0])
}

fn happened(module: &Module, event: &Event) -> Happened {
    let mut plain = Plain::new();
    let mut printer = Printer::new(module, Options::default(), &mut plain);
    match event.at {
        Anchor::Inst(func, inst) => printer.one_inst(func, inst),
        Anchor::Terminator(func, block) => {
            if let Some(body) = module.func(func) {
                printer.decision(func, block, &Nesting::of(body));
            }
        }
        _ => {}
    }
    let value = match event.kind {
        EventKind::Store { bits: None, .. } => "undefined".to_owned(),
        EventKind::Store { bits: Some(bits), .. } => format!("{bits:#x}"),
        EventKind::Branch { on } => on.to_string(),
    };
    Happened { func: event.func, at: event.at, text: plain.finish().trim().to_owned(), value }
}
