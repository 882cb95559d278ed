//! Decodes an instruction into operands, by the grammar.
//!
//! Nothing is copied or validated: an operand has a kind and a range of words. An instruction with missing or
//! superfluous words still yields its existing operands.

use super::enums::enumerants;
use super::grammar::{Expected, ExtInfo, Kind, Next, OpInfo, Set, op};
use super::ids::IdMap;
use super::numbers::{Number, NumberForm};
use super::words::{Binary, Instruction, string_end, string_of};
use rspirv::spirv::Op;

/// An operand: its kind and its words.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Operand {
    /// The kind. Pairs and enumerants with parameters are separate operands, one after the other.
    pub kind: Kind,
    /// Its first word, counted from the start of the instruction.
    pub at: u16,
    /// The number of words.
    pub len: u16,
}

impl Operand {
    /// Its words.
    pub fn words<'b>(&self, inst: &Instruction<'b>) -> &'b [u32] {
        inst.words.get(self.at as usize..self.at as usize + self.len as usize).unwrap_or(&[])
    }

    /// Its first word. Most kinds have only one.
    pub fn word(&self, inst: &Instruction<'_>) -> u32 {
        self.words(inst).first().copied().unwrap_or(0)
    }

    /// Returns true if it is an id.
    pub fn is_id(&self) -> bool {
        use Kind::{IdMemorySemantics, IdRef, IdResult, IdResultType, IdScope};
        matches!(self.kind, IdRef | IdResult | IdResultType | IdScope | IdMemorySemantics)
    }
}

/// The violation of the grammar by an instruction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fault {
    /// The opcode is unknown.
    UnknownOp,
    /// The opcode inside an `OpSpecConstantOp` is unknown.
    UnknownInner(u32),
    /// The instruction ends before an operand of this kind.
    Missing(Kind),
    /// The instruction has superfluous words: the first one.
    Leftover(u16),
    /// A string is not terminated.
    OpenString,
}

/// A decoded instruction. Can be reused for the next one.
#[derive(Default, Debug)]
pub struct Decoded {
    /// The grammar of the opcode, if known.
    pub info: Option<&'static OpInfo>,
    /// All operands in order, with type and result if it has them.
    pub operands: Vec<Operand>,
    /// The encoding of its context-dependent literals.
    pub number: Number,
    /// The extended instruction, if known.
    pub extended: Option<&'static ExtInfo>,
    /// The violation of the grammar, if any.
    pub fault: Option<Fault>,
    expected: Expected,
}

impl Decoded {
    /// The operands after type and result.
    pub fn arguments(&self) -> &[Operand] {
        let head = self.info.map_or(0, |info| info.head() - 1);
        self.operands.get(head..).unwrap_or(&[])
    }
}

/// Information from earlier instructions that later ones need: widths of literals, extended sets.
#[derive(Debug)]
pub struct Context {
    /// Numeric types, by id.
    types: IdMap<Number>,
    /// Values of numeric types, by id.
    values: IdMap<Number>,
    /// Imported sets, by id; none for an unknown set.
    sets: IdMap<Option<Set>>,
    /// Unknown sets whose operands are all ids.
    open_sets: IdMap<()>,
}

impl Context {
    /// The context before the first instruction of a module with this number of words.
    pub fn for_words(words: usize) -> Context {
        Context {
            types: IdMap::for_words(words),
            values: IdMap::for_words(words),
            sets: IdMap::for_words(words),
            open_sets: IdMap::for_words(words),
        }
    }

    /// The context after all instructions of a module.
    pub fn of(binary: &Binary) -> Context {
        let mut context = Context::for_words(binary.words().len());
        binary.instructions().for_each(|inst| context.note(&inst));
        context
    }

    /// Records an instruction. Call it for each instruction in order, after decoding it.
    pub fn note(&mut self, inst: &Instruction<'_>) {
        let Some(info) = op(inst.opcode).filter(|info| info.has_result) else { return };
        let Some(&id) = inst.words.get(info.head() - 1) else { return };
        if info.has_type {
            if let Some(number) = self.types.get(inst.words[1]) {
                self.values.insert(id, number);
            }
        } else if inst.opcode == Op::ExtInstImport as u16 {
            self.note_import(id, &inst.words[2..]);
        } else if let Some(number) = Number::of_type(inst) {
            self.types.insert(id, number);
        }
    }

    fn note_import(&mut self, id: u32, name: &[u32]) {
        let Some((name, _)) = string_of(name) else { return };
        self.sets.insert(id, Set::named(&name));
        if Set::named(&name).is_none() && name.starts_with("NonSemantic.") {
            self.open_sets.insert(id, ());
        }
    }

    /// The numbers of a numeric type.
    pub fn number_type(&self, id: u32) -> Option<Number> {
        self.types.get(id)
    }

    /// The extended set that an id imports, if its instructions are known.
    pub fn set(&self, id: u32) -> Option<Set> {
        self.sets.get(id).flatten()
    }

    /// Returns true if an id imports an unknown non-semantic set (`NonSemantic.`).
    pub fn is_open_set(&self, id: u32) -> bool {
        self.open_sets.get(id).is_some()
    }

