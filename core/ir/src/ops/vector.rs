//! Vector operations: construction, extraction and packing of components, and operations across components.

use super::scalar::Scalar;
use super::table::{Cx, ops};
use super::value::Bits;

ops! {
    /// Operations on vectors.
    VectorOp;

    /// Concatenates components and shorter vectors in order (OpCompositeConstruct).
    Vec vec(first: V; more: V) -> V ~ vec;
    /// Repeats one component.
    Splat splat(a: T1) -> V ~ splat;
    /// Components of one value in a new order or number, as in `%4.xyz` (OpVectorShuffle on one vector).
    Swizzle swizzle(a: V) -> V need(Components);
    /// Components of two values: numbers beyond the components of the first value select from the second
    /// (OpVectorShuffle).
    Shuffle shuffle(a: V, b: V) -> V need(Components);
    /// The component at an index known at run time; 0 if the index is out of bounds (OpVectorExtractDynamic).
    Extract extract(a: V, index: IDX) -> T1 ~ extract;
    /// A value with one component replaced; unchanged if the index is out of bounds (OpVectorInsertDynamic).
    Insert insert(a: T, component: T1, index: IDX) -> T ~ insert;

    /// True if every component is true (OpAll).
    All all(a: B) -> B1 ~ all;
    /// True if any component is true (OpAny).
    Any any(a: B) -> B1 ~ any;
    /// True if all components are equal as integers.
    AllEq all_ieq(a: T, b: T) -> B1 [COMMUTATIVE COMPARISON] ~ all_ieq;
    /// True if any component differs as an integer.
    AnyNe any_ine(a: T, b: T) -> B1 [COMMUTATIVE COMPARISON] ~ any_ine;

    /// Sum of the products of components, starting at the first (OpDot).
    FDot fdot(a: F, b: F) -> F1 [COMMUTATIVE] ~ fdot;
    /// Sum of the signed products of components, in the width of the result (OpSDot).
    IDot idot(a: S, b: S) -> S1 [COMMUTATIVE] ~ idot;
    /// Cross product (Cross).
    FCross fcross(a: F3, b: F3) -> F3 ~ fcross;
    /// Square root of the dot product of the operand with itself (Length).
    FLength flength(a: F) -> F1 ~ flength;
    /// Length of the difference (Distance).
    FDistance fdistance(a: F, b: F) -> F1 [COMMUTATIVE] ~ fdistance;
    /// The operand divided by its length (Normalize).
    FNormalize fnormalize(a: F) -> F ~ fnormalize;
    /// `n` if `dot(nref, i)` is negative, else `-n` (FaceForward).
    FFaceForward ffaceforward(n: F, i: F, nref: F) -> F ~ ffaceforward;
    /// `i - 2 * dot(n, i) * n` (Reflect).
    FReflect freflect(i: F, n: F) -> F ~ freflect;
    /// Refracted direction for the ratio of indices `eta`; zero in case of total internal reflection
    /// (Refract).
    FRefract frefract(i: F, n: F, eta: F1) -> F ~ frefract;

    /// Packs two 32-bit floats as half floats into one word, the first in the low bits (PackHalf2x16).
    PackHalf2x16 pack_half_2x16(a: F32X2) -> U32X1 ~ pack_half_2x16;
    /// Unpacks two half floats from a word to 32-bit floats (UnpackHalf2x16).
    UnpackHalf2x16 unpack_half_2x16(a: U32X1) -> F32X2 ~ unpack_half_2x16;
    /// Packs two floats in 0 to 1 as 16-bit fractions (PackUnorm2x16).
    PackUnorm2x16 pack_unorm_2x16(a: F32X2) -> U32X1 ~ pack_unorm_2x16;
    /// Unpacks two 16-bit fractions to floats (UnpackUnorm2x16).
    UnpackUnorm2x16 unpack_unorm_2x16(a: U32X1) -> F32X2 ~ unpack_unorm_2x16;
    /// Packs two floats in -1 to 1 as signed 16-bit fractions (PackSnorm2x16).
    PackSnorm2x16 pack_snorm_2x16(a: F32X2) -> U32X1 ~ pack_snorm_2x16;
    /// Unpacks two signed 16-bit fractions to floats (UnpackSnorm2x16).
    UnpackSnorm2x16 unpack_snorm_2x16(a: U32X1) -> F32X2 ~ unpack_snorm_2x16;
    /// Packs four floats in 0 to 1 as 8-bit fractions (PackUnorm4x8).
    PackUnorm4x8 pack_unorm_4x8(a: F32X4) -> U32X1 ~ pack_unorm_4x8;
    /// Unpacks four 8-bit fractions to floats (UnpackUnorm4x8).
    UnpackUnorm4x8 unpack_unorm_4x8(a: U32X1) -> F32X4 ~ unpack_unorm_4x8;
    /// Packs four floats in -1 to 1 as signed 8-bit fractions (PackSnorm4x8).
    PackSnorm4x8 pack_snorm_4x8(a: F32X4) -> U32X1 ~ pack_snorm_4x8;
    /// Unpacks four signed 8-bit fractions to floats (UnpackSnorm4x8).
    UnpackSnorm4x8 unpack_snorm_4x8(a: U32X1) -> F32X4 ~ unpack_snorm_4x8;
    /// Packs two 32-bit components into one of 64 bits, the first in the low bits (PackDouble2x32).
    Pack64From32 pack_64_2x32(a: B32X2) -> B64 ~ repack;
    /// Unpacks a 64-bit component into two of 32 bits, the low one first (UnpackDouble2x32).
    Unpack64To32 unpack_64_2x32(a: B64) -> B32X2 ~ repack;
    /// Packs four 16-bit components into one of 64 bits.
    Pack64From16 pack_64_4x16(a: B16X4) -> B64 ~ repack;
    /// Unpacks a 64-bit component into four of 16 bits.
    Unpack64To16 unpack_64_4x16(a: B64) -> B16X4 ~ repack;
    /// Packs two 16-bit components into one of 32 bits.
    Pack32From16 pack_32_2x16(a: B16X2) -> B32 ~ repack;
    /// Unpacks a 32-bit component into two of 16 bits.
    Unpack32To16 unpack_32_2x16(a: B32) -> B16X2 ~ repack;
    /// Packs four 8-bit components into one of 32 bits.
    Pack32From8 pack_32_4x8(a: B8X4) -> B32 ~ repack;
    /// Unpacks a 32-bit component into four of 8 bits.
    Unpack32To8 unpack_32_4x8(a: B32) -> B8X4 ~ repack;
    /// Redistributes the bits over components of another width; the total number of bits is unchanged
    /// (OpBitcast between component counts).
    Repack repack(a: PACKED) -> PACKED ~ repack;
}

