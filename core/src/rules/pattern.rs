//! The sides of a rule as trees, read from their text.

use super::same_lanes;
use crate::ops::{Bits, Op, Props, Scalar, ValueType, Width};

/// A side of a rule, or a part of one.
#[derive(Clone, PartialEq, Debug)]
pub enum Pat {
    /// Any value, by number.
    Var(usize),
    /// Any constant, by number; on the right side a value is only ever named.
    Const(usize),
    /// This constant.
    Lit(Lit),
    /// An operation.
    Op(Op, Vec<Pat>),
}

/// A constant of a rule: the same in every lane, in the type that stands there.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Lit {
    /// An integer, cut to the width.
    Int(i64),
    /// A float.
    Float(f64),
    /// A truth value: width 1 only.
    Bool(bool),
}

impl Lit {
    /// The bits in a type; none where the type cannot hold such a constant.
    pub fn bits(self, ty: ValueType) -> Option<Bits> {
        let width = ty.width()?;
        match self {
            Lit::Int(value) => same_lanes(ty, Scalar::i(width, value).bits()),
            Lit::Float(value) if width.has_floats() => same_lanes(ty, Scalar::float(width, value).bits()),
            Lit::Bool(value) if width == Width::W1 => same_lanes(ty, u64::from(value)),
            Lit::Float(_) | Lit::Bool(_) => None,
        }
    }
}

impl Pat {
    /// The tree with operands of what is commutative in every order, without repetition.
    pub(super) fn variants(&self) -> Vec<Pat> {
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

    /// How often each value is read, added to `counts`.
    pub fn count_reads(&self, counts: &mut [usize]) {
        match self {
            Pat::Var(at) | Pat::Const(at) => {
                if let Some(count) = counts.get_mut(*at) {
                    *count += 1;
                }
            }
            Pat::Lit(_) => {}
            Pat::Op(_, args) => args.iter().for_each(|arg| arg.count_reads(counts)),
        }
    }

    /// Whether the tree has no value in it that is not constant; `constants` are those that are.
    pub fn is_constant(&self, constants: &[bool]) -> bool {
        match self {
            Pat::Var(at) | Pat::Const(at) => constants.get(*at).copied().unwrap_or(false),
            Pat::Lit(_) => true,
            Pat::Op(_, args) => args.iter().all(|arg| arg.is_constant(constants)),
        }
    }
}

/// Reads a side; `names` are the values named so far, in order.
pub(super) fn read(text: &str, names: &mut Vec<String>) -> Option<Pat> {
    let spaced = text.replace('(', " ( ").replace(')', " ) ").replace("# ", "#").replace("- ", "-");
    let mut stack: Vec<(Op, Vec<Pat>)> = Vec::new();
    let mut words = spaced.split_whitespace();
    loop {
        let done = match words.next()? {
            "(" => {
                stack.push((Op::from_name(words.next()?)?, Vec::new()));
                continue;
            }
            ")" => {
                let (op, args) = stack.pop()?;
                Pat::Op(op, args)
            }
            word => leaf(word, names)?,
        };
        match stack.last_mut() {
            Some((_, args)) => args.push(done),
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
    use crate::ops::IntOp;

    #[test]
    fn a_side_reads_as_a_tree_and_nonsense_as_nothing() {
        let mut names = Vec::new();
        let tree = read("(iadd (iadd x #c) - 1)", &mut names).unwrap();
        let inner = Pat::Op(IntOp::IAdd.into(), vec![Pat::Var(0), Pat::Const(1)]);
        assert_eq!(tree, Pat::Op(IntOp::IAdd.into(), vec![inner, Pat::Lit(Lit::Int(-1))]));
        assert_eq!(tree.variants().len(), 4);
        for text in ["", "(iadd x", "(moon x)", "x y", ")"] {
            assert_eq!(read(text, &mut Vec::new()), None, "{text}");
        }
    }
}
