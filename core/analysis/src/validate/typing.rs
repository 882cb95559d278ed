//! Types of single instructions: the table entry of the operation, flags, conditions.

use super::diagnostics::Naming;
use super::function::Checker;
use super::*;
use vitrine_ir::ops::constraint::{Constraint, ValueClass};
use vitrine_ir::ops::ty::COMPONENT_COUNTS;
use vitrine_ir::ops::{BasicOp, Flags, IntOp, Op, OpInfo, Props, SignatureError, ValueType, Width};
use vitrine_ir::{Block, Diag, Inst, InstData, Node, NodeKind, Terminator};

const FLOAT_FLAGS: [Flags; 7] =
    [Flags::NNAN, Flags::NINF, Flags::NSZ, Flags::ARCP, Flags::CONTRACT, Flags::REASSOC, Flags::FAST];
const WRAP_FLAGS: [Flags; 2] = [Flags::NSW, Flags::NUW];

impl Checker<'_, '_> {
    /// Checks one instruction. Every check after the table entry assumes the previous ones and is skipped if
    /// they failed.
    pub(super) fn instruction(&mut self, inst: Inst) {
        if let Some(data) = self.here.body.tables().insts.get(inst) {
            self.known_instruction(inst, data);
        }
    }

    /// The same for an instruction among those of a block, which is no `param`.
    pub(super) fn placed_instruction(&mut self, inst: Inst) {
        if let Some(data) = self.here.body.tables().insts.get(inst) {
            self.not_a_param(inst, data);
            self.known_instruction(inst, data);
        }
    }

    fn known_instruction(&mut self, inst: Inst, data: &InstData) {
        let info = data.op.info();
        self.components(data.ty, Anchor::Inst(self.here.func, inst));
        let typed = self.operands_yield(inst, data) && self.row(inst, data, info);
        let is_attributed = self.attributes(inst, data, info);
        self.flags(inst, data, info);
        self.scope(inst, data);
        if typed && is_attributed {
            self.special(inst, data);
            self.memory(inst, data);
        }
        self.stage(inst, data);
    }

    /// Looks up the types of the operands; returns true if all of them yield a value.
    fn operands_yield(&mut self, inst: Inst, data: &InstData) -> bool {
        self.arg_types.clear();
        let mut all = true;
        for (at, &arg) in data.args.iter().enumerate() {
            let ty = self.here.body.ty(arg);
            self.arg_types.push(ty);
            if ty == ValueType::Void {
                all = false;
                self.no_value(arg, Anchor::Arg(self.here.func, inst, at as u32));
            }
        }
        all
    }

    /// Reports an operand that is not a value; one that does not exist is reported by the scope checks.
    fn no_value(&mut self, arg: Inst, anchor: Anchor) {
        let Some(data) = self.here.body.tables().insts.get(arg) else { return };
        let diag = Diag::error(OPERAND_VALUE, anchor).name(self.here.inst(arg));
        let diag = diag.says(format!("is a `{}`, which has no result", data.op.name()));
        self.push(diag.help("use an instruction that yields a value"));
    }

    fn row(&mut self, inst: Inst, data: &InstData, info: &OpInfo) -> bool {
        let Err(mismatch) = info.check(data.ty, &self.arg_types) else { return true };
        let diag = match mismatch {
            SignatureError::Count { given, wanted, or_more } => {
                let least = if or_more { "at least " } else { "" };
                let wanted = diagnostics::count_or_no(wanted, "operand");
                let diag = self.error_at(OPERAND_COUNT, inst);
                diag.says(format!("`{}` takes {least}{wanted}, not {given}", info.name))
            }
            SignatureError::Operand { at, wanted } => {
                let diag = self.error_in(OPERAND_TYPE, inst, at);
                let name = info.operand(at).map_or("", |operand| operand.name);
                let diag = diag.says(format!("operand `{name}` of `{}` must be {wanted}, but", info.name));
                let given = diagnostics::value(self.arg_types.get(at).copied().unwrap_or_default());
                match data.args.get(at) {
                    Some(&arg) => diag.name(self.here.inst(arg)).says(format!("is {given}")),
                    None => diag.says(format!("this is {given}")),
                }
            }
            SignatureError::Result { wanted } => {
                let diag = self.error_at(RESULT_TYPE, inst);
                diag.says(format!(
                    "`{}` must yield {wanted} here, not {}",
                    info.name,
                    diagnostics::value(data.ty)
                ))
            }
        };
        self.push(diag);
        false
    }

    /// Checks that a value has a legal number of components.
    pub(super) fn components(&mut self, ty: ValueType, anchor: Anchor) {
        if let ValueType::Bits { components, .. } = ty
            && !COMPONENT_COUNTS.contains(&components)
        {
            let diag = Diag::error(COMPONENT_COUNT, anchor)
                .says(format!("a value cannot have {components} components"));
            self.push(diag.help("use 1, 2, 3, 4, 8 or 16 components"));
        }
    }

