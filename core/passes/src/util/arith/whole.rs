//! Operations on all components, expanded component by component: products, lengths, all and any.
//!
//! The steps are those of the definitions in `ops::vector`, so that no bit changes.

use super::{Arith, expansions};
use vitrine_ir::ops::{FloatBuild, IntBuild, IntOp, VectorOp};

expansions! {
    /// Everything, and all arithmetic component by component.
    All "all";
    /// Only selects and tests of all or any components.
    Truth "truth" {
        Vector(VectorOp::All) |e, a| all(e, a);
        Vector(VectorOp::Any) |e, a| any(e, a);
        Vector(VectorOp::AllEq) |e, a, b| all_equal(e, a, b);
        Vector(VectorOp::AnyNe) |e, a, b| any_differs(e, a, b);
        Int(IntOp::Select1) |e, cond, a, b| choose(e, cond, a, b);
    }
    /// Only dot and cross products.
    Products "products" {
        Vector(VectorOp::FDot) |e, a, b| dot(e, a, b);
        Vector(VectorOp::IDot) |e, a, b| dot_of_integers(e, a, b);
        Vector(VectorOp::FCross) |e, a, b| cross(e, a, b);
    }
    /// Only lengths, distances, normalization and directions.
    Lengths "lengths" {
        Vector(VectorOp::FLength) |e, a| length(e, a);
        Vector(VectorOp::FDistance) |e, a, b| distance(e, a, b);
        Vector(VectorOp::FNormalize) |e, a| normalize(e, a);
        Vector(VectorOp::FFaceForward) |e, n, i, nref| face_forward(e, n, i, nref);
        Vector(VectorOp::FReflect) |e, i, n| reflect(e, i, n);
        Vector(VectorOp::FRefract) |e, i, n, eta| refract(e, i, n, eta);
    }
}

/// Combines components with an operation, from the first one on.
fn fold<E: Arith>(
    e: &mut E,
    components: Vec<E::Value>,
    mut f: impl FnMut(&mut E, E::Value, E::Value) -> E::Value,
) -> E::Value {
    let mut components = components.into_iter();
    let first = components.next();
    let all = first.map(|first| components.fold(first, |sum, component| f(e, sum, component)));
    all.unwrap_or_else(|| e.join(&[]))
}

/// An operation on each pair of components.
fn pairs<E: Arith>(
    e: &mut E,
    a: E::Value,
    b: E::Value,
    mut f: impl FnMut(&mut E, E::Value, E::Value) -> E::Value,
) -> Vec<E::Value> {
    let (a, b) = (e.split(a), e.split(b));
    a.into_iter().zip(b).map(|(a, b)| f(e, a, b)).collect()
}

fn all<E: Arith>(e: &mut E, a: E::Value) -> E::Value {
    let components = e.split(a);
    fold(e, components, IntBuild::iand)
}

fn any<E: Arith>(e: &mut E, a: E::Value) -> E::Value {
    let components = e.split(a);
    fold(e, components, IntBuild::ior)
}

fn all_equal<E: Arith>(e: &mut E, a: E::Value, b: E::Value) -> E::Value {
    let components = pairs(e, a, b, IntBuild::ieq);
    fold(e, components, IntBuild::iand)
}

fn any_differs<E: Arith>(e: &mut E, a: E::Value, b: E::Value) -> E::Value {
    let components = pairs(e, a, b, IntBuild::ine);
    fold(e, components, IntBuild::ior)
}

fn choose<E: Arith>(e: &mut E, cond: E::Value, a: E::Value, b: E::Value) -> E::Value {
    let components = pairs(e, a, b, |e, a, b| e.select(cond, a, b));
    e.join(&components)
}

fn dot<E: Arith>(e: &mut E, a: E::Value, b: E::Value) -> E::Value {
    let products = pairs(e, a, b, FloatBuild::fmul);
    fold(e, products, FloatBuild::fadd)
}

fn dot_of_integers<E: Arith>(e: &mut E, a: E::Value, b: E::Value) -> E::Value {
    let products = pairs(e, a, b, IntBuild::imul);
    fold(e, products, IntBuild::iadd)
}

fn cross<E: Arith>(e: &mut E, a: E::Value, b: E::Value) -> E::Value {
    let mut components = Vec::new();
    for (next, last) in [(1, 2), (2, 0), (0, 1)] {
        let [a_next, a_last] = [next, last].map(|at| e.pick(a, &[at]));
        let [b_next, b_last] = [next, last].map(|at| e.pick(b, &[at]));
        let (there, back) = (e.fmul(a_next, b_last), e.fmul(a_last, b_next));
        components.push(e.fsub(there, back));
    }
    e.join(&components)
}

fn length<E: Arith>(e: &mut E, a: E::Value) -> E::Value {
    // The length of a scalar is its absolute value; squaring it could overflow.
    if e.type_of(a).components() == 1 {
        return e.fabs(a);
    }
    let square = dot(e, a, a);
    e.fsqrt(square)
}

fn distance<E: Arith>(e: &mut E, a: E::Value, b: E::Value) -> E::Value {
    let components = pairs(e, a, b, FloatBuild::fsub);
    if let [one] = components[..] {
        return e.fabs(one);
    }
    let squares: Vec<E::Value> =
        components.into_iter().map(|component| e.fmul(component, component)).collect();
    let sum = fold(e, squares, FloatBuild::fadd);
    e.fsqrt(sum)
}

fn normalize<E: Arith>(e: &mut E, a: E::Value) -> E::Value {
    let length = length(e, a);
    let components: Vec<E::Value> =
        e.split(a).into_iter().map(|component| e.fdiv(component, length)).collect();
    e.join(&components)
}

fn face_forward<E: Arith>(e: &mut E, n: E::Value, i: E::Value, nref: E::Value) -> E::Value {
    let along = dot(e, nref, i);
    let zero = e.real(along, 0.0);
    let towards = e.flt(along, zero);
    let mut components = Vec::new();
    for component in e.split(n) {
        let away = e.fneg(component);
        components.push(e.select(towards, component, away));
    }
    e.join(&components)
}

fn reflect<E: Arith>(e: &mut E, i: E::Value, n: E::Value) -> E::Value {
    let along = dot(e, n, i);
    let two = e.real(along, 2.0);
    let twice = e.fmul(two, along);
    let components = pairs(e, i, n, |e, i, n| {
        let part = e.fmul(twice, n);
        e.fsub(i, part)
    });
    e.join(&components)
}

fn refract<E: Arith>(e: &mut E, i: E::Value, n: E::Value, eta: E::Value) -> E::Value {
    let (one, zero) = (e.real(eta, 1.0), e.real(eta, 0.0));
    let cosine = dot(e, n, i);
    let squared = e.fmul(cosine, cosine);
    let sine = e.fsub(one, squared);
    let ratio = e.fmul(eta, eta);
    let bent = e.fmul(ratio, sine);
    let k = e.fsub(one, bent);
    let none = e.flt(k, zero);
    let (scaled, root) = (e.fmul(eta, cosine), e.fsqrt(k));
    let along = e.fadd(scaled, root);
    let components = pairs(e, i, n, |e, i, n| {
        let (there, part) = (e.fmul(eta, i), e.fmul(along, n));
        let component = e.fsub(there, part);
        e.select(none, zero, component)
    });
    e.join(&components)
}
