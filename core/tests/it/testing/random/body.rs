//! A function under construction: the values in scope, and the choice or creation of a value of a given type.

use super::module::Gen;
use super::{graph, memory, ops, tree, types};
use vitrine_core::base::EntityId;
use vitrine_core::ir::{
    Args, Assembler, Attrs, Block, BlockData, Func, FuncBody, Inst, InstData, MergeInfo, Mode, Module, Node,
    PathType, Reg, RegData, Stage, Stop, Terminator, Type, Var,
};
use vitrine_core::ops::{BasicOp, Hints, Key, PtrOp, ValueType, WordSet};

/// A value in scope.
#[derive(Clone, Copy)]
pub(crate) struct Val {
    pub(crate) inst: Inst,
    pub(crate) ty: ValueType,
    /// The type that a path points at.
    pub(crate) path: Option<PathType>,
    /// The resource type of a handle.
    pub(crate) handle: Option<Type>,
}

/// The type of a parameter; for paths, also the type they point at.
#[derive(Clone, Copy)]
pub(crate) struct Slot {
    pub(crate) ty: ValueType,
    pub(crate) path: Option<PathType>,
}

/// A function under construction.
pub(crate) struct Body<'g> {
    pub(crate) g: &'g mut Gen,
    pub(crate) asm: Assembler,
    pub(crate) scope: Vec<Val>,
    pub(crate) regs: Vec<(Reg, RegData)>,
    /// Variables available to the function.
    pub(crate) vars: Vec<Var>,
    pub(crate) result: Slot,
    /// Instructions of the current block.
    insts: Vec<Inst>,
    params: Vec<Inst>,
    next_inst: usize,
    next_block: usize,
    next_node: usize,
}

/// Generates the body of function `id`; an entry point has no parameters and no result.
pub(crate) fn function(g: &mut Gen, id: Func, entry: bool) -> FuncBody {
    let vars = g.vars.clone();
    let mut body = Body {
        g,
        asm: Assembler::new(),
        scope: Vec::new(),
        regs: Vec::new(),
        vars,
        result: Slot { ty: ValueType::Void, path: None },
        insts: Vec::new(),
        params: Vec::new(),
        next_inst: 0,
        next_block: 0,
        next_node: 0,
    };
    body.signature(entry);
    if !entry && body.g.rng.one_in(8) {
        return body.asm.finish();
    }
    body.storage(id);
    if body.g.rng.one_in(2) {
        tree::fill(&mut body);
    } else {
        graph::fill(&mut body);
    }
    body.asm.finish()
}

