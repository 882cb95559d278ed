//! Functions: signatures, then block after block in the order of the tree.
//!
//! Phis and local variables stand before what mentions them, so both are kept apart until the function is done.

use super::constants::scalar_of_hint;
use super::control::Phis;
use super::module::Writer;
use super::types::Scalar;
use super::uses::Uses;
use super::values::{Place, Slot};
use super::words::Words;
use super::{NO_TYPE, SHAPE};
use crate::analysis::Types;
use crate::analysis::exits::{OneTrips, Target, exits_fit, one_trip_form};
use crate::ir::{
    Anchor, Block, Diag, Func, FuncBody, Inst, Nesting, Node, Origin, Reg, Shape, Terminator, Type,
};
use crate::ops::{BasicOp, Key, Op, ValueType, Width};
use crate::spirv::spec::Op as S;
use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;

/// A function being written.
pub(super) struct Function<'w, 'a> {
    pub(super) w: &'w mut Writer<'a>,
    pub(super) func: Func,
    pub(super) body: &'a FuncBody,
    pub(super) types: Rc<Types>,
    pub(super) uses: Uses,
    pub(super) nesting: Nesting,
    pub(super) slots: Vec<Slot>,
    pub(super) places: FxHashMap<Inst, Place>,
    /// Full types of handles.
    pub(super) handles: FxHashMap<Inst, Type>,
    /// Images of handles that were put together or taken apart here.
    pub(super) image_handles: FxHashMap<Inst, crate::ir::ImageType>,
    pub(super) regs: FxHashMap<Reg, (u32, Scalar)>,
    pub(super) vars: Words,
    pub(super) code: Words,
    pub(super) phis: Phis,
    pub(super) labels: FxHashMap<Block, u32>,
    /// Labels that stand before a node: of a loop of one round, and of its way back.
    pub(super) rounds: FxHashMap<Node, super::control::Round>,
    /// Blocks that say nothing and are jumped over.
    pub(super) skipped: FxHashSet<Block>,
    /// Which labelled blocks are loops of one round.
    pub(super) once: OneTrips,
    /// Label of the block at hand.
    pub(super) here: u32,
    /// Images with samplers that this block put together.
    pub(super) combined: FxHashMap<Inst, (u32, u32)>,
    line: Origin,
    /// Words of `code` from which on what is written is for an instruction.
    pub(super) steps: Vec<(usize, Inst)>,
}

/// What a caller must know.
#[derive(Clone, Debug)]
pub(super) struct Signature {
    pub(super) params: Vec<u32>,
    /// What numbers among the parameters are meant as.
    pub(super) meant: Vec<Scalar>,
    pub(super) result: u32,
    pub(super) result_meant: Scalar,
    pub(super) ty: u32,
}

/// Writes every function, declarations first as the layout of a module demands.
pub(super) fn write_functions(writer: &mut Writer<'_>) -> Result<(), Diag> {
    let module = writer.module;
    for declared in [true, false] {
        for (func, body) in module.funcs() {
            if matches!(body.shape(), Shape::Declaration) == declared {
                write_function(writer, func, body)?;
            }
        }
    }
    Ok(())
}

fn write_function<'a>(writer: &mut Writer<'a>, func: Func, body: &'a FuncBody) -> Result<(), Diag> {
    if matches!(body.shape(), Shape::Graph(_)) {
        let diag = Diag::error(SHAPE, Anchor::Func(func)).names(func, Anchor::Func(func));
        return Err(diag.says("is a graph, and SPIR-V is written of trees").help("run `structurize` first"));
    }
    exits_fit(writer.module, func, Target::Spirv)?;
    let types = writer.cx.get::<Types>(writer.module, func);
    let mut function = Function {
        func,
        body,
        types,
        uses: Uses::of(body),
        nesting: Nesting::of(body),
        slots: vec![Slot::Empty; body.tables().insts.len()],
        places: FxHashMap::default(),
        handles: FxHashMap::default(),
        image_handles: FxHashMap::default(),
        regs: FxHashMap::default(),
        vars: Words::default(),
        code: Words::default(),
        phis: Phis::default(),
        labels: FxHashMap::default(),
        rounds: FxHashMap::default(),
        skipped: FxHashSet::default(),
        once: one_trip_form(body),
        here: 0,
        combined: FxHashMap::default(),
        line: Origin::default(),
        steps: Vec::new(),
        w: writer,
    };
    function.write()
}

