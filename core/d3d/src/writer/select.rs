//! Values of the program as components of registers, and operands made of them.
//!
//! A value is a list of components, each of which is somewhere: in a temporary, in a register, or a literal. Swizzles,
//! vectors and conversions between numbers are lists made of other lists and take no instruction. An operand whose
//! components are in one register is a swizzle of it; others are copied to a temporary first, and [`super::coalesce`]
//! removes the copies that are not needed.
//!
//! Numbers: floats are themselves, integers are floats with the same value, booleans are 1.0 and 0.0.

use super::code::{Code, Model, Place, Profile, Reading, Source, Target, Temp, TempData};
use super::interface::Interface;
use crate::sm1::{File, Op as Sm1, Register};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use std::rc::Rc;
use vitrine_analysis::{Analyses, Cfg, Divergence, Range, TypeHint, Types};
use vitrine_interp::{ConstValue, Consts};
use vitrine_ir::ops::{BasicOp, Bits, Builtin, Key, Op, ValueType, Width};
use vitrine_ir::{Anchor, Block, Diag, Func, FuncBody, Help, Inst, Module, NodeKind, Terminator, Var};

/// A component of a value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Comp {
    /// Any value.
    Undef,
    /// A float, by its bits.
    Literal(u32),
    /// A component of a register, with source modifiers.
    At { place: Place, component: u8, negated: bool, absolute: bool },
}

/// The components of a value.
pub(super) type Comps = Vec<Comp>;

/// The number that bits stand for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Class {
    Float,
    Int,
    Bool,
}

/// A comparison that is written at its use.
#[derive(Clone, Debug)]
pub(super) struct Compare {
    /// An index into [`crate::sm1::COMPARISONS`].
    pub control: u8,
    pub left: Comps,
    pub right: Comps,
}

/// An output: its variable, its location, its system value.
pub(super) type OutputKey = (Var, u32, Option<Builtin>);

/// The largest magnitude up to which floats represent every integer.
const MAX_EXACT: i64 = 1 << 24;

/// Translates the instructions of a function.
pub(super) struct Selector<'m> {
    pub module: &'m Module,
    pub func: Func,
    pub body: &'m FuncBody,
    pub types: Rc<Types>,
    pub range: Rc<Range>,
    pub divergence: Rc<Divergence>,
    pub cfg: Rc<Cfg>,
    pub is_vertex: bool,
    pub model: Model,
    pub interface: Interface,
    pub codes: Vec<Code>,
    pub temps: Vec<TempData>,
    /// Values of `defi`, by register.
    pub integers: BTreeMap<u16, [u32; 4]>,
    pub pending: FxHashMap<Inst, Compare>,
    pub users: Users,
    pub anchor: Anchor,
    pub block: Option<Block>,
    pub diags: Vec<Diag>,
    /// Products that are part of a sum instead of instructions of their own.
    pub fused: FxHashMap<Inst, (Comps, Comps)>,
    /// The index that each component of the address register holds.
    pub addresses: Vec<Comp>,
    /// Loops of unknown length, with the number of iterations after which they end in any case.
    pub cut_loops: Vec<(Anchor, u32)>,
    /// Angles whose sine and cosine a temporary has, with the block.
    pub angles: Vec<(Option<Block>, Comp, Temp)>,
    /// Outputs that the program reads back, by variable, location and system value: the temporary that holds each.
    pub read_back: BTreeMap<OutputKey, Option<(Temp, Register)>>,
    values: FxHashMap<Inst, Comps>,
    consts: Consts,
}

