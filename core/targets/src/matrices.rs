//! The text of products of matrices and vectors: `m * v`, `v * m`, `mat3(m) * v`.
//!
//! Writes the products that `products` found, in a language that they are found for.

use super::expr::{Expr, Prec, Token, call, infix};
use super::func::FuncWriter;
use super::number::{Kind, NumberType};
use super::products::Matrix;
use vitrine_ir::Inst;
use vitrine_text::Class;

impl FuncWriter<'_, '_> {
    /// Writes a value that is a product. Returns false for other values.
    pub(super) fn matrix_product(&mut self, inst: Inst) -> bool {
        let Some(product) = self.plan.product(inst).cloned() else { return false };
        let Some(ty) = NumberType::of(self.body.ty(inst), Kind::Float) else { return false };
        let Some(matrix) = self.matrix(inst, &product.matrix, ty) else { return true };
        let vector = self.value_as(product.vector, Kind::Float);
        let sides = if product.is_row { [vector, matrix] } else { [matrix, vector] };
        let expr = self.times(inst, sides, ty);
        self.define(inst, expr);
        true
    }

    /// A matrix as an expression; a matrix has at most `products::MOST_NESTED` others inside of it. `None` if it was refused.
    fn matrix(&mut self, inst: Inst, matrix: &Matrix, ty: NumberType) -> Option<Expr> {
        Some(match matrix {
            Matrix::Path(path) => Expr::new(self.path(*path)?.tokens, Prec::Postfix, ty),
            Matrix::Product(left, right) => {
                let sides = [self.matrix(inst, left, ty)?, self.matrix(inst, right, ty)?];
                self.times(inst, sides, ty)
            }
            Matrix::Cut(of, columns, rows) => {
                let Some(name) = self.w.dialect.matrix_name(*columns, *rows) else {
                    self.refuse(inst, "it is a product of matrices", "");
                    return None;
                };
                let of = self.matrix(inst, of, ty)?;
                call(Token::linked(Class::Type, name, self.anchor(inst)), vec![of], ty)
            }
        })
    }

    fn times(&mut self, inst: Inst, sides: [Expr; 2], ty: NumberType) -> Expr {
        let token = Token::linked(Class::Op, "*", self.anchor(inst));
        infix(self.w.dialect.grammar(), token, Prec::Product, sides, ty, false)
    }
}
