//! Execution modes of an entry point in GLSL, and the sizes of workgroups.
//!
//! Those of stages with several vertices are in `stages`. GLSL ES has no specialization constants: a size is the default of its
//! constant, and a comment names it.

use crate::expr::{Token, words};
use crate::language::Version;
use crate::module::{ModuleWriter, NO_TYPE};
use crate::print::Line;
use vitrine_ir::ops::Key;
use vitrine_ir::{Anchor, EntryPoint, ExecutionMode as E, GlobalValue, Operand, Stage};
use vitrine_text::Class;

impl ModuleWriter<'_> {
    /// The execution modes of the entry point.
    pub(super) fn glsl_modes(&mut self, entry: &EntryPoint) -> Vec<Line> {
        let mut lines = Vec::new();
        let layout = |text: String| Line::new(0, words(Class::Attr, &format!("layout({text}) in;")));
        for mode in entry.modes.clone() {
            if let Some(found) = self.glsl_stage_mode(entry, &mode) {
                lines.extend(found);
                continue;
            }
            match mode.mode {
                E::OriginUpperLeft => {}
                E::EarlyFragmentTests if self.es() == Some(Version::Es300) => {
                    let says = "early tests of fragments need version 3.10";
                    self.refuse(NO_TYPE, Anchor::Module, says, "");
                }
                // A promise that makes the program faster.
                E::DepthGreater | E::DepthLess | E::DepthUnchanged if self.es().is_some() => {}
                E::EarlyFragmentTests => lines.push(layout("early_fragment_tests".to_owned())),
                E::LocalSize | E::LocalSizeId => {
                    let sizes = self.local_size().unwrap_or_else(|| mode.args.clone());
                    lines.extend(self.es_size_remarks(&sizes));
                    let axes = ["x", "y", "z"].iter().zip(&sizes);
                    let sizes: Vec<String> =
                        axes.flat_map(|(axis, &size)| self.local_size_text(axis, size)).collect();
                    lines.push(layout(sizes.join(", ")));
                }
                E::DepthReplacing => {}
                E::DepthGreater | E::DepthLess | E::DepthUnchanged => {
                    let word = mode.mode.name();
                    lines.push(Line::text(format!("layout({word}) out float gl_FragDepth;")));
                }
                other => {
                    let says = format!(
                        "{language} cannot express the execution mode `{name}` here",
                        language = self.dialect.name(),
                        name = other.name()
                    );
                    self.refuse(NO_TYPE, Anchor::Module, says, "");
                }
            }
        }
        if self.own.glsl.es_ignores_depth {
            lines.push(Line::text("// The tests are early: the depth that is written has no effect."));
            lines.push(Line::text(format!("float {};", super::es::IGNORED_DEPTH)));
        }
        for (name, (word, count)) in &self.own.glsl.sized_values {
            lines.push(Line::text(format!("{word} float {name}[{count}];")));
        }
        lines.extend(self.invariant_lines());
        if !lines.is_empty() {
            lines.push(Line::empty());
        }
        lines
    }

    /// The system values that are computed the same way in every program. Those of the vertices that a stage writes are
    /// members of a block, which is declared again with all its members: only these can be used then.
    fn invariant_lines(&self) -> Vec<Line> {
        let is_invariant = |name: &str| self.own.glsl.invariants.contains(name);
        let (block, vertices) = match self.stage {
            Stage::TessControl => ("gl_PerVertex", "gl_out"),
            Stage::Mesh => ("gl_MeshPerVertexEXT", "gl_MeshVerticesEXT"),
            _ => {
                return self
                    .own
                    .glsl
                    .invariants
                    .iter()
                    .map(|name| Line::text(format!("invariant {name};")))
                    .collect();
            }
        };
        const MEMBERS: [(&str, &str, &str); 4] = [
            ("vec4", "gl_Position", ""),
            ("float", "gl_PointSize", ""),
            ("float", "gl_ClipDistance", "[]"),
            ("float", "gl_CullDistance", "[]"),
        ];
        if !MEMBERS.iter().any(|(_, name, _)| is_invariant(name)) {
            return Vec::new();
        }
        let mut lines = vec![Line::text(format!("out {block} {{"))];
        for (ty, name, dims) in MEMBERS {
            let word = if is_invariant(name) { "invariant " } else { "" };
            lines.push(Line::new(1, vec![Token::new(Class::Plain, format!("{word}{ty} {name}{dims};"))]));
        }
        lines.push(Line::text(format!("}} {vertices}[];")));
        lines
    }

    /// The comments that name the specialization constants of a size, which GLSL ES does not have.
    fn es_size_remarks(&self, sizes: &[Operand]) -> Vec<Line> {
        if self.es().is_none() {
            return Vec::new();
        }
        let remarks = ["x", "y", "z"].iter().zip(sizes).filter_map(|(axis, &size)| {
            let Operand::Global(global) = size else { return None };
            let id = self.module.global(global)?.attrs.get(Key::SpecId)?;
            Some(Line::text(format!("// local_size_{axis} is the default of specialization constant {id}")))
        });
        remarks.collect()
    }

    /// The qualifiers of one size: its number, and the constant that changes it.
    fn local_size_text(&mut self, axis: &str, size: Operand) -> Vec<String> {
        let module = self.module;
        let number = |bits| module.bits_of(bits).component(0).bits();
        match size {
            Operand::Bits(bits) => vec![format!("local_size_{axis} = {}", number(bits))],
            Operand::Global(global) => {
                let Some(data) = module.global(global) else { return Vec::new() };
                let is_es = self.es().is_some();
                if !matches!(data.value, GlobalValue::Spec(_)) {
                    let says = format!("a size of the workgroup is {global}, which is computed");
                    self.refuse(NO_TYPE, Anchor::Global(global), says, "state it by a constant of its own");
                }
                let mut out = Vec::new();
                if let GlobalValue::Spec(bits) = data.value {
                    out.push(format!("local_size_{axis} = {}", number(bits)));
                }
                out.extend(
                    data.attrs
                        .get(Key::SpecId)
                        .filter(|_| !is_es)
                        .map(|id| format!("local_size_{axis}_id = {id}")),
                );
                out
            }
        }
    }
}
