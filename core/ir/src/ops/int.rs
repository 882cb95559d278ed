//! Integer, bitwise and boolean arithmetic, and comparisons. Integers wrap; booleans are one-bit integers.
//!
//! If SPIR-V leaves a result undefined, the choice is NIR's: shifts use only the low bits of the count, and
//! division by zero gives zero.

use super::table::ops;

ops! {
    /// Integer and boolean operations.
    IntOp builder IntBuild;

    /// Adds, wrapping (OpIAdd).
    IAdd iadd(a: I, b: I) -> I [COMMUTATIVE ASSOCIATIVE] = a.iadd(b);
    /// Subtracts, wrapping (OpISub).
    ISub isub(a: I, b: I) -> I = a.isub(b);
    /// Multiplies, keeping the low half of the product (OpIMul).
    IMul imul(a: I, b: I) -> I [COMMUTATIVE ASSOCIATIVE] = a.imul(b);
    /// Two's complement negation (OpSNegate).
    INeg ineg(a: I) -> I = a.ineg();
    /// Absolute value; the smallest number is unchanged (SAbs).
    IAbs iabs(a: S) -> S = a.iabs();
    /// -1, 0 or 1 according to the sign (SSign).
    ISign isign(a: S) -> S = a.isign();
    /// Signed quotient, rounded toward zero; division by zero gives 0 (OpSDiv).
    IDiv idiv(a: S, b: S) -> S = a.idiv(b);
    /// Unsigned quotient; division by zero gives 0 (OpUDiv).
    UDiv udiv(a: U, b: U) -> U = a.udiv(b);
    /// Signed remainder with the sign of the dividend; division by zero gives 0 (OpSRem).
    IRem irem(a: S, b: S) -> S = a.irem(b);
    /// Signed remainder with the sign of the divisor; division by zero gives 0 (OpSMod).
    IMod imod(a: S, b: S) -> S = a.imod(b);
    /// Unsigned remainder; division by zero gives 0 (OpUMod).
    UMod umod(a: U, b: U) -> U = a.umod(b);
    /// High half of the signed product (OpSMulExtended).
    IMulHigh imul_high(a: S, b: S) -> S [COMMUTATIVE] = a.imul_high(b);
    /// High half of the unsigned product (OpUMulExtended).
    UMulHigh umul_high(a: U, b: U) -> U [COMMUTATIVE] = a.umul_high(b);
    /// Carry of an unsigned addition, 0 or 1 (OpIAddCarry).
    UAddCarry uadd_carry(a: U, b: U) -> U [COMMUTATIVE] = a.uadd_carry(b);
    /// Borrow of an unsigned subtraction, 0 or 1 (OpISubBorrow).
    USubBorrow usub_borrow(a: U, b: U) -> U = a.usub_borrow(b);
    /// Adds signed integers, clamping the result.
    IAddSat iadd_sat(a: S, b: S) -> S [COMMUTATIVE] = a.iadd_sat(b);
    /// Adds unsigned integers, clamping the result.
    UAddSat uadd_sat(a: U, b: U) -> U [COMMUTATIVE ASSOCIATIVE] = a.uadd_sat(b);
    /// Subtracts signed integers, clamping the result.
    ISubSat isub_sat(a: S, b: S) -> S = a.isub_sat(b);
    /// Subtracts unsigned integers, clamping the result.
    USubSat usub_sat(a: U, b: U) -> U = a.usub_sat(b);
    /// Half of the signed sum, rounded down, without overflow.
    IHadd ihadd(a: S, b: S) -> S [COMMUTATIVE] = a.ihadd(b);
    /// Half of the unsigned sum, rounded down, without overflow.
    UHadd uhadd(a: U, b: U) -> U [COMMUTATIVE] = a.uhadd(b);
    /// Half of the signed sum, rounded up, without overflow.
    IRhadd irhadd(a: S, b: S) -> S [COMMUTATIVE] = a.irhadd(b);
    /// Half of the unsigned sum, rounded up, without overflow.
    URhadd urhadd(a: U, b: U) -> U [COMMUTATIVE] = a.urhadd(b);
    /// Absolute difference of two signed integers, as an unsigned integer.
    IAbsDiff iabsdiff(a: S, b: S) -> U [COMMUTATIVE] = a.iabsdiff(b);
    /// Absolute difference of two unsigned integers.
    UAbsDiff uabsdiff(a: U, b: U) -> U [COMMUTATIVE] = a.uabsdiff(b);

    /// Minimum of two signed integers (SMin).
    IMin imin(a: S, b: S) -> S [COMMUTATIVE ASSOCIATIVE IDEMPOTENT] = a.imin(b);
    /// Maximum of two signed integers (SMax).
    IMax imax(a: S, b: S) -> S [COMMUTATIVE ASSOCIATIVE IDEMPOTENT] = a.imax(b);
    /// Minimum of two unsigned integers (UMin).
    UMin umin(a: U, b: U) -> U [COMMUTATIVE ASSOCIATIVE IDEMPOTENT] = a.umin(b);
    /// Maximum of two unsigned integers (UMax).
    UMax umax(a: U, b: U) -> U [COMMUTATIVE ASSOCIATIVE IDEMPOTENT] = a.umax(b);
    /// `imin(imax(x, low), high)` (SClamp).
    IClamp iclamp(x: S, low: S, high: S) -> S = x.iclamp(low, high);
    /// `umin(umax(x, low), high)` (UClamp).
    UClamp uclamp(x: U, low: U, high: U) -> U = x.uclamp(low, high);

    /// Bitwise and, logical and (OpBitwiseAnd, OpLogicalAnd).
    IAnd iand(a: L, b: L) -> L [COMMUTATIVE ASSOCIATIVE IDEMPOTENT] = a.iand(b);
    /// Bitwise or, logical or (OpBitwiseOr, OpLogicalOr).
    IOr ior(a: L, b: L) -> L [COMMUTATIVE ASSOCIATIVE IDEMPOTENT] = a.ior(b);
    /// Bitwise exclusive or, logical not-equal (OpBitwiseXor, OpLogicalNotEqual).
    IXor ixor(a: L, b: L) -> L [COMMUTATIVE ASSOCIATIVE] = a.ixor(b);
    /// Flips every bit; logical not (OpNot, OpLogicalNot).
    INot inot(a: L) -> L = a.inot();
    /// Shifts left (OpShiftLeftLogical).
    IShl ishl(a: I, count: CNT) -> I = a.ishl(count);
    /// Shifts right, filling with the sign bit (OpShiftRightArithmetic).
    IShr ishr(a: S, count: CNT) -> S = a.ishr(count);
    /// Shifts right, filling with zeros (OpShiftRightLogical).
    UShr ushr(a: U, count: CNT) -> U = a.ushr(count);
    /// Rotates left.
    Rotl rotl(a: I, count: CNT) -> I = a.rotl(count);
    /// Rotates right.
    Rotr rotr(a: I, count: CNT) -> I = a.rotr(count);
    /// Extracts `count` bits starting at `offset`, zero-extended; 0 if the field exceeds the width
    /// (OpBitFieldUExtract).
    UBfe ubfe(a: U, offset: CNT, count: CNT) -> U = a.ubfe(offset, count);
    /// Extracts `count` bits starting at `offset`, sign-extended; 0 if the field exceeds the width
    /// (OpBitFieldSExtract).
    IBfe ibfe(a: S, offset: CNT, count: CNT) -> S = a.ibfe(offset, count);
    /// `base` with `count` bits starting at `offset` replaced by the low bits of `insert`; `base` if the
    /// field exceeds the width (OpBitFieldInsert).
    Bfi bfi(base: I, insert: I, offset: CNT, count: CNT) -> I = base.bfi(insert, offset, count);
    /// `(mask & a) | (~mask & b)`: bitwise selection.
    BitSelect bitselect(mask: I, a: I, b: I) -> I = mask.iand(a).ior(mask.inot().iand(b));
    /// Reverses the order of the bits (OpBitReverse).
    BitRev bitrev(a: I) -> N = a.bitrev();
    /// Number of bits set (OpBitCount).
    BitCount bitcount(a: I) -> N = a.bitcount();
    /// Position of the lowest bit set; -1 for zero (FindILsb).
    FindLsb find_lsb(a: I) -> N = a.find_lsb();
    /// Position of the highest bit set; -1 for zero (FindUMsb).
    UFindMsb ufind_msb(a: U) -> U = a.ufind_msb();
    /// Position of the highest bit that differs from the sign bit; -1 for 0 and -1 (FindSMsb).
    IFindMsb ifind_msb(a: S) -> S = a.ifind_msb();
    /// Number of leading zero bits; the width for zero.
    Clz clz(a: I) -> N = a.clz();
    /// Number of trailing zero bits; the width for zero.
    Ctz ctz(a: I) -> N = a.ctz();

    /// Equal (OpIEqual, OpLogicalEqual).
    IEq ieq(a: L, b: L) -> B [COMMUTATIVE COMPARISON] = a.ieq(b);
    /// Not equal (OpINotEqual).
    INe ine(a: L, b: L) -> B [COMMUTATIVE COMPARISON] = a.ine(b);
    /// Less than, signed (OpSLessThan).
    ILt ilt(a: S, b: S) -> B [COMPARISON] = a.ilt(b);
    /// Greater than, signed (OpSGreaterThan).
    IGt igt(a: S, b: S) -> B [COMPARISON] = a.igt(b);
    /// Less than or equal, signed (OpSLessThanEqual).
    ILe ile(a: S, b: S) -> B [COMPARISON] = a.ile(b);
    /// Greater than or equal, signed (OpSGreaterThanEqual).
    IGe ige(a: S, b: S) -> B [COMPARISON] = a.ige(b);
    /// Less than, unsigned (OpULessThan).
    ULt ult(a: U, b: U) -> B [COMPARISON] = a.ult(b);
    /// Greater than, unsigned (OpUGreaterThan).
    UGt ugt(a: U, b: U) -> B [COMPARISON] = a.ugt(b);
    /// Less than or equal, unsigned (OpULessThanEqual).
    ULe ule(a: U, b: U) -> B [COMPARISON] = a.ule(b);
    /// Greater than or equal, unsigned (OpUGreaterThanEqual).
    UGe uge(a: U, b: U) -> B [COMPARISON] = a.uge(b);

    /// `a` if the condition holds, else `b`, component by component (OpSelect).
    Select select(cond: B, a: T, b: T) -> T = cond.select(a, b);
    /// `a` if the scalar condition holds, else `b`, for whole vectors (OpSelect since SPIR-V 1.4).
    Select1 select1(cond: B1, a: T, b: T) -> T ~ super::vector::select1;

    /// Sum of the products of four signed 8-bit components (OpSDot on packed vectors).
    SDot4x8 sdot_4x8(a: U32, b: U32) -> S32 [COMMUTATIVE] = a.sdot_4x8(b);
    /// Sum of the products of four unsigned 8-bit components (OpUDot on packed vectors).
    UDot4x8 udot_4x8(a: U32, b: U32) -> U32 [COMMUTATIVE] = a.udot_4x8(b);
    /// Sum of the products of four signed 8-bit components of `a` and unsigned ones of `b` (OpSUDot).
    SUDot4x8 sudot_4x8(a: U32, b: U32) -> S32 = a.sudot_4x8(b);
    /// `sdot_4x8` plus `c`, clamped (OpSDotAccSat).
    SDot4x8Sat sdot_4x8_sat(a: U32, b: U32, c: S32) -> S32 [COMMUTATIVE] = a.sdot_4x8_iadd_sat(b, c);
    /// `udot_4x8` plus `c`, clamped (OpUDotAccSat).
    UDot4x8Sat udot_4x8_sat(a: U32, b: U32, c: U32) -> U32 [COMMUTATIVE] = a.udot_4x8_uadd_sat(b, c);
    /// `sudot_4x8` plus `c`, clamped (OpSUDotAccSat).
    SUDot4x8Sat sudot_4x8_sat(a: U32, b: U32, c: S32) -> S32 = a.sudot_4x8_iadd_sat(b, c);
}