    fn flags(&mut self, inst: Inst, data: &InstData, info: &OpInfo) {
        if data.flags.is_empty() {
            return;
        }
        let held = |flags: &[Flags]| flags.iter().copied().find(|&flag| data.flags.has(flag));
        let odd = match (held(&FLOAT_FLAGS), held(&WRAP_FLAGS)) {
            (Some(flag), _) if !takes_float_flags(data.op, info) => Some((flag, "float arithmetic")),
            (_, Some(flag)) if !takes_wrap_flags(data.op) => Some((flag, "integer arithmetic")),
            _ => None,
        };
        if let Some((flag, what)) = odd {
            let name = flag.names().next().unwrap_or_default();
            let diag = self.error_at(FLAGS_FIT, inst);
            let diag = diag.says(format!("the flag `{name}` does not apply to `{}`", info.name));
            self.push(diag.help(format!("it applies to {what}")));
        }
    }

    /// Checks that a `param` is not among other instructions.
    fn not_a_param(&mut self, inst: Inst, data: &InstData) {
        if data.op == Op::from(BasicOp::Param) {
            let diag = self.error_at(PARAM_AMONG_PARAMS, inst).name(self.here.inst(inst));
            let diag = diag.says("is a `param` among other instructions");
            self.push(diag.help("put it in the parameter list of its block, as in `^1(%2: b32):`"));
        }
    }

    /// Checks the condition or selector of a block's terminator, or of the node after it.
    pub(super) fn condition(&mut self, block: Block) {
        let func = self.here.func;
        match *self.here.body.terminator(block) {
            Terminator::Branch { cond, .. } => self.boolean(cond, Anchor::TerminatorArg(func, block, 0)),
            Terminator::Switch { on, .. } => self.selector(on, Anchor::TerminatorArg(func, block, 0)),
            Terminator::Next(_) | Terminator::Break(..) | Terminator::Continue(..) | Terminator::Goto(_) => {}
            Terminator::Return(_) | Terminator::Stop(_) => {}
        }
        let mut at = 0;
        self.here.body.terminator(block).for_each_use(|arg| {
            if self.here.body.ty(arg) == ValueType::Void {
                self.no_value(arg, Anchor::TerminatorArg(func, block, at));
            }
            at += 1;
        });
        if let shape::Then::Node(node) = self.layout.then(block) {
            self.node_condition(node);
        }
    }

    fn node_condition(&mut self, node: Node) {
        let anchor = Anchor::Node(self.here.func, node);
        match self.here.body.tables().nodes.get(node).map(|data| &data.kind) {
            Some(NodeKind::If { cond, .. }) => self.decided_by(*cond, anchor, true),
            Some(NodeKind::Switch { on, .. }) => self.decided_by(*on, anchor, false),
            Some(NodeKind::Loop { .. } | NodeKind::Block { .. }) | None => {}
        }
    }

    /// Like `boolean` or `selector`, but also reports an operand that is not a value.
    fn decided_by(&mut self, value: Inst, anchor: Anchor, boolean: bool) {
        if self.here.body.ty(value) == ValueType::Void {
            self.no_value(value, anchor);
        } else if boolean {
            self.boolean(value, anchor);
        } else {
            self.selector(value, anchor);
        }
    }

    fn boolean(&mut self, cond: Inst, anchor: Anchor) {
        let ty = self.here.body.ty(cond);
        if ty != ValueType::BOOL && ty != ValueType::Void {
            let diag = Diag::error(CONDITION_TYPE, anchor).says("a condition must be `b1`, but");
            let diag = diag.name(self.here.inst(cond)).says(format!("is {}", diagnostics::value(ty)));
            self.push(diag.help("use a comparison"));
        }
    }

    fn selector(&mut self, on: Inst, anchor: Anchor) {
        let ty = self.here.body.ty(on);
        let fits = matches!(ty, ValueType::Bits { width, components: 1 } if width != Width::W1);
        if !fits && ty != ValueType::Void {
            let diag = Diag::error(CONDITION_TYPE, anchor).says("a selector must be a scalar integer, but");
            let diag = diag.name(self.here.inst(on)).says(format!("is {}", diagnostics::value(ty)));
            self.push(diag.help("use an `if` for a boolean, or one component of a vector"));
        }
    }
}

/// Float flags are valid if an operand or the result is a float, and on operations that only forward values.
fn takes_float_flags(op: Op, info: &OpInfo) -> bool {
    let is_float = |constraint: &Constraint| {
        constraint.class == ValueClass::Bits
            && constraint.widths.contains(Width::W32)
            && !constraint.widths.contains(Width::W8)
    };
    let passes = matches!(
        op,
        Op::Basic(BasicOp::Param | BasicOp::Copy | BasicOp::Call)
            | Op::Int(IntOp::Select | IntOp::Select1)
            | Op::Group(_)
            | Op::Spirv(_)
    );
    passes || is_float(&info.result) || info.operands.iter().any(|operand| is_float(&operand.constraint))
}

fn takes_wrap_flags(op: Op) -> bool {
    matches!(op, Op::Int(_)) && !op.props().has(Props::COMPARISON)
}
