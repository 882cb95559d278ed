//! Operations between invocations: derivatives, barriers, subgroups; and the end of invocations.
//!
//! The dialect names the functions and writes their calls; what calls have in common is here.

use super::expr::Expr;
use super::func::FuncWriter;
use super::number::{Kind, NumberType};
use super::spell::{Form, Reading, Yield, reading, yields};
use vitrine_ir::ops::{Axis, GroupOp, How, IoOp, Op, Reduction, Width};
use vitrine_ir::{Help, Inst, InstData};

/// The reason why an operation is refused that the language has no function for.
pub(super) const NO_FUNCTION: &str = "it has no such operation";

impl FuncWriter<'_, '_> {
    /// Writes an operation between invocations.
    pub(super) fn group(&mut self, inst: Inst, op: GroupOp) {
        let dialect = self.w.dialect;
        let name = match dialect.form(Op::Group(op), false) {
            Form::Call(name) => Some(name.to_owned()),
            Form::Dialect => dialect.group_function(self, inst, op),
            Form::Lower(pass) => return self.lowered(inst, pass),
            Form::No(reason) => return self.refuse(inst, reason, ""),
            _ => return self.refuse(inst, NO_FUNCTION, ""),
        };
        if let Some(name) = name {
            dialect.group_call(self, inst, op, name);
        }
    }

    /// The type of the result of an operation between invocations, and its operands, each as the kind of number that the
    /// operation reads.
    pub(super) fn group_operands(&mut self, inst: Inst) -> (NumberType, Vec<Expr>) {
        let data = self.body.inst(inst);
        let hint = self.hint(inst);
        let kind = match yields(data.op) {
            Yield::Bool => Kind::Bool,
            Yield::Float => Kind::Float,
            Yield::Int => Kind::Int,
            Yield::Uint => Kind::Uint,
            Yield::Integers | Yield::Hint => self.reduced_kind(inst).unwrap_or(hint),
        };
        let ty = self.type_as(inst, kind);
        let mut args = Vec::new();
        for (at, &arg) in data.args.iter().enumerate() {
            args.push(match reading(data.op, at) {
                Reading::Bool => self.value_as(arg, Kind::Bool),
                Reading::Float => self.value_as(arg, Kind::Float),
                Reading::Uint => self.value_as(arg, Kind::Uint),
                Reading::Int => self.value_as(arg, Kind::Int),
                Reading::Result => self.value_as(arg, ty.kind),
                Reading::Integers | Reading::Count | Reading::Natural => self.value(arg),
            });
        }
        (ty, args)
    }

    /// The same, in a language whose numbers of invocations and of bits of a ballot have 32 bits.
    pub(super) fn group_operands_of_32_bits(&mut self, inst: Inst) -> (NumberType, Vec<Expr>) {
        let (ty, mut args) = self.group_operands(inst);
        let is_number = reading(self.body.inst(inst).op, 1) == Reading::Uint;
        if is_number && args.get(1).is_some_and(|number| number.ty.width != Width::W32) {
            let number = args.remove(1);
            let number = self.construct(inst, NumberType::scalar(Kind::Uint), vec![number]);
            args.insert(1, number);
        }
        (ty, args)
    }

    /// Defines the result by a call, in a language whose functions move no booleans between invocations: booleans are moved
    /// as numbers.
    pub(super) fn define_moved(&mut self, inst: Inst, name: String, mut args: Vec<Expr>, ty: NumberType) {
        let is_bool = ty.kind == Kind::Bool && reading(self.body.inst(inst).op, 0) == Reading::Result;
        if is_bool && !args.is_empty() {
            let uint = NumberType::new(Kind::Uint, Width::W32, ty.components);
            let value = args.remove(0);
            let number = self.construct(inst, uint, vec![value]);
            args.insert(0, number);
            let moved = self.call(inst, name, args, uint);
            let expr = self.construct(inst, ty, vec![moved]);
            return self.define(inst, expr);
        }
        let expr = self.call(inst, name, args, ty);
        self.define(inst, expr);
    }

    /// Refuses a reduction that the language has no function for.
    pub(super) fn refuse_reduction(&mut self, inst: Inst) {
        self.refuse(inst, "it has no such reduction", Help::lowered_by("lower-subgroups{loops}"));
    }

    /// The kind that a reduction reads.
    pub(super) fn reduced_kind(&self, inst: Inst) -> Option<Kind> {
        let data = self.body.inst(inst);
        if data.op != Op::Group(GroupOp::Reduce) {
            return None;
        }
        let required = data.attrs.word().and_then(Reduction::kind);
        required.or_else(|| match self.hint(inst) {
            Kind::Float => Some(Kind::Uint),
            kind @ (Kind::Bool | Kind::Int | Kind::Uint) => Some(kind),
        })
    }

    /// Writes an interface operation.
    pub(super) fn interface(&mut self, inst: Inst, op: IoOp) {
        let dialect = self.w.dialect;
        match dialect.form(Op::Io(op), false) {
            Form::Dialect => dialect.interface_operation(self, inst, op),
            Form::Lower(pass) => self.lowered(inst, pass),
            Form::No(reason) => self.refuse(inst, reason, ""),
            _ => self.refuse(inst, NO_FUNCTION, ""),
        }
    }
}

/// The reduction of an instruction.
pub(super) fn reduction_of(data: &InstData) -> Reduction {
    data.attrs.word().unwrap_or(Reduction::IAdd)
}

/// The invocations whose values an instruction combines.
pub(super) fn how_of(data: &InstData) -> How {
    data.attrs.word().unwrap_or(How::All)
}

/// The direction of a quad swap.
pub(super) fn axis_of(data: &InstData) -> Axis {
    data.attrs.word().unwrap_or(Axis::Horizontal)
}

/// Returns true for sums and products, the only ones that most languages have scans of.
pub(super) fn is_sum_or_product(reduction: Reduction) -> bool {
    match reduction {
        Reduction::IAdd | Reduction::FAdd | Reduction::IMul | Reduction::FMul => true,
        Reduction::IMin | Reduction::UMin | Reduction::FMin => false,
        Reduction::IMax | Reduction::UMax | Reduction::FMax => false,
        Reduction::IAnd | Reduction::IOr | Reduction::IXor => false,
    }
}

/// The word of a reduction in names of functions, such as `subgroupAdd`, which languages share.
pub(super) fn reduction_word(reduction: Reduction) -> &'static str {
    match reduction {
        Reduction::IAdd | Reduction::FAdd => "Add",
        Reduction::IMul | Reduction::FMul => "Mul",
        Reduction::IMin | Reduction::UMin | Reduction::FMin => "Min",
        Reduction::IMax | Reduction::UMax | Reduction::FMax => "Max",
        Reduction::IAnd => "And",
        Reduction::IOr => "Or",
        Reduction::IXor => "Xor",
    }
}
