//! Arrangement of patterns: disjoint byte ranges, repeated ranges, and unions of overlapping ranges.
//!
//! ```text
//! 16 + i * 32: b32x3        16.. * 32 {
//! 28 + i * 32: b32     =>     0..12 b32x3
//! 48: b32x3                   12..16 b32        the constant one belongs to it: (48 - 16) mod 32 = 0
//! 0: b32                    }                   and 0..4 b32 before it
//! ```
//!
//! Overlapping patterns are arranged together: the largest stride comes first, and patterns that fit between
//! two of its multiples, including constant ones, become its element. The others become members of a union.
//! An array starts where the declared type has an array of that stride; otherwise at its first access.

use super::gather::Gathered;
use super::{ArrayStep, Cell, How, Memory, gcd};
use vitrine_ir::base::{EntityId, entity};
use vitrine_ir::layout::{Sizes, scalar_bytes};
use vitrine_ir::ops::{ValueType, Width};
use vitrine_ir::{Len, Module, Type, TypeData};

entity! {
    /// A part of a [`Tree`].
    pub struct Part = '/';
}

/// Maximum number of members of a union, before the rest is not distinguished.
const MOST_LAYERS: usize = 16;

/// Larger than any memory.
const END: i64 = i64::MAX / 4;

/// The accesses to some memory, by bytes.
#[derive(Clone, Debug, Default)]
pub struct Tree {
    parts: Vec<PartData>,
    /// The declared type of the memory.
    pub(super) declared: Option<Type>,
}

/// Some bytes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PartData {
    /// The accesses to them.
    pub kind: PartKind,
    /// Their number; `None` for all that follow.
    pub bytes: Option<u64>,
    patterns: Vec<u32>,
}

/// The accesses to some bytes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum PartKind {
    /// A value is accessed as a whole.
    Value(ValueType, How),
    /// Bytes are copied.
    Bytes(How),
    /// Memory of exactly this type is required.
    Typed(Type, How),
    /// Disjoint ranges, in order, with their starts. Empty if there is no access.
    Fields(Vec<(i64, Part)>),
    /// An array.
    Repeat {
        /// Bytes from one element to the next.
        stride: u32,
        /// The number of elements, if it is known.
        count: Option<u32>,
        /// The accesses to one element, relative to its start. An element may be longer than the stride.
        element: Part,
    },
    /// Overlapping accesses of different types, with their starts.
    Union(Vec<(i64, Part)>),
    /// Any byte may be accessed.
    Anywhere(How),
}

/// A pattern, relative to the part it belongs to.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Item {
    offset: i64,
    /// A list of steps, and how many of them are accounted for.
    steps: (u32, u8),
    cell: Cell,
    how: How,
    pattern: u32,
}

/// A position in a declared type.
type Declared = Option<(Type, i64)>;

/// Items of a part to be arranged.
struct Work {
    part: Part,
    items: Vec<Item>,
    declared: Declared,
}

/// A member of a union.
struct Layer {
    start: i64,
    kind: PartKind,
    bytes: Option<u64>,
    items: Vec<Item>,
}

/// A declared array.
struct Row {
    start: i64,
    count: Option<u32>,
    of: Type,
}

impl Tree {
    /// The part that contains all others: always [`PartKind::Fields`], or a union with accesses anywhere.
    pub fn root(&self) -> Part {
        Part::from_index(0)
    }

    /// A part.
    pub fn part(&self, part: Part) -> Option<&PartData> {
        self.parts.get(part.index())
    }

    /// The declared type of the memory; for a resource, that of its contents.
    pub fn declared(&self) -> Option<Type> {
        self.declared
    }

    /// Returns true if there is no access.
    pub fn is_unused(&self) -> bool {
        matches!(self.part(self.root()).map(|root| &root.kind), Some(PartKind::Fields(list)) if list.is_empty())
    }

    /// The patterns of a part and of all its inner parts.
    pub(super) fn patterns(&self, part: Part) -> &[u32] {
        self.part(part).map_or(&[], |data| &data.patterns)
    }

