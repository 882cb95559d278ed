//! The indexed grammar: instructions by opcode and by name, extended instruction sets, expected operands.
//!
//! The tables are rspirv's. Its lookups are linear searches; here the tables are indexed once. It has no
//! table of the spellings that share an opcode with another one (`OpSDotKHR`), so they are listed here; the
//! compiler checks that each exists.

use rspirv::grammar as table;
use rspirv::spirv::{Capability, Op};
use rustc_hash::FxHashMap;
use std::sync::OnceLock;
use vitrine_ir::base::sort_by_number;

pub use rspirv::grammar::{LogicalOperand, OperandKind as Kind, OperandQuantifier as Quantifier};

/// The grammar of an instruction.
#[derive(Debug)]
pub struct OpInfo {
    /// Its name with the prefix: `OpTypeFloat`.
    pub name: String,
    /// Its number.
    pub opcode: u16,
    /// Its first operand is the type of its result.
    pub has_type: bool,
    /// It defines an id, which follows the type if there is one.
    pub has_result: bool,
    /// The operands after type and result.
    pub operands: &'static [LogicalOperand],
    /// The capabilities of which a module must declare one to use it. Empty if there is no requirement.
    pub capabilities: &'static [Capability],
}

impl OpInfo {
    /// Words before the operands: the first one, type, result.
    pub fn head(&self) -> usize {
        1 + usize::from(self.has_type) + usize::from(self.has_result)
    }
}

/// The grammar of an instruction of an extended set.
#[derive(Debug)]
pub struct ExtInfo {
    /// Its name.
    pub name: &'static str,
    /// Its number.
    pub number: u32,
    /// Its operands.
    pub operands: &'static [LogicalOperand],
}

struct Grammar {
    ops: Vec<OpInfo>,
    /// The index in `ops` plus 1, by opcode; 0 for none.
    by_opcode: Vec<u16>,
    by_name: FxHashMap<&'static str, u16>,
}

macro_rules! aliases {
    ($($name:ident)*) => { [$((stringify!($name), Op::$name as u16)),*] };
}

/// Alternative spellings that share an opcode with another one, which is the one that is written.
fn aliases() -> impl Iterator<Item = (&'static str, u16)> {
    aliases![
        SDotKHR UDotKHR SUDotKHR SDotAccSatKHR UDotAccSatKHR SUDotAccSatKHR
        TypeCooperativeVectorNV GroupNonUniformPartitionNV ReportIntersectionNV
        TypeAccelerationStructureNV RayQueryGetClusterIdNV DemoteToHelperInvocationEXT
        DecorateStringGOOGLE MemberDecorateStringGOOGLE
        ArbitraryFloatSinCosPiINTEL ArbitraryFloatCastINTEL ArbitraryFloatCastFromIntINTEL
        ArbitraryFloatCastToIntINTEL ArbitraryFloatAddINTEL ArbitraryFloatSubINTEL ArbitraryFloatMulINTEL
        ArbitraryFloatDivINTEL ArbitraryFloatGTINTEL ArbitraryFloatGEINTEL ArbitraryFloatLTINTEL
        ArbitraryFloatLEINTEL ArbitraryFloatEQINTEL ArbitraryFloatRecipINTEL ArbitraryFloatRSqrtINTEL
        ArbitraryFloatCbrtINTEL ArbitraryFloatHypotINTEL ArbitraryFloatSqrtINTEL
        FixedSqrtINTEL FixedRecipINTEL FixedRsqrtINTEL FixedSinINTEL FixedCosINTEL FixedSinCosINTEL
        FixedSinPiINTEL FixedCosPiINTEL FixedSinCosPiINTEL FixedLogINTEL FixedExpINTEL
        PtrCastToCrossWorkgroupINTEL CrossWorkgroupCastToPtrINTEL ReadPipeBlockingINTEL
        WritePipeBlockingINTEL FPGARegINTEL TaskSequenceCreateINTEL TaskSequenceAsyncINTEL
        TaskSequenceGetINTEL TaskSequenceReleaseINTEL TypeTaskSequenceINTEL
    ]
    .into_iter()
}

fn grammar() -> &'static Grammar {
    static GRAMMAR: OnceLock<Grammar> = OnceLock::new();
    GRAMMAR.get_or_init(|| {
        let mut ops = Vec::new();
        let mut by_opcode = Vec::new();
        let mut by_name = FxHashMap::default();
        for inst in table::INSTRUCTION_TABLE.iter() {
            let opcode = inst.opcode as u16;
            let at = |index: usize, kind: Kind| inst.operands.get(index).is_some_and(|it| it.kind == kind);
            let has_type = at(0, Kind::IdResultType);
            let has_result = at(usize::from(has_type), Kind::IdResult);
            let operands = &inst.operands[usize::from(has_type) + usize::from(has_result)..];
            let name = format!("Op{}", inst.opname);
            let capabilities = inst.capabilities;
            ops.push(OpInfo { name, opcode, has_type, has_result, operands, capabilities });
            if by_opcode.len() <= opcode as usize {
                by_opcode.resize(opcode as usize + 1, 0);
            }
            by_opcode[opcode as usize] = ops.len() as u16;
            by_name.insert(inst.opname, opcode);
        }
        for (name, opcode) in aliases() {
            by_name.entry(name).or_insert(opcode);
        }
        Grammar { ops, by_opcode, by_name }
    })
}

/// The grammar of an opcode. Constant time.
pub fn op(opcode: u16) -> Option<&'static OpInfo> {
    let grammar = grammar();
    let at = *grammar.by_opcode.get(opcode as usize)?;
    grammar.ops.get((at as usize).checked_sub(1)?)
}

