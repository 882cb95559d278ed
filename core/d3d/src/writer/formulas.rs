//! Functions without an instruction: inverse trigonometric and hyperbolic ones, and sine and cosine of shader model 2.
//!
//! Arc functions are polynomials (Abramowitz and Stegun, Handbook of Mathematical Functions, 4.4.46 and 4.4.49, with errors
//! below 2e-8); hyperbolic ones are their definitions by exponentials and logarithms.

use super::select::{Comp, Comps, Selector, absolute, float, negate};
use crate::sm1::Op as Sm1;
use std::f32::consts::{FRAC_PI_2, LN_2, LOG2_E, PI, TAU};
use vitrine_ir::ops::FloatOp;

/// Coefficients of `arccos(x) / sqrt(1 - x)` for x from 0 to 1, from the highest power down.
const ARC_COSINE: [f32; 8] = [
    -0.001_262_491_1,
    0.006_670_09,
    -0.017_088_126,
    0.030_891_88,
    -0.050_174_305,
    0.088_978_99,
    -0.214_598_8,
    FRAC_PI_2,
];

/// Coefficients of `arctan(x) / x` in powers of the square of x, from the highest down.
const ARC_TANGENT: [f32; 9] = [
    0.002_866_225_7,
    -0.016_165_737,
    0.042_909_614,
    -0.075_289_64,
    0.106_562_64,
    -0.142_089,
    0.199_935_51,
    -0.333_331_45,
    1.0,
];

/// `sin(π t)` for `t` from -1 to 1: factors of the odd powers of `t`, the highest first. Its error is below 5e-7. Fitted by
/// least squares at Chebyshev nodes.
const SINE: [f32; 6] = [-0.005_990_654, 0.080_476_06, -0.598_278_8, 2.549_879_3, -5.167_677_4, 3.141_591_3];

