//! The sides of a rule as trees, parsed from their text.

use super::splat;
use vitrine_ir::ops::{Bits, Op, Props, Scalar, ValueType, Width};

/// A side of a rule, or a part of one.
#[derive(Clone, PartialEq, Debug)]
pub enum Pat {
    /// Any value, by number.
    Var(usize),
    /// Any constant, by number; on the right side a reference to a matched value.
    Const(usize),
    /// A literal constant.
    Lit(Lit),
    /// An operation.
    Op(Op, Vec<Pat>),
    /// An operation with a single use; only inside a left side.
    Once(Box<Pat>),
}

/// A literal of a rule: the same in every component, of the type that the position requires.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Lit {
    /// An integer, truncated to the width.
    Int(i64),
    /// A float.
    Float(f64),
    /// A boolean: width 1 only.
    Bool(bool),
}

impl Lit {
    /// The bits of the literal in a type; `None` if the type cannot represent it.
    pub fn bits(self, ty: ValueType) -> Option<Bits> {
        let width = ty.width()?;
        match self {
            Lit::Int(value) => splat(ty, Scalar::i(width, value).bits()),
            Lit::Float(value) if width.has_floats() => splat(ty, Scalar::float(width, value).bits()),
            Lit::Bool(value) if width == Width::W1 => splat(ty, u64::from(value)),
            Lit::Float(_) | Lit::Bool(_) => None,
        }
    }
}

impl Pat {
    /// The distinct trees with the operands of commutative operations in every order.
    pub(super) fn variants(&self) -> Vec<Pat> {
        if let Pat::Once(inner) = self {
            return inner.variants().into_iter().map(|inner| Pat::Once(Box::new(inner))).collect();
        }
        let Pat::Op(op, args) = self else { return vec![self.clone()] };
        let mut lists: Vec<Vec<Pat>> = vec![Vec::new()];
        for arg in args {
            let choices = arg.variants();
            lists = lists
                .into_iter()
                .flat_map(|list| {
                    choices.iter().map(move |choice| {
                        let mut longer = list.clone();
                        longer.push(choice.clone());
                        longer
                    })
                })
                .collect();
        }
        let mut out: Vec<Pat> = Vec::new();
        for list in lists {
            let mut swapped = list.clone();
            if op.props().has(Props::COMMUTATIVE) && swapped.len() >= 2 {
                swapped.swap(0, 1);
            }
            for args in [list, swapped] {
                let variant = Pat::Op(*op, args);
                if !out.contains(&variant) {
                    out.push(variant);
                }
            }
        }
        out
    }

    /// Adds the number of uses of each variable to `counts`.
    pub fn count_reads(&self, counts: &mut [usize]) {
        match self {
            Pat::Var(at) | Pat::Const(at) => {
                if let Some(count) = counts.get_mut(*at) {
                    *count += 1;
                }
            }
            Pat::Lit(_) => {}
            Pat::Op(_, args) => args.iter().for_each(|arg| arg.count_reads(counts)),
            Pat::Once(inner) => inner.count_reads(counts),
        }
    }

    /// Returns true if every variable of the tree is constant; `constants` lists those that are.
    pub fn is_constant(&self, constants: &[bool]) -> bool {
        match self {
            Pat::Var(at) | Pat::Const(at) => constants.get(*at).copied().unwrap_or(false),
            Pat::Lit(_) => true,
            Pat::Op(_, args) => args.iter().all(|arg| arg.is_constant(constants)),
            Pat::Once(inner) => inner.is_constant(constants),
        }
    }
}

/// Parses a side; `names` are the variables named so far, in order.
pub(super) fn read(text: &str, names: &mut Vec<String>) -> Option<Pat> {
    let spaced = text.replace('(', " ( ").replace(')', " ) ").replace("# ", "#").replace("- ", "-");
    let mut stack: Vec<(Op, bool, Vec<Pat>)> = Vec::new();
    let mut words = spaced.split_whitespace();
    loop {
        let done = match words.next()? {
            "(" => {
                let word = words.next()?;
                let once = word == "once";
                let name = if once { words.next()? } else { word };
                stack.push((Op::from_name(name)?, once, Vec::new()));
                continue;
            }
            ")" => {
                let (op, once, args) = stack.pop()?;
                if once { Pat::Once(Box::new(Pat::Op(op, args))) } else { Pat::Op(op, args) }
            }
            word => leaf(word, names)?,
        };
        match stack.last_mut() {
            Some((_, _, args)) => args.push(done),
            None => return words.next().is_none().then_some(done),
        }
    }
}

fn leaf(word: &str, names: &mut Vec<String>) -> Option<Pat> {
    match word {
        "true" => return Some(Pat::Lit(Lit::Bool(true))),
        "false" => return Some(Pat::Lit(Lit::Bool(false))),
        _ => {}
    }
    if word.contains('.') {
        return Some(Pat::Lit(Lit::Float(word.parse().ok()?)));
    }
    if let Ok(value) = word.parse() {
        return Some(Pat::Lit(Lit::Int(value)));
    }
    let (name, constant) = match word.strip_prefix('#') {
        Some(name) => (name, true),
        None => (word, false),
    };
    let at = match names.iter().position(|known| known == name) {
        Some(at) => at,
        None => {
            names.push(name.to_owned());
            names.len() - 1
        }
    };
    Some(if constant { Pat::Const(at) } else { Pat::Var(at) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use vitrine_ir::ops::IntOp;

    #[test]
    fn a_side_parses_as_a_tree_and_nonsense_is_rejected() {
        let mut names = Vec::new();
        let tree = read("(iadd (iadd x #c) - 1)", &mut names).unwrap();
        let inner = Pat::Op(IntOp::IAdd.into(), vec![Pat::Var(0), Pat::Const(1)]);
        assert_eq!(tree, Pat::Op(IntOp::IAdd.into(), vec![inner, Pat::Lit(Lit::Int(-1))]));
        assert_eq!(tree.variants().len(), 4);
        let once = read("(ineg (once iadd x y))", &mut Vec::new()).unwrap();
        let Pat::Op(_, args) = &once else { panic!("{once:?}") };
        assert!(matches!(&args[0], Pat::Once(inner) if matches!(**inner, Pat::Op(..))));
        assert_eq!(once.variants().len(), 2);
        for text in ["", "(iadd x", "(moon x)", "x y", ")", "(once x)"] {
            assert_eq!(read(text, &mut Vec::new()), None, "{text}");
        }
    }
}
