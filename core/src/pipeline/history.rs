//! One value through all versions: back to where it came from, forward to what became of it.
//!
//! Read off the journals, never off the programs: what a pass did not say is not guessed. Ids are never
//! reused, so a value is the same thing in every version that has it.

use super::trace::Trace;
use crate::base::{EntityId, sort_by_number};
use crate::ir::{Event, Func, Inst, Origin, Reason, Site};
use rustc_hash::FxHashSet;

/// Something that happened to a value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct HistoryEntry {
    /// The step, from 0.
    pub step: usize,
    /// What happened.
    pub event: Event,
    /// Why.
    pub why: Reason,
}

/// Where a value came from.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Past {
    /// What happened to it and to what it came from, latest first.
    pub moments: Vec<HistoryEntry>,
    /// The values it came from, itself first.
    pub values: Vec<Inst>,
    /// Where the program read says those are, each once; known places only.
    pub origins: Vec<Origin>,
}

/// What became of a value.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Future {
    /// What happened to it and to what took its place, earliest first.
    pub moments: Vec<HistoryEntry>,
    /// The values that stand for it in the last version; none if nothing does.
    pub values: Vec<Inst>,
}

/// Back from a version: through replacements, copies and rewrites to the words and lines it was read from.
///
/// Linear in the events of the function up to that version.
pub fn past(trace: &Trace, version: usize, func: Func, inst: Inst) -> Past {
    let mut past = Past { values: vec![inst], ..Past::default() };
    let mut known: FxHashSet<Inst> = FxHashSet::default();
    known.insert(inst);
    for (step, event, why) in events(trace, func, 0, version).into_iter().rev() {
        let source = match event {
            Event::Replace { old, new } if known.contains(&new) => Some(old),
            Event::Copy { of: Site::Inst(of), new: Site::Inst(new) } if known.contains(&new) => Some(of),
            Event::Create(Site::Inst(at)) | Event::Rewrite(at) if known.contains(&at) => None,
            Event::Move(Site::Inst(at)) | Event::Operands(Site::Inst(at)) if known.contains(&at) => None,
            Event::Replace { .. }
            | Event::Copy { .. }
            | Event::Create(_)
            | Event::Rewrite(_)
            | Event::Move(_)
            | Event::Operands(_)
            | Event::Erase(_)
            | Event::Control(_) => continue,
        };
        past.moments.push(HistoryEntry { step, event, why });
        if let Some(source) = source.filter(|&source| known.insert(source)) {
            past.values.push(source);
        }
    }
    // An origin is set where a value is made and stays: the first and the asked version have them all.
    for body in [version, 0].iter().filter_map(|&at| trace.version(at)?.func(func)) {
        for &value in &past.values {
            let origin = body.origin(value);
            if origin != Origin::default() && !past.origins.contains(&origin) {
                past.origins.push(origin);
            }
        }
    }
    past
}

/// Forward from a version: through replacements and rewrites to what stands in the last version.
///
/// Linear in the events of the function from that version on.
pub fn future(trace: &Trace, version: usize, func: Func, inst: Inst) -> Future {
    let mut future = Future::default();
    let mut live: Vec<Inst> = vec![inst];
    for (step, event, why) in events(trace, func, version, trace.steps.len()) {
        match event {
            Event::Replace { old, new } if live.contains(&old) => {
                if !live.contains(&new) {
                    live.push(new);
                }
            }
            Event::Copy { of: Site::Inst(of), new: Site::Inst(new) } if live.contains(&of) => live.push(new),
            Event::Erase(Site::Inst(at)) if live.contains(&at) => live.retain(|&value| value != at),
            Event::Rewrite(at) | Event::Move(Site::Inst(at)) | Event::Operands(Site::Inst(at))
                if live.contains(&at) => {}
            Event::Replace { .. }
            | Event::Copy { .. }
            | Event::Create(_)
            | Event::Rewrite(_)
            | Event::Move(_)
            | Event::Operands(_)
            | Event::Erase(_)
            | Event::Control(_) => continue,
        }
        future.moments.push(HistoryEntry { step, event, why });
    }
    sort_by_number(&mut live, |value| value.index() as u64);
    future.values = live;
    future
}

/// The events of a function between two versions.
fn events(trace: &Trace, func: Func, from: usize, to: usize) -> Vec<(usize, Event, Reason)> {
    let mut out = Vec::new();
    for (at, step) in trace.steps.iter().enumerate().take(to).skip(from) {
        let journals = step.journals.iter().filter(|(of, _)| *of == func);
        let events = journals.flat_map(|(_, journal)| journal.events());
        out.extend(events.map(|&(event, why)| (at, event, why)));
    }
    out
}