    pub(super) fn of(
        module: &Module,
        gathered: &Gathered,
        of: Memory,
        declared: Option<Type>,
        sizes: &mut Sizes,
    ) -> Tree {
        let mut builder =
            Builder { module, gathered, sizes, tree: Tree { parts: Vec::new(), declared }, work: Vec::new() };
        let patterns = gathered.patterns(of);
        let is_lost = |cell: Cell| cell == Cell::Anywhere;
        let (mut lost, mut lost_how) = (Vec::new(), How::NONE);
        let mut items = Vec::with_capacity(patterns.len());
        for (pattern, number) in patterns {
            if is_lost(pattern.cell) {
                lost.push(number);
                lost_how = lost_how.and(pattern.how);
                continue;
            }
            items.push(Item {
                offset: pattern.offset,
                steps: (pattern.steps, 0),
                cell: pattern.cell,
                how: pattern.how,
                pattern: number,
            });
        }
        let root = builder.part(&items);
        let declared = declared.map(|ty| (ty, 0));
        if lost.is_empty() {
            builder.work.push(Work { part: root, items, declared });
        } else {
            let anywhere = builder.part(&[]);
            builder.set(anywhere, PartKind::Anywhere(lost_how), None);
            let mut layers = vec![(0, anywhere)];
            if !items.is_empty() {
                let rest = builder.part(&items);
                layers.push((0, rest));
                builder.work.push(Work { part: rest, items, declared });
            }
            builder.set(root, PartKind::Union(layers), None);
            for part in [root, anywhere] {
                if let Some(data) = builder.tree.parts.get_mut(part.index()) {
                    data.patterns.extend(&lost);
                }
            }
        }
        while let Some(work) = builder.work.pop() {
            builder.ranges(work);
        }
        builder.tree
    }
}

struct Builder<'a> {
    module: &'a Module,
    gathered: &'a Gathered,
    sizes: &'a mut Sizes,
    tree: Tree,
    work: Vec<Work>,
}

impl<'a> Builder<'a> {
    /// A part with these items, not yet arranged.
    fn part(&mut self, items: &[Item]) -> Part {
        let part = Part::from_index(self.tree.parts.len());
        let patterns = items.iter().map(|item| item.pattern).collect();
        self.tree.parts.push(PartData { kind: PartKind::Fields(Vec::new()), bytes: Some(0), patterns });
        part
    }

    fn set(&mut self, part: Part, kind: PartKind, bytes: Option<u64>) {
        if let Some(data) = self.tree.parts.get_mut(part.index()) {
            data.kind = kind;
            data.bytes = bytes;
        }
    }

