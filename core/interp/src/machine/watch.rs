//! Recording of visible stores and of branches while a run goes on, to compare two programs event by event.
//!
//! Only memory that the outcome shows is recorded: outputs, buffers, storage images, arguments. Refuses to record more than
//! [`MOST_EVENTS`]; the rest of the run has none.

use super::super::decode::VarCode;
use super::super::inputs::{Inputs, Slot};
use super::super::memory::{Miss, Ptr};
use super::super::out_key::OutKey;
use super::{Machine, Status};
use std::collections::BTreeMap;
use vitrine_ir::{Anchor, Diag, Func, Mode, Module};

/// Limit on the events of a recording.
const MOST_EVENTS: usize = 1 << 16;

/// A place that the outcome of a run shows.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Visible {
    /// A component of an output.
    Output(OutKey),
    /// A byte of a buffer: set and binding, element, offset.
    Buffer(Slot, u32, u32),
    /// A byte of a storage image.
    Image(Slot, u32, u32),
    /// A byte of a kernel's argument.
    Arg(u32, u32),
}

/// An effect or a decision of an invocation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum EventKind {
    /// Bytes are written.
    Store {
        /// The first byte, or the component.
        to: Visible,
        /// Their number, at most 8.
        bytes: u32,
        /// The bits; `None` if they are undefined.
        bits: Option<u64>,
    },
    /// A conditional branch or a switch is taken.
    Branch {
        /// The condition or the selector.
        on: u64,
    },
}

/// An event, with its position.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Event {
    /// The function.
    pub func: Func,
    /// The instruction or the terminator.
    pub at: Anchor,
    /// The invocation, by its number in the run.
    pub invocation: u64,
    /// The event itself.
    pub kind: EventKind,
}

/// The events to record.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Watched {
    /// All events of an invocation, by its number in the run.
    Invocation(u64),
    /// Stores of all invocations that write this byte.
    Byte(Visible),
}

/// A recording.
#[derive(Debug)]
pub(super) struct Watch {
    watched: Watched,
    events: Vec<Event>,
    /// Images by root.
    images: BTreeMap<u32, (Slot, u32)>,
}

/// Runs an entry point on its inputs, and returns the watched events in order.
///
/// Errors: those of [`super::super::run()`].
pub fn watch(module: &Module, entry: usize, inputs: &Inputs, watched: Watched) -> Result<Vec<Event>, Diag> {
    let mut machine = Machine::new(module, entry, inputs)?;
    let images = machine.storage_images();
    machine.watch = Some(Box::new(Watch { watched, events: Vec::new(), images }));
    let count = machine.group_count();
    for number in 0..count.min(inputs.limits.invocations) {
        machine.begin(&machine.group_at(number));
        while machine.run(u64::MAX) == Status::Running {}
    }
    Ok(machine.watch.take().map(|watch| watch.events).unwrap_or_default())
}

impl Machine {
    /// Writes through a pointer, and records it.
    pub(super) fn write_memory(
        &mut self,
        ptr: Ptr,
        invocation: usize,
        extra: u32,
        bytes: u32,
        value: u64,
        undef: bool,
    ) -> Result<(), Miss> {
        let written = self.memory.write(ptr, invocation, extra, bytes, value, undef);
        if self.watch.is_some() && written.is_ok() {
            self.record_store(ptr, invocation, extra, bytes, (!undef).then_some(value));
        }
        written
    }

    fn record_store(&mut self, ptr: Ptr, invocation: usize, extra: u32, bytes: u32, bits: Option<u64>) {
        let Some(root) = ptr.root() else { return };
        let offset = ptr.offset().saturating_add(extra);
        let images = self.watch.as_ref().map(|watch| &watch.images);
        let image = images.and_then(|images| images.get(&root)).copied();
        let around = |of: &&VarCode| of.used && root >= of.root && root - of.root < of.count;
        let var = self
            .program
            .vars
            .iter()
            .find(around)
            .map(|of| (of.mode, of.slot, of.first + root - of.root, of.var));
        let arg = self.arg_roots.iter().position(|&arg| arg == root);
        let to = match (image, var, arg) {
            (Some((slot, element)), ..) => Visible::Image(slot, element, offset),
            (None, Some((Mode::Storage, Some(slot), element, _)), _) => {
                Visible::Buffer(slot, element, offset)
            }
            (None, Some((Mode::Out | Mode::Payload | Mode::Callable, _, _, var)), _) => {
                let leaves = self.leaves(var);
                let key = leaves.iter().find_map(|leaf| {
                    let part = offset.checked_sub(leaf.offset)? / leaf.step.max(1);
                    (part < u32::from(leaf.components)).then(|| leaf.key(part))
                });
                let Some(key) = key else { return };
                Visible::Output(key)
            }
            (None, None, Some(arg)) => Visible::Arg(arg as u32, offset),
            _ => return,
        };
        let width = bytes.saturating_mul(8);
        let bits = bits.map(|bits| if width < 64 { bits & ((1 << width) - 1) } else { bits });
        self.record(invocation, EventKind::Store { to, bytes, bits });
    }

