//! Formatted text; and instructions and execution modes of SPIR-V that HLSL has no word for, declared with the attributes of the compiler of the
//! text for them: `vk::ext_instruction`, `vk::ext_capability`, `vk::ext_extension`, `vk::ext_execution_mode`.
//!
//! A mode needs a capability, which only a function can state: one that gives an undefined number is called. Refuses modes
//! that the table does not have. A compiler to DXIL rejects these texts.

use super::state::{Extern, Needs};
use crate::expr::{Expr, Token, words};
use crate::func::FuncWriter;
use crate::module::ModuleWriter;
use crate::number::{Kind, NumberType};
use crate::print::Line;
use vitrine_ir::ops::{Builtin, IoOp, Key, Op};
use vitrine_ir::{EntryPoint, ExecutionMode as E, Inst, ModeUse};
use vitrine_text::Class;

const INTERLOCK: &str = "SPV_EXT_fragment_shader_interlock";
const CONTROLS: &str = "SPV_KHR_float_controls";
const DEMOTE: Needs = (5379, "SPV_EXT_demote_to_helper_invocation");

/// Execution modes with their needs.
const MODES: &[(E, Needs)] = &[
    (E::DenormPreserve, (4464, CONTROLS)),
    (E::DenormFlushToZero, (4465, CONTROLS)),
    (E::SignedZeroInfNanPreserve, (4466, CONTROLS)),
    (E::RoundingModeRte, (4467, CONTROLS)),
    (E::RoundingModeRtz, (4468, CONTROLS)),
    (E::PixelInterlockOrdered, (5378, INTERLOCK)),
    (E::PixelInterlockUnordered, (5378, INTERLOCK)),
    (E::SampleInterlockOrdered, (5363, INTERLOCK)),
    (E::SampleInterlockUnordered, (5363, INTERLOCK)),
    (E::ShadingRateInterlockOrdered, (5372, INTERLOCK)),
    (E::ShadingRateInterlockUnordered, (5372, INTERLOCK)),
];

/// The number of `OpUndef`.
const UNDEFINED: u64 = 1;

/// The capability that the position of a sample needs.
pub(super) const SAMPLE_RATE: &str = "sample_rate";

impl ModuleWriter<'_> {
    /// Names the functions that the module needs before functions are written.
    pub(super) fn prepare_externs(&mut self, entry: &EntryPoint) {
        let mut found: Vec<IoOp> = Vec::new();
        for (_, body) in self.module.funcs() {
            body.for_each_inst(|_, inst| {
                if let Op::Io(op @ (IoOp::IsHelper | IoOp::InterlockBegin | IoOp::InterlockEnd)) =
                    body.inst(inst).op
                    && !found.contains(&op)
                {
                    found.push(op);
                }
            });
        }
        let modes = entry.modes.iter().filter_map(row_of);
        let interlock = modes.clone().find(|row| row.1.1 == INTERLOCK).map_or((5378, INTERLOCK), |row| row.1);
        for op in found {
            match op {
                IoOp::IsHelper => self.add_extern("is_helper", "is_helper", "bool", 5381, DEMOTE),
                IoOp::InterlockBegin => {
                    self.add_extern("interlock_begin", "begin_interlock", "void", 5364, interlock);
                }
                _ => self.add_extern("interlock_end", "end_interlock", "void", 5365, interlock),
            }
        }
        for &(mode, needs) in modes {
            self.need(mode.name(), needs);
        }
        if self.own.hlsl.ports.iter().any(|port| port.builtin == Some(Builtin::SamplePosition)) {
            self.need(SAMPLE_RATE, (35, ""));
        }
    }

    /// States a capability by a function that is called for it.
    fn need(&mut self, key: &'static str, needs: Needs) {
        self.add_extern(key, &format!("requires_{key}"), "uint", UNDEFINED, needs);
    }

    fn add_extern(
        &mut self,
        key: &'static str,
        wanted: &str,
        result: &'static str,
        instruction: u64,
        needs: Needs,
    ) {
        if self.own.hlsl.externs.iter().all(|known| known.key != key) {
            let name = self.names.fresh(wanted, wanted);
            self.own.hlsl.externs.push(Extern { key, name, result, instruction, needs });
        }
    }

    /// The declarations of these functions.
    pub(super) fn extern_lines(&self) -> Vec<Line> {
        let mut lines = Vec::new();
        for Extern { name, result, instruction, needs: (capability, extension), .. } in &self.own.hlsl.externs
        {
            let extension = match *extension {
                "" => String::new(),
                name => format!(" [[vk::ext_extension(\"{name}\")]]"),
            };
            lines.push(Line::new(
                0,
                words(Class::Attr, &format!("[[vk::ext_capability({capability})]]{extension}")),
            ));
            let text = format!("[[vk::ext_instruction({instruction})]] {result} {name}();");
            lines.push(Line::new(0, words(Class::Plain, &text)));
        }
        lines
    }

    /// The statements of an entry point that state an execution mode. `None` if the table does not have it.
    pub(super) fn extern_mode(&self, mode: &ModeUse) -> Option<String> {
        let number = row_of(mode)?.0.number();
        let args: String = mode.args.iter().map(|&arg| format!(", {}", self.size(arg))).collect();
        Some(format!("vk::ext_execution_mode({number}{args});"))
    }

    /// The calls that state capabilities.
    pub(super) fn extern_calls(&self) -> Vec<String> {
        let needed = self.own.hlsl.externs.iter().filter(|it| it.instruction == UNDEFINED);
        needed.map(|it| format!("{}();", it.name)).collect()
    }
}

