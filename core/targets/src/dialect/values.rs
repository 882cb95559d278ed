//! Questions about arithmetic, literals and choices, and the code that several answers share.

use crate::expr::{Expr, Prec, Token, prefix, punct};
use crate::func::{FuncWriter, NumberDeclaration};
use crate::number::{Kind, NumberType};
use std::rc::Rc;
use vitrine_ir::Inst;
use vitrine_ir::ops::{Bits, FloatOp, IntOp, VectorOp};
use vitrine_text::Class;

/// The operators of `and` and `or` on vectors of booleans. Single booleans have `&&` and `||` in every language.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum VectorLogic {
    /// `&&` and `||`, as for single booleans.
    Logical,
    /// `&` and `|`.
    Bitwise,
    /// None: the vectors are computed as numbers 0 and 1.
    Numbers,
}

/// The values that a whole array can be assigned.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ArrayValues {
    /// The start of a list of elements, up to the opening parenthesis: of the type of the elements, and their number.
    pub(crate) list: fn(Token, u64) -> Vec<Token>,
    /// Another array with elements of the same type is such a value, wherever it is stored.
    pub(crate) copies: bool,
}

/// What the engine asks about arithmetic, literals and choices.
///
/// A question with a default is answered by the languages that differ; the default is stated.
pub(crate) trait Values {
    // Operations.

    /// Notes the options of the compiler of the text that the result of an arithmetic operation depends on. None by default.
    fn note_options(&self, _f: &mut FuncWriter<'_, '_>, _inst: Inst) {}

    /// Changes the operands of an operation that the compiler of the text would read as another type, fold to another value,
    /// or reject. Leaves them by default.
    fn adjust_operands(&self, _f: &mut FuncWriter<'_, '_>, _inst: Inst, _operands: &mut [Expr]) {}

    /// The operands of a binary operator, which are next to each other. The same by default.
    fn operator_operands(&self, sides: [Expr; 2]) -> [Expr; 2] {
        sides
    }

    /// The result of an operator, of the type of the expression. The same by default.
    fn narrowed(&self, _f: &mut FuncWriter<'_, '_>, _inst: Inst, expr: Expr) -> Expr {
        expr
    }

    /// Returns true if a shift must be by an unsigned number. `count` is its value, if that is a constant. By default it is by
    /// integers of either kind.
    fn shifts_by_unsigned(&self, _count: Option<&Bits>) -> bool {
        false
    }

    /// Returns true if functions that count bits yield signed integers, whatever they read: their operand keeps its kind. By
    /// default they yield the kind that they read.
    fn counts_are_signed(&self) -> bool {
        false
    }

    /// The kind of the offset and of the size of a bit field, which are single numbers. Unsigned by default.
    fn field_kind(&self) -> Kind {
        Kind::Uint
    }

    /// Refuses a call of the function `name`, with a result of type `ty`, if the language has it for other widths only. Returns
    /// true if it did; never by default.
    fn refuses_function(
        &self,
        _f: &mut FuncWriter<'_, '_>,
        _inst: Inst,
        _name: &str,
        _ty: NumberType,
    ) -> bool {
        false
    }

    /// The text of a function of vectors whose operands are single numbers. `None` if it is called as for vectors, which is
    /// the default.
    fn geometry_of_scalars(
        &self,
        _f: &mut FuncWriter<'_, '_>,
        _inst: Inst,
        _op: VectorOp,
        _operands: &[Expr],
        _ty: NumberType,
    ) -> Option<Expr> {
        None
    }

    /// The text of an operation on floats whose form is code of the language. `None` if there is none: the caller refuses it.
    fn float_operation(
        &self,
        f: &mut FuncWriter<'_, '_>,
        inst: Inst,
        op: FloatOp,
        operands: &[Expr],
        ty: NumberType,
    ) -> Option<Expr>;

    /// The text of an operation on integers whose form is code of the language. `None`, which is the default, if there is
    /// none: the caller refuses it.
    fn integer_operation(
        &self,
        _f: &mut FuncWriter<'_, '_>,
        _inst: Inst,
        _op: IntOp,
        _operands: &[Expr],
        _ty: NumberType,
    ) -> Option<Expr> {
        None
    }