impl<'a> Function<'_, 'a> {
    fn write(&mut self) -> Result<(), Diag> {
        let signature = self.w.signature(self.func)?;
        let id = self.w.funcs.get(&self.func).copied().unwrap_or(0);
        let hints = self.body.attrs().get(Key::FuncHint).unwrap_or(0);
        let control = (hints & 15) as u32 | ((hints >> 4 & 1) as u32) << 16;
        let mut head = Words::default();
        head.inst(S::Function, &[signature.result, id, control, signature.ty]);
        for (at, &param) in self.body.params().iter().enumerate() {
            let (ty, scalar) = (signature.params[at], signature.meant[at]);
            let id = self.w.fresh();
            head.inst(S::FunctionParameter, &[ty, id]);
            self.tell(param, id);
            self.define_param(param, id, ty, scalar)?;
        }
        if !matches!(self.body.shape(), Shape::Declaration) {
            for var in self.w.locals.remove(&self.func).unwrap_or_default() {
                self.local(var)?;
            }
            self.blocks()?;
            self.splice(&mut head)?;
        }
        head.inst(S::FunctionEnd, &[]);
        self.w.functions.too_long |= head.too_long;
        self.w.functions.words.extend_from_slice(&head.words);
        Ok(())
    }

    /// Gives a parameter of the function or of a block its id.
    pub(super) fn define_param(&mut self, param: Inst, id: u32, ty: u32, scalar: Scalar) -> Result<(), Diag> {
        match self.body.ty(param) {
            ValueType::Bits { .. } => self.set(param, Slot::Bits { id, scalar }),
            ValueType::Path => {
                self.said_place(param)?;
                self.set(param, Slot::Whole { id, ty });
            }
            _ => {
                if let Some(full) = self.body.inst(param).entity(Key::Type) {
                    self.handles.insert(param, full);
                }
                self.set(param, Slot::Whole { id, ty });
            }
        }
        Ok(())
    }

    /// Lines of the source: said where they change.
    pub(super) fn line(&mut self, inst: Inst) {
        let origin = self.body.origin(inst);
        let line = Origin { word_offset: None, ..origin };
        if line == self.line {
            return;
        }
        match (line.line, line.file) {
            (0, None) => self.code.inst(S::NoLine, &[]),
            (_, file) => {
                let file = match file {
                    Some(file) => self.w.string(file),
                    None => self.w.empty_string(),
                };
                self.code.inst(S::Line, &[file, line.line, line.column]);
            }
        }
        self.line = line;
    }

    /// Begins a block.
    pub(super) fn begin(&mut self, label: u32) {
        self.code.inst(S::Label, &[label]);
        self.here = label;
        self.line = Origin::default();
        self.combined.clear();
    }

    /// The label of a block.
    pub(super) fn label(&mut self, block: Block) -> u32 {
        match self.labels.get(&block) {
            Some(&label) => label,
            None => {
                let label = self.w.fresh();
                self.labels.insert(block, label);
                self.w.trail.ids.push((label, Anchor::Block(self.func, block)));
                label
            }
        }
    }

    /// Writes the instructions of a block.
    pub(super) fn insts(&mut self, block: Block) -> Result<(), Diag> {
        let insts = self.body.block(block).insts.clone();
        let mut at = 0;
        while let Some(&inst) = insts.get(at) {
            at += 1 + self.inst(inst, insts.get(at + 1).copied())?;
        }
        Ok(())
    }

    /// Writes an instruction; how many of those that follow were written with it.
    fn inst(&mut self, inst: Inst, next: Option<Inst>) -> Result<usize, Diag> {
        let op = self.body.inst(inst).op;
        if !matches!(op, Op::Basic(BasicOp::Const | BasicOp::Global | BasicOp::Undef)) {
            self.line(inst);
        }
        self.steps.push((self.code.len(), inst));
        match op {
            Op::Basic(op) => self.basic(inst, op)?,
            Op::Float(_) | Op::Int(_) | Op::Convert(_) => return self.arithmetic(inst, op, next),
            Op::Vector(op) => self.lanes(inst, op)?,
            Op::Memory(op) => self.memory(inst, op)?,
            Op::Deref(op) => self.deref(inst, op)?,
            Op::Ptr(op) => self.address(inst, op)?,
            Op::Io(op) => self.interface(inst, op)?,
            Op::Group(op) => self.group(inst, op)?,
            Op::Tex(op) => self.image(inst, op)?,
            Op::Reg(op) => self.register(inst, op)?,
            Op::Spirv(_) => self.raw(inst)?,
        }
        Ok(0)
    }

    fn basic(&mut self, inst: Inst, op: BasicOp) -> Result<(), Diag> {
        let data = self.body.inst(inst);
        match op {
            BasicOp::Param => {
                return Err(self.refuse(
                    SHAPE,
                    inst,
                    "is a parameter among instructions",
                    "validate the module",
                ));
            }
            BasicOp::Const => {
                if let Some(bits) = data.entity(Key::Const) {
                    self.set(inst, Slot::Const(bits));
                }
            }
            BasicOp::Global => {
                if let Some(global) = data.entity(Key::Global) {
                    if data.ty == ValueType::Path {
                        return self.global_path(inst, global);
                    }
                    self.set(inst, Slot::Global(global));
                }
            }
            BasicOp::Undef => {
                self.set(inst, Slot::Undef);
                if data.ty == ValueType::Path {
                    self.said_place(inst)?;
                }
                if let (ValueType::Handle, Some(full)) = (data.ty, data.entity(Key::Type)) {
                    self.handles.insert(inst, full);
                }
            }
            BasicOp::Copy => match data.ty {
                ValueType::Bits { .. } => {
                    let scalar = self.meant(inst);
                    let from = self.id_as(data.args[0], scalar)?;
                    self.define_bits(inst, S::CopyObject, scalar, &[from])?;
                }
                _ => self.moved(inst, op)?,
            },
            BasicOp::Choose => self.moved(inst, op)?,
            BasicOp::Call => self.call(inst)?,
            BasicOp::Assume => {
                let cond = self.id_as(data.args[0], Scalar::Bool)?;
                self.code.inst(S::AssumeTrueKHR, &[cond]);
            }
            BasicOp::Print => self.print(inst)?,
        }
        Ok(())
    }

    fn global_path(&mut self, inst: Inst, global: crate::ir::Global) -> Result<(), Diag> {
        let crate::ir::GlobalValue::Address(var) = self
            .w
            .module
            .global(global)
            .map_or(crate::ir::GlobalValue::Spec(crate::base::EntityId::from_index(0)), |data| {
                data.value.clone()
            })
        else {
            return Err(self.refuse(NO_TYPE, inst, "is no address of a variable", "validate the module"));
        };
        let id = self.w.var(var)?;
        let ty = self.w.var_pointer(var)?;
        if let Some(data) = self.w.module.var(var) {
            self.places.insert(inst, Place { ty: data.ty, class: self.w.class_of_var(var) });
        }
        self.set(inst, Slot::Whole { id, ty });
        Ok(())
    }

    fn call(&mut self, inst: Inst) -> Result<(), Diag> {
        let data = self.body.inst(inst);
        let Some(callee) = data.entity::<Func>(Key::Func) else { return Ok(()) };
        let signature = self.w.signature(callee)?;
        let mut words = vec![self.w.funcs.get(&callee).copied().unwrap_or(0)];
        for (at, &arg) in data.args.iter().enumerate() {
            words.push(match (self.body.ty(arg), signature.meant.get(at)) {
                (ValueType::Bits { .. }, Some(&scalar)) => self.id_as(arg, scalar)?,
                _ => self.whole(arg)?.0,
            });
        }
        match data.ty {
            ValueType::Void => {
                self.emit(S::FunctionCall, signature.result, &words);
            }
            ValueType::Bits { .. } => {
                self.define_bits(inst, S::FunctionCall, signature.result_meant, &words)?;
            }
            _ => {
                let full = self.w.module.func(callee).and_then(|body| body.attrs().get(Key::Type));
                if data.ty == ValueType::Path {
                    let place = self.w.result_place(callee);
                    self.places.extend(place.map(|place| (inst, place)));
                } else if let Some(full) = full {
                    self.handles.insert(inst, crate::base::EntityId::from_index(full as usize));
                }
                self.define_whole(inst, S::FunctionCall, signature.result, &words);
            }
        }
        Ok(())
    }

    fn print(&mut self, inst: Inst) -> Result<(), Diag> {
        let data = self.body.inst(inst);
        let Some(format) = data.entity(Key::Text) else { return Ok(()) };
        let set = self.w.import("NonSemantic.DebugPrintf");
        let mut words = vec![set, 1, self.w.string(format)];
        for &arg in data.args.iter() {
            words.push(self.any(arg)?);
        }
        let void = self.w.intern(S::TypeVoid, &[]);
        self.emit(S::ExtInst, void, &words);
        Ok(())
    }

    /// The block of the function in hand that returns, with what it returns.
    pub(super) fn return_words(&mut self, value: Option<Inst>) -> Result<(), Diag> {
        let Some(value) = value else {
            self.code.inst(S::Return, &[]);
            return Ok(());
        };
        let signature = self.w.signature(self.func)?;
        let id = match self.body.ty(value) {
            ValueType::Bits { .. } => self.id_as(value, signature.result_meant)?,
            _ => self.whole(value)?.0,
        };
        self.code.inst(S::ReturnValue, &[id]);
        Ok(())
    }
}

