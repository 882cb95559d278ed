//! `vectorize`: combines the same operation on several components into one vector operation.
//!
//! ```text
//!   %2: b32 = swizzle %0.x
//!   %3: b32 = swizzle %1.x                    %10: b32x2 = swizzle %0.xy
//!   %4: b32 = fmul %2, %3                     %11: b32x2 = swizzle %1.xy
//!   %5: b32 = swizzle %0.y             =>     %12: b32x2 = fmul %10, %11
//!   %6: b32 = swizzle %1.y                    %4: b32 = swizzle %12.x
//!   %7: b32 = fmul %5, %6                     %7: b32 = swizzle %12.y
//! ```
//!
//! Within a block, instructions are of one kind if operation, flags and width are the same and each operand is a component
//! of the same value, or all of them are constant, or all are components of results of one kind. Up to four of a kind
//! become one, at the place of the first: what it reads is all there, for it is the same. At least one operand must
//! come from a value with several components, or nothing would be gained. `copy-prop` and `dce` then see that
//! components picked
//! and put together again are the whole.
//!
//! Left alone: what is not computed component by component, and what stands in different blocks. The opposite is
//! `alu-to-scalar`; never put both into one `fix`.
//!
//! NIR: `nir_opt_vectorize`.

use super::pass::PassInfo;
use crate::base::opening::opening;
use crate::ir::{Attrs, Block, Editor, InsertPoint, Inst, InstData, Reason, Refusal};
use crate::ops::{BasicOp, Bits, Flags, IntOp, Op, Scalar, ValueType, VectorOp};
use crate::passes::util::components::{Picked, is_componentwise, look, swizzle};
use crate::passes::util::open::in_order;
use rustc_hash::FxHashMap;

/// The row of the list.
pub(super) const PASS: PassInfo = PassInfo {
    doc: "Combines the same operation on several components into one vector operation.",
    ..PassInfo::edits("vectorize", opening!("vectorize.rs"), |ed, _| vectorize(ed))
};

/// Most components put together.
const MOST_COMPONENTS: usize = 4;

const WHY: Reason = Reason::Note("other components have the same operation");

/// Puts operations of one kind together. Near-linear; idempotent; both shapes.
///
/// Error: a refusal of the editor, which a valid function never meets.
pub(super) fn vectorize(ed: &mut Editor<'_>) -> Result<(), Refusal> {
    for block in in_order(ed.func()) {
        let kinds = Kinds::of(ed, block);
        if !kinds.carry_out(ed)? {
            break;
        }
    }
    Ok(())
}

/// What an operand is a component of.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Whole {
    Value(Inst),
    Kind(usize),
    Const,
}

/// A component of it; a constant is its own component.
#[derive(Clone, Copy, Debug)]
struct Component {
    of: Whole,
    at: usize,
    constant: Scalar,
}

#[derive(Clone, PartialEq, Eq, Hash)]
struct Key {
    op: Op,
    flags: Flags,
    ty: ValueType,
    attrs: Attrs,
    operands: Vec<(Whole, Option<ValueType>)>,
}

/// Instructions of one kind, at most [`MOST_COMPONENTS`].
struct Kind {
    data: InstData,
    members: Vec<Inst>,
    /// For each member its operands.
    components: Vec<Vec<Component>>,
    /// The value that has all results, once it is made, and the component of each member in it.
    made: Option<(Inst, Vec<usize>)>,
}

#[derive(Default)]
struct Kinds {
    all: Vec<Kind>,
    /// The kind that still takes members.
    open: FxHashMap<Key, usize>,
    /// Kind and place of each member.
    of: FxHashMap<Inst, (usize, usize)>,
}

impl Kinds {
    fn of(ed: &Editor<'_>, block: Block) -> Kinds {
        let mut kinds = Kinds::default();
        for &inst in ed.func().block(block).insts.iter() {
            let data = ed.func().inst(inst);
            let plain = data.op.props().pure() && data.op != Op::Int(IntOp::Select1) && !data.args.is_empty();
            if data.ty.components() == 1 && plain && is_componentwise(data) && !data.args.contains(&inst) {
                kinds.add(ed, inst, data);
            }
        }
        kinds
    }

