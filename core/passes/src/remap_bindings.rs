//! `remap-bindings`: changes sets and bindings of resources.
//!
//! ```text
//! uniform $camera_0: #Camera {set 0, binding 4}         uniform $camera_0: #Camera {set 0, binding 0}
//! handle $albedo_1: image<2d f32> {set 2, binding 1} => handle $albedo_1: image<2d f32> {set 0, binding 1}
//! storage $lights_2: #Lights {set 2, binding 7}         storage $lights_2: #Lights {set 1, binding 3}
//!
//!                                       remap-bindings{flat, lights=1:3}
//! ```
//!
//! An engine has places for its resources: a set for each frequency of updates, the bindings of its root signature, or dense
//! numbers. This pass moves the resources of a shader there. `RESOURCE=SET:BINDING` moves one: the variable or the block of
//! that name; `0:4` names everything at set 0, binding 4, and `$2` a variable by its number. All others keep their places,
//! or get dense bindings around the given ones: `compact` in each set, `flat` in a single set. Both keep the order of set and
//! binding. `add-set` and `add-binding` move all others further.
//!
//! Every target follows: SPIR-V, GLSL, WGSL and the Vulkan bindings of HLSL have set and binding; the numbers of Metal are in
//! their order. `assign-slots` chooses registers and indices of a single language. The host must bind the resources at the new
//! places, and so must the inputs of a run; no preset contains this pass.
//!
//! Variables of one kind with the same set and binding are one resource, which moves as a whole; `flat` and `compact` keep
//! resources of several kinds together that share a place, as an image and its sampler do. Push constants and uniforms without
//! a binding have no place. Two resources that would meet at one place, in an entry point that uses both, are an error.
//! NIR has no such pass: its drivers number resources.

use super::options::{GivenPlace, PassOptions, options};
use super::pass::{Journals, PassInfo, RunFn};
use crate::util::resources::{BoundClass, BoundKey, PLACE, aliases_of, bound_key, named_resources};
use crate::util::rewrite_each::rewrite_everywhere;
use std::collections::BTreeMap;
use vitrine_analysis::{Numbering, reached_resources, resource_name};
use vitrine_ir::base::EntitySet;
use vitrine_ir::base::opening::opening;
use vitrine_ir::ops::{IoOp, Key, Op};
use vitrine_ir::{Anchor, Attrs, Diag, Editor, Fuel, Help, Inst, InstData, Module, Reason, Var, VarData};

options! {
    /// Where resources go.
    struct Numbers {
        choice scheme: Scheme {
            /// Resources without a given place keep theirs.
            AsDeclared "as-declared",
            /// They get dense bindings in their set, in order.
            Compact "compact",
            /// They get dense bindings in set 0, in order of set and binding.
            Flat "flat",
        }
        /// Added to the sets of resources without a given place.
        add_set: u32 = 0 in 0..=1 << 16;
        /// Added to their bindings.
        add_binding: u32 = 0 in 0..=1 << 16;
        places given "RESOURCE=SET:BINDING" "Moves one resource, as in `lights=1:3`; may be given for several.";
    }
}

/// The entry in the list of passes.
pub(super) const PASS: PassInfo = PassInfo {
    doc: "Changes sets and bindings of resources.",
    options: Numbers::INFO,
    idempotent: false,
    ..PassInfo::new(
        "remap-bindings",
        opening!("remap_bindings.rs"),
        RunFn::Module(|module, cx, fuel| remap_bindings(module, &Numbers::of(cx.options), fuel)),
    )
};

const WHY: Reason = Reason::Note("the buffer has another set and binding");

/// The list of bindings of a set, for [`Numbering`].
const BINDINGS: &str = "binding";

/// The new place of each resource.
type Places = BTreeMap<BoundKey, [u64; 2]>;

