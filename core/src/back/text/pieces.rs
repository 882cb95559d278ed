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
use super::operands::{self, PathRoot, Place};
use crate::base::SideTable;
use crate::ir::{Block, FuncBody, Inst, InstData, Mode, Module};
use crate::ops::attr::unpack_component;
use crate::ops::{BasicOp, Key, MemoryOp, Op, VectorOp};
use rustc_hash::FxHashMap;

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
    values: FxHashMap<Inst, Vec<Piece>>,
    stores: FxHashMap<Inst, PartialStore>,
    /// Values that are part of the text of another instruction.
    absorbed: SideTable<Inst, bool>,
}

/// A component of a value, and the swizzle that selects it.
#[derive(Clone, Copy)]
struct Component {
    source: Inst,
    index: u8,
    by: Option<Inst>,
}

impl Pieces {
    /// Finds them. `is_used_once` is true for a value whose text is used once, in the given block. Linear in the size of
    /// the function.
    pub(super) fn of(
        module: &Module,
        body: &FuncBody,
        blocks: &[Block],
        dialect: Dialect,
        is_used_once: impl Fn(Inst, Block) -> bool,
    ) -> Pieces {
        let mut found = Pieces::default();
        for &block in blocks {
            let mut places = Places::default();
            for (at, &inst) in body.block(block).insts.iter().enumerate() {
                let data = body.inst(inst);
                let once = |value: Inst| is_used_once(value, block);
                if let Some(components) = components(body, data, &places, once) {
                    found.compose(inst, &components);
                }
                if dialect != Dialect::Wgsl
                    && let Some(store) = found.partial_store(module, body, data, &places, once)
                {
                    if let Some(&value) = data.args.get(1) {
                        found.absorbed[value] = true;
                    }
                    found.stores.insert(inst, store);
                }
                places.add(module, body, inst, at);
            }
        }
        found
    }

    /// The pieces of a composed value.
    pub(super) fn value(&self, inst: Inst) -> Option<&[Piece]> {
        self.values.get(&inst).map(Vec::as_slice)
    }

    /// The components that a store writes, if it keeps others.
    pub(super) fn store(&self, inst: Inst) -> Option<&PartialStore> {
        self.stores.get(&inst)
    }

    /// Calls `f` with every number that the text of an instruction contains, as often as it contains it.
    pub(super) fn for_each_number(&self, body: &FuncBody, inst: Inst, mut f: impl FnMut(Inst)) {
        let data = body.inst(inst);
        if self.absorbed[inst] {
            return;
        }
        if let Some(pieces) = self.values.get(&inst) {
            return pieces.iter().for_each(|piece| f(piece.source));
        }
        match self.stores.get(&inst) {
            Some(store) => {
                if let Some(&path) = data.args.first() {
                    operands::for_each_number_of_path(body, path, &mut f);
                }
                store.pieces.iter().for_each(|piece| f(piece.source));
            }
            None => operands::for_each_number(body, data, f),
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
                    by.iter().flatten().for_each(|&swizzle| self.absorbed[swizzle] = true);
                    out.push(piece);
                }
            }
        }
        self.values.insert(inst, out);
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
        let pieces = self.values.get(&value).filter(|_| once(value))?;
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

/// The positions of a block, up to the current instruction.
#[derive(Default)]
struct Places {
    seen: FxHashMap<Inst, usize>,
    writes: FxHashMap<Place, usize>,
    orders: usize,
}

impl Places {
    fn add(&mut self, module: &Module, body: &FuncBody, inst: Inst, at: usize) {
        let effects = operands::effects(module, body, body.inst(inst));
        self.seen.insert(inst, at);
        for place in effects.writes {
            self.writes.insert(place, at);
        }
        if effects.orders {
            self.orders = at;
        }
    }

    fn is_seen(&self, inst: Inst) -> bool {
        self.seen.contains_key(&inst)
    }

    /// Returns true if a place holds what a load of this block read from it.
    fn holds(&self, load: Inst, place: Place) -> bool {
        self.seen.get(&load).is_some_and(|&at| {
            self.writes.get(&place).is_none_or(|&write| write < at) && (self.orders == 0 || self.orders < at)
        })
    }
}