    fn add(&mut self, ed: &Editor<'_>, inst: Inst, data: &InstData) {
        let components: Vec<Component> = data.args.iter().map(|&arg| self.component(ed, arg)).collect();
        let several = |component: &Component| match component.of {
            Whole::Value(value) => ed.func().ty(value).components() > 1,
            Whole::Kind(_) => true,
            Whole::Const => false,
        };
        if !components.iter().any(several) {
            return;
        }
        let constant = |component: &Component| {
            (component.of == Whole::Const).then(|| ValueType::bits(component.constant.width(), 1))
        };
        let key = Key {
            op: data.op,
            flags: data.flags,
            ty: data.ty,
            attrs: data.attrs.clone(),
            operands: components.iter().map(|component| (component.of, constant(component))).collect(),
        };
        let next = self.all.len();
        let number = *self.open.entry(key.clone()).or_insert(next);
        if number == next {
            self.all.push(Kind {
                data: data.clone(),
                members: Vec::new(),
                components: Vec::new(),
                made: None,
            });
        }
        let Some(kind) = self.all.get_mut(number) else { return };
        self.of.insert(inst, (number, kind.members.len()));
        kind.members.push(inst);
        kind.components.push(components);
        if kind.members.len() == MOST_COMPONENTS {
            self.open.remove(&key);
        }
    }

    fn component(&self, ed: &Editor<'_>, arg: Inst) -> Component {
        let zero = Scalar::default();
        if let Some(&(kind, at)) = self.of.get(&arg) {
            return Component { of: Whole::Kind(kind), at, constant: zero };
        }
        if let Some(bits) = ed.bits_of(arg) {
            return Component { of: Whole::Const, at: 0, constant: bits.component(0) };
        }
        match look(ed, arg, &[0]) {
            Picked::Const(bits) => Component { of: Whole::Const, at: 0, constant: bits.component(0) },
            Picked::Components(of, components) => Component {
                of: Whole::Value(of),
                at: components.first().map_or(0, |&at| usize::from(at)),
                constant: zero,
            },
            Picked::Whole(of) | Picked::Splat(of) => match self.of.get(&of) {
                Some(&(kind, at)) => Component { of: Whole::Kind(kind), at, constant: zero },
                None => Component { of: Whole::Value(of), at: 0, constant: zero },
            },
        }
    }

    /// Whether there was fuel for all of it.
    fn carry_out(mut self, ed: &mut Editor<'_>) -> Result<bool, Refusal> {
        for number in 0..self.all.len() {
            if !self.is_gain(ed, number) {
                continue;
            }
            if !ed.consume_fuel() {
                return Ok(false);
            }
            self.put_together(ed, number)?;
        }
        Ok(true)
    }

    /// Whether there are several, and some operand has their components together.
    fn is_gain(&self, ed: &Editor<'_>, number: usize) -> bool {
        let Some(kind) = self.all.get(number).filter(|kind| kind.members.len() > 1) else { return false };
        let several = |component: &Component| match component.of {
            Whole::Value(value) => ed.func().ty(value).components() > 1,
            Whole::Kind(of) => self.is_made(of),
            Whole::Const => false,
        };
        // What stayed apart is there for the first only where all read the same.
        let apart = |operand: usize| {
            let mut components = kind.components.iter().filter_map(|components| components.get(operand));
            let Some(first) = components.next() else { return false };
            matches!(first.of, Whole::Kind(of) if !self.is_made(of) && components.any(|component| component.at != first.at))
        };
        let Some(first) = kind.components.first() else { return false };
        first.iter().any(several) && !(0..first.len()).any(apart)
    }

    fn is_made(&self, kind: usize) -> bool {
        self.all.get(kind).is_some_and(|kind| kind.made.is_some())
    }

    /// Which component of the value it is in a component is, as things are now.
    fn place(&self, component: Component) -> usize {
        let made = match component.of {
            Whole::Kind(kind) => self.all.get(kind).and_then(|kind| kind.made.as_ref()),
            Whole::Value(_) | Whole::Const => None,
        };
        made.and_then(|(_, places)| places.get(component.at)).copied().unwrap_or(component.at)
    }