/// The row of an execution mode.
fn row_of(mode: &ModeUse) -> Option<&'static (E, Needs)> {
    MODES.iter().find(|row| row.0 == mode.mode)
}

impl FuncWriter<'_, '_> {
    /// A call of a function that is an instruction.
    pub(super) fn extern_call(&mut self, inst: Inst, key: &str, ty: NumberType) -> Option<Expr> {
        let name = self.w.own.hlsl.externs.iter().find(|known| known.key == key)?.name.clone();
        Some(self.call(inst, name, Vec::new(), ty))
    }
}

impl FuncWriter<'_, '_> {
    /// Writes formatted text for debugging, whose conversions state the kinds of the numbers.
    pub(super) fn hlsl_print(&mut self, inst: Inst) {
        let data = self.body.inst(inst);
        let text = self.w.text(data.entity(Key::Text));
        if !text.chars().all(|it| it == '\n' || it == '\t' || it == ' ' || it.is_ascii_graphic()) {
            return self.refuse(inst, "its text has characters that are not of ASCII", "");
        }
        let quoted =
            text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n").replace('\t', "\\t");
        let int = NumberType::scalar(Kind::Int);
        let mut args = vec![Expr::atom(Token::new(Class::Text, format!("\"{quoted}\"")), int)];
        let mut kinds = conversions(text).into_iter();
        for &arg in data.args.iter() {
            args.push(match kinds.next().flatten() {
                Some(kind) => self.value_as(arg, kind),
                None => self.value(arg),
            });
        }
        let call = self.call(inst, "printf", args, int);
        self.statement(call.tokens);
    }
}

/// The kind of number of each conversion in a format; `None` for one that is not known.
fn conversions(format: &str) -> Vec<Option<Kind>> {
    let mut kinds = Vec::new();
    let mut rest = format;
    while let Some(at) = rest.find('%') {
        rest = &rest[at + 1..];
        if let Some(after) = rest.strip_prefix('%') {
            rest = after;
            continue;
        }
        // Flags, the width, the components of a vector, the size.
        let options = |it: char| it.is_ascii_digit() || "+-# .vlh".contains(it);
        rest = rest.trim_start_matches(options);
        kinds.push(match rest.chars().next() {
            Some('d' | 'i') => Some(Kind::Int),
            Some('u' | 'x' | 'X' | 'o') => Some(Kind::Uint),
            Some('f' | 'F' | 'e' | 'E' | 'g' | 'G' | 'a' | 'A') => Some(Kind::Float),
            _ => None,
        });
    }
    kinds
}
