//! History of a value through all versions: back to its origins, forward to its replacements.
//!
//! Derived from the journals only: changes that a pass did not record are not guessed. Ids are never reused,
//! so a value is the same in every version that contains it.

use super::trace::Trace;
use rustc_hash::FxHashSet;
use vitrine_ir::base::{EntityId, sort_by_number};
use vitrine_ir::{Event, Func, Inst, Origin, Reason, Site};

/// A change of a value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct HistoryEntry {
    /// The step, from 0.
    pub step: usize,
    /// The event.
    pub event: Event,
    /// The reason.
    pub why: Reason,
}

/// The past of a value.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Past {
    /// Events of the value and of the values it originates from, latest first.
    pub entries: Vec<HistoryEntry>,
    /// The values it originates from, itself first.
    pub values: Vec<Inst>,
    /// The source positions of those values, each once; only known ones.
    pub origins: Vec<Origin>,
}

/// The future of a value.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Future {
    /// Events of the value and of its replacements, earliest first.
    pub entries: Vec<HistoryEntry>,
    /// The values that represent it in the last version; empty if none does.
    pub values: Vec<Inst>,
}

/// Follows a value back from a version: through replacements, copies and rewrites to the source positions it
/// was read from.
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
        past.entries.push(HistoryEntry { step, event, why });
        if let Some(source) = source.filter(|&source| known.insert(source)) {
            past.values.push(source);
        }
    }
    // An origin is set when a value is created and does not change: the first and the requested version
    // contain them all.
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

/// Follows a value forward from a version: through replacements and rewrites to the values in the last
/// version.
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
        future.entries.push(HistoryEntry { step, event, why });
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
