//! The inputs and outputs of a stage, and the slots of other inputs, for display and comparison.

use super::consts::Consts;
use super::inputs::slot_of;
use super::interface::{LeafOf, leaves};
use super::out_key::OutKey;
use super::stages::PayloadClass;
use std::collections::BTreeMap;
use std::fmt;
use vitrine_ir::layout::Sizes;
use vitrine_ir::ops::{Key, Width};
use vitrine_ir::{Mode, Module, Var};

/// A component of an input or an output of a stage.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Port {
    /// The variable it belongs to.
    pub var: Var,
    /// Its location and component, or its system value.
    pub key: OutKey,
    /// Its width.
    pub width: Width,
    /// If set, it is a float.
    pub float: bool,
}

/// The inputs ([`Mode::In`]) or outputs ([`Mode::Out`]) that an entry point declares, or the payloads
/// ([`Mode::Payload`], [`Mode::Callable`]) of its module that its stage changes, in order of their variables. An array of vertices or
/// primitives has the ports of one.
///
/// Linear in their leaves. Empty for an entry point that does not exist. Outputs that a pass converted from
/// variables (`io.output`) have the same keys, so the module that declares the variables may be used.
pub fn ports(module: &Module, entry: usize, mode: Mode) -> Vec<Port> {
    let Some(entry) = module.entries.get(entry) else { return Vec::new() };
    let consts = Consts::of(module, &BTreeMap::new());
    let mut sizes = Sizes::default();
    let mut out = Vec::new();
    // Before SPIR-V 1.4, an interface lists only inputs and outputs.
    let is_listed = matches!(mode, Mode::In | Mode::Out);
    let vars: Vec<Var> = match is_listed {
        true => entry.interface.clone(),
        false => module.vars().map(|(var, _)| var).collect(),
    };
    for var in vars {
        let Some(data) = module.var(var).filter(|data| data.mode == mode) else { continue };
        let is_result = || PayloadClass::of(data).is_some_and(|class| class.is_result_of(entry.stage));
        if !is_listed && !is_result() {
            continue;
        }
        for leaf in leaves(module, &consts, &mut sizes, Some(entry.stage), var) {
            // Vertices and primitives have equal ports.
            if matches!(leaf.of, LeafOf::Vertex(1..) | LeafOf::Primitive(1..)) {
                continue;
            }
            let port = |part| Port { var, key: leaf.key(part), width: leaf.width, float: leaf.float };
            out.extend((0..u32::from(leaf.components)).map(port));
        }
    }
    out
}

/// An input other than those of the stage, by its place in the interface of a module.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum InputSlot {
    /// A buffer, an image or a sampler: set and binding.
    Bound(u32, u32),
    /// Push constants.
    Push,
    /// A specialization constant.
    Constant(u32),
}

impl fmt::Display for InputSlot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            InputSlot::Bound(set, binding) => write!(f, "set {set} binding {binding}"),
            InputSlot::Push => f.write_str("push constants"),
            InputSlot::Constant(id) => write!(f, "specialization constant {id}"),
        }
    }
}

/// The slots that a module declares, in the order of its variables, then its constants. Linear in both.
pub fn slots(module: &Module) -> Vec<InputSlot> {
    let of_var = |(var, data): (Var, &vitrine_ir::VarData)| match data.mode {
        Mode::Uniform | Mode::Storage | Mode::Handle => {
            slot_of(module, var).map(|(set, binding)| InputSlot::Bound(set, binding))
        }
        Mode::Push => Some(InputSlot::Push),
        Mode::In
        | Mode::Out
        | Mode::Private
        | Mode::Local
        | Mode::Shared
        | Mode::Payload
        | Mode::Physical
        | Mode::Callable
        | Mode::Generic => None,
    };
    let constants = module.globals().filter_map(|(_, data)| data.attrs.get(Key::SpecId));
    module.vars().filter_map(of_var).chain(constants.map(|id| InputSlot::Constant(id as u32))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use vitrine_text::parse;

    #[test]
    fn ports_are_components_of_declared_variables() {
        let text = "in $0: f32x2 {location 3}\nout $1: u32 {location 1, component 2}\n\n\
                    entry fragment \"main\" @0 ($0, $1)\n\nfunc @0() tree {\n^0:\n  return\n}\n";
        let parsed = parse(text);
        let module = parsed.module;
        let keys =
            |mode| ports(&module, 0, mode).iter().map(|port| (port.key, port.float)).collect::<Vec<_>>();
        assert!(parsed.diags.is_empty(), "{:?}", parsed.diags);
        assert_eq!(keys(Mode::In), [(OutKey::Location(3, 0, 0), true), (OutKey::Location(3, 1, 0), true)]);
        assert_eq!(keys(Mode::Out), [(OutKey::Location(1, 2, 0), false)]);
        assert!(ports(&module, 1, Mode::In).is_empty());
    }
}
