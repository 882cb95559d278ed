//! Texture instructions of ps_1_1 to ps_1_4.
//!
//! A texture register begins with the coordinates of its number; an instruction replaces them by a texel. The
//! rows of a product with a matrix are consecutive instructions: the last one takes the results of the others.
//!
//! Source: the reference of ps_1_X in the documentation of Direct3D 9.

use super::Reader;
use super::operands::components;
use super::texture::Level;
use crate::sm1::{Dst, File, Inst as Sm1, Op, Register, Src};
use vitrine_ir::Inst;
use vitrine_ir::ops::FloatBuild;

impl Reader<'_> {
    /// The value of a texture instruction of model 1 for the components of its destination. None if it is another
    /// one.
    pub(super) fn texture_1(&mut self, inst: &Sm1) -> Option<Inst> {
        let dst = inst.dst?;
        let [a, b, ..] = &inst.sources;
        let stage = dst.register.number;
        let own = self.own(&dst);
        let texel = match inst.op {
            Op::Tex => {
                let at = self.coordinates(stage);
                let position = self.source(&own, &at);
                self.sample(stage, position, Level::Implicit)
            }
            Op::TexLd4 => {
                let at = self.coordinates(stage);
                let position = self.source(a, &at);
                self.sample(stage, position, Level::Implicit)
            }
            Op::TexCoord => {
                let value = self.source(&own, &[0, 1, 2]);
                let value = self.cursor.fsat(value);
                let one = self.cursor.float(1.0, 1);
                self.cursor.vec(&[value, one])
            }
            Op::TexCrd => {
                let at = components(dst.mask);
                return Some(self.source(a, &at));
            }
            Op::TexReg2Ar => self.dependent(stage, a, [3, 0, 0]),
            Op::TexReg2Gb => self.dependent(stage, a, [1, 2, 0]),
            Op::TexReg2Rgb => self.dependent(stage, a, [0, 1, 2]),
            Op::TexBem | Op::TexBemL => self.bump_sample(inst.op, stage, &own, a),
            Op::Bem => {
                let [position, normal] = [a, b].map(|src| self.source(src, &[0, 1]));
                let sum = self.bumped(stage, position, normal);
                return Some(sum).map(|sum| self.for_mask(sum, &dst));
            }
            Op::TexM3x2Pad | Op::TexM3x3Pad => {
                let row = self.dot(&own, a, 0, 3);
                self.rows.push(row);
                return None;
            }
            Op::TexM3x2Tex => {
                let rows = self.matrix(&own, a, 2);
                let position = self.cursor.vec(&rows);
                self.sample(stage, position, Level::Implicit)
            }
            Op::TexM3x2Depth => {
                let rows = self.matrix(&own, a, 2);
                self.quotient(rows[0], rows[1])
            }
            Op::TexM3x3 => {
                let mut rows = self.matrix(&own, a, 3);
                rows.push(self.cursor.float(1.0, 1));
                self.cursor.vec(&rows)
            }
            Op::TexM3x3Tex => {
                let rows = self.matrix(&own, a, 3);
                self.sample_rows(stage, &rows)
            }
            Op::TexM3x3Spec => {
                let rows = self.matrix(&own, a, 3);
                let eye = self.source(b, &[0, 1, 2]);
                self.reflected(stage, &rows, eye)
            }
            Op::TexM3x3VSpec => {
                let rows = self.matrix(&own, a, 3);
                // The eye vector is in the last components of the three coordinates.
                let first = stage.saturating_sub(2);
                let parts: Vec<Inst> = (first..=stage)
                    .map(|stage| self.source(&Src::plain(Register::new(File::Texture, stage)), &[3]))
                    .collect();
                let eye = self.cursor.vec(&parts);
                self.reflected(stage, &rows, eye)
            }
            Op::TexDp3 => self.dot(&own, a, 0, 3),
            Op::TexDp3Tex => {
                let x = self.dot(&own, a, 0, 3);
                let zero = self.cursor.float(0.0, 1);
                self.sample_rows(stage, &[x, zero, zero])
            }
            Op::TexDepth => {
                let [x, y] = [0, 1].map(|at| self.source(&own, &[at]));
                self.quotient(x, y)
            }
            _ => return None,
        };
        Some(self.for_mask(texel, &dst))
    }

    /// The components of a value that a destination takes.
    fn for_mask(&mut self, value: Inst, dst: &Dst) -> Inst {
        match self.cursor.ty(value).components() {
            1 => value,
            count => {
                let at: Vec<u8> = components(dst.mask).into_iter().map(|at| at.min(count - 1)).collect();
                self.cursor.swizzle(value, &at)
            }
        }
    }

    /// A sample at components of another register.
    fn dependent(&mut self, stage: u16, src: &Src, at: [u8; 3]) -> Inst {
        let count = self.coordinates(stage).len();
        let position = self.source(src, &at[..count]);
        self.sample(stage, position, Level::Implicit)
    }

    /// The rows of a product: those of the instructions before, and this one's.
    fn matrix(&mut self, own: &Src, src: &Src, count: usize) -> Vec<Inst> {
        let row = self.dot(own, src, 0, 3);
        let mut rows = std::mem::take(&mut self.rows);
        rows.push(row);
        if rows.len() != count {
            self.error("D135", format!("{} of {count} rows of the matrix are there", rows.len()));
            rows.resize(count, row);
        }
        rows
    }

    /// A sample at computed coordinates, as many as the texture has.
    fn sample_rows(&mut self, stage: u16, rows: &[Inst]) -> Inst {
        let count = self.coordinates(stage).len();
        let position = self.cursor.vec(&rows[..count]);
        self.sample(stage, position, Level::Implicit)
    }

    /// A sample at the reflection of an eye vector: `2 (n . e) / (n . n) n - e`.
    fn reflected(&mut self, stage: u16, rows: &[Inst], eye: Inst) -> Inst {
        let normal = self.cursor.vec(rows);
        let cosine = self.cursor.dot(normal, eye);
        let square = self.cursor.dot(normal, normal);
        let twice = self.cursor.fadd(cosine, cosine);
        let factor = self.cursor.fdiv(twice, square);
        let factor = self.cursor.widen(factor, 3);
        let along = self.cursor.product(factor, normal);
        let reflection = self.cursor.fsub(along, eye);
        let at = self.coordinates(stage);
        let position = self.cursor.swizzle(reflection, &at);
        self.sample(stage, position, Level::Implicit)
    }

    /// `x / y`, or 1 if `y` is zero, at most 1.
    fn quotient(&mut self, x: Inst, y: Inst) -> Inst {
        let quotient = self.cursor.fdiv(x, y);
        let [zero, one] = [0.0, 1.0].map(|value| self.cursor.float(value, 1));
        let is_zero = self.cursor.feq(y, zero);
        let quotient = self.cursor.fmin(quotient, one);
        vitrine_ir::ops::IntBuild::select1(&mut self.cursor, is_zero, one, quotient)
    }

    /// A sample at a coordinate that the texel of another stage shifts; `texbeml` also scales its luminance.
    fn bump_sample(&mut self, op: Op, stage: u16, own: &Src, src: &Src) -> Inst {
        let position = self.source(own, &[0, 1]);
        let normal = self.source(src, &[0, 1]);
        let position = self.bumped(stage, position, normal);
        let texel = self.sample(stage, position, Level::Implicit);
        if op == Op::TexBem {
            return texel;
        }
        let luminance = self.source(src, &[2]);
        let facts = self.stage_row(stage, 1);
        let [scale, offset] = [0, 1].map(|at| self.cursor.component(facts, at));
        let scaled = self.cursor.product(luminance, scale);
        let factor = self.cursor.fadd(scaled, offset);
        let factor = self.cursor.fsat(factor);
        let factor = self.cursor.widen(factor, 4);
        self.cursor.product(texel, factor)
    }

    /// A coordinate plus the product of the stage's matrix with a vector.
    fn bumped(&mut self, stage: u16, position: Inst, normal: Inst) -> Inst {
        let matrix = self.stage_row(stage, 0);
        let [u, v] = [0, 1].map(|at| self.cursor.component(normal, at));
        let parts: Vec<Inst> = (0..2)
            .map(|row| {
                let [x, y] = [row, row + 2].map(|at| self.cursor.component(matrix, at));
                let [a, b] = [self.cursor.product(x, u), self.cursor.product(y, v)];
                self.cursor.fadd(a, b)
            })
            .collect();
        let shift = self.cursor.vec(&parts);
        self.cursor.fadd(position, shift)
    }

    /// One of the two rows of a stage in `bem`: the matrix, or scale and offset of the luminance.
    fn stage_row(&mut self, stage: u16, row: i32) -> Inst {
        let Some(buffer) = self.interface.bem else { return self.cursor.float(0.0, 4) };
        let index = self.cursor.int(2 * i32::from(stage.min(7)) + row);
        self.interface.row(&mut self.cursor, buffer, index)
    }
}
