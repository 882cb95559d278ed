//! Decoding: each function that an entry point reaches becomes a flat array of compact instructions.
//!
//! Everything static is resolved here: virtual registers, offsets, strides, constants, and the targets and
//! moves of edges. An unsupported program is rejected here, with its location, before anything has run.

mod order; // start here: the order of blocks
mod refused; // unsupported operations
mod func; // one function
mod exits; // edges between blocks
mod arith; // arithmetic and vector operations
mod access; // addresses, memory, registers
mod group; // cross-invocation operations
mod images; // sampling and image access
mod interface; // inputs, outputs, system values
mod raw; // raw SPIR-V instructions

pub use refused::refusal;

use super::consts::{ConstValue, Consts, Piece, pieces};
use super::inputs::Inputs;
use super::memory::RootKind;
use super::micro_op::{CONST, Code, Slot};
use super::stages::{PayloadClass, StageInfo, shares_outputs};
use rustc_hash::FxHashMap;
use vitrine_ir::base::SideTable;
use vitrine_ir::layout::{Lengths, Sizes};
use vitrine_ir::ops::{Key, ValueType, Width};
use vitrine_ir::{
    Anchor, Diag, ExecutionMode, FactKey, Func, GlobalValue, Mode, ModeUse, Module, Operand, Stage, Type,
    TypeData, Var, VarData,
};

/// A variable of the module and its roots.
#[derive(Clone, Debug)]
pub(super) struct VarCode {
    pub(super) var: Var,
    pub(super) ty: Type,
    pub(super) mode: Mode,
    pub(super) kind: RootKind,
    /// Set and binding, if it is bound to a resource.
    pub(super) slot: Option<super::inputs::Slot>,
    /// The first of the resources there.
    pub(super) first: u32,
    /// First root; an array of buffers has one for each element.
    pub(super) root: u32,
    pub(super) count: u32,
    /// Bytes of each root; buffers have the size of their inputs.
    pub(super) bytes: u64,
    pub(super) init: Vec<Piece>,
    /// If set, the entry point can reach it; others get no memory.
    pub(super) used: bool,
}

/// The float controls of an entry point.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct FloatModes {
    /// Widths, one bit each, whose subnormals are flushed to zero.
    flush: u8,
    /// Widths that round toward zero.
    toward_zero: u8,
}

impl FloatModes {
    fn flushes(self, width: Width) -> bool {
        self.flush >> width as u8 & 1 == 1
    }

    fn rounds_toward_zero(self, width: Width) -> bool {
        self.toward_zero >> width as u8 & 1 == 1
    }
}

/// All decoded functions that an entry point can reach.
#[derive(Debug, Default)]
pub(super) struct Program {
    pub(super) funcs: Vec<Func>,
    pub(super) codes: Vec<Code>,
    pub(super) vars: Vec<VarCode>,
    /// A word for each constant register, and a flag for undefined ones.
    pub(super) consts: Vec<(u64, bool)>,
    pub(super) sizes: Sizes,
    pub(super) values: Consts,
    /// Accesses out of bounds are defined.
    pub(super) robust: bool,
}

/// Builds a program.
pub(super) struct Decoder<'m> {
    module: &'m Module,
    inputs: &'m Inputs,
    stage: Stage,
    modes: FloatModes,
    program: Program,
    numbers: SideTable<Func, Option<u32>>,
    vars: SideTable<Var, Option<u32>>,
    roots: u32,
    vregs: FxHashMap<Vec<(u64, bool)>, Slot>,
}

/// Maximum number of constant registers, and of roots: a limit for hostile modules.
const MOST_VREGS: usize = 1 << 24;
/// Maximum number of elements of an array of buffers.
const MOST_BUFFERS: u64 = 1 << 16;

