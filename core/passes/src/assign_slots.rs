//! `assign-slots`: chooses registers, indices or bindings of resources in one language.
//!
//! ```text
//! uniform $camera_0: #Camera {set 0, binding 4}         uniform $camera_0: … {set 0, binding 4, register 0, space 0}
//! handle $albedo_1: image<2d f32> {set 2, binding 1} => handle $albedo_1: … {set 2, binding 1, register 0, space 0}
//! storage $lights_2: #Lights {set 2, binding 7}         storage $lights_2: … {set 2, binding 7, register 3, space 1}
//!
//!                                     assign-slots{hlsl-compact, lights=1:3}
//!
//! cbuffer camera : register(b0, space0) · Texture2D<float4> albedo : register(t0, space0) · … lights : register(u3, space1)
//! ```
//!
//! Some languages number resources in other ways than by set and binding. HLSL has registers: `b` for constant buffers, `t` for
//! what is read, `u` for what is written, `s` for samplers, each in spaces. Metal has the indices of buffers, textures and
//! samplers of a function, and GLSL ES 3.10 the bindings of uniform blocks, buffers, images and textures. Push constants are a
//! constant buffer of HLSL, a buffer of Metal, and a uniform block of GLSL ES and WGSL, which have none.
//!
//! Without this pass, HLSL and WGSL take set and binding, Metal numbers each list densely in the order of set and binding, and
//! GLSL ES takes the binding or the next one that is free. A given place is kept, and Metal and GLSL ES number the others
//! around it; `push` names the push constants. `hlsl-compact` and `essl-310-compact` number each list densely in the order of
//! set and binding, an array of resources of HLSL with a register for each element, one without a length in a space of its own;
//! `msl-declared` takes the binding as the index.
//!
//! Sets and bindings stay, so that SPIR-V, GLSL and the Vulkan bindings in the text of HLSL do too; `remap-bindings` changes
//! those. A texture that is combined with its sampler has the same number in both lists; after `lower-samplers{split}`, the
//! sampler has a name and a number of its own. Variables of one kind with the same set and binding are one resource of HLSL
//! and WGSL; each has a number of its own in Metal and GLSL ES. `vitrine show --emit bindings` prints the numbers of each language.
//!
//! An error: a number above the limits of the language; a resource that the language does not number, such as a sampler in
//! GLSL ES; two resources at one place, if an entry point uses both.

use super::options::{GivenPlace, PassOptions, options};
use super::pass::{Journals, PassInfo, RunFn};
use crate::util::resources::{BoundKey, PLACE, aliases_of, bound_key, named_resources};
use std::collections::BTreeMap;
use vitrine_analysis::{
    LayoutTarget, Numbering, PlaceConflict, ResourceKind, declared_place, place_conflicts, resource_count,
    resource_name, used_resources,
};
use vitrine_ir::base::opening::opening;
use vitrine_ir::{Anchor, Diag, Fuel, Help, Mode, Module, Var, VarData};

options! {
    /// The numbers of resources.
    struct Slots {
        choice numbering: SlotNumbering {
            /// Registers and spaces of HLSL; those that are not given are binding and set.
            Hlsl "hlsl",
            /// Dense registers of each kind in space 0.
            HlslCompact "hlsl-compact",
            /// Indices of Metal; those that are not given are dense.
            Msl "msl",
            /// The bindings as indices of Metal.
            MslDeclared "msl-declared",
            /// Bindings of GLSL ES 3.10; those that are not given are the declared ones.
            Essl310 "essl-310",
            /// Dense bindings of each kind.
            Essl310Compact "essl-310-compact",
            /// Groups and bindings of WGSL; those that are not given are set and binding.
            Wgsl "wgsl",
        }
        places given "RESOURCE=SPACE:NUMBER" "The place of one resource: space and register of HLSL as in \
            `lights=1:3`, group and binding of WGSL, an index of Metal or a binding of GLSL ES as in \
            `lights=3`; may be given for several.";
    }
}

/// The entry in the list of passes.
pub(super) const PASS: PassInfo = PassInfo {
    doc: "Chooses registers, indices or bindings of resources in one language.",
    options: Slots::INFO,
    ..PassInfo::new(
        "assign-slots",
        opening!("assign_slots.rs"),
        RunFn::Module(|module, cx, fuel| assign_slots(module, &Slots::of(cx.options), fuel)),
    )
};

/// The places of resources that were not given.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Scheme {
    /// The writer of the language derives them.
    Default,
    Compact,
    Declared,
}

