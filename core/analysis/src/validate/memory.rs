//! Types that paths point at, computed step by step, and the validity of each step.

use super::diagnostics::{Named, Naming};
use super::function::Checker;
use super::reach::{Reach, stated};
use super::*;
use vitrine_ir::ops::{BasicOp, DerefOp, Key, MemoryOp, Op, PtrOp, SpirvOp, ValueType};
use vitrine_ir::{Diag, GlobalValue, Inst, InstData, Len, Mode, PathType, Type, TypeData, Var, VarData};

impl Checker<'_, '_> {
    /// Computes the type of every path after its base: definitions precede their uses in reverse post-order,
    /// and in the text order of a tree.
    pub(super) fn resolve_paths(&mut self) {
        let body = self.here.body;
        body.params().iter().for_each(|&param| self.resolve(param));
        let order = match &self.dom {
            Some(dom) => dom.cfg().blocks().to_vec(),
            None => self.layout.order.clone(),
        };
        for block in order {
            let data = body.block(block);
            data.params.iter().chain(data.insts.iter()).for_each(|&inst| self.resolve(inst));
        }
    }

    fn resolve(&mut self, inst: Inst) {
        let (body, module) = (self.here.body, self.here.module);
        let Some(data) = body.tables().insts.get(inst) else { return };
        if !matches!(data.ty, ValueType::Path | ValueType::Handle) {
            return;
        }
        let base = || self.reach.get(*data.args.first()?);
        let found = match data.op {
            // A handle keeps the type of the memory it was loaded from.
            Op::Memory(MemoryOp::Load) if data.ty == ValueType::Handle => base(),
            _ => module.path_step(body, inst, |base| self.reach.at(base)).map(|at| match data.op {
                Op::Deref(DerefOp::Var) => Reach { root: data.entity(Key::Var), ..Reach::of(at) },
                Op::Deref(DerefOp::Field | DerefOp::Elem | DerefOp::Step | DerefOp::All)
                | Op::Basic(BasicOp::Copy) => {
                    let base = base().unwrap_or(Reach::of(at));
                    let reach = Reach { at, ..base };
                    match data.op {
                        Op::Deref(DerefOp::All) => reach.over_all(self.length(base.at.ty)),
                        _ => reach,
                    }
                }
                _ => Reach::of(at),
            }),
        };
        if let Some(reach) = found {
            self.reach.set(inst, reach);
        }
    }

    /// The number of elements, as a number that is equal only for equal lengths.
    fn length(&self, ty: Type) -> u64 {
        match *self.here.module.type_of(ty) {
            TypeData::Array { len: Len::Global(len), .. } => 1 << 32 | len.index() as u64,
            _ => self.here.module.element_count(ty).map_or(1 << 33, u64::from),
        }
    }

    /// Checks the memory accesses of an instruction that fits its entry.
    pub(super) fn memory(&mut self, inst: Inst, data: &InstData) {
        match data.op {
            Op::Deref(op) => self.deref(inst, data, op),
            Op::Ptr(PtrOp::Texel) => self.texel(inst, data),
            Op::Ptr(_) => self.var_owner(inst),
            Op::Memory(op) => self.access(inst, data, op),
            Op::Io(op) => self.interpolated(inst, data, op),
            Op::Basic(BasicOp::Choose) if data.ty == ValueType::Path => self.choose(inst, data),
            Op::Basic(BasicOp::Global) if data.ty == ValueType::Path => {
                let global = data.entity(Key::Global).and_then(|global| self.here.module.global(global));
                if let Some(GlobalValue::Address(var)) = global.map(|data| &data.value) {
                    self.typed(inst, Some(*var));
                }
            }
            Op::Basic(BasicOp::Param | BasicOp::Undef) | Op::Spirv(SpirvOp::Raw)
                if data.ty == ValueType::Path && stated(&data.attrs).is_none() =>
            {
                let diag = self.error_at(PATH_TYPE_STATED, inst).name(self.here.inst(inst));
                let diag = diag.says("is a path without the type it points at");
                self.push(diag.help("add `type` and `mode`"));
            }
            _ => {}
        }
        // Steps and copies may operate on all elements at once; edges and calls are checked separately.
        if !matches!(data.op, Op::Deref(_) | Op::Memory(MemoryOp::CopyVar) | Op::Basic(BasicOp::Call)) {
            for at in 0..data.args.len() {
                if self.arg_types.get(at) == Some(&ValueType::Path) {
                    self.no_all(data.args[at], Anchor::Arg(self.here.func, inst, at as u32));
                }
            }
        }
    }

    /// Reports a path to all elements at once that is used outside a copy.
    fn no_all(&mut self, path: Inst, anchor: Anchor) {
        if self.reach.get(path).is_some_and(|reach| reach.all > 0) {
            let diag = Diag::error(ALL_IN_COPIES, anchor).name(self.here.inst(path));
            let diag = diag.says("selects all elements at once");
            self.push(diag.help("only `copy` accepts it; select one element with `deref.elem`"));
        }
    }

