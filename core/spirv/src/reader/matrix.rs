//! Matrices, column by column.

use super::values::{Lower, Val};
use super::words::{Instruction, Words};
use crate::spec::Op as S;
use vitrine_ir::ops::{Bits, FloatOp, Scalar, ValueType, VectorOp};
use vitrine_ir::{Inst, Type};

impl<'a> Lower<'_, 'a> {
    /// Lowers an instruction about matrices. None if it is another one.
    pub(super) fn matrix(&mut self, op: S, inst: Instruction<'a>) -> Option<Option<()>> {
        Some(match op {
            S::Transpose => self.transpose(inst),
            S::MatrixTimesScalar | S::VectorTimesScalar => self.times_scalar(inst),
            S::VectorTimesMatrix => self.vector_times_matrix(inst),
            S::MatrixTimesVector => self.matrix_times_vector(inst),
            S::MatrixTimesMatrix => self.matrix_times_matrix(inst),
            S::OuterProduct => self.outer_product(inst),
            _ => return None,
        })
    }

    /// Columns of a matrix, all of one type.
    fn columns(&mut self, id: u32, inst: Instruction<'a>) -> Option<Vec<Inst>> {
        let value = self.value(id, inst)?;
        if value.ty.and_then(|ty| self.matrix_shape(ty)).is_none() {
            return self.mismatch(inst, format!("has the operand %{id}, which is not a matrix"));
        }
        let columns = self.leaves(&value.val).to_vec();
        self.afford(columns.len() * 8, inst)?;
        Some(columns)
    }

    fn define_columns(&mut self, columns: &[Inst], ty: Type, inst: Instruction<'a>) -> Option<()> {
        let list = self.leaves_of(ty, inst)?;
        if list.len() != columns.len()
            || columns.iter().zip(&list).any(|(&column, leaf)| self.ty(column) != leaf.value)
        {
            return self.mismatch(inst, "has operands that do not match its result type");
        }
        let val = self.pack(columns);
        self.set(inst.word(2), ty, val);
        Some(())
    }

    fn transpose(&mut self, inst: Instruction<'a>) -> Option<()> {
        let ty = self.result_type(inst)?;
        let columns = self.columns(inst.word(3), inst)?;
        let rows = self.ty(columns[0]).components();
        let mut turned = Vec::new();
        for row in 0..rows {
            let components: Vec<Inst> = columns.iter().map(|&column| self.swizzle(column, &[row])).collect();
            turned.push(self.vector(&components));
        }
        self.define_columns(&turned, ty, inst)
    }

    fn times_scalar(&mut self, inst: Instruction<'a>) -> Option<()> {
        let ty = self.result_type(inst)?;
        let value = self.value(inst.word(3), inst)?;
        let scalar = self.bits(inst.word(4), inst)?;
        let columns = self.leaves(&value.val).to_vec();
        let Some(&first) = columns.first() else {
            return self.mismatch(inst, "has a matrix without columns");
        };
        if self.ty(scalar).components() != 1 || self.ty(scalar).width() != self.ty(first).width() {
            return self.mismatch(inst, "has a factor of the wrong type");
        }
        let splat = self.splat(scalar, self.ty(first).components());
        let mut scaled = Vec::new();
        for column in columns {
            match self.infer(FloatOp::FMul, &[column, splat]) {
                Some(product) => scaled.push(product),
                None => return self.mismatch(inst, "has operands of the wrong types"),
            }
        }
        self.define_columns(&scaled, ty, inst)
    }

    fn vector_times_matrix(&mut self, inst: Instruction<'a>) -> Option<()> {
        let ty = self.result_type(inst)?;
        let vector = self.bits(inst.word(3), inst)?;
        let columns = self.columns(inst.word(4), inst)?;
        let mut components = Vec::new();
        for column in columns {
            match self.infer(VectorOp::FDot, &[vector, column]) {
                Some(dot) => components.push(dot),
                None => return self.mismatch(inst, "has operands of the wrong types"),
            }
        }
        let product = self.vector(&components);
        self.define_columns(&[product], ty, inst)
    }

    /// The sum of the columns, each multiplied by its component of the vector, starting with the first.
    fn combine(&mut self, columns: &[Inst], vector: Inst) -> Option<Inst> {
        if self.ty(vector).components() as usize != columns.len() {
            return None;
        }
        let mut sum = None;
        for (component, &column) in (0u8..).zip(columns) {
            let factor = self.component(vector, component);
            let factor = self.splat(factor, self.ty(column).components());
            let product = self.infer(FloatOp::FMul, &[column, factor])?;
            sum = Some(match sum {
                Some(sum) => self.infer(FloatOp::FAdd, &[sum, product])?,
                None => product,
            });
        }
        sum
    }

    fn matrix_times_vector(&mut self, inst: Instruction<'a>) -> Option<()> {
        let ty = self.result_type(inst)?;
        let columns = self.columns(inst.word(3), inst)?;
        let vector = self.bits(inst.word(4), inst)?;
        match self.combine(&columns, vector) {
            Some(product) => self.define_columns(&[product], ty, inst),
            None => self.mismatch(inst, "has operands of the wrong types"),
        }
    }

    fn matrix_times_matrix(&mut self, inst: Instruction<'a>) -> Option<()> {
        let ty = self.result_type(inst)?;
        let left = self.columns(inst.word(3), inst)?;
        let right = self.columns(inst.word(4), inst)?;
        let product: Option<Vec<Inst>> = right.iter().map(|&column| self.combine(&left, column)).collect();
        match product {
            Some(product) => self.define_columns(&product, ty, inst),
            None => self.mismatch(inst, "has operands of the wrong types"),
        }
    }

    fn outer_product(&mut self, inst: Instruction<'a>) -> Option<()> {
        let ty = self.result_type(inst)?;
        let (column, row) = (self.bits(inst.word(3), inst)?, self.bits(inst.word(4), inst)?);
        let mut columns = Vec::new();
        for component in 0..self.ty(row).components() {
            let factor = self.component(row, component);
            let factor = self.splat(factor, self.ty(column).components());
            match self.infer(FloatOp::FMul, &[column, factor]) {
                Some(product) => columns.push(product),
                None => return self.mismatch(inst, "has operands of the wrong types"),
            }
        }
        self.define_columns(&columns, ty, inst)
    }

    /// Determinant (and inverse, if requested) of a square matrix, by cofactors.
    pub(super) fn determinant(&mut self, inverse: bool, inst: Instruction<'a>) -> Option<()> {
        let ty = self.result_type(inst)?;
        let columns = self.columns(inst.word(5), inst)?;
        let size = columns.len();
        if size > 4 || self.ty(columns[0]).components() as usize != size {
            return self.mismatch(inst, "has a matrix that is not square");
        }
        self.afford(512, inst)?;
        let mut cells: Vec<Vec<Inst>> = Vec::new();
        for &column in &columns {
            cells.push((0..size as u8).map(|row| self.component(column, row)).collect());
        }
        let all: Vec<usize> = (0..size).collect();
        // Cofactors of the first row, or of all rows for the inverse: row by row.
        let rows = if inverse { size } else { 1 };
        let mut cofactors = vec![Vec::new(); rows];
        for (row, cofactors) in cofactors.iter_mut().enumerate() {
            for column in 0..size {
                let keep = |out: usize| all.iter().copied().filter(|&at| at != out).collect::<Vec<usize>>();
                let minor = self.minor(&cells, &keep(column), &keep(row));
                let minor = if (row + column) % 2 == 1 { self.float(FloatOp::FNeg, &[minor]) } else { minor };
                cofactors.push(minor);
            }
        }
        let mut sum = None;
        for column in 0..size {
            let product = self.float(FloatOp::FMul, &[cells[column][0], cofactors[0][column]]);
            sum = Some(match sum {
                Some(sum) => self.float(FloatOp::FAdd, &[sum, product]),
                None => product,
            });
        }
        let determinant = sum?;
        if !inverse {
            return self.define_columns(&[determinant], ty, inst);
        }
        let width = self.ty(determinant).width()?;
        let one = self.head_bits(Bits::scalar(Scalar::float(width, 1.0)));
        let factor = self.float(FloatOp::FDiv, &[one, determinant]);
        let factor = self.splat(factor, size as u8);
        let mut inverted = Vec::new();
        for row in cofactors {
            let column = self.vector(&row);
            inverted.push(self.float(FloatOp::FMul, &[column, factor]));
        }
        self.define_columns(&inverted, ty, inst)
    }

    fn float(&mut self, op: FloatOp, args: &[Inst]) -> Inst {
        let ty = self.ty(args[0]);
        self.op(op, ty, args)
    }

    /// Determinant of the elements in some columns and rows, at most three.
    fn minor(&mut self, cells: &[Vec<Inst>], columns: &[usize], rows: &[usize]) -> Inst {
        match (columns, rows) {
            ([], _) | (_, []) => {
                let width = self.ty(cells[0][0]).width().unwrap_or_default();
                self.head_bits(Bits::scalar(Scalar::float(width, 1.0)))
            }
            (&[column], &[row, ..]) => cells[column][row],
            (&[a, b], &[r, s, ..]) => self.minor_of_two(cells, [a, b], [r, s]),
            (&[a, b, c, ..], &[r, ref rest @ ..]) => {
                let (s, t) = (rest[0], rest.get(1).copied().unwrap_or(rest[0]));
                let mut sum = None;
                for (column, others, minus) in [(a, [b, c], false), (b, [a, c], true), (c, [a, b], false)] {
                    let minor = self.minor_of_two(cells, others, [s, t]);
                    let product = self.float(FloatOp::FMul, &[cells[column][r], minor]);
                    sum = Some(match (sum, minus) {
                        (None, _) => product,
                        (Some(sum), true) => self.float(FloatOp::FSub, &[sum, product]),
                        (Some(sum), false) => self.float(FloatOp::FAdd, &[sum, product]),
                    });
                }
                sum.unwrap_or(cells[a][r])
            }
            (&[a, b], &[r]) => self.minor_of_two(cells, [a, b], [r, r]),
        }
    }

    fn minor_of_two(&mut self, cells: &[Vec<Inst>], [a, b]: [usize; 2], [r, s]: [usize; 2]) -> Inst {
        let down = self.float(FloatOp::FMul, &[cells[a][r], cells[b][s]]);
        let up = self.float(FloatOp::FMul, &[cells[b][r], cells[a][s]]);
        self.float(FloatOp::FSub, &[down, up])
    }

    /// Defines the result of an instruction as one leaf.
    pub(super) fn define_one(&mut self, leaf: Inst, ty: Type, inst: Instruction<'a>) -> Option<()> {
        match self.r.module.value_type(ty) {
            Some(wanted) if wanted == self.ty(leaf) && wanted != ValueType::Void => {
                self.set(inst.word(2), ty, Val::One(leaf));
                Some(())
            }
            _ => self.mismatch(inst, "computes a value whose type is not its result type"),
        }
    }
}
