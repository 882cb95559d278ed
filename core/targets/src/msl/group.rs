//! Operations of MSL between invocations: derivatives, barriers, simdgroups and quads; and the end of invocations.

use crate::expr::{Expr, Prec, Token, punct};
use crate::func::FuncWriter;
use crate::group::{NO_FUNCTION, axis_of, how_of, is_sum_or_product, reduction_of};
use crate::number::{Kind, NumberType};
use crate::scopes::{is_across_devices, scope};
use crate::stmt::Stmt;
use vitrine_ir::ops::{Axis, Bits, GroupOp, How, IoOp, Key, Reduction, Scalar, Scope, Semantics, Width};
use vitrine_ir::{Anchor, Help, Inst, InstData, Stage};
use vitrine_text::Class;

impl FuncWriter<'_, '_> {
    /// The function of an operation whose name depends on more than the operation. `None` if it was written or refused.
    pub(super) fn msl_group_function(&mut self, inst: Inst, op: GroupOp) -> Option<String> {
        match op {
            GroupOp::Barrier => {
                self.msl_barrier(inst);
                None
            }
            GroupOp::Ddx => Some("dfdx".to_owned()),
            GroupOp::Ddy => Some("dfdy".to_owned()),
            GroupOp::Fwidth => Some("fwidth".to_owned()),
            GroupOp::QuadSwap => Some("quad_shuffle_xor".to_owned()),
            GroupOp::Ballot => {
                self.ballot(inst);
                None
            }
            GroupOp::Reduce => {
                let name = reduction(self.body.inst(inst));
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
    pub(super) fn msl_group_call(&mut self, inst: Inst, op: GroupOp, name: String) {
        let data = self.body.inst(inst);
        let (ty, mut args) = self.group_operands(inst);
        // Numbers of invocations are of 16 bits.
        let is_moved = matches!(
            op,
            GroupOp::QuadBroadcast
                | GroupOp::Broadcast
                | GroupOp::Shuffle
                | GroupOp::ShuffleXor
                | GroupOp::ShuffleUp
                | GroupOp::ShuffleDown
                | GroupOp::Rotate
        );
        if is_moved && let Some(number) = args.pop() {
            args.push(self.construct(inst, NumberType::new(Kind::Uint, Width::W16, 1), vec![number]));
        }
        if op == GroupOp::QuadSwap {
            let mask = match axis_of(data) {
                Axis::Horizontal => 1,
                Axis::Vertical => 2,
                Axis::Diagonal => 3,
            };
            args.push(self.constant(&Bits::scalar(Scalar::new(Width::W16, mask)), Kind::Uint, inst));
        }
        if op == GroupOp::Rotate && data.attrs.has(Key::Cluster) {
            return self.refuse(
                inst,
                "it has no rotations in clusters",
                Help::lowered_by("lower-subgroups{shuffle}"),
            );
        }
        self.define_moved(inst, name, args, ty);
    }

    /// The invocations for which a condition is true, as four words.
    fn ballot(&mut self, inst: Inst) {
        let Some(&cond) = self.body.inst(inst).args.first() else { return };
        let cond = self.value_as(cond, Kind::Bool);
        let vote = self.call(inst, "simd_ballot", vec![cond], NumberType::new(Kind::Uint, Width::W64, 1));
        let vote =
            self.call(inst, "simd_vote::vote_t", vec![vote], NumberType::new(Kind::Uint, Width::W64, 1));
        let uint = NumberType::scalar(Kind::Uint);
        let words = self.call(inst, "as_type<uint2>", vec![vote], uint.with_components(2));
        let zero = self.constant(&Bits::zero(Width::W32, 1), Kind::Uint, inst);
        let expr = self.construct(inst, uint.with_components(4), vec![words, zero.clone(), zero]);
        self.define(inst, expr);
    }

    /// The memory that an order is about.
    fn mem_flags(&self, order: Semantics) -> Expr {
        let shared = Semantics::WORKGROUP_MEMORY;
        // Payloads are memory of the workgroup, too.
        let of_payload = if self.w.stage == Stage::Task { shared } else { Semantics::NONE };
        let flags: Vec<&str> = [
            (Semantics::UNIFORM_MEMORY.and(Semantics::CROSS_WORKGROUP_MEMORY), "mem_flags::mem_device"),
            (shared, "mem_flags::mem_threadgroup"),
            (of_payload, "mem_flags::mem_object_data"),
            (Semantics::IMAGE_MEMORY, "mem_flags::mem_texture"),
        ]
        .iter()
        .filter(|&&(memory, _)| order.has_any(memory))
        .map(|&(_, name)| name)
        .collect();
        let text = if flags.is_empty() { "mem_flags::mem_none".to_owned() } else { flags.join(" | ") };
        Expr::new(vec![Token::new(Class::Name, text)], Prec::BitOr, NumberType::scalar(Kind::Int))
    }

    fn msl_barrier(&mut self, inst: Inst) {
        let data = self.body.inst(inst);
        let order: Semantics = data.attrs.words();
        let exec = data.attrs.word_of::<Scope>(Key::Exec);
        if is_across_devices(data) {
            return self.refuse_scope(inst);
        }
        let name = match exec {
            Some(Scope::Workgroup) => "threadgroup_barrier",
            Some(Scope::Subgroup) => "simdgroup_barrier",
            None => return self.msl_fence(inst, order),
            Some(
                Scope::CrossDevice
                | Scope::Device
                | Scope::Invocation
                | Scope::QueueFamily
                | Scope::ShaderCall,
            ) => return self.refuse(inst, "it has no barrier of this scope", ""),
        };
        let flags = self.mem_flags(order);
        let call = self.call(inst, name, vec![flags], NumberType::scalar(Kind::Int));
        self.statement(call.tokens);
    }

    /// A fence of memory.
    pub(super) fn msl_fence(&mut self, inst: Inst, order: Semantics) {
        self.w.own.msl.version = self.w.own.msl.version.max(32);
        let scope = match scope(self.body.inst(inst)) {
            Scope::CrossDevice => return self.refuse_scope(inst),
            Scope::Invocation => "thread_scope_thread",
            Scope::Subgroup => "thread_scope_simdgroup",
            Scope::Workgroup => "thread_scope_threadgroup",
            // A device contains its queues and the invocations of a ray tracing shader.
            Scope::Device | Scope::QueueFamily | Scope::ShaderCall => "thread_scope_device",
        };
        let int = NumberType::scalar(Kind::Int);
        let flags = self.mem_flags(order);
        let name = |text: &'static str| Expr::atom(Token::new(Class::Name, text), int);
        let args = vec![flags, name("memory_order_seq_cst"), name(scope)];
        let call = self.call(inst, "atomic_thread_fence", args, int);
        self.statement(call.tokens);
    }

    /// The statement that discards a fragment.
    pub(super) fn msl_discard(&self, anchor: Anchor) -> Vec<Token> {
        vec![Token::linked(Class::Keyword, "discard_fragment", anchor), punct("("), punct(")")]
    }

    /// Writes an interface operation: the end of an invocation.
    pub(super) fn msl_interface(&mut self, inst: Inst, op: IoOp) {
        let data = self.body.inst(inst);
        if matches!(op, IoOp::InterlockBegin | IoOp::InterlockEnd) {
            // The attribute of buffers and textures orders all accesses.
            return;
        }
        if let (IoOp::BuiltIn, Some(value)) = (op, data.attrs.word()) {
            let Some((tokens, ty)) = self.w.msl_loose_port(value) else {
                return self.refuse(inst, "it has no such system value here", "");
            };
            let expr = Expr::new(tokens, Prec::Postfix, ty);
            return self.define(inst, expr);
        }
        if op == IoOp::IsHelper {
            let expr = self.call(inst, "simd_is_helper_thread", Vec::new(), NumberType::BOOL);
            return self.define(inst, expr);
        }
        let tokens = self.msl_discard(self.anchor(inst));
        if op == IoOp::Demote {
            return self.statement(tokens);
        }
        let Some(&cond) = data.args.first() else { return };
        let cond = self.value_as(cond, Kind::Bool);
        let mut then = vec![self.arena.add(Stmt::Simple { tokens, declares: None, assigns: None })];
        if op != IoOp::DemoteIf {
            // The language goes on as a helper.
            let tokens = self.zero_return(self.anchor(inst));
            then.push(self.arena.add(Stmt::Exit(tokens)));
        }
        self.push(Stmt::If { cond, then, els: Vec::new(), anchor: self.anchor(inst) });
    }
}

/// The function of a reduction. `None` if there is none.
fn reduction(data: &InstData) -> Option<String> {
    let reduction = reduction_of(data);
    let name = match reduction {
        Reduction::IAdd | Reduction::FAdd => "sum",
        Reduction::IMul | Reduction::FMul => "product",
        Reduction::IMin | Reduction::UMin | Reduction::FMin => "min",
        Reduction::IMax | Reduction::UMax | Reduction::FMax => "max",
        Reduction::IAnd => "and",
        Reduction::IOr => "or",
        Reduction::IXor => "xor",
    };
    match how_of(data) {
        How::All => Some(format!("simd_{name}")),
        How::Inclusive => is_sum_or_product(reduction).then(|| format!("simd_prefix_inclusive_{name}")),
        How::Exclusive => is_sum_or_product(reduction).then(|| format!("simd_prefix_exclusive_{name}")),
        How::Clustered => (data.attrs.get(Key::Cluster) == Some(4)).then(|| format!("quad_{name}")),
    }
}
