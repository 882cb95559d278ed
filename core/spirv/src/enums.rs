//! Names of enumerants: value enums and masks, in both directions, with their parameters.
//!
//! rspirv has the enums as Rust types, not as tables. The tables are built from them, each at its first use,
//! and all by the same code, since code generated per type would increase the download. Values are found by
//! trying each number in the ranges the specification uses, their names through `Debug`, bits through the
//! disassembler, and parameters through `additional_operands` (bit by bit: for a whole mask it returns them
//! in an order other than that of the bits).

use super::debug_info;
use super::grammar::{Kind, LogicalOperand};
use rspirv::binary::Disassemble;
use rspirv::dr::Operand;
use rspirv::spirv as spec;
use std::fmt::Debug;
use std::sync::OnceLock;

/// Ranges of enumerants in the specification; the second one belongs to `ComponentType`.
const RANGES: [std::ops::Range<u32>; 2] = [0..8192, 1_000_491_000..1_000_491_016];

/// The enumerants of one kind of operand.
#[derive(Debug)]
pub struct Enumerants {
    /// Several may be combined by `|`.
    pub is_mask: bool,
    /// The name of an empty mask, if it has one.
    zero: &'static str,
    /// In order of their values.
    entries: Vec<Entry>,
    /// Parses a name, including alternative spellings, to its value.
    parse: Parse,
}

#[derive(Debug)]
enum Parse {
    Rspirv(Table),
    List(Vec<(u32, &'static str)>),
}

impl Parse {
    fn value(&self, name: &str) -> Option<u32> {
        match self {
            Parse::Rspirv(table) => table.parse(name),
            Parse::List(list) => list.iter().find(|entry| entry.1 == name).map(|entry| entry.0),
        }
    }
}

#[derive(Debug)]
struct Entry {
    value: u32,
    name: String,
    params: Vec<LogicalOperand>,
    capabilities: Vec<spec::Capability>,
}

impl Enumerants {
    fn entry(&self, value: u32) -> Option<&Entry> {
        match self.entries.get(value as usize) {
            Some(entry) if entry.value == value => Some(entry),
            _ => self
                .entries
                .binary_search_by_key(&value, |entry| entry.value)
                .ok()
                .map(|at| &self.entries[at]),
        }
    }

    /// The name of a value, or of a single bit of a mask.
    pub fn name(&self, value: u32) -> Option<&str> {
        match value {
            0 if self.is_mask => (!self.zero.is_empty()).then_some(self.zero),
            _ => self.entry(value).map(|entry| &*entry.name),
        }
    }

    /// The parameters of a value, or of a single bit of a mask.
    pub fn params(&self, value: u32) -> &[LogicalOperand] {
        self.entry(value).map_or(&[], |entry| &entry.params)
    }

    /// The capabilities of which a module must declare one to use a value, or a single bit of a mask. Empty
    /// if there is no requirement.
    pub fn capabilities(&self, value: u32) -> &[spec::Capability] {
        self.entry(value).map_or(&[], |entry| &entry.capabilities)
    }

    /// The value of a name of one enumerant, not of a whole mask.
    pub fn value(&self, name: &str) -> Option<u32> {
        if !self.is_mask {
            return self.parse.value(name);
        }
        if name == "None" || name == self.zero {
            return Some(0);
        }
        let found = self.entries.iter().find(|entry| entry.name == name).map(|entry| entry.value);
        // Bits keep their meaning when a vendor's extension becomes core: `MakeVisibleKHR`, `OptNoneINTEL`.
        let alike = |entry: &&Entry| bare(&entry.name) == bare(name);
        self.parse.value(name).or(found).or_else(|| self.entries.iter().find(alike).map(|entry| entry.value))
    }

    /// Every name.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.entries.iter().map(|entry| &*entry.name)
    }

    /// Enumerants that rspirv does not have.
    fn listed(is_mask: bool, list: Vec<(u32, &'static str)>) -> Enumerants {
        let single = |value: u32| !is_mask || value.is_power_of_two();
        let entry = |&(value, name): &(u32, &str)| Entry {
            value,
            name: name.to_owned(),
            params: Vec::new(),
            capabilities: Vec::new(),
        };
        let entries = list.iter().filter(|entry| single(entry.0)).map(entry).collect();
        let zero = if is_mask { "None" } else { "" };
        Enumerants { is_mask, zero, entries, parse: Parse::List(list) }
    }

    fn of(table: Table) -> Enumerants {
        let zero = table.zero();
        let entry = |value: u32| {
            let (mut name, operand) = table.known(value)?;
            if let Table::Dim = table {
                name = name.replacen(DIM, "", 1);
            }
            let (params, capabilities) = (operand.additional_operands(), operand.required_capabilities());
            Some(Entry { value, name, params, capabilities })
        };
        let entries = match zero {
            None => RANGES.into_iter().flatten().filter_map(entry).collect(),
            Some(_) => (0..32).filter_map(|bit| entry(1 << bit)).collect(),
        };
        let parse = Parse::Rspirv(table);
        Enumerants { is_mask: zero.is_some(), zero: zero.unwrap_or_default(), entries, parse }
    }
}

/// The enumerants of a kind that only occurs in debug information.
fn of_debug_info(kind: Kind) -> Option<&'static Enumerants> {
    static TABLES: OnceLock<Vec<(Kind, Enumerants)>> = OnceLock::new();
    let tables = TABLES.get_or_init(|| {
        let table = |&(kind, is_mask, lists): &debug_info::EnumerantTable| {
            (kind, Enumerants::listed(is_mask, lists.concat()))
        };
        debug_info::TABLES.iter().map(table).collect()
    });
    tables.iter().find(|(known, _)| *known == kind).map(|(_, table)| table)
}

/// A name without the vendor suffix.
fn bare(name: &str) -> &str {
    let suffixes = ["KHR", "EXT", "NV", "AMD", "ARM", "INTEL", "ALTERA", "GOOGLE"];
    suffixes.iter().find_map(|suffix| name.strip_suffix(suffix)).unwrap_or(name)
}

/// `Dim` is the one enum whose names begin with digits; the Rust names have the prefix `Dim`.
const DIM: &str = "Dim";

fn rust_name(known: &dyn Debug) -> String {
    format!("{known:?}")
}

macro_rules! tables {
    (values: $($kind:ident)*; masks: $($mask:ident $zero:literal)*;) => {
        /// The kinds whose enumerants rspirv has.
        #[derive(Clone, Copy, Debug)]
        enum Table { $($kind,)* $($mask,)* }

        /// The enumerants of a kind; none for kinds that are not enums.
        pub fn enumerants(kind: Kind) -> Option<&'static Enumerants> {
            const COUNT: usize = [$(stringify!($kind),)* $(stringify!($mask),)*].len();
            static TABLES: [OnceLock<Enumerants>; COUNT] = [const { OnceLock::new() }; COUNT];
            let table = match kind {
                $(Kind::$kind => Table::$kind,)*
                $(Kind::$mask => Table::$mask,)*
                Kind::OpenclDebuginfo100(_) | Kind::Debuginfo(_) => return of_debug_info(kind),
                _ => return None,
            };
            Some(TABLES[table as usize].get_or_init(|| Enumerants::of(table)))
        }

        impl Table {
            /// The name of an empty mask; none for other enums.
            fn zero(self) -> Option<&'static str> {
                match self {
                    $(Table::$kind => None,)*
                    $(Table::$mask => Some($zero),)*
                }
            }

            /// The name and the parameters of a value, or of a bit of a mask.
            fn known(self, value: u32) -> Option<(String, Operand)> {
                match self {
                    $(Table::$kind => {
                        let known = spec::$kind::from_u32(value)?;
                        Some((rust_name(&known), Operand::$kind(known)))
                    })*
                    $(Table::$mask => {
                        let known = spec::$mask::from_bits(value)?;
                        Some((known.disassemble(), Operand::$mask(known)))
                    })*
                }
            }

            /// The value of a name, including alternative spellings; masks have none.
            fn parse(self, name: &str) -> Option<u32> {
                let named = if let Table::Dim = self { format!("{DIM}{name}") } else { name.to_owned() };
                match self {
                    $(Table::$kind => named.parse::<spec::$kind>().ok().map(|known| known as u32),)*
                    $(Table::$mask)|* => None,
                }
            }
        }
    };
}

