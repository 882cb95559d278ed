//! Counts of uses of values, by kind of use: computed once for each function, before anything is written.
//!
//! Some values are written as part of their uses: steps of a path in an access chain, a swizzle that only
//! selects the projector, a vector of offsets. They are not written separately if they have no other use.

use vitrine_ir::ops::attr::unpack_component;
use vitrine_ir::ops::{DerefOp, Dim, IntOp, Key, MemoryOp, Op, Role, ValueType, VectorOp};
use vitrine_ir::{FuncBody, Inst, InstData, NodeKind, Terminator, TreeStep, TreeWalk};

/// Uses by instruction.
pub(super) struct Uses {
    /// Uses that need the value as an id.
    counts: Vec<u32>,
    /// Uses that do not need the id.
    absorbed: Vec<u32>,
    /// Steps of a path between it and the last one that is written.
    run: Vec<u8>,
    /// Uses as the value of a store.
    stored: Vec<u32>,
}

/// A chain of steps longer than this is written in pieces.
const LONGEST_CHAIN: u8 = 32;

impl Uses {
    /// Counts uses. Linear in operands.
    pub(super) fn of(body: &FuncBody) -> Uses {
        let len = body.tables().insts.len();
        let mut uses =
            Uses { counts: vec![0; len], absorbed: vec![0; len], run: vec![0; len], stored: vec![0; len] };
        for step in TreeWalk::new(body) {
            match step {
                TreeStep::Block(block) => {
                    let data = body.block(block);
                    data.insts.iter().for_each(|&inst| uses.inst(body, inst));
                    uses.terminator(&data.terminator);
                }
                TreeStep::Enter(node) => {
                    if let NodeKind::If { cond: on, .. } | NodeKind::Switch { on, .. } = body.node(node).kind
                    {
                        uses.add(on);
                    }
                }
                TreeStep::Open(..) | TreeStep::Leave(_) => {}
            }
        }
        uses
    }

    /// Returns true if the value is needed as an id.
    pub(super) fn any(&self, inst: Inst) -> bool {
        self.counts[index(inst)] > 0
    }

    /// Returns true if the value is written only as part of its uses.
    pub(super) fn only_absorbed(&self, inst: Inst) -> bool {
        self.counts[index(inst)] == 0 && self.absorbed[index(inst)] > 0
    }

    /// Returns true if the value is used, and only as the value of stores.
    pub(super) fn only_stored(&self, inst: Inst) -> bool {
        let at = index(inst);
        self.stored[at] > 0 && self.counts[at] == self.stored[at] && self.absorbed[at] == 0
    }

    fn add(&mut self, inst: Inst) {
        self.counts[index(inst)] += 1;
    }

    fn absorb(&mut self, inst: Inst) {
        self.absorbed[index(inst)] += 1;
    }

    fn terminator(&mut self, terminator: &Terminator) {
        terminator.for_each_use(|value| self.add(value));
    }

    fn inst(&mut self, body: &FuncBody, inst: Inst) {
        let data = body.inst(inst);
        if let (Op::Memory(MemoryOp::Store), Some(&value)) = (data.op, data.args.get(1)) {
            self.stored[index(value)] += 1;
        }
        match data.op {
            Op::Deref(DerefOp::Field | DerefOp::Elem) => {
                let Some((&base, rest)) = data.args.split_first() else { return };
                rest.iter().for_each(|&index| self.add(index));
                let run = self.run[index(base)] + 1;
                match run >= LONGEST_CHAIN {
                    true => self.add(base),
                    false => {
                        self.run[index(inst)] = run;
                        self.absorb(base);
                    }
                }
            }
            // The length of an array is queried from the enclosing structure.
            Op::Memory(MemoryOp::ArrayLen) => {
                for &path in data.args.iter() {
                    let step = body.inst(path);
                    match step.op {
                        Op::Deref(DerefOp::Field) => {
                            self.absorb(path);
                            step.args.iter().for_each(|&base| self.add(base));
                        }
                        _ => self.add(path),
                    }
                }
            }
            // SPIR-V takes one offset and count for all components: a splat is not written for this use.
            Op::Int(op @ (IntOp::UBfe | IntOp::IBfe | IntOp::Bfi)) => {
                let bases = if op == IntOp::Bfi { 2 } else { 1 };
                for (at, &arg) in data.args.iter().enumerate() {
                    let splat = body.inst(arg);
                    match at >= bases && splat.op == Op::Vector(VectorOp::Splat) {
                        true => {
                            self.absorb(arg);
                            splat.args.iter().for_each(|&scalar| self.add(scalar));
                        }
                        false => self.add(arg),
                    }
                }
            }
            Op::Tex(_) => self.image(body, inst),
            _ => data.args.iter().for_each(|&arg| self.add(arg)),
        }
    }

    fn image(&mut self, body: &FuncBody, inst: Inst) {
        let data = body.inst(inst);
        let roles: Vec<Role> = roles(data).collect();
        let coord = roles.iter().position(|&role| role == Role::Coord).map(|at| data.args[at]);
        for (at, &arg) in data.args.iter().enumerate() {
            let absorbed = match roles.get(at) {
                Some(Role::Projector) => coord.is_some_and(|coord| is_divisor(body, arg, coord, plane(data))),
                Some(Role::Offsets) => matches!(body.inst(arg).op, Op::Vector(_)),
                _ => false,
            };
            match absorbed {
                true if roles.get(at) == Some(&Role::Offsets) => {
                    self.absorb(arg);
                    body.inst(arg).args.iter().for_each(|&part| self.add(part));
                }
                true => self.absorb(arg),
                false => self.add(arg),
            }
        }
    }
}

/// Returns true if a value is the component of a coordinate after those that address the texel.
pub(super) fn is_divisor(body: &FuncBody, value: Inst, coord: Inst, component: u8) -> bool {
    let data = body.inst(value);
    data.op == Op::Vector(VectorOp::Swizzle)
        && data.args.first() == Some(&coord)
        && matches!(data.ty, ValueType::Bits { components: 1, .. })
        && data
            .attrs
            .get(Key::Components)
            .is_some_and(|components| unpack_component(components, 0) == component)
}

/// The roles of an instruction's operands.
pub(super) fn roles(data: &InstData) -> impl Iterator<Item = Role> {
    Role::unpack(data.attrs.get(Key::Roles).unwrap_or(0))
}

/// Components of a coordinate without layers, by dimension.
pub(super) fn plane(data: &InstData) -> u8 {
    data.attrs.word().unwrap_or(Dim::D2).axes() as u8
}

fn index(inst: Inst) -> usize {
    use vitrine_ir::base::EntityId;
    inst.index()
}