    /// The text of an operation on vectors whose form is code of the language: packed numbers, bits in components of another
    /// width, distances. `shared` is the kind of operands that share one. `None` if it was refused.
    fn vector_operation(
        &self,
        f: &mut FuncWriter<'_, '_>,
        inst: Inst,
        op: VectorOp,
        ty: NumberType,
        shared: Kind,
    ) -> Option<Expr>;

    /// True, a boolean of type `truth`, where a float is a NaN. Calls `isnan` by default.
    fn is_nan(&self, f: &mut FuncWriter<'_, '_>, inst: Inst, operand: Expr, truth: NumberType) -> Expr {
        f.call(inst, "isnan", vec![operand], truth)
    }

    // Conversions.

    /// The conversion of a number to another type. Calls the constructor of the type by default.
    fn conversion(&self, f: &mut FuncWriter<'_, '_>, inst: Inst, operand: Expr, ty: NumberType) -> Expr {
        f.construct(inst, ty, vec![operand])
    }

    /// The bits of a number as another kind of the same width. Calls the function of the language by default.
    fn cast_bits(&self, f: &mut FuncWriter<'_, '_>, inst: Inst, expr: Expr, kind: Kind) -> Expr {
        f.bits_as(inst, expr, kind)
    }

    // Choices and logic.

    /// One of two values of a type, by a condition: component by component if that is a vector.
    fn chosen_value(
        &self,
        f: &mut FuncWriter<'_, '_>,
        inst: Inst,
        cond: Expr,
        values: [Expr; 2],
        ty: NumberType,
    ) -> Expr;

    /// Returns true if `==` and `!=` compare vectors as a whole: functions compare them component by component. By default
    /// the operators do that.
    fn compares_whole_vectors(&self) -> bool {
        false
    }

    /// The operators of `and` and `or` on vectors of booleans. None by default.
    fn vector_logic(&self) -> VectorLogic {
        VectorLogic::Numbers
    }

    // Functions, constructors, components.

    /// The arguments of the built-in function `name`. The same by default.
    fn builtin_arguments(
        &self,
        _f: &mut FuncWriter<'_, '_>,
        _inst: Inst,
        _name: &str,
        args: Vec<Expr>,
    ) -> Vec<Expr> {
        args
    }

    /// A value of a type, which has a name, of the components or the number in `args`. Calls the constructor by default.
    fn construction(
        &self,
        f: &mut FuncWriter<'_, '_>,
        inst: Inst,
        (name, ty): (Rc<str>, NumberType),
        args: Vec<Expr>,
    ) -> Expr {
        f.constructor(inst, (name, ty), args)
    }

    /// For components of an expression: another expression and its components that are the same. `None` if there is none, or
    /// if components of any expression can be selected, which is the default.
    fn selected_components(&self, _whole: &Expr, _components: &[u8]) -> Option<(Expr, Vec<u8>)> {
        None
    }

    /// The components that a swizzle selects of `from`, a texel whose last component is its residency. `None` if `from` is no
    /// such texel, or if the language has none, which is the default.
    fn selected_residency(
        &self,
        _f: &mut FuncWriter<'_, '_>,
        _inst: Inst,
        _from: Inst,
        _components: &[u8],
        _ty: NumberType,
    ) -> Option<Expr> {
        None
    }

    /// A vector of which an element is selected by its index. The same by default.
    fn indexable(&self, _f: &mut FuncWriter<'_, '_>, _inst: Inst, vector: Expr) -> Expr {
        vector
    }

    /// An index of an element, with a width that the language takes. The same by default.
    fn element_index(&self, _f: &mut FuncWriter<'_, '_>, _inst: Inst, index: Expr) -> Expr {
        index
    }

    /// The name of the type of a matrix of floats of 32 bits, by its columns and rows. `None` in a language in which products
    /// of matrices are not written as such, which is the default.
    fn matrix_name(&self, _columns: u8, _rows: u8) -> Option<String> {
        None
    }

    // Constants and declarations.

