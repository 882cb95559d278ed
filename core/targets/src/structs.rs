//! The order of structures: each is declared after those that it contains.

use super::module::ModuleWriter;
use super::print::Line;
use std::rc::Rc;
use vitrine_ir::{Struct, TypeData};

impl ModuleWriter<'_> {
    /// The names and the lines of the structures that are used, each after those that it contains. `lines` writes one, and
    /// may use further ones.
    pub(super) fn sorted_structs(
        &mut self,
        lines: fn(&mut Self, Struct) -> Vec<Line>,
    ) -> Vec<(Rc<str>, Vec<Line>)> {
        // The list grows while members are written. A structure comes before those that its members introduce, so the
        // groups are reversed at the end; a structure that is used again moves behind.
        let mut groups: Vec<(Struct, Vec<Line>)> = Vec::new();
        let mut at = 0;
        let mut steps = 0usize;
        let mut order: Vec<Struct> = Vec::new();
        while let Some(&structure) = self.used_structs.get(at) {
            at += 1;
            order.push(structure);
            let group = lines(self, structure);
            groups.push((structure, group));
        }
        // Depth first over the members, without recursion.
        let mut sorted: Vec<Struct> = Vec::new();
        let mut work: Vec<(Struct, bool)> = order.iter().rev().map(|&structure| (structure, false)).collect();
        while let Some((structure, parts_done)) = work.pop() {
            steps += 1;
            if sorted.contains(&structure) || steps > 1 << 20 {
                continue;
            }
            if parts_done {
                sorted.push(structure);
                continue;
            }
            work.push((structure, true));
            for inner in self.inner_structs(structure) {
                work.push((inner, false));
            }
        }
        let mut out = Vec::new();
        for structure in sorted {
            if let Some(at) = groups.iter().position(|(id, _)| *id == structure) {
                out.push((self.struct_name(structure), groups.swap_remove(at).1));
            }
        }
        out
    }

    fn inner_structs(&self, structure: Struct) -> Vec<Struct> {
        let members = self.module.structure(structure).map(|data| data.members.clone());
        let mut out = Vec::new();
        for member in members.iter().flat_map(|members| members.iter()) {
            let mut ty = member.ty;
            while let TypeData::Array { of, .. } | TypeData::RuntimeArray { of, .. } =
                *self.module.type_of(ty)
            {
                ty = of;
            }
            if let TypeData::Struct(inner) = *self.module.type_of(ty) {
                out.push(inner);
            }
        }
        out
    }
}
