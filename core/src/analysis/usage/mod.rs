//! What a program does with the bytes of its memory: who reads and writes which, and as what.
//!
//! ```text
//! storage $lights_3: bytes(16 + n * 32) was #0      0..4 b32 read "count"
//!   %3: b32 = load %2                               16.. * 32 {
//!   %4: ptr = ptr.dyn_offset %2, %i {stride 32}       0..12 b32x3 read "lights[].pos"
//!   %5: b32x3 = load %4 {offset 16}            =>     12..16 b32 read+write "lights[].radius"
//!   store %4, %6 {offset 28}                        }
//! ```
//!
//! Each access through an untyped pointer is a pattern: constant bytes, steps known at run time, and what is read or
//! written there. A pointer may come out of parameters, choices, loops and calls, so patterns are handed back along
//! all ways it may have come until nothing changes, over all functions at once: to the variables, and to parameters,
//! for which they say what the function asks of a pointer. A pointer that goes round a loop steps by the greatest
//! common divisor of all it is moved by. What is known of a variable or parameter is then put in order as a [`Tree`]
//! of byte ranges.
//!
//! An index is taken not to lead before the place from which its step begins, as in a typed array. Of typed paths
//! (`deref`) nothing is known here, but where they begin at an untyped pointer. What would be too much to keep apart,
//! and pointers that go where nobody follows, are said to lead anywhere. Deterministic; linear in accesses times the
//! calls that hand them on.

mod gather; // patterns along links, to where they begin
mod path; // addresses as paths of members
mod told; // trees as text, with the names of members
mod traffic; // what one function does
mod tree; // patterns put in order

pub use path::path_at;
pub use told::Line;
pub use traffic::Traffic;
pub use tree::{Part, PartData, PartKind, Tree};

use self::gather::Gathered;
use super::address::gcd;
use super::{Analyses, Analysis, Reads};
use crate::ir::layout::Sizes;
use crate::ir::{Func, FuncBody, Inst, Mode, Module, Type, TypeData, Var};
use crate::ops::{Key, ValueType};
use rustc_hash::FxHashMap;

/// What is done with bytes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Debug)]
pub struct How(u8);

impl How {
    /// Nothing but looking where it is.
    pub const NONE: How = How(0);
    /// Read.
    pub const READ: How = How(1);
    /// Written.
    pub const WRITE: How = How(2);
    /// Read and written.
    pub const BOTH: How = How(3);
    /// In one go with regard to others.
    pub const ATOMIC: How = How(4);

    /// Both together.
    #[must_use]
    pub fn and(self, other: How) -> How {
        How(self.0 | other.0)
    }

    /// Whether all of the other is among it.
    pub fn has(self, other: How) -> bool {
        self.0 & other.0 == other.0
    }

    /// The words for it, in order.
    pub fn words(self) -> impl Iterator<Item = &'static str> {
        let all = [(How::READ, "read"), (How::WRITE, "write"), (How::ATOMIC, "atomic")];
        let none = (self == How::NONE).then_some("address");
        all.into_iter().filter(move |&(how, _)| self.has(how)).map(|(_, word)| word).chain(none)
    }
}

/// What lies where an access goes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
enum Cell {
    /// A value.
    Value(ValueType),
    /// A place of a full type.
    Typed(Type),
    /// So many bytes, or all that follow.
    Bytes(Option<u32>),
    /// Anything, anywhere around there.
    Anywhere,
}

/// A step whose length is only known at run time.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
struct Step {
    /// Bytes for each.
    stride: u32,
    /// How many there may be; none where nobody knows.
    count: Option<u32>,
    /// It stands for rounds of a loop: no array's length bounds it.
    loose: bool,
}

/// Lists of steps, each kept once: by falling stride, every stride once. List 0 is empty.
#[derive(Clone, Debug)]
struct Steps {
    lists: Vec<Box<[Step]>>,
    known: FxHashMap<Box<[Step]>, u32>,
    scratch: Vec<Step>,
}

/// Most steps of a list: more of them become one that stands for all.
const MOST_STEPS: usize = 16;

