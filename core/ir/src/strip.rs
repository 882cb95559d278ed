//! Removal of everything that only describes a program: names, strings, the text and the positions of its source.
//!
//! Kept: linkage and extensions, which change the meaning of a module, the generator, and the numbers of all entities.
//! Does not choose new names: the caller renames entry points, by which other programs find them.

use super::func::FuncBody;
use super::{DebugTable, FactKey, Member, Module};
use crate::base::EntityMap;
use crate::ops::{Key, SpirvOp};
use std::rc::Rc;

/// Facts about the source.
const SOURCE: [FactKey; 4] = [FactKey::Language, FactKey::File, FactKey::Source, FactKey::Processed];
/// The decoration `LinkageAttributes`, which has the name of a function or variable.
const LINKAGE: u32 = 41;
/// The instruction `OpExtInst`: its string is the name of the instruction set.
const EXT_INST: u64 = 12;

impl Module {
    /// Removes names, strings, and the text and positions of the source; `entry` is the new name of the entry point with
    /// this name. Linear in the module.
    pub fn strip(&mut self, mut entry: impl FnMut(&str) -> String) {
        Rc::make_mut(&mut self.facts).retain(|fact| !SOURCE.contains(&fact.key));
        for at in 0..self.entries.len() {
            let name = entry(self.entries.get(at).map_or("", |point| self.text_of(point.name)));
            let name = self.text(&name);
            if let Some(point) = Rc::make_mut(&mut self.entries).get_mut(at) {
                point.name = name;
            }
        }
        self.strip_decorations();
        self.debug = DebugTable::default();
        for id in self.structs.keys() {
            if let Some(data) = self.structs[id].as_mut().map(Rc::make_mut) {
                data.name = None;
                let members = data.members.iter().map(|member| Member { name: None, ..member.clone() });
                data.members = members.collect();
            }
        }
        for id in self.globals.keys() {
            if let Some(data) = self.globals[id].as_mut().map(Rc::make_mut) {
                data.name = None;
            }
        }
        for id in self.vars.keys() {
            if let Some(data) = self.vars[id].as_mut().map(Rc::make_mut) {
                data.name = None;
                // The record of an analysis, with names of members.
                data.attrs = data.attrs.without(Key::Usage);
            }
        }
        let empty = crate::base::EntityId::index(self.text("")) as u64;
        for id in self.funcs.keys() {
            if let Some(body) = self.body_mut(id) {
                strip_body(body, empty);
            }
        }
    }

    /// Removes strings of decorations; names for linkage are numbered.
    fn strip_decorations(&mut self) {
        let decors = Rc::make_mut(&mut self.decors);
        decors.retain(|decor| decor.text.is_none() || decor.number == LINKAGE);
        for at in 0..self.decors.len() {
            if self.decors.get(at).is_some_and(|decor| decor.text.is_some()) {
                let name = self.text(&format!("symbol_{at}"));
                if let Some(decor) = Rc::make_mut(&mut self.decors).get_mut(at) {
                    decor.text = Some(name);
                }
            }
        }
    }
}

/// Removes names, positions and strings of a function; `empty` is the number of the empty text.
fn strip_body(body: &mut FuncBody, empty: u64) {
    body.name = None;
    body.names = EntityMap::new();
    body.origins = EntityMap::new();
    body.ends = EntityMap::new();
    body.bindings = EntityMap::new();
    for id in body.regs.keys() {
        if let Some(reg) = body.regs[id].as_mut() {
            reg.name = None;
        }
    }
    for id in body.insts.keys() {
        let data = &body.insts[id];
        let is_set = data.op == SpirvOp::Raw.into() && data.attrs.get(Key::Opcode) == Some(EXT_INST);
        let mut attrs = data.attrs.without(Key::Usage);
        // The format of a print, and other strings.
        if attrs.has(Key::Text) && !is_set {
            attrs = attrs.with(Key::Text, empty);
        }
        if attrs != data.attrs {
            body.insts[id].attrs = attrs;
        }
    }
    body.touch_data();
}
