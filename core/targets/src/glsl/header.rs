//! GLSL: the lines before the functions, as the engine asks about them.

use super::Glsl;
use super::state::Declared;
use crate::dialect::{Header, HeaderPart as P};
use crate::header::separated;
use crate::module::ModuleWriter;
use crate::print::Line;
use std::rc::Rc;
use vitrine_ir::ops::Key;
use vitrine_ir::{EntryPoint, Mode, Type, TypeData, Var};

impl Header for Glsl {
    fn header_order(&self) -> &'static [&'static [P]] {
        &[
            &[P::Directives],
            &[P::Instructions],
            &[P::Constants],
            &[P::Structures],
            &[P::LateConstants],
            &[P::Variables, P::InterfaceVariables],
        ]
    }

    /// Inputs and outputs with a location belong to the interface, used or not.
    fn begin_header(&self, w: &mut ModuleWriter<'_>, entry: &EntryPoint) {
        w.glsl_stage();
        for &var in &entry.interface {
            if w.is_location(var) {
                w.declare_var(var);
            }
        }
    }

    fn variables(&self, w: &mut ModuleWriter<'_>) -> Vec<Line> {
        w.each_variable(ModuleWriter::glsl_variable)
    }

    fn interface_variables(&self, w: &mut ModuleWriter<'_>) -> Vec<Line> {
        std::mem::take(&mut w.own.glsl.further_lines)
    }

    fn structures(&self, w: &mut ModuleWriter<'_>) -> Vec<Line> {
        let (before, structures, blocks) = w.glsl_types();
        w.own.glsl.es_rows_written = w.own.glsl.es_row_types.len();
        separated(vec![before, structures, blocks])
    }

    /// Constants have inner arrays that no structure has.
    fn lacks_structures(&self, w: &ModuleWriter<'_>) -> bool {
        w.own.glsl.es_row_types.len() > w.own.glsl.es_rows_written
    }

    fn follows_structures(&self, w: &ModuleWriter<'_>, constant: &Line) -> bool {
        w.own.glsl.es_row_types.iter().any(|row| constant.has_word(row.name()))
    }

    fn instructions(&self, w: &mut ModuleWriter<'_>) -> Vec<Line> {
        w.own.glsl.instructions.iter().map(Declared::line).collect()
    }

    fn check_lines(&self, w: &mut ModuleWriter<'_>, lines: &mut dyn Iterator<Item = &Line>) {
        if self.0.is_es() {
            w.es_check(lines);
        }
    }

    fn directives(&self, w: &mut ModuleWriter<'_>, entry: &EntryPoint) -> Vec<Line> {
        let mut lines = match self.0.is_es() {
            true => {
                let used: Vec<Rc<str>> = w.own.glsl.resource_types.iter().cloned().collect();
                w.es_head(&used)
            }
            false => w.dialect.version_line().map(Line::text).into_iter().collect(),
        };
        if w.own.glsl.memory_model {
            lines.push(Line::text("#pragma use_vulkan_memory_model"));
        }
        // Modes need extensions.
        let modes = w.glsl_modes(entry);
        if !self.0.is_es() {
            let extensions = w.extensions.iter();
            lines.extend(extensions.map(|name| Line::text(format!("#extension {name} : require"))));
        }
        lines.push(Line::empty());
        lines.extend(modes);
        lines
    }
}

impl ModuleWriter<'_> {
    /// Returns true for an input or output with a location.
    fn is_location(&self, var: Var) -> bool {
        self.module.var(var).is_some_and(|data| {
            matches!(data.mode, Mode::In | Mode::Out)
                && (data.attrs.has(Key::Location) || self.has_located_members(data.ty))
                && !data.attrs.has(Key::BuiltIn)
        })
    }

    /// Returns true for a structure of which each member has a location.
    pub(super) fn has_located_members(&self, mut ty: Type) -> bool {
        while let Some(of) = self.module.element_type(ty) {
            ty = of;
        }
        let TypeData::Struct(structure) = *self.module.type_of(ty) else { return false };
        let members = self.module.structure(structure).map(|data| data.members.clone()).unwrap_or_default();
        !members.is_empty() && members.iter().all(|member| member.attrs.has(Key::Location))
    }
}
