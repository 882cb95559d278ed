//! Lanes: building, picking and packing them, and what needs several of them at once.

use super::scalar::Scalar;
use super::table::{Cx, ops};
use super::value::Bits;

ops! {
    /// Operations on lanes.
    VectorOp;

    /// A value from lanes and shorter values, in order (OpCompositeConstruct).
    Vec vec(first: V; more: V) -> V ~ vec;
    /// The same lane again and again.
    Splat splat(a: T1) -> V ~ splat;
    /// Lanes of one value in a new order, or fewer or more of them, as in `%4.xyz` (OpVectorShuffle on one vector).
    Swizzle swizzle(a: V) -> V need(Lanes);
    /// Lanes of two values: numbers past the first value's lanes pick from the second (OpVectorShuffle).
    Shuffle shuffle(a: V, b: V) -> V need(Lanes);
    /// Lane of a value by a number known at run time; past the end gives 0 (OpVectorExtractDynamic).
    Extract extract(a: V, index: IDX) -> T1 ~ extract;
    /// A value with one lane replaced; past the end changes nothing (OpVectorInsertDynamic).
    Insert insert(a: T, lane: T1, index: IDX) -> T ~ insert;

    /// Whether every lane is true (OpAll).
    All all(a: B) -> B1 ~ all;
    /// Whether some lane is true (OpAny).
    Any any(a: B) -> B1 ~ any;
    /// Whether all lanes are equal as integers.
    AllEq all_ieq(a: T, b: T) -> B1 [COMMUTATIVE COMPARISON] ~ all_ieq;
    /// Whether some lane differs as an integer.
    AnyNe any_ine(a: T, b: T) -> B1 [COMMUTATIVE COMPARISON] ~ any_ine;

    /// Sum of the products of lanes, from the first lane on (OpDot).
    FDot fdot(a: F, b: F) -> F1 [COMMUTATIVE] ~ fdot;
    /// Sum of the signed products of lanes, in the width of the result (OpSDot).
    IDot idot(a: I, b: I) -> I1 [COMMUTATIVE] ~ idot;
    /// Cross product (Cross).
    FCross fcross(a: F3, b: F3) -> F3 ~ fcross;
    /// Square root of the dot product with itself (Length).
    FLength flength(a: F) -> F1 ~ flength;
    /// Length of the difference (Distance).
    FDistance fdistance(a: F, b: F) -> F1 [COMMUTATIVE] ~ fdistance;
    /// The operand over its length (Normalize).
    FNormalize fnormalize(a: F) -> F ~ fnormalize;
    /// `n` if `dot(nref, i)` is negative, else `-n` (FaceForward).
    FFaceForward ffaceforward(n: F, i: F, nref: F) -> F ~ ffaceforward;
    /// `i - 2 * dot(n, i) * n` (Reflect).
    FReflect freflect(i: F, n: F) -> F ~ freflect;
    /// Direction behind a surface; zero where light is reflected totally (Refract).
    FRefract frefract(i: F, n: F, eta: F1) -> F ~ frefract;

    /// Two floats of 32 bits as halves in one word, the first low (PackHalf2x16).
    PackHalf2x16 pack_half_2x16(a: B32X2) -> B32 ~ pack_half_2x16;
    /// Two halves of a word as floats of 32 bits (UnpackHalf2x16).
    UnpackHalf2x16 unpack_half_2x16(a: B32) -> B32X2 ~ unpack_half_2x16;
    /// Two floats in 0 to 1 as 16-bit fractions (PackUnorm2x16).
    PackUnorm2x16 pack_unorm_2x16(a: B32X2) -> B32 ~ pack_unorm_2x16;
    /// Two 16-bit fractions as floats (UnpackUnorm2x16).
    UnpackUnorm2x16 unpack_unorm_2x16(a: B32) -> B32X2 ~ unpack_unorm_2x16;
    /// Two floats in -1 to 1 as signed 16-bit fractions (PackSnorm2x16).
    PackSnorm2x16 pack_snorm_2x16(a: B32X2) -> B32 ~ pack_snorm_2x16;
    /// Two signed 16-bit fractions as floats (UnpackSnorm2x16).
    UnpackSnorm2x16 unpack_snorm_2x16(a: B32) -> B32X2 ~ unpack_snorm_2x16;
    /// Four floats in 0 to 1 as 8-bit fractions (PackUnorm4x8).
    PackUnorm4x8 pack_unorm_4x8(a: B32X4) -> B32 ~ pack_unorm_4x8;
    /// Four 8-bit fractions as floats (UnpackUnorm4x8).
    UnpackUnorm4x8 unpack_unorm_4x8(a: B32) -> B32X4 ~ unpack_unorm_4x8;
    /// Four floats in -1 to 1 as signed 8-bit fractions (PackSnorm4x8).
    PackSnorm4x8 pack_snorm_4x8(a: B32X4) -> B32 ~ pack_snorm_4x8;
    /// Four signed 8-bit fractions as floats (UnpackSnorm4x8).
    UnpackSnorm4x8 unpack_snorm_4x8(a: B32) -> B32X4 ~ unpack_snorm_4x8;
    /// Two 32-bit lanes as one of 64 bits, the first low (PackDouble2x32).
    Pack64From32 pack_64_2x32(a: B32X2) -> B64 ~ repack;
    /// One 64-bit lane as two of 32 bits, the low one first (UnpackDouble2x32).
    Unpack64To32 unpack_64_2x32(a: B64) -> B32X2 ~ repack;
    /// Four 16-bit lanes as one of 64 bits.
    Pack64From16 pack_64_4x16(a: B16X4) -> B64 ~ repack;
    /// One 64-bit lane as four of 16 bits.
    Unpack64To16 unpack_64_4x16(a: B64) -> B16X4 ~ repack;
    /// Two 16-bit lanes as one of 32 bits.
    Pack32From16 pack_32_2x16(a: B16X2) -> B32 ~ repack;
    /// One 32-bit lane as two of 16 bits.
    Unpack32To16 unpack_32_2x16(a: B32) -> B16X2 ~ repack;
    /// Four 8-bit lanes as one of 32 bits.
    Pack32From8 pack_32_4x8(a: B8X4) -> B32 ~ repack;
    /// One 32-bit lane as four of 8 bits.
    Unpack32To8 unpack_32_4x8(a: B32) -> B8X4 ~ repack;
    /// The same bits in lanes of another width: as many bits out as in (OpBitcast between lane counts).
    Repack repack(a: X) -> X ~ repack;
}