impl Default for Steps {
    fn default() -> Steps {
        Steps { lists: vec![Box::default()], known: FxHashMap::default(), scratch: Vec::new() }
    }
}

impl Steps {
    /// The steps of a list, by falling stride.
    fn list(&self, list: u32) -> &[Step] {
        self.lists.get(list as usize).map_or(&[], |list| list)
    }

    /// A list with more steps: strides, and the bytes each may reach.
    fn with_terms(&mut self, list: u32, more: impl Iterator<Item = (u32, Option<u32>)>) -> u32 {
        let step = |(stride, range): (u32, Option<u32>)| {
            let count = range.and_then(|range| range.checked_div(stride)).map(|count| count.max(1));
            Step { stride, count, loose: false }
        };
        self.with(list, more.map(step))
    }

    /// A list with more steps.
    fn with(&mut self, list: u32, more: impl Iterator<Item = Step>) -> u32 {
        self.scratch.clear();
        if let Some(list) = self.lists.get(list as usize) {
            self.scratch.extend_from_slice(list);
        }
        self.scratch.extend(more.filter(|step| step.stride > 0));
        let scratch = &mut self.scratch;
        crate::base::sort_by_number(scratch, |step| u64::from(u32::MAX - step.stride));
        // Two steps of one stride are one that goes as far as both.
        scratch.dedup_by(|next, kept| {
            let same = next.stride == kept.stride;
            if same {
                let both = kept.count.zip(next.count);
                kept.count = both.and_then(|(a, b)| a.checked_add(b - 1));
                kept.loose |= next.loose;
            }
            same
        });
        if scratch.len() > MOST_STEPS {
            let stride = scratch.iter().fold(0, |all, step| gcd(all, step.stride));
            scratch.clear();
            scratch.push(Step { stride, count: None, loose: true });
        }
        if scratch.is_empty() {
            return 0;
        }
        if let Some(&known) = self.known.get(scratch.as_slice()) {
            return known;
        }
        let list: Box<[Step]> = scratch.as_slice().into();
        let id = self.lists.len() as u32;
        self.lists.push(list.clone());
        self.known.insert(list, id);
        id
    }
}

impl Analysis for Traffic {
    const NAME: &'static str = "usage";
    const READS: Reads = Reads::Module;

    fn compute(module: &Module, func: Func, body: &FuncBody, _: &mut Analyses) -> Traffic {
        Traffic::read(module, func, body)
    }
}

/// Memory of which the usage is asked.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Memory {
    /// A variable. Of an array of resources: what is done with any of them.
    Var(Var),
    /// Where a value leads that nobody here knows more of: a parameter of a function, a loaded pointer.
    Value(Func, Inst),
}

/// What all functions of a module do with memory through untyped pointers.
pub struct Usage {
    gathered: Gathered,
}

impl Usage {
    /// Reads a module, valid or not. What `cx` has kept of functions is not read again.
    pub fn of(module: &Module, cx: &mut Analyses) -> Usage {
        let mut gathered = Gathered::default();
        for (func, _) in module.funcs() {
            let traffic = cx.get::<Traffic>(module, func);
            gathered.add(module, func, &traffic);
        }
        gathered.settle();
        Usage { gathered }
    }

    /// The same for who asks once: nothing is kept.
    pub fn once(module: &Module) -> Usage {
        let mut gathered = Gathered::default();
        for (func, body) in module.funcs() {
            gathered.add(module, func, &Traffic::read(module, func, body));
        }
        gathered.settle();
        Usage { gathered }
    }

