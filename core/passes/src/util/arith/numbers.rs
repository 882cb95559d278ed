//! Expansions evaluated on constants: each entry of each table is compared with the definition of its operation
//! in `ops`.

use super::{Arith, bits, division, doubles, packing, parts, whole};
use vitrine_ir::base::random::Random;
use vitrine_ir::ops::attr::{pack_components, unpack_component};
use vitrine_ir::ops::constraint::ComponentRule;
use vitrine_ir::ops::words::Word;
use vitrine_ir::ops::{Bits, Emit, FloatOp, Op, Scalar, ValueType, Width};

/// Evaluates arithmetic on constants, and records the operations.
#[derive(Default)]
pub(crate) struct Numbers {
    /// Each with the widest type of its operands.
    pub(crate) used: Vec<(Op, Width)>,
    /// The error of 32-bit reciprocals and reciprocal roots in units in the last place, as on targets.
    pub(crate) off: i64,
}

impl Numbers {
    /// An estimate as a target may compute it.
    fn estimated(&self, op: Op, exact: Bits) -> Bits {
        let is_estimate = matches!(op, Op::Float(FloatOp::FRcp | FloatOp::FRsq));
        if self.off == 0 || !is_estimate || exact.width() != Width::W32 {
            return exact;
        }
        let components: Vec<u64> =
            exact.components().iter().map(|component| component.wrapping_add_signed(self.off)).collect();
        Bits::from_components(Width::W32, &components)
    }
}

impl Emit for Numbers {
    type Value = Bits;

    fn emit(&mut self, op: Op, args: &[Bits]) -> Bits {
        let types: Vec<ValueType> = args.iter().map(Bits::ty).collect();
        let ty = op.info().infer(&types).unwrap_or_else(|| panic!("{} does not take {types:?}", op.name()));
        self.typed(op, ty, args)
    }
}

impl Arith for Numbers {
    fn type_of(&self, value: Bits) -> ValueType {
        value.ty()
    }

    fn constant(&mut self, bits: Bits) -> Bits {
        bits
    }

    fn typed(&mut self, op: Op, ty: ValueType, args: &[Bits]) -> Bits {
        let types: Vec<ValueType> = args.iter().map(Bits::ty).collect();
        self.used.push((op, widest(&types)));
        assert!(op.info().check(ty, &types).is_ok(), "{} of {types:?} does not have type {ty}", op.name());
        let exact = op.info().eval(ty, args).unwrap_or_else(|| panic!("{} cannot be evaluated", op.name()));
        self.estimated(op, exact)
    }

    fn pick(&mut self, value: Bits, components: &[u8]) -> Bits {
        let packed = pack_components(components);
        let picked: Vec<u64> = (0..components.len())
            .map(|at| value.component(usize::from(unpack_component(packed, at))).bits())
            .collect();
        Bits::from_components(value.width(), &picked)
    }
}

/// Corner cases of arithmetic, as integers and as floats; all numbers for 8 bits and less.
pub(crate) fn corners(width: Width) -> Vec<Scalar> {
    if width <= Width::W8 {
        return (0..=width.mask()).map(|bits| Scalar::u(width, bits)).collect();
    }
    let small = [0, 1, 2, 3, 5, 7, 10, 15, 16, 31, 32, 63, 64, 100, 255, 641, 0x1234_5678_9abc_def0];
    let mut all: Vec<u64> = small.to_vec();
    all.extend(small.map(u64::wrapping_neg));
    let top = width.sign_bit();
    all.extend([
        top - 1,
        top,
        top + 1,
        top | top >> 1,
        width.mask() >> 2,
        width.mask() << (width.bits() / 2),
    ]);
    if width.has_floats() {
        let reals =
            [0.25, 0.5, 0.75, 1.0, 1.5, 2.0, 2.5, 3.0, 0.1, 9.99, 100.25, 1e-7, 6e4, 1e38, 1e-310, 1e300];
        let real = |value: f64| Scalar::float(width, value).bits();
        all.extend(reals.iter().flat_map(|&value| [real(value), real(-value)]));
        let infinity = real(f64::INFINITY);
        all.extend([
            infinity,
            infinity | top,
            infinity - 1,
            infinity + 1,
            real(f64::NAN),
            real(f64::NAN) | top | 5,
        ]);
        // The smallest normal numbers and their neighbors.
        let normal = infinity & infinity.wrapping_neg();
        all.extend([normal, normal - 1, normal + 1, normal | top, (normal - 1) | top]);
    }
    all.iter_mut().for_each(|bits| *bits &= width.mask());
    all.sort_unstable();
    all.dedup();
    all.into_iter().map(|bits| Scalar::new(width, bits)).collect()
}

