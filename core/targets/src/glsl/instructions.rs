//! Instructions of SPIR-V that GLSL has no function for, declared by their number (GL_EXT_spirv_intrinsics); and formatted
//! output (GL_EXT_debug_printf).
//!
//! Each declaration is written once. Refuses nothing by itself: the callers know which instructions have another spelling.

use super::state::Declared;
use crate::expr::{Expr, Token, words};
use crate::func::FuncWriter;
use crate::images::Resource;
use crate::number::NumberType;
use crate::print::Line;
use std::rc::Rc;
use vitrine_ir::ops::attr::Role;
use vitrine_ir::ops::{IoOp, Key};
use vitrine_ir::{ExecutionMode as E, Inst, Text};
use vitrine_text::Class;

/// The numbers of instructions, as SPIR-V defines them.
const SAMPLE_DREF_IMPLICIT_LOD: u64 = 89;
const SAMPLE_DREF_EXPLICIT_LOD: u64 = 90;
const BEGIN_INTERLOCK: u64 = 5364;
const END_INTERLOCK: u64 = 5365;

/// A comparison by an instruction.
struct Comparison {
    /// The role of the first operand after the reference.
    role: Role,
    name: &'static str,
    number: u64,
    /// The bits that announce its operands.
    bits: u64,
    /// The names of its operands.
    operands: &'static [&'static str],
}

#[rustfmt::skip] // A table.
const COMPARISONS: [Comparison; 3] = [
    Comparison { role: Role::Bias, name: "sample_compare_bias", number: SAMPLE_DREF_IMPLICIT_LOD, bits: 1, operands: &["bias"] },
    Comparison { role: Role::Lod, name: "sample_compare_lod", number: SAMPLE_DREF_EXPLICIT_LOD, bits: 2, operands: &["lod"] },
    Comparison { role: Role::Ddx, name: "sample_compare_grad", number: SAMPLE_DREF_EXPLICIT_LOD, bits: 4, operands: &["ddx", "ddy"] },
];

/// The capabilities of critical sections: of samples, and of pixels.
const SAMPLE_INTERLOCK: u64 = 5363;
const PIXEL_INTERLOCK: u64 = 5378;

impl Declared {
    /// The line that declares it.
    pub(super) fn line(&self) -> Line {
        let [qualifier, result, params] = &self.form;
        Line::new(0, words(Class::Attr, &format!("{qualifier} {result} {}({params});", self.name)))
    }
}

impl FuncWriter<'_, '_> {
    /// A name that neither the module nor this function has.
    pub(super) fn module_name(&mut self, wanted: &str, otherwise: &str) -> Rc<str> {
        loop {
            let name = self.w.names.fresh(wanted, otherwise);
            if self.names.is_free(&name) {
                return self.names.fresh(&name, otherwise);
            }
        }
    }

    /// The name of the function that is declared as an instruction of SPIR-V: what the instruction requires, its number, the
    /// type of its result, its parameters.
    fn instruction(
        &mut self,
        wanted: &str,
        requires: &str,
        number: u64,
        result: &str,
        params: &str,
    ) -> Rc<str> {
        let qualifier = format!("spirv_instruction({requires}id = {number})");
        let form = [qualifier, result.to_owned(), params.to_owned()];
        if let Some(known) = self.w.own.glsl.instructions.iter().find(|known| known.form == form) {
            return known.name.clone();
        }
        self.w.extensions.insert("GL_EXT_spirv_intrinsics");
        let name = self.module_name(wanted, wanted);
        self.w.own.glsl.instructions.push(Declared { form, name: name.clone() });
        name
    }

    /// Writes the begin or the end of a critical section at a place at which the language has no function for it.
    pub(super) fn glsl_interlock(&mut self, inst: Inst, op: IoOp) {
        // The layout of the entry point needs it.
        self.w.extensions.insert("GL_ARB_fragment_shader_interlock");
        let mut modes = self.w.module.entries.iter().flat_map(|entry| entry.modes.iter());
        let of_samples =
            modes.any(|it| matches!(it.mode, E::SampleInterlockOrdered | E::SampleInterlockUnordered));
        let capability = if of_samples { SAMPLE_INTERLOCK } else { PIXEL_INTERLOCK };
        let requires =
            format!("extensions = [\"SPV_EXT_fragment_shader_interlock\"], capabilities = [{capability}], ");
        let (wanted, number) = match op {
            IoOp::InterlockBegin => ("begin_interlock", BEGIN_INTERLOCK),
            _ => ("end_interlock", END_INTERLOCK),
        };
        let name = self.instruction(wanted, &requires, number, "void", "");
        let expr = self.call(inst, name.to_string(), Vec::new(), NumberType::BOOL);
        self.statement(expr.tokens);
    }

    /// A comparison in layers or cubes by the coordinate and the reference, with a bias, a level of detail or two gradients.
    pub(super) fn glsl_compared(
        &mut self,
        inst: Inst,
        found: Resource,
        [coord, reference]: [Expr; 2],
        levels: Vec<Expr>,
    ) -> Option<Expr> {
        let ty = self.texel_type(inst, found.image);
        let of_image = self.w.sampler_name(found.image, true)?;
        let form = COMPARISONS.iter().find(|form| self.role(inst, form.role).is_some())?;
        let mut params = format!(
            "{of_image} image, {} coordinate, float reference, spirv_literal int operands",
            self.type_name(coord.ty, inst)
        );
        for (level, name) in levels.iter().zip(form.operands) {
            params.push_str(&format!(", {} {name}", self.type_name(level.ty, inst)));
        }
        let name = self.instruction(form.name, "", form.number, "float", &params);
        let image = Expr::new(found.tokens, crate::expr::Prec::Postfix, ty);
        let operands = Expr::atom(Token::new(Class::Number, form.bits.to_string()), ty);
        let args = [image, coord, reference, operands].into_iter().chain(levels).collect();
        Some(self.call(inst, name.to_string(), args, ty))
    }

    /// Writes formatted output.
    pub(super) fn glsl_print(&mut self, inst: Inst) {
        let data = self.body.inst(inst);
        let text = self.w.text(data.entity::<Text>(Key::Text));
        let Some(literal) = literal(text) else {
            return self.refuse(inst, "its format has characters that a string cannot have", "");
        };
        self.w.extensions.insert("GL_EXT_debug_printf");
        let mut args = vec![Expr::atom(Token::new(Class::Number, literal), NumberType::BOOL)];
        for &arg in data.args.iter() {
            args.push(self.value(arg));
        }
        let expr = self.call(inst, "debugPrintfEXT", args, NumberType::BOOL);
        self.statement(expr.tokens);
    }
}

/// A string in quotes. `None` if it has a character other than printable ASCII, tabs and ends of lines.
fn literal(text: &str) -> Option<String> {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            '"' | '\\' => out.extend(['\\', c]),
            ' '..='~' => out.push(c),
            _ => return None,
        }
    }
    out.push('"');
    Some(out)
}
