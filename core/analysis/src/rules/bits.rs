//! Rules of bitwise and boolean operations: a boolean is an integer of one bit, so all ones is true.

use super::rules;

rules! {
    /// `and` with zero is zero.
    iand_zero: (iand x 0) => 0;
    /// `and` with all ones changes nothing.
    iand_ones: (iand x -1) => x;
    /// `and` of a value with itself is the value.
    iand_same: (iand x x) => x;
    /// No bit is set in both a value and its complement.
    iand_inot: (iand x (inot x)) => 0;
    /// Combines two constant masks.
    iand_iand_const: (iand (iand x #c) #d) => (iand x (iand c d));
    /// Absorption: `x & (x | y)` is `x`.
    iand_ior: (iand x (ior x y)) => x;

    /// `or` with zero changes nothing.
    ior_zero: (ior x 0) => x;
    /// `or` with all ones is all ones.
    ior_ones: (ior x -1) => (inot 0);
    /// `or` of a value with itself is the value.
    ior_same: (ior x x) => x;
    /// Every bit is set in either a value or its complement.
    ior_inot: (ior x (inot x)) => (inot 0);
    /// Combines two `or` operations with constants.
    ior_ior_const: (ior (ior x #c) #d) => (ior x (ior c d));
    /// Absorption: `x | (x & y)` is `x`.
    ior_iand: (ior x (iand x y)) => x;

    /// `xor` with zero changes nothing.
    ixor_zero: (ixor x 0) => x;
    /// `xor` with all ones flips every bit.
    ixor_ones: (ixor x -1) => (inot x);
    /// `xor` of a value with itself is zero.
    ixor_same: (ixor x x) => 0;
    /// Flipping the same bits twice cancels.
    ixor_ixor: (ixor (ixor x y) y) => x;
    /// Combines two `xor` operations with constants.
    ixor_ixor_const: (ixor (ixor x #c) #d) => (ixor x (ixor c d));
    /// The complements of both operands of `xor` cancel.
    ixor_inot_inot: (ixor (inot x) (inot y)) => (ixor x y);

    /// A double complement cancels.
    inot_inot: (inot (inot x)) => x;
    /// De Morgan: `!x & !y` is `!(x | y)`.
    iand_inot_inot: (iand (inot x) (inot y)) => (inot (ior x y));
    /// De Morgan: `!x | !y` is `!(x & y)`.
    ior_inot_inot: (ior (inot x) (inot y)) => (inot (iand x y));

    /// A shift by zero changes nothing.
    ishl_zero: (ishl x 0) => x;
    /// A shift by zero changes nothing.
    ushr_zero: (ushr x 0) => x;
    /// A shift by zero changes nothing.
    ishr_zero: (ishr x 0) => x;
    /// Zero shifted by any count is zero.
    zero_ishl: (ishl 0 x) => 0;
    /// Zero shifted by any count is zero.
    zero_ushr: (ushr 0 x) => 0;
    /// Zero shifted by any count is zero.
    zero_ishr: (ishr 0 x) => 0;
    /// Combines two constant shifts whose sum is a valid count for every width.
    ishl_ishl_const: (ishl (ishl x #c) #d) => (ishl x (iadd c d)) if shifts_add(c, d);
    /// A left shift and a right shift by the same count keep the low bits: a mask.
    ushr_ishl_const: (ushr (ishl x #c) #c) => (iand x (ushr -1 c));
    /// A right shift and a left shift by the same count keep the high bits: a mask.
    ishl_ushr_const: (ishl (ushr x #c) #c) => (iand x (ishl -1 c));
    /// An arithmetic right shift and a left shift by the same count keep the high bits; the copies of the
    /// sign bit are shifted out.
    ishl_ishr_const: (ishl (ishr x #c) #c) => (iand x (ishl -1 c));
    /// A rotation by zero changes nothing.
    rotl_zero: (rotl x 0) => x;
    /// A rotation by zero changes nothing.
    rotr_zero: (rotr x 0) => x;

    /// Reversing the bits twice changes nothing.
    bitrev_bitrev: (bitrev (bitrev x)) => x;
    /// Unpacking a packed value gives its operand.
    unpack_pack_64_32: (unpack_64_2x32 (pack_64_2x32 x)) => x;
    /// Packing an unpacked value gives its operand.
    pack_unpack_64_32: (pack_64_2x32 (unpack_64_2x32 x)) => x;
    /// Unpacking a packed value gives its operand.
    unpack_pack_32_16: (unpack_32_2x16 (pack_32_2x16 x)) => x;
    /// Packing an unpacked value gives its operand.
    pack_unpack_32_16: (pack_32_2x16 (unpack_32_2x16 x)) => x;
    /// `all` of a scalar is the scalar.
    all_one_component: (all x) => x;
    /// `any` of a scalar is the scalar.
    any_one_component: (any x) => x;

    /// `x & (x ^ y)` keeps the bits of `x` that are not in `y`.
    iand_ixor: (iand x (ixor x y)) => (iand x (inot y));
    /// `x | (x ^ y)` adds the bits of `y` that are not in `x`.
    ior_ixor: (ior x (ixor x y)) => (ior x y);
    /// `x | (!x & y)` is `x | y`: the mask excludes only bits that `x` sets.
    ior_iand_inot: (ior x (iand (inot x) y)) => (ior x y);
    /// `x & (!x | y)` is `x & y`: the complement contributes no bits.
    iand_ior_inot: (iand x (ior (inot x) y)) => (iand x y);
    /// `x ^ (x & y)` keeps the bits of `x` that are not in `y`.
    ixor_iand: (ixor x (iand x y)) => (iand x (inot y));
    /// `x ^ (x | y)` keeps the bits of `y` that are not in `x`.
    ixor_ior: (ixor x (ior x y)) => (iand (inot x) y);
    /// Factors out a common mask.
    ior_iand_iand: (ior (once iand x y) (once iand x z)) => (iand x (ior y z));
    /// Factors out a common `or` operand.
    iand_ior_ior: (iand (once ior x y) (once ior x z)) => (ior x (iand y z));
    /// Factors out a common mask.
    ixor_iand_iand: (ixor (once iand x y) (once iand x z)) => (iand x (ixor y z));
    /// The bits inside a mask and those outside of it are all bits.
    ior_mask_inot_mask: (ior (iand x m) (iand x (inot m))) => x;
    /// Moves the complement into the constant.
    ixor_inot_const: (ixor (inot x) #c) => (ixor x (inot c));
    /// Moves the complement into the constant.
    inot_ixor_const: (inot (ixor x #c)) => (ixor x (inot c));
    /// Combines two constant shifts whose sum is a valid count for every width.
    ushr_ushr_const: (ushr (ushr x #c) #d) => (ushr x (iadd c d)) if shifts_add(c, d);
    /// Combines two constant shifts whose sum is a valid count for every width.
    ishr_ishr_const: (ishr (ishr x #c) #d) => (ishr x (iadd c d)) if shifts_add(c, d);
    /// Two values shifted by the same count are combined first and shifted once.
    iand_ishl_ishl: (iand (once ishl x s) (once ishl y s)) => (ishl (iand x y) s);
    /// Two values shifted by the same count are combined first and shifted once.
    ior_ishl_ishl: (ior (once ishl x s) (once ishl y s)) => (ishl (ior x y) s);
    /// Two values shifted by the same count are combined first and shifted once.
    ixor_ishl_ishl: (ixor (once ishl x s) (once ishl y s)) => (ishl (ixor x y) s);
    /// Two values shifted by the same count are combined first and shifted once.
    iand_ushr_ushr: (iand (once ushr x s) (once ushr y s)) => (ushr (iand x y) s);
    /// Two values shifted by the same count are combined first and shifted once.
    ior_ushr_ushr: (ior (once ushr x s) (once ushr y s)) => (ushr (ior x y) s);
    /// Two values shifted by the same count are combined first and shifted once.
    ixor_ushr_ushr: (ixor (once ushr x s) (once ushr y s)) => (ushr (ixor x y) s);
}
