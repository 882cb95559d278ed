//! A function, from its words to a graph: parameters, blocks, and and its instructions in order.
//!
//! Every instruction either defines its result or reports an error. After an error its result is undefined,
//! so that one mistake is reported only once.

use super::collect::{Body, Reader};
use super::diagnostics;
use super::schema::Form;
use super::tables::Leaf;
use super::values::{Lower, Val, Value};
use super::words::{Instruction, Words};
use crate::spec::Op as S;
use crate::{FUNC_HINTS, IdMap};
use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;
use vitrine_ir::base::EntityId;
use vitrine_ir::ops::{Attr, BasicOp, Flags, FuncHints, Key, MemoryOp, ValueType, Word, WordSet};
use vitrine_ir::{
    Anchor, Assembler, Attrs, Block, BlockData, CowVec, Inst, InstData, MergeInfo, Mode, Origin, PathType,
    Type, TypeData,
};

/// A block under construction.
#[derive(Default)]
pub(super) struct Building<'a> {
    pub(super) label: u32,
    pub(super) insts: Vec<Inst>,
    pub(super) params: Vec<Inst>,
    pub(super) phis: Vec<Phi<'a>>,
    /// For each predecessor of this block, the values it passes: number of the phi, and id.
    pub(super) incoming: FxHashMap<u32, Vec<(u32, u32)>>,
    pub(super) merge: Option<Instruction<'a>>,
    /// The terminator.
    pub(super) end: Option<Instruction<'a>>,
    /// The origin of the terminator.
    pub(super) origin: Origin,
}

/// A phi.
pub(super) struct Phi<'a> {
    pub(super) inst: Instruction<'a>,
    pub(super) ty: Type,
    pub(super) leaves: Vec<Leaf>,
}

impl<'a> Reader<'a> {
    /// Lowers every function.
    pub(super) fn lower_functions(&mut self) {
        let bodies = std::mem::take(&mut self.bodies);
        let mut values = IdMap::for_words(self.binary.words().len());
        let mut seen = FxHashSet::default();
        for &body in &bodies {
            let Some(function) = self.at(body.start) else { continue };
            let Some(func) = self.funcs.get(function.word(2)).filter(|&func| seen.insert(func)) else {
                continue;
            };
            let mut lower = Lower {
                r: &mut *self,
                func,
                asm: Assembler::new(),
                values: std::mem::replace(&mut values, IdMap::for_words(0)),
                touched: Vec::new(),
                numbers: FxHashMap::default(),
                arena: Vec::new(),
                paths: FxHashMap::default(),
                head: Vec::new(),
                block: Vec::new(),
                origin: Origin::default(),
                block_start: 0,
                bound: FxHashMap::default(),
                flags: Flags::NONE,
                constants: FxHashMap::default(),
                passing: FxHashSet::default(),
                passed: None,
                out: None,
            };
            lower.function(function, body);
            let Lower { asm, values: used, touched, .. } = lower;
            values = used;
            touched.into_iter().for_each(|id| values.insert(id, Value::default()));
            self.module.define_func(func, asm.finish());
        }
    }
}

