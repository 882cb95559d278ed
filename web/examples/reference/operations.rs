//! Results of operations for corner cases, computed by the semantics that the interpreter and constant folding use.
//!
//! Only for operations with a meaning of their own: others depend on memory, on resources or on other invocations.

use crate::numbers::{Kind, kind, text};
use std::fmt::Write;
use vitrine_core::ops::constraint::{Constraint, Unknowns};
use vitrine_core::ops::{Bits, Op, Scalar, ValueType, Width};

const FLOATS: [f64; 9] = [1.5, -0.0, f64::INFINITY, f64::NAN, -2.25, 0.0, 1e-45, 3e38, 16_777_216.0];
const INTEGERS: [i64; 9] = [7, 0, -1, i64::MAX, i64::MIN, 1, 3, 31, -8];

/// The second and third operands take their corner cases in another order, so that rows differ in more than one of them.
const STRIDES: [usize; 4] = [1, 4, 7, 2];

/// The types that are tried for an operand.
const TYPES: [(Width, u8); 14] = [
    (Width::W32, 1),
    (Width::W1, 1),
    (Width::W16, 1),
    (Width::W64, 1),
    (Width::W8, 1),
    (Width::W32, 2),
    (Width::W32, 3),
    (Width::W32, 4),
    (Width::W16, 2),
    (Width::W16, 4),
    (Width::W8, 4),
    (Width::W1, 2),
    (Width::W1, 3),
    (Width::W1, 4),
];

/// The table of an operation as Markdown; empty if it has no meaning of its own, or if its attributes are part of it.
pub(crate) fn table(op: Op) -> String {
    let info = op.info();
    let Some((types, result)) = signature(op) else { return String::new() };
    let mut names: Vec<String> = info.operands.iter().map(|operand| format!("`{}`", operand.name)).collect();
    names.extend(info.rest.iter().map(|operand| format!("`{}`", operand.name)));
    let constraint = |at: usize| info.operand(at).map_or(info.result, |operand| operand.constraint);
    let of =
        |constraint: &Constraint, ty: ValueType| kind(constraint, info.name, ty.width().unwrap_or_default());
    let mut rows: Vec<String> = Vec::new();
    for row in 0..FLOATS.len() {
        let args: Vec<Bits> =
            (0..types.len()).map(|at| corner(types[at], of(&constraint(at), types[at]), row, at)).collect();
        let Some(found) = info.eval(result, &args) else { continue };
        let mut cells: Vec<String> = args
            .iter()
            .enumerate()
            .map(|(at, bits)| format!("`{}`", text(*bits, of(&constraint(at), types[at]))))
            .collect();
        cells.push(format!("`{}`", text(found, of(&info.result, result))));
        let line = format!("| {} |", cells.join(" | "));
        if !rows.contains(&line) {
            rows.push(line);
        }
    }
    if rows.is_empty() {
        return String::new();
    }
    let types: Vec<String> = types.iter().map(|ty| format!("`{ty}`")).collect();
    let mut out = format!(
        "## Results\n\nComputed by the interpreter for {}{}`{result}`:\n\n",
        types.join(", "),
        if types.is_empty() { "" } else { " → " }
    );
    let _ = writeln!(out, "| {} | result |\n|{}", names.join(" | "), "---|".repeat(names.len() + 1));
    out.push_str(&rows.join("\n"));
    out
}

/// Types of the operands and of the result that fit an operation: 32 bits and one component where that is possible.
fn signature(op: Op) -> Option<(Vec<ValueType>, ValueType)> {
    let info = op.info();
    info.meaning?;
    let constraints = info.operands.iter().chain(info.rest.as_ref()).map(|operand| &operand.constraint);
    let mut known = Unknowns::default();
    let mut types = Vec::new();
    for constraint in constraints {
        types.push(fitting(constraint, &mut known)?);
    }
    let result = fitting(&info.result, &mut known)?;
    info.check(result, &types).ok()?;
    Some((types, result))
}

fn fitting(constraint: &Constraint, known: &mut Unknowns) -> Option<ValueType> {
    let fits = TYPES.iter().map(|&(width, components)| ValueType::bits(width, components)).find_map(|ty| {
        let mut next = *known;
        constraint.admits(ty, &mut next).then_some((ty, next))
    });
    let (ty, next) = fits?;
    *known = next;
    Some(ty)
}

/// A corner case of an operand.
fn corner(ty: ValueType, kind: Kind, row: usize, at: usize) -> Bits {
    let width = ty.width().unwrap_or_default();
    let stride = STRIDES[at % STRIDES.len()];
    let scalars: Vec<Scalar> = (0..usize::from(ty.components()))
        .map(|component| {
            let number = (row * stride + at * 2 + component) % FLOATS.len();
            match kind {
                Kind::Float => Scalar::float(width, FLOATS[number]),
                Kind::Signed | Kind::Unsigned => integer(width, INTEGERS[number]),
                Kind::Bool => Scalar::i(width, (row >> at & 1) as i64),
            }
        })
        .collect();
    Bits::from_scalars(&scalars)
}

/// An integer; the extremes are those of the width.
fn integer(width: Width, value: i64) -> Scalar {
    match value {
        i64::MAX => Scalar::i(width, (width.sign_bit() - 1) as i64),
        i64::MIN => Scalar::i(width, width.sign_bit() as i64),
        _ => Scalar::i(width, value),
    }
}
