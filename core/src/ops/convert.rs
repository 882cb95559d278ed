//! Conversions between numbers: the value stays, as near as the result can hold it.
//!
//! Reinterpreting bits needs no operation, since values have no type. The result width is the
//! instruction's own; a builder names it (`ir::Builder::convert`).

use super::table::ops;

ops! {
    /// Conversions.
    ConvertOp;

    /// Float to float, to nearest even (OpFConvert).
    F2F f2f(a: F) -> FTO [CONVERSION] => |cx| a.f2f(cx.to);
    /// Float to float, towards zero.
    F2FRtz f2f_rtz(a: F) -> FTO [CONVERSION] => |cx| a.f2f_rtz(cx.to);
    /// Float to float, towards positive infinity.
    F2FRtp f2f_rtp(a: F) -> FTO [CONVERSION] => |cx| a.f2f_rtp(cx.to);
    /// Float to float, towards negative infinity.
    F2FRtn f2f_rtn(a: F) -> FTO [CONVERSION] => |cx| a.f2f_rtn(cx.to);
    /// Float to signed integer, towards zero, clamped; NaN gives 0 (OpConvertFToS).
    F2I f2i(a: F) -> ITO [CONVERSION] => |cx| a.f2i(cx.to);
    /// Float to unsigned integer, towards zero, clamped; NaN gives 0 (OpConvertFToU).
    F2U f2u(a: F) -> ITO [CONVERSION] => |cx| a.f2u(cx.to);
    /// Signed integer to float, to nearest even (OpConvertSToF).
    I2F i2f(a: I) -> FTO [CONVERSION] => |cx| a.i2f(cx.to);
    /// Unsigned integer to float, to nearest even (OpConvertUToF).
    U2F u2f(a: I) -> FTO [CONVERSION] => |cx| a.u2f(cx.to);
    /// Signed integer to another width: sign-extends or cuts (OpSConvert).
    I2I i2i(a: I) -> ITO [CONVERSION] => |cx| a.i2i(cx.to);
    /// Unsigned integer to another width: zero-extends or cuts (OpUConvert).
    U2U u2u(a: I) -> ITO [CONVERSION] => |cx| a.u2u(cx.to);
    /// Signed integer to a signed one, clamped.
    I2ISat i2i_sat(a: I) -> ITO [CONVERSION] => |cx| a.i2i_sat(cx.to);
    /// Unsigned integer to an unsigned one, clamped.
    U2USat u2u_sat(a: I) -> ITO [CONVERSION] => |cx| a.u2u_sat(cx.to);
    /// Signed integer to an unsigned one, clamped (OpSatConvertSToU).
    I2USat i2u_sat(a: I) -> ITO [CONVERSION] => |cx| a.i2u_sat(cx.to);
    /// Unsigned integer to a signed one, clamped (OpSatConvertUToS).
    U2ISat u2i_sat(a: I) -> ITO [CONVERSION] => |cx| a.u2i_sat(cx.to);
    /// Boolean to integer 0 or 1.
    B2I b2i(a: B) -> ITO [CONVERSION] => |cx| a.b2i(cx.to);
    /// Boolean to float 0.0 or 1.0.
    B2F b2f(a: B) -> FTO [CONVERSION] => |cx| a.b2f(cx.to);
    /// Integer to boolean: whether it is not zero.
    I2B i2b(a: I) -> B [CONVERSION] = a.i2b();
    /// Float to boolean: whether it is not zero; NaN gives true.
    F2B f2b(a: F) -> B [CONVERSION] = a.f2b();
}
