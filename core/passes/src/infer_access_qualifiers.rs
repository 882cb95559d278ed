//! `infer-access-qualifiers`: marks buffers and images that are never written as read-only, and those never read as
//! write-only.
//!
//! ```text
//! storage $0: #0 {set 0, binding 0}    =>   storage $0: #0 {set 0, binding 0, access readonly}
//! ```
//!
//! A storage buffer or storage image without stores through its variable is `readonly`; an image without loads is
//! `writeonly`. If nothing in the module writes to any storage buffer, loads from buffers may be reordered
//! (`reorder`): `copy-prop-vars` then keeps known contents across barriers and calls, since other invocations run
//! the same module. In SPIR-V these are the decorations `NonWritable` and `NonReadable`, which drivers use.
//!
//! Left alone: variables with escaping paths or handles (calls, selections, block parameters); coherent and
//! volatile variables as to `reorder`; everything in kernels, where an address may point anywhere. NIR:
//! `nir_opt_access`.

use super::pass::{Journals, PassContext, PassInfo, RunFn};
use crate::util::memory::{has_watched_members, is_watched};
use crate::util::open::in_order;
use rustc_hash::FxHashSet;
use vitrine_ir::base::SideTable;
use vitrine_ir::base::opening::opening;
use vitrine_ir::ops::{
    Access, BasicOp, DerefOp, Dim, IoOp, Key, MemoryOp, Op, Props, PtrOp, TexOp, ValueType, WordSet,
};
use vitrine_ir::{Diag, Fuel, FuncBody, GlobalValue, Inst, Mode, Module, TypeData, Usage, Var, VarData};

/// The entry in the list of passes.
pub(super) const PASS: PassInfo = PassInfo {
    doc: "Marks buffers and images that are never written as read-only, and those never read as write-only.",
    ..PassInfo::new(
        "infer-access-qualifiers",
        opening!("infer_access_qualifiers.rs"),
        RunFn::Module(infer_access_qualifiers),
    )
};

/// Marks variables. Linear; idempotent; both shapes. One unit of fuel per variable. Never fails.
fn infer_access_qualifiers(
    module: &mut Module,
    _: PassContext<'_>,
    fuel: &mut Fuel,
) -> Result<Journals, Diag> {
    let accesses = Accesses::of(module);
    let all: Vec<(Var, VarData)> = module.vars().map(|(var, data)| (var, data.clone())).collect();
    for (var, data) in all {
        let storage = data.mode == Mode::Storage;
        if !(storage || is_storage_image(module, &data)) || accesses.escaped.contains(&var) {
            continue;
        }
        let before = data.attrs.words::<Access>();
        let mut access = before;
        if !accesses.written.contains(&var) {
            access = access.and(Access::READONLY);
            let fixed = storage
                && !accesses.any_write
                && !is_watched(&data.attrs)
                && !has_watched_members(module, &data);
            access = access.and(if fixed { Access::REORDER } else { Access::NONE });
        }
        if !storage && !accesses.read.contains(&var) && accesses.written.contains(&var) {
            access = access.and(Access::WRITEONLY);
        }
        if access == before {
            continue;
        }
        if !fuel.take() {
            break;
        }
        let attrs = data.attrs.with(Key::Access, access.number());
        module.set_var(var, VarData { attrs, ..data });
    }
    // No instruction changes; only the declarations of the variables they refer to.
    Ok(Journals::new())
}

/// Returns true if a variable is an image that is accessed without a sampler, or an array of such images.
fn is_storage_image(module: &Module, data: &VarData) -> bool {
    let mut at = data.ty;
    // The nesting depth of a type is below the number of types.
    for _ in 0..module.sizes()[0] {
        match module.type_of(at) {
            TypeData::Array { of, .. } | TypeData::RuntimeArray { of, .. } => at = *of,
            TypeData::Image(image) => {
                // An input attachment is only read.
                let is_attachment = image.dim == Dim::Subpass;
                return data.mode == Mode::Handle && image.usage == Usage::Storage && !is_attachment;
            }
            _ => return false,
        }
    }
    false
}

/// Accesses in all functions.
#[derive(Default)]
struct Accesses {
    written: FxHashSet<Var>,
    read: FxHashSet<Var>,
    /// Variables with escaping paths or handles.
    escaped: FxHashSet<Var>,
    /// True if an instruction may write to a storage buffer.
    any_write: bool,
}

