//! Infers the most likely type of each value: float, signed or unsigned integer, boolean.
//!
//! ```text
//! %1: b32 = load %0          f32, if the path refers to a float
//! %2: b32 = iand %1, %3      u32: a value used both as a float and as bits is `any`
//! ```
//!
//! Values have no such type in the IR, but readers and typed targets need one. Two facts are kept for each
//! value and each register. Both are sets of evidence out of {float, integer, signed, unsigned}, joined by
//! union:
//!
//! * `made`: evidence from the definition. It flows forward through operations that move bits unchanged
//!   (copies, selects, parameters, vectors, registers); signedness also flows through `iadd` and similar
//!   operations.
//! * `read`: evidence from uses. It flows backward along the same links and includes the `made` evidence of
//!   the target: a constant that is passed to a float parameter is used as a float.
//!
//! The hint follows from `made`, or from `read` if `made` is empty. The lattice of one fact has the subsets
//! of four elements, so each fact rises at most four times, and the fixpoint is linear in the number of
//! operands. It is the least fixpoint, independent of the order. Loads and stores contribute the full types
//! of memory.
//!
//! Limits: only a parameter of the function that states a type has evidence from its definition; a call gives no evidence for its arguments and its result, and neither does a raw instruction.

use super::graph::{Csr, NONE};
use super::numbering::{Numbering, distinct};
use super::operand_types::{self, Evidence, TypeHint};
use super::{Analyses, Analysis, Cfg, Reads};
use vitrine_ir::ops::{BasicOp, Key, MemoryOp, Op, RegOp, Role, TexOp, ValueType, Width};
use vitrine_ir::{Block, Func, FuncBody, Inst, InstData, Module, PathType, Reg, Type, TypeData};

/// A hint for each value of a function.
#[derive(Clone, Debug)]
pub struct Types {
    numbers: Numbering<Inst>,
    values: Vec<Inst>,
    hints: Vec<TypeHint>,
    widths: Vec<ValueType>,
}

impl Analysis for Types {
    const NAME: &'static str = "types";
    const READS: Reads = Reads::Module;

    fn compute(module: &Module, func: Func, body: &FuncBody, cx: &mut Analyses) -> Types {
        Types::of(module, body, &cx.get::<Cfg>(module, func))
    }
}

impl Types {
    /// Computes it. Linear in operands and edges.
    pub fn of(module: &Module, body: &FuncBody, cfg: &Cfg) -> Types {
        let mut gather = Gather::new(module, body, cfg);
        body.params().iter().for_each(|&param| gather.declared(param));
        for &block in cfg.blocks() {
            gather.block(block);
        }
        let edges = cfg.edges().map(|edge| (cfg.args(body, edge), cfg.edge(edge).to));
        for (args, to) in edges {
            for (&arg, &param) in args.iter().zip(body.block(to).params.iter()) {
                gather.link(arg, param, Evidence::ALL);
            }
        }
        let facts = gather.solve();
        let values = facts.values;
        let hint = |(at, &value): (usize, &Inst)| match body.ty(value) {
            ValueType::Bits { width: Width::W1, .. } => TypeHint::Bool,
            ValueType::Bits { .. } if facts.made[at] != Evidence::NONE => facts.made[at].hint(),
            ValueType::Bits { .. } => facts.read[at].hint(),
            ValueType::Void | ValueType::Path | ValueType::Ptr | ValueType::Handle => TypeHint::Unknown,
        };
        Types {
            hints: values.iter().enumerate().map(hint).collect(),
            widths: values.iter().map(|&value| body.ty(value)).collect(),
            numbers: facts.numbers,
            values,
        }
    }

    /// The most likely type of a value; `Unknown` for a value of another function.
    pub fn hint(&self, value: Inst) -> TypeHint {
        self.hints.get(self.numbers.of(value) as usize).copied().unwrap_or_default()
    }

    /// The type of a value in its usual spelling: `f32x4`.
    pub fn spell(&self, value: Inst) -> String {
        let ty = self.widths.get(self.numbers.of(value) as usize).copied().unwrap_or_default();
        self.hint(value).spell(ty)
    }

    /// Every value with its hint, in order of ids.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = (Inst, TypeHint)> + '_ {
        self.values.iter().copied().zip(self.hints.iter().copied())
    }
}

/// The facts, by number: values in order of ids, then registers.
struct Facts {
    values: Vec<Inst>,
    numbers: Numbering<Inst>,
    made: Vec<Evidence>,
    read: Vec<Evidence>,
}

/// Collects evidence and links, then propagates evidence along the links.
struct Gather<'a> {
    module: &'a Module,
    body: &'a FuncBody,
    facts: Facts,
    regs: Numbering<Reg>,
    /// The type each path refers to, and the image type of each handle.
    paths: Vec<Option<PathType>>,
    images: Vec<Option<Type>>,
    /// Source, target, and the evidence that passes.
    links: Vec<(u32, u32, Evidence)>,
}

