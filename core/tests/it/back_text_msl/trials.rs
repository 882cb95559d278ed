//! A run of the interpreter as a job of the driver of Metal, and the comparison of both results.

use crate::testing::metal::{Entry, Ran, Value};
use std::collections::{BTreeMap, BTreeSet};
use vitrine_core::interp::{
    Inputs, InvocationInfo, KernelArg, Machine, OutKey, Outcome, Report, Slot, UbKind, Varying, run,
};
use vitrine_core::ir::{Mode, Module, Stage};
use vitrine_core::lab::check::inconclusive_of;
use vitrine_core::ops::{Builtin, Key, Scalar, Width};

/// The most invocations of a run.
const MOST_INVOCATIONS: usize = 4_096;

/// The largest difference of two floats, relative to the larger one: functions are computed by other formulas.
const TOLERANCE: f64 = 1e-4;

/// The source of a buffer of a text.
#[derive(Clone, Copy, Debug)]
enum Place {
    /// Set and binding, and the element of an array.
    Slot(Slot, u32),
    /// The argument of a kernel with this number.
    Argument(u32),
    Push,
    /// None: no resource has the number.
    Unused,
}

/// The buffers of a text, by their numbers.
fn buffers(text: &str) -> Vec<Place> {
    let mut out = Vec::new();
    for line in text.lines().filter(|line| line.starts_with("// buffer ") && line.ends_with(')')) {
        let number = line.trim_start_matches("// buffer ").split(':').next().and_then(|it| it.parse().ok());
        let number: usize = number.expect("a buffer has a number");
        assert!(number >= out.len(), "the buffers are not in order: {line}");
        out.resize(number, Place::Unused);
        if let Some((_, number)) = line.rsplit_once(" (argument ") {
            out.push(Place::Argument(number.trim_end_matches(')').parse().expect("it is a number")));
            continue;
        }
        let place = line.rsplit_once(" (set ").and_then(|(_, rest)| {
            let (set, rest) = rest.trim_end_matches(')').split_once(", binding ")?;
            let (binding, element) = rest.split_once(", element ").unwrap_or((rest, "0"));
            Some(Place::Slot((set.parse().ok()?, binding.parse().ok()?), element.parse().ok()?))
        });
        out.push(place.unwrap_or(Place::Push));
    }
    out
}

/// The bytes of an argument of a kernel: those of the buffer, or of the value.
fn argument_bytes(module: &Module, inputs: &Inputs, number: u32) -> Vec<u8> {
    match inputs.args.get(number as usize) {
        Some(KernelArg::Buffer(bytes)) => bytes.clone(),
        Some(KernelArg::Value(words)) => {
            let body = module.func(module.entries[0].func).expect("the kernel has a body");
            let width = body.ty(body.params()[number as usize]).width().expect("it is a number");
            let bytes = width.bits().div_ceil(8) as usize;
            words.iter().flat_map(|word| word.to_le_bytes()[..bytes].to_vec()).collect()
        }
        Some(KernelArg::Shared(_)) | None => Vec::new(),
    }
}

/// Component `at` of an input of an invocation, in a workgroup of this number, with the number of the invocation in the
/// group.
fn input(
    value: &Value,
    at: u32,
    machine: &Machine,
    inputs: &Inputs,
    workgroup: [u32; 3],
    (number, info): (usize, &InvocationInfo),
) -> u64 {
    let location = value.number("user").or_else(|| value.number("attribute"));
    if let Some(location) = location {
        let key = component_at(location, at * value.words());
        let Some(varying) = inputs.varyings.get(&key) else { return 0 };
        let place = [info.at[0], info.at[1]];
        let single = inputs.singles.get(&key).and_then(|single| single.get(&place));
        let is_float = matches!(value.scalar.as_str(), "float" | "half");
        let width = match value.scalar.as_str() {
            "half" | "short" | "ushort" => Width::W16,
            "long" | "ulong" => Width::W64,
            _ => Width::W32,
        };
        return single.copied().unwrap_or_else(|| linear(*varying, width, is_float, machine.stage(), place));
    }
    let (subgroup, size) = (inputs.subgroup as usize, machine.local_size());
    let axis = at as usize;
    let name = value.attribute.split(", ").next().unwrap_or_default();
    let known = INPUTS.iter().find(|row| row.0 == name);
    if let Some(given) = known.and_then(|(_, builtin)| inputs.builtins.get(builtin)) {
        return given.get(axis).copied().unwrap_or(0);
    }
    u64::from(match name {
        "thread_position_in_grid" => info.at[axis],
        "thread_position_in_threadgroup" => info.local[axis],
        "threadgroup_position_in_grid" => workgroup[axis],
        "threadgroups_per_grid" => inputs.groups[axis],
        "thread_index_in_threadgroup" => info.local[0] + size[0] * (info.local[1] + size[1] * info.local[2]),
        "threads_per_simdgroup" => subgroup as u32,
        "thread_index_in_simdgroup" => (number % subgroup) as u32,
        "simdgroup_index_in_threadgroup" => (number / subgroup) as u32,
        "simdgroups_per_threadgroup" => machine.width().div_ceil(subgroup) as u32,
        "position" => match axis {
            0 | 1 => (info.at[axis] as f32 + 0.5).to_bits(),
            2 => 0,
            _ => 1.0f32.to_bits(),
        },
        "point_coord" => 0.5f32.to_bits(),
        "front_facing" | "sample_mask" => 1,
        "vertex_id" => info.at[0],
        "instance_id" => info.at[1],
        _ => 0,
    })
}