impl<'m> Selector<'m> {
    pub(super) fn new(module: &'m Module, func: Func, body: &'m FuncBody, profile: Profile) -> Selector<'m> {
        let mut cx = Analyses::new();
        let cfg = cx.get::<Cfg>(module, func);
        Selector {
            module,
            func,
            body,
            types: cx.get(module, func),
            range: cx.get(module, func),
            divergence: cx.get(module, func),
            users: Users::of(body, &cfg),
            cfg,
            is_vertex: profile.is_vertex,
            model: profile.model,
            interface: Interface::default(),
            codes: Vec::new(),
            temps: Vec::new(),
            integers: BTreeMap::new(),
            pending: FxHashMap::default(),
            anchor: Anchor::Func(func),
            block: None,
            diags: Vec::new(),
            fused: FxHashMap::default(),
            addresses: Vec::new(),
            cut_loops: Vec::new(),
            angles: Vec::new(),
            read_back: BTreeMap::new(),
            values: FxHashMap::default(),
            consts: Consts::of(module, &BTreeMap::new()),
        }
    }

    /// The profile of the program.
    pub(super) fn profile(&self) -> Profile {
        Profile { model: self.model, is_vertex: self.is_vertex }
    }

    /// Reports a construct without a form, at the current instruction.
    pub(super) fn refuse(&mut self, code: &'static str, says: String, help: impl Into<Help>) {
        self.diags.push(Diag::error(code, self.anchor).says(says).help(help));
    }

    // Values.

    pub(super) fn set(&mut self, inst: Inst, comps: Comps) {
        self.values.insert(inst, comps);
    }

    /// The class that the bits of a value belong to.
    pub(super) fn class(&self, inst: Inst) -> Class {
        if self.body.ty(inst).width() == Some(Width::W1) {
            return Class::Bool;
        }
        match self.types.hint(inst) {
            TypeHint::Int | TypeHint::Uint => Class::Int,
            TypeHint::Bool => Class::Bool,
            TypeHint::Float | TypeHint::Unknown | TypeHint::Any => Class::Float,
        }
    }

    /// The components of an operand that is read as a number of this class.
    pub(super) fn comps(&mut self, inst: Inst, class: Class) -> Comps {
        if let Some(bits) = self.body.const_of(inst) {
            let bits = self.module.bits_of(bits);
            return bits.components().iter().map(|&bits| self.literal(bits, class)).collect();
        }
        let components = self.body.ty(inst).components();
        if self.body.inst(inst).op == Op::Basic(BasicOp::Undef) {
            return vec![Comp::Undef; usize::from(components)];
        }
        if let Op::Basic(BasicOp::Global) = self.body.inst(inst).op
            && let Some(bits) = self.global(inst)
        {
            return bits.components().iter().map(|&bits| self.literal(bits, class)).collect();
        }
        let own = self.class(inst);
        if own != class && own != Class::Bool && class != Class::Bool {
            let (from, to) = match class {
                Class::Float => ("an integer", "a float"),
                Class::Int | Class::Bool => ("a float", "an integer"),
            };
            let says = format!("the bits of {from} are read as {to}");
            self.refuse("D153", says, "Direct3D 9 has only floats; convert the number instead of its bits");
        }
        if let Some(compare) = self.pending.get(&inst).cloned() {
            return self.truth(&compare);
        }
        if let Some((left, right)) = self.fused.get(&inst).cloned() {
            return self.each(Sm1::Mul, usize::from(components), &[&left, &right]);
        }
        match self.values.get(&inst) {
            Some(comps) => comps.clone(),
            None => vec![Comp::Undef; usize::from(components)],
        }
    }

    /// The value of a module constant for the defaults of all specialization constants; Direct3D 9 has no specialization.
    pub(super) fn global(&self, inst: Inst) -> Option<Bits> {
        match self.consts.value_of(self.body.inst(inst).entity(Key::Global)?)? {
            ConstValue::Bits(bits) => Some(bits),
            ConstValue::Undef(_) | ConstValue::Address(_) | ConstValue::Aggregate => None,
        }
    }

    /// The components of an operand as the class of its own.
    pub(super) fn own(&mut self, inst: Inst) -> Comps {
        self.comps(inst, self.class(inst))
    }

    fn literal(&mut self, bits: u64, class: Class) -> Comp {
        match class {
            Class::Float => Comp::Literal(bits as u32),
            Class::Bool => float(if bits & 1 == 1 { 1.0 } else { 0.0 }),
            Class::Int => {
                let number = i64::from(bits as u32 as i32);
                if number.abs() > MAX_EXACT {
                    let says = format!("the integer {number} is not representable as a float");
                    self.refuse("D153", says, "integers of Direct3D 9 have at most 24 bits");
                }
                float(number as f32)
            }
        }
    }

    // Operands.

    /// A new temporary.
    pub(super) fn temp(&mut self, components: usize, is_fixed: bool) -> Temp {
        self.temps.push(TempData { components: components as u8, is_fixed });
        Temp(self.temps.len() as u32 - 1)
    }

    /// The operand that reads a component in each position.
    pub(super) fn source(&mut self, comps: &[Comp]) -> Source {
        match single(comps) {
            Some(source) => source,
            None => Source::of(Place::Temp(self.gathered(comps))),
        }
    }

    /// The operand that reads one component in all positions.
    pub(super) fn scalar(&mut self, comp: Comp) -> Source {
        self.source(&[comp])
    }

    /// Copies components to a new temporary.
    pub(super) fn gathered(&mut self, comps: &[Comp]) -> Temp {
        let temp = self.temp(comps.len(), false);
        self.gather_to(Place::Temp(temp), comps);
        temp
    }

    /// Copies components to the same positions of a place, with an instruction for each register that they are in.
    pub(super) fn gather_to(&mut self, place: Place, comps: &[Comp]) {
        let mut open: u8 = 0;
        let comps = comps.get(..4).unwrap_or(comps);
        for (at, comp) in comps.iter().enumerate() {
            open |= u8::from(*comp != Comp::Undef) << at;
        }
        while open != 0 {
            let first = comps[open.trailing_zeros() as usize];
            let mut mask = 0u8;
            let mut part = [first; 4];
            for (at, &comp) in comps.iter().enumerate() {
                if open >> at & 1 == 1 && together(first, comp) {
                    mask |= 1 << at;
                    part[at] = comp;
                }
            }
            let source = single(&part).unwrap_or(Source::of(place));
            let target = Target { place, mask, saturate: false };
            self.emit(Sm1::Mov, 0, Reading::Each, Some(target), vec![source]);
            open &= !mask;
        }
    }

    // Instructions.

    /// Appends an instruction, with copies of operands that an instruction cannot read together: two constants, or two
    /// inputs.
    pub(super) fn emit(
        &mut self,
        op: Sm1,
        control: u8,
        reading: Reading,
        target: Option<Target>,
        mut sources: Vec<Source>,
    ) {
        for is_input in [false, true] {
            self.separate(&mut sources, is_input);
        }
        let anchor = self.anchor;
        self.codes.push(Code {
            op,
            control,
            reading,
            target,
            sources,
            predicate: None,
            partial: false,
            anchor,
        });
    }

    /// Copies all sources of one file but those of one register.
    fn separate(&mut self, sources: &mut [Source], is_input: bool) {
        let register = |source: &Source| match source.place {
            Place::Fixed(register) if is_input => {
                matches!(register.file, File::Input | File::Texture).then_some((register, source.relative))
            }
            Place::Literals(_) if !is_input => Some((LITERALS, None)),
            Place::Fixed(_) | Place::Temp(_) | Place::Literals(_) => source.constant().filter(|_| !is_input),
        };
        // A register that is not a literal stays: literals may share a register with others.
        let kept = sources.iter().filter_map(register).find(|&(register, _)| register != LITERALS);
        let kept = kept.or_else(|| sources.iter().find_map(register));
        let mut literals: Vec<u32> = Vec::new();
        for source in sources.iter_mut() {
            let Some(found) = register(source) else { continue };
            let fits = match source.place {
                Place::Literals(values) => {
                    let mut wanted = literals.clone();
                    wanted.extend(source.swizzle.iter().filter_map(|&at| values.get(usize::from(at))));
                    wanted.sort_unstable();
                    wanted.dedup();
                    let fits = wanted.len() <= 4;
                    if fits && Some(found) == kept {
                        literals = wanted;
                    }
                    fits
                }
                Place::Temp(_) | Place::Fixed(_) => true,
            };
            if Some(found) == kept && fits {
                continue;
            }
            let plain = Source { negated: false, absolute: false, ..*source };
            let temp = self.temp(4, false);
            let target = Target { place: Place::Temp(temp), mask: 0xf, saturate: false };
            let anchor = self.anchor;
            self.codes.push(Code {
                op: Sm1::Mov,
                control: 0,
                reading: Reading::Each,
                target: Some(target),
                sources: vec![plain],
                predicate: None,
                partial: false,
                anchor,
            });
            let (negated, absolute) = (source.negated, source.absolute);
            *source = Source { negated, absolute, ..Source::of(Place::Temp(temp)) };
        }
    }

    /// An operation on each component of operands with `count` components; an operand of one component is repeated.
    pub(super) fn each(&mut self, op: Sm1, count: usize, operands: &[&[Comp]]) -> Comps {
        let temp = self.temp(count, false);
        let sources = operands.iter().map(|comps| self.source(comps)).collect();
        let mask = mask_of(count);
        let target = Target { place: Place::Temp(temp), mask, saturate: false };
        self.emit(op, 0, Reading::Each, Some(target), sources);
        parts(temp, count)
    }

    /// An operation that computes a single component, once for each component of the operands.
    pub(super) fn first(&mut self, op: Sm1, count: usize, operands: &[&[Comp]]) -> Comps {
        let temp = self.temp(count, false);
        for at in 0..count {
            let sources = operands
                .iter()
                .map(|comps| self.scalar(comps.get(at).or(comps.first()).copied().unwrap_or(Comp::Undef)))
                .collect();
            let target = Target { place: Place::Temp(temp), mask: 1 << at, saturate: false };
            self.emit(op, 0, Reading::First, Some(target), sources);
        }
        parts(temp, count)
    }

    /// The sum of products of `count` components, 3 or 4.
    pub(super) fn dot(&mut self, left: &[Comp], right: &[Comp]) -> Comps {
        let count = left.len();
        if count < 3 {
            return self.short_dot(left, right);
        }
        let temp = self.temp(1, false);
        let sources = vec![self.source(left), self.source(right)];
        let target = Target { place: Place::Temp(temp), mask: 1, saturate: false };
        let op = if count == 3 { Sm1::Dp3 } else { Sm1::Dp4 };
        self.emit(op, 0, Reading::Dot(count as u8), Some(target), sources);
        parts(temp, 1)
    }

    fn short_dot(&mut self, left: &[Comp], right: &[Comp]) -> Comps {
        let (&[a, ref rest @ ..], &[b, ref other @ ..]) = (left, right) else { return vec![float(0.0)] };
        let (Some(&c), Some(&d)) = (rest.first(), other.first()) else {
            return self.each(Sm1::Mul, 1, &[&[a], &[b]]);
        };
        if self.is_vertex {
            let product = self.each(Sm1::Mul, 1, &[&[a], &[b]]);
            return self.each(Sm1::Mad, 1, &[&[c], &[d], &product]);
        }
        let temp = self.temp(1, false);
        let sources = vec![self.source(left), self.source(right), self.scalar(float(0.0))];
        let target = Target { place: Place::Temp(temp), mask: 1, saturate: false };
        self.emit(Sm1::Dp2Add, 0, Reading::Dot(2), Some(target), sources);
        parts(temp, 1)
    }

    /// The facts of `range` that hold for every component of a value.
    pub(super) fn is_integral(&self, inst: Inst) -> bool {
        let facts = self.range.facts(inst);
        !facts.is_empty() && facts.iter().all(|fact| fact.float.whole)
    }

    /// The number of components of an operand that is computed by component.
    ///
    /// Returns none, with a diagnostic, for more components than a register has.
    pub(super) fn width(&mut self, ty: ValueType) -> Option<usize> {
        match (ty.width(), ty.components()) {
            (Some(Width::W1 | Width::W32), components @ 1..=4) => Some(usize::from(components)),
            (Some(Width::W1 | Width::W32), components) => {
                let says = format!("a value has {components} components");
                self.refuse("D152", says, "a register of Direct3D 9 has four components");
                None
            }
            (Some(width), _) => {
                let says = format!("a number has {} bits", width.bits());
                self.refuse("D153", says, "Direct3D 9 has only floats of 32 bits");
                None
            }
            (None, _) => None,
        }
    }
}

