//! How an entry point uses its variables, found before anything is written: declarations depend on it.
//!
//! An image that is combined with its sampler is a sampler with a comparison, or one without, or both; memory that is read
//! is not `writeonly`, whatever the program promises; an interface variable that is accessed as a whole is no block.

use crate::calls::callees_first;
use crate::operands::{PathRoot, STEPS, root};
use rustc_hash::FxHashMap;
use vitrine_ir::base::EntitySet;
use vitrine_ir::ops::{BasicOp, DerefOp, Key, MemoryOp, Op, PtrOp, TexOp, ValueType};
use vitrine_ir::{EntryPoint, Func, FuncBody, Inst, InstData, Module, Var};

/// The lookups of an image that is combined with its sampler.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Lookups {
    /// There are lookups that compare.
    pub(super) compare: bool,
    /// There are lookups that do not, which a sampler with a comparison has no functions for.
    pub(super) plain: bool,
}

impl Lookups {
    fn add(&mut self, other: Lookups) {
        self.compare |= other.compare;
        self.plain |= other.plain;
    }

    /// Both kinds.
    pub(super) fn are_mixed(self) -> bool {
        self.compare && self.plain
    }
}

/// The uses of variables by an entry point.
#[derive(Debug, Default)]
pub(super) struct Uses {
    /// Lookups by the variable of the image.
    vars: FxHashMap<Var, Lookups>,
    /// The same by parameter.
    params: FxHashMap<(Func, Inst), Lookups>,
    /// Memory that is read.
    read: EntitySet<Var>,
    /// Variables of which something else than a member is taken.
    whole: EntitySet<Var>,
}

impl Uses {
    /// The uses by an entry point and the functions that it calls. Linear in their size.
    pub(super) fn of(module: &Module, entry: &EntryPoint) -> Uses {
        let mut uses = Uses::default();
        for func in callees_first(module, entry.func) {
            let Some(body) = module.func(func) else { continue };
            body.for_each_inst(|_, inst| uses.add(module, func, body, inst));
        }
        uses
    }

    /// The lookups of the image that a variable is.
    pub(super) fn of_var(&self, var: Var) -> Lookups {
        self.vars.get(&var).copied().unwrap_or_default()
    }

    /// The lookups of the image that a parameter is.
    pub(super) fn of_param(&self, func: Func, param: Inst) -> Lookups {
        self.params.get(&(func, param)).copied().unwrap_or_default()
    }

    /// Returns true for memory that is read.
    pub(super) fn reads(&self, var: Var) -> bool {
        self.read.contains(var)
    }

    /// Returns true for a variable of which something else than a member is taken.
    pub(super) fn takes_whole(&self, var: Var) -> bool {
        self.whole.contains(var)
    }

    fn add(&mut self, module: &Module, func: Func, body: &FuncBody, inst: Inst) {
        let data = body.inst(inst);
        self.add_whole(body, data);
        match data.op {
            Op::Memory(MemoryOp::Store | MemoryOp::ArrayLen) => {}
            // A handle is no texel.
            Op::Memory(MemoryOp::Load) if data.ty == ValueType::Handle => {}
            Op::Memory(_) | Op::Ptr(PtrOp::Texel) | Op::Tex(TexOp::Read) => {
                for &arg in data.args.iter() {
                    self.add_read(body, arg);
                }
            }
            Op::Basic(BasicOp::Call) => self.add_call(module, func, body, data),
            Op::Tex(op) => {
                let lookups = match op {
                    TexOp::Sample | TexOp::SampleLod | TexOp::Gather if data.attrs.has(Key::Shadow) => {
                        Lookups { compare: true, plain: false }
                    }
                    TexOp::Sample | TexOp::SampleLod | TexOp::Gather | TexOp::Fetch => {
                        Lookups { compare: false, plain: true }
                    }
                    TexOp::Read
                    | TexOp::Write
                    | TexOp::QuerySize
                    | TexOp::QueryLod
                    | TexOp::QueryLevels
                    | TexOp::QuerySamples
                    | TexOp::Combine
                    | TexOp::ImageOf
                    | TexOp::Resident => return,
                };
                if let Some(&image) = data.args.first() {
                    self.add_lookups(func, combined_root(body, image), lookups);
                }
            }
            _ => {}
        }
    }

    fn add_whole(&mut self, body: &FuncBody, data: &InstData) {
        if data.op == Op::Deref(DerefOp::Field) {
            return;
        }
        for &arg in data.args.iter() {
            let taken = body.inst(arg);
            if let (Op::Deref(DerefOp::Var), Some(var)) = (taken.op, taken.entity::<Var>(Key::Var)) {
                self.whole.insert(var);
            }
        }
    }

    fn add_read(&mut self, body: &FuncBody, path: Inst) {
        if let Some(PathRoot::Var(var)) = root(body, path).filter(|_| body.ty(path).is_opaque()) {
            self.read.insert(var);
        }
    }

    fn add_lookups(&mut self, func: Func, root: Option<PathRoot>, lookups: Lookups) {
        match root {
            Some(PathRoot::Var(var)) => self.vars.entry(var).or_default().add(lookups),
            Some(PathRoot::Param(param)) => self.params.entry((func, param)).or_default().add(lookups),
            None => {}
        }
    }

    /// An argument is used as its parameter is; memory that is passed may be read.
    fn add_call(&mut self, module: &Module, func: Func, body: &FuncBody, data: &InstData) {
        let Some(callee) = data.entity::<Func>(Key::Func) else { return };
        let params = module.func(callee).map_or(&[][..], FuncBody::params);
        for (&arg, &param) in data.args.iter().zip(params) {
            if !body.ty(arg).is_opaque() {
                continue;
            }
            self.add_read(body, arg);
            let lookups = self.of_param(callee, param);
            self.add_lookups(func, combined_root(body, arg), lookups);
        }
    }
}

/// The variable or the parameter that a combined image is. `None` if the program combines it with its sampler.
fn combined_root(body: &FuncBody, handle: Inst) -> Option<PathRoot> {
    let mut at = handle;
    for _ in 0..STEPS {
        let data = body.tables().insts.get(at)?;
        match data.op {
            Op::Tex(TexOp::Combine) => return None,
            Op::Tex(TexOp::ImageOf) | Op::Basic(BasicOp::Copy) | Op::Memory(MemoryOp::Load) => {
                at = *data.args.first()?;
            }
            _ => return root(body, at),
        }
    }
    None
}
