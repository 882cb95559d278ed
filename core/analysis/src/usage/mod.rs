//! Byte ranges of memory that are accessed through untyped pointers, with the types and kinds of access.
//!
//! ```text
//! storage $lights_3: bytes(16 + n * 32) was #0      0..4 b32 read "count"
//!   %3: b32 = load %2                               16.. * 32 {
//!   %4: ptr = ptr.dyn_offset %2, %i {stride 32}       0..12 b32x3 read "lights[].pos"
//!   %5: b32x3 = load %4 {offset 16}            =>     12..16 b32 read+write "lights[].radius"
//!   store %4, %6 {offset 28}                        }
//! ```
//!
//! Each access through an untyped pointer is a pattern: a constant distance, steps known at run time, and the
//! type of access. A pointer may result from parameters, selects, loops and calls, so patterns are propagated
//! backward along all paths to a fixpoint, over all functions at once. They end at variables, and at
//! parameters, for which they describe the memory that the function expects of a pointer. A pointer that is
//! advanced by a loop steps by the greatest common divisor of all distances. The patterns of a variable or
//! parameter are then arranged as a [`Tree`] of byte ranges.
//!
//! An index is assumed not to reach below the start of its step, as in a typed array. Typed paths (`deref`)
//! are ignored unless they start at an untyped pointer. Patterns that are too many to keep separate, and
//! pointers that escape, are treated as accesses anywhere. Deterministic; linear in the number of accesses
//! times the calls that forward them.

mod gather; // propagation of patterns along links
mod path; // addresses as paths of members
mod describe; // trees as text, with the names of members
mod traffic; // accesses of one function
mod tree; // arrangement of patterns

pub use describe::Line;
pub use path::path_at;
pub use traffic::Traffic;
pub use tree::{Part, PartData, PartKind, Tree};

use self::gather::Gathered;
use super::address::gcd;
use super::{Analyses, Analysis, Reads};
use rustc_hash::FxHashMap;
use vitrine_ir::layout::Sizes;
use vitrine_ir::ops::{Key, ValueType};
use vitrine_ir::{Func, FuncBody, Inst, Mode, Module, Type, TypeData, Var};

/// The kinds of access to some bytes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Debug)]
pub struct How(u8);

impl How {
    /// No access; only the address is used.
    pub const NONE: How = How(0);
    /// Read.
    pub const READ: How = How(1);
    /// Written.
    pub const WRITE: How = How(2);
    /// Read and written.
    pub const BOTH: How = How(3);
    /// Atomically with respect to other agents.
    pub const ATOMIC: How = How(4);

    /// The union of both.
    #[must_use]
    pub fn and(self, other: How) -> How {
        How(self.0 | other.0)
    }

    /// Returns true if all of the other is included.
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

/// The type of accessed memory.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
enum Cell {
    /// A value.
    Value(ValueType),
    /// Memory of a full type.
    Typed(Type),
    /// A number of bytes, or all that follow.
    Bytes(Option<u32>),
    /// Any bytes of the variable.
    Anywhere,
}

/// A step whose length is only known at run time.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
struct ArrayStep {
    /// The stride in bytes.
    stride: u32,
    /// The maximum number of elements; `None` if unknown.
    count: Option<u32>,
    /// If set, the step represents loop iterations: the length of an array is no bound for it.
    loose: bool,
}

/// Lists of steps, each stored once: by falling stride, with unique strides. List 0 is empty.
#[derive(Clone, Debug)]
struct Steps {
    lists: Vec<Box<[ArrayStep]>>,
    known: FxHashMap<Box<[ArrayStep]>, u32>,
    scratch: Vec<ArrayStep>,
}

/// Maximum number of steps of a list: further ones are merged into one that covers all.
const MOST_STEPS: usize = 16;

impl Default for Steps {
    fn default() -> Steps {
        Steps { lists: vec![Box::default()], known: FxHashMap::default(), scratch: Vec::new() }
    }
}

impl Steps {
    /// The steps of a list, by falling stride.
    fn list(&self, list: u32) -> &[ArrayStep] {
        self.lists.get(list as usize).map_or(&[], |list| list)
    }

    /// A list extended by strides, each with the bytes it may reach.
    fn with_terms(&mut self, list: u32, more: impl Iterator<Item = (u32, Option<u32>)>) -> u32 {
        let step = |(stride, range): (u32, Option<u32>)| {
            let count = range.and_then(|range| range.checked_div(stride)).map(|count| count.max(1));
            ArrayStep { stride, count, loose: false }
        };
        self.with(list, more.map(step))
    }