    /// The encoding of an instruction's literals: that of its type or of its selector; words otherwise.
    pub fn number_for(&self, opcode: u16, words: &[u32]) -> Number {
        let Some(&id) = words.get(1) else { return Number::WORD };
        let known = if opcode == Op::Switch as u16 { self.values.get(id) } else { self.types.get(id) };
        known.unwrap_or(Number::WORD)
    }

    /// Decodes an instruction. Linear in its words; allocates only if `out` has to grow.
    pub fn decode(&self, inst: &Instruction<'_>, out: &mut Decoded) {
        out.operands.clear();
        out.extended = None;
        out.number = Number::WORD;
        out.info = op(inst.opcode);
        out.fault = match out.info {
            Some(info) => Reader { context: self, inst, at: 1 }.read(info, out),
            None => Some(Fault::UnknownOp),
        };
    }
}

struct Reader<'r, 'b> {
    context: &'r Context,
    inst: &'r Instruction<'b>,
    at: usize,
}

impl Reader<'_, '_> {
    fn rest(&self) -> &[u32] {
        &self.inst.words[self.at.min(self.inst.words.len())..]
    }

    fn push(&mut self, kind: Kind, len: usize, out: &mut Decoded) {
        // An instruction has less than 65,536 words.
        out.operands.push(Operand { kind, at: self.at as u16, len: len as u16 });
        self.at += len;
    }

    fn read(&mut self, info: &'static OpInfo, out: &mut Decoded) -> Option<Fault> {
        for (has, kind) in [(info.has_type, Kind::IdResultType), (info.has_result, Kind::IdResult)] {
            if has && self.rest().is_empty() {
                return Some(Fault::Missing(kind));
            }
            if has {
                self.push(kind, 1, out);
            }
        }
        out.expected.begin(info.operands);
        loop {
            match out.expected.next(!self.rest().is_empty()) {
                Next::Done => break,
                Next::Missing(kind) => return Some(Fault::Missing(kind)),
                Next::Take(kind) => {
                    if let Some(fault) = self.take(kind, out) {
                        return Some(fault);
                    }
                }
            }
        }
        (!self.rest().is_empty()).then_some(Fault::Leftover(self.at as u16))
    }

    /// Decodes one operand; at least one word is left.
    fn take(&mut self, kind: Kind, out: &mut Decoded) -> Option<Fault> {
        let word = self.rest()[0];
        let mut len = 1;
        match kind {
            Kind::LiteralString => match string_end(self.rest()) {
                Some(last) => len = last + 1,
                None => {
                    self.push(kind, self.rest().len(), out);
                    return Some(Fault::OpenString);
                }
            },
            Kind::LiteralContextDependentNumber => {
                out.number = self.context.number_for(self.inst.opcode, self.inst.words);
                len = out.number.words();
                if len > self.rest().len() {
                    return Some(Fault::Missing(kind));
                }
            }
            Kind::LiteralExtInstInteger => {
                let set = out.operands.last().and_then(|set| self.context.set(set.word(self.inst)));
                out.extended = set.and_then(|set| set.inst(word));
                if let Some(extended) = out.extended {
                    out.expected.begin(extended.operands);
                }
            }
            Kind::LiteralSpecConstantOpInteger => match inner_op(word) {
                Some(inner) => out.expected.begin(inner.operands),
                None => {
                    self.push(kind, 1, out);
                    return Some(Fault::UnknownInner(word));
                }
            },
            other => expect_params(other, word, &mut out.expected),
        }
        self.push(kind, len, out);
        None
    }
}

/// The instruction that an `OpSpecConstantOp` may contain: one with a result, and not another
/// `OpSpecConstantOp`.
pub(super) fn inner_op(word: u32) -> Option<&'static OpInfo> {
    let info = op(u16::try_from(word).ok()?)?;
    (info.has_type && info.has_result && word != Op::SpecConstantOp as u32).then_some(info)
}

/// Puts the parameters of an enumerant before the remaining expected operands.
pub(super) fn expect_params(kind: Kind, word: u32, expected: &mut Expected) {
    let Some(table) = enumerants(kind) else { return };
    if !table.is_mask {
        expected.then(table.params(word));
        return;
    }
    // The parameters pushed last are expected first, so the lowest bit is pushed last.
    let mut bits = word;
    while bits != 0 {
        let bit = 1 << (31 - bits.leading_zeros());
        expected.then(table.params(bit));
        bits &= !bit;
    }
}

impl Number {
    /// The numbers of an `OpTypeInt` or `OpTypeFloat`.
    pub fn of_type(inst: &Instruction<'_>) -> Option<Number> {
        let &width = inst.words.get(2)?;
        let third = inst.words.get(3).copied();
        let form = match () {
            () if inst.opcode == Op::TypeInt as u16 => match third? {
                0 => NumberForm::Unsigned,
                _ => NumberForm::Signed,
            },
            () if inst.opcode == Op::TypeFloat as u16 => match third {
                None => NumberForm::Float,
                Some(0) => NumberForm::BFloat,
                Some(_) => NumberForm::Opaque,
            },
            () => return None,
        };
        Some(Number { width, form })
    }
}
