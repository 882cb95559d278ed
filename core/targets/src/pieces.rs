//! Values that are composed of components of others: which components are written together.
//!
//! ```text
//! %3 = swizzle %1.x   %4 = swizzle %1.y   %5 = vec %3, %4, %2         vec3(v1.xy, v2)
//! %2 = load $a        %3 = shuffle %2, %1 {ayzd}    store $a, %3      a.xw = v1.xy
//! ```
//!
//! Consecutive components of one value are one piece. A swizzle with a single use in the same block, which is a composed
//! value, is part of that value's text. A store of a value that keeps some components of the variable writes the others
//! only, in languages that can assign to several components: the variable must not change between its load and the store.
//!
//! Looks at single blocks. Changes nothing in the program; the plan counts uses by it, and `values` and `memory` write by
//! it.

use super::dialect::Dialect;
use super::operands::{self, AllEffects, Effects, Numbers, PathRoot, Place};
use rustc_hash::FxHashMap;
use vitrine_ir::base::SideTable;
use vitrine_ir::ops::attr::unpack_component;
use vitrine_ir::ops::{BasicOp, Key, MemoryOp, Op, VectorOp};
use vitrine_ir::{Block, FuncBody, Inst, InstData, Mode, Module};

/// The most components of a vector that is written in pieces; others are not numbers of a text language.
const MOST_COMPONENTS: u8 = 4;

/// Components of a value, in the order in which they are written.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Piece {
    pub(super) source: Inst,
    pub(super) components: Vec<u8>,
}

/// A store of some components.
#[derive(Clone, Debug)]
pub(super) struct PartialStore {
    /// The components that it writes.
    pub(super) components: Vec<u8>,
    /// Their values.
    pub(super) pieces: Vec<Piece>,
}

/// The composed values of a function.
#[derive(Debug, Default)]
pub(super) struct Pieces {
    entries: SideTable<Inst, Entry>,
    values: Vec<Vec<Piece>>,
    stores: Vec<PartialStore>,
}

/// The part of an instruction in composed values.
#[derive(Clone, Copy, Default, Debug)]
struct Entry {
    /// It is part of the text of another instruction.
    is_absorbed: bool,
    composed: Composed,
}

/// An instruction that is written in pieces, by its number in a list.
#[derive(Clone, Copy, Default, Debug)]
enum Composed {
    #[default]
    None,
    Value(u32),
    Store(u32),
}

/// A component of a value, and the swizzle that selects it.
#[derive(Clone, Copy)]
struct Component {
    source: Inst,
    index: u8,
    by: Option<Inst>,
}

impl Pieces {
    /// Returns true if a function may have composed values.
    pub(super) fn may_be_in(body: &FuncBody, blocks: &[Block]) -> bool {
        blocks.iter().any(|&block| composes(body, block))
    }

    /// Finds them. `is_used_once` is true for a value whose text is used once, in the given block. Linear in the size of
    /// the function.
    pub(super) fn of(
        module: &Module,
        body: &FuncBody,
        blocks: &[Block],
        dialect: &dyn Dialect,
        effects: &AllEffects,
        is_used_once: impl Fn(Inst, Block) -> bool,
    ) -> Pieces {
        let mut found = Pieces::default();
        let size = body.tables().insts.len();
        found.entries = SideTable::sized(Entry::default(), size);
        let mut places = Places { seen: SideTable::sized(0, size), ..Places::default() };
        // A value and what it is composed of are in one block.
        for &block in blocks.iter().filter(|&&block| composes(body, block)) {
            places.enter();
            for &inst in body.block(block).insts.iter() {
                let data = body.inst(inst);
                let once = |value: Inst| is_used_once(value, block);
                if let Some(components) = components(body, data, &places, once) {
                    found.compose(inst, &components);
                }
                if dialect.assigns_components()
                    && let Some(store) = found.partial_store(module, body, data, &places, once)
                {
                    if let Some(&value) = data.args.get(1) {
                        found.entries[value].is_absorbed = true;
                    }
                    found.entries[inst].composed = Composed::Store(found.stores.len() as u32);
                    found.stores.push(store);
                }
                places.add(effects.get(inst), inst);
            }
        }
        found
    }