impl Accesses {
    fn of(module: &Module) -> Accesses {
        let mut accesses = Accesses::default();
        for (_, body) in module.funcs() {
            accesses.function(module, body);
        }
        for (_, data) in module.globals() {
            if let GlobalValue::Address(var) = data.value {
                accesses.escaped.insert(var);
                accesses.any_write = true;
            }
        }
        accesses
    }

    fn function(&mut self, module: &Module, body: &FuncBody) {
        // The variable that a path points into, or that a resource was loaded from.
        let mut from: SideTable<Inst, Option<Var>> = SideTable::with_default(None);
        let order = in_order(body);
        let reachable: FxHashSet<_> = order.iter().copied().collect();
        for &block in &order {
            for &inst in body.block(block).insts.iter() {
                self.inst(module, body, &mut from, inst);
            }
            body.terminator(block).for_each_use(|value| self.escaped.extend(from[value]));
        }
        // Unreachable code counts as any possible access.
        for block in body.blocks_in_order().into_iter().filter(|block| !reachable.contains(block)) {
            for &inst in body.block(block).insts.iter() {
                let data = body.inst(inst);
                self.escaped.extend(data.entity::<Var>(Key::Var));
                self.any_write |= data.op.props().has(Props::WRITES);
            }
        }
    }

    fn inst(
        &mut self,
        module: &Module,
        body: &FuncBody,
        from: &mut SideTable<Inst, Option<Var>>,
        inst: Inst,
    ) {
        let data = body.inst(inst);
        let first = data.args.first().and_then(|&arg| from[arg]);
        match data.op {
            Op::Deref(DerefOp::Var) => from[inst] = data.entity(Key::Var),
            Op::Deref(DerefOp::Field | DerefOp::Elem | DerefOp::All) | Op::Basic(BasicOp::Copy) => {
                from[inst] = first;
            }
            Op::Memory(MemoryOp::Load) => {
                from[inst] = first.filter(|_| data.ty.is_opaque());
                self.read.extend(first.filter(|_| !data.ty.is_opaque()));
            }
            Op::Memory(MemoryOp::ArrayLen) => {}
            Op::Memory(MemoryOp::Store | MemoryOp::CopyVar) => {
                self.written.extend(first);
                self.any_write |= self.may_be_storage(module, body, data.args.first().copied());
                let other = data.args.get(1).and_then(|&arg| from[arg]);
                match data.op {
                    Op::Memory(MemoryOp::CopyVar) => self.read.extend(other),
                    _ => self.escaped.extend(other),
                }
            }
            Op::Tex(TexOp::Write) => {
                self.written.extend(first);
                self.escaped.extend(data.args.iter().skip(1).filter_map(|&arg| from[arg]));
            }
            Op::Tex(TexOp::QuerySize | TexOp::QueryLevels | TexOp::QuerySamples) => {}
            Op::Tex(_) => {
                self.read.extend(data.args.iter().filter_map(|&arg| from[arg]));
                self.written.extend(first.filter(|_| data.op.props().has(Props::WRITES)));
            }
            Op::Ptr(PtrOp::Texel) => {
                self.written.extend(first);
                self.read.extend(first);
            }
            Op::Io(IoOp::SetSsbo) => self.any_write = true,
            _ => {
                self.escaped.extend(data.args.iter().filter_map(|&arg| from[arg]));
                self.escaped.extend(data.entity::<Var>(Key::Var));
                // Calls are covered by the callee's own instructions; any other writing instruction may write to
                // storage buffers.
                let calls = data.op == Op::Basic(BasicOp::Call);
                let by_address =
                    data.args.iter().any(|&arg| matches!(body.ty(arg), ValueType::Path | ValueType::Ptr));
                self.any_write |= !calls && by_address && data.op.props().has(Props::WRITES);
            }
        }
    }

    /// Returns true if a path may point into a storage buffer.
    fn may_be_storage(&self, module: &Module, body: &FuncBody, path: Option<Inst>) -> bool {
        let mode = path.and_then(|path| module.path_type(body, path)).map(|path| path.mode);
        mode.is_none_or(|mode| {
            matches!(mode, Mode::Storage | Mode::Uniform | Mode::Physical | Mode::Generic | Mode::Callable)
        })
    }
}