    /// Records an output that has no memory.
    pub(super) fn record_output(&mut self, key: OutKey, invocation: usize, bits: Option<u64>) {
        self.record(invocation, EventKind::Store { to: Visible::Output(key), bytes: 0, bits });
    }

    /// Records the condition of each active invocation at a branch.
    pub(super) fn record_branch(&mut self, vreg: usize) {
        if self.watch.is_none() {
            return;
        }
        for at in 0..self.active.len() {
            let invocation = self.active[at] as usize;
            let on = self.get(vreg, invocation);
            self.record(invocation, EventKind::Branch { on });
        }
    }

    fn record(&mut self, invocation: usize, kind: EventKind) {
        let (Some((func, at)), Some(info)) = (self.here(), self.info.get(invocation).copied()) else {
            return;
        };
        let Some(watch) = &mut self.watch else { return };
        let wanted = match (watch.watched, kind) {
            (Watched::Invocation(number), _) => number == info.invocation && !info.helper,
            (Watched::Byte(byte), EventKind::Store { to, bytes, .. }) => covers(to, bytes, byte),
            (Watched::Byte(_), EventKind::Branch { .. }) => false,
        };
        if !wanted || watch.events.len() >= MOST_EVENTS {
            return;
        }
        let event = Event { func, at, invocation: info.invocation, kind };
        // Copies and texels are written byte by byte.
        if !watch.events.last_mut().is_some_and(|last| last.joins(&event)) {
            watch.events.push(event);
        }
    }

    /// Storage images by root: set and binding, and element.
    fn storage_images(&self) -> BTreeMap<u32, (Slot, u32)> {
        let mut out = BTreeMap::new();
        for of in self.program.vars.iter().filter(|of| of.used && of.mode == Mode::Handle) {
            let (Some(slot), Some(root)) = (of.slot, self.memory.root(of.root)) else { continue };
            for (element, word) in (0..).zip(root.bytes_of(0).chunks_exact(8)) {
                let number =
                    word.iter().take(4).rev().fold(0usize, |number, &byte| number << 8 | usize::from(byte));
                let bound = number.checked_sub(1).and_then(|number| self.images.get(number));
                out.extend(bound.map(|bound| (bound.root, (slot, of.first + element))));
            }
        }
        out
    }
}

impl Event {
    /// Appends the bytes of `next` if they continue these and all of them fit; returns false otherwise.
    fn joins(&mut self, next: &Event) -> bool {
        let is_next = (self.func, self.at, self.invocation) == (next.func, next.at, next.invocation);
        let (EventKind::Store { to, bytes, bits }, EventKind::Store { to: other, bytes: 1, bits: more }) =
            (&mut self.kind, next.kind)
        else {
            return false;
        };
        let fits = is_next && *bytes > 0 && *bytes < 4 && after(*to, *bytes) == Some(other);
        if !fits {
            return false;
        }
        *bits = bits.zip(more).map(|(bits, more)| bits | more << (8 * *bytes));
        *bytes += 1;
        true
    }
}

/// The byte that is `bytes` further; `None` for outputs.
fn after(at: Visible, bytes: u32) -> Option<Visible> {
    match at {
        Visible::Output(_) => None,
        Visible::Buffer(slot, element, offset) => {
            Some(Visible::Buffer(slot, element, offset.checked_add(bytes)?))
        }
        Visible::Image(slot, element, offset) => {
            Some(Visible::Image(slot, element, offset.checked_add(bytes)?))
        }
        Visible::Arg(arg, offset) => Some(Visible::Arg(arg, offset.checked_add(bytes)?)),
    }
}

/// Returns true if a store of `bytes` bytes writes `byte`.
fn covers(to: Visible, bytes: u32, byte: Visible) -> bool {
    let inside = |from: u32, offset: u32| offset >= from && offset - from < bytes;
    match (to, byte) {
        (Visible::Output(a), Visible::Output(b)) => a == b,
        (Visible::Buffer(a, m, from), Visible::Buffer(b, n, at))
        | (Visible::Image(a, m, from), Visible::Image(b, n, at)) => (a, m) == (b, n) && inside(from, at),
        (Visible::Arg(a, from), Visible::Arg(b, at)) => a == b && inside(from, at),
        _ => false,
    }
}
