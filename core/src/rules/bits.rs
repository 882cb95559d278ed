//! Rules of bits and truth values: a boolean is an integer of one bit, and all ones is true.

use super::rules;

rules! {
    /// Nothing is in common with zero.
    iand_zero: (iand x 0) => 0;
    /// Everything is in common with all ones.
    iand_ones: (iand x -1) => x;
    /// A number has itself in common with itself.
    iand_same: (iand x x) => x;
    /// A bit is never set in both a number and its opposite.
    iand_inot: (iand x (inot x)) => 0;
    /// Masks one after the other are one mask.
    iand_iand_const: (iand (iand x #c) #d) => (iand x (iand c d));
    /// What is added by `or` is there.
    iand_ior: (iand x (ior x y)) => x;

    /// Zero adds no bits.
    ior_zero: (ior x 0) => x;
    /// All ones has all bits.
    ior_ones: (ior x -1) => (inot 0);
    /// A number adds nothing to itself.
    ior_same: (ior x x) => x;
    /// A bit is set in a number or in its opposite.
    ior_inot: (ior x (inot x)) => (inot 0);
    /// Bits set one after the other are set at once.
    ior_ior_const: (ior (ior x #c) #d) => (ior x (ior c d));
    /// What is in common was there.
    ior_iand: (ior x (iand x y)) => x;

    /// Zero flips nothing.
    ixor_zero: (ixor x 0) => x;
    /// All ones flips every bit.
    ixor_ones: (ixor x -1) => (inot x);
    /// A number differs in no bit from itself.
    ixor_same: (ixor x x) => 0;
    /// What is flipped twice is not flipped.
    ixor_ixor: (ixor (ixor x y) y) => x;
    /// Bits flipped one after the other are flipped at once.
    ixor_ixor_const: (ixor (ixor x #c) #d) => (ixor x (ixor c d));
    /// Flipping both sides changes nothing.
    ixor_inot_inot: (ixor (inot x) (inot y)) => (ixor x y);

    /// The opposite of the opposite.
    inot_inot: (inot (inot x)) => x;
    /// Neither is: not one of them is (De Morgan).
    iand_inot_inot: (iand (inot x) (inot y)) => (inot (ior x y));
    /// One of them is not: not both are (De Morgan).
    ior_inot_inot: (ior (inot x) (inot y)) => (inot (iand x y));

    /// A shift by zero moves nothing.
    ishl_zero: (ishl x 0) => x;
    /// A shift by zero moves nothing.
    ushr_zero: (ushr x 0) => x;
    /// A shift by zero moves nothing.
    ishr_zero: (ishr x 0) => x;
    /// There is nothing to shift in zero.
    zero_ishl: (ishl 0 x) => 0;
    /// There is nothing to shift in zero.
    zero_ushr: (ushr 0 x) => 0;
    /// There is nothing to shift in zero.
    zero_ishr: (ishr 0 x) => 0;
    /// Shifts one after the other are one, while they are small enough for every width.
    ishl_ishl_const: (ishl (ishl x #c) #d) => (ishl x (iadd c d)) if shifts_add(c, d);
    /// Left and back again leaves the lower bits.
    ushr_ishl_const: (ushr (ishl x #c) #c) => (iand x (ushr -1 c));
    /// Right and back again leaves the upper bits.
    ishl_ushr_const: (ishl (ushr x #c) #c) => (iand x (ishl -1 c));
    /// Right and back again leaves the upper bits; the copied signs are shifted out.
    ishl_ishr_const: (ishl (ishr x #c) #c) => (iand x (ishl -1 c));
    /// A rotation by zero moves nothing.
    rotl_zero: (rotl x 0) => x;
    /// A rotation by zero moves nothing.
    rotr_zero: (rotr x 0) => x;

    /// Reversed twice.
    bitrev_bitrev: (bitrev (bitrev x)) => x;
    /// Two halves put together and taken apart.
    unpack_pack_64_32: (unpack_64_2x32 (pack_64_2x32 x)) => x;
    /// Two halves taken apart and put together.
    pack_unpack_64_32: (pack_64_2x32 (unpack_64_2x32 x)) => x;
    /// Two halves put together and taken apart.
    unpack_pack_32_16: (unpack_32_2x16 (pack_32_2x16 x)) => x;
    /// Two halves taken apart and put together.
    pack_unpack_32_16: (pack_32_2x16 (unpack_32_2x16 x)) => x;
    /// All of one lane is the lane.
    all_one_lane: (all x) => x;
    /// Any of one lane is the lane.
    any_one_lane: (any x) => x;

    /// What is in common with what differs is not in the other.
    iand_ixor: (iand x (ixor x y)) => (iand x (inot y));
    /// What differs adds what is not there yet.
    ior_ixor: (ior x (ixor x y)) => (ior x y);
    /// What is not there adds nothing to what is left of it.
    ior_iand_inot: (ior x (iand (inot x) y)) => (ior x y);
    /// What is not there has nothing in common.
    iand_ior_inot: (iand x (ior (inot x) y)) => (iand x y);
    /// Without what is in common: what is not in the other.
    ixor_iand: (ixor x (iand x y)) => (iand x (inot y));
    /// What `or` added.
    ixor_ior: (ixor x (ior x y)) => (iand (inot x) y);
    /// What both have in common with a third is taken at once.
    ior_iand_iand: (ior (once iand x y) (once iand x z)) => (iand x (ior y z));
    /// What is added to both is added once.
    iand_ior_ior: (iand (once ior x y) (once ior x z)) => (ior x (iand y z));
    /// What both have in common with a third is taken at once.
    ixor_iand_iand: (ixor (once iand x y) (once iand x z)) => (iand x (ixor y z));
    /// Inside a mask and outside of it is everywhere.
    ior_mask_inot_mask: (ior (iand x m) (iand x (inot m))) => x;
    /// An opposite goes into the constant.
    ixor_inot_const: (ixor (inot x) #c) => (ixor x (inot c));
    /// An opposite goes into the constant.
    inot_ixor_const: (inot (ixor x #c)) => (ixor x (inot c));
    /// Shifts one after the other are one, while they are small enough for every width.
    ushr_ushr_const: (ushr (ushr x #c) #d) => (ushr x (iadd c d)) if shifts_add(c, d);
    /// Shifts one after the other are one, while they are small enough for every width.
    ishr_ishr_const: (ishr (ishr x #c) #d) => (ishr x (iadd c d)) if shifts_add(c, d);
    /// Two numbers that move alike are moved at once.
    iand_ishl_ishl: (iand (once ishl x s) (once ishl y s)) => (ishl (iand x y) s);
    /// Two numbers that move alike are moved at once.
    ior_ishl_ishl: (ior (once ishl x s) (once ishl y s)) => (ishl (ior x y) s);
    /// Two numbers that move alike are moved at once.
    ixor_ishl_ishl: (ixor (once ishl x s) (once ishl y s)) => (ishl (ixor x y) s);
    /// Two numbers that move alike are moved at once.
    iand_ushr_ushr: (iand (once ushr x s) (once ushr y s)) => (ushr (iand x y) s);
    /// Two numbers that move alike are moved at once.
    ior_ushr_ushr: (ior (once ushr x s) (once ushr y s)) => (ushr (ior x y) s);
    /// Two numbers that move alike are moved at once.
    ixor_ushr_ushr: (ixor (once ushr x s) (once ushr y s)) => (ushr (ixor x y) s);
}
