//! Kinds of entries of the debug table, with the operands of each: a table that the readers, the writers and both
//! directions of the text form share.
//!
//! Numbers and order of operands are those of NonSemantic.Shader.DebugInfo.100. Left out: enumerations, templates,
//! inheritance, macros and imported entities.

/// An operand of an entry.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct DebugOperand {
    /// Its name.
    pub field: DebugField,
    /// Its contents.
    pub takes: DebugTakes,
    /// The rule for its absence.
    pub presence: DebugPresence,
}

/// The contents of an operand.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DebugTakes {
    /// A text.
    Text,
    /// A number.
    Number,
    /// An earlier entry of one of these kinds.
    Entry(&'static [DebugKind]),
}

/// The rule for the absence of an operand.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DebugPresence {
    /// An entry without it is invalid.
    Required,
    /// It may be absent; SPIR-V then has `DebugInfoNone`, or void for the result of a function.
    Nullable,
    /// It may be absent at the end.
    Trailing,
    /// Any number of operands, at the end.
    List,
}

macro_rules! fields {
    ($($(#[doc = $doc:literal])+ $variant:ident $name:literal;)*) => {
        /// Names of operands.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
        pub enum DebugField { $($(#[doc = $doc])+ $variant,)* }

        impl DebugField {
            /// The spelling in the text form.
            pub fn name(self) -> &'static str {
                [$($name),*][self as usize]
            }
        }
    };
}

fields! {
    /// The name in the source.
    Name "name";
    /// The type of a variable, a member or a function.
    Type "type";
    /// The file.
    Source "source";
    /// Line, from 1; 0 if unknown.
    Line "line";
    /// Column, from 1; 0 if unknown.
    Column "column";
    /// The enclosing scope.
    Parent "parent";
    /// The name for linkage.
    Linkage "linkage";
    /// Flags of SPIR-V: access, local or definition, and the like.
    Flags "flags";
    /// The line at which the body of a function begins.
    ScopeLine "scope_line";
    /// The number of a parameter, from 1.
    Argument "argument";
    /// The type of elements, components or columns; the type that is pointed to.
    Of "of";
    /// Number of components or columns.
    Count "count";
    /// Numbers of elements, from the outer dimension on; 0 if unknown.
    Counts "counts";
    /// Members.
    Members "members";
    /// Size in bits.
    Size "size";
    /// Offset in bits.
    Offset "offset";
    /// The encoding of a basic type: 2 boolean, 3 float, 4 signed, 6 unsigned.
    Encoding "encoding";
    /// A storage class of SPIR-V.
    Class "class";
    /// A qualifier: 0 constant, 1 volatile, 2 restrict, 3 atomic.
    Qualifier "qualifier";
    /// The type of the result; void if absent.
    Result "result";
    /// The types of the parameters.
    Params "params";
    /// The kind of a composite: 0 class, 1 structure, 2 union.
    Tag "tag";
    /// 1 if the vectors of a matrix are columns.
    ColumnMajor "column_major";
    /// The version of the debug information.
    Version "version";
    /// The version of DWARF that it follows.
    Dwarf "dwarf";
    /// The source language, a number of SPIR-V.
    Language "language";
    /// The name of a file.
    File "file";
    /// The scope in the source.
    Scope "scope";
    /// The scope of the call.
    At "at";
    /// A function.
    Function "function";
    /// A compilation unit.
    Unit "unit";
    /// The name of a compiler.
    Compiler "compiler";
    /// Arguments of a command line.
    Arguments "arguments";
}

macro_rules! kinds {
    ($($(#[doc = $doc:literal])+ $variant:ident $name:literal $number:literal
        [$($field:ident $presence:ident $takes:expr),* $(,)?];)*) => {
        /// Kinds of entries.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Default)]
        pub enum DebugKind { #[default] $($(#[doc = $doc])+ $variant,)* }

        impl DebugKind {
            /// Every kind.
            pub const ALL: &'static [DebugKind] = &[$(DebugKind::$variant),*];

            /// The spelling in the text form.
            pub fn name(self) -> &'static str {
                [$($name),*][self as usize]
            }

            /// The number of the instruction.
            pub fn number(self) -> u32 {
                [$($number),*][self as usize]
            }

            /// The operands, in order.
            pub fn operands(self) -> &'static [DebugOperand] {
                match self {
                    $(DebugKind::$variant => const {
                        &[$(DebugOperand {
                            field: DebugField::$field,
                            takes: $takes,
                            presence: DebugPresence::$presence,
                        }),*]
                    },)*
                }
            }
        }
    };
}

use DebugKind as K;
use DebugTakes::{Entry, Number, Text};

const SOURCE: DebugTakes = Entry(&[K::Source]);
/// Scopes of the source.
const LEXICAL: &[DebugKind] = &[K::Unit, K::Function, K::Block, K::Composite];
const SCOPE: DebugTakes = Entry(LEXICAL);
const TYPE: DebugTakes = Entry(&[
    K::Basic,
    K::Pointer,
    K::Qualified,
    K::Array,
    K::Vector,
    K::Alias,
    K::FunctionType,
    K::Composite,
    K::Matrix,
]);

kinds! {
    /// A file of the source. Its text is the fact `source` that follows the fact `file` with its name.
    Source "source" 35 [File Required Text];
    /// A compilation unit.
    Unit "unit" 1 [Version Required Number, Dwarf Required Number, Source Required SOURCE, Language Required Number];
    /// A boolean or a number.
    Basic "basic" 2 [Name Required Text, Size Required Number, Encoding Required Number, Flags Nullable Number];
    /// A pointer.
    Pointer "pointer" 3 [Of Nullable TYPE, Class Required Number, Flags Required Number];
    /// A type with a qualifier.
    Qualified "qualified" 4 [Of Required TYPE, Qualifier Required Number];
    /// An array.
    Array "array" 5 [Of Required TYPE, Counts List Number];
    /// A vector.
    Vector "vector" 6 [Of Required Entry(&[K::Basic]), Count Required Number];
    /// A name for a type.
    Alias "alias" 7 [
        Name Required Text, Of Required TYPE, Source Required SOURCE, Line Required Number, Column Required Number,
        Parent Required SCOPE,
    ];
    /// The type of a function.
    FunctionType "function_type" 8 [Flags Required Number, Result Nullable TYPE, Params List TYPE];
    /// A member of a composite.
    Member "member" 11 [
        Name Required Text, Type Required TYPE, Source Required SOURCE, Line Required Number, Column Required Number,
        Offset Required Number, Size Required Number, Flags Required Number,
    ];
    /// A structure, a class, a union, or an opaque type.
    Composite "composite" 10 [
        Name Required Text, Tag Required Number, Source Required SOURCE, Line Required Number, Column Required Number,
        Parent Required SCOPE, Linkage Required Text, Size Nullable Number, Flags Required Number,
        Members List Entry(&[K::Member]),
    ];
    /// A matrix.
    Matrix "matrix" 108 [Of Required Entry(&[K::Vector]), Count Required Number, ColumnMajor Required Number];
    /// A function.
    Function "function" 20 [
        Name Required Text, Type Required Entry(&[K::FunctionType]), Source Required SOURCE, Line Required Number,
        Column Required Number, Parent Required SCOPE, Linkage Required Text, Flags Required Number,
        ScopeLine Required Number,
    ];
    /// A block of statements.
    Block "block" 21 [
        Source Required SOURCE, Line Required Number, Column Required Number, Parent Required SCOPE, Name Trailing Text,
    ];
    /// The place of an inlined instruction: its scope in the source, and the line and the scope of the call.
    Inlined "inlined" 25 [
        Scope Required SCOPE, Line Required Number,
        At Required Entry(&[K::Unit, K::Function, K::Block, K::Composite, K::Inlined]),
    ];
    /// A variable of the module.
    Global "global" 18 [
        Name Required Text, Type Required TYPE, Source Required SOURCE, Line Required Number, Column Required Number,
        Parent Required SCOPE, Linkage Required Text, Flags Required Number,
    ];
    /// A variable of a function, or a parameter.
    Local "local" 26 [
        Name Required Text, Type Required TYPE, Source Required SOURCE, Line Required Number, Column Required Number,
        Parent Required SCOPE, Flags Required Number, Argument Trailing Number,
    ];
    /// An entry point, and the compiler that made it.
    EntryPoint "entry_point" 107 [
        Function Required Entry(&[K::Function]), Unit Required Entry(&[K::Unit]), Compiler Required Text,
        Arguments Required Text,
    ];
}

impl DebugKind {
    /// The kind with this spelling.
    pub fn from_name(name: &str) -> Option<DebugKind> {
        DebugKind::ALL.iter().copied().find(|kind| kind.name() == name)
    }

    /// The kind of an instruction, except for that of inlined calls, which has other operands.
    pub fn from_number(number: u32) -> Option<DebugKind> {
        let found = DebugKind::ALL.iter().copied().find(|kind| kind.number() == number);
        found.filter(|kind| *kind != DebugKind::Inlined)
    }

    /// Returns true if instructions may have it as their scope.
    pub fn is_scope(self) -> bool {
        self == DebugKind::Inlined || LEXICAL.contains(&self)
    }
}