fn vec(args: &[Bits], cx: Cx) -> Bits {
    let lanes: Vec<u64> = args.iter().flat_map(|arg| arg.components().iter().copied()).collect();
    Bits::from_components(cx.to, &lanes)
}

fn splat(args: &[Bits], cx: Cx) -> Bits {
    map(cx, |_| arg(args, 0).component(0))
}

/// Picks whole vectors by one condition.
pub(super) fn select1(args: &[Bits], cx: Cx) -> Bits {
    let taken = if arg(args, 0).component(0).as_bool() { arg(args, 1) } else { arg(args, 2) };
    map(cx, |lane| taken.component(lane))
}

fn extract(args: &[Bits], _cx: Cx) -> Bits {
    let (from, index) = (arg(args, 0), arg(args, 1).component(0).as_u64());
    Bits::scalar(from.component(usize::try_from(index).unwrap_or(usize::MAX)))
}

fn insert(args: &[Bits], cx: Cx) -> Bits {
    let (into, lane, index) = (arg(args, 0), arg(args, 1).component(0), arg(args, 2).component(0).as_u64());
    map(cx, |at| if at as u64 == index { lane } else { into.component(at) })
}

fn all(args: &[Bits], _cx: Cx) -> Bits {
    truth(arg(args, 0).scalars().all(Scalar::as_bool))
}

fn any(args: &[Bits], _cx: Cx) -> Bits {
    truth(arg(args, 0).scalars().any(Scalar::as_bool))
}

fn all_ieq(args: &[Bits], _cx: Cx) -> Bits {
    truth(arg(args, 0).components() == arg(args, 1).components())
}

fn any_ine(args: &[Bits], _cx: Cx) -> Bits {
    truth(arg(args, 0).components() != arg(args, 1).components())
}

fn dot(a: &Bits, b: &Bits, mul: fn(Scalar, Scalar) -> Scalar, add: fn(Scalar, Scalar) -> Scalar) -> Scalar {
    let products = a.scalars().zip(b.scalars()).map(|(x, y)| mul(x, y));
    products.reduce(add).unwrap_or_default()
}

fn float_dot(a: &Bits, b: &Bits) -> Scalar {
    dot(a, b, Scalar::fmul, Scalar::fadd)
}

fn fdot(args: &[Bits], _cx: Cx) -> Bits {
    Bits::scalar(float_dot(&arg(args, 0), &arg(args, 1)))
}

fn idot(args: &[Bits], _cx: Cx) -> Bits {
    Bits::scalar(dot(&arg(args, 0), &arg(args, 1), Scalar::imul, Scalar::iadd))
}