    fn put_together(&mut self, ed: &mut Editor<'_>, number: usize) -> Result<(), Refusal> {
        let Some(kind) = self.all.get(number) else { return Ok(()) };
        // In the order of components, as far as the first operand with components says.
        let mut order: Vec<usize> = (0..kind.members.len()).collect();
        let components_of = |member: usize| {
            let components = kind.components.get(member).map_or(&[][..], |components| components);
            components.iter().map(|&component| self.place(component)).collect::<Vec<_>>()
        };
        order.sort_by_cached_key(|&member| components_of(member));
        let Some(&first) = kind.members.first() else { return Ok(()) };
        let count = u8::try_from(order.len()).unwrap_or(1);
        let mut args = Vec::new();
        for operand in 0..kind.data.args.len() {
            let components: Vec<Component> = order
                .iter()
                .filter_map(|&member| kind.components.get(member)?.get(operand).copied())
                .collect();
            let data = self.operand(ed, &components, count);
            args.push(match data {
                Ok(value) => value,
                Err(data) => ed.insert(InsertPoint::Before(first), data, WHY)?,
            });
        }
        let data = InstData { ty: kind.data.ty.with_components(count), ..kind.data.clone() };
        let data = InstData { args: crate::ir::Args::new(&args), ..data };
        let ty = data.ty;
        let whole = ed.insert(InsertPoint::Before(first), data, WHY)?;
        let origin = ed.func().origin(first);
        ed.set_origin(whole, origin)?;
        for (at, &member) in order.iter().enumerate() {
            let Some(&inst) = self.all.get(number).and_then(|kind| kind.members.get(member)) else {
                continue;
            };
            let old = ed.func().inst(inst).args.clone();
            ed.rewrite(inst, swizzle(whole, ty, &[at as u8]), WHY)?;
            for &arg in old.iter() {
                let component = matches!(
                    ed.func().inst(arg).op,
                    Op::Vector(VectorOp::Swizzle) | Op::Basic(BasicOp::Const)
                );
                if component && ed.is_placed(arg) && ed.use_count(arg) == 0 && ed.index_of(arg).is_some() {
                    ed.erase(arg, WHY)?;
                }
            }
        }
        let places: Vec<usize> = (0..order.len())
            .map(|member| order.iter().position(|&other| other == member).unwrap_or(member))
            .collect();
        if let Some(kind) = self.all.get_mut(number) {
            kind.made = Some((whole, places));
        }
        Ok(())
    }

    /// The operand of several members as one value, or the instruction that makes it.
    fn operand(&self, ed: &mut Editor<'_>, components: &[Component], count: u8) -> Result<Inst, InstData> {
        let picks: Vec<u8> = components.iter().map(|&component| self.place(component) as u8).collect();
        let from = |ed: &Editor<'_>, value: Inst| {
            let ty = ed.func().ty(value);
            if ty.components() == 1 {
                return Err(InstData::new(VectorOp::Splat, ty.with_components(count), &[value]));
            }
            if crate::passes::util::components::is_all(&picks, ty.components()) {
                Ok(value)
            } else {
                Err(swizzle(value, ty, &picks))
            }
        };
        match components.first().map(|component| component.of) {
            Some(Whole::Value(value)) => from(ed, value),
            Some(Whole::Kind(kind)) => {
                let kind = self.all.get(kind);
                let alone = components.first().and_then(|component| kind?.members.get(component.at)).copied();
                match (kind.and_then(|kind| kind.made.as_ref()), alone) {
                    (Some(&(whole, _)), _) => from(ed, whole),
                    (None, Some(alone)) => from(ed, alone),
                    (None, None) => Err(InstData::default()),
                }
            }
            Some(Whole::Const) | None => {
                let components: Vec<Scalar> = components.iter().map(|component| component.constant).collect();
                Err(ed.const_bits(Bits::from_scalars(&components)))
            }
        }
    }
}
