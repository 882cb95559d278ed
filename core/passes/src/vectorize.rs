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
//! Within a block, instructions form a group if operation, flags and width are equal and each operand is a
//! component of the same value, or all of them are constant, or all are results of another group. Up to four
//! members of a group become one vector operation, at the position of the first: its operands are all available
//! there, since they are shared. At least one operand must come from a value with several components; otherwise
//! there would be no benefit. `copy-prop` and `dce` then remove redundant swizzles and vector constructors.
//!
//! Unchanged: operations that are not component-wise, and instructions in different blocks. The opposite is
//! `alu-to-scalar`; never put both into one `fix`.
//!
//! NIR: `nir_opt_vectorize`.

use super::pass::PassInfo;
use crate::util::components::{Picked, is_componentwise, look, swizzle};
use crate::util::open::in_order;
use rustc_hash::FxHashMap;
use vitrine_ir::base::opening::opening;
use vitrine_ir::ops::{BasicOp, Bits, Flags, IntOp, Op, Scalar, ValueType, VectorOp};
use vitrine_ir::{Attrs, Block, Editor, InsertPoint, Inst, InstData, Reason, Refusal};

/// The entry in the list of passes.
pub(super) const PASS: PassInfo = PassInfo {
    doc: "Combines the same operation on several components into one vector operation.",
    ..PassInfo::edits("vectorize", opening!("vectorize.rs"), |ed, _| vectorize(ed))
};

/// The maximum number of components that are combined.
const MAX_COMPONENTS: usize = 4;

const WHY: Reason = Reason::Note("other components have the same operation");

/// Combines groups of operations. Near-linear; idempotent; both shapes.
pub(super) fn vectorize(ed: &mut Editor<'_>) -> Result<(), Refusal> {
    for block in in_order(ed.func()) {
        let groups = Groups::of(ed, block);
        if !groups.combine_all(ed)? {
            break;
        }
    }
    Ok(())
}

/// The source of the components of an operand.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Origin {
    Value(Inst),
    Group(usize),
    Const,
}

/// A component of a source; for a constant, the constant itself.
#[derive(Clone, Copy, Debug)]
struct Component {
    of: Origin,
    at: usize,
    constant: Scalar,
}

#[derive(Clone, PartialEq, Eq, Hash)]
struct Key {
    op: Op,
    flags: Flags,
    ty: ValueType,
    attrs: Attrs,
    operands: Vec<(Origin, Option<ValueType>)>,
}

/// A group of combinable instructions, at most [`MAX_COMPONENTS`].
struct OpGroup {
    data: InstData,
    members: Vec<Inst>,
    /// The operands of each member.
    components: Vec<Vec<Component>>,
    /// The vector with all results, once it is created, and the component of each member in it.
    made: Option<(Inst, Vec<usize>)>,
}

#[derive(Default)]
struct Groups {
    all: Vec<OpGroup>,
    /// The group that still accepts members.
    open: FxHashMap<Key, usize>,
    /// The group of each member, and its index.
    of: FxHashMap<Inst, (usize, usize)>,
}

impl Groups {
    fn of(ed: &Editor<'_>, block: Block) -> Groups {
        let mut groups = Groups::default();
        for &inst in ed.func().block(block).insts.iter() {
            let data = ed.func().inst(inst);
            let plain = data.op.props().pure() && data.op != Op::Int(IntOp::Select1) && !data.args.is_empty();
            if data.ty.components() == 1 && plain && is_componentwise(data) && !data.args.contains(&inst) {
                groups.add(ed, inst, data);
            }
        }
        groups
    }

    fn add(&mut self, ed: &Editor<'_>, inst: Inst, data: &InstData) {
        let components: Vec<Component> = data.args.iter().map(|&arg| self.component(ed, arg)).collect();
        let several = |component: &Component| match component.of {
            Origin::Value(value) => ed.func().ty(value).components() > 1,
            Origin::Group(_) => true,
            Origin::Const => false,
        };
        if !components.iter().any(several) {
            return;
        }
        let constant = |component: &Component| {
            (component.of == Origin::Const).then(|| ValueType::bits(component.constant.width(), 1))
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
            self.all.push(OpGroup {
                data: data.clone(),
                members: Vec::new(),
                components: Vec::new(),
                made: None,
            });
        }
        let Some(group) = self.all.get_mut(number) else { return };
        self.of.insert(inst, (number, group.members.len()));
        group.members.push(inst);
        group.components.push(components);
        if group.members.len() == MAX_COMPONENTS {
            self.open.remove(&key);
        }
    }

    fn component(&self, ed: &Editor<'_>, arg: Inst) -> Component {
        let zero = Scalar::default();
        if let Some(&(group, at)) = self.of.get(&arg) {
            return Component { of: Origin::Group(group), at, constant: zero };
        }
        if let Some(bits) = ed.bits_of(arg) {
            return Component { of: Origin::Const, at: 0, constant: bits.component(0) };
        }
        match look(ed, arg, &[0]) {
            Picked::Const(bits) => Component { of: Origin::Const, at: 0, constant: bits.component(0) },
            Picked::Components(of, components) => Component {
                of: Origin::Value(of),
                at: components.first().map_or(0, |&at| usize::from(at)),
                constant: zero,
            },
            Picked::Whole(of) | Picked::Splat(of) => match self.of.get(&of) {
                Some(&(group, at)) => Component { of: Origin::Group(group), at, constant: zero },
                None => Component { of: Origin::Value(of), at: 0, constant: zero },
            },
        }
    }

