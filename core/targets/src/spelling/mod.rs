//! How each language writes each operation: the spellings, one entry for an operation or several that are alike.
//!
//! An entry states a form for every language: one if all write the same, otherwise a `match` to the end. There is no default,
//! so that a new operation, or a new language, does not compile until it is decided everywhere. What a form needs besides,
//! such as an extension, the engine declares. Sources: GLSL 4.60, GLSL ES 3.10.5 and 3.00.6, chapters 5 and 8; WGSL,
//! chapters 8 and 17; HLSL for shader model 6.6; the Metal Shading Language Specification, chapters 5 and 6.

mod arithmetic; // start here: operators and functions
pub(super) mod builtins; // system values
mod effects;

use super::language::Language;
use super::spell::Form;
use arithmetic::{convert, float, int, vector};
use effects::{basic, deref, group, io, memory, ptr, raw, tex};
use vitrine_ir::ops::{IntOp, Op, RegOp};

impl Language {
    /// The form of an operation. `is_bool` is true if its first operand is a boolean.
    pub(super) fn form(self, op: Op, is_bool: bool) -> Form {
        let to = self.entry().column;
        match op {
            Op::Basic(op) => basic(op, to),
            Op::Float(op) => float(op, to),
            Op::Int(op) if is_bool && is_logic(op) => Form::Engine,
            Op::Int(op) => int(op, to),
            Op::Convert(op) => convert(op),
            Op::Vector(op) => vector(op, to),
            Op::Memory(op) => memory(op, to),
            Op::Deref(op) => deref(op, to),
            Op::Ptr(op) => ptr(op, to),
            Op::Io(op) => io(op, to),
            Op::Group(op) => group(op, to),
            Op::Tex(op) => tex(op, to),
            Op::Reg(RegOp::Load | RegOp::Store | RegOp::LoadAt | RegOp::StoreAt) => Form::Engine,
            Op::Spirv(_) => raw(to),
        }
    }

    /// How an operation is written, as Markdown: the operator or the function, `yes` if code composes it, the pass
    /// that lowers it, or the reason why the language does not have it.
    pub fn spelling(self, op: Op) -> String {
        match self.form(op, false) {
            Form::Infix(symbol, _) => format!("`a {symbol} b`"),
            Form::Compare(comparison) => format!("`a {} b`", comparison.symbol()),
            Form::NotCompare(comparison) => format!("`!(a {} b)`", comparison.symbol()),
            Form::Prefix(symbol) | Form::PrefixInt(symbol) => format!("`{symbol}a`"),
            Form::Call(name) | Form::CallInt(name) => format!("`{name}`"),
            Form::Construct => "a constructor".to_owned(),
            Form::Engine | Form::Dialect => "yes".to_owned(),
            Form::Lower(pass) => format!("by `{pass}`"),
            Form::No(reason) => format!("no: {reason}"),
        }
    }

    /// The pass that lowers an operation that the language does not have.
    pub fn lowered_by(self, op: Op) -> Option<&'static str> {
        match self.form(op, false) {
            Form::Lower(pass) => Some(pass),
            _ => None,
        }
    }

    /// The reason why an operation cannot be written and no pass lowers it.
    pub fn refusal(self, op: Op) -> Option<&'static str> {
        match self.form(op, false) {
            Form::No(reason) => Some(reason),
            _ => None,
        }
    }
}

/// Returns true for an operation that booleans have too, with operators of their own.
fn is_logic(op: IntOp) -> bool {
    matches!(op, IntOp::IAnd | IntOp::IOr | IntOp::IXor | IntOp::INot | IntOp::IEq | IntOp::INe)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each function of the engine that reads the form of an operation has code for the forms that its family has.
    #[test]
    fn code_of_the_engine_and_of_a_language_is_where_the_entry_says() {
        for language in Language::ALL {
            for op in Op::all() {
                let is_right = match (language.form(op, false), op) {
                    (Form::Engine, Op::Group(_) | Op::Io(_) | Op::Spirv(_) | Op::Convert(_)) => false,
                    (Form::Dialect, Op::Convert(_) | Op::Reg(_)) => false,
                    // Operators and functions are of arithmetic; some functions are of invocations.
                    (Form::Call(_), op) => is_arithmetic(op) || matches!(op, Op::Group(_)),
                    (Form::Infix(..) | Form::Prefix(_) | Form::PrefixInt(_) | Form::CallInt(_), op) => {
                        is_arithmetic(op)
                    }
                    (Form::Compare(_) | Form::NotCompare(_) | Form::Construct, op) => is_arithmetic(op),
                    (Form::Engine | Form::Dialect | Form::Lower(_) | Form::No(_), _) => true,
                };
                assert!(is_right, "{} in {}", op.name(), language.name());
            }
        }
    }

    fn is_arithmetic(op: Op) -> bool {
        matches!(op, Op::Float(_) | Op::Int(_) | Op::Convert(_) | Op::Vector(_))
    }

    /// Some operations are the same code for all languages that have them, whatever else changes.
    #[test]
    fn accesses_are_code_of_the_engine_in_every_language() {
        use vitrine_ir::ops::{BasicOp, DerefOp, MemoryOp};
        let common: [Op; 5] = [
            BasicOp::Call.into(),
            DerefOp::Elem.into(),
            MemoryOp::Load.into(),
            MemoryOp::Store.into(),
            IntOp::Select.into(),
        ];
        for language in Language::ALL {
            for op in common {
                assert_eq!(language.form(op, false), Form::Engine, "{} in {}", op.name(), language.name());
            }
        }
    }
}