/// Decodes the function of an entry point, and all functions that it calls.
///
/// Errors: `X001` an unsupported operation, at its location; `X002` too much memory.
pub(super) fn decode(
    module: &Module,
    entry: Func,
    stage: Stage,
    modes: FloatModes,
    inputs: &Inputs,
) -> Result<Program, Diag> {
    let values = Consts::of(module, &inputs.specs);
    let mut decoder = Decoder {
        module,
        inputs,
        stage,
        modes,
        program: Program { values, robust: is_robust(module), ..Program::default() },
        numbers: SideTable::new(),
        vars: SideTable::new(),
        roots: 0,
        vregs: FxHashMap::default(),
    };
    // Variables in the order of their ids, so that roots do not depend on optimized code.
    for (var, data) in module.vars() {
        if data.owner.is_none() {
            decoder.variable(var)?;
        }
    }
    decoder.function(entry);
    let mut at = 0;
    while let Some(&func) = decoder.program.funcs.get(at) {
        let code = func::decode(&mut decoder, func)?;
        decoder.program.codes.push(code);
        at += 1;
    }
    // An output that is never written has its initial value, unless it belongs to another entry point.
    for (var, data) in module.vars() {
        let names = |at: &&vitrine_ir::EntryPoint| at.interface.contains(&var);
        let mut named = module.entries.iter().filter(names).map(|at| at.func).peekable();
        let is_ours = named.peek().is_none() || named.any(|func| func == entry);
        if data.mode == Mode::Out && data.init.is_some() && is_ours {
            decoder.address(var)?;
        }
    }
    decoder.finish_variables()?;
    Ok(decoder.program)
}

/// Returns true if reads out of bounds give 0 and writes have no effect.
fn is_robust(module: &Module) -> bool {
    let states = |fact: &vitrine_ir::Fact| fact.key == FactKey::Robust && module.text_of(fact.value) == "all";
    module.facts.iter().any(states)
}

/// Checks that a function, and all functions that it calls, can be run, as the entry point that it may be.
///
/// Errors: the diagnostic of the first unsupported operation (`X001`).
pub fn can_run(module: &Module, func: Func) -> Result<(), Diag> {
    let inputs = Inputs::default();
    let entry = module.entries.iter().enumerate().find(|(_, entry)| entry.func == func);
    let stage = entry.map_or(Stage::Compute, |(_, entry)| entry.stage);
    let program = decode(module, func, stage, FloatModes::default(), &inputs)?;
    if let Some((number, entry)) = entry {
        StageInfo::of(module, &program.values, entry, &inputs, Anchor::Entry(number as u32))?;
    }
    Ok(())
}

/// The memory of a payload, of callable data or of hit attributes.
fn payload_kind(data: &VarData) -> RootKind {
    match PayloadClass::of(data) {
        Some(PayloadClass::Task) => RootKind::Shared,
        Some(PayloadClass::Record) => RootKind::Constant,
        Some(PayloadClass::Incoming | PayloadClass::HitAttribute) | None => RootKind::Invocation,
    }
}

/// The float controls an entry point declares.
pub(super) fn float_modes(module: &Module, modes: &[ModeUse]) -> FloatModes {
    let mut found = FloatModes::default();
    for used in modes {
        let width = used.args.first().and_then(|&arg| match arg {
            Operand::Bits(bits) => Width::from_bits(module.bits_of(bits).component(0).as_u64() as u32),
            Operand::Global(_) => None,
        });
        let Some(bit) = width.map(|width| 1 << width as u8) else { continue };
        match used.mode {
            ExecutionMode::DenormFlushToZero => found.flush |= bit,
            ExecutionMode::RoundingModeRtz => found.toward_zero |= bit,
            _ => {}
        }
    }
    found
}

pub(super) fn cannot(at: Anchor, what: impl Into<String>) -> Diag {
    Diag::error("X001", at).says(what)
}

pub(super) fn too_much(at: Anchor, what: impl Into<String>) -> Diag {
    Diag::error("X002", at).says(what)
}