tables! {
    values: SourceLanguage ExecutionModel AddressingModel MemoryModel ExecutionMode StorageClass Dim
        SamplerAddressingMode SamplerFilterMode ImageFormat ImageChannelOrder ImageChannelDataType
        FPRoundingMode FPDenormMode QuantizationModes FPOperationMode OverflowModes LinkageType
        AccessQualifier HostAccessQualifier FunctionParameterAttribute Decoration BuiltIn Scope
        GroupOperation KernelEnqueueFlags Capability RayQueryIntersection
        RayQueryCommittedIntersectionType RayQueryCandidateIntersectionType PackedVectorFormat
        CooperativeMatrixLayout CooperativeMatrixUse TensorClampMode InitializationModeQualifier
        LoadCacheControl StoreCacheControl NamedMaximumNumberOfRegisters FPEncoding
        CooperativeVectorMatrixLayout ComponentType;
    masks: ImageOperands "None" FPFastMathMode "None" SelectionControl "None" LoopControl "None"
        FunctionControl "None" MemorySemantics "None" MemoryAccess "None" KernelProfilingInfo "None"
        RayFlags "NoneKHR" FragmentShadingRate "" RawAccessChainOperands "None"
        CooperativeMatrixOperands "NoneKHR" CooperativeMatrixReduce "" TensorAddressingOperands "None"
        MatrixMultiplyAccumulateOperands "None" TensorOperands "NoneARM";
}