/// Stands for the registers of literals, which are not assigned yet.
const LITERALS: Register = Register::new(File::Const, u16::MAX);

/// A float.
pub(super) fn float(value: f32) -> Comp {
    Comp::Literal(value.to_bits())
}

/// The first `count` components of a temporary.
pub(super) fn parts(temp: Temp, count: usize) -> Comps {
    (0..count).map(|at| at_place(Place::Temp(temp), at as u8)).collect()
}

/// A component of a place.
pub(super) fn at_place(place: Place, component: u8) -> Comp {
    Comp::At { place, component, negated: false, absolute: false }
}

/// The mask of the first `count` components.
pub(super) fn mask_of(count: usize) -> u8 {
    ((1u16 << count.min(4)) - 1) as u8
}

/// Components with the opposite sign.
pub(super) fn negate(comps: &[Comp]) -> Comps {
    let negate = |comp: &Comp| match *comp {
        Comp::Undef => Comp::Undef,
        Comp::Literal(bits) => Comp::Literal(bits ^ 1 << 31),
        Comp::At { place, component, negated, absolute } => {
            Comp::At { place, component, negated: !negated, absolute }
        }
    };
    comps.iter().map(negate).collect()
}

/// Absolute values of components.
pub(super) fn absolute(comps: &[Comp]) -> Comps {
    let absolute = |comp: &Comp| match *comp {
        Comp::Undef => Comp::Undef,
        Comp::Literal(bits) => Comp::Literal(bits & !(1 << 31)),
        Comp::At { place, component, .. } => Comp::At { place, component, negated: false, absolute: true },
    };
    comps.iter().map(absolute).collect()
}