    fn steps(&self, item: &Item) -> &'a [ArrayStep] {
        self.gathered.steps.list(item.steps.0).get(usize::from(item.steps.1)..).unwrap_or(&[])
    }

    /// Bytes of one access; `None` for all that follow.
    fn bytes(&mut self, cell: Cell) -> Option<u64> {
        match cell {
            Cell::Value(ty) => Some(value_bytes(ty)),
            Cell::Typed(ty) => {
                has_length(self.module, ty).then(|| self.sizes.of(self.module, self.module, ty).bytes)
            }
            Cell::Bytes(bytes) => bytes.map(u64::from),
            Cell::Anywhere => None,
        }
    }

    /// Distance from the start of the first possible access to the end of the last.
    fn reach(&mut self, item: &Item) -> i64 {
        let Some(bytes) = self.bytes(item.cell) else { return END };
        let mut reach = i64::try_from(bytes).unwrap_or(END);
        for step in self.steps(item) {
            let Some(count) = step.count else { return END };
            reach = reach.saturating_add(i64::from(step.stride).saturating_mul(i64::from(count) - 1));
        }
        reach.min(END)
    }

    /// The bytes an item may access, including its outermost declared array.
    fn span(&mut self, item: &Item, declared: Declared) -> (i64, i64) {
        let reach = self.reach(item);
        let own = (item.offset, item.offset.saturating_add(reach).min(END));
        let Some(step) = self.steps(item).first().filter(|step| !step.loose) else { return own };
        let Some(row) = self.row(declared, item.offset, step.stride) else { return own };
        let bytes = |count: u32| i64::from(count).saturating_mul(i64::from(step.stride));
        let end = match (step.count, row.count) {
            (None, Some(count)) => row.start.saturating_add(bytes(count)),
            (Some(_), _) | (None, None) => own.1,
        };
        (own.0.min(row.start), end.max(own.0))
    }

    /// The declared array of this stride that contains a byte.
    fn row(&mut self, declared: Declared, at: i64, stride: u32) -> Option<Row> {
        let (ty, shift) = declared?;
        let wanted = u64::try_from(at.checked_add(shift)?).ok()?;
        let row = array_at(self.module, self.sizes, ty, wanted, u64::from(stride))?;
        Some(Row { start: i64::try_from(row.1).ok()? - shift, count: row.2, of: row.0 })
    }

    /// Splits items into disjoint ranges.
    fn ranges(&mut self, work: Work) {
        let Work { part, items, declared } = work;
        let mut spans = Vec::with_capacity(items.len());
        for (at, item) in items.iter().enumerate() {
            spans.push((self.span(item, declared), at));
        }
        spans.sort_unstable();
        let mut fields = Vec::with_capacity(items.len());
        let mut at = 0;
        let mut end_of_all = 0i64;
        while let Some(&((start, mut end), first)) = spans.get(at) {
            // Most accesses overlap no others and are the only ones of their bytes.
            let alone = spans.get(at + 1).is_none_or(|&((from, _), _)| from >= end && from > start);
            if let Some(item) = items.get(first).filter(|item| alone && self.steps(item).is_empty()) {
                let field = self.part(std::slice::from_ref(item));
                let bytes = self.bytes(item.cell);
                self.set(field, leaf(item.cell, item.how), bytes);
                fields.push((start, field));
                (at, end_of_all) = (at + 1, end);
                continue;
            }
            let mut cluster = Vec::new();
            while let Some(&((from, to), item)) = spans.get(at) {
                // Two empty ranges at one offset are equal.
                if from >= end && from > start {
                    break;
                }
                end = end.max(to);
                cluster.extend(items.get(item).map(|item| Item { offset: item.offset - start, ..*item }));
                at += 1;
            }
            let field = self.part(&cluster);
            let inner = declared.and_then(|(ty, shift)| Some((ty, shift.checked_add(start)?)));
            self.layers(Work { part: field, items: cluster, declared: inner }, end - start);
            fields.push((start, field));
            end_of_all = end;
        }
        let bytes = if end_of_all >= END { None } else { u64::try_from(end_of_all).ok() };
        self.set(part, PartKind::Fields(fields), bytes);
    }

    /// Splits overlapping items into the members of a union.
    fn layers(&mut self, work: Work, bytes: i64) {
        let Work { part, items: mut rest, declared } = work;
        // Most bytes are accessed with one type only.
        if let Some((cell, how)) = self.only(&rest) {
            let bytes = self.bytes(cell);
            return self.set(part, leaf(cell, how), bytes);
        }
        let mut layers: Vec<Layer> = Vec::new();
        while let Some(stride) = rest.iter().filter_map(|item| Some(self.steps(item).first()?.stride)).max() {
            if layers.len() >= MOST_LAYERS {
                let how = rest.iter().fold(How::NONE, |how, item| how.and(item.how));
                let items = std::mem::take(&mut rest);
                layers.push(Layer { start: 0, kind: PartKind::Anywhere(how), bytes: None, items });
                break;
            }
            let (layer, left) = self.repeated(rest, stride, declared);
            layers.push(layer);
            rest = left;
        }
        rest.sort_by_key(|item| (item.offset, item.cell));
        while let Some(first) = rest.first().copied() {
            let count =
                rest.iter().take_while(|item| (item.offset, item.cell) == (first.offset, first.cell)).count();
            let same: Vec<Item> = rest.drain(..count).collect();
            let how = same.iter().fold(How::NONE, |how, item| how.and(item.how));
            let kind = leaf(first.cell, how);
            let bytes = self.bytes(first.cell);
            layers.push(Layer { start: first.offset, kind, bytes, items: same });
        }
        if let [Layer { start: 0, .. }] = layers[..]
            && let Some(only) = layers.pop()
        {
            self.set(part, only.kind, only.bytes);
            return;
        }
        let parts = layers.into_iter().map(|Layer { start, kind, bytes, items }| {
            let layer = self.part(&items);
            self.set(layer, kind, bytes);
            (start, layer)
        });
        let parts = parts.collect();
        let bytes = if bytes >= END { None } else { u64::try_from(bytes).ok() };
        self.set(part, PartKind::Union(parts), bytes);
    }

    /// The only type with which the items access the bytes from the start, without a step, and the kinds of
    /// access.
    fn only(&self, items: &[Item]) -> Option<(Cell, How)> {
        let first = items.first()?;
        let is_it = |item: &Item| item.offset == 0 && item.cell == first.cell && self.steps(item).is_empty();
        let how = items.iter().fold(How::NONE, |how, item| how.and(item.how));
        items.iter().all(is_it).then_some((first.cell, how))
    }

    /// The items that repeat with a stride as an array, and the items that do not fit.
    fn repeated(&mut self, items: Vec<Item>, stride: u32, declared: Declared) -> (Layer, Vec<Item>) {
        if let Some(done) = self.by_outermost(&items, stride, declared) {
            return done;
        }
        // Arrays of different strides over the same bytes: all strides are multiples of one.
        let all = items.iter().flat_map(|item| self.steps(item)).fold(0, |all, step| gcd(all, step.stride));
        let stripped = |item: &Item| Item { steps: (0, 0), ..*item };
        let start = items.iter().map(|item| item.offset).min().unwrap_or(0);
        let fits = items.iter().all(|item| self.rest_fits(&stripped(item), start, all));
        if fits {
            let count = self.count_of(&items, start, all);
            let inside = items.iter().map(|item| folded(stripped(item), start, all)).collect();
            let row = self.row(declared, start, all).filter(|row| row.start == start);
            let kind = self.repeat(inside, all, count, row);
            return (Layer { start, kind, bytes: bytes_of(all, count), items }, Vec::new());
        }
        // The first of the items that repeat on their own, with overlapping elements.
        let mut left = items;
        let of = |item: &Item, steps: &[ArrayStep]| {
            steps.first().is_some_and(|step| step.stride == stride).then_some((
                item.offset,
                item.steps,
                item.cell,
            ))
        };
        let first = left.iter().find_map(|item| of(item, self.steps(item)));
        let mine: Vec<Item> =
            left.iter().filter(|item| Some((item.offset, item.steps, item.cell)) == first).copied().collect();
        left.retain(|item| Some((item.offset, item.steps, item.cell)) != first);
        let start = first.map_or(0, |first| first.0);
        let count = mine.first().and_then(|item| self.steps(item).first()?.count);
        let inside: Vec<Item> = mine.iter().map(|item| Item { offset: 0, ..next(item) }).collect();
        let reach = inside.first().map_or(END, |item| self.reach(item));
        let bytes = count.and_then(|count| {
            let before = i64::from(stride).checked_mul(i64::from(count) - 1)?;
            u64::try_from(before.checked_add(reach)?).ok()
        });
        let kind = self.repeat(inside, stride, count, None);
        (Layer { start, kind, bytes: bytes.filter(|_| reach < END), items: mine }, left)
    }

    /// Elements between multiples of the largest stride; `None` if no item with that stride fits, or if a
    /// smaller stride covers all.
    fn by_outermost(
        &mut self,
        items: &[Item],
        stride: u32,
        declared: Declared,
    ) -> Option<(Layer, Vec<Item>)> {
        let steps_so = |steps: &[ArrayStep]| steps.first().is_some_and(|step| step.stride == stride);
        let mut start = i64::MAX;
        let mut of = None;
        for item in items {
            let Some(step) = self.steps(item).first().filter(|step| step.stride == stride) else { continue };
            let row = if step.loose { None } else { self.row(declared, item.offset, stride) };
            let own = row.as_ref().map_or(item.offset, |row| row.start.min(item.offset));
            if own < start {
                (start, of) = (own, row.filter(|row| row.start == own));
            }
        }
        let count = self.count_of_outermost(items, start, stride, of.as_ref());
        let (mut mine, mut left, mut steps_in) = (Vec::new(), Vec::new(), false);
        for item in items {
            let outer = steps_so(self.steps(item));
            let inner = if outer { next(item) } else { *item };
            let index = (item.offset - start).div_euclid(i64::from(stride));
            let there = outer || (index >= 0 && count.is_none_or(|count| index < i64::from(count)));
            if there && self.rest_fits(&inner, start, stride) {
                steps_in |= outer;
                mine.push((*item, folded(inner, start, stride)));
            } else {
                left.push(*item);
            }
        }
        // Other arrays among the rest may fit better together with these.
        let is_row = |item: &Item| !self.steps(item).is_empty();
        if !steps_in || left.iter().any(is_row) && self.all_fit_together(items) {
            return None;
        }
        let (mine, inside): (Vec<Item>, Vec<Item>) = mine.into_iter().unzip();
        let kind = self.repeat(inside, stride, count, of);
        Some((Layer { start, kind, bytes: bytes_of(stride, count), items: mine }, left))
    }

    /// Returns true if all items fit between the multiples of the greatest common divisor of their strides.
    fn all_fit_together(&mut self, items: &[Item]) -> bool {
        let all = items.iter().flat_map(|item| self.steps(item)).fold(0, |all, step| gcd(all, step.stride));
        let start = items.iter().map(|item| item.offset).min().unwrap_or(0);
        items.iter().all(|item| self.rest_fits(&Item { steps: (0, 0), ..*item }, start, all))
    }

    /// A repeated part, whose element is arranged later.
    fn repeat(&mut self, inside: Vec<Item>, stride: u32, count: Option<u32>, row: Option<Row>) -> PartKind {
        let element = self.part(&inside);
        let declared = row.map(|row| (row.of, 0));
        self.work.push(Work { part: element, items: inside, declared });
        PartKind::Repeat { stride, count, element }
    }

    /// Returns true if the rest of an item fits between two multiples of a stride.
    fn rest_fits(&mut self, item: &Item, start: i64, stride: u32) -> bool {
        let stride = i64::from(stride.max(1));
        let rest = (item.offset - start).rem_euclid(stride);
        rest.saturating_add(self.reach(item)) <= stride
    }

    /// The number of elements from `start`: the maximum over the items with that stride.
    fn count_of_outermost(&self, items: &[Item], start: i64, stride: u32, row: Option<&Row>) -> Option<u32> {
        let mut most = 0u32;
        for item in items {
            let Some(step) = self.steps(item).first().filter(|step| step.stride == stride) else { continue };
            let before = (item.offset - start).div_euclid(i64::from(stride));
            let count = match (step.count, step.loose) {
                (Some(count), _) => u32::try_from(before).ok()?.checked_add(count)?,
                (None, true) => return None,
                (None, false) => row.and_then(|row| row.count)?,
            };
            most = most.max(count);
        }
        Some(most)
    }

    /// The same for all steps at once.
    fn count_of(&mut self, items: &[Item], start: i64, stride: u32) -> Option<u32> {
        let mut end = 0;
        for item in items {
            let reach = self.reach(item);
            if reach >= END {
                return None;
            }
            end = end.max(item.offset - start + reach);
        }
        u32::try_from(end.checked_add(i64::from(stride) - 1)? / i64::from(stride.max(1))).ok()
    }
}