impl<'a> Lower<'_, 'a> {
    fn function(&mut self, function: Instruction<'a>, body: Body) {
        let labels = self.labels(body);
        self.passing = self.find_passing(body);
        let mut params = Vec::new();
        let signature = self.head_of(function, &mut params);
        let mut building: Vec<Building<'a>> = Vec::with_capacity(labels.len());
        let mut blocks: FxHashMap<u32, Block> = FxHashMap::default();
        for &(word, label) in &labels {
            let block = self.asm.add_block(BlockData::default());
            self.r.homes.push((word, Anchor::Block(self.func, block)));
            blocks.entry(label).or_insert(block);
            building.push(Building { label, ..Building::default() });
        }
        self.walk(body, function, &mut building, &mut params);
        self.bind_values();
        if signature && let Some(result) = self.r.signature(function).map(|signature| signature.result) {
            self.result(result, function, &mut params);
        }
        self.asm.params(params);
        for at in 0..building.len() {
            let terminator = self.block_terminator(at, &mut building, &blocks);
            let hint = building[at].merge.and_then(|merge| self.hint(merge, &blocks));
            self.finish_block(at, &mut building[at], terminator, hint);
        }
        if let Some(first) = (!building.is_empty()).then(|| Block::from_index(0)) {
            let data = self.asm.block_mut(first);
            let mut insts = std::mem::take(&mut self.head);
            insts.extend_from_slice(&data.insts);
            data.insts = CowVec::new(insts);
            self.asm.graph((0..building.len()).map(Block::from_index).collect());
        }
    }

    fn finish_block(
        &mut self,
        at: usize,
        built: &mut Building<'a>,
        terminator: vitrine_ir::Terminator,
        hint: Option<Rc<MergeInfo>>,
    ) {
        let data = self.asm.block_mut(Block::from_index(at));
        data.params = CowVec::new(std::mem::take(&mut built.params));
        data.insts = CowVec::new(std::mem::take(&mut built.insts));
        data.terminator = terminator;
        data.merge = hint;
    }

    /// Labels of the blocks, each with its word.
    fn labels(&self, body: Body) -> Vec<(u32, u32)> {
        let mut labels = Vec::new();
        let mut at = body.start;
        while let Some(inst) = self.r.at(at).filter(|_| at < body.end) {
            if inst.opcode == S::Label as u16 && inst.words.len() > 1 {
                labels.push((at, inst.word(1)));
            }
            at += inst.words.len() as u32;
        }
        labels
    }

    /// Loads of composites whose only use is the store directly after them. They become copies, which need
    /// fewer instructions than one load and store for each leaf.
    fn find_passing(&self, body: Body) -> FxHashSet<u32> {
        let plain = |words: &[u32]| words.is_empty() || words[0] == 2;
        let composite =
            |id: u32| self.r.types.get(id).is_some_and(|ty| self.r.module.value_type(ty).is_none());
        let mut uses: FxHashMap<u32, u32> = FxHashMap::default();
        let insts = || {
            let mut at = body.start;
            std::iter::from_fn(move || {
                let inst = self.r.at(at).filter(|_| at < body.end)?;
                at += inst.words.len() as u32;
                Some(inst)
            })
        };
        let mut before = None;
        for inst in insts() {
            match before.replace(inst) {
                Some(load)
                    if inst.opcode == S::Store as u16
                        && load.opcode == S::Load as u16
                        && load.word(2) == inst.word(2)
                        && inst.word(1) != load.word(2)
                        && plain(load.rest(4))
                        && plain(inst.rest(3))
                        && composite(load.word(1)) =>
                {
                    uses.insert(load.word(2), 0);
                }
                _ => {}
            }
        }
        if uses.is_empty() {
            return FxHashSet::default();
        }
        // A literal equal to the id counts as a use, which is only conservative.
        for &word in insts().flat_map(|inst| &inst.words[1..]) {
            if let Some(count) = uses.get_mut(&word) {
                *count += 1;
            }
        }
        uses.into_iter().filter(|&(_, count)| count == 2).map(|(id, _)| id).collect()
    }

    /// Name and attributes. Returns true if the signature is valid.
    fn head_of(&mut self, function: Instruction<'a>, params: &mut Vec<Inst>) -> bool {
        let id = function.word(2);
        let name = self.r.name(id);
        self.asm.name(name);
        let control = function.word(3);
        let hints = FUNC_HINTS.iter().filter(|(bit, _)| control & bit != 0);
        let hints = hints.fold(FuncHints::NONE, |hints, &(_, hint)| hints.and(hint));
        let mut attrs = Vec::new();
        if !hints.is_none() {
            attrs.push(Attr::new(Key::FuncHint, hints.number()));
        }
        // Decorations without a field in the IR are kept as raw decorations.
        self.r.attrs(id, 0, Some(vitrine_ir::DecorTarget::Func(self.func)));
        let Some(signature) = self.r.signature(function) else { return false };
        match self.r.leaf_count(signature.result) {
            Some(1) if *self.r.module.type_of(signature.result) != TypeData::Void => {
                if let Some(leaf) = self.r.leaf_list(signature.result).and_then(|list| list.first().copied())
                {
                    self.asm.result(leaf.value);
                    if let Some(at) = self.r.pointee(leaf.ty) {
                        attrs.push(Attr::new(Key::Type, at.ty.index() as u64));
                        attrs.push(Attr::new(Key::Mode, at.mode.number()));
                    } else if leaf.value == ValueType::Handle {
                        attrs.push(Attr::new(Key::Type, leaf.ty.index() as u64));
                    }
                }
            }
            Some(0) => {}
            _ => {
                let at = PathType { ty: signature.result, mode: Mode::Local };
                let data = Self::saying(InstData::new(BasicOp::Param, ValueType::Path, &[]), at);
                let out = self.asm.add_inst(data);
                let name = self.r.module.text("result");
                self.asm.name_inst(out, Some(name));
                self.paths.insert(out, at);
                self.out = Some(out);
            }
        }
        self.asm.attrs(Attrs::from_list(attrs));
        params.clear();
        true
    }

    /// Appends a parameter after the others: the path that a composite result is stored to.
    fn result(&mut self, result: Type, function: Instruction<'a>, params: &mut Vec<Inst>) {
        params.extend(self.out);
        if self.r.types.get(function.word(1)) != Some(result) {
            self.error(
                diagnostics::OPERANDS,
                function,
                "has a result type that differs from that of its function type",
                "make the two types the same",
            );
        }
    }

    fn walk(
        &mut self,
        body: Body,
        function: Instruction<'a>,
        building: &mut [Building<'a>],
        params: &mut Vec<Inst>,
    ) {
        let mut at = body.start + function.words.len() as u32;
        let mut current: Option<usize> = None;
        let mut next_block = 0;
        let mut given = 0;
        while let Some(inst) = self.r.at(at).filter(|_| at < body.end) {
            at += inst.words.len() as u32;
            // Unknown and truncated instructions were reported when the module was collected.
            let Some(form) = Form::of(inst.opcode).filter(|form| inst.words.len() >= form.least()) else {
                continue;
            };
            let Some(op) = S::from_u32(u32::from(inst.opcode)) else { continue };
            match (op, current) {
                (S::FunctionParameter, None) if next_block == 0 => {
                    self.param(inst, params);
                    given += 1;
                }
                (S::Label, open) => {
                    if let Some(open) = open {
                        let label = building[open].label;
                        let message = format!("begins a block inside of %{label}, which has no terminator");
                        self.error(
                            diagnostics::CONTROL,
                            inst,
                            message,
                            "end the block with a branch, a return or another terminator",
                        );
                        self.close(&mut building[open], None);
                    }
                    current = Some(next_block);
                    self.block_start = if next_block > 0 { self.asm.body().tables().insts.len() } else { 0 };
                    next_block += 1;
                }
                (S::FunctionEnd, Some(open)) => {
                    let message = format!("comes before the terminator of %{}", building[open].label);
                    self.error(
                        diagnostics::CONTROL,
                        inst,
                        message,
                        "end the block with a branch, a return or another terminator",
                    );
                    self.close(&mut building[open], None);
                    current = None;
                }
                (S::FunctionEnd, None) => {}
                (op, _) if self.debug_line(op, inst) => {}
                (S::Nop, _) => {}
                (_, None) => {
                    self.error(
                        diagnostics::LAYOUT,
                        inst,
                        "is outside of any block",
                        "a block begins with OpLabel",
                    );
                }
                (S::Phi, Some(open)) => self.phi(inst, &mut building[open]),
                (S::SelectionMerge | S::LoopMerge, Some(open)) => building[open].merge = Some(inst),
                (op, Some(open)) if is_terminator(op) => {
                    self.close(&mut building[open], Some(inst));
                    current = None;
                }
                (op, Some(_)) => self.define(op, inst, form),
            }
        }
        if let Some(open) = current {
            self.close(&mut building[open], None);
        }
        let wanted = self.r.signature(function).map(|signature| signature.params.len());
        if wanted.is_some_and(|wanted| wanted != given) {
            let message = format!("has {given} parameters, but its type has {}", wanted.unwrap_or(0));
            self.error(diagnostics::OPERANDS, function, message, "one OpFunctionParameter for each type");
        }
    }

    fn close(&mut self, open: &mut Building<'a>, end: Option<Instruction<'a>>) {
        open.insts = std::mem::take(&mut self.block);
        open.end = end;
        open.origin = self.origin;
        if let Some(end) = end {
            open.origin.word_offset = Some(end.offset);
        }
        self.origin = Origin::default();
    }

    /// Parameters of a block or the function for each leaf of a type.
    fn leaf_params(&mut self, ty: Type, inst: Instruction<'a>) -> Option<(Vec<Inst>, Vec<Leaf>)> {
        let leaves = self.leaves_of(ty, inst)?;
        let flags = self.r.flags(inst.word(2));
        let origin = Origin { word_offset: Some(inst.offset), ..self.origin };
        let params = leaves.iter().map(|leaf| {
            let data = InstData::new(BasicOp::Param, leaf.value, &[])
                .flagged(flags.without(Flags::NSW).without(Flags::NUW));
            let at = self.r.pointee(leaf.ty).filter(|_| leaf.value == ValueType::Path);
            let param = self.asm.add_inst(match at {
                Some(at) => Self::saying(data, at),
                None if leaf.value == ValueType::Handle => data.with(Key::Type, leaf.ty.index() as u64),
                None => data,
            });
            self.asm.origin(param, origin);
            if let Some(at) = at {
                self.paths.insert(param, at);
            }
            param
        });
        let params = params.collect();
        Some((params, leaves))
    }

    fn param(&mut self, inst: Instruction<'a>, params: &mut Vec<Inst>) {
        let Some(ty) = self.result_type(inst) else { return };
        let Some((leaves, _)) = self.leaf_params(ty, inst) else { return };
        params.extend_from_slice(&leaves);
        let val = self.pack(&leaves);
        self.set(inst.word(2), ty, val);
        if !self.r.decorations_of(inst.word(2)).is_empty() {
            self.r.leave_out("a decoration of a parameter", inst.offset);
        }
    }

    fn phi(&mut self, inst: Instruction<'a>, open: &mut Building<'a>) {
        let Some(ty) = self.result_type(inst) else { return };
        if !self.block.is_empty() {
            self.error(
                diagnostics::CONTROL,
                inst,
                "comes after other instructions",
                "move OpPhi to the start of its block",
            );
        }
        let Some((params, leaves)) = self.leaf_params(ty, inst) else { return };
        let number = open.phis.len();
        let pairs = inst.rest(3).chunks_exact(2);
        if !pairs.remainder().is_empty() {
            self.error(
                diagnostics::CONTROL,
                inst,
                "has a value without a block",
                "values and blocks come in pairs",
            );
        }
        for pair in pairs {
            open.incoming.entry(pair[1]).or_default().push((number as u32, pair[0]));
        }
        open.params.extend_from_slice(&params);
        let val = self.pack(&params);
        self.set(inst.word(2), ty, val);
        open.phis.push(Phi { inst, ty, leaves });
    }

    /// Lowers an instruction; its result is undefined where that fails.
    fn define(&mut self, op: S, inst: Instruction<'a>, form: Form) {
        self.origin.word_offset = Some(inst.offset);
        let id = form.result_at().map(|at| inst.word(at));
        self.flags = id.map_or(Flags::NONE, |id| self.r.flags(id));
        let done = self.instruction(op, inst, form);
        let Some(id) = id else { return };
        if done.is_some() && !matches!(self.values.get(id).unwrap_or_default().val, Val::None) {
            return;
        }
        if let Some(ty) = form.typed.then(|| self.r.types.get(inst.word(1))).flatten()
            && *self.r.module.type_of(ty) != TypeData::Void
            && let Some(val) = self.undef(ty)
        {
            self.set(id, ty, val);
        }
    }

    fn instruction(&mut self, op: S, inst: Instruction<'a>, form: Form) -> Option<()> {
        match op {
            S::Undef => {
                let ty = self.result_type(inst)?;
                self.leaves_of(ty, inst)?;
                let val = self.undef(ty)?;
                self.set(inst.word(2), ty, val);
                Some(())
            }
            S::FunctionCall => self.call(inst),
            S::ExtInst | S::ExtInstWithForwardRefsKHR => self.ext_inst(inst),
            _ => self
                .memory(op, inst)
                .or_else(|| self.composite(op, inst))
                .or_else(|| self.arithmetic(op, inst))
                .or_else(|| self.atomic(op, inst))
                .or_else(|| self.image(op, inst))
                .or_else(|| self.group(op, inst))
                .unwrap_or_else(|| self.raw(inst, form)),
        }
    }

    fn call(&mut self, inst: Instruction<'a>) -> Option<()> {
        let ty = self.result_type(inst)?;
        let id = inst.word(3);
        let (Some(callee), Some(function)) = (self.r.funcs.get(id), self.r.def(id)) else {
            return self.mismatch(inst, format!("calls %{id}, which is not a function"));
        };
        // The count is compared first, so that a wrong call does not cost a walk over a long list of
        // parameters.
        let params = self.r.def(function.word(4)).map_or(0, |ty| ty.words.len());
        if params != inst.rest(4).len() + 3 {
            return self.mismatch(
                inst,
                format!("passes a number of arguments that differs from the parameters of %{id}"),
            );
        }
        let signature = self.r.signature(function)?;
        if signature.params.len() != inst.rest(4).len() || signature.result != ty {
            return self.mismatch(inst, format!("has a result type that differs from that of %{id}"));
        }
        let mut args = Vec::new();
        for (&arg, &wanted) in inst.rest(4).iter().zip(&signature.params) {
            let value = self.value(arg, inst)?;
            let leaves = self.leaves_of(wanted, inst)?;
            let given = self.leaves(&value.val).to_vec();
            if given.len() != leaves.len() {
                return self.mismatch(inst, format!("passes %{arg}, which has the wrong type"));
            }
            for (given, leaf) in given.into_iter().zip(leaves) {
                args.push(self.leaf_as(given, leaf.ty));
            }
        }
        let call =
            |args: &[Inst], ty| InstData::new(BasicOp::Call, ty, args).with(Key::Func, callee.index() as u64);
        match self.r.leaf_count(ty) {
            Some(0) => {
                self.put(call(&args, ValueType::Void));
                self.set(inst.word(2), ty, Val::Many { at: 0, len: 0 });
            }
            Some(1) => {
                let leaf = *self.leaves_of(ty, inst)?.first()?;
                let flags = self.flags.without(Flags::NSW).without(Flags::NUW);
                let result = self.put(call(&args, leaf.value).flagged(flags));
                if let Some(at) = self.r.pointee(leaf.ty) {
                    self.paths.insert(result, at);
                }
                self.set(inst.word(2), ty, Val::One(result));
            }
            _ => {
                // The callee stores its result to a local variable of the caller.
                let var = self.r.module.add_var(vitrine_ir::VarData {
                    name: None,
                    ty,
                    mode: Mode::Local,
                    owner: Some(self.func),
                    init: None,
                    attrs: Attrs::None,
                });
                let at = PathType { ty, mode: Mode::Local };
                let data = InstData::new(vitrine_ir::ops::DerefOp::Var, ValueType::Path, &[]);
                let path = self.put_path(data.with(Key::Var, var.index() as u64), at);
                args.push(path);
                self.put(call(&args, ValueType::Void));
                let val = self.load_leaves(path, at, inst, |data| data)?;
                self.set(inst.word(2), ty, val);
            }
        }
        Some(())
    }

    /// Loads through a path, leaf by leaf.
    pub(super) fn load_leaves(
        &mut self,
        from: Inst,
        at: PathType,
        inst: Instruction<'_>,
        with: impl Fn(InstData) -> InstData,
    ) -> Option<Val> {
        let places = self.places(from, at, inst)?;
        let mut leaves = Vec::with_capacity(places.len());
        for (place, ty) in places {
            let value = self.r.module.value_type(ty)?;
            let leaf = self.put(with(InstData::new(MemoryOp::Load, value, &[place])));
            if let Some(at) = self.r.pointee(ty) {
                self.paths.insert(leaf, at);
            }
            leaves.push(leaf);
        }
        Some(self.pack(&leaves))
    }
}

fn is_terminator(op: S) -> bool {
    matches!(
        op,
        S::Branch
            | S::BranchConditional
            | S::Switch
            | S::Kill
            | S::Return
            | S::ReturnValue
            | S::Unreachable
            | S::TerminateInvocation
            | S::IgnoreIntersectionKHR
            | S::TerminateRayKHR
            | S::EmitMeshTasksEXT
    )
}