/// Moves resources. `O(n log n)`; both shapes. All moves together are a unit of fuel.
///
/// Errors: `P118` a resource that does not exist, or a place of two; `P103` a function that was not valid.
fn remap_bindings(module: &mut Module, options: &Numbers, fuel: &mut Fuel) -> Result<Journals, Diag> {
    let given = given_places(module, &options.given)?;
    let loose = bound_by_instructions(module);
    let vars: Vec<(Var, BoundKey)> =
        module.vars().filter_map(|(var, _)| Some((var, bound_key(module, var)?))).collect();
    let mut keys: Vec<BoundKey> = vars.iter().map(|&(_, key)| key).chain(loose.iter().copied()).collect();
    keys.sort_unstable_by_key(|&(class, place)| (place, class));
    keys.dedup();
    let places = new_places(&keys, given, options)?;
    reject_meetings(module, &places, &vars, &loose)?;
    if places.iter().all(|((_, old), new)| old == new) || !fuel.take() {
        return Ok(Journals::new());
    }
    for (var, key) in vars {
        let (Some(&place), Some(data)) = (places.get(&key), module.var(var).cloned()) else { continue };
        if place != key.1 {
            let attrs = with_place(&data.attrs, place);
            module.set_var(var, VarData { attrs, ..data });
        }
    }
    if loose.is_empty() { Ok(Journals::new()) } else { rewrite(module, &places) }
}

/// The places that the options give, by resource.
fn given_places(module: &Module, given: &[GivenPlace]) -> Result<Places, Diag> {
    let mut out = Places::new();
    for GivenPlace { name, numbers } in given {
        let &[set, binding] = numbers.as_slice() else {
            let says = format!("the place of `{name}` has one number, not a set and a binding");
            return Err(Diag::error(PLACE, Anchor::Module)
                .says(says)
                .help(format!("write both, as in `{name}=0:{}`", numbers.first().copied().unwrap_or(0))));
        };
        let place = [set, binding].map(u64::from);
        for var in aliases_of(module, &named_resources(module, name)?) {
            let Some(key) = bound_key(module, var) else {
                return Err(Diag::error(PLACE, Anchor::Var(var))
                    .names(resource_name(module, var), Anchor::Var(var))
                    .says("has no set and no binding")
                    .help(
                        Help::default()
                            .pass("assign-slots")
                            .then("chooses the place of push constants in a language"),
                    ));
            };
            if out.insert(key, place).is_some_and(|other| other != place) {
                return Err(Diag::error(PLACE, Anchor::Var(var))
                    .names(resource_name(module, var), Anchor::Var(var))
                    .says("is given two places")
                    .help("remove one of them"));
            }
        }
    }
    Ok(out)
}

/// The new places of resources, which are sorted by place.
fn new_places(keys: &[BoundKey], given: Places, options: &Numbers) -> Result<Places, Diag> {
    let [add_set, add_binding] = [options.add_set, options.add_binding].map(u64::from);
    let mut numbering = Numbering::default();
    for &[set, binding] in given.values() {
        numbering.take((BINDINGS, set), binding, 1);
    }
    let mut out = given;
    // Resources that share a place keep doing so.
    let mut last: Option<([u64; 2], [u64; 2])> = None;
    for &key in keys {
        if out.contains_key(&key) {
            continue;
        }
        let old = key.1;
        let place = match (options.scheme, last) {
            (_, Some((of, place))) if of == old => place,
            (Scheme::AsDeclared, _) => [old[0] + add_set, old[1] + add_binding],
            (Scheme::Compact | Scheme::Flat, _) => {
                let set = add_set + if options.scheme == Scheme::Flat { 0 } else { old[0] };
                let binding = numbering.next((BINDINGS, set), add_binding, 1);
                numbering.take((BINDINGS, set), binding, 1);
                [set, binding]
            }
        };
        if place.iter().any(|&number| number > u64::from(u32::MAX)) {
            let says = format!("set {}, binding {} has more than 32 bits", place[0], place[1]);
            return Err(Diag::error(PLACE, Anchor::Module).says(says).help("add a smaller number"));
        }
        last = Some((old, place));
        out.insert(key, place);
    }
    Ok(out)
}