/// The accesses to bytes of one type.
fn leaf(cell: Cell, how: How) -> PartKind {
    match cell {
        Cell::Value(ty) => PartKind::Value(ty, how),
        Cell::Typed(ty) => PartKind::Typed(ty, how),
        Cell::Bytes(_) => PartKind::Bytes(how),
        Cell::Anywhere => PartKind::Anywhere(how),
    }
}

/// An item without its outermost step.
fn next(item: &Item) -> Item {
    Item { steps: (item.steps.0, item.steps.1.saturating_add(1)), ..*item }
}

/// An item relative to the first element.
fn folded(item: Item, start: i64, stride: u32) -> Item {
    Item { offset: (item.offset - start).rem_euclid(i64::from(stride.max(1))), ..item }
}

fn bytes_of(stride: u32, count: Option<u32>) -> Option<u64> {
    count.map(|count| u64::from(stride) * u64::from(count))
}

/// Bytes of a value in memory.
pub(super) fn value_bytes(ty: ValueType) -> u64 {
    match ty {
        ValueType::Void => 0,
        ValueType::Bits { width, components } => scalar_bytes(width) * u64::from(components),
        ValueType::Path | ValueType::Ptr | ValueType::Handle => scalar_bytes(Width::W64),
    }
}

/// Returns true if all arrays of a type have a length that is known before the program runs.
fn has_length(module: &Module, ty: Type) -> bool {
    let mut seen = rustc_hash::FxHashSet::default();
    let mut work = vec![ty];
    while let Some(ty) = work.pop() {
        if !seen.insert(ty) {
            continue;
        }
        match *module.type_of(ty) {
            TypeData::RuntimeArray { .. } | TypeData::Array { len: Len::Global(_), .. } => return false,
            TypeData::Struct(structure) => {
                let members = module.structure(structure).map(|data| data.members.clone());
                work.extend(members.iter().flat_map(|members| members.iter()).map(|member| member.ty));
            }
            _ => work.extend(module.element_type(ty)),
        }
    }
    true
}