    /// Everything that pointers were followed to, in order: variables, and values that lead elsewhere.
    pub fn memory(&self) -> impl Iterator<Item = Memory> + '_ {
        self.gathered.memory()
    }

    /// What memory was declared as: of an array of resources, one of them.
    pub fn declared(module: &Module, of: Memory) -> Option<Type> {
        declared(module, of)
    }

    /// What is done with a variable, or where a value leads, in order of bytes. `O(n log n)` in patterns.
    pub fn tree(&self, module: &Module, of: Memory) -> Tree {
        self.sized(module, of, &mut Sizes::default())
    }

    /// Bytes that may be read of a variable, or where a value leads: ranges from, to, in order of where they begin.
    /// None where any byte may be, which it may by a step that is not known to stay in a range: an index may be below
    /// 0. Linear in patterns.
    pub fn reads(&self, of: Memory) -> Option<Vec<(i64, i64)>> {
        let mut ranges = Vec::new();
        for (pattern, _) in self.gathered.patterns(of) {
            let bytes = match pattern.cell {
                Cell::Anywhere | Cell::Typed(_) => return None,
                _ if !pattern.how.has(How::READ) => continue,
                Cell::Value(ty) => tree::value_bytes(ty),
                Cell::Bytes(bytes) => u64::from(bytes?),
            };
            let reach = self.gathered.steps.list(pattern.steps).iter().try_fold(0i64, |all, step| {
                let count = step.count.filter(|_| !step.loose)?;
                all.checked_add(i64::from(step.stride).checked_mul(i64::from(count.saturating_sub(1)))?)
            })?;
            let end = pattern.offset.checked_add(reach)?.checked_add(i64::try_from(bytes).ok()?)?;
            ranges.push((pattern.offset, end));
        }
        Some(ranges)
    }

    /// Who does what a part of a tree says: functions and instructions, in order, each once.
    pub fn sites(&self, tree: &Tree, part: Part) -> Vec<(Func, Inst)> {
        self.gathered.sites(tree.patterns(part))
    }

    /// The ranges of a tree in order, each behind the row or union it stands in, with the names of members.
    pub fn lines(&self, module: &Module, tree: &Tree) -> Vec<Line> {
        told::lines(module, tree, &mut Sizes::default())
    }

    /// What is done with a variable, or where a value leads, as text in one line: `0..4 b32 read "count", 16.. * 32 {
    /// … }`.
    pub fn text(&self, module: &Module, of: Memory) -> String {
        self.text_sized(module, of, &mut Sizes::default())
    }

    /// The same for who asks more than once about one version of a module, and keeps the sizes of its types.
    pub(crate) fn text_sized(&self, module: &Module, of: Memory, sizes: &mut Sizes) -> String {
        told::text(module, &self.sized(module, of, sizes), sizes)
    }

    fn sized(&self, module: &Module, of: Memory, sizes: &mut Sizes) -> Tree {
        Tree::of(module, &self.gathered, of, declared(module, of), sizes)
    }
}

/// What memory was declared as: of a resource, what it holds.
fn declared(module: &Module, of: Memory) -> Option<Type> {
    match of {
        Memory::Var(var) => {
            let data = module.var(var)?;
            let is_resource = matches!(data.mode, Mode::Uniform | Mode::Storage | Mode::Handle);
            Some(if is_resource { element_of_resources(module, data.ty) } else { data.ty })
        }
        Memory::Value(func, inst) => {
            let data = module.func(func)?.tables().insts.get(inst)?;
            let ty: Type = data.entity(Key::Type)?;
            let mode = data.attrs.get(Key::Mode).and_then(Mode::from_index);
            let is_resource = matches!(mode, Some(Mode::Uniform | Mode::Storage | Mode::Handle));
            Some(if is_resource { element_of_resources(module, ty) } else { ty })
        }
    }
}

/// The resource in an array of them; anything else as it is.
fn element_of_resources(module: &Module, ty: Type) -> Type {
    let mut at = ty;
    while let TypeData::Array { of, .. } | TypeData::RuntimeArray { of, .. } = *module.type_of(at) {
        at = of;
    }
    let is_block = match *module.type_of(at) {
        TypeData::Struct(structure) => module
            .structure(structure)
            .is_some_and(|data| data.attrs.has(Key::Block) || data.attrs.has(Key::BufferBlock)),
        TypeData::Image(_) | TypeData::Sampler | TypeData::SampledImage(_) | TypeData::AccelStruct => true,
        _ => false,
    };
    if is_block { at } else { ty }
}
