//! A small evaluator, sufficient to compare programs before and after a pass.
//!
//! One invocation; values, local variables, and stores to module variables, which are the visible result. Programs
//! are evaluated as graphs. Undefined values are zero: the generator makes none that affect the result.

use std::collections::HashMap;
use vitrine_core::ir::{
    Edge, Func, FuncBody, Global, GlobalValue, Inst, Mode, Module, Operand, Terminator, TypeData, Var,
};
use vitrine_core::ops::attr::unpack_component;
use vitrine_core::ops::{BasicOp, Bits, DerefOp, Key, MemoryOp, Op, ValueType, VectorOp};
use vitrine_core::passes::flatten;

/// The visible result of a run: values stored to module variables, and `true` if it terminated.
#[derive(Debug, Default)]
pub(crate) struct VisibleResult {
    pub(crate) stored: Vec<Bits>,
    pub(crate) ended: bool,
}

impl VisibleResult {
    /// `true` if two runs have equal results, as far as both executed.
    pub(crate) fn agrees(&self, other: &VisibleResult) -> bool {
        let count = self.stored.len().min(other.stored.len());
        self.stored[..count] == other.stored[..count]
            && (!self.ended || !other.ended || self.stored.len() == other.stored.len())
    }
}

type MemoryPlace = (Var, Vec<u64>);

/// A wildcard step.
const ALL: u64 = u64::MAX;

struct Evaluation<'m> {
    module: &'m Module,
    body: &'m FuncBody,
    values: HashMap<Inst, Bits>,
    paths: HashMap<Inst, MemoryPlace>,
    memory: HashMap<MemoryPlace, Bits>,
    visible: VisibleResult,
}

/// Runs a function for at most `steps` blocks.
pub(crate) fn run(module: &Module, func: Func, given: &[Bits], steps: usize) -> VisibleResult {
    let mut flat = module.clone();
    flatten(&mut flat, func).expect("a function");
    let body = flat.func(func).expect("a function");
    let mut run = Evaluation {
        module: &flat,
        body,
        values: body.params().iter().copied().zip(given.iter().copied()).collect(),
        paths: HashMap::new(),
        memory: HashMap::new(),
        visible: VisibleResult::default(),
    };
    let mut block = body.entry().expect("a body");
    for _ in 0..steps {
        for &inst in body.block(block).insts.iter() {
            run.step(inst);
        }
        let Some(edge) = run.leave(body.terminator(block)) else {
            run.visible.ended = true;
            break;
        };
        let args: Vec<Bits> = edge.args.iter().map(|arg| run.values[arg]).collect();
        run.values.extend(body.block(edge.to).params.iter().copied().zip(args));
        block = edge.to;
    }
    run.visible
}

