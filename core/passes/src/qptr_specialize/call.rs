//! The arguments that a call passes in place of a pointer: a base, which is in the clone, and indices.
//!
//! ```text
//! $lights[%i].color[2]     begins at $lights + 16 + n1 * 32 + n0 * 4; n1 = %i, n0 = 2
//! ```
//!
//! Does not handle pointers that may be passed unchanged.

use crate::util::ptr_shape::{Counted, Level, counted, is_legal};
use crate::util::route::Linear;
use vitrine_analysis::{Address, Addresses};
use vitrine_ir::layout::Sizes;
use vitrine_ir::ops::{Key, Op, PtrOp};
use vitrine_ir::{FuncBody, Inst, InstData, Mode, Module, Type, Var};

/// The maximum number of steps from a variable to one of its resources.
const MAX_HANDLES: usize = 64;

/// The memory that a pointer refers to.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Root {
    /// A variable that is visible in every function.
    Var(Var),
    /// A whole object of this type, passed as a pointer.
    Whole(Type, Mode),
}

/// A step to one of several resources: the attributes of the instruction, without its operands.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct Handle {
    pub(super) stride: Option<u64>,
    pub(super) range: Option<u64>,
}

/// The shape of the pointer that replaces a parameter.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) struct Begin {
    pub(super) root: Root,
    /// Steps to a resource, outermost first.
    pub(super) handles: Vec<Handle>,
    /// True for the bytes of a buffer.
    pub(super) is_data: bool,
    /// The constant byte offset.
    pub(super) offset: i64,
    /// The steps, outermost first.
    pub(super) levels: Vec<Level>,
}

/// The arguments that replace one parameter.
#[derive(Clone, Debug)]
pub(super) struct Given {
    pub(super) begin: Begin,
    /// The pointer to a whole object.
    pub(super) whole: Option<Inst>,
    /// The resource indices, outermost first.
    pub(super) handles: Vec<Inst>,
    /// The step indices, innermost first.
    pub(super) numbers: Vec<Linear>,
}

/// The replacement for `arg`. None if it may be passed unchanged and is accessed as declared, or if its origin
/// is unknown.
pub(super) fn given(
    module: &Module,
    sizes: &mut Sizes,
    (body, addresses): (&FuncBody, &Addresses),
    arg: Inst,
    param: &InstData,
    misread: bool,
) -> Option<Given> {
    let mode = param.attrs.word::<Mode>();
    let declared: Option<Type> = param.entity(Key::Type);
    if mode == Some(Mode::Handle) || is_legal(module, mode) {
        return None;
    }
    let Address { base, offset, terms } = addresses.get(arg)?;
    let found = find(module, body, base)?;
    let is_whole = found.handles.is_empty() && !found.is_data && offset == 0 && terms.is_empty();
    let is_handed = match mode {
        Some(Mode::Local | Mode::Private | Mode::Shared) => is_whole && declared == Some(found.ty),
        _ => false,
    };
    if is_handed && !misread {
        return None;
    }
    // A pointer that cannot be passed has no replacement.
    if let Root::Whole(_, Mode::Storage | Mode::Uniform | Mode::Push) = found.root {
        return None;
    }
    let by_type = declared
        .filter(|_| !misread)
        .and_then(|declared| counted(module, sizes, found.ty, (offset, terms), declared));
    let Counted { offset, levels, numbers } = by_type.unwrap_or_else(|| {
        let level = |stride, range| Level { stride, range };
        let number = |index| Linear { terms: vec![(index, 1)], plus: 0 };
        Counted {
            offset,
            levels: terms.iter().map(|term| level(term.stride, term.range)).collect(),
            numbers: terms.iter().rev().map(|term| number(term.index)).collect(),
        }
    });
    let (handles, indices) = found.handles.into_iter().unzip();
    let begin = Begin { root: found.root, handles, is_data: found.is_data, offset, levels };
    let is_same = matches!(begin.root, Root::Whole(ty, _) if declared == Some(ty)) && is_whole;
    (!is_same).then_some(Given { begin, whole: found.whole, handles: indices, numbers })
}

/// The base of an address.
struct Base {
    root: Root,
    whole: Option<Inst>,
    handles: Vec<(Handle, Inst)>,
    is_data: bool,
    /// The declared type of the memory.
    ty: Type,
}

fn find(module: &Module, body: &FuncBody, base: Inst) -> Option<Base> {
    let (mut at, mut handles, mut is_data) = (base, Vec::new(), false);
    let (root, whole, mut ty) = loop {
        let data = body.inst(at);
        match data.op {
            Op::Ptr(PtrOp::BufferData) if !is_data && handles.is_empty() => is_data = true,
            Op::Ptr(PtrOp::HandleIndex) if handles.len() < MAX_HANDLES => {
                let step = Handle { stride: data.attrs.get(Key::Stride), range: data.attrs.get(Key::Range) };
                handles.insert(0, (step, *data.args.get(1)?));
            }
            Op::Ptr(PtrOp::Var) => {
                let var: Var = data.entity(Key::Var)?;
                let known = module.var(var)?;
                break match known.owner {
                    None => (Root::Var(var), None, known.ty),
                    Some(_) => (Root::Whole(known.ty, known.mode), Some(at), known.ty),
                };
            }
            _ if body.params().contains(&at) => {
                let ty: Type = data.entity(Key::Type)?;
                let mode = data.attrs.word::<Mode>()?;
                break (Root::Whole(ty, mode), Some(at), ty);
            }
            _ => return None,
        }
        at = *data.args.first()?;
    };
    for _ in &handles {
        ty = module.element_type(ty)?;
    }
    Some(Base { root, whole, handles, is_data, ty })
}