/// The location and the component of the number `at` of 32 bits, of those that begin at a location.
fn component_at(location: u32, at: u32) -> (u32, u32) {
    (location + at / 4, at % 4)
}

/// System values of the interpreter, by attribute.
const INPUTS: &[(&str, Builtin)] = &[
    ("front_facing", Builtin::FrontFacing),
    ("sample_id", Builtin::SampleId),
    ("sample_mask", Builtin::SampleMask),
    ("primitive_id", Builtin::PrimitiveId),
    ("point_coord", Builtin::PointCoord),
    ("base_vertex", Builtin::BaseVertex),
    ("base_instance", Builtin::BaseInstance),
    ("render_target_array_index", Builtin::Layer),
    ("viewport_array_index", Builtin::ViewportIndex),
    ("barycentric_coord", Builtin::BaryCoord),
];

/// System values that are outputs, by attribute.
const OUTPUTS: &[(&str, Builtin)] = &[
    ("position", Builtin::Position),
    ("point_size", Builtin::PointSize),
    ("clip_distance", Builtin::ClipDistance),
    ("render_target_array_index", Builtin::Layer),
    ("viewport_array_index", Builtin::ViewportIndex),
    ("depth", Builtin::FragDepth),
    ("stencil", Builtin::FragStencilRef),
    ("sample_mask", Builtin::SampleMask),
];

/// An input at a place, as the interpreter has it.
fn linear(varying: Varying, width: Width, float: bool, stage: Stage, at: [u32; 2]) -> u64 {
    let half = if stage == Stage::Fragment { 0.5 } else { 0.0 };
    let place = |axis: usize| f64::from(at[axis]) + half;
    let change = place(0) * f64::from(varying.dx) + place(1) * f64::from(varying.dy);
    if varying.float || float {
        let base = Scalar::new(width, varying.base).to_f64();
        return Scalar::float(width, base + change).bits();
    }
    Scalar::new(width, varying.base.wrapping_add((change as i64).cast_unsigned())).bits()
}

/// A run of the original, and the words of the job of the text.
pub(super) struct Trial {
    outcome: Outcome,
    pub(super) job: Vec<u32>,
    /// The invocations in the order of the job, without helpers.
    numbers: Vec<u64>,
    inputs: Inputs,
}

/// Returns true if a difference proves nothing: invocations race, or two variables are one buffer, of which the driver makes two.
pub(super) fn is_excused(module: &Module, trial: &Trial) -> bool {
    let mut slots: Vec<[u64; 2]> = module
        .vars()
        .filter(|(_, data)| matches!(data.mode, Mode::Uniform | Mode::Storage))
        .filter_map(|(_, data)| Some([data.attrs.get(Key::Set)?, data.attrs.get(Key::Binding)?]))
        .collect();
    let count = slots.len();
    slots.sort_unstable();
    slots.dedup();
    let inputs = Inputs { races: true, ..trial.inputs.clone() };
    let is_excuse =
        |outcome: Outcome| inconclusive_of(&outcome).is_some() || outcome.reports.list().iter().any(is_open);
    slots.len() < count || run(module, 0, &inputs).is_ok_and(is_excuse)
}

/// Returns true for a result that both languages leave open.
fn is_open(report: &Report) -> bool {
    matches!(report.ub, UbKind::WideConversion | UbKind::WrongBounds)
}

