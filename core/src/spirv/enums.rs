//! Names of enumerants: value enums and masks, both ways, with the operands they bring along.
//!
//! rspirv has the enums as Rust types, not as tables. The tables are made from them, one at first use:
//! values by asking each number in the ranges the specification uses, their names through `Debug`, bits through
//! its disassembler, parameters through `additional_operands` (asked bit by bit: for a whole mask it gives them
//! in an order that is not that of the bits).

use super::debug_info;
use super::grammar::{Kind, LogicalOperand};
use rspirv::binary::Disassemble;
use rspirv::dr::Operand;
use rspirv::spirv as spec;
use std::sync::OnceLock;

/// Where the specification has enumerants; the second range belongs to `ComponentType`.
const RANGES: [std::ops::Range<u32>; 2] = [0..8192, 1_000_491_000..1_000_491_016];

/// The enumerants of one kind of operand.
#[derive(Debug)]
pub struct Enumerants {
    /// Several may hold at once, joined by `|`.
    pub is_mask: bool,
    /// What a mask without bits is called, if it is called anything.
    zero: &'static str,
    /// In order of their values.
    entries: Vec<Entry>,
    /// The value of a name, other spellings included.
    parse: fn(&str) -> Option<u32>,
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

    /// The operands a value, or a single bit of a mask, brings along.
    pub fn params(&self, value: u32) -> &[LogicalOperand] {
        self.entry(value).map_or(&[], |entry| &entry.params)
    }

    /// A module that uses a value, or a single bit of a mask, declares one of these, if there are any.
    pub fn capabilities(&self, value: u32) -> &[spec::Capability] {
        self.entry(value).map_or(&[], |entry| &entry.capabilities)
    }

    /// The value of a name; of one enumerant, not of a whole mask.
    pub fn value(&self, name: &str) -> Option<u32> {
        if !self.is_mask {
            return (self.parse)(name);
        }
        if name == "None" || name == self.zero {
            return Some(0);
        }
        let found = self.entries.iter().find(|entry| entry.name == name).map(|entry| entry.value);
        // Bits keep their meaning when a vendor's extension is taken over: `MakeVisibleKHR`, `OptNoneINTEL`.
        let alike = |entry: &&Entry| bare(&entry.name) == bare(name);
        (self.parse)(name).or(found).or_else(|| self.entries.iter().find(alike).map(|entry| entry.value))
    }

    /// Every name.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.entries.iter().map(|entry| &*entry.name)
    }

    /// Enumerants that rspirv does not have.
    pub(super) fn listed(is_mask: bool, list: &[(u32, &str)], parse: fn(&str) -> Option<u32>) -> Enumerants {
        let single = |value: u32| !is_mask || value.is_power_of_two();
        let entry = |&(value, name): &(u32, &str)| Entry {
            value,
            name: name.to_owned(),
            params: Vec::new(),
            capabilities: Vec::new(),
        };
        let entries = list.iter().filter(|entry| single(entry.0)).map(entry).collect();
        Enumerants { is_mask, zero: if is_mask { "None" } else { "" }, entries, parse }
    }
}

/// A name without the suffix that says who added it.
fn bare(name: &str) -> &str {
    let suffixes = ["KHR", "EXT", "NV", "AMD", "ARM", "INTEL", "ALTERA", "GOOGLE"];
    suffixes.iter().find_map(|suffix| name.strip_suffix(suffix)).unwrap_or(name)
}

/// `Dim` is the one enum whose names begin with digits; Rust's names have its own name in front.
fn spelled(kind: &str, rust_name: String) -> String {
    match kind {
        "Dim" => rust_name.strip_prefix("Dim").unwrap_or(&rust_name).to_owned(),
        _ => rust_name,
    }
}

macro_rules! tables {
    (values: $($kind:ident)*; masks: $($mask:ident $zero:literal)*;) => {
        /// The enumerants of a kind; none for kinds that are not enums.
        pub fn enumerants(kind: Kind) -> Option<&'static Enumerants> {
            match kind {
                $(Kind::$kind => {
                    static TABLE: OnceLock<Enumerants> = OnceLock::new();
                    Some(TABLE.get_or_init(|| {
                        let entry = |value: u32| {
                            let known = spec::$kind::from_u32(value)?;
                            let name = spelled(stringify!($kind), format!("{known:?}"));
                            let operand = Operand::$kind(known);
                            let (params, capabilities) =
                                (operand.additional_operands(), operand.required_capabilities());
                            Some(Entry { value, name, params, capabilities })
                        };
                        let entries = RANGES.into_iter().flatten().filter_map(entry).collect();
                        let parse = |name: &str| {
                            let prefix = if stringify!($kind) == "Dim" { "Dim" } else { "" };
                            let named = format!("{prefix}{name}");
                            named.parse::<spec::$kind>().ok().map(|known| known as u32)
                        };
                        Enumerants { is_mask: false, zero: "", entries, parse }
                    }))
                })*
                $(Kind::$mask => {
                    static TABLE: OnceLock<Enumerants> = OnceLock::new();
                    Some(TABLE.get_or_init(|| {
                        let entry = |bit: u32| {
                            let known = spec::$mask::from_bits(1 << bit)?;
                            let name = known.disassemble();
                            let operand = Operand::$mask(known);
                            let (params, capabilities) =
                                (operand.additional_operands(), operand.required_capabilities());
                            Some(Entry { value: 1 << bit, name, params, capabilities })
                        };
                        let entries = (0..32).filter_map(entry).collect();
                        Enumerants { is_mask: true, zero: $zero, entries, parse: |_| None }
                    }))
                })*
                other => debug_info::enumerants(other),
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
