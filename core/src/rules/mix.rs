//! Rules of `lower-flrp`: a mix of two floats becomes products and sums.

use super::rules;

rules! {
    /// The first, and so much of the way to the second: shorter, where floats may be rounded otherwise.
    mix_by_difference [fast]: (fmix x y a) => (fadd x (fmul a (fsub y x)));
    /// So much of both, the second product and the sum with one rounding, where that is allowed.
    mix_contracted [contract]: (fmix x y a) => (ffma y a (fmul x (fsub 1.0 a)));
    /// So much of both, by its definition.
    mix_by_definition: (fmix x y a) => (fadd (fmul x (fsub 1.0 a)) (fmul y a));
}