    /// Reports a path to a variable without a type.
    fn typed(&mut self, inst: Inst, var: Option<Var>) {
        let Some(var) = var.filter(|&var| self.here.module.var(var).is_some_and(VarData::is_untyped)) else {
            return;
        };
        let diag = self.error_at(UNTYPED_MEMORY, inst).name(diagnostics::var(self.here.module, var));
        self.push(diag.says("is untyped memory, which paths cannot access").help("use `ptr.var`"));
    }

    fn deref(&mut self, inst: Inst, data: &InstData, op: DerefOp) {
        let (here, module) = (self.here, self.here.module);
        self.var_owner(inst);
        if op == DerefOp::Var {
            self.typed(inst, data.entity(Key::Var));
        }
        let Some(base) = data.args.first().and_then(|&base| self.reach.get(base)) else { return };
        let of = || diagnostics::full_type(module, base.at.ty);
        let wrong = |says: String, help: &str| {
            let diag = Diag::error(STEP_FITS, Anchor::Arg(here.func, inst, 0)).name(here.inst(data.args[0]));
            diag.says(says).help(help)
        };
        match op {
            DerefOp::Field if self.reach.get(inst).is_none() => {
                let says = match module.type_of(base.at.ty) {
                    TypeData::Struct(id) => {
                        let members = module.structure(*id).map_or(0, |data| data.members.len());
                        let field = data.attrs.get(Key::Field).unwrap_or(0);
                        format!(
                            "points at {}, which has {} and no member {field}",
                            of(),
                            diagnostics::count_or_no(members, "member")
                        )
                    }
                    _ => format!("points at {}, which has no members", of()),
                };
                self.push(wrong(says, "only structures have members, numbered from 0"));
            }
            DerefOp::Elem | DerefOp::All if self.reach.get(inst).is_none() => {
                let says = format!("points at {}, which has no elements", of());
                self.push(wrong(
                    says,
                    "only arrays, matrices and vectors have elements; use `deref.field` on a structure",
                ));
            }
            DerefOp::Cast => {
                let Some(to) = self.reach.get(inst) else { return };
                let modes = [base.at.mode, to.at.mode];
                if modes[0] != modes[1] && !modes.contains(&Mode::Generic) {
                    let diag = self.error_in(CAST_MODE, inst, 0).name(here.inst(data.args[0]));
                    let diag = diag.says(format!("points into `{}` memory", modes[0].name()));
                    let diag = diag.says(format!("and cannot be cast to `{}` memory", modes[1].name()));
                    self.push(diag.help("keep the mode, or cast to or from `generic`"));
                }
            }
            DerefOp::Var | DerefOp::Field | DerefOp::Elem | DerefOp::All => {}
            DerefOp::Step | DerefOp::FromBits => {}
        }
    }

    fn choose(&mut self, inst: Inst, data: &InstData) {
        let (Some(&a), Some(&b)) = (data.args.get(1), data.args.get(2)) else { return };
        let here = self.here;
        let anchor = |at| Anchor::Arg(here.func, inst, at);
        match stated(&data.attrs) {
            Some(stated) => {
                self.forwarded(a, Some(stated), anchor(1), || here.inst(inst));
                self.forwarded(b, Some(stated), anchor(2), || here.inst(inst));
            }
            None => self.forwarded(b, self.reach.at(a), anchor(2), || here.inst(a)),
        }
    }

    /// Checks a value that leaves the block or the function: a path must point at a single location, of the
    /// type that the receiver states.
    pub(super) fn passed_on(
        &mut self,
        value: Inst,
        wanted: Option<PathType>,
        anchor: Anchor,
        receiver: impl Fn() -> Named,
    ) {
        if self.here.body.ty(value) == ValueType::Path {
            self.no_all(value, anchor);
            self.forwarded(value, wanted, anchor, receiver);
        }
    }

    /// Checks that a forwarded path points at the type that the receiver states, if both are known.
    pub(super) fn forwarded(
        &mut self,
        path: Inst,
        wanted: Option<PathType>,
        anchor: Anchor,
        receiver: impl Fn() -> Named,
    ) {
        if self.here.body.ty(path) != ValueType::Path {
            return;
        }
        let (Some(given), Some(wanted)) = (self.reach.at(path), wanted) else { return };
        if given == wanted {
            return;
        }
        let module = self.here.module;
        let words = |at: PathType| {
            format!("{} in `{}` memory", diagnostics::full_type(module, at.ty), at.mode.name())
        };
        let diag = Diag::error(PATH_FORWARDED, anchor).name(self.here.inst(path));
        let diag = diag.says(format!("points at {}, but", words(given))).name(receiver());
        let diag = diag.says(format!("expects {}", words(wanted)));
        let help = match (given.mode == wanted.mode, words(given) == words(wanted)) {
            (false, _) => "both sides must have the same mode",
            (true, true) => "the types differ in a nested part; use `deref.cast` to convert",
            (true, false) => "use `deref.cast` to convert the type",
        };
        self.push(diag.help(help));
    }
}