    /// The text of constant bits, with components of type `scalar`, that literals cannot write; `None` if they can. Refuses the
    /// type if the language does not have it, and notes what its literals need. Nothing of this by default.
    fn spelled_constant(
        &self,
        _f: &mut FuncWriter<'_, '_>,
        _inst: Inst,
        _bits: &Bits,
        _scalar: NumberType,
    ) -> Option<Expr> {
        None
    }

    /// The declaration of a name, without its value. The type and the name by default.
    fn declared_number(&self, _f: &mut FuncWriter<'_, '_>, declaration: NumberDeclaration<'_>) -> Vec<Token> {
        declaration.typed()
    }

    /// The declaration of an array of `len` elements, by that of one. The length follows by default.
    fn declared_numbers(&self, mut one: Vec<Token>, len: u32) -> Vec<Token> {
        one.extend([punct("["), Token::new(Class::Number, len.to_string()), punct("]")]);
        one
    }

    /// The values that a whole array can be assigned. `None` if there are none, which is the default.
    fn array_values(&self) -> Option<ArrayValues> {
        None
    }

    /// The name that an unused result of a built-in function is assigned to. `None` if a call may be a statement, which is
    /// the default.
    fn unused_name(&self) -> Option<&'static str> {
        None
    }
}

impl FuncWriter<'_, '_> {
    /// The remainder of floats with the sign of the divisor, in a language whose operator or function has that of the
    /// dividend.
    pub(crate) fn floored_remainder(&mut self, inst: Inst, a: &Expr, b: &Expr, ty: NumberType) -> Expr {
        let quotient = self.infix(inst, "/", Prec::Product, vec![a.clone(), b.clone()], ty);
        let floor = self.call(inst, "floor", vec![quotient], ty);
        let product = self.infix(inst, "*", Prec::Product, vec![b.clone(), floor], ty);
        self.infix(inst, "-", Prec::Sum, vec![a.clone(), product], ty)
    }

    /// The sign of integers, in a language without a function for it.
    pub(crate) fn integer_sign(&mut self, inst: Inst, operand: Expr, ty: NumberType) -> Expr {
        let (low, high) = (self.splat(inst, -1.0, ty), self.splat(inst, 1.0, ty));
        self.call(inst, "clamp", vec![operand, low, high], ty)
    }

    /// Operations on vectors, of numbers, in a language whose functions take no numbers. `None` for vectors and for others.
    pub(crate) fn geometry_without_functions(
        &mut self,
        inst: Inst,
        op: VectorOp,
        operands: &[Expr],
        ty: NumberType,
    ) -> Option<Expr> {
        let first = operands.first().filter(|first| first.ty.components == 1)?;
        match (op, operands) {
            (VectorOp::FNormalize, [a]) => {
                let length = self.call(inst, "abs", vec![first.clone()], ty);
                Some(self.infix(inst, "/", Prec::Product, vec![a.clone(), length], ty))
            }
            (VectorOp::FFaceForward, [normal, incident, reference]) => {
                let zero = self.constant(&Bits::zero(ty.width, 1), Kind::Float, inst);
                let product =
                    self.infix(inst, "*", Prec::Product, vec![reference.clone(), incident.clone()], ty);
                let faces = self.infix(inst, "<", Prec::Relation, vec![product, zero], NumberType::BOOL);
                let back = prefix(Token::linked(Class::Op, "-", self.anchor(inst)), normal.clone(), ty);
                Some(self.choice(inst, faces, normal.clone(), back, ty))
            }
            (VectorOp::FReflect | VectorOp::FRefract, _) => {
                // The first component of vectors whose second one is 0.
                let name = if op == VectorOp::FReflect { "reflect" } else { "refract" };
                let pair = ty.with_components(2);
                let mut args = operands.to_vec();
                for arg in args.iter_mut().take(2) {
                    let zero = self.constant(&Bits::zero(ty.width, 1), Kind::Float, inst);
                    *arg = self.construct(inst, pair, vec![arg.clone(), zero]);
                }
                let vector = self.call(inst, name, args, pair);
                Some(self.components(inst, vector, &[0], ty))
            }
            _ => None,
        }
    }
}
