//! Rules of `lower-flrp`: expand linear interpolation of floats into products and sums.

use super::rules;

rules! {
    /// `x + a * (y - x)`: shorter, but rounds differently.
    mix_by_difference [fast]: (fmix x y a) => (fadd x (fmul a (fsub y x)));
    /// `x * (1 - a) + y * a`, with the last product and the sum contracted to a fused multiply-add.
    mix_contracted [contract]: (fmix x y a) => (ffma y a (fmul x (fsub 1.0 a)));
    /// `x * (1 - a) + y * a`, the definition.
    mix_by_definition: (fmix x y a) => (fadd (fmul x (fsub 1.0 a)) (fmul y a));
}