/// Returns true if one instruction can copy both components.
fn together(one: Comp, other: Comp) -> bool {
    match (one, other) {
        (Comp::Literal(_), Comp::Literal(_)) => true,
        (
            Comp::At { place, negated, absolute, .. },
            Comp::At { place: place_2, negated: negated_2, absolute: absolute_2, .. },
        ) => (place, negated, absolute) == (place_2, negated_2, absolute_2),
        _ => false,
    }
}

/// The operand that reads the components, if they are in one register with the same modifiers.
fn single(comps: &[Comp]) -> Option<Source> {
    let first = comps.iter().copied().find(|comp| *comp != Comp::Undef).unwrap_or(float(0.0));
    let mut last = first;
    let mut filled = [first; 4];
    for (at, slot) in filled.iter_mut().enumerate() {
        match comps.get(at) {
            Some(Comp::Undef) | None => *slot = if at < comps.len() { first } else { last },
            Some(&comp) if together(first, comp) => *slot = comp,
            Some(_) => return None,
        }
        last = *slot;
    }
    if let Comp::At { place, negated, absolute, .. } = first {
        let swizzle = filled.map(|comp| match comp {
            Comp::At { component, .. } => component,
            Comp::Undef | Comp::Literal(_) => 0,
        });
        return Some(Source { place, swizzle, negated, absolute, relative: None });
    }
    let values = filled.map(|comp| match comp {
        Comp::Literal(bits) => bits,
        Comp::Undef | Comp::At { .. } => 0,
    });
    Some(Source::of(Place::Literals(values)))
}

