//! Operations of WGSL between invocations: derivatives, barriers, subgroups; and the end of invocations.

use crate::expr::{Expr, Token};
use crate::func::FuncWriter;
use crate::group::{NO_FUNCTION, axis_of, how_of, is_sum_or_product, reduction_of, reduction_word};
use crate::number::{Kind, NumberType};
use crate::scopes::{is_across_devices, scope};
use crate::stmt::Stmt;
use crate::wgsl::uniformity::Uniformity;
use std::rc::Rc;
use vitrine_ir::ops::{
    Axis, BasicOp, Builtin, DerefOp, Derivative, GroupOp, How, IoOp, Key, Op, Scope, Semantics,
};
use vitrine_ir::{Attrs, Func, Inst, InstData, Stage, TypeData, Var};
use vitrine_text::Class;

/// The memory that a barrier orders, and the function.
const STORAGE: &[(Semantics, &str)] = &[
    (Semantics::UNIFORM_MEMORY, "storageBarrier"),
    (Semantics::IMAGE_MEMORY, "textureBarrier"),
    (Semantics::WORKGROUP_MEMORY, "workgroupBarrier"),
];

/// Returns true for a barrier that the invocations of a workgroup wait at.
fn waits(data: &InstData) -> bool {
    data.attrs.word_of(Key::Exec) == Some(Scope::Workgroup)
}

/// Returns true for a barrier that no invocation of the workgroup waits for and that orders no memory: it is left out.
pub(super) fn orders_nothing(data: &InstData) -> bool {
    let order: Semantics = data.attrs.words();
    let has_storage = STORAGE.iter().any(|&(memory, _)| order.has(memory));
    !waits(data) && (!has_storage || !order.has_any(Semantics::ORDERS))
}

/// The first number that is no index of an invocation of a subgroup (WGSL, 17.12).
const MOST_INVOCATIONS: u64 = 128;

impl FuncWriter<'_, '_> {
    /// The function of an operation whose name depends on more than the operation. `None` if it was written or refused.
    pub(super) fn wgsl_group_function(&mut self, inst: Inst, op: GroupOp) -> Option<String> {
        let data = self.body.inst(inst);
        match op {
            GroupOp::Barrier => {
                self.wgsl_barrier(inst);
                None
            }
            GroupOp::Ddx => Some(self.wgsl_derivative(data, "dpdx")),
            GroupOp::Ddy => Some(self.wgsl_derivative(data, "dpdy")),
            GroupOp::Fwidth => Some(self.wgsl_derivative(data, "fwidth")),
            GroupOp::QuadSwap => Some(quad_swap(data).to_owned()),
            GroupOp::Reduce => {
                let name = reduction(data);
                if name.is_none() {
                    self.refuse_reduction(inst);
                }
                name
            }
            _ => {
                self.refuse(inst, NO_FUNCTION, "");
                None
            }
        }
    }

    /// Writes the call of a function between invocations.
    pub(super) fn wgsl_group_call(&mut self, inst: Inst, op: GroupOp, name: String) {
        if op.is_of_subgroup() {
            if self.w.stage == Stage::Vertex {
                return self.refuse(inst, "vertices have no subgroups", "");
            }
            self.w.extensions.insert("subgroups");
            self.w.own.wgsl.has_divergent_subgroups |= !self.is_straight();
        }
        let (ty, mut args) = self.group_operands(inst);
        let name = if op == GroupOp::Broadcast && !self.is_known_invocation(inst) {
            "subgroupShuffle".to_owned()
        } else {
            name
        };
        let takes_index = matches!(
            op,
            GroupOp::Broadcast
                | GroupOp::Shuffle
                | GroupOp::ShuffleXor
                | GroupOp::ShuffleUp
                | GroupOp::ShuffleDown
        );
        if takes_index
            && !self.is_known_invocation(inst)
            && let Some(index) = args.pop()
        {
            // A constant index is of an invocation that there may be.
            args.push(self.not_constant(inst, index));
        }
        self.define_moved(inst, name, args, ty);
    }

    /// Returns true if the index of another invocation is a constant that the language takes.
    fn is_known_invocation(&self, inst: Inst) -> bool {
        let index = self.body.inst(inst).args.get(1).and_then(|&index| self.body.const_of(index));
        index.is_some_and(|bits| self.w.module.bits_of(bits).component(0).bits() < MOST_INVOCATIONS)
    }

    /// The function of a derivative.
    fn wgsl_derivative(&mut self, data: &InstData, name: &str) -> String {
        self.note_derivative();
        let suffix = match data.attrs.word() {
            Some(Derivative::Fine) => "Fine",
            Some(Derivative::Coarse) => "Coarse",
            None => "",
        };
        format!("{name}{suffix}")
    }

    /// A barrier: of the workgroup, which is at least as strong as one of a subgroup and as one of memory alone. One that has
    /// nothing to order is left out if no other invocation waits for it.
    fn wgsl_barrier(&mut self, inst: Inst) {
        let data = self.body.inst(inst);
        let order: Semantics = data.attrs.words();
        let storage: Vec<&str> =
            STORAGE.iter().filter(|&&(memory, _)| order.has(memory)).map(|&(_, name)| name).collect();
        if orders_nothing(data) {
            return;
        }
        if is_across_devices(data) {
            return self.refuse_scope(inst);
        }
        if !waits(data) {
            if !scope(data).is_within_workgroup() && storage != ["workgroupBarrier"] {
                return self.refuse(
                    inst,
                    "it orders memory beyond the workgroup, which nothing does there",
                    "",
                );
            }
            if self.w.stage != Stage::Compute {
                return self.refuse(inst, "only compute shaders have barriers", "");
            }
        }
        if self.refuses_apart(inst) {
            return;
        }
        let storage = if storage.is_empty() { vec!["workgroupBarrier"] } else { storage };
        for name in storage {
            let expr = self.call(inst, name, Vec::new(), NumberType::scalar(Kind::Int));
            self.statement(expr.tokens);
        }
    }