impl Writer<'_> {
    /// Where a path that a function returns points.
    pub(super) fn result_place(&self, func: Func) -> Option<Place> {
        let attrs = self.module.func(func)?.attrs();
        let ty: Type = crate::base::EntityId::from_index(attrs.get(Key::Type)? as usize);
        let mode = crate::ir::Mode::from_index(attrs.get(Key::Mode)?)?;
        Some(Place { ty, class: self.class(mode, ty) })
    }

    /// What callers must know of a function.
    pub(super) fn signature(&mut self, func: Func) -> Result<Rc<Signature>, Diag> {
        if let Some(known) = self.signatures.get(&func) {
            return Ok(known.clone());
        }
        let refuse = |says: &str, help: &str| {
            let at = Anchor::Func(func);
            Err(Diag::error(NO_TYPE, at).names(func, at).says(says).help(help))
        };
        let Some(body) = self.module.func(func) else { return refuse("is not declared", "declare it") };
        let types = self.cx.get::<Types>(self.module, func);
        let (mut params, mut meant) = (Vec::new(), Vec::new());
        for &param in body.params() {
            let data = body.inst(param);
            let full: Option<Type> = data.entity(Key::Type);
            let mut scalar = Scalar::Uint;
            params.push(match (data.ty, full) {
                (ty @ ValueType::Bits { width, .. }, _) => {
                    scalar = scalar_of_hint(types.hint(param), width);
                    match self.value_type(scalar, ty) {
                        Some(ty) => ty,
                        None => {
                            return refuse("has a parameter without a type", "use numbers of 1 to 4 lanes");
                        }
                    }
                }
                (ValueType::Path, Some(full)) => {
                    let mode = data.attrs.get(Key::Mode).and_then(crate::ir::Mode::from_index);
                    let Some(mode) = mode else {
                        return refuse("has a path of no mode", "say it: `{mode …}`");
                    };
                    let (class, to) = (self.class(mode, full), self.ty(full)?);
                    self.pointer(class, to)
                }
                (ValueType::Handle, Some(full)) => self.ty(full)?,
                _ => return refuse("has a parameter whose full type is not known", "say it: `{type …}`"),
            });
            meant.push(scalar);
        }
        let mut result_meant = Scalar::Uint;
        let result = match body.result() {
            ValueType::Void => self.intern(S::TypeVoid, &[]),
            ty @ ValueType::Bits { width, .. } => {
                result_meant = result_hint(body, &types, width);
                match self.value_type(result_meant, ty) {
                    Some(ty) => ty,
                    None => return refuse("has a result without a type", "use numbers of 1 to 4 lanes"),
                }
            }
            ValueType::Path => match self.result_place(func) {
                Some(place) => {
                    let to = self.ty(place.ty)?;
                    self.pointer(place.class, to)
                }
                None => return refuse("returns a path of no known type", "say it: `{type …, mode …}`"),
            },
            ValueType::Handle | ValueType::Ptr => match body.attrs().get(Key::Type) {
                Some(full) => self.ty(crate::base::EntityId::from_index(full as usize))?,
                None => return refuse("returns a handle of no known type", "say it: `{type …}`"),
            },
        };
        let words: Vec<u32> = [result].iter().chain(&params).copied().collect();
        let ty = self.intern(S::TypeFunction, &words);
        let signature = Rc::new(Signature { params, meant, result, result_meant, ty });
        self.signatures.insert(func, signature.clone());
        Ok(signature)
    }
}

/// What the number that a function returns is meant as: what the first one that says something is.
fn result_hint(body: &FuncBody, types: &Types, width: Width) -> Scalar {
    let returned = body.blocks_in_order().into_iter().filter_map(|block| match body.exit(block) {
        Terminator::Return(value) => *value,
        _ => None,
    });
    let hints: Vec<_> = returned.map(|value| types.hint(value)).collect();
    let said = hints.iter().find(|&&hint| hint != crate::analysis::TypeHint::Unknown);
    scalar_of_hint(said.copied().unwrap_or_default(), width)
}