/// Runs the original on inputs, of a case or generated. `None` if that is not conclusive.
pub(super) fn trial(
    text: &str,
    module: &Module,
    entry: &Entry,
    mut inputs: Inputs,
    is_case: bool,
) -> Option<Trial> {
    inputs.specs.clear();
    inputs.triangle = None;
    let outcome = run(module, 0, &inputs).ok()?;
    // Generated inputs may lead outside of arrays, where C++ and the interpreter have nothing in common.
    let leads_outside = outcome.reports.list().iter().any(|report| !is_open(report));
    if !is_case && leads_outside || inconclusive_of(&outcome).is_some() {
        return None;
    }
    let machine = Machine::new(module, 0, &inputs).ok()?;
    let places = buffers(text);
    let mut job = vec![inputs.subgroup];
    job.extend(inputs.groups);
    job.extend(machine.local_size());
    job.push(places.len() as u32);
    for place in &places {
        let bytes = match place {
            Place::Slot(slot, element) => {
                let list = inputs.buffers.get(slot);
                list.and_then(|list| list.get(*element as usize)).cloned().unwrap_or_default()
            }
            Place::Argument(number) => argument_bytes(module, &inputs, *number),
            Place::Push => inputs.push.clone(),
            Place::Unused => Vec::new(),
        };
        job.push(bytes.len() as u32);
        for word in bytes.chunks(4) {
            let mut whole = [0u8; 4];
            whole[..word.len()].copy_from_slice(word);
            job.push(u32::from_le_bytes(whole));
        }
    }
    job.push(u32::from(entry.has_payload));
    job.push(entry.words());
    let count = job.len();
    job.push(0);
    let (mut invocations, mut numbers) = (0, Vec::new());
    for number in 0..machine.group_count() {
        let group = machine.group_at(number);
        if group.invocations.is_empty() {
            continue;
        }
        job[count] += 1;
        job.extend(group.workgroup);
        job.push(group.invocations.len() as u32);
        invocations += group.invocations.len();
        if invocations > MOST_INVOCATIONS {
            return None;
        }
        for (at, info) in group.invocations.iter().enumerate() {
            job.extend(info.at);
            job.extend(info.local);
            job.push(u32::from(info.helper));
            numbers.extend((!info.helper).then_some(info.invocation));
            for value in &entry.inputs {
                for component in 0..value.components {
                    let bits = input(value, component, &machine, &inputs, group.workgroup, (at, info));
                    let words = [bits as u32, (bits >> 32) as u32];
                    job.extend(words.into_iter().take(value.words() as usize));
                }
            }
        }
    }
    Some(Trial { outcome, job, numbers, inputs })
}

/// Returns true if two words are the same number, or close ones.
fn is_close(ours: u32, theirs: u32) -> bool {
    let [a, b] = [ours, theirs].map(|bits| f64::from(f32::from_bits(bits)));
    let halves = |bits: u32| [bits & 0xffff, bits >> 16].map(|bits| Scalar::new(Width::W16, bits.into()));
    let are_halves = halves(ours)
        .iter()
        .zip(halves(theirs))
        .all(|(a, b)| *a == b || a.to_f64().is_nan() && b.to_f64().is_nan());
    // Small integers are tiny floats, which differ by nothing.
    let are_floats = [a, b].iter().all(|number| *number == 0.0 || number.abs() > 1e-25);
    ours == theirs
        || are_halves
        || a.is_nan() && b.is_nan()
        || are_floats && (a - b).abs() <= TOLERANCE * a.abs().max(b.abs()).max(1e-3)
}

