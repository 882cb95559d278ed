//! MSL: the lines before the functions, as the engine asks about them.

use super::Msl;
use super::decls::merged;
use super::state::Need;
use crate::dialect::{Header, HeaderPart as P};
use crate::expr::words;
use crate::module::ModuleWriter;
use crate::print::Line;
use vitrine_ir::layout::Lengths;
use vitrine_ir::ops::Key;
use vitrine_ir::{EntryPoint, Mode, Operand, Stage, Struct, Var};
use vitrine_text::Class;

impl Header for Msl {
    fn header_order(&self) -> &'static [&'static [P]] {
        &[
            &[P::Directives],
            &[P::Constants],
            &[P::Structures],
            &[P::Variables],
            &[P::InterfaceStructures],
            &[P::Helpers],
        ]
    }

    fn begin_header(&self, w: &mut ModuleWriter<'_>, entry: &EntryPoint) {
        w.msl_modes(entry);
    }

    fn variables(&self, w: &mut ModuleWriter<'_>) -> Vec<Line> {
        w.table_lines()
    }

    fn interface_structures(&self, w: &mut ModuleWriter<'_>) -> Vec<Line> {
        w.port_structures()
    }

    fn structures(&self, w: &mut ModuleWriter<'_>) -> Vec<Line> {
        w.msl_structs()
    }

    /// Lengths of arrays are literals.
    fn structures_name_no_constants(&self) -> bool {
        true
    }

    fn helpers(&self, w: &mut ModuleWriter<'_>) -> Vec<Line> {
        w.query_lines()
    }

    fn directives(&self, w: &mut ModuleWriter<'_>, entry: &EntryPoint) -> Vec<Line> {
        let mut lines = w.comments(entry);
        lines.extend([
            Line::text("#include <metal_stdlib>"),
            Line::text("using namespace metal;"),
            Line::empty(),
        ]);
        for structure in w.own.msl.pointees.clone() {
            let name = w.struct_name(structure);
            lines.push(Line::new(0, words(Class::Keyword, &format!("struct {name};"))));
        }
        lines
    }
}

impl ModuleWriter<'_> {
    /// The structures and the wrappers of their members, each after those that it names.
    fn msl_structs(&mut self) -> Vec<Line> {
        // The list grows while structures are written.
        let mut written: Vec<(Struct, Vec<Line>)> = Vec::new();
        let mut at = 0;
        while let Some(&structure) = self.used_structs.get(at) {
            at += 1;
            let lines = self.msl_struct(structure);
            written.push((structure, lines));
        }
        let mut lines = Vec::new();
        for structure in self.structs_in_order() {
            if let Some(at) = written.iter().position(|(id, _)| *id == structure) {
                lines.extend(written.swap_remove(at).1);
                lines.push(Line::empty());
            }
        }
        merged(lines, std::mem::take(&mut self.own.msl.wrapper_lines))
    }

    /// The comments at the start: versions, the number of each resource, the size of a threadgroup.
    fn comments(&mut self, entry: &EntryPoint) -> Vec<Line> {
        let version = self.own.msl.version;
        let mut lines =
            vec![Line::text(format!("// Metal Shading Language {}.{}", version / 10, version % 10))];
        if self.own.msl.has_nan {
            lines.push(Line::text("// Infinities and NaN matter: compile with -fno-fast-math."));
        }
        if self.own.msl.is_exact {
            lines.push(Line::text(
                "// Products and sums are separate operations: compile with -ffp-contract=off.",
            ));
        }
        lines.extend(self.kernel_comments());
        let mut places: Vec<(super::state::Class, u32, Var)> =
            self.own.msl.places.iter().map(|(&var, &(class, at))| (class, at, var)).collect();
        places.sort_unstable_by_key(|&(class, at, _)| (class as u8, at));
        for (class, at, var) in places {
            let kind = match class {
                super::state::Class::Buffer => "buffer",
                super::state::Class::Texture => "texture",
                super::state::Class::Sampler => "sampler",
                super::state::Class::Color => "color",
            };
            let name = self.var_name(var);
            let Some(data) = self.module.var(var) else { continue };
            let number = |key: Key| data.attrs.get(key).unwrap_or(0);
            let from = match data.mode {
                Mode::Push => "push constants".to_owned(),
                _ => format!("set {}, binding {}", number(Key::Set), number(Key::Binding)),
            };
            match self.array_of_buffers(var) {
                Some((_, count)) => lines.extend((0..count).map(|element| {
                    let at = at + element;
                    Line::text(format!("// {kind} {at}: {name}[{element}] ({from}, element {element})"))
                })),
                None => {
                    let table = if self.own.msl.tables_of.contains_key(&var) { ", table" } else { "" };
                    lines.push(Line::text(format!("// {kind} {at}: {name} ({from}{table})")));
                }
            }
        }
        if self.has_need(entry.func, Need::Lengths) {
            let at = self.own.msl.lengths;
            lines.push(Line::text(format!("// buffer {at}: the bytes of each buffer, by its number")));
        }
        let sizes = self.threadgroup_size(entry);
        if matches!(self.stage, Stage::Compute | Stage::Kernel | Stage::Task) && !sizes.is_empty() {
            let sizes: Vec<String> = sizes.iter().map(u64::to_string).collect();
            lines.push(Line::text(format!("// Threads per threadgroup: {}", sizes.join(", "))));
        }
        lines
    }

    /// The size of a threadgroup, which the host sets; specialization constants have their defaults.
    pub(super) fn threadgroup_size(&self, entry: &EntryPoint) -> Vec<u64> {
        let own = entry.modes.iter().find(|mode| mode.mode.is_local_size());
        let sizes = self.local_size().or_else(|| own.map(|mode| mode.args.to_vec())).unwrap_or_default();
        let one = |size: Operand| match size {
            Operand::Bits(bits) => self.module.bits_of(bits).component(0).bits(),
            Operand::Global(global) => self.module.of_global(global).max(1),
        };
        sizes.into_iter().take(3).map(one).collect()
    }
}
