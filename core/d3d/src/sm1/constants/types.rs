//! The table of constants as data.
//!
//! Types are in a list and refer to each other by position, because several constants share one, and because the
//! types of a damaged table may form a cycle.

use crate::sm1::program::Program;
use crate::sm1::register::{File, Register};
use vitrine_ir::Diags;

/// A table of constants.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ConstantTable {
    /// The program that made the table; empty if it has no name.
    pub creator: String,
    /// The profile, such as `ps_3_0`; empty if it is not given.
    pub target: String,
    /// The version token of the program.
    pub version: u32,
    /// Options of the compiler.
    pub flags: u32,
    /// The constants, in the order of the table.
    pub constants: Vec<Constant>,
    /// The types, in the order in which a reader meets them: those of the constants, then those of their members.
    pub types: Vec<ConstantType>,
}

/// A constant. One that is in several register sets is in the table once for each.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Constant {
    /// The name.
    pub name: String,
    /// The register set.
    pub set: RegisterSet,
    /// The first register.
    pub register: u16,
    /// The number of registers; those that the program does not use may be missing at the end.
    pub count: u16,
    /// The field of an entry that has no meaning.
    pub reserved: u16,
    /// The type; none if it cannot be read.
    pub ty: Option<TypeId>,
    /// The default value: four words for each register, or one for a boolean; empty if there is none.
    pub default: Vec<u32>,
}

/// A set of registers that constants are in. The position is the number in a table.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[repr(u16)]
pub enum RegisterSet {
    /// `b#`.
    Bool,
    /// `i#`.
    Int4,
    /// `c#`.
    Float4,
    /// `s#`.
    Sampler,
}

impl RegisterSet {
    /// Every register set, by its number.
    pub const ALL: &'static [RegisterSet] =
        &[RegisterSet::Bool, RegisterSet::Int4, RegisterSet::Float4, RegisterSet::Sampler];

    /// The register file.
    pub fn file(self) -> File {
        match self {
            RegisterSet::Bool => File::ConstBool,
            RegisterSet::Int4 => File::ConstInt,
            RegisterSet::Float4 => File::Const,
            RegisterSet::Sampler => File::Sampler,
        }
    }

    /// Words of the default value of one register.
    pub fn default_words(self) -> usize {
        match self {
            RegisterSet::Bool => 1,
            RegisterSet::Int4 | RegisterSet::Float4 => 4,
            RegisterSet::Sampler => 0,
        }
    }
}

impl Constant {
    /// The first register.
    pub fn first_register(&self) -> Register {
        Register::new(self.set.file(), self.register)
    }
}

/// A type of a table, by its position in [`ConstantTable::types`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct TypeId(pub u32);

/// The type of a constant or of a member.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ConstantType {
    /// Scalar, vector, matrix, object or struct.
    pub class: TypeClass,
    /// The type of a component, or of an object.
    pub base: BaseType,
    /// Rows of a matrix; 1 for others.
    pub rows: u16,
    /// Columns of a matrix, or components of a vector.
    pub columns: u16,
    /// Elements of an array; 1 for others.
    pub elements: u16,
    /// The members of a struct, in order.
    pub members: Vec<Member>,
}

/// A member of a struct.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Member {
    /// The name.
    pub name: String,
    /// The type; none if it cannot be read.
    pub ty: Option<TypeId>,
}

/// The class of a type. The position is the number in a table.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[repr(u16)]
pub enum TypeClass {
    /// One component.
    Scalar,
    /// A vector.
    Vector,
    /// A matrix with a register for each row.
    MatrixRows,
    /// A matrix with a register for each column.
    MatrixColumns,
    /// A sampler, a texture, a string.
    Object,
    /// A struct.
    Struct,
}

impl TypeClass {
    /// Every class, by its number.
    pub const ALL: &'static [TypeClass] = &[
        TypeClass::Scalar,
        TypeClass::Vector,
        TypeClass::MatrixRows,
        TypeClass::MatrixColumns,
        TypeClass::Object,
        TypeClass::Struct,
    ];
}

/// The type of a component or of an object: a position in [`BASE_TYPES`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct BaseType(u16);

/// The names of base types; the position is the number in a table.
pub const BASE_TYPES: &[&str] = &[
    "void",
    "bool",
    "int",
    "float",
    "string",
    "Texture",
    "Texture1D",
    "Texture2D",
    "Texture3D",
    "TextureCUBE",
    "sampler",
    "sampler1D",
    "sampler2D",
    "sampler3D",
    "samplerCUBE",
];

impl BaseType {
    /// Nothing; of structs.
    pub const VOID: BaseType = BaseType(0);
    /// A boolean.
    pub const BOOL: BaseType = BaseType(1);
    /// An integer.
    pub const INT: BaseType = BaseType(2);
    /// A float.
    pub const FLOAT: BaseType = BaseType(3);
    /// A sampler of 2D textures.
    pub const SAMPLER_2D: BaseType = BaseType(12);

    /// The base type of a number.
    pub fn from_number(number: u16) -> Option<BaseType> {
        (usize::from(number) < BASE_TYPES.len()).then_some(BaseType(number))
    }

    /// The base type of a name such as `float`.
    pub fn from_name(name: &str) -> Option<BaseType> {
        BASE_TYPES.iter().position(|known| *known == name).map(|number| BaseType(number as u16))
    }

    /// The number in a table.
    pub fn number(self) -> u16 {
        self.0
    }

    /// The name.
    pub fn name(self) -> &'static str {
        BASE_TYPES.get(usize::from(self.0)).copied().unwrap_or("void")
    }
}

impl ConstantTable {
    /// A type of the table.
    pub fn type_of(&self, ty: Option<TypeId>) -> Option<&ConstantType> {
        self.types.get(ty?.0 as usize)
    }

    /// The constant that a register belongs to, and the distance of the register from its first one.
    pub fn constant_at(&self, register: Register) -> Option<(&Constant, u16)> {
        self.constants.iter().find_map(|constant| {
            let distance = register.number.checked_sub(constant.register)?;
            let is_in = constant.set.file() == register.file && distance < constant.count;
            is_in.then_some((constant, distance))
        })
    }
}

impl Program {
    /// The table of constants of the program, with diagnostics that refer to words of the program; none if the program
    /// has no comment `CTAB`. The codes are those of [`ConstantTable::read`].
    pub fn constants(&self) -> Option<(ConstantTable, Diags)> {
        let (at, words) = self.comment(b"CTAB")?;
        Some(ConstantTable::read(words, at + 2))
    }
}
