//! Conversions between numbers. The result is the operand's value, rounded or clamped if the result type
//! cannot represent it.
//!
//! Reinterpreting bits needs no operation, since values have no type. The result width is that of the
//! instruction; a builder specifies it (`ir::Builder::convert`).

use super::table::ops;

ops! {
    /// Conversions.
    ConvertOp;

    /// Converts a float to another float width, rounding to nearest even (OpFConvert).
    F2F f2f(a: F) -> FTO [CONVERSION] => |cx| a.f2f(cx.to);
    /// Converts a float to another float width, rounding toward zero.
    F2FRtz f2f_rtz(a: F) -> FTO [CONVERSION] => |cx| a.f2f_rtz(cx.to);
    /// Converts a float to another float width, rounding toward positive infinity.
    F2FRtp f2f_rtp(a: F) -> FTO [CONVERSION] => |cx| a.f2f_rtp(cx.to);
    /// Converts a float to another float width, rounding toward negative infinity.
    F2FRtn f2f_rtn(a: F) -> FTO [CONVERSION] => |cx| a.f2f_rtn(cx.to);
    /// Converts a float to a signed integer, rounding toward zero and clamping; NaN gives 0 (OpConvertFToS).
    F2I f2i(a: F) -> STO [CONVERSION] => |cx| a.f2i(cx.to);
    /// Converts a float to an unsigned integer, rounding toward zero and clamping; NaN gives 0
    /// (OpConvertFToU).
    F2U f2u(a: F) -> UTO [CONVERSION] => |cx| a.f2u(cx.to);
    /// Converts a signed integer to a float, rounding to nearest even (OpConvertSToF).
    I2F i2f(a: S) -> FTO [CONVERSION] => |cx| a.i2f(cx.to);
    /// Converts an unsigned integer to a float, rounding to nearest even (OpConvertUToF).
    U2F u2f(a: U) -> FTO [CONVERSION] => |cx| a.u2f(cx.to);
    /// Sign-extends or truncates an integer (OpSConvert).
    I2I i2i(a: S) -> STO [CONVERSION] => |cx| a.i2i(cx.to);
    /// Zero-extends or truncates an integer (OpUConvert).
    U2U u2u(a: U) -> UTO [CONVERSION] => |cx| a.u2u(cx.to);
    /// Converts a float to a signed integer, clamping where `f2i` is undefined in the source (OpConvertFToS with
    /// SaturatedConversion).
    F2ISat f2i_sat(a: F) -> STO [CONVERSION] => |cx| a.f2i(cx.to);
    /// Converts a float to an unsigned integer, clamping where `f2u` is undefined in the source (OpConvertFToU with
    /// SaturatedConversion).
    F2USat f2u_sat(a: F) -> UTO [CONVERSION] => |cx| a.f2u(cx.to);
    /// Converts a signed integer to another width, clamping.
    I2ISat i2i_sat(a: S) -> STO [CONVERSION] => |cx| a.i2i_sat(cx.to);
    /// Converts an unsigned integer to another width, clamping.
    U2USat u2u_sat(a: U) -> UTO [CONVERSION] => |cx| a.u2u_sat(cx.to);
    /// Converts a signed integer to an unsigned one, clamping (OpSatConvertSToU).
    I2USat i2u_sat(a: S) -> UTO [CONVERSION] => |cx| a.i2u_sat(cx.to);
    /// Converts an unsigned integer to a signed one, clamping (OpSatConvertUToS).
    U2ISat u2i_sat(a: U) -> STO [CONVERSION] => |cx| a.u2i_sat(cx.to);
    /// Converts a boolean to the integer 0 or 1.
    B2I b2i(a: B) -> ITO [CONVERSION] => |cx| a.b2i(cx.to);
    /// Converts a boolean to the float 0.0 or 1.0.
    B2F b2f(a: B) -> FTO [CONVERSION] => |cx| a.b2f(cx.to);
    /// Converts an integer to a boolean: true if it is not zero.
    I2B i2b(a: I) -> B [CONVERSION] = a.i2b();
    /// Converts a float to a boolean: true if it is not zero; NaN gives true.
    F2B f2b(a: F) -> B [CONVERSION] = a.f2b();
}