    /// A list extended by steps.
    fn with(&mut self, list: u32, more: impl Iterator<Item = ArrayStep>) -> u32 {
        self.scratch.clear();
        if let Some(list) = self.lists.get(list as usize) {
            self.scratch.extend_from_slice(list);
        }
        self.scratch.extend(more.filter(|step| step.stride > 0));
        let scratch = &mut self.scratch;
        vitrine_ir::base::sort_by_number(scratch, |step| u64::from(u32::MAX - step.stride));
        // Two steps of one stride become one that covers both.
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
            scratch.push(ArrayStep { stride, count: None, loose: true });
        }
        if scratch.is_empty() {
            return 0;
        }
        if let Some(&known) = self.known.get(scratch.as_slice()) {
            return known;
        }
        let list: Box<[ArrayStep]> = scratch.as_slice().into();
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

/// Memory with a known usage.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Memory {
    /// A variable. For an array of resources: the accesses to any of them.
    Var(Var),
    /// The memory a value refers to, if its origin is unknown: a parameter of a function, a loaded pointer.
    Value(Func, Inst),
}

/// The accesses of all functions of a module through untyped pointers.
pub struct Usage {
    gathered: Gathered,
}

impl Usage {
    /// Analyzes a module, valid or not. Reuses the results in `cx` for unchanged functions.
    pub fn of(module: &Module, cx: &mut Analyses) -> Usage {
        let mut gathered = Gathered::default();
        for (func, _) in module.funcs() {
            let traffic = cx.get::<Traffic>(module, func);
            gathered.add(module, func, &traffic);
        }
        gathered.settle();
        Usage { gathered }
    }

    /// Analyzes a module without a cache, for a single query.
    pub fn once(module: &Module) -> Usage {
        let mut gathered = Gathered::default();
        for (func, body) in module.funcs() {
            gathered.add(module, func, &Traffic::read(module, func, body));
        }
        gathered.settle();
        Usage { gathered }
    }

    /// All memory that pointers were resolved to, in order: variables, and values of unknown origin.
    pub fn memory(&self) -> impl Iterator<Item = Memory> + '_ {
        self.gathered.memory()
    }

    /// The declared type of memory; for an array of resources, that of one resource.
    pub fn declared(module: &Module, of: Memory) -> Option<Type> {
        declared(module, of)
    }

    /// The accesses to some memory, in order of bytes. `O(n log n)` in the number of patterns.
    pub fn tree(&self, module: &Module, of: Memory) -> Tree {
        self.sized(module, of, &mut Sizes::default())
    }

    /// The bytes of some memory that may be read, as ranges (start, end) in order of their start. `None` if
    /// any byte may be read; that includes a step with an unbounded range, since an index may be negative.
    /// Linear in the number of patterns.
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

    /// The instructions that contribute to a part of a tree, with their functions, in order, each once.
    pub fn sites(&self, tree: &Tree, part: Part) -> Vec<(Func, Inst)> {
        self.gathered.sites(tree.patterns(part))
    }

    /// The ranges of a tree in order, each after its array or union, with the names of members.
    pub fn lines(&self, module: &Module, tree: &Tree) -> Vec<Line> {
        describe::lines(module, tree, &mut Sizes::default())
    }

    /// The accesses to some memory as a line of text: `0..4 b32 read "count", 16.. * 32 { … }`.
    pub fn text(&self, module: &Module, of: Memory) -> String {
        self.text_sized(module, of, &mut Sizes::default())
    }

    /// Like [`Usage::text`], for several queries about one version of a module, with a cache of type sizes.
    pub fn text_sized(&self, module: &Module, of: Memory, sizes: &mut Sizes) -> String {
        describe::text(module, &self.sized(module, of, sizes), sizes)
    }

    fn sized(&self, module: &Module, of: Memory, sizes: &mut Sizes) -> Tree {
        Tree::of(module, &self.gathered, of, declared(module, of), sizes)
    }
}

/// The declared type of memory; for a resource, that of its contents.
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
            let mode = data.attrs.word::<Mode>();
            let is_resource = matches!(mode, Some(Mode::Uniform | Mode::Storage | Mode::Handle));
            Some(if is_resource { element_of_resources(module, ty) } else { ty })
        }
    }
}

/// The element type of an array of resources; any other type is returned as it is.
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