/// Returns an error if two resources that were apart have the same place, and an entry point uses both.
fn reject_meetings(
    module: &Module,
    places: &Places,
    vars: &[(Var, BoundKey)],
    loose: &[BoundKey],
) -> Result<(), Diag> {
    let mut at: BTreeMap<[u64; 2], Vec<BoundKey>> = BTreeMap::new();
    for (&key, &place) in places {
        at.entry(place).or_default().push(key);
    }
    at.retain(|_, keys| keys.iter().any(|key| Some(key.1) != keys.first().map(|first| first.1)));
    if at.is_empty() {
        return Ok(());
    }
    let reached = reached_resources(module, &module.entries);
    let of_key = |key: BoundKey| vars.iter().filter(move |(_, of)| *of == key).map(|&(var, _)| var);
    let has = |set: &EntitySet<Var>, key: BoundKey| of_key(key).any(|var| set.contains(var));
    for ([set, binding], keys) in at {
        for (number, &first) in keys.iter().enumerate() {
            for &second in keys.iter().skip(number + 1).filter(|second| second.1 != first.1) {
                let is_loose = loose.contains(&first) || loose.contains(&second);
                let meets = |vars: &EntitySet<Var>| has(vars, first) && has(vars, second);
                if !(is_loose || module.entries.is_empty() || reached.iter().any(meets)) {
                    continue;
                }
                let name = |key: BoundKey| match of_key(key).next() {
                    Some(var) => resource_name(module, var),
                    None => format!("the buffer at set {}, binding {}", key.1[0], key.1[1]),
                };
                let anchor = of_key(second).next().map_or(Anchor::Module, Anchor::Var);
                return Err(Diag::error(PLACE, anchor)
                    .says(format!(
                        "{} and {} would both be at set {set}, binding {binding}",
                        name(first),
                        name(second)
                    ))
                    .help("move the other one, too, or give one of them a free place"));
            }
        }
    }
    Ok(())
}

/// The class of the buffer that an instruction accesses by set and binding.
fn class_of(op: Op) -> Option<BoundClass> {
    match op {
        Op::Io(IoOp::Ubo) => Some(BoundClass::Uniform),
        Op::Io(IoOp::Ssbo | IoOp::SetSsbo) => Some(BoundClass::Storage),
        _ => None,
    }
}

fn key_of(op: Op, attrs: &Attrs) -> Option<BoundKey> {
    Some((class_of(op)?, [Key::Set, Key::Binding].map(|key| attrs.get(key).unwrap_or(0))))
}

/// The buffers that instructions access without a variable.
fn bound_by_instructions(module: &Module) -> Vec<BoundKey> {
    let mut out = Vec::new();
    for (_, body) in module.funcs() {
        body.for_each_inst(|_, inst| {
            let data = body.inst(inst);
            out.extend(key_of(data.op, &data.attrs));
        });
    }
    out.sort_unstable();
    out.dedup();
    out
}

fn with_place(attrs: &Attrs, [set, binding]: [u64; 2]) -> Attrs {
    attrs.with(Key::Set, set).with(Key::Binding, binding)
}

/// Gives instructions the places of their buffers.
fn rewrite(module: &mut Module, places: &Places) -> Result<Journals, Diag> {
    let remapped = |ed: &Editor<'_>, inst: Inst| {
        let data = ed.func().inst(inst);
        let key = key_of(data.op, &data.attrs)?;
        let &place = places.get(&key).filter(|place| **place != key.1)?;
        Some(InstData { attrs: with_place(&data.attrs, place), ..data.clone() })
    };
    rewrite_everywhere(module, remapped, |ed, inst, data| ed.rewrite(inst, data, WHY))
}