impl Body<'_> {
    fn signature(&mut self, entry: bool) {
        let name = self.g.name();
        self.asm.name(name);
        let hint = 1 << self.g.rng.below(4);
        let mut attrs = self.g.some_attrs(&[(Key::FuncHint, hint)]);
        if !entry {
            let slots = self.slots(4);
            let params = self.params(&slots);
            self.asm.params(params);
            self.result = match self.g.rng.one_in(3) {
                true => Slot { ty: ValueType::Void, path: None },
                false => self.slot(),
            };
            if let Some(path) = self.result.path {
                attrs = attrs.with(Key::Type, path.ty.index() as u64).with_word(path.mode);
            }
        }
        self.asm.result(self.result.ty);
        self.asm.attrs(attrs);
    }

    /// Local variables and registers.
    fn storage(&mut self, id: Func) {
        for _ in 0..self.g.rng.below(3) {
            let var = types::variable(self.g, Mode::Local, Some(id));
            self.vars.push(var);
        }
        for _ in 0..self.g.rng.below(4) {
            let ValueType::Bits { width, components } = self.g.bits_type() else { continue };
            let len = if self.g.rng.one_in(2) { self.g.rng.between(1, 9) as u32 } else { 0 };
            let reg = self.g.fresh(self.regs.last().map_or(0, |(reg, _)| reg.index() + 1));
            let data = RegData { name: self.g.name(), width, components, len };
            self.asm.put_reg(reg, data);
            self.regs.push((reg, data));
        }
    }

    pub(crate) fn module(&self) -> &Module {
        &self.g.module
    }

    // Ids.

    pub(crate) fn fresh_block(&mut self) -> Block {
        let id: Block = self.g.fresh(self.next_block);
        self.next_block = id.index() + 1;
        id
    }

    pub(crate) fn fresh_node(&mut self) -> Node {
        let id: Node = self.g.fresh(self.next_node);
        self.next_node = id.index() + 1;
        id
    }

    fn fresh_inst(&mut self) -> Inst {
        let id: Inst = self.g.fresh(self.next_inst);
        self.next_inst = id.index() + 1;
        id
    }

    // Blocks.

    /// Begins a block with parameters; instructions are emitted to it until it is finished.
    pub(crate) fn begin(&mut self, slots: &[Slot]) {
        self.params = self.params(slots);
    }

    /// Ends the current block.
    pub(crate) fn finish(&mut self, id: Block, exit: Terminator, merge: Option<MergeInfo>) {
        let data = BlockData {
            params: std::mem::take(&mut self.params).into(),
            insts: std::mem::take(&mut self.insts).into(),
            terminator: exit,
            merge: merge.map(Into::into),
        };
        self.asm.put_block(id, data);
    }

    /// Emits some instructions, up to the budget.
    pub(crate) fn fill(&mut self) {
        for _ in 0..self.g.rng.below(8) {
            if self.g.budget == 0 {
                return;
            }
            self.g.budget -= 1;
            ops::any(self);
        }
    }

    /// Up to `most - 1` parameters.
    pub(crate) fn slots(&mut self, most: usize) -> Vec<Slot> {
        (0..self.g.rng.below(most)).map(|_| self.slot()).collect()
    }

    fn slot(&mut self) -> Slot {
        let ty = match self.g.rng.below(12) {
            0 => ValueType::Ptr,
            1 => ValueType::Handle,
            2 => {
                let path = PathType { ty: types::data_type(self.g), mode: Mode::Private };
                return Slot { ty: ValueType::Path, path: Some(path) };
            }
            _ => self.g.bits_type(),
        };
        Slot { ty, path: None }
    }

    fn params(&mut self, slots: &[Slot]) -> Vec<Inst> {
        let mut params = Vec::new();
        for slot in slots {
            let data = InstData::new(BasicOp::Param, slot.ty, &[]);
            params.push(self.put(data_of_path(data, slot.path), slot.path, None));
        }
        params
    }

    /// One argument for each slot.
    pub(crate) fn args(&mut self, slots: &[Slot]) -> Args {
        slots.iter().map(|&slot| self.value_for(slot)).collect()
    }

    // Instructions.

    /// Adds an instruction to the block.
    pub(crate) fn emit(&mut self, data: InstData) -> Inst {
        self.emit_val(data, None, None)
    }

    /// Adds an instruction that yields a path to `path`.
    pub(crate) fn emit_path(&mut self, data: InstData, path: PathType) -> Inst {
        self.emit_val(data, Some(path), None)
    }

    /// Adds an instruction whose result has this path or handle type.
    pub(crate) fn emit_val(&mut self, data: InstData, path: Option<PathType>, handle: Option<Type>) -> Inst {
        let inst = self.put(data, path, handle);
        self.insts.push(inst);
        inst
    }

    fn put(&mut self, data: InstData, path: Option<PathType>, handle: Option<Type>) -> Inst {
        let inst = self.fresh_inst();
        if data.ty != ValueType::Void {
            self.scope.push(Val { inst, ty: data.ty, path, handle });
        }
        self.asm.put_inst(inst, data);
        let name = self.g.name();
        self.asm.name_inst(inst, name);
        inst
    }

    // Values.

    /// A value of this type, from scope or new.
    pub(crate) fn value(&mut self, ty: ValueType) -> Inst {
        let fitting: Vec<Inst> = self.scope.iter().filter(|val| val.ty == ty).map(|val| val.inst).collect();
        if let Some(&inst) = self.g.rng.choose(&fitting)
            && !self.g.rng.one_in(6)
        {
            return inst;
        }
        self.new_value(ty)
    }

    fn new_value(&mut self, ty: ValueType) -> Inst {
        match ty {
            ValueType::Void => panic!("`void` has no values"),
            ValueType::Bits { width, components } => {
                if self.g.rng.one_in(10) {
                    return self.emit(InstData::new(BasicOp::Undef, ty, &[]));
                }
                let bits = self.g.bits(width, components);
                self.emit(InstData::new(BasicOp::Const, ty, &[]).with(Key::Const, bits.index() as u64))
            }
            ValueType::Path => memory::path(self).0,
            ValueType::Ptr => {
                let vars = self.vars.clone();
                let var = *self.g.rng.pick(&vars);
                self.emit(InstData::new(PtrOp::Var, ty, &[]).with(Key::Var, var.index() as u64))
            }
            ValueType::Handle => self.emit(InstData::new(BasicOp::Undef, ty, &[])),
        }
    }

    /// A 32-bit constant.
    pub(crate) fn number(&mut self, number: u64) -> Inst {
        let bits = vitrine_core::ops::Bits::from_components(vitrine_core::ops::Width::W32, &[number]);
        let bits = self.g.module.bits(bits);
        self.emit(InstData::new(BasicOp::Const, ValueType::B32, &[]).with(Key::Const, bits.index() as u64))
    }

    /// A value that fits a parameter.
    pub(crate) fn value_for(&mut self, slot: Slot) -> Inst {
        match slot.path {
            Some(path) => self.path_to(path),
            None => self.value(slot.ty),
        }
    }

    /// A path of exactly this type: from scope, or an undefined one with type attributes.
    pub(crate) fn path_to(&mut self, path: PathType) -> Inst {
        let fitting: Vec<Inst> =
            self.scope.iter().filter(|val| val.path == Some(path)).map(|val| val.inst).collect();
        match self.g.rng.choose(&fitting) {
            Some(&inst) => inst,
            None => {
                let data = InstData::new(BasicOp::Undef, ValueType::Path, &[]);
                self.emit_path(data_of_path(data, Some(path)), path)
            }
        }
    }

    /// A return or a termination.
    pub(crate) fn leave(&mut self) -> Terminator {
        if self.g.rng.one_in(6) {
            return Terminator::Stop(self.stop());
        }
        match self.result.ty {
            ValueType::Void => Terminator::Return(None),
            _ => Terminator::Return(Some(self.value_for(self.result))),
        }
    }

    /// A termination that the stage supports.
    fn stop(&mut self) -> Stop {
        let exists = |stop: &Stop| match stop {
            Stop::Discard | Stop::Terminate => self.g.stage == Stage::Fragment,
            Stop::IgnoreIntersection | Stop::TerminateRay => self.g.stage == Stage::AnyHit,
            Stop::EmitMeshTasks => self.g.stage == Stage::Task,
            Stop::Unreachable => true,
        };
        let stops: Vec<Stop> = Stop::ALL.into_iter().filter(exists).collect();
        *self.g.rng.pick(&stops)
    }

    /// Hints of a branch or a loop, with their parameters.
    pub(crate) fn hints(&mut self) -> Attrs {
        match self.g.rng.below(6) {
            0 => Attrs::one(Key::Hint, 1 << self.g.rng.below(5)),
            1 => {
                let words = [self.g.rng.below(16) as u32, self.g.rng.below(16) as u32];
                let blob = self.g.module.blob(&words);
                let hints = Hints::MIN_ITERATIONS.and(Hints::MAX_ITERATIONS);
                Attrs::one(Key::Hint, hints.number()).with(Key::HintArgs, blob.index() as u64)
            }
            _ => Attrs::None,
        }
    }
}

/// The same, with attributes for the type that the path points at.
pub(crate) fn data_of_path(data: InstData, path: Option<PathType>) -> InstData {
    match path {
        None => data,
        Some(path) => data.with(Key::Type, path.ty.index() as u64).with_word(path.mode),
    }
}