fn vec(args: &[Bits], cx: Cx) -> Bits {
    let components: Vec<u64> = args.iter().flat_map(|arg| arg.components().iter().copied()).collect();
    Bits::from_components(cx.to, &components)
}

fn splat(args: &[Bits], cx: Cx) -> Bits {
    map(cx, |_| arg(args, 0).component(0))
}

/// Selects whole vectors by one condition.
pub(super) fn select1(args: &[Bits], cx: Cx) -> Bits {
    let taken = if arg(args, 0).component(0).as_bool() { arg(args, 1) } else { arg(args, 2) };
    map(cx, |component| taken.component(component))
}

fn extract(args: &[Bits], _cx: Cx) -> Bits {
    let (from, index) = (arg(args, 0), arg(args, 1).component(0).as_u64());
    Bits::scalar(from.component(usize::try_from(index).unwrap_or(usize::MAX)))
}

fn insert(args: &[Bits], cx: Cx) -> Bits {
    let (into, component, index) =
        (arg(args, 0), arg(args, 1).component(0), arg(args, 2).component(0).as_u64());
    map(cx, |at| if at as u64 == index { component } else { into.component(at) })
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
    map(cx, |component| {
        let (next, last) = ((component + 1) % 3, (component + 2) % 3);
        a.component(next).fmul(b.component(last)).fsub(a.component(last).fmul(b.component(next)))
    })
}

fn length_of(a: &Bits) -> Scalar {
    // A single component has its absolute value as its length: squaring it could overflow needlessly.
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
    map(cx, |component| a.component(component).fdiv(length))
}

fn ffaceforward(args: &[Bits], cx: Cx) -> Bits {
    let n = arg(args, 0);
    let toward = float_dot(&arg(args, 2), &arg(args, 1)).flt(Scalar::zero(cx.to)).as_bool();
    map(cx, |component| if toward { n.component(component) } else { n.component(component).fneg() })
}

fn freflect(args: &[Bits], cx: Cx) -> Bits {
    let (i, n) = (arg(args, 0), arg(args, 1));
    let twice = Scalar::float(cx.to, 2.0).fmul(float_dot(&n, &i));
    map(cx, |component| i.component(component).fsub(twice.fmul(n.component(component))))
}

fn frefract(args: &[Bits], cx: Cx) -> Bits {
    let (i, n, eta) = (arg(args, 0), arg(args, 1), arg(args, 2).component(0));
    let one = Scalar::float(cx.to, 1.0);
    let cosine = float_dot(&n, &i);
    let k = one.fsub(eta.fmul(eta).fmul(one.fsub(cosine.fmul(cosine))));
    if k.flt(Scalar::zero(cx.to)).as_bool() {
        return Bits::zero(cx.to, cx.components);
    }
    let along = eta.fmul(cosine).fadd(k.fsqrt());
    map(cx, |component| eta.fmul(i.component(component)).fsub(along.fmul(n.component(component))))
}

macro_rules! packs {
    ($($name:ident $count:literal;)*) => { $(
        fn $name(args: &[Bits], _cx: Cx) -> Bits {
            let a = arg(args, 0);
            Bits::scalar(Scalar::$name(std::array::from_fn::<_, $count, _>(|component| a.component(component))))
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
    let bit = |at: usize| a.components().get(at / from).map_or(0, |component| component >> (at % from) & 1);
    let components: Vec<u64> = (0..cx.components as usize)
        .map(|component| (0..to).fold(0, |word, at| word | bit(component * to + at) << at))
        .collect();
    Bits::from_components(cx.to, &components)
}

fn arg(args: &[Bits], at: usize) -> Bits {
    args.get(at).copied().unwrap_or_default()
}

fn truth(value: bool) -> Bits {
    Bits::scalar(Scalar::bool(value))
}

fn map(cx: Cx, component: impl FnMut(usize) -> Scalar) -> Bits {
    let components: Vec<Scalar> = (0..cx.components as usize).map(component).collect();
    Bits::from_scalars(&components)
}
