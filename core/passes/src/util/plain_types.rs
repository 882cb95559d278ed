//! Types and constants without a layout, for variables outside of buffers.
//!
//! ```text
//! private $x: #B_0 = &0        #B_0 { m: [matrix row_major … step 32] {offset 0} }
//!   =>   private $x: #B_1 = &1      #B_1 { m: [matrix …] }
//! ```
//!
//! Front ends use the type of a buffer for variables, too, whose bytes nothing observes. A variable whose layout is not the
//! natural one gets the same type without offsets, strides and orders of matrices, and its initial value that type.
//!
//! Unchanged: variables whose address is more than the base of accesses: it has a type elsewhere.

use crate::util::open::in_order;
use rustc_hash::FxHashMap;
use vitrine_ir::base::{EntitySet, SideTable};
use vitrine_ir::layout::{Lengths, parts, scalar_bytes};
use vitrine_ir::ops::{BasicOp, DerefOp, Key, MemoryOp, Op, ValueType};
use vitrine_ir::{
    FuncBody, Global, GlobalData, GlobalValue, Inst, Len, Member, Mode, Module, Operand, StructData,
    Terminator, Type, TypeData, Var, VarData,
};

/// The longest path that is followed to its variable.
const MAX_STEPS: usize = 256;

/// Gives such variables types without a layout, each for a unit of fuel. Returns true if there was one. Linear.
pub(crate) fn plain_types(module: &mut Module, mut fuel: impl FnMut() -> bool) -> bool {
    let mut known = SideTable::with_default(None);
    let vars: Vec<(Var, VarData)> = module
        .vars()
        .filter(|(_, data)| {
            is_own(data.mode) && !data.is_untyped() && !is_natural(module, &mut known, data.ty)
        })
        .map(|(var, data)| (var, data.clone()))
        .collect();
    if vars.is_empty() {
        return false;
    }
    let passed = passed(module);
    let mut plain = Plain::default();
    let mut changed = false;
    for (var, data) in vars {
        if passed.contains(var) || !fuel() {
            continue;
        }
        let ty = plain.ty(module, data.ty);
        let init = data.init.map(|init| plain.operand(module, init));
        module.set_var(var, VarData { ty, init, ..data });
        changed = true;
    }
    changed
}

fn is_own(mode: Mode) -> bool {
    match mode {
        Mode::Private | Mode::Local | Mode::Shared => true,
        Mode::Uniform
        | Mode::Storage
        | Mode::Push
        | Mode::In
        | Mode::Out
        | Mode::Handle
        | Mode::Payload
        | Mode::Physical
        | Mode::Callable
        | Mode::Generic => false,
    }
}

/// Variables whose address is used by more than steps, loads, stores, copies and atomics.
fn passed(module: &Module) -> EntitySet<Var> {
    let mut out = EntitySet::new();
    for (_, data) in module.globals() {
        if let GlobalValue::Address(var) = data.value {
            out.insert(var);
        }
    }
    for (_, body) in module.funcs() {
        let mut pass = |value: Inst| {
            if body.ty(value) == ValueType::Path
                && let Some(var) = root(body, value)
            {
                out.insert(var);
            }
        };
        for block in in_order(body) {
            for &inst in body.block(block).insts.iter() {
                let data = body.inst(inst);
                match data.op {
                    Op::Deref(DerefOp::Var | DerefOp::Field | DerefOp::Elem | DerefOp::All)
                    | Op::Basic(BasicOp::Copy)
                    | Op::Memory(
                        MemoryOp::Load
                        | MemoryOp::CopyVar
                        | MemoryOp::ArrayLen
                        | MemoryOp::AtomicLoad
                        | MemoryOp::AtomicStore
                        | MemoryOp::Atomic
                        | MemoryOp::AtomicCas,
                    ) => {}
                    Op::Memory(MemoryOp::Store) => data.args.iter().skip(1).for_each(|&value| pass(value)),
                    _ => data.args.iter().for_each(|&value| pass(value)),
                }
            }
            match body.terminator(block) {
                Terminator::Next(args) | Terminator::Break(_, args) | Terminator::Continue(_, args) => {
                    args.iter().for_each(|&value| pass(value));
                }
                Terminator::Return(value) => value.iter().for_each(|&value| pass(value)),
                Terminator::Goto(edge) => edge.args.iter().for_each(|&value| pass(value)),
                Terminator::Branch { then, els, .. } => {
                    then.args.iter().chain(els.args.iter()).for_each(|&value| pass(value));
                }
                Terminator::Switch { cases, default, .. } => {
                    let edges = cases.iter().map(|case| &case.edge).chain([default]);
                    edges.flat_map(|edge| edge.args.iter()).for_each(|&value| pass(value));
                }
                Terminator::Stop(_) => {}
            }
        }
    }
    out
}

/// The variable that a path begins at.
fn root(body: &FuncBody, path: Inst) -> Option<Var> {
    let mut at = path;
    for _ in 0..MAX_STEPS {
        let data = body.inst(at);
        match data.op {
            Op::Deref(DerefOp::Var) => return data.entity(Key::Var),
            Op::Deref(_) | Op::Basic(BasicOp::Copy) => at = *data.args.first()?,
            _ => return None,
        }
    }
    None
}

/// Size and alignment in bytes.
type Extent = (u64, u64);

/// Returns true if every part of a type is where the next free place for it is, by the alignment of vectors.
fn is_natural(module: &Module, known: &mut SideTable<Type, Option<Option<Extent>>>, ty: Type) -> bool {
    let mut work = vec![(ty, false)];
    while let Some((ty, parts_done)) = work.pop() {
        if known[ty].is_some() {
            continue;
        }
        if parts_done {
            let extent = natural(module, known, ty);
            known[ty] = Some(extent);
            continue;
        }
        work.push((ty, true));
        work.extend(parts(module, ty).into_iter().map(|part| (part, false)));
    }
    known[ty].flatten().is_some()
}

