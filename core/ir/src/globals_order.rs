//! The order in which module constants can be computed.

use super::{Global, Module, Operand};
use crate::base::EntitySet;

impl Module {
    /// The module constants, each after its operands, which may have higher numbers: programs side by side have the numbers of
    /// equal parts. Linear; a cycle, which is not valid, is cut.
    pub fn globals_operands_first(&self) -> Vec<Global> {
        let mut out = Vec::new();
        let mut seen: EntitySet<Global> = EntitySet::new();
        for (root, _) in self.globals() {
            let mut path = if seen.insert(root) { vec![(root, 0)] } else { Vec::new() };
            while let Some((global, at)) = path.pop() {
                let operands = self.global(global).map_or(&[][..], |data| data.value.operands());
                let Some(operand) = operands.get(at) else {
                    out.push(global);
                    continue;
                };
                path.push((global, at + 1));
                if let Operand::Global(next) = *operand
                    && seen.insert(next)
                {
                    path.push((next, 0));
                }
            }
        }
        out
    }
}
