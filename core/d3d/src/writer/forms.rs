//! Shader models 2 and 3 as back ends: assembly and bytecode of each.
//!
//! All write the program of [`super::translate`]. Each instruction is mapped to the part of the module that it was written
//! for.

use super::{Model, Translated, translate};
use crate::sm1::{PrintOptions, disassemble, lexemes};
use vitrine_forms::{Backend, Output, Source};
use vitrine_ir::{Anchor, Diag};
use vitrine_text::{Class, Link, Sink};

/// Assembly of a shader model.
pub struct Assembly(pub Model);

/// Bytecode of a shader model.
pub struct Bytecode(pub Model);

/// The preset that prepares a module.
fn preset(model: Model) -> &'static str {
    match model {
        Model::Two => "sm2-out",
        Model::Three => "sm3-out",
    }
}

impl Backend for Assembly {
    fn name(&self) -> &'static str {
        match self.0 {
            Model::Two => "d3d9-sm2-asm",
            Model::Three => "d3d9-asm",
        }
    }

    fn doc(&self) -> &'static str {
        match self.0 {
            Model::Two => {
                "Direct3D 9 assembly, shader model 2; for a vertex or a fragment shader without branches."
            }
            Model::Three => "Direct3D 9 assembly, shader model 3; for a vertex or a fragment shader.",
        }
    }

    fn label(&self) -> &'static str {
        match self.0 {
            Model::Two => "Direct3D 9 assembly, shader model 2",
            Model::Three => "Direct3D 9 assembly",
        }
    }

    fn language(&self) -> Option<&'static str> {
        // The name of a tab.
        match self.0 {
            Model::Two => Some("SM2"),
            Model::Three => Some("D3D9"),
        }
    }

    fn extensions(&self) -> &'static [&'static str] {
        &["asm"]
    }

    fn media(&self) -> &'static str {
        "text/plain"
    }

    fn preset(&self) -> Option<&'static str> {
        Some(preset(self.0))
    }

    fn write(&self, source: &Source<'_>, out: &mut Output<'_>) -> Result<(), Vec<Diag>> {
        let Translated { program, anchors, cut_loops, .. } = translate(source.module, self.0)?;
        let (all, textures) = program.slots();
        let temporaries = registers(&program);
        remark(
            out,
            &format!(
                "// {all} instruction slots ({textures} of textures), {temporaries} temporary registers"
            ),
        );
        if let Some(least) = cut_loops.iter().map(|&(_, count)| count).min() {
            remark(
                out,
                &format!(
                    "// Loops of unknown length: {}; each ends after {least} iterations or more",
                    cut_loops.len()
                ),
            );
        }
        let text = disassemble(&program, &PrintOptions { comments: false });
        let mut done = 0usize;
        for (range, item) in &text.items {
            let (start, end) = (range.start as usize, range.end as usize);
            lines(out, text.text.get(done..start).unwrap_or(""), Link::None);
            let anchor = anchors.get(*item as usize).copied().filter(|anchor| *anchor != Anchor::Module);
            let link = anchor.map_or(Link::None, Link::Use);
            lines(out, text.text.get(start.max(done)..end).unwrap_or(""), link);
            done = done.max(end);
        }
        lines(out, text.text.get(done..).unwrap_or(""), Link::None);
        Ok(())
    }
}

impl Backend for Bytecode {
    fn name(&self) -> &'static str {
        match self.0 {
            Model::Two => "d3d9-sm2",
            Model::Three => "d3d9",
        }
    }

    fn doc(&self) -> &'static str {
        match self.0 {
            Model::Two => {
                "Direct3D 9 bytecode, shader model 2; for a vertex or a fragment shader without branches."
            }
            Model::Three => "Direct3D 9 bytecode, shader model 3; for a vertex or a fragment shader.",
        }
    }

    fn label(&self) -> &'static str {
        match self.0 {
            Model::Two => "Direct3D 9 bytecode, shader model 2",
            Model::Three => "Direct3D 9 bytecode",
        }
    }

    fn extensions(&self) -> &'static [&'static str] {
        &["d3dbc"]
    }

    fn media(&self) -> &'static str {
        "application/octet-stream"
    }

    fn preset(&self) -> Option<&'static str> {
        Some(preset(self.0))
    }

    fn write(&self, source: &Source<'_>, out: &mut Output<'_>) -> Result<(), Vec<Diag>> {
        let Translated { program, anchors, .. } = translate(source.module, self.0)?;
        let bytes = program.bytes();
        let (placed, _) = crate::sm1::Program::read(&bytes);
        let starts: Vec<usize> = placed.items.iter().map(|item| item.at as usize * 4).collect();
        let mut done = 0;
        for (at, &anchor) in anchors.iter().enumerate() {
            let (start, end) = (starts.get(at).copied(), starts.get(at + 1).copied());
            let end = end.unwrap_or(bytes.len().saturating_sub(4));
            out.push_bytes(bytes.get(done..end).unwrap_or(&[]));
            done = done.max(end);
            if let Some(start) = start.filter(|_| anchor != Anchor::Module) {
                out.place(start as u32, anchor);
            }
        }
        out.push_bytes(bytes.get(done..).unwrap_or(&[]));
        Ok(())
    }
}

/// The number of temporary registers of a program.
fn registers(program: &crate::sm1::Program) -> u16 {
    use crate::sm1::File;
    let used = program.insts().flat_map(|(_, inst)| {
        let sources = inst.sources().iter().map(|source| source.register);
        sources.chain(inst.dst.map(|dst| dst.register)).collect::<Vec<_>>()
    });
    used.filter(|register| register.file == File::Temp).map(|register| register.number + 1).max().unwrap_or(0)
}

fn remark(out: &mut Output<'_>, text: &str) {
    out.open_line(0);
    out.put(Class::Note, text, Link::None);
    out.close_line();
}

/// Writes text line by line, each token linked to what the line was written for.
fn lines(out: &mut Output<'_>, text: &str, link: Link) {
    for line in text.lines() {
        let content = line.trim_start();
        out.open_line((line.len() - content.len()) / 2);
        let mut done = 0;
        for lexeme in lexemes(content) {
            let (start, end) = (lexeme.start as usize, (lexeme.start + lexeme.len) as usize);
            out.put(Class::Plain, content.get(done..start).unwrap_or(""), Link::None);
            out.put(lexeme.class, content.get(start..end).unwrap_or(""), link);
            done = end;
        }
        out.put(Class::Plain, content.get(done..).unwrap_or(""), Link::None);
        out.close_line();
    }
}
