//! Variables that hold images and samplers, and all their uses in all functions.
//!
//! Follows arrays, loads and copies. If a handle is used in any other way (selects, calls, parameters,
//! results), its variable is dropped: changing a declaration requires that every use is known.

use rustc_hash::{FxHashMap, FxHashSet};
use vitrine_ir::base::SideTable;
use vitrine_ir::ops::{BasicOp, DerefOp, Key, MemoryOp, Op, TexOp, ValueType};
use vitrine_ir::{Func, FuncBody, GlobalValue, Inst, Mode, Module, Type, TypeData, Var, VarData};

/// A value that refers to a variable.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Lead {
    /// The variable.
    pub(crate) var: Var,
    /// True for the whole content of the variable; false for only its image, combined with another sampler.
    pub(crate) is_whole: bool,
}

/// Every use of some variables.
pub(crate) struct Handles {
    leads: FxHashMap<Func, SideTable<Inst, Option<Lead>>>,
    /// The variables whose uses are all known.
    known: FxHashSet<Var>,
}

impl Handles {
    /// Collects the uses of the resource variables that `wanted` selects. Linear.
    pub(crate) fn of(module: &Module, wanted: impl Fn(&VarData) -> bool) -> Handles {
        let all = module.vars().filter(|(_, data)| data.mode == Mode::Handle && wanted(data));
        let known: FxHashSet<Var> = all.map(|(var, _)| var).collect();
        let mut handles = Handles { leads: FxHashMap::default(), known };
        if handles.known.is_empty() {
            return handles;
        }
        for (_, data) in module.globals() {
            if let GlobalValue::Address(var) = data.value {
                handles.known.remove(&var);
            }
        }
        for (func, body) in module.funcs() {
            handles.function(func, body);
        }
        handles
    }

    /// Returns true if every use of a variable is known.
    pub(crate) fn knows(&self, var: Var) -> bool {
        self.known.contains(&var)
    }

    /// The variable that a path or a handle refers to.
    pub(crate) fn lead(&self, func: Func, value: Inst) -> Option<Lead> {
        self.leads.get(&func)?[value].filter(|lead| self.knows(lead.var))
    }

    fn function(&mut self, func: Func, body: &FuncBody) {
        let mut leads: SideTable<Inst, Option<Lead>> = SideTable::with_default(None);
        let order = crate::util::open::in_order(body);
        let reached: FxHashSet<_> = order.iter().copied().collect();
        // Unreachable code may refer to later instructions: hence two passes.
        let rest: Vec<_> = body.blocks_in_order().into_iter().filter(|at| !reached.contains(at)).collect();
        for &block in order.iter().chain(&rest).chain(&rest) {
            for &inst in body.block(block).insts.iter() {
                self.inst(body, &mut leads, inst);
            }
            body.terminator(block).for_each_use(|value| self.exclude(leads[value]));
        }
        self.leads.insert(func, leads);
    }

    fn exclude(&mut self, lead: Option<Lead>) {
        if let Some(lead) = lead {
            self.known.remove(&lead.var);
        }
    }

    fn inst(&mut self, body: &FuncBody, leads: &mut SideTable<Inst, Option<Lead>>, inst: Inst) {
        let data = body.inst(inst);
        let first = data.args.first().and_then(|&arg| leads[arg]);
        let others = data.args.iter().skip(1).filter_map(|&arg| leads[arg]);
        let others: Vec<Lead> = others.collect();
        let (lead, taken) = match data.op {
            Op::Deref(DerefOp::Var) => (data.entity(Key::Var).map(|var| Lead { var, is_whole: true }), true),
            Op::Deref(DerefOp::Elem) | Op::Basic(BasicOp::Copy) => (first, true),
            Op::Memory(MemoryOp::Load) => (first, data.ty == ValueType::Handle),
            Op::Tex(TexOp::ImageOf | TexOp::Combine) => {
                (first.map(|lead| Lead { is_whole: false, ..lead }), true)
            }
            // Any image operation: the image is the first operand, and a separate sampler may follow.
            Op::Tex(_) => (None, true),
            _ => (None, false),
        };
        if !taken {
            self.exclude(first);
            self.exclude(data.entity(Key::Var).map(|var| Lead { var, is_whole: true }));
        }
        let samples = matches!(data.op, Op::Tex(_));
        for other in others {
            if !samples {
                self.exclude(Some(other));
            }
        }
        if let Some(lead) = lead.filter(|lead| self.known.contains(&lead.var)) {
            leads[inst] = Some(lead);
        }
    }
}

/// The innermost element type of nested arrays, and the lengths, outermost first, if all are known.
pub(crate) fn element(module: &Module, ty: Type) -> (Type, Option<Vec<u32>>) {
    let (mut at, mut lengths) = (ty, Some(Vec::new()));
    // The nesting of a type is less deep than the number of types.
    for _ in 0..module.sizes()[0] {
        let (of, len) = match module.type_of(at) {
            TypeData::Array { of, len: vitrine_ir::Len::Count(count), .. } => (*of, Some(*count)),
            TypeData::Array { of, .. } | TypeData::RuntimeArray { of, .. } => (*of, None),
            _ => break,
        };
        lengths = lengths.zip(len).map(|(mut lengths, len): (Vec<u32>, u32)| {
            lengths.push(len);
            lengths
        });
        at = of;
    }
    (at, lengths)
}

/// The same arrays of another element type.
pub(crate) fn of_other(module: &mut Module, ty: Type, other: TypeData) -> Type {
    let (mut at, mut arrays) = (ty, Vec::new());
    for _ in 0..module.sizes()[0] {
        let data = module.type_of(at).clone();
        let (TypeData::Array { of, .. } | TypeData::RuntimeArray { of, .. }) = data else { break };
        arrays.push(data);
        at = of;
    }
    let mut ty = module.ty(other);
    for array in arrays.into_iter().rev() {
        ty = match array {
            TypeData::Array { len, stride, .. } => module.ty(TypeData::Array { of: ty, len, stride }),
            TypeData::RuntimeArray { stride, .. } => module.ty(TypeData::RuntimeArray { of: ty, stride }),
            _ => ty,
        };
    }
    ty
}
