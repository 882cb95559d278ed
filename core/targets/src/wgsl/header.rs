//! WGSL: the lines before the functions, as the engine asks about them.

use super::Wgsl;
use crate::dialect::{Header, HeaderPart as P};
use crate::header::separated;
use crate::module::ModuleWriter;
use crate::print::Line;
use vitrine_ir::{EntryPoint, Var};

impl Header for Wgsl {
    fn header_order(&self) -> &'static [&'static [P]] {
        &[
            &[P::Directives],
            &[P::Constants],
            &[P::Structures],
            &[P::InterfaceStructures],
            &[P::InterfaceVariables, P::Variables],
        ]
    }

    fn begin_header(&self, w: &mut ModuleWriter<'_>, _entry: &EntryPoint) {
        for entry in w.module.entries.iter() {
            w.wgsl_modes(entry);
        }
    }

    fn variables(&self, w: &mut ModuleWriter<'_>) -> Vec<Line> {
        let line = |w: &mut ModuleWriter<'_>, var: Var| match w.is_port(var) {
            true => Vec::new(),
            false => w.wgsl_variable(var),
        };
        w.each_variable(line)
    }

    fn interface_variables(&self, w: &mut ModuleWriter<'_>) -> Vec<Line> {
        w.private_ports()
    }

    fn interface_structures(&self, w: &mut ModuleWriter<'_>) -> Vec<Line> {
        w.result_lines()
    }

    fn structures(&self, w: &mut ModuleWriter<'_>) -> Vec<Line> {
        w.wgsl_structs()
    }

    fn directives(&self, w: &mut ModuleWriter<'_>, _entry: &EntryPoint) -> Vec<Line> {
        let mut lines = Vec::new();
        for &extension in &w.extensions {
            lines.push(Line::text(format!("enable {extension};")));
        }
        if w.own.wgsl.has_divergent_derivatives {
            lines.push(Line::text(
                "// Derivatives are computed where the program computes them, also in branches.",
            ));
            lines.push(Line::text("diagnostic(off, derivative_uniformity);"));
        }
        if w.own.wgsl.has_divergent_subgroups {
            lines.push(Line::text(
                "// Subgroups are the active invocations, as in the program, also in branches.",
            ));
            lines.push(Line::text("diagnostic(off, subgroup_uniformity);"));
        }
        if w.own.wgsl.has_ordered_atomics {
            lines.push(Line::text(
                "// Atomics order no other accesses here, as those of the program do: WGSL has none that do.",
            ));
        }
        lines.extend(w.own.wgsl.zeros.iter().map(|&comment| Line::text(comment)));
        if w.own.wgsl.has_more_formats {
            lines
                .push(Line::text("// Formats of storage textures need the feature `texture-formats-tier1`."));
        }
        // Comments about the program precede them.
        lines.push(Line::empty());
        lines
    }
}

impl ModuleWriter<'_> {
    /// The wrappers of members, and the structures in the order of their use.
    fn wgsl_structs(&mut self) -> Vec<Line> {
        let mut structures = Vec::new();
        let mut at = 0;
        while let Some(&structure) = self.used_structs.get(at) {
            at += 1;
            structures.extend(self.wgsl_struct(structure));
            structures.push(Line::empty());
        }
        separated(vec![std::mem::take(&mut self.own.wgsl.wrapper_lines), structures])
    }
}
