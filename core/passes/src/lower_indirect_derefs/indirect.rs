//! Paths with indices that are known only at run time, and what both kinds of lowering build of them.

use vitrine_ir::ops::{ConvertOp, DerefOp, IntOp, Op, ValueType, Width};
use vitrine_ir::{Args, Builder, Editor, Inst, InstData, Mode, Reason, TypeData};

pub(super) const WHY: Reason = Reason::Note("every element is accessed");

/// Maximum number of elements accessed in one function.
pub(super) const MAX_ELEMENTS_IN_FUNC: u64 = 1 << 20;

/// An access through indices known only at run time.
pub(super) struct Indirect {
    /// The start of the path: a variable, or an unknown path.
    pub(super) base: Inst,
    pub(super) steps: Vec<IndirectStep>,
    pub(super) mode: Mode,
    /// Number of elements to access.
    pub(super) count: u64,
}

pub(super) enum IndirectStep {
    /// A step that is copied to another base.
    Known(InstData),
    /// A dynamic index.
    Dynamic(Index),
}

/// An index known only at run time, and the number of elements.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Index {
    pub(super) value: Inst,
    pub(super) count: u32,
    /// It is always in range.
    pub(super) in_range: bool,
}

/// Returns true for a path to an array of resources.
fn is_array(ed: &Editor<'_>, path: Inst) -> bool {
    let (module, func) = (ed.module(), ed.func());
    let Some(found) = module.path_type(func, path) else { return false };
    let mut ty = found.ty;
    while let TypeData::Array { of, .. } | TypeData::RuntimeArray { of, .. } = *module.type_of(ty) {
        ty = of;
    }
    // Arrays of blocks are the variable itself.
    found.mode == Mode::Handle
        || matches!(found.mode, Mode::Uniform | Mode::Storage)
            && func.inst(path).op == Op::Deref(DerefOp::Var)
            && matches!(module.type_of(ty), TypeData::Struct(_))
}

/// Parses a path; none if all its indices are constant, or it cannot be lowered. Only indices of arrays of resources count
/// if these are wanted.
pub(super) fn indirect(ed: &Editor<'_>, path: Inst, of_resources: bool) -> Option<Indirect> {
    let (module, func) = (ed.module(), ed.func());
    let mode = module.path_type(func, path)?.mode;
    let (mut at, mut steps, mut count) = (path, Vec::new(), 1u64);
    loop {
        let data = func.inst(at);
        let next = data.args.first().copied();
        match (data.op, next) {
            (Op::Deref(DerefOp::Field), Some(base)) => {
                steps.push(IndirectStep::Known(data.clone()));
                at = base;
            }
            (Op::Deref(DerefOp::Elem), Some(base)) => {
                let &index = data.args.get(1)?;
                if ed.bits_of(index).is_some() || of_resources && !is_array(ed, base) {
                    steps.push(IndirectStep::Known(data.clone()));
                } else {
                    let ty = module.path_type(func, base)?.ty;
                    if matches!(module.type_of(ty), TypeData::Vector { .. })
                        || func.ty(index).components() != 1
                    {
                        return None;
                    }
                    let elements = module.element_count(ty).filter(|&count| count > 0)?;
                    count = count.checked_mul(u64::from(elements))?;
                    steps.push(IndirectStep::Dynamic(Index {
                        value: index,
                        count: elements,
                        in_range: false,
                    }));
                }
                at = base;
            }
            _ => break,
        }
    }
    steps.reverse();
    let any = steps.iter().any(|step| matches!(step, IndirectStep::Dynamic(_)));
    any.then_some(Indirect { base: at, steps, mode, count })
}

impl Indirect {
    /// Returns the dynamic indices, outermost first.
    pub(super) fn indices(&self) -> Vec<Index> {
        let dynamic = |step: &IndirectStep| match step {
            IndirectStep::Dynamic(index) => Some(*index),
            IndirectStep::Known(_) => None,
        };
        self.steps.iter().filter_map(dynamic).collect()
    }

    /// Returns the path to the element with these indices.
    pub(super) fn element(&self, b: &mut Builder<'_, '_>, numbers: &[u32]) -> Inst {
        let mut numbers = numbers.iter().copied();
        self.steps.iter().fold(self.base, |at, step| match step {
            IndirectStep::Known(data) => {
                let args: Vec<Inst> = [at].into_iter().chain(data.args.iter().skip(1).copied()).collect();
                b.emit_with(InstData { args: Args::new(&args), ..data.clone() })
            }
            IndirectStep::Dynamic(_) => {
                let number = b.int(Width::W32, i64::from(numbers.next().unwrap_or(0)));
                b.elem(at, number)
            }
        })
    }

    /// Returns the indices of every element, the last index varying fastest.
    pub(super) fn all(&self) -> Vec<Vec<u32>> {
        let mut all: Vec<Vec<u32>> = vec![Vec::new()];
        for index in self.indices() {
            let each = |prefix: &Vec<u32>| {
                let prefix = prefix.clone();
                (0..index.count).map(move |at| prefix.iter().copied().chain([at]).collect())
            };
            all = all.iter().flat_map(each).collect();
        }
        all
    }
}

pub(super) fn select(b: &mut Builder<'_, '_>, ty: ValueType, [cond, then, els]: [Inst; 3]) -> Inst {
    // A condition for each component: supported by every version of SPIR-V.
    let cond = if ty.components() == 1 { cond } else { b.splat(cond, ty.components()) };
    b.emit_with(InstData::new(IntOp::Select, ty, &[cond, then, els]))
}

pub(super) fn width(b: &Builder<'_, '_>, index: Inst) -> Width {
    b.editor().func().ty(index).width().unwrap_or(Width::W32)
}

/// Widens an index so that it can represent every element: indices are signed.
pub(super) fn widen(b: &mut Builder<'_, '_>, index: Inst) -> Inst {
    match width(b, index) {
        Width::W1 | Width::W8 | Width::W16 => b.convert(ConvertOp::I2I, Width::W32, index),
        Width::W32 | Width::W64 => index,
    }
}

/// Selects one of these values by an index, by binary search.
pub(super) fn pick(b: &mut Builder<'_, '_>, index: Inst, values: &[Inst]) -> Inst {
    // Level by level from the leaves: values, each with the index of the first element after it.
    let mut level: Vec<(Inst, u32)> = values.iter().copied().zip(1..).collect();
    let width = width(b, index);
    while level.len() > 1 {
        let mut next = Vec::new();
        for pair in level.chunks(2) {
            next.push(match *pair {
                [(low, middle), (high, end)] => {
                    let limit = b.int(width, i64::from(middle));
                    let below = b.checked(IntOp::ULt, ValueType::BOOL, &[index, limit]);
                    let ty = b.editor().func().ty(low);
                    (select(b, ty, [below, low, high]), end)
                }
                [only, ..] => only,
                [] => continue,
            });
        }
        level = next;
    }
    level.first().map_or(index, |&(value, _)| value)
}