/// Operands of these types: all combinations if they have at most 16 bits together, else corner cases and
/// random ones.
pub(crate) fn operands(types: &[ValueType]) -> Vec<Vec<Bits>> {
    let widths: Vec<Width> = types.iter().filter_map(|ty| ty.width()).collect();
    let lists: Vec<Vec<Scalar>> = widths.iter().map(|&width| corners(width)).collect();
    let total: usize = lists.iter().map(Vec::len).product();
    let alone = types.iter().all(|ty| ty.components() == 1);
    let most = if !alone {
        256
    } else if total > 1 << 16 {
        600
    } else {
        total
    };
    let mut random = Random(total as u64);
    let mut out = Vec::new();
    for number in 0..total.min(most) {
        let mut rest = if total > most { random.next() as usize % total } else { number };
        let of = |(ty, list): (&ValueType, &Vec<Scalar>)| {
            let first = rest % list.len();
            rest /= list.len();
            let components: Vec<Scalar> = (0..usize::from(ty.components()))
                .map(|component| list[(first + component * 7) % list.len()])
                .collect();
            Bits::from_scalars(&components)
        };
        out.push(types.iter().zip(&lists).map(of).collect());
    }
    for _ in 0..60 {
        let of = |ty: &ValueType| {
            let shift = random.next() % 60;
            let components: Vec<u64> = (0..ty.components()).map(|_| random.next() >> shift).collect();
            Bits::from_components(ty.width().unwrap(), &components)
        };
        out.push(types.iter().map(of).collect());
    }
    out
}

/// Every choice of operand types for an operation: the widths that its entry allows, with `components`
/// components where the number is free.
pub(crate) fn typings(op: Op, components: u8) -> Vec<Vec<ValueType>> {
    let info = op.info();
    let mut out: Vec<Vec<ValueType>> = vec![Vec::new()];
    for operand in info.operands {
        let count = match operand.constraint.components {
            ComponentRule::Same | ComponentRule::Free => components,
            ComponentRule::Is(count) => count,
        };
        let widths: Vec<Width> = operand.constraint.widths.iter().collect();
        out = out
            .into_iter()
            .flat_map(|list| {
                widths.iter().map(move |&width| {
                    let mut longer = list.clone();
                    longer.push(ValueType::bits(width, count));
                    longer
                })
            })
            .collect();
    }
    // A single width of counts per operation is enough.
    let alike = |types: &[ValueType]| types.len() < 3 || types.get(types.len() - 2) == types.last();
    out.retain(|types| info.infer(types).is_some() && alike(types));
    out
}

/// Returns true if two results are equal; all NaNs of a formula are the same one.
fn same(a: Bits, b: Bits) -> bool {
    a == b
}

fn widest(types: &[ValueType]) -> Width {
    types.iter().filter_map(|ty| ty.width()).max().unwrap_or_default()
}

/// The operand types for which an operation has an expansion: for quotients of floats, only 64 bits.
fn written_out(op: Op, components: u8) -> Vec<Vec<ValueType>> {
    use doubles::Group;
    let group = doubles::OPS.iter().find(|entry| entry.0 == op).map(|entry| entry.1);
    let is_long = matches!(group, Some(Group::Divide | Group::Root | Group::Remainder));
    typings(op, components).into_iter().filter(|types| !is_long || widest(types) == Width::W64).collect()
}

type Expand = fn(&mut Numbers, Op, &[Bits]) -> Option<Bits>;

/// The operations of a table, each with the word of its group.
fn worded<G: Word>(ops: &[(Op, G)]) -> Vec<(Op, &'static str)> {
    ops.iter().map(|&(op, group)| (op, group.name())).collect()
}

/// Every table with its expansion.
fn tables() -> [(Vec<(Op, &'static str)>, Expand); 6] {
    [
        (worded(whole::OPS), whole::expand::<Numbers>),
        (worded(bits::OPS), bits::expand::<Numbers>),
        (worded(division::OPS), division::expand::<Numbers>),
        (worded(parts::OPS), parts::expand::<Numbers>),
        (worded(packing::OPS), packing::expand::<Numbers>),
        (worded(doubles::OPS), doubles::expand::<Numbers>),
    ]
}

#[test]
fn expansions_match_their_operation() {
    let mut compared = 0;
    for (ops, expand) in tables() {
        for (op, _) in ops {
            let mut typed = 0;
            for components in [1, 3] {
                for types in written_out(op, components) {
                    typed += 1;
                    let ty = op.info().infer(&types).unwrap();
                    for args in operands(&types) {
                        let meant = op.info().eval(ty, &args).unwrap();
                        let made = expand(&mut Numbers::default(), op, &args).unwrap();
                        assert!(same(meant, made), "{} {args:?} is {meant:?}, not {made:?}", op.name());
                        compared += 1;
                    }
                }
            }
            assert!(typed > 0, "{} is valid for no operand types", op.name());
        }
    }
    assert!(compared > 200_000, "{compared}");
}

/// Following expansions from one operation to the next, within a table, never returns to the start.
#[test]
fn expansions_terminate() {
    for (ops, expand) in tables() {
        let used = |(op, width): (Op, Width)| {
            let mut used = Vec::new();
            for types in written_out(op, 1).into_iter().chain(written_out(op, 3)) {
                if widest(&types) != width {
                    continue;
                }
                let args: Vec<Bits> =
                    types.iter().map(|ty| Bits::zero(ty.width().unwrap(), ty.components())).collect();
                let mut numbers = Numbers::default();
                expand(&mut numbers, op, &args);
                used.extend(numbers.used);
            }
            used.sort_unstable();
            used.dedup();
            used
        };
        for &(op, word) in &ops {
            for width in Width::ALL {
                let mut reached = used((op, width));
                let mut at = 0;
                while let Some(&next) = reached.get(at) {
                    assert_ne!(next, (op, width), "{} of `{word}` expands to itself", op.name());
                    if ops.iter().any(|&(known, _)| known == next.0) {
                        for further in used(next) {
                            if !reached.contains(&further) {
                                reached.push(further);
                            }
                        }
                    }
                    at += 1;
                }
            }
        }
    }
}