/// The member of a structure that contains a byte: its number, its start, its type.
pub(super) fn member_at(
    module: &Module,
    sizes: &mut Sizes,
    structure: vitrine_ir::Struct,
    at: u64,
) -> Option<(usize, u64, Type)> {
    let offsets = sizes.offsets(module, module, structure);
    let members = module.structure(structure)?.members.clone();
    let before = offsets.iter().zip(members.iter()).enumerate().filter(|(_, (offset, _))| **offset <= at);
    // Of members at one offset, the first in declaration order.
    let (number, (&start, member)) =
        before.max_by_key(|&(number, (&offset, _))| (offset, usize::MAX - number))?;
    Some((number, start, member.ty))
}

/// The array, matrix or vector of this stride that contains a byte: its element, its start, its length.
pub(super) fn array_at(
    module: &Module,
    sizes: &mut Sizes,
    ty: Type,
    at: u64,
    stride: u64,
) -> Option<(Type, u64, Option<u32>)> {
    let (mut ty, mut at, mut start) = (ty, at, 0u64);
    // The nesting depth of types is less than their number.
    for _ in 0..=module.sizes()[0] {
        if let TypeData::Struct(structure) = *module.type_of(ty) {
            let (_, offset, member) = member_at(module, sizes, structure, at)?;
            (ty, at, start) = (member, at - offset, start.checked_add(offset)?);
            continue;
        }
        if matches!(module.type_of(ty), TypeData::Matrix { row_major: true, .. }) {
            return None;
        }
        let of = module.element_type(ty)?;
        let own = sizes.stride(module, module, ty);
        if own == stride {
            return Some((of, start, module.element_count(ty)));
        }
        let index = at.checked_div(own)?;
        (ty, at, start) = (of, at - index * own, start.checked_add(index * own)?);
    }
    None
}