/// Chosen places, by variable: a space, which only some languages have, and a number.
type Chosen = BTreeMap<Var, [u64; 2]>;

/// Chooses places. `O(n log n)`; idempotent; both shapes. All places together are a unit of fuel.
///
/// Error `P118`: a resource that does not exist or has no number, a number above a limit, or a place of two resources.
fn assign_slots(module: &mut Module, options: &Slots, fuel: &mut Fuel) -> Result<Journals, Diag> {
    let (target, scheme) = match options.numbering {
        SlotNumbering::Hlsl => (LayoutTarget::Hlsl, Scheme::Default),
        SlotNumbering::HlslCompact => (LayoutTarget::Hlsl, Scheme::Compact),
        SlotNumbering::Msl => (LayoutTarget::Msl, Scheme::Default),
        SlotNumbering::MslDeclared => (LayoutTarget::Msl, Scheme::Declared),
        SlotNumbering::Essl310 => (LayoutTarget::Essl310, Scheme::Default),
        SlotNumbering::Essl310Compact => (LayoutTarget::Essl310, Scheme::Compact),
        SlotNumbering::Wgsl => (LayoutTarget::Wgsl, Scheme::Default),
    };
    let Some((space_key, number_key)) = target.place_keys() else { return Ok(Journals::new()) };
    let mut chosen = given_places(module, target, &options.given)?;
    match scheme {
        Scheme::Default => {}
        Scheme::Compact => number_densely(module, target, &mut chosen),
        Scheme::Declared => {
            for var in used_resources(module) {
                let Some(data) = module.var(var).filter(|data| data.mode != Mode::Push) else { continue };
                if !target.lists(module, var).is_empty() && !is_split_table(module, target, var) {
                    chosen.entry(var).or_insert_with(|| [0, declared_place(data)[1]]);
                }
            }
        }
    }
    for (&var, &place) in &chosen {
        check_limits(module, target, var, place)?;
    }
    let is_there = |(&var, &place): (&Var, &[u64; 2])| {
        module.var(var).is_some_and(|data| target.chosen_place(data) == Some(place))
    };
    if chosen.iter().all(is_there) || !fuel.take() {
        return Ok(Journals::new());
    }
    for (var, [space, number]) in chosen {
        let Some(data) = module.var(var).cloned() else { continue };
        let attrs = data.attrs.with(number_key, number);
        let attrs = space_key.map_or(attrs.clone(), |key| attrs.with(key, space));
        module.set_var(var, VarData { attrs, ..data });
    }
    match place_conflicts(module, target, &module.entries).into_iter().next() {
        None => Ok(Journals::new()),
        Some(PlaceConflict { vars: [first, second], place }) => Err(Diag::error(PLACE, Anchor::Var(second))
            .names(resource_name(module, first), Anchor::Var(first))
            .says("and")
            .names(resource_name(module, second), Anchor::Var(second))
            .says(format!("would both be at {place}"))
            .help("give one of them a free place")),
    }
}

/// The places that the options give.
fn given_places(module: &Module, target: LayoutTarget, given: &[GivenPlace]) -> Result<Chosen, Diag> {
    let mut out = Chosen::new();
    let has_spaces = target.place_keys().is_some_and(|(space, _)| space.is_some());
    for GivenPlace { name, numbers } in given {
        let named = named_resources(module, name)?;
        let vars = match target {
            LayoutTarget::Hlsl | LayoutTarget::Wgsl => aliases_of(module, &named),
            LayoutTarget::Glsl | LayoutTarget::Essl | LayoutTarget::Essl310 | LayoutTarget::Msl => {
                named.clone()
            }
        };
        for var in vars {
            // Another variable of the place, such as an input attachment of another entry point, may have no number.
            let is_numbered = !target.lists(module, var).is_empty();
            let Some(data) = module.var(var).filter(|_| is_numbered || named.contains(&var)) else {
                continue;
            };
            let refused = |says: String, help: Help| {
                let named =
                    Diag::error(PLACE, Anchor::Var(var)).names(resource_name(module, var), Anchor::Var(var));
                Err(named.says(says).help(help))
            };
            if !is_numbered {
                let help = match target {
                    LayoutTarget::Essl310 => "a sampler is declared with its image, which has the binding",
                    _ => "it has an index of attachments",
                };
                return refused(format!("has no number of its own in {}", target.label()), help.into());
            }
            if is_split_table(module, target, var) {
                let says = "is two tables of Metal, one of textures and one of samplers".to_owned();
                return refused(
                    says,
                    Help::text("run")
                        .pass("lower-samplers{split}")
                        .then("first, which gives the samplers a name"),
                );
            }
            let place = match (numbers.as_slice(), has_spaces) {
                (&[space, number], true) => [space, number].map(u64::from),
                (&[number], false) => [0, u64::from(number)],
                // The register alone: the space stays.
                (&[number], true) => {
                    let at = target.chosen_place(data).unwrap_or_else(|| declared_place(data));
                    [at[0], u64::from(number)]
                }
                _ => {
                    let says = format!("is given two numbers, but its place in {} has one", target.label());
                    return refused(says, "remove the number before the colon".into());
                }
            };
            if out.insert(var, place).is_some_and(|other| other != place) {
                return refused("is given two places".to_owned(), "remove one of them".into());
            }
        }
    }
    Ok(out)
}