    /// The pieces of a composed value.
    pub(super) fn value(&self, inst: Inst) -> Option<&[Piece]> {
        match self.entries[inst].composed {
            Composed::Value(at) => self.values.get(at as usize).map(Vec::as_slice),
            Composed::Store(_) | Composed::None => None,
        }
    }

    /// The components that a store writes, if it keeps others.
    pub(super) fn store(&self, inst: Inst) -> Option<&PartialStore> {
        match self.entries[inst].composed {
            Composed::Store(at) => self.stores.get(at as usize),
            Composed::Value(_) | Composed::None => None,
        }
    }

    /// Calls `f` with every number that the text of an instruction contains, as often as it contains it.
    pub(super) fn for_each_number(
        &self,
        body: &FuncBody,
        numbers: &Numbers,
        inst: Inst,
        mut f: impl FnMut(Inst),
    ) {
        let Entry { is_absorbed, composed } = self.entries[inst];
        if is_absorbed {
            return;
        }
        match composed {
            Composed::None => numbers.get(inst).iter().for_each(|&number| f(number)),
            Composed::Value(_) => self.value(inst).into_iter().flatten().for_each(|piece| f(piece.source)),
            Composed::Store(_) => {
                if let Some(&path) = body.inst(inst).args.first() {
                    operands::for_each_number_of_path(body, path, &mut f);
                }
                let store = self.store(inst);
                store.into_iter().flat_map(|store| &store.pieces).for_each(|piece| f(piece.source));
            }
        }
    }

    fn compose(&mut self, inst: Inst, components: &[Component]) {
        let mut pieces: Vec<(Piece, Vec<Option<Inst>>)> = Vec::new();
        for component in components {
            match pieces.last_mut() {
                Some((piece, by)) if piece.source == component.source => {
                    piece.components.push(component.index);
                    by.push(component.by);
                }
                _ => {
                    let piece = Piece { source: component.source, components: vec![component.index] };
                    pieces.push((piece, vec![component.by]));
                }
            }
        }
        let mut out = Vec::with_capacity(pieces.len());
        for (piece, by) in pieces {
            match by[..] {
                // A swizzle alone is written as itself.
                [Some(swizzle)] => out.push(Piece { source: swizzle, components: vec![0] }),
                _ => {
                    by.iter().flatten().for_each(|&swizzle| self.entries[swizzle].is_absorbed = true);
                    out.push(piece);
                }
            }
        }
        self.entries[inst].composed = Composed::Value(self.values.len() as u32);
        self.values.push(out);
    }

    /// The parts of a store whose value keeps components of the variable.
    fn partial_store(
        &self,
        module: &Module,
        body: &FuncBody,
        data: &InstData,
        places: &Places,
        once: impl Fn(Inst) -> bool,
    ) -> Option<PartialStore> {
        if data.op != Op::Memory(MemoryOp::Store) || has_limits(data) {
            return None;
        }
        let &[path, value] = &data.args[..] else { return None };
        let pieces = self.value(value).filter(|_| once(value))?;
        let root = operands::root(body, path)?;
        let PathRoot::Var(var) = root else { return None };
        let mode = module.var(var)?.mode;
        if !matches!(mode, Mode::Private | Mode::Local | Mode::Out | Mode::Shared) {
            return None;
        }
        let is_kept = |source: Inst| {
            let load = body.inst(source);
            load.op == Op::Memory(MemoryOp::Load)
                && !has_limits(load)
                && load.args.first().is_some_and(|&from| operands::is_same_path(body, from, path))
                && places.holds(source, Place::Var(var))
        };
        let (mut components, mut rest) = (Vec::new(), Vec::<Piece>::new());
        let mut at = 0u8;
        for piece in pieces {
            let (source, selected) = selected(body, piece);
            let kept = is_kept(source);
            for (&own, &component) in piece.components.iter().zip(&selected) {
                if !kept || component != at {
                    components.push(at);
                    match rest.last_mut() {
                        Some(last) if last.source == piece.source => last.components.push(own),
                        _ => rest.push(Piece { source: piece.source, components: vec![own] }),
                    }
                }
                at += 1;
            }
        }
        let is_partial = !components.is_empty() && components.len() < usize::from(at);
        is_partial.then_some(PartialStore { components, pieces: rest })
    }
}

