//! The names of outputs of invocations, for pixels and for tables.

use super::words::plain;
use crate::interp::{OutKey, Port};
use crate::ir::Module;
use std::collections::BTreeMap;

/// The names of outputs: those of their variables, with the component if a variable has several; their places without a name.
#[derive(Debug, Default)]
pub(super) struct OutputNames(BTreeMap<OutKey, String>);

impl OutputNames {
    /// The names of the ports of a module.
    pub(super) fn of(module: &Module, ports: &[Port]) -> OutputNames {
        let place = |port: &Port| match port.key {
            OutKey::Location(location, component, index) => ((0, location, index), component),
            OutKey::BuiltIn(built_in, component) => ((1, built_in as u32, 0), component),
            OutKey::Payload(offset) => ((2, offset, 0), 0),
        };
        let named = |port: &Port| {
            let own: Vec<_> = ports.iter().filter(|other| other.var == port.var).map(place).collect();
            let (at, component) = place(port);
            let is_named = module.var(port.var).is_some_and(|data| data.name.is_some());
            // The places of a matrix or a structure name its parts.
            if !is_named || own.iter().any(|other| other.0 != at) {
                return None;
            }
            let first = own.iter().map(|other| other.1).min().unwrap_or(0);
            let letter = ["x", "y", "z", "w"].get((component - first) as usize).filter(|_| own.len() > 1);
            let name = plain(&module.name_of(port.var));
            Some((port.key, letter.map_or(name.clone(), |letter| format!("{name}.{letter}"))))
        };
        OutputNames(ports.iter().filter_map(named).collect())
    }

    /// The name of an output.
    pub(super) fn name(&self, key: OutKey) -> String {
        self.0.get(&key).cloned().unwrap_or_else(|| plain(&key.to_string()))
    }
}
