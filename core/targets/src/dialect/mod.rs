//! What the engine asks of a language. The engine names no language: it composes what all of them have in common, and asks
//! the dialect where they differ.
//!
//! A dialect has no state; what it finds out about a module is in the writer, in a structure of its own. The questions stand
//! in a trait for each part of the engine, beside the answers in the folder of the language.

mod access; // paths into memory, addresses, loads and stores
mod declarations; // names, constants, what a module declares
mod effects; // images, atomics, barriers, system values
mod flow; // functions, entry points, calls
mod header; // the lines before the functions
mod statements; // loops, choices, what is written at its use
mod values; // arithmetic, literals, choices

pub(super) use access::{Access, Pointers, is_nonuniform, marked_index, number_of_address};
pub(super) use declarations::{
    Composite, ConstantPart, Declarations, attributed, constant_choice, constant_operator,
    constant_remainder, part_count, parts_with_bytes,
};
pub(super) use effects::Effects;
pub(super) use flow::{Argument, EntryHead, Flow, copied_param, in_parentheses, path_argument, plain_param};
pub(super) use header::{Header, HeaderPart};
pub(super) use statements::Statements;
pub(super) use values::{ArrayValues, Values, VectorLogic};

use super::expr::Grammar;
use super::language::Language;
use super::number::{Kind, NumberType};
use super::spell::Form;
use vitrine_analysis::LayoutTarget;
use vitrine_analysis::exits::Target;
use vitrine_ir::ops::{Op, Width};

/// A language: its facts, and the questions of each part of the engine.
pub(super) trait Dialect:
    Access + Declarations + Effects + Flow + Header + Statements + Values + Sync
{
    /// The language, whose column of the spellings it has.
    fn language(&self) -> Language;

    /// The target of the analysis of exits.
    fn target(&self) -> Target;

    /// The language as a target of layouts and places.
    fn layout_target(&self) -> LayoutTarget;

    /// Returns true for a word that names nothing of a program.
    fn is_reserved(&self) -> fn(&str) -> bool;

    /// The grammar of operators, by default that of C.
    fn grammar(&self) -> Grammar {
        Grammar::C
    }

    /// The name of a number type. `None` if there is no such type.
    fn number(&self, ty: NumberType) -> Option<String>;

    /// The extension that a number type needs. None by default.
    fn extension(&self, _ty: NumberType) -> Option<&'static str> {
        None
    }

    /// A component of a constant.
    fn literal(&self, kind: Kind, width: Width, bits: u64) -> String;

    /// The function that reads the bits of a number as another kind; its type is the name if there is none.
    fn bit_cast(&self, from: NumberType, to: Kind) -> Option<String>;

    /// The line that states the version of the language, which is the first of a text.
    fn version_line(&self) -> Option<&'static str> {
        None
    }

    /// The name for messages.
    fn name(&self) -> &'static str {
        self.language().name()
    }

    /// The form of an operation. `is_bool` is true if its first operand is a boolean.
    fn form(&self, op: Op, is_bool: bool) -> Form {
        self.language().form(op, is_bool)
    }

    /// The reason why an operation cannot be written and no pass lowers it.
    fn refusal(&self, op: Op) -> Option<&'static str> {
        self.language().refusal(op)
    }
}