/// The value and the components of it that a piece is, seen through a swizzle.
fn selected(body: &FuncBody, piece: &Piece) -> (Inst, Vec<u8>) {
    let data = body.inst(piece.source);
    match (data.op, data.args.first()) {
        (Op::Vector(VectorOp::Swizzle), Some(&source)) => {
            let packed = data.attrs.get(Key::Components).unwrap_or(0);
            let own = |&at: &u8| unpack_component(packed, usize::from(at));
            (source, piece.components.iter().map(own).collect())
        }
        _ => (piece.source, piece.components.clone()),
    }
}

/// Returns true for an access that is not a plain one of all components.
fn has_limits(data: &InstData) -> bool {
    data.attrs.has(Key::Mask) || data.attrs.has(Key::Access)
}

/// The components of a composed value.
fn components(
    body: &FuncBody,
    data: &InstData,
    places: &Places,
    once: impl Fn(Inst) -> bool,
) -> Option<Vec<Component>> {
    let count = data.ty.components();
    if count > MOST_COMPONENTS {
        return None;
    }
    match (data.op, &data.args[..]) {
        (Op::Vector(VectorOp::Shuffle), &[a, b]) => {
            let split = body.ty(a).components();
            let packed = data.attrs.get(Key::Components)?;
            let component = |at: usize| match unpack_component(packed, at) {
                index if index >= split => Component { source: b, index: index - split, by: None },
                index => Component { source: a, index, by: None },
            };
            Some((0..usize::from(count)).map(component).collect())
        }
        (Op::Vector(VectorOp::Vec), args) if args.len() == usize::from(count) => {
            let component = |&arg: &Inst| {
                absorbable(body, places, arg, &once).unwrap_or(Component { source: arg, index: 0, by: None })
            };
            Some(args.iter().map(component).collect())
        }
        _ => None,
    }
}

/// The component that a swizzle selects, if it can be part of the text of its use.
fn absorbable(body: &FuncBody, places: &Places, arg: Inst, once: impl Fn(Inst) -> bool) -> Option<Component> {
    let data = body.inst(arg);
    if data.op != Op::Vector(VectorOp::Swizzle) || data.ty.components() != 1 || !once(arg) {
        return None;
    }
    let &source = data.args.first()?;
    let from = body.inst(source);
    // Components of constants are constants. A register is read where the swizzle is.
    let is_fixed = body.const_of(source).is_none() && !matches!(from.op, Op::Reg(_));
    let is_vector = (2..=MOST_COMPONENTS).contains(&from.ty.components());
    if !is_fixed || !is_vector || from.op == Op::Basic(BasicOp::Undef) || !places.is_seen(arg) {
        return None;
    }
    let index = unpack_component(data.attrs.get(Key::Components)?, 0);
    Some(Component { source, index, by: Some(arg) })
}

/// Returns true if a block has an operation that composes values.
fn composes(body: &FuncBody, block: Block) -> bool {
    let is_one = |&inst: &Inst| matches!(body.inst(inst).op, Op::Vector(VectorOp::Vec | VectorOp::Shuffle));
    body.block(block).insts.iter().any(is_one)
}

/// The positions of a block, up to the current instruction. They go on from block to block, so that those of the blocks
/// before are known by their number.
#[derive(Default)]
struct Places {
    /// The position before the first one of the block.
    start: usize,
    now: usize,
    /// The position of each instruction; 0 for none.
    seen: SideTable<Inst, usize>,
    writes: FxHashMap<Place, usize>,
    orders: usize,
}

impl Places {
    /// Begins a block.
    fn enter(&mut self) {
        self.start = self.now;
    }

    fn add(&mut self, effects: &Effects, inst: Inst) {
        self.now += 1;
        self.seen[inst] = self.now;
        for place in effects.writes.iter() {
            self.writes.insert(place, self.now);
        }
        if effects.orders {
            self.orders = self.now;
        }
    }

    fn is_seen(&self, inst: Inst) -> bool {
        self.seen[inst] > self.start
    }

    /// Returns true if a place holds what a load of this block read from it.
    fn holds(&self, load: Inst, place: Place) -> bool {
        let at = self.seen[load];
        self.is_seen(load) && self.orders < at && self.writes.get(&place).is_none_or(|&write| write < at)
    }
}