/// The uses of each value.
#[derive(Default)]
pub(super) struct Users {
    uses: FxHashMap<Inst, Vec<User>>,
}

/// A use of a value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum User {
    /// An operand of an instruction.
    Arg(Inst, u32),
    /// The condition of an `if`.
    If,
    /// An argument of an edge, a selector, a returned value.
    Other,
}

impl Users {
    fn of(body: &FuncBody, cfg: &Cfg) -> Users {
        let mut users = Users::default();
        for &block in cfg.blocks() {
            let data = body.block(block);
            for &inst in data.insts.iter() {
                for (at, &arg) in body.inst(inst).args.iter().enumerate() {
                    users.uses.entry(arg).or_default().push(User::Arg(inst, at as u32));
                }
            }
            data.terminator.for_each_use(|value| users.uses.entry(value).or_default().push(User::Other));
            if let (Some(node), Terminator::Next(_)) = (cfg.enters(block), &data.terminator) {
                match &body.node(node).kind {
                    NodeKind::If { cond, .. } => users.uses.entry(*cond).or_default().push(User::If),
                    NodeKind::Switch { on, .. } => users.uses.entry(*on).or_default().push(User::Other),
                    NodeKind::Loop { .. } | NodeKind::Block { .. } => {}
                }
            }
        }
        users
    }

    /// The uses of a value.
    pub(super) fn of_value(&self, inst: Inst) -> &[User] {
        self.uses.get(&inst).map_or(&[], Vec::as_slice)
    }

    /// The only instruction that uses a value, and the operand.
    pub(super) fn only(&self, inst: Inst) -> Option<(Inst, u32)> {
        match self.of_value(inst) {
            &[User::Arg(user, at)] => Some((user, at)),
            _ => None,
        }
    }
}