fn natural(module: &Module, known: &SideTable<Type, Option<Option<Extent>>>, ty: Type) -> Option<Extent> {
    let part = |ty: Type| known[ty].flatten();
    let elements = |of: Type, count: u64, stride: u32| {
        let (bytes, align) = part(of)?;
        let own = bytes.next_multiple_of(align);
        (stride == 0 || u64::from(stride) == own).then(|| (own.saturating_mul(count), align))
    };
    match *module.type_of(ty) {
        TypeData::Bool => Some((4, 4)),
        TypeData::Int { width, .. } | TypeData::Float { width } => {
            let bytes = scalar_bytes(width);
            Some((bytes, bytes.max(1)))
        }
        TypeData::Vector { of, components } => {
            let (bytes, _) = part(of)?;
            let count = u64::from(components);
            Some((bytes * count, (bytes * count.next_power_of_two()).max(1)))
        }
        TypeData::Matrix { row_major: true, .. } => None,
        TypeData::Matrix { column, columns, stride, .. } => elements(column, u64::from(columns), stride),
        TypeData::Array { of, len: Len::Count(count), stride } => elements(of, u64::from(count), stride),
        TypeData::Array { of, len: len @ Len::Global(_), stride } => elements(of, module.of(len), stride),
        TypeData::RuntimeArray { of, stride } => elements(of, 0, stride),
        TypeData::Struct(structure) => {
            let (mut end, mut align) = (0u64, 1u64);
            for member in module.structure(structure)?.members.iter() {
                let extent = part(member.ty)?;
                let offset = end.next_multiple_of(extent.1);
                if member.attrs.get(Key::Offset).is_some_and(|declared| declared != offset) {
                    return None;
                }
                align = align.max(extent.1);
                end = offset.saturating_add(extent.0);
            }
            Some((end.next_multiple_of(align), align))
        }
        _ => Some((8, 8)),
    }
}

/// Types and constants with those that replace them.
#[derive(Default)]
struct Plain {
    types: FxHashMap<Type, Type>,
    globals: FxHashMap<Global, Global>,
}

impl Plain {
    fn ty(&mut self, module: &mut Module, ty: Type) -> Type {
        let mut work = vec![(ty, false)];
        while let Some((ty, parts_done)) = work.pop() {
            if self.types.contains_key(&ty) {
                continue;
            }
            if parts_done {
                let new = self.combine(module, ty);
                self.types.insert(ty, new);
                continue;
            }
            work.push((ty, true));
            work.extend(parts(module, ty).into_iter().map(|part| (part, false)));
        }
        self.known(ty)
    }

    fn known(&self, ty: Type) -> Type {
        self.types.get(&ty).copied().unwrap_or(ty)
    }

    fn combine(&self, module: &mut Module, ty: Type) -> Type {
        match *module.type_of(ty) {
            TypeData::Matrix { column, columns, .. } => {
                let column = self.known(column);
                module.ty(TypeData::Matrix { column, columns, stride: 0, row_major: false })
            }
            TypeData::Array { of, len, .. } => {
                let of = self.known(of);
                module.ty(TypeData::Array { of, len, stride: 0 })
            }
            TypeData::Struct(structure) => {
                let Some(data) = module.structure(structure).cloned() else { return ty };
                let plain = |member: &Member| Member {
                    ty: self.known(member.ty),
                    attrs: member.attrs.without(Key::Offset),
                    ..member.clone()
                };
                let members: Vec<Member> = data.members.iter().map(plain).collect();
                if members[..] == data.members[..] {
                    return ty;
                }
                let attrs = data.attrs.without(Key::Block).without(Key::BufferBlock);
                let new = module.add_struct(StructData { members: members.into(), attrs, ..data });
                module.ty(TypeData::Struct(new))
            }
            _ => ty,
        }
    }

    fn operand(&mut self, module: &mut Module, operand: Operand) -> Operand {
        let Operand::Global(global) = operand else { return operand };
        let mut work = vec![(global, false)];
        while let Some((global, parts_done)) = work.pop() {
            if self.globals.contains_key(&global) {
                continue;
            }
            if parts_done {
                let new = self.constant(module, global);
                self.globals.insert(global, new);
                continue;
            }
            work.push((global, true));
            let operands =
                module.global(global).map(|data| data.value.operands().to_vec()).unwrap_or_default();
            work.extend(operands.into_iter().filter_map(|operand| match operand {
                Operand::Global(global) => Some((global, false)),
                Operand::Bits(_) => None,
            }));
        }
        Operand::Global(self.globals.get(&global).copied().unwrap_or(global))
    }

    /// A constant of the type without a layout, whose parts are known.
    fn constant(&mut self, module: &mut Module, global: Global) -> Global {
        let Some(data) = module.global(global).cloned() else { return global };
        let value = match &data.value {
            GlobalValue::Parts(ty, parts) => {
                let parts = parts.iter().map(|&part| match part {
                    Operand::Global(part) => {
                        Operand::Global(self.globals.get(&part).copied().unwrap_or(part))
                    }
                    Operand::Bits(_) => part,
                });
                let parts = parts.collect();
                GlobalValue::Parts(self.ty(module, *ty), parts)
            }
            GlobalValue::Zero(ty) => GlobalValue::Zero(self.ty(module, *ty)),
            GlobalValue::Undef(ty) => GlobalValue::Undef(self.ty(module, *ty)),
            GlobalValue::Spec(_) | GlobalValue::Op { .. } | GlobalValue::Address(_) => return global,
        };
        if value == data.value {
            return global;
        }
        module.add_global(GlobalData { value, ..data })
    }
}
