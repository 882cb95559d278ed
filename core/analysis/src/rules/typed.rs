//! Types of every part of a side: the type of a literal follows from its context.

use super::{Pat, Rule};
use vitrine_ir::ops::constraint::{Unknowns, WidthRule};
use vitrine_ir::ops::{Op, Props, ValueType, Width};

/// A tree with the types of its parts.
#[derive(Clone, Debug)]
pub struct Typed<'p> {
    /// The tree.
    pub pat: &'p Pat,
    /// The type of its result.
    pub ty: ValueType,
    /// Its operands.
    pub args: Vec<Typed<'p>>,
}

/// Types of variables, and widths for conversions whose width nothing else determines, in order of the text.
struct Given<'g> {
    vars: &'g [ValueType],
    widths: &'g [Width],
    used: usize,
}

/// Infers the types of a tree over variables of these types; `expected` is the type of its result.
pub(super) fn typed<'p>(pat: &'p Pat, vars: &[ValueType], expected: ValueType) -> Option<Typed<'p>> {
    solve(pat, &mut Given { vars, widths: &[], used: 0 }, Some(expected))
}

fn solve<'p>(pat: &'p Pat, given: &mut Given<'_>, expected: Option<ValueType>) -> Option<Typed<'p>> {
    let ty = match pat {
        Pat::Var(at) | Pat::Const(at) => *given.vars.get(*at)?,
        Pat::Lit(lit) => {
            lit.bits(expected?)?;
            expected?
        }
        Pat::Op(op, args) => return operation(pat, *op, args, given, expected),
        Pat::Once(inner) => return once(inner, given, expected),
    };
    (expected.is_none() || expected == Some(ty)).then_some(Typed { pat, ty, args: Vec::new() })
}

/// The number of uses does not affect the type.
fn once<'p>(inner: &'p Pat, given: &mut Given<'_>, expected: Option<ValueType>) -> Option<Typed<'p>> {
    solve(inner, given, expected)
}

fn operation<'p>(
    pat: &'p Pat,
    op: Op,
    args: &'p [Pat],
    given: &mut Given<'_>,
    expected: Option<ValueType>,
) -> Option<Typed<'p>> {
    let info = op.info();
    if args.len() != info.operands.len() {
        return None;
    }
    let mut known = Unknowns::default();
    // Operands that determine their own types come first; literals adapt to them.
    let mut found: Vec<Option<Typed<'p>>> = args.iter().map(|arg| solve(arg, given, None)).collect();
    for (operand, found) in info.operands.iter().zip(&found) {
        if let Some(found) = found
            && !operand.constraint.admits(found.ty, &mut known)
        {
            return None;
        }
    }
    if let Some(expected) = expected
        && !info.result.admits(expected, &mut known)
    {
        return None;
    }
    for ((operand, arg), found) in info.operands.iter().zip(args).zip(&mut found) {
        if found.is_none() {
            // A count may have any width. A type that is not determined yet is solved again from the
            // enclosing operation.
            let wanted = match operand.constraint.solve(&known) {
                Some(wanted) => wanted,
                None if operand.constraint.width == WidthRule::Free => {
                    ValueType::bits(Width::W32, components(&known, expected))
                }
                None => return None,
            };
            if !operand.constraint.admits(wanted, &mut known) {
                return None;
            }
            *found = Some(solve(arg, given, Some(wanted))?);
        }
    }
    let ty = match expected.or_else(|| info.result.solve(&known)) {
        Some(ty) => ty,
        None if op.props().has(Props::CONVERSION) => {
            let width = *given.widths.get(given.used)?;
            given.used += 1;
            ValueType::bits(width, components(&known, None))
        }
        None => return None,
    };
    info.result.admits(ty, &mut known).then_some(Typed {
        pat,
        ty,
        args: found.into_iter().collect::<Option<_>>()?,
    })
}

/// The number of components of the operation, as far as it is known.
fn components(known: &Unknowns, expected: Option<ValueType>) -> u8 {
    let row = vitrine_ir::ops::constraint::names::B.solve(known);
    row.or(expected).map_or(1, ValueType::components)
}

/// Every assignment of types with `components` components to the variables of a rule for which both sides are
/// well typed: the types, the left side, the right side. For tests; intermediate conversions are tried in
/// every width.
pub fn typings(rule: &Rule, components: u8) -> Vec<(Vec<ValueType>, Typed<'_>, Typed<'_>)> {
    let mut out = Vec::new();
    let combinations = |count: usize| 0..Width::ALL.len().pow(count as u32);
    let pick = |number: usize, count: usize| -> Vec<Width> {
        let digit = |at: usize| number / Width::ALL.len().pow(at as u32) % Width::ALL.len();
        (0..count).map(|at| Width::ALL[digit(at)]).collect()
    };
    let conversions = conversions(&rule.left).min(2);
    for number in combinations(rule.vars) {
        let vars: Vec<ValueType> =
            pick(number, rule.vars).into_iter().map(|width| ValueType::bits(width, components)).collect();
        for number in combinations(conversions) {
            let widths = pick(number, conversions);
            let mut given = Given { vars: &vars, widths: &widths, used: 0 };
            // If only literals determine the type of the left side, every type is tried.
            let results = Width::ALL.map(|width| ValueType::bits(width, components));
            let lefts: Vec<Typed<'_>> = match solve(&rule.left, &mut given, None) {
                Some(left) => vec![left],
                None => results.into_iter().filter_map(|ty| typed(&rule.left, &vars, ty)).collect(),
            };
            for left in lefts {
                let Some(right) = typed(&rule.right, &vars, left.ty) else { continue };
                out.push((vars.clone(), left, right));
            }
        }
    }
    out
}

fn conversions(pat: &Pat) -> usize {
    match pat {
        Pat::Var(_) | Pat::Const(_) | Pat::Lit(_) => 0,
        Pat::Op(op, args) => {
            usize::from(op.props().has(Props::CONVERSION)) + args.iter().map(conversions).sum::<usize>()
        }
        Pat::Once(inner) => conversions(inner),
    }
}
