//! Module constants other than plain bits: specialization constants, constant expressions, aggregates.

use super::{Attrs, Const, Global, Module, Text, Type, Var};
use crate::base::EntitySet;
use crate::ops::{Op, ValueType};
use std::rc::Rc;

/// A module constant.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct GlobalData {
    /// Its name, if it has one.
    pub name: Option<Text>,
    /// Its definition.
    pub value: GlobalValue,
    /// `spec_id` and others.
    pub attrs: Attrs,
}

/// The definition of a module constant.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum GlobalValue {
    /// A specialization constant with its default.
    Spec(Const),
    /// A constant expression.
    Op {
        /// A pure operation with a meaning.
        op: Op,
        /// The result type.
        ty: ValueType,
        /// Operands; none depends on this constant.
        args: Rc<[Operand]>,
    },
    /// An aggregate of the type, part by part.
    Parts(Type, Rc<[Operand]>),
    /// A value of the type with all bits zero.
    Zero(Type),
    /// An arbitrary value of the type.
    Undef(Type),
    /// The address of a variable.
    Address(Var),
}

/// A constant operand: inline bits, or a module constant.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Operand {
    /// Bits.
    Bits(Const),
    /// A module constant.
    Global(Global),
}

impl GlobalValue {
    /// The constants that this one is composed of.
    pub fn operands(&self) -> &[Operand] {
        match self {
            GlobalValue::Op { args, .. } | GlobalValue::Parts(_, args) => args,
            GlobalValue::Spec(_) | GlobalValue::Zero(_) | GlobalValue::Undef(_) | GlobalValue::Address(_) => {
                &[]
            }
        }
    }
}

impl Module {
    /// The module constants, each after its operands, which may have higher numbers: programs side by side have the numbers of
    /// equal parts. Linear; a cycle, which is not valid, is cut.
    pub fn globals_operands_first(&self) -> Vec<Global> {
        let mut out = Vec::new();
        let mut seen: EntitySet<Global> = EntitySet::new();
        for (root, _) in self.globals() {
            let mut path = if seen.insert(root) { vec![(root, 0)] } else { Vec::new() };
            while let Some((global, at)) = path.pop() {
                let operands = self.global(global).map_or(&[][..], |data| data.value.operands());
                let Some(operand) = operands.get(at) else {
                    out.push(global);
                    continue;
                };
                path.push((global, at + 1));
                if let Operand::Global(next) = *operand
                    && seen.insert(next)
                {
                    path.push((next, 0));
                }
            }
        }
        out
    }
}