fn fcross(args: &[Bits], cx: Cx) -> Bits {
    let (a, b) = (arg(args, 0), arg(args, 1));
    map(cx, |lane| {
        let (next, last) = ((lane + 1) % 3, (lane + 2) % 3);
        a.component(next).fmul(b.component(last)).fsub(a.component(last).fmul(b.component(next)))
    })
}

fn length_of(a: &Bits) -> Scalar {
    // One lane has its absolute value as length: squaring it would overflow without need.
    if a.components().len() == 1 { a.component(0).fabs() } else { float_dot(a, a).fsqrt() }
}

fn flength(args: &[Bits], _cx: Cx) -> Bits {
    Bits::scalar(length_of(&arg(args, 0)))
}

fn fdistance(args: &[Bits], _cx: Cx) -> Bits {
    let (a, b) = (arg(args, 0), arg(args, 1));
    let difference: Vec<Scalar> = a.scalars().zip(b.scalars()).map(|(x, y)| x.fsub(y)).collect();
    Bits::scalar(length_of(&Bits::from_scalars(&difference)))
}

fn fnormalize(args: &[Bits], cx: Cx) -> Bits {
    let a = arg(args, 0);
    let length = length_of(&a);
    map(cx, |lane| a.component(lane).fdiv(length))
}

fn ffaceforward(args: &[Bits], cx: Cx) -> Bits {
    let n = arg(args, 0);
    let towards = float_dot(&arg(args, 2), &arg(args, 1)).flt(Scalar::zero(cx.to)).as_bool();
    map(cx, |lane| if towards { n.component(lane) } else { n.component(lane).fneg() })
}

fn freflect(args: &[Bits], cx: Cx) -> Bits {
    let (i, n) = (arg(args, 0), arg(args, 1));
    let twice = Scalar::float(cx.to, 2.0).fmul(float_dot(&n, &i));
    map(cx, |lane| i.component(lane).fsub(twice.fmul(n.component(lane))))
}

fn frefract(args: &[Bits], cx: Cx) -> Bits {
    let (i, n, eta) = (arg(args, 0), arg(args, 1), arg(args, 2).component(0));
    let one = Scalar::float(cx.to, 1.0);
    let cosine = float_dot(&n, &i);
    let k = one.fsub(eta.fmul(eta).fmul(one.fsub(cosine.fmul(cosine))));
    if k.flt(Scalar::zero(cx.to)).as_bool() {
        return Bits::zero(cx.to, cx.lanes);
    }
    let along = eta.fmul(cosine).fadd(k.fsqrt());
    map(cx, |lane| eta.fmul(i.component(lane)).fsub(along.fmul(n.component(lane))))
}

macro_rules! packs {
    ($($name:ident $count:literal;)*) => { $(
        fn $name(args: &[Bits], _cx: Cx) -> Bits {
            let a = arg(args, 0);
            Bits::scalar(Scalar::$name(std::array::from_fn::<_, $count, _>(|lane| a.component(lane))))
        }
    )* };
}

macro_rules! unpacks {
    ($($name:ident;)*) => { $(
        fn $name(args: &[Bits], _cx: Cx) -> Bits {
            Bits::from_scalars(&arg(args, 0).component(0).$name())
        }
    )* };
}

packs! {
    pack_half_2x16 2;
    pack_unorm_2x16 2;
    pack_snorm_2x16 2;
    pack_unorm_4x8 4;
    pack_snorm_4x8 4;
}

unpacks! {
    unpack_half_2x16;
    unpack_unorm_2x16;
    unpack_snorm_2x16;
    unpack_unorm_4x8;
    unpack_snorm_4x8;
}

/// Bit `i` of the whole operand is bit `i` of the whole result; missing bits are zero.
fn repack(args: &[Bits], cx: Cx) -> Bits {
    let a = arg(args, 0);
    let (from, to) = (a.width().bits() as usize, cx.to.bits() as usize);
    let bit = |at: usize| a.components().get(at / from).map_or(0, |lane| lane >> (at % from) & 1);
    let lanes: Vec<u64> = (0..cx.lanes as usize)
        .map(|lane| (0..to).fold(0, |word, at| word | bit(lane * to + at) << at))
        .collect();
    Bits::from_components(cx.to, &lanes)
}

fn arg(args: &[Bits], at: usize) -> Bits {
    args.get(at).copied().unwrap_or_default()
}

fn truth(value: bool) -> Bits {
    Bits::scalar(Scalar::bool(value))
}

fn map(cx: Cx, lane: impl FnMut(usize) -> Scalar) -> Bits {
    let lanes: Vec<Scalar> = (0..cx.lanes as usize).map(lane).collect();
    Bits::from_scalars(&lanes)
}