    /// Returns false if fuel ran out.
    fn combine_all(mut self, ed: &mut Editor<'_>) -> Result<bool, Refusal> {
        for number in 0..self.all.len() {
            if !self.is_profitable(ed, number) {
                continue;
            }
            if !ed.consume_fuel() {
                return Ok(false);
            }
            self.combine(ed, number)?;
        }
        Ok(true)
    }

    /// Returns true if there are several members, and some operand has its components in one value.
    fn is_profitable(&self, ed: &Editor<'_>, number: usize) -> bool {
        let Some(group) = self.all.get(number).filter(|group| group.members.len() > 1) else { return false };
        let several = |component: &Component| match component.of {
            Origin::Value(value) => ed.func().ty(value).components() > 1,
            Origin::Group(of) => self.is_made(of),
            Origin::Const => false,
        };
        // An operand that is not combined is available at the first member only if all members use the same.
        let apart = |operand: usize| {
            let mut components = group.components.iter().filter_map(|components| components.get(operand));
            let Some(first) = components.next() else { return false };
            matches!(first.of, Origin::Group(of) if !self.is_made(of) && components.any(|component| component.at != first.at))
        };
        let Some(first) = group.components.first() else { return false };
        first.iter().any(several) && !(0..first.len()).any(apart)
    }

    fn is_made(&self, group: usize) -> bool {
        self.all.get(group).is_some_and(|group| group.made.is_some())
    }

    /// The index of a component within its current vector.
    fn place(&self, component: Component) -> usize {
        let made = match component.of {
            Origin::Group(group) => self.all.get(group).and_then(|group| group.made.as_ref()),
            Origin::Value(_) | Origin::Const => None,
        };
        made.and_then(|(_, places)| places.get(component.at)).copied().unwrap_or(component.at)
    }

    fn combine(&mut self, ed: &mut Editor<'_>, number: usize) -> Result<(), Refusal> {
        let Some(group) = self.all.get(number) else { return Ok(()) };
        // In the order of components, as given by the first operand with components.
        let mut order: Vec<usize> = (0..group.members.len()).collect();
        let components_of = |member: usize| {
            let components = group.components.get(member).map_or(&[][..], |components| components);
            components.iter().map(|&component| self.place(component)).collect::<Vec<_>>()
        };
        order.sort_by_cached_key(|&member| components_of(member));
        let Some(&first) = group.members.first() else { return Ok(()) };
        let count = u8::try_from(order.len()).unwrap_or(1);
        let mut args = Vec::new();
        for operand in 0..group.data.args.len() {
            let components: Vec<Component> = order
                .iter()
                .filter_map(|&member| group.components.get(member)?.get(operand).copied())
                .collect();
            let data = self.operand(ed, &components, count);
            args.push(match data {
                Ok(value) => value,
                Err(data) => ed.insert(InsertPoint::Before(first), data, WHY)?,
            });
        }
        let data = InstData { ty: group.data.ty.with_components(count), ..group.data.clone() };
        let data = InstData { args: vitrine_ir::Args::new(&args), ..data };
        let ty = data.ty;
        let vector = ed.insert(InsertPoint::Before(first), data, WHY)?;
        let origin = ed.func().origin(first);
        ed.set_origin(vector, origin)?;
        for (at, &member) in order.iter().enumerate() {
            let Some(&inst) = self.all.get(number).and_then(|group| group.members.get(member)) else {
                continue;
            };
            let old = ed.func().inst(inst).args.clone();
            ed.rewrite(inst, swizzle(vector, ty, &[at as u8]), WHY)?;
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
        if let Some(group) = self.all.get_mut(number) {
            group.made = Some((vector, places));
        }
        Ok(())
    }

    /// The operand of several members as one value, or the instruction that creates it.
    fn operand(&self, ed: &mut Editor<'_>, components: &[Component], count: u8) -> Result<Inst, InstData> {
        let picks: Vec<u8> = components.iter().map(|&component| self.place(component) as u8).collect();
        let from = |ed: &Editor<'_>, value: Inst| {
            let ty = ed.func().ty(value);
            if ty.components() == 1 {
                return Err(InstData::new(VectorOp::Splat, ty.with_components(count), &[value]));
            }
            if crate::util::components::is_all(&picks, ty.components()) {
                Ok(value)
            } else {
                Err(swizzle(value, ty, &picks))
            }
        };
        match components.first().map(|component| component.of) {
            Some(Origin::Value(value)) => from(ed, value),
            Some(Origin::Group(group)) => {
                let group = self.all.get(group);
                let alone =
                    components.first().and_then(|component| group?.members.get(component.at)).copied();
                match (group.and_then(|group| group.made.as_ref()), alone) {
                    (Some(&(vector, _)), _) => from(ed, vector),
                    (None, Some(alone)) => from(ed, alone),
                    (None, None) => Err(InstData::default()),
                }
            }
            Some(Origin::Const) | None => {
                let components: Vec<Scalar> = components.iter().map(|component| component.constant).collect();
                Err(ed.const_bits(Bits::from_scalars(&components)))
            }
        }
    }
}