    /// Refuses a call of a function with a barrier where invocations may be apart. Returns true if it did.
    pub(super) fn wgsl_refuses_call(&mut self, inst: Inst, callee: Func) -> bool {
        self.w.own.wgsl.with_barriers.contains(callee) && self.refuses_apart(inst)
    }

    /// Refuses a barrier where invocations may be apart. Returns true if it did.
    fn refuses_apart(&mut self, inst: Inst) -> bool {
        let uniformity = match &self.w.own.wgsl.uniformity {
            Some((func, known)) if *func == self.func => known.clone(),
            _ => {
                let found = Rc::new(Uniformity::of(self.w.module, self.body, &self.w.wgsl_read_only()));
                self.w.own.wgsl.uniformity = Some((self.func, found.clone()));
                found
            }
        };
        let Some(cond) = self.block.and_then(|block| uniformity.condition(block)) else { return false };
        let says = format!(
            "invocations may be apart there by the condition {cond}, and a barrier needs all of them"
        );
        self.refuse(inst, says, "move the barrier out of the branch or the loop of the condition");
        true
    }

    /// Writes an interface operation: the end of an invocation.
    pub(super) fn wgsl_interface(&mut self, inst: Inst, op: IoOp) {
        let data = self.body.inst(inst);
        if op == IoOp::BuiltIn {
            return self.wgsl_system_value(inst);
        }
        let word = vec![self.keyword(inst, "discard")];
        if op == IoOp::Demote {
            return self.statement(word);
        }
        let Some(&cond) = data.args.first() else { return };
        let cond = self.value_as(cond, Kind::Bool);
        let discard = self.arena.add(Stmt::Simple { tokens: word, declares: None, assigns: None });
        let mut then = vec![discard];
        if op != IoOp::DemoteIf {
            // The language goes on as a helper.
            let tokens = self.zero_return(self.anchor(inst));
            then.push(self.arena.add(Stmt::Exit(tokens)));
        }
        self.push(Stmt::If { cond, then, els: Vec::new(), anchor: self.anchor(inst) });
    }

    /// A system value that is read without a variable.
    fn wgsl_system_value(&mut self, inst: Inst) {
        let Some(value) = self.body.inst(inst).attrs.word::<Builtin>() else { return };
        match self.w.wgsl_value(value) {
            Some((name, ty)) => {
                let expr = Expr::atom(Token::linked(Class::Name, name, self.anchor(inst)), ty);
                self.define(inst, expr);
            }
            None => {
                self.refuse(inst, format!("it has no system value `{}` here", value.name()), "");
            }
        }
    }

    /// Returns true for a store of the size of points, which is 1 here: that of another one is refused where it is written.
    pub(super) fn wgsl_is_point_size(&mut self, inst: Inst) -> bool {
        let &[path, value] = &self.body.inst(inst).args[..] else { return false };
        if !self.is_point_size(path) {
            return false;
        }
        let constant = self.body.const_of(value).map(|bits| self.w.module.bits_of(bits));
        let is_one = constant.is_some_and(|bits| bits.component(0).to_f64() == 1.0)
            || self.body.inst(value).op == Op::Basic(BasicOp::Undef);
        if !is_one {
            self.refuse(
                inst,
                "points have the size 1 there",
                "store the constant 1.0, or draw quadrilaterals",
            );
        }
        true
    }

    fn is_point_size(&self, path: Inst) -> bool {
        let data = self.body.inst(path);
        let is_size = |attrs: &Attrs| attrs.word() == Some(Builtin::PointSize);
        let of_var = |at: Inst| {
            let data = self.body.inst(at);
            let var = data.entity::<Var>(Key::Var).filter(|_| data.op == Op::Deref(DerefOp::Var));
            var.and_then(|var| self.w.module.var(var))
        };
        match (data.op, data.args.first()) {
            (Op::Deref(DerefOp::Var), _) => of_var(path).is_some_and(|var| is_size(&var.attrs)),
            (Op::Deref(DerefOp::Field), Some(&of)) => of_var(of).is_some_and(|var| {
                let TypeData::Struct(structure) = *self.w.module.type_of(var.ty) else { return false };
                let members = self.w.module.structure(structure).map_or(&[][..], |data| &data.members);
                let field = data.attrs.get(Key::Field).and_then(|at| usize::try_from(at).ok());
                field.and_then(|at| members.get(at)).is_some_and(|it| is_size(&it.attrs))
            }),
            _ => false,
        }
    }
}

/// The function of a reduction. `None` if there is none.
fn reduction(data: &InstData) -> Option<String> {
    let reduction = reduction_of(data);
    let scan = match how_of(data) {
        How::All => "",
        How::Inclusive if is_sum_or_product(reduction) => "Inclusive",
        How::Exclusive if is_sum_or_product(reduction) => "Exclusive",
        How::Inclusive | How::Exclusive | How::Clustered => return None,
    };
    Some(format!("subgroup{scan}{}", reduction_word(reduction)))
}

/// The function of a quad swap.
fn quad_swap(data: &InstData) -> &'static str {
    match axis_of(data) {
        Axis::Horizontal => "quadSwapX",
        Axis::Vertical => "quadSwapY",
        Axis::Diagonal => "quadSwapDiagonal",
    }
}