/// The instruction with a name without the prefix `Op`, in any spelling.
pub fn op_named(name: &str) -> Option<&'static OpInfo> {
    op(*grammar().by_name.get(name)?)
}

/// Every name of an instruction, without prefix, in unspecified order.
pub fn op_names() -> impl Iterator<Item = &'static str> {
    grammar().ops.iter().map(|info| &info.name[2..])
}

/// An extended instruction set whose instructions are known.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Set(u8);

const SETS: &[&str] = &[
    "GLSL.std.450",
    "OpenCL.std",
    "NonSemantic.Shader.DebugInfo.100",
    "NonSemantic.DebugPrintf",
    "NonSemantic.DebugBreak",
    "NonSemantic.ClspvReflection",
    "NonSemantic.VkspReflection",
    "OpenCL.DebugInfo.100",
    "DebugInfo",
    "SPV_AMD_gcn_shader",
    "SPV_AMD_shader_ballot",
    "SPV_AMD_shader_explicit_vertex_parameter",
    "SPV_AMD_shader_trinary_minmax",
    "Arm.MotionEngine.100",
    "TOSA.001000.1",
];

/// The instructions of every set, by number.
fn sets() -> &'static [Vec<ExtInfo>] {
    static TABLES: OnceLock<Vec<Vec<ExtInfo>>> = OnceLock::new();
    TABLES.get_or_init(|| {
        let infos = |name: &&str| {
            let table = table::ext_inst_table(name).into_iter().flat_map(table::InstructionTable::iter);
            let info = |inst: &table::ExtendedInstruction<'static>| ExtInfo {
                name: inst.opname,
                number: inst.opcode.into(),
                operands: inst.operands,
            };
            let mut infos: Vec<ExtInfo> = table.map(info).collect();
            sort_by_number(&mut infos, |info| info.number.into());
            infos
        };
        SETS.iter().map(infos).collect()
    })
}

impl Set {
    /// The set that an `OpExtInstImport` names. Sets with a revision (`NonSemantic.ClspvReflection.5`) are
    /// recognized by the prefix before it.
    pub fn named(name: &str) -> Option<Set> {
        let known = |set: &&str| {
            name == *set || set.ends_with("Reflection") && name.strip_prefix(*set).is_some_and(is_revision)
        };
        SETS.iter().position(known).map(|at| Set(at as u8))
    }

    /// The name, without a revision.
    pub fn name(self) -> &'static str {
        SETS[self.0 as usize]
    }

    /// The instruction with a number.
    pub fn inst(self, number: u32) -> Option<&'static ExtInfo> {
        let infos = &sets()[self.0 as usize];
        infos.binary_search_by_key(&number, |info| info.number).ok().map(|at| &infos[at])
    }

    /// The instruction with a name.
    pub fn inst_named(self, name: &str) -> Option<&'static ExtInfo> {
        sets()[self.0 as usize].iter().find(|info| info.name == name)
    }

    /// Every name of an instruction.
    pub(super) fn names(self) -> impl Iterator<Item = &'static str> {
        sets()[self.0 as usize].iter().map(|info| info.name)
    }
}

fn is_revision(text: &str) -> bool {
    text.strip_prefix('.').is_some_and(|number| number.bytes().all(|byte| byte.is_ascii_digit()))
}

/// The next part of an instruction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Next {
    /// An operand of this kind.
    Take(Kind),
    /// An operand of this kind, but no words are left.
    Missing(Kind),
    /// Nothing.
    Done,
}

/// The operands that an instruction still expects; shared by decoder and assembler.
///
/// Enumerants have parameters: `then` puts them before the rest.
#[derive(Default, Debug)]
pub struct Expected {
    /// Lists with the current position in each; the last list is next. Never deeper than the number of bits
    /// of a mask.
    lists: Vec<(&'static [LogicalOperand], usize)>,
}

static SWITCH_PAIR: [LogicalOperand; 2] = [one(Kind::LiteralContextDependentNumber), one(Kind::IdRef)];
static MEMBER_PAIR: [LogicalOperand; 2] = [one(Kind::IdRef), one(Kind::LiteralInteger)];
static ID_PAIR: [LogicalOperand; 2] = [one(Kind::IdRef), one(Kind::IdRef)];

const fn one(kind: Kind) -> LogicalOperand {
    LogicalOperand { kind, quantifier: Quantifier::One }
}

impl Expected {
    /// Restarts with these operands.
    pub fn begin(&mut self, operands: &'static [LogicalOperand]) {
        self.lists.clear();
        self.then(operands);
    }

    /// Expects these operands first, then the operands expected before.
    pub fn then(&mut self, operands: &'static [LogicalOperand]) {
        if !operands.is_empty() {
            self.lists.push((operands, 0));
        }
    }

    /// The next expected part. `more` is true if words are left.
    pub fn next(&mut self, more: bool) -> Next {
        while let Some((list, at)) = self.lists.last_mut() {
            let Some(operand) = list.get(*at) else {
                self.lists.pop();
                continue;
            };
            match operand.quantifier {
                Quantifier::ZeroOrMore if more => {}
                Quantifier::One | Quantifier::ZeroOrOne | Quantifier::ZeroOrMore => *at += 1,
            }
            match (operand.kind, operand.quantifier) {
                (kind, Quantifier::One) if !more => return Next::Missing(kind),
                _ if !more => {}
                // Only OpSwitch has these, and its literals are as wide as its selector.
                (Kind::PairLiteralIntegerIdRef, _) => self.then(&SWITCH_PAIR),
                (Kind::PairIdRefLiteralInteger, _) => self.then(&MEMBER_PAIR),
                (Kind::PairIdRefIdRef, _) => self.then(&ID_PAIR),
                (kind, _) => return Next::Take(kind),
            }
        }
        Next::Done
    }
}
