//! Arithmetic: the value of an instruction for the components of its destination.
//!
//! `mad` rounds once, as drivers and other translators have it; the vendor leaves it open.
//!
//! Source: the reference of the Direct3D 9 assembly languages.

use super::Reader;
use super::operands::components;
use super::survey::matrix_rows;
use crate::sm1::{COMPARISONS, File, Inst as Sm1, Op, Src};
use vitrine_ir::Inst;
use vitrine_ir::ops::{ConvertOp, Emit, FloatBuild, FloatOp, GroupOp, IntBuild};

/// The largest exponent of `lit`.
const LIT_MOST: f32 = 127.9961;

impl Reader<'_> {
    /// The value of an instruction: one component for each one of the mask, or one for all. None if it is not
    /// arithmetic.
    pub(super) fn arithmetic(&mut self, inst: &Sm1) -> Option<Inst> {
        let dst = inst.dst?;
        let at = components(dst.mask);
        if at.is_empty() {
            return Some(self.cursor.float(0.0, 1));
        }
        let sources = inst.sources();
        if let Some(op) = componentwise(inst.op) {
            let args: Vec<Inst> = sources.iter().map(|src| self.source(src, &at)).collect();
            return Some(self.cursor.emit(op.into(), &args));
        }
        let [a, b, c, _] = &inst.sources;
        Some(match inst.op {
            Op::Mov if dst.register.file == File::Address => {
                let value = self.source(a, &at);
                let value = if self.version.major < 2 {
                    self.cursor.ffloor(value)
                } else {
                    self.cursor.fround_even(value)
                };
                self.address(value)
            }
            Op::Mov => self.source(a, &at),
            Op::Mul => {
                let [x, y] = [a, b].map(|src| self.source(src, &at));
                self.cursor.product(x, y)
            }
            Op::Mad => {
                let [x, y, z] = [a, b, c].map(|src| self.source(src, &at));
                self.cursor.product_and_sum(x, y, z)
            }
            Op::MovA => {
                let value = self.source(a, &at);
                let value = self.cursor.fround_even(value);
                self.address(value)
            }
            Op::Slt | Op::Sge => {
                let [x, y] = [a, b].map(|src| self.source(src, &at));
                let holds = if inst.op == Op::Slt { self.cursor.flt(x, y) } else { self.cursor.fge(x, y) };
                self.cursor.convert(ConvertOp::B2F, holds)
            }
            Op::SetP => {
                let [x, y] = [a, b].map(|src| self.source(src, &at));
                self.compared(inst.control, x, y)
            }
            Op::Lrp => {
                let [x, y, z] = [a, b, c].map(|src| self.source(src, &at));
                self.cursor.interpolation(x, y, z)
            }
            Op::Cmp | Op::Cnd => {
                let [x, y, z] = [a, b, c].map(|src| self.source(src, &at));
                let count = at.len() as u8;
                let holds = if inst.op == Op::Cmp {
                    let zero = self.cursor.float(0.0, count);
                    self.cursor.fge(x, zero)
                } else {
                    let half = self.cursor.float(0.5, count);
                    self.cursor.fgt(x, half)
                };
                self.cursor.select(holds, y, z)
            }
            Op::Rcp => {
                let x = self.scalar(a);
                let value = self.cursor.frcp(x);
                self.finite(value)
            }
            Op::Rsq => {
                let x = self.absolute(a);
                let value = self.cursor.frsq(x);
                self.finite(value)
            }
            Op::Exp => {
                let x = self.scalar(a);
                self.cursor.fexp2(x)
            }
            Op::Log => {
                let x = self.absolute(a);
                let value = self.cursor.flog2(x);
                self.finite(value)
            }
            Op::ExpP => self.exp_partial(a, &at),
            Op::LogP => self.log_partial(a, &at),
            Op::Pow => {
                let x = self.absolute(a);
                let y = self.scalar(b);
                self.cursor.fpow(x, y)
            }
            Op::Dp3 => self.dot(a, b, 0, 3),
            Op::Dp4 => self.dot(a, b, 0, 4),
            Op::Dp2Add => {
                let product = self.dot(a, b, 0, 2);
                let sum = self.scalar(c);
                self.cursor.fadd(product, sum)
            }
            Op::M4x4 | Op::M4x3 | Op::M3x4 | Op::M3x3 | Op::M3x2 => {
                let columns = if matches!(inst.op, Op::M4x4 | Op::M4x3) { 4 } else { 3 };
                let rows: Vec<Inst> =
                    (0..matrix_rows(inst.op)).map(|row| self.dot(a, b, row, columns)).collect();
                let zero = self.cursor.float(0.0, 1);
                let parts: Vec<Inst> =
                    at.iter().map(|&at| rows.get(usize::from(at)).copied().unwrap_or(zero)).collect();
                self.cursor.vec(&parts)
            }
            Op::Sgn2 => {
                let x = self.source(a, &at);
                self.cursor.fsign(x)
            }
            Op::Crs => {
                let [x, y] = [a, b].map(|src| self.source(src, &[0, 1, 2]));
                let product = self.cursor.cross(x, y);
                let at: Vec<u8> = at.iter().map(|&at| at.min(2)).collect();
                self.cursor.swizzle(product, &at)
            }
            Op::Nrm => self.normalized(a, &at),
            Op::Lit => self.lit(a, &at),
            Op::Dst => self.distance(a, b, &at),
            Op::SinCos | Op::SinCos2 => {
                let angle = self.scalar(a);
                let [cosine, sine] = [self.cursor.fcos(angle), self.cursor.fsin(angle)];
                let parts: Vec<Inst> = at.iter().map(|&at| if at == 0 { cosine } else { sine }).collect();
                self.cursor.vec(&parts)
            }
            Op::Dsx | Op::Dsy => {
                let x = self.source(a, &at);
                let op = if inst.op == Op::Dsx { GroupOp::Ddx } else { GroupOp::Ddy };
                self.cursor.emit(op.into(), &[x])
            }
            _ => return None,
        })
    }

    /// A comparison by its control bits.
    pub(super) fn compared(&mut self, control: u8, x: Inst, y: Inst) -> Inst {
        match COMPARISONS.get(usize::from(control)).copied().unwrap_or("") {
            "gt" => self.cursor.fgt(x, y),
            "eq" => self.cursor.feq(x, y),
            "ge" => self.cursor.fge(x, y),
            "lt" => self.cursor.flt(x, y),
            "ne" => self.cursor.fneu(x, y),
            "le" => self.cursor.fle(x, y),
            _ => {
                self.error("D134", format!("the comparison has the unknown number {control}"));
                self.cursor.funord(x, x)
            }
        }
    }

    /// The reciprocal and the logarithm of 0 are the largest floats, not infinite, so that a product with 0 is 0.
    fn finite(&mut self, value: Inst) -> Inst {
        let [least, most] = [f32::MIN, f32::MAX].map(|value| self.cursor.float(value, 1));
        self.cursor.fclamp(value, least, most)
    }

    fn absolute(&mut self, src: &Src) -> Inst {
        let x = self.scalar(src);
        self.cursor.fabs(x)
    }

    /// The dot product of a source with a row of another one.
    pub(super) fn dot(&mut self, a: &Src, b: &Src, row: u16, columns: u8) -> Inst {
        let at: Vec<u8> = (0..columns).collect();
        let x = self.source(a, &at);
        let y = self.row(b, row, &at);
        self.cursor.dot(x, y)
    }

    /// A vector divided by the length of its first three components; zero stays zero.
    fn normalized(&mut self, src: &Src, at: &[u8]) -> Inst {
        let length = self.dot(src, src, 0, 3);
        let factor = self.cursor.frsq(length);
        let factor = self.finite(factor);
        let x = self.source(src, at);
        let factor = self.cursor.widen(factor, at.len() as u8);
        self.cursor.product(x, factor)
    }

    /// Lighting coefficients: 1, the diffuse one, the specular one, 1.
    fn lit(&mut self, src: &Src, at: &[u8]) -> Inst {
        let [x, y, w] = [0, 1, 3].map(|component| self.source(src, &[component]));
        let [zero, one] = [0.0, 1.0].map(|value| self.cursor.float(value, 1));
        let diffuse = self.cursor.fmax(x, zero);
        let [least, most] = [-LIT_MOST, LIT_MOST].map(|value| self.cursor.float(value, 1));
        let exponent = self.cursor.fclamp(w, least, most);
        let base = self.cursor.fmax(y, zero);
        let power = self.cursor.fpow(base, exponent);
        let [faces, shines] = [self.cursor.fgt(x, zero), self.cursor.fgt(y, zero)];
        let both = self.cursor.iand(faces, shines);
        let specular = self.cursor.select1(both, power, zero);
        self.pick([one, diffuse, specular, one], at)
    }

    /// `(1, a.y * b.y, a.z, b.w)`.
    fn distance(&mut self, a: &Src, b: &Src, at: &[u8]) -> Inst {
        let one = self.cursor.float(1.0, 1);
        let [x, y] = [a, b].map(|src| self.source(src, &[1]));
        let product = self.cursor.product(x, y);
        let [z, w] = [self.source(a, &[2]), self.source(b, &[3])];
        self.pick([one, product, z, w], at)
    }

    /// `expp`: in vs_1_1 the power of the whole part, the fraction, the power, 1.
    fn exp_partial(&mut self, src: &Src, at: &[u8]) -> Inst {
        let x = self.scalar(src);
        let power = self.cursor.fexp2(x);
        if self.version.major > 1 {
            return power;
        }
        let floor = self.cursor.ffloor(x);
        let whole = self.cursor.fexp2(floor);
        let fraction = self.cursor.fsub(x, floor);
        let one = self.cursor.float(1.0, 1);
        self.pick([whole, fraction, power, one], at)
    }

    /// `logp`: in vs_1_1 the exponent, the significand, the logarithm, 1.
    fn log_partial(&mut self, src: &Src, at: &[u8]) -> Inst {
        let x = self.absolute(src);
        let logarithm = self.cursor.flog2(x);
        let logarithm = self.finite(logarithm);
        if self.version.major > 1 {
            return logarithm;
        }
        let exponent = self.cursor.ffloor(logarithm);
        let scale = self.cursor.fexp2(exponent);
        let significand = self.cursor.fdiv(x, scale);
        let [zero, one] = [0.0, 1.0].map(|value| self.cursor.float(value, 1));
        let is_zero = self.cursor.feq(x, zero);
        let significand = self.cursor.select1(is_zero, one, significand);
        self.pick([exponent, significand, logarithm, one], at)
    }

    /// The components of four values.
    pub(super) fn pick(&mut self, of: [Inst; 4], at: &[u8]) -> Inst {
        let parts: Vec<Inst> = at.iter().map(|&at| of[usize::from(at & 3)]).collect();
        self.cursor.vec(&parts)
    }
}

/// The operation of an instruction that computes each component by itself.
fn componentwise(op: Op) -> Option<FloatOp> {
    Some(match op {
        Op::Add => FloatOp::FAdd,
        Op::Sub => FloatOp::FSub,
        Op::Min => FloatOp::FMin,
        Op::Max => FloatOp::FMax,
        Op::Frc => FloatOp::FFract,
        Op::Abs => FloatOp::FAbs,
        Op::Sgn => FloatOp::FSign,
        _ => return None,
    })
}