impl<'a> Gather<'a> {
    fn new(module: &'a Module, body: &'a FuncBody, cfg: &Cfg) -> Gather<'a> {
        let mut values: Vec<Inst> = body.params().to_vec();
        for &block in cfg.blocks() {
            let data = body.block(block);
            values.extend(data.params.iter().chain(data.insts.iter()));
        }
        values.retain(|&value| body.tables().insts.contains(value));
        let values = distinct(values);
        let regs: Vec<Reg> = body.regs().map(|(reg, _)| reg).collect();
        let count = values.len();
        let mut gather = Gather {
            module,
            body,
            facts: Facts {
                numbers: Numbering::new(values.iter().copied()),
                made: vec![Evidence::NONE; count + regs.len()],
                read: vec![Evidence::NONE; count + regs.len()],
                values,
            },
            regs: Numbering::new(regs.into_iter()),
            paths: vec![None; count],
            images: vec![None; count],
            links: Vec::new(),
        };
        body.params().iter().for_each(|&param| gather.step_path(param));
        gather
    }

    /// A parameter of the function may state the type of its value.
    fn declared(&mut self, param: Inst) {
        let data = self.body.inst(param);
        if let (ValueType::Bits { .. }, Some(ty)) = (data.ty, data.entity::<Type>(Key::Type)) {
            let evidence = self.scalar(ty);
            self.make(param, evidence);
        }
    }

    /// Collects the evidence of the instructions of a block. Blocks come in dominance order, so the types of
    /// base paths are known.
    fn block(&mut self, block: Block) {
        let data = self.body.block(block);
        for &inst in data.params.iter().chain(data.insts.iter()) {
            if let Some(data) = self.body.tables().insts.get(inst) {
                self.inst(inst, data);
            }
        }
    }

    fn step_path(&mut self, inst: Inst) {
        let number = self.facts.numbers.of(inst);
        if number == NONE || self.body.ty(inst) != ValueType::Path {
            return;
        }
        let (numbers, paths) = (&self.facts.numbers, &self.paths);
        let base = |of: Inst| paths.get(numbers.of(of) as usize).copied().flatten();
        self.paths[number as usize] = self.module.path_step(self.body, inst, base);
    }

    fn inst(&mut self, inst: Inst, data: &InstData) {
        if data.ty == ValueType::Path {
            self.step_path(inst);
        }
        let number = self.facts.numbers.of(inst);
        if let Some(made) = self.facts.made.get_mut(number as usize) {
            made.add(operand_types::result(data));
        }
        let (range, mask) = operand_types::passes(data);
        for (at, &arg) in data.args.iter().enumerate() {
            let from = self.facts.numbers.of(arg);
            if let Some(read) = self.facts.read.get_mut(from as usize) {
                read.add(operand_types::operand(data, at));
            }
            if range.contains(&at) {
                self.link_numbers(from, number, mask);
            }
        }
        match data.op {
            Op::Memory(op) => self.memory(op, inst, data),
            Op::Reg(op) => self.reg(op, inst, data),
            Op::Tex(op) => self.image(op, inst, data),
            Op::Basic(BasicOp::Copy) => self.same_image(inst, data),
            _ => {}
        }
    }

    /// Memory has full types: they are evidence for the definition of a loaded value and the use of a stored
    /// one.
    fn memory(&mut self, op: MemoryOp, inst: Inst, data: &InstData) {
        let Some(place) = data.args.first().and_then(|&address| self.path(address)) else { return };
        let evidence = self.scalar(place.ty);
        match op {
            MemoryOp::Load | MemoryOp::AtomicLoad | MemoryOp::Atomic | MemoryOp::AtomicCas => {
                self.make(inst, evidence);
                let number = self.facts.numbers.of(inst);
                if let Some(slot) = self.images.get_mut(number as usize) {
                    *slot = Some(place.ty);
                }
            }
            MemoryOp::Store
            | MemoryOp::AtomicStore
            | MemoryOp::CopyVar
            | MemoryOp::CopyBytes
            | MemoryOp::ArrayLen => {}
        }
        match op {
            MemoryOp::Store | MemoryOp::AtomicStore | MemoryOp::Atomic | MemoryOp::AtomicCas => {
                data.args.iter().skip(1).for_each(|&value| self.read(value, evidence));
            }
            MemoryOp::Load
            | MemoryOp::AtomicLoad
            | MemoryOp::CopyVar
            | MemoryOp::CopyBytes
            | MemoryOp::ArrayLen => {}
        }
    }

    fn reg(&mut self, op: RegOp, inst: Inst, data: &InstData) {
        let Some(reg) = data.entity::<Reg>(Key::Reg).map(|reg| self.regs.of(reg)) else { return };
        if reg == NONE {
            return;
        }
        let reg = self.facts.values.len() as u32 + reg;
        let stored = match op {
            RegOp::Load | RegOp::LoadAt => {
                let to = self.facts.numbers.of(inst);
                self.link_numbers(reg, to, Evidence::ALL);
                return;
            }
            RegOp::Store => data.args.first(),
            RegOp::StoreAt => data.args.get(1),
        };
        if let Some(&value) = stored {
            let from = self.facts.numbers.of(value);
            self.link_numbers(from, reg, Evidence::ALL);
        }
    }

    /// Texels have the type that their image declares.
    fn image(&mut self, op: TexOp, inst: Inst, data: &InstData) {
        if matches!(op, TexOp::Combine | TexOp::ImageOf) {
            self.same_image(inst, data);
            return;
        }
        let Some(image) = data.args.first().and_then(|&image| self.image_type(image)) else { return };
        let (TypeData::Image(image) | TypeData::SampledImage(image)) = self.module.type_of(image) else {
            return;
        };
        let evidence = self.scalar(image.sampled);
        match op {
            // A result with a residency code among its components is of mixed type.
            TexOp::Sample | TexOp::SampleLod | TexOp::Fetch | TexOp::Gather | TexOp::Read
                if !data.attrs.has(Key::Sparse) =>
            {
                self.make(inst, evidence);
            }
            TexOp::Write => {
                for (at, &arg) in data.args.iter().enumerate() {
                    if operand_types::role(data, at) == Some(Role::Texel) {
                        self.read(arg, evidence);
                    }
                }
            }
            TexOp::Sample
            | TexOp::SampleLod
            | TexOp::Fetch
            | TexOp::Gather
            | TexOp::Read
            | TexOp::QuerySize
            | TexOp::QueryLod
            | TexOp::QueryLevels
            | TexOp::QuerySamples
            | TexOp::Combine
            | TexOp::ImageOf
            | TexOp::Resident => {}
        }
    }

    fn same_image(&mut self, inst: Inst, data: &InstData) {
        let image = data.args.first().and_then(|&image| self.image_type(image));
        let number = self.facts.numbers.of(inst);
        if let Some(slot) = self.images.get_mut(number as usize) {
            *slot = image;
        }
    }

    fn image_type(&self, image: Inst) -> Option<Type> {
        let of_handle = self.images.get(self.facts.numbers.of(image) as usize).copied().flatten();
        of_handle.or_else(|| self.path(image).map(|place| place.ty))
    }

    fn path(&self, path: Inst) -> Option<PathType> {
        self.paths.get(self.facts.numbers.of(path) as usize).copied().flatten()
    }

    /// The scalar type of a type; types nest, but not values.
    fn scalar(&self, ty: Type) -> Evidence {
        let ty = match self.module.type_of(ty) {
            TypeData::Vector { of, .. } => *of,
            _ => ty,
        };
        match self.module.type_of(ty) {
            TypeData::Float { .. } => Evidence::FLOAT,
            TypeData::Int { signed: true, .. } => Evidence::SIGNED,
            TypeData::Int { signed: false, .. } => Evidence::UNSIGNED,
            _ => Evidence::NONE,
        }
    }

    fn make(&mut self, value: Inst, evidence: Evidence) {
        if evidence == Evidence::NONE {
            return;
        }
        if let Some(made) = self.facts.made.get_mut(self.facts.numbers.of(value) as usize) {
            made.add(evidence);
        }
    }

    fn read(&mut self, value: Inst, evidence: Evidence) {
        if evidence == Evidence::NONE {
            return;
        }
        if let Some(read) = self.facts.read.get_mut(self.facts.numbers.of(value) as usize) {
            read.add(evidence);
        }
    }

    fn link(&mut self, from: Inst, to: Inst, mask: Evidence) {
        self.link_numbers(self.facts.numbers.of(from), self.facts.numbers.of(to), mask);
    }

    fn link_numbers(&mut self, from: u32, to: u32, mask: Evidence) {
        if from != NONE && to != NONE {
            self.links.push((from, to, mask));
        }
    }

    /// The least facts that satisfy every link: first all `made` evidence, then all `read` evidence.
    fn solve(mut self) -> Facts {
        let count = self.facts.made.len();
        let numbered = || self.links.iter().zip(0u32..);
        let outgoing = Csr::from_pairs(count, numbered().map(|(link, at)| (link.0, at)));
        let incoming = Csr::from_pairs(count, numbered().map(|(link, at)| (link.1, at)));
        let made = self.facts.made.iter().zip(0u32..);
        let mut work: Vec<u32> =
            made.filter(|&(&made, _)| made != Evidence::NONE).map(|(_, at)| at).collect();
        while let Some(at) = work.pop() {
            let made = self.facts.made[at as usize];
            for &link in outgoing.row(at) {
                let (_, to, mask) = self.links[link as usize];
                if self.facts.made[to as usize].add(made.within(mask)) {
                    work.push(to);
                }
            }
        }
        let known = self.facts.read.iter().zip(&self.facts.made).map(|(read, &made)| read.and(made));
        work.extend(known.zip(0u32..).filter(|&(known, _)| known != Evidence::NONE).map(|(_, at)| at));
        while let Some(at) = work.pop() {
            let known = self.facts.read[at as usize].and(self.facts.made[at as usize]);
            for &link in incoming.row(at) {
                let (from, _, mask) = self.links[link as usize];
                if self.facts.read[from as usize].add(known.within(mask)) {
                    work.push(from);
                }
            }
        }
        self.facts
    }
}

#[cfg(test)]
#[path = "types_tests.rs"]
mod tests;