impl Selector<'_> {
    /// Arc functions; none for other operations.
    pub(super) fn inverse_function(
        &mut self,
        op: FloatOp,
        count: usize,
        a: &[Comp],
        b: Option<&[Comp]>,
    ) -> Option<Comps> {
        Some(match op {
            FloatOp::FAcos => self.arc_cosine(count, a),
            FloatOp::FAsin => {
                let cosine = self.arc_cosine(count, a);
                self.each(Sm1::Add, count, &[&[float(FRAC_PI_2)], &negate(&cosine)])
            }
            FloatOp::FAtan => self.arc_tangent(count, a, &[float(1.0)]),
            FloatOp::FAtan2 => self.arc_tangent(count, a, b?),
            _ => return None,
        })
    }

    /// Sine (component 1) or cosine (component 0) in shader model 2, whose own instruction has an error of 0.002: a
    /// polynomial of the angle in units of π, from -1 to 1, for all components at once.
    pub(super) fn sine_polynomial(&mut self, count: usize, a: &[Comp], component: u8) -> Comps {
        let offset = if component == 1 { 0.5 } else { 0.75 };
        let turns = self.each(Sm1::Mad, count, &[a, &[float(1.0 / TAU)], &[float(offset)]]);
        let turn = self.each(Sm1::Frc, count, &[&turns]);
        let angle = self.each(Sm1::Mad, count, &[&turn, &[float(2.0)], &[float(-1.0)]]);
        let square = self.each(Sm1::Mul, count, &[&angle, &angle]);
        let sum = self.polynomial(count, &square, &SINE);
        self.each(Sm1::Mul, count, &[&sum, &angle])
    }

    /// A product that is 0.0 if a factor is zero, and a sum with it. Hardware differs: the tests make it certain.
    pub(super) fn zero_product(&mut self, count: usize, a: &[Comp], b: &[Comp], c: Option<&[Comp]>) -> Comps {
        let zero = [float(0.0)];
        let product = self.each(Sm1::Mul, count, &[a, b]);
        let product = self.selected(2, count, (a, &zero), &zero, &product);
        let product = self.selected(2, count, (b, &zero), &zero, &product);
        match c {
            None => product,
            Some(c) => self.each(Sm1::Add, count, &[&product, c]),
        }
    }

    fn polynomial(&mut self, count: usize, x: &[Comp], coefficients: &[f32]) -> Comps {
        let Some((&first, rest)) = coefficients.split_first() else { return vec![float(0.0); count] };
        let start = vec![float(first); count];
        rest.iter().fold(start, |sum, &next| self.each(Sm1::Mad, count, &[&sum, x, &[float(next)]]))
    }

    /// `sqrt(1 - |x|)` times a polynomial, mirrored for negative operands.
    fn arc_cosine(&mut self, count: usize, a: &[Comp]) -> Comps {
        let size = absolute(a);
        let value = self.polynomial(count, &size, &ARC_COSINE);
        let rest = self.each(Sm1::Add, count, &[&[float(1.0)], &negate(&size)]);
        let root = self.first(Sm1::Rsq, count, &[&rest]);
        let root = self.first(Sm1::Rcp, count, &[&root]);
        let value = self.each(Sm1::Mul, count, &[&value, &root]);
        let mirrored = self.each(Sm1::Add, count, &[&[float(PI)], &negate(&value)]);
        self.selected(3, count, (a, &[float(0.0)]), &value, &mirrored)
    }

    /// The angle of the point `(x, y)`: the polynomial of the smaller coordinate over the larger one, then mirrored by
    /// octants.
    fn arc_tangent(&mut self, count: usize, y: &[Comp], x: &[Comp]) -> Comps {
        let (width, height) = (absolute(x), absolute(y));
        let small = self.each(Sm1::Min, count, &[&height, &width]);
        let large = self.each(Sm1::Max, count, &[&height, &width]);
        let reciprocal = self.first(Sm1::Rcp, count, &[&large]);
        let ratio = self.each(Sm1::Mul, count, &[&small, &reciprocal]);
        let square = self.each(Sm1::Mul, count, &[&ratio, &ratio]);
        let value = self.polynomial(count, &square, &ARC_TANGENT);
        let value = self.each(Sm1::Mul, count, &[&value, &ratio]);
        let steep = self.each(Sm1::Add, count, &[&[float(FRAC_PI_2)], &negate(&value)]);
        let value = self.selected(1, count, (&height, &width), &steep, &value);
        let left = self.each(Sm1::Add, count, &[&[float(PI)], &negate(&value)]);
        let value = self.selected(3, count, (x, &[float(0.0)]), &value, &left);
        self.selected(3, count, (y, &[float(0.0)]), &value, &negate(&value))
    }

    /// Hyperbolic functions and their inverses; none for other operations.
    pub(super) fn hyperbolic(&mut self, op: FloatOp, count: usize, a: &[Comp]) -> Option<Comps> {
        Some(match op {
            FloatOp::FSinh | FloatOp::FCosh => {
                let (up, down) = (self.exponential(count, a, 1.0), self.exponential(count, a, -1.0));
                let down = if op == FloatOp::FSinh { negate(&down) } else { down };
                let sum = self.each(Sm1::Add, count, &[&up, &down]);
                self.each(Sm1::Mul, count, &[&sum, &[float(0.5)]])
            }
            FloatOp::FTanh => {
                // 1 - 2 / (exp(2 |a|) + 1), with the sign of the operand.
                let size = absolute(a);
                let power = self.exponential(count, &size, 2.0);
                let sum = self.each(Sm1::Add, count, &[&power, &[float(1.0)]]);
                let reciprocal = self.first(Sm1::Rcp, count, &[&sum]);
                let value = self.each(Sm1::Mad, count, &[&reciprocal, &[float(-2.0)], &[float(1.0)]]);
                self.selected(3, count, (a, &[float(0.0)]), &value, &negate(&value))
            }
            FloatOp::FAsinh => {
                // ln(|a| + sqrt(a * a + 1)), with the sign of the operand.
                let size = absolute(a);
                let value = self.log_of_sum(count, &size, 1.0);
                self.selected(3, count, (a, &[float(0.0)]), &value, &negate(&value))
            }
            FloatOp::FAcosh => self.log_of_sum(count, a, -1.0),
            FloatOp::FAtanh => {
                let above = self.each(Sm1::Add, count, &[&[float(1.0)], a]);
                let below = self.each(Sm1::Add, count, &[&[float(1.0)], &negate(a)]);
                let (above, below) =
                    (self.first(Sm1::Log, count, &[&above]), self.first(Sm1::Log, count, &[&below]));
                let difference = self.each(Sm1::Add, count, &[&above, &negate(&below)]);
                self.each(Sm1::Mul, count, &[&difference, &[float(0.5 * LN_2)]])
            }
            _ => return None,
        })
    }

    /// e raised to the power `factor * a`.
    fn exponential(&mut self, count: usize, a: &[Comp], factor: f32) -> Comps {
        let scaled = self.each(Sm1::Mul, count, &[a, &[float(factor * LOG2_E)]]);
        self.first(Sm1::Exp, count, &[&scaled])
    }

    /// `ln(a + sqrt(a * a + addend))`.
    fn log_of_sum(&mut self, count: usize, a: &[Comp], addend: f32) -> Comps {
        let square = self.each(Sm1::Mad, count, &[a, a, &[float(addend)]]);
        let root = self.first(Sm1::Rsq, count, &[&square]);
        let root = self.first(Sm1::Rcp, count, &[&root]);
        let sum = self.each(Sm1::Add, count, &[a, &root]);
        let log = self.first(Sm1::Log, count, &[&sum]);
        self.each(Sm1::Mul, count, &[&log, &[float(LN_2)]])
    }
}