/// Returns true for an array without a length of textures with samplers, which become two buffers of Metal.
fn is_split_table(module: &Module, target: LayoutTarget, var: Var) -> bool {
    let is_open = module.var(var).is_some_and(|data| resource_count(module, data).is_none());
    let is_combined = ResourceKind::of(module, var) == Some(ResourceKind::CombinedTexture);
    target == LayoutTarget::Msl && is_open && is_combined
}

/// Returns an error if a place is above a limit of the language.
fn check_limits(module: &Module, target: LayoutTarget, var: Var, place: [u64; 2]) -> Result<(), Diag> {
    let Some(data) = module.var(var) else { return Ok(()) };
    let above = |at: String, last: u64, what: &str| {
        Err(Diag::error(PLACE, Anchor::Var(var))
            .names(resource_name(module, var), Anchor::Var(var))
            .says(format!("cannot be at {at} in {}", target.label()))
            .help(format!("the last {what} is {last}")))
    };
    let [space, number] = place;
    if let Some(limit) = target.space_limit().filter(|&limit| space >= limit) {
        let what = if target == LayoutTarget::Wgsl { "group" } else { "space" };
        return above(format!("{what} {space}"), limit - 1, what);
    }
    for list in target.lists(module, var) {
        let end = number.saturating_add(target.numbers_of(module, data));
        if let Some(limit) = target.limit(list).filter(|&limit| end > limit) {
            return above(target.place_text(list, place), limit - 1, list);
        }
    }
    Ok(())
}

/// Numbers resources that were not given a place, in the order of set and binding, and push constants last. Variables that
/// are one resource get one place.
fn number_densely(module: &Module, target: LayoutTarget, chosen: &mut Chosen) {
    let mut numbering = Numbering::default();
    for (&var, &[space, number]) in chosen.iter() {
        let Some(data) = module.var(var) else { continue };
        for &list in target.lists(module, var) {
            numbering.take((list, space), number, target.numbers_of(module, data));
        }
    }
    // Spaces of arrays without a length.
    let mut space = chosen.values().map(|&[space, _]| space).max().unwrap_or(0);
    let mut vars: Vec<(bool, [u64; 2], Var)> = Vec::new();
    for var in used_resources(module).into_iter().filter(|var| !chosen.contains_key(var)) {
        if let Some(data) = module.var(var) {
            vars.push((data.mode == Mode::Push, declared_place(data), var));
        }
    }
    vars.sort_unstable();
    let mut known: BTreeMap<(BoundKey, &[&str]), [u64; 2]> = BTreeMap::new();
    for (_, _, var) in vars {
        let (Some(data), lists) = (module.var(var), target.lists(module, var)) else { continue };
        if lists.is_empty() {
            continue;
        }
        let key = bound_key(module, var).filter(|_| target == LayoutTarget::Hlsl).map(|key| (key, lists));
        if let Some(&place) = key.and_then(|key| known.get(&key)) {
            chosen.insert(var, place);
            continue;
        }
        let place = if resource_count(module, data).is_none() && target == LayoutTarget::Hlsl {
            space += 1;
            [space, 0]
        } else {
            let count = target.numbers_of(module, data);
            let mut at = 0;
            // A combined texture needs a number that is free in both of its lists.
            while let Some(next) =
                lists.iter().map(|&list| numbering.next((list, 0), at, count)).max().filter(|&next| next > at)
            {
                at = next;
            }
            for &list in lists {
                numbering.take((list, 0), at, count);
            }
            [0, at]
        };
        chosen.insert(var, place);
        known.extend(key.map(|key| (key, place)));
    }
}