impl Evaluation<'_> {
    fn value(&self, inst: Inst) -> Bits {
        *self.values.get(&inst).unwrap_or_else(|| panic!("{inst} has no value"))
    }

    fn leave<'e>(&self, exit: &'e Terminator) -> Option<&'e Edge> {
        match exit {
            Terminator::Goto(edge) => Some(edge),
            Terminator::Branch { cond, then, els } => {
                Some(if self.value(*cond).component(0).as_bool() { then } else { els })
            }
            Terminator::Switch { on, cases, default } => {
                let on = self.value(*on).component(0).as_u64();
                let hit = cases.iter().find(|case| case.values.contains(&on));
                Some(hit.map_or(default, |case| &case.edge))
            }
            Terminator::Return(_) | Terminator::Stop(_) => None,
            Terminator::Next(_) | Terminator::Break(..) | Terminator::Continue(..) => {
                panic!("trees are flattened first")
            }
        }
    }

    fn step(&mut self, inst: Inst) {
        let data = self.body.inst(inst).clone();
        let value = match data.op {
            Op::Basic(BasicOp::Const) => self.module.bits_of(data.entity(Key::Const).expect("a constant")),
            Op::Basic(BasicOp::Undef) => zero(data.ty),
            Op::Basic(BasicOp::Copy) => match self.paths.get(&data.args[0]).cloned() {
                Some(path) => {
                    self.paths.insert(inst, path);
                    return;
                }
                None => self.value(data.args[0]),
            },
            Op::Deref(op) => {
                let place = self.path(op, inst);
                self.paths.insert(inst, place);
                return;
            }
            Op::Memory(MemoryOp::Load) => {
                let place = self.paths[&data.args[0]].clone();
                self.load(&place, data.ty)
            }
            Op::Memory(MemoryOp::Store) => {
                let place = self.paths[&data.args[0]].clone();
                let value = self.value(data.args[1]);
                if self.module.var(place.0).is_some_and(|var| var.mode == Mode::Local) {
                    self.store(place, value, data.attrs.get(Key::Mask));
                } else {
                    self.visible.stored.push(value);
                }
                return;
            }
            Op::Memory(MemoryOp::CopyVar) => {
                let (to, from) = (self.paths[&data.args[0]].clone(), self.paths[&data.args[1]].clone());
                self.copy(&to, &from);
                return;
            }
            Op::Vector(VectorOp::Swizzle | VectorOp::Shuffle) => {
                let components: Vec<u64> =
                    data.args.iter().flat_map(|&arg| self.value(arg).components().to_vec()).collect();
                let packed = data.attrs.get(Key::Components).expect("components");
                let pick = |at| components[usize::from(unpack_component(packed, at))];
                let picked: Vec<u64> = (0..usize::from(data.ty.components())).map(pick).collect();
                Bits::from_components(data.ty.width().expect("bits"), &picked)
            }
            op => {
                let args: Vec<Bits> = data.args.iter().map(|&arg| self.value(arg)).collect();
                op.info().eval(data.ty, &args).unwrap_or_else(|| panic!("{} is not supported", op.name()))
            }
        };
        self.values.insert(inst, value);
    }

    fn path(&self, op: DerefOp, inst: Inst) -> MemoryPlace {
        let data = self.body.inst(inst);
        match op {
            DerefOp::Var => (data.entity(Key::Var).expect("a variable"), Vec::new()),
            DerefOp::Field => self.further(data.args[0], data.attrs.get(Key::Field).expect("a member")),
            DerefOp::Elem => self.further(data.args[0], self.value(data.args[1]).component(0).as_u64()),
            DerefOp::All => self.further(data.args[0], ALL),
            DerefOp::Step | DerefOp::Cast | DerefOp::FromBits => panic!("not supported"),
        }
    }

    fn further(&self, base: Inst, step: u64) -> MemoryPlace {
        let (var, mut steps) = self.paths[&base].clone();
        steps.push(step);
        (var, steps)
    }

    /// Copies an array of two elements, or one value; a wildcard copies every element.
    fn copy(&mut self, to: &MemoryPlace, from: &MemoryPlace) {
        let ty = self.module.var(to.0).expect("a variable").ty;
        let is_whole = to.1.is_empty() && self.module.element_count(ty) == Some(2);
        let steps: Vec<u64> = if is_whole || to.1.first() == Some(&ALL) {
            vec![0, 1]
        } else {
            let value = self.load(from, ValueType::B32);
            self.store(to.clone(), value, None);
            return;
        };
        let values = steps.iter().map(|&step| self.load(&(from.0, vec![step]), ValueType::B32));
        let values: Vec<Bits> = values.collect();
        for (step, value) in steps.into_iter().zip(values) {
            self.store((to.0, vec![step]), value, None);
        }
    }

    /// The vector and the component, if the last step of a path selects a component.
    fn component_of(&self, place: &MemoryPlace) -> Option<(MemoryPlace, usize)> {
        let mut ty = self.module.var(place.0)?.ty;
        let (last, outer) = place.1.split_last()?;
        for &step in outer {
            ty = match self.module.type_of(ty) {
                TypeData::Struct(id) => self.module.structure(*id)?.members[step as usize].ty,
                _ => self.module.element_type(ty)?,
            };
        }
        let is_vector = matches!(self.module.type_of(ty), TypeData::Vector { .. });
        is_vector.then(|| ((place.0, outer.to_vec()), *last as usize))
    }

    fn load(&self, place: &MemoryPlace, ty: ValueType) -> Bits {
        if let Some((vector, component)) = self.component_of(place) {
            let whole = self.load(&vector, ty.with_components(4));
            return Bits::scalar(whole.component(component));
        }
        self.memory.get(place).copied().unwrap_or_else(|| {
            let init = self.module.var(place.0).and_then(|var| var.init);
            match init {
                Some(Operand::Bits(bits)) => self.module.bits_of(bits),
                Some(Operand::Global(global)) => self.part(global, &place.1).unwrap_or_else(|| zero(ty)),
                None => zero(ty),
            }
        })
    }

    /// The part of a constant that steps select.
    fn part(&self, global: Global, steps: &[u64]) -> Option<Bits> {
        let mut at = Operand::Global(global);
        for &step in steps {
            let Operand::Global(global) = at else { return None };
            let GlobalValue::Parts(_, parts) = &self.module.global(global)?.value else { return None };
            at = *parts.get(step as usize)?;
        }
        match at {
            Operand::Bits(bits) => Some(self.module.bits_of(bits)),
            Operand::Global(_) => None,
        }
    }

    fn store(&mut self, place: MemoryPlace, value: Bits, mask: Option<u64>) {
        let (place, components) = match self.component_of(&place) {
            Some((vector, component)) => (vector, vec![(component, value.component(0).bits())]),
            None => (place, value.components().iter().copied().enumerate().collect()),
        };
        let is_whole =
            components.len() == value.components().len() && mask.is_none() && components.len() != 1;
        let ty = if components.len() == 1 { self.vector_type(&place, value.ty()) } else { value.ty() };
        let old = if is_whole { zero(ty) } else { self.load(&place, ty) };
        let mut new = old.components().to_vec();
        for (component, bits) in components {
            if mask.is_none_or(|mask| mask >> component & 1 == 1) {
                new[component] = bits;
            }
        }
        self.memory.insert(place, Bits::from_components(old.width(), &new));
    }

    /// The type of the memory at a place, if it is a vector.
    fn vector_type(&self, place: &MemoryPlace, scalar: ValueType) -> ValueType {
        let mut probe = place.clone();
        probe.1.push(0);
        if self.component_of(&probe).is_some() { scalar.with_components(4) } else { scalar }
    }
}

fn zero(ty: ValueType) -> Bits {
    match ty {
        ValueType::Bits { width, components } => Bits::zero(width, components),
        _ => Bits::default(),
    }
}
