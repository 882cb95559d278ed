//! HLSL: the lines before the functions, as the engine asks about them.

use super::Hlsl;
use crate::dialect::{Header, HeaderPart as P};
use crate::module::ModuleWriter;
use crate::print::Line;

impl Header for Hlsl {
    fn header_order(&self) -> &'static [&'static [P]] {
        &[
            &[P::Constants],
            &[P::Structures],
            &[P::Instructions],
            &[P::Variables, P::InterfaceVariables],
            &[P::Helpers],
        ]
    }

    fn variables(&self, w: &mut ModuleWriter<'_>) -> Vec<Line> {
        w.each_variable(ModuleWriter::hlsl_variable)
    }

    fn interface_variables(&self, w: &mut ModuleWriter<'_>) -> Vec<Line> {
        let mut lines = w.port_lines();
        lines.extend(w.ray_lines());
        lines.extend(w.geometry_lines());
        lines
    }

    fn structures(&self, w: &mut ModuleWriter<'_>) -> Vec<Line> {
        w.sorted_structs(ModuleWriter::hlsl_struct).into_iter().flat_map(|(_, lines)| lines).collect()
    }

    fn helpers(&self, w: &mut ModuleWriter<'_>) -> Vec<Line> {
        w.choice_lines()
    }

    fn instructions(&self, w: &mut ModuleWriter<'_>) -> Vec<Line> {
        w.extern_lines()
    }
}