/// The first difference of the outputs of an invocation.
fn output_difference(
    entry: &Entry,
    expected: &BTreeMap<OutKey, Option<u64>>,
    given: &[u32],
) -> Option<String> {
    let mut words = given.iter();
    let mut seen: BTreeSet<OutKey> = BTreeSet::new();
    for output in &entry.outputs {
        let location = output.number("color").or_else(|| output.number("user"));
        let name = output.attribute.split(['(', ',']).next().unwrap_or_default();
        let builtin = OUTPUTS.iter().find(|row| row.0 == name).map(|row| row.1);
        for at in 0..output.components * output.len.unwrap_or(1) {
            let Some(&theirs) = words.next() else { return Some("an output is missing".to_owned()) };
            let upper = if output.words() == 2 { words.next().copied().unwrap_or(0) } else { 0 };
            let key = match (location, builtin) {
                (Some(location), _) => {
                    let (location, component) = component_at(location, at * output.words());
                    OutKey::Location(location, component, output.number("index").unwrap_or(0))
                }
                (None, Some(builtin)) => OutKey::BuiltIn(builtin, at),
                (None, None) => continue,
            };
            seen.insert(key);
            let Some(&Some(ours)) = expected.get(&key) else { continue };
            let is_same = match output.scalar.as_str() {
                "half" => {
                    let [a, b] = [ours, u64::from(theirs)].map(|bits| Scalar::new(Width::W16, bits).to_f64());
                    ours == u64::from(theirs) || (a - b).abs() <= 2e-3 * a.abs().max(1e-3)
                }
                "float" => is_close(ours as u32, theirs),
                "long" | "ulong" => ours == u64::from(upper) << 32 | u64::from(theirs),
                _ => ours as u32 == theirs,
            };
            if !is_same {
                return Some(format!("{key}: {ours:#x} and {theirs:#x} in the text"));
            }
        }
    }
    if !entry.has_grid {
        let lacking = expected.iter().find(|(key, ours)| ours.is_some() && !seen.contains(key));
        return lacking.map(|(key, ours)| format!("{key}: {ours:x?}, which the text does not have"));
    }
    let grid = (0..if entry.has_grid { 3 } else { 0 }).map(|at| OutKey::BuiltIn(Builtin::TaskCount, at));
    let payload = (0..if entry.has_payload { PAYLOAD_WORDS } else { 0 }).map(|at| OutKey::Payload(at * 4));
    let given: BTreeMap<OutKey, u32> = grid.chain(payload).zip(words.copied()).collect();
    expected.iter().find_map(|(key, ours)| {
        let ours = (*ours)? as u32;
        match given.get(key) {
            Some(&theirs) if is_close(ours, theirs) => None,
            theirs => Some(format!("{key}: {ours:#x} and {theirs:x?} in the text")),
        }
    })
}

/// The words of the payload that the driver gives.
const PAYLOAD_WORDS: u32 = 64;

/// The first difference of a run.
pub(super) fn difference(text: &str, entry: &Entry, trial: &Trial, ran: &Ran) -> Option<String> {
    if ran.status != 0 {
        return Some(format!("the process ended with status {}", ran.status));
    }
    if trial.numbers.len() != ran.invocations.len() {
        return Some(format!(
            "{} invocations and {} in the text",
            trial.numbers.len(),
            ran.invocations.len()
        ));
    }
    for (number, (discarded, outputs)) in trial.numbers.iter().zip(&ran.invocations) {
        let Some(ours) = trial.outcome.invocations.get(number) else { continue };
        if ours.end.is_unseen() != *discarded {
            return Some(format!(
                "invocation {:?}: {:?}, discarded in the text: {discarded}",
                ours.at, ours.end
            ));
        }
        if !discarded && let Some(found) = output_difference(entry, &ours.outputs, outputs) {
            return Some(format!("invocation {:?}, {found}", ours.at));
        }
    }
    for (place, theirs) in buffers(text).iter().zip(&ran.buffers) {
        let ours = match *place {
            Place::Slot(slot, element) => trial.outcome.buffers.get(&(slot, element)),
            Place::Argument(number) => trial.outcome.args.get(&number),
            Place::Push | Place::Unused => None,
        };
        let Some(ours) = ours else { continue };
        for (at, (a, b)) in ours.bytes.chunks(4).zip(theirs.chunks(4)).enumerate() {
            let from = at as u32 * 4;
            let is_open = ours.undefined.iter().any(|&byte| (from..from + 4).contains(&byte));
            let word = |part: &[u8]| {
                let mut whole = [0u8; 4];
                whole[..part.len()].copy_from_slice(part);
                u32::from_le_bytes(whole)
            };
            if !is_open && !is_close(word(a), word(b)) {
                return Some(format!("{place:?} byte {from}: {:#x} and {:#x} in the text", word(a), word(b)));
            }
        }
    }
    None
}

#[test]
fn small_integers_that_differ_are_not_close() {
    assert!(!is_close(4, 5) && !is_close(0, 1) && is_close(7, 7));
    let [one, near, far] = [1.0f32, 1.00001, 1.01].map(f32::to_bits);
    assert!(is_close(one, near) && !is_close(one, far) && is_close(0, 0.0f32.to_bits()));
}
