//! Module constants that are more than bits: specialisation constants, what is computed from them, aggregates.

use super::{Attrs, Const, Global, Text, Type, Var};
use crate::ops::{Op, ValueType};
use std::rc::Rc;

/// A module constant.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct GlobalData {
    /// Its name, if it has one.
    pub name: Option<Text>,
    /// What it is.
    pub value: GlobalValue,
    /// `spec_id` and the like.
    pub attrs: Attrs,
}

/// What a module constant is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum GlobalValue {
    /// A specialisation constant with its default.
    Spec(Const),
    /// An operation on constants.
    Op {
        /// A pure operation with a meaning.
        op: Op,
        /// Its result.
        ty: ValueType,
        /// Constants that come before.
        args: Rc<[Operand]>,
    },
    /// An aggregate of the type, part by part.
    Parts(Type, Rc<[Operand]>),
    /// A value of the type with all bits zero.
    Zero(Type),
    /// Any value of the type.
    Undef(Type),
    /// The address of a variable.
    Address(Var),
}

/// A constant operand: bits in place, or a module constant.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Operand {
    /// Bits.
    Bits(Const),
    /// A module constant.
    Global(Global),
}

impl GlobalValue {
    /// The constants this one is made of.
    pub fn operands(&self) -> &[Operand] {
        match self {
            GlobalValue::Op { args, .. } | GlobalValue::Parts(_, args) => args,
            GlobalValue::Spec(_) | GlobalValue::Zero(_) | GlobalValue::Undef(_) | GlobalValue::Address(_) => {
                &[]
            }
        }
    }
}