impl Decoder<'_> {
    /// The number of a function in the program; it is decoded later if necessary.
    fn function(&mut self, func: Func) -> u32 {
        if let Some(number) = self.numbers[func] {
            return number;
        }
        let number = self.program.funcs.len() as u32;
        self.numbers[func] = Some(number);
        self.program.funcs.push(func);
        number
    }

    /// Virtual registers of a constant.
    fn constant(&mut self, words: &[u64]) -> Result<Slot, Diag> {
        self.vregs_of(words.iter().map(|&word| (word, false)).collect())
    }

    /// Virtual registers of an undefined value.
    fn undefined(&mut self, parts: u8) -> Result<Slot, Diag> {
        self.vregs_of(vec![(0, true); usize::from(parts)])
    }

    fn vregs_of(&mut self, words: Vec<(u64, bool)>) -> Result<Slot, Diag> {
        if let Some(&slot) = self.vregs.get(&words) {
            return Ok(slot);
        }
        let consts = &mut self.program.consts;
        if consts.len() + words.len() > MOST_VREGS {
            return Err(too_much(Anchor::Module, "there are more constants than the interpreter supports"));
        }
        let slot = CONST | consts.len() as u32;
        consts.extend(&words);
        self.vregs.insert(words, slot);
        Ok(slot)
    }

    /// The roots of a variable of the module, by number of the variable in the program.
    fn variable(&mut self, var: Var) -> Result<Option<u32>, Diag> {
        if let Some(number) = self.vars[var] {
            return Ok(Some(number));
        }
        let module = self.module;
        let Some(data) = module.var(var) else { return Ok(None) };
        let (mode, mut ty) = (data.mode, data.ty);
        let kind = match mode {
            Mode::Uniform if self.is_marked(ty, &[Key::BufferBlock]) => RootKind::Buffer,
            Mode::Uniform | Mode::Push | Mode::Handle => RootKind::Constant,
            Mode::Storage | Mode::Physical | Mode::Generic => RootKind::Buffer,
            Mode::Shared => RootKind::Shared,
            Mode::Out if shares_outputs(self.stage) => RootKind::GroupOutput,
            Mode::Out => RootKind::Output,
            Mode::Payload | Mode::Callable => payload_kind(data),
            Mode::In | Mode::Private | Mode::Local => RootKind::Invocation,
        };
        let mut count = 1u64;
        if self.is_buffer_array(mode, ty) {
            while let TypeData::Array { of, .. } | TypeData::RuntimeArray { of, .. } = *module.type_of(ty) {
                count = count.saturating_mul(self.elements(var, ty));
                ty = of;
            }
        }
        if count > MOST_BUFFERS {
            return Err(too_much(
                Anchor::Var(var),
                format!("an array of {count} buffers is more than {MOST_BUFFERS}"),
            ));
        }
        let number = self.program.vars.len() as u32;
        let root = self.roots;
        self.roots += count as u32;
        self.vars[var] = Some(number);
        let slot = super::inputs::slot_of(module, var);
        self.program.vars.push(VarCode {
            var,
            ty,
            mode,
            kind,
            slot,
            first: super::inputs::first_element(module, var),
            root,
            count: count as u32,
            bytes: 0,
            init: Vec::new(),
            used: false,
        });
        Ok(Some(number))
    }

    /// Computes the sizes of used variables, and adds the variables that initializers refer to.
    fn finish_variables(&mut self) -> Result<(), Diag> {
        let mut work: Vec<usize> =
            (0..self.program.vars.len()).filter(|&at| self.program.vars[at].used).collect();
        while let Some(at) = work.pop() {
            let (module, program) = (self.module, &mut self.program);
            let Some(of) = program.vars.get(at) else { continue };
            let (var, ty) = (of.var, of.ty);
            if module.var(var).is_none() {
                continue;
            }
            let bytes = program.sizes.of(module, &program.values, ty).bytes;
            let init = match module.var(var).and_then(|data| data.init) {
                Some(init) if bytes <= self.inputs.limits.memory_bytes => {
                    pieces(module, &program.values, &mut program.sizes, ty, init).ok_or_else(|| {
                        too_much(Anchor::Var(var), "the initializer has more parts than bytes")
                    })?
                }
                Some(_) | None => Vec::new(),
            };
            for piece in &init {
                if let Piece::Address { var, .. } = *piece {
                    let target = self.vars[var].and_then(|number| program.vars.get_mut(number as usize));
                    if let Some(target) = target.filter(|target| !target.used) {
                        target.used = true;
                        work.extend(self.vars[var].map(|number| number as usize));
                    }
                }
            }
            if let Some(of) = program.vars.get_mut(at) {
                (of.bytes, of.init) = (bytes, init);
            }
        }
        Ok(())
    }

    /// Returns true if a type is an array whose elements are separate buffers.
    fn is_buffer_array(&self, mode: Mode, ty: Type) -> bool {
        if !matches!(mode, Mode::Uniform | Mode::Storage) {
            return false;
        }
        let is_array =
            matches!(self.module.type_of(ty), TypeData::Array { .. } | TypeData::RuntimeArray { .. });
        is_array && self.is_marked(ty, &[Key::Block, Key::BufferBlock])
    }

    /// Returns true if a structure, or the element structure of arrays, has one of these attributes.
    fn is_marked(&self, mut ty: Type, marks: &[Key]) -> bool {
        while let TypeData::Array { of, .. } | TypeData::RuntimeArray { of, .. } = *self.module.type_of(ty) {
            ty = of;
        }
        let TypeData::Struct(structure) = *self.module.type_of(ty) else { return false };
        let attrs = self.module.structure(structure).map(|data| &data.attrs);
        attrs.is_some_and(|attrs| marks.iter().any(|&mark| attrs.has(mark)))
    }

    /// Number of elements of an array of buffers; without a length, the number of the inputs.
    fn elements(&self, var: Var, ty: Type) -> u64 {
        match *self.module.type_of(ty) {
            TypeData::Array { len, .. } => self.program.values.of(len),
            TypeData::RuntimeArray { .. } => self.inputs.buffers_of(self.module, var).len().max(1) as u64,
            _ => 1,
        }
    }

    /// The value of a module constant, as virtual registers; `None` for an aggregate.
    fn global(&mut self, global: vitrine_ir::Global) -> Result<Option<(Slot, u8)>, Diag> {
        Ok(match self.program.values.value_of(global) {
            Some(ConstValue::Bits(bits)) => {
                Some((self.constant(bits.components())?, bits.components().len() as u8))
            }
            Some(ConstValue::Undef(ty)) => Some((self.undefined(ty.components())?, ty.components())),
            Some(ConstValue::Address(var)) => {
                let ptr = self.address(var)?;
                Some((self.constant(&[ptr])?, 1))
            }
            Some(ConstValue::Aggregate) => self.partly_undefined(global)?,
            None => None,
        })
    }

    /// The value of a vector with undefined components, as virtual registers; `None` for an aggregate.
    fn partly_undefined(&mut self, global: vitrine_ir::Global) -> Result<Option<(Slot, u8)>, Diag> {
        let Some(GlobalValue::Parts(ty, parts)) = self.module.global(global).map(|data| &data.value) else {
            return Ok(None);
        };
        let Some(ValueType::Bits { components, .. }) = self.module.value_type(*ty) else { return Ok(None) };
        let component = |&part: &Operand| {
            let bits = self.program.values.bits(self.module, part);
            bits.map_or((0, true), |bits| (bits.component(0).bits(), false))
        };
        let words: Vec<(u64, bool)> = parts.iter().take(usize::from(components)).map(component).collect();
        Ok(Some((self.vregs_of(words)?, components)))
    }

    /// The address of a variable of the module.
    fn address(&mut self, var: Var) -> Result<u64, Diag> {
        let number = self.variable(var)?;
        let found = number.and_then(|number| self.program.vars.get_mut(number as usize));
        let root = found.map(|var| {
            var.used = true;
            var.root
        });
        Ok(root.map_or(0, |root| super::memory::Ptr::new(root, 0).0))
    }
}
