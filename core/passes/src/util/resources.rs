//! Resources by the names that a person writes, for passes that choose places.
//!
//! ```text
//! lights     the name of the variable; else that of its block
//! 1:3        set and binding
//! $lights_3  the variable, as the text of the IR spells it; its number suffices, as in $3
//! push       the push constants, if no resource has the name
//! ```
//!
//! Variables of one kind with the same set and binding are one resource of the program: [`aliases_of`] finds the others.
//! Refuses names that mean several resources.

use rustc_hash::FxHashSet;
use vitrine_analysis::{ResourceKind, declared_place, resource_name};
use vitrine_ir::base::{EntityId, nearest};
use vitrine_ir::ops::Key;
use vitrine_ir::{Anchor, Diag, Mode, Module, TypeData, Var, VarData};

/// The code of diagnostics about places of resources.
pub(crate) const PLACE: &str = "P118";

/// Kinds whose variables are one resource if they have the same set and binding. An image and its sampler are two.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) enum BoundClass {
    Uniform,
    Storage,
    Image,
    Sampler,
    AccelStruct,
}

/// A resource: its class, and its set and binding.
pub(crate) type BoundKey = (BoundClass, [u64; 2]);

/// The class of a variable with a set or a binding, and its place. `None` for all others.
pub(crate) fn bound_key(module: &Module, var: Var) -> Option<BoundKey> {
    let data = module.var(var).filter(|data| is_bound(data))?;
    let class = match ResourceKind::of(module, var)? {
        ResourceKind::UniformBuffer => BoundClass::Uniform,
        ResourceKind::StorageBuffer => BoundClass::Storage,
        ResourceKind::Texture
        | ResourceKind::StorageImage
        | ResourceKind::CombinedTexture
        | ResourceKind::InputAttachment => BoundClass::Image,
        ResourceKind::Sampler => BoundClass::Sampler,
        ResourceKind::AccelStruct => BoundClass::AccelStruct,
        ResourceKind::PushConstants => return None,
    };
    Some((class, declared_place(data)))
}

fn is_bound(data: &VarData) -> bool {
    data.attrs.has(Key::Set) || data.attrs.has(Key::Binding)
}

/// The variables that a name means, in order; at least one. Linear in the number of variables.
///
/// Error `P118`: the name means no resource, or several ones.
pub(crate) fn named_resources(module: &Module, name: &str) -> Result<Vec<Var>, Diag> {
    let all: Vec<Var> =
        module.vars().map(|(var, _)| var).filter(|&var| ResourceKind::of(module, var).is_some()).collect();
    let mut found = by_place(module, &all, name).or_else(|| by_number(&all, name));
    let is_place = found.is_some();
    let same = |of: fn(&Module, Var) -> Option<String>| {
        let vars: Vec<Var> =
            all.iter().copied().filter(|&var| of(module, var).as_deref() == Some(name)).collect();
        (!vars.is_empty()).then_some(vars)
    };
    found = found.or_else(|| same(own_name)).or_else(|| same(block_name));
    if name == "push" && found.is_none() {
        let is_push = |&var: &Var| module.var(var).is_some_and(|data| data.mode == Mode::Push);
        found = Some(all.iter().copied().filter(is_push).collect());
    }
    let found = found.filter(|found| !found.is_empty()).ok_or_else(|| unknown(module, &all, name))?;
    let mut keys: Vec<Option<BoundKey>> = found.iter().map(|&var| bound_key(module, var)).collect();
    keys.sort_unstable();
    keys.dedup();
    if !is_place && keys.len() > 1 {
        let numbers: Vec<String> = found.iter().map(|var| format!("`{var}`")).collect();
        return Err(Diag::error(PLACE, Anchor::Module)
            .says(format!("{} resources have the name `{name}`", found.len()))
            .help(format!("write set and binding, as in `0:1`, or one of {}", numbers.join(", "))));
    }
    Ok(found)
}

/// The variables that are the same resource as one of these, and these, in order. Linear in the number of variables.
pub(crate) fn aliases_of(module: &Module, vars: &[Var]) -> Vec<Var> {
    let keys: FxHashSet<BoundKey> = vars.iter().filter_map(|&var| bound_key(module, var)).collect();
    let is_same = |var: &Var| bound_key(module, *var).is_some_and(|key| keys.contains(&key));
    let all = module.vars().map(|(var, _)| var);
    all.filter(|var| vars.contains(var) || is_same(var)).collect()
}

/// The resources at `SET:BINDING`. `None` if the name has another form.
fn by_place(module: &Module, all: &[Var], name: &str) -> Option<Vec<Var>> {
    let (set, binding) = name.split_once(':')?;
    let place: [u64; 2] = [set.parse().ok()?, binding.parse().ok()?];
    let is_there = |var: &Var| bound_key(module, *var).is_some_and(|(_, at)| at == place);
    Some(all.iter().copied().filter(is_there).collect())
}

/// The resource `$3` or `$lights_3`. `None` if the name has another form.
fn by_number(all: &[Var], name: &str) -> Option<Vec<Var>> {
    let spelled = name.strip_prefix('$')?;
    let digits = spelled.rsplit('_').next().unwrap_or(spelled);
    let number: usize = digits.parse().ok()?;
    Some(all.iter().copied().filter(|var| var.index() == number).collect())
}

fn own_name(module: &Module, var: Var) -> Option<String> {
    module.var(var)?.name.map(|name| module.text_of(name).to_owned())
}

fn block_name(module: &Module, var: Var) -> Option<String> {
    let mut ty = module.var(var)?.ty;
    while let TypeData::Array { of, .. } | TypeData::RuntimeArray { of, .. } = *module.type_of(ty) {
        ty = of;
    }
    let TypeData::Struct(structure) = *module.type_of(ty) else { return None };
    module.structure(structure)?.name.map(|name| module.text_of(name).to_owned())
}

/// The diagnostic for a name that no resource has.
fn unknown(module: &Module, all: &[Var], name: &str) -> Diag {
    let names: Vec<String> = all.iter().map(|&var| resource_name(module, var)).collect();
    let known = || names.iter().map(String::as_str);
    let listed = || known().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
    let help = match (nearest(name, known()), names.len()) {
        (Some(near), _) => format!("did you mean `{near}`?"),
        (None, 0) => "the module has no resources".to_owned(),
        (None, 1..=LISTED) => {
            format!("the resources are {}; set and binding, as in `0:1`, name one, too", listed())
        }
        (None, _) => "`--emit bindings` lists the resources".to_owned(),
    };
    Diag::error(PLACE, Anchor::Module).says(format!("there is no resource `{name}`")).help(help)
}

/// Most resources that a diagnostic lists.
const LISTED: usize = 12;
