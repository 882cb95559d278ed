//! Module constants other than plain bits: specialization constants, constant expressions, aggregates.

use super::{Attrs, Const, Global, Text, Type, Var};
use crate::ops::{Op, ValueType};
use serde::{Deserialize, Serialize};
use std::rc::Rc;

/// A module constant.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct GlobalData {
    /// Its name, if it has one.
    pub name: Option<Text>,
    /// Its definition.
    pub value: GlobalValue,
    /// `spec_id` and others.
    pub attrs: Attrs,
}

/// The definition of a module constant.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
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
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
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
