//! Values as text: floats, integers and booleans by the kind of operand that they are.

use vitrine_core::ops::constraint::Constraint;
use vitrine_core::ops::{Bits, Scalar, Width};

/// The interpretation of bits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    Float,
    Signed,
    Unsigned,
    Bool,
}

/// The interpretation that a constraint implies for an operation with this name.
pub(crate) fn kind(constraint: &Constraint, op: &str, width: Width) -> Kind {
    let is_unsigned = op.starts_with('u');
    let may_be_8 = constraint.widths.contains(Width::W8);
    match width {
        Width::W1 => Kind::Bool,
        _ if !may_be_8 && width.has_floats() => Kind::Float,
        _ if is_unsigned => Kind::Unsigned,
        _ => Kind::Signed,
    }
}

/// A value as code.
pub(crate) fn text(bits: Bits, kind: Kind) -> String {
    let parts: Vec<String> = bits.scalars().map(|scalar| component(scalar, kind)).collect();
    match &parts[..] {
        [one] => one.clone(),
        _ => format!("({})", parts.join(", ")),
    }
}

fn component(scalar: Scalar, kind: Kind) -> String {
    match kind {
        Kind::Bool => scalar.as_bool().to_string(),
        Kind::Float => float(scalar.to_f64()),
        Kind::Signed if scalar.as_i64().unsigned_abs() < 1 << 16 => scalar.as_i64().to_string(),
        Kind::Unsigned if scalar.as_u64() < 1 << 16 => scalar.as_u64().to_string(),
        Kind::Signed | Kind::Unsigned => format!("{:#x}", scalar.bits()),
    }
}

fn float(value: f64) -> String {
    let size = value.abs();
    match () {
        () if value.is_nan() => "NaN".to_owned(),
        () if value.is_infinite() => if value > 0.0 { "∞" } else { "-∞" }.to_owned(),
        () if value.fract() == 0.0 && size < 1e9 => format!("{value:.1}"),
        () if !(1e-3..1e6).contains(&size) => format!("{value:.2e}"),
        () => {
            let text = format!("{value:.6}");
            text.trim_end_matches('0').to_owned()
        }
    }
}
