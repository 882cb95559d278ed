//! Everything outside of functions: header, structures, module constants, variables, entry points, decorations.

use super::rng::Rng;
use super::{body, texts, types};
use std::rc::Rc;
use vitrine_core::base::EntityId;
use vitrine_core::ir::{
    Attrs, Const, Decor, DecorTarget, EntryPoint, ExecutionMode, Fact, FactKey, Func, Global, GlobalData,
    GlobalValue, ModeUse, Module, Operand, Stage, Struct, Text, Type, TypeData, Var,
};
use vitrine_core::ops::constraint::Unknowns;
use vitrine_core::ops::ty::COMPONENT_COUNTS;
use vitrine_core::ops::{Attr, Bits, Key, Op, OpInfo, ValueType, Width};

/// A module under construction.
pub(crate) struct Gen {
    pub(crate) rng: Rng,
    pub(crate) module: Module,
    /// Remaining instructions, over all functions.
    pub(crate) budget: usize,
    pub(crate) structs: Vec<Struct>,
    pub(crate) globals: Vec<Global>,
    /// Module variables.
    pub(crate) vars: Vec<Var>,
    /// Functions that may be called: earlier ones that are not entry points.
    pub(crate) funcs: Vec<Func>,
    /// The stage of all entry points, and therefore of their callees.
    pub(crate) stage: Stage,
}

impl Gen {
    pub(crate) fn new(mut rng: Rng, size: usize) -> Gen {
        let stage = if rng.one_in(4) { Stage::Fragment } else { *rng.pick(Stage::ALL) };
        Gen {
            stage,
            rng,
            module: Module::new(),
            budget: size,
            structs: Vec::new(),
            globals: Vec::new(),
            vars: Vec::new(),
            funcs: Vec::new(),
        }
    }

    pub(crate) fn module(mut self) -> Module {
        self.facts();
        for _ in 0..self.rng.below(4) {
            self.structure();
        }
        for _ in 0..self.rng.below(5) {
            self.global();
        }
        types::variables(&mut self);
        self.functions();
        for _ in 0..self.rng.below(3) {
            self.decoration();
        }
        self.module
    }

    fn facts(&mut self) {
        for _ in 0..self.rng.below(4) {
            let key = *self.rng.pick(FactKey::ALL);
            let value = self.text();
            Rc::make_mut(&mut self.module.facts).push(Fact { key, value });
        }
    }

    fn functions(&mut self) {
        let count = self.rng.between(1, 4);
        let share = self.budget / count;
        let mut next = 0;
        for at in 0..count {
            self.budget = share;
            let id: Func = self.fresh(next);
            next = id.index() + 1;
            let entry = at + 1 == count || self.rng.one_in(4);
            let body = body::function(self, id, entry);
            self.module.define_func(id, body);
            if entry {
                self.entry(id);
            } else {
                self.funcs.push(id);
            }
        }
    }

    fn entry(&mut self, func: Func) {
        let name = self.entry_name();
        let mut interface: Vec<Var> = self.vars.clone();
        interface.retain(|_| self.rng.one_in(2));
        let modes = (0..self.rng.below(3)).map(|_| self.mode()).collect();
        Rc::make_mut(&mut self.module.entries).push(EntryPoint {
            name,
            stage: self.stage,
            func,
            interface,
            modes,
        });
    }

    /// A unique name of an entry point.
    fn entry_name(&mut self) -> Text {
        let mut name = texts::text(&mut self.rng);
        while self.module.entries.iter().any(|entry| self.module.text_of(entry.name) == name) {
            name.push('2');
        }
        self.module.text(&name)
    }

    fn mode(&mut self) -> ModeUse {
        let mode = ExecutionMode::ALL[self.rng.below(ExecutionMode::ALL.len())];
        let args = (0..mode.operands()).map(|_| {
            let number = self.rng.below(64) as u64 + 1;
            Operand::Bits(self.module.bits(Bits::from_components(Width::W32, &[number])))
        });
        ModeUse { mode, args: args.collect() }
    }

    fn decoration(&mut self) {
        let mut targets: Vec<DecorTarget> = self.vars.iter().map(|&var| DecorTarget::Var(var)).collect();
        targets.extend(self.funcs.iter().map(|&func| DecorTarget::Func(func)));
        targets.extend(self.globals.iter().map(|&global| DecorTarget::Global(global)));
        targets.extend(
            self.structs.iter().flat_map(|&id| [DecorTarget::Struct(id), DecorTarget::Member(id, 0)]),
        );
        let Some(&on) = self.rng.choose(&targets) else { return };
        let words: Vec<u32> = (0..self.rng.below(3)).map(|_| self.rng.bits() as u32).collect();
        let words = if words.is_empty() { None } else { Some(self.module.blob(&words)) };
        let text = if self.rng.one_in(3) { Some(self.text()) } else { None };
        let number = self.rng.below(6_000) as u32;
        Rc::make_mut(&mut self.module.decors).push(Decor { on, number, words, text });
    }

    fn structure(&mut self) {
        let laid_out = self.rng.one_in(2);
        types::structure(self, laid_out, false);
    }

    /// An id at or slightly after `least`, so that tables have gaps.
    pub(crate) fn fresh<K: EntityId>(&mut self, least: usize) -> K {
        let gap = if self.rng.one_in(8) { self.rng.below(20) } else { 0 };
        K::from_index(least + gap)
    }

    pub(crate) fn text(&mut self) -> Text {
        let text = texts::text(&mut self.rng);
        self.module.text(&text)
    }

    /// A name, or none.
    pub(crate) fn name(&mut self) -> Option<Text> {
        if !self.rng.one_in(4) {
            return None;
        }
        let name = texts::name(&mut self.rng);
        Some(self.module.text(name))
    }

    /// The bits of a component, often a corner case of its format.
    pub(crate) fn component(&mut self, width: Width) -> u64 {
        let bits = match self.rng.below(4) {
            0 => self.rng.bits(),
            1 => self.rng.below(10) as u64,
            2 => (self.rng.below(10) as u64).wrapping_neg(),
            _ => {
                let float = *self.rng.pick(&[0.0, -0.0, 1.0, -1.5, 0.1, 1e9, 1e-9, f64::INFINITY, f64::NAN]);
                vitrine_core::ops::Scalar::float(width, float).bits()
            }
        };
        bits & width.mask()
    }

    pub(crate) fn bits(&mut self, width: Width, components: u8) -> Const {
        let components: Vec<u64> = (0..components).map(|_| self.component(width)).collect();
        self.module.bits(Bits::from_components(width, &components))
    }

    /// A type of bits: mostly 32 bits or a boolean, mostly few components.
    pub(crate) fn bits_type(&mut self) -> ValueType {
        let width = *self.rng.pick(&[
            Width::W32,
            Width::W32,
            Width::W32,
            Width::W1,
            Width::W8,
            Width::W16,
            Width::W64,
        ]);
        let most = if self.rng.one_in(8) { COMPONENT_COUNTS.len() } else { 4 };
        ValueType::bits(width, COMPONENT_COUNTS[self.rng.below(most)])
    }

    /// A type that satisfies the constraint; determines the unknowns of the operation.
    pub(crate) fn admitted(
        &mut self,
        constraint: &vitrine_core::ops::constraint::Constraint,
        known: &mut Unknowns,
        liked: &[ValueType],
    ) -> ValueType {
        let fits = |ty: &ValueType| constraint.admits(*ty, &mut known.clone());
        let liked: Vec<ValueType> = liked.iter().copied().filter(|ty| fits(ty)).collect();
        let all: Vec<ValueType> = value_types().into_iter().filter(|ty| fits(ty)).collect();
        assert!(!all.is_empty(), "no type fits {constraint:?} with {known:?}");
        let small: Vec<ValueType> = all.iter().copied().filter(|ty| ty.components() <= 4).collect();
        let from = if !liked.is_empty() && !self.rng.one_in(4) {
            &liked
        } else if !small.is_empty() && !self.rng.one_in(8) {
            &small
        } else {
            &all
        };
        let ty = *self.rng.pick(from);
        assert!(constraint.admits(ty, known));
        ty
    }

    fn global(&mut self) {
        let value = match self.rng.below(6) {
            0 | 1 => {
                let width = *self.rng.pick(&Width::ALL);
                GlobalValue::Spec(self.bits(width, 1))
            }
            2 => self.global_op(),
            3 => self.parts(),
            4 => GlobalValue::Zero(types::data_type(self)),
            _ => GlobalValue::Undef(types::data_type(self)),
        };
        let attrs = match value {
            GlobalValue::Spec(_) => Attrs::one(Key::SpecId, self.rng.below(100) as u64),
            _ => Attrs::None,
        };
        self.add_global(value, attrs);
    }

    fn add_global(&mut self, value: GlobalValue, attrs: Attrs) -> Global {
        let id = self.fresh(self.globals.last().map_or(0, |global| global.index() + 1));
        let name = self.name();
        self.module.set_global(id, GlobalData { name, value, attrs });
        self.globals.push(id);
        id
    }

    /// The address of a module variable, as a constant.
    pub(crate) fn address(&mut self, var: Var) -> Global {
        self.add_global(GlobalValue::Address(var), Attrs::None)
    }

    fn global_op(&mut self) -> GlobalValue {
        let plain = |info: &OpInfo| info.meaning.is_some() && info.need.is_empty() && info.props.pure();
        let candidates: Vec<Op> = Op::all().filter(|op| plain(op.info())).collect();
        let op = *self.rng.pick(&candidates);
        let info = op.info();
        let mut known = Unknowns::default();
        let mut types = Vec::new();
        let mut args = Vec::new();
        for operand in info.operands {
            let ty = self.admitted(&operand.constraint, &mut known, &[]);
            args.push(self.operand(ty, None));
            types.push(ty);
        }
        let ty = match op.name() {
            "vec" => types[0],
            "repack" => types[0],
            _ => self.admitted(&info.result, &mut known, &[]),
        };
        GlobalValue::Op { op, ty, args: args.into() }
    }

    /// A constant operand of this type: bits, or a module constant, whose declared type must not differ
    /// from `full`.
    fn operand(&mut self, ty: ValueType, full: Option<Type>) -> Operand {
        let says_other = |id: Global| match self.module.global(id).map(|data| &data.value) {
            Some(GlobalValue::Parts(ty, _) | GlobalValue::Zero(ty) | GlobalValue::Undef(ty)) => {
                full.is_some_and(|full| full != *ty)
            }
            _ => false,
        };
        let fits = |id: &Global| self.module.global_type(*id) == Some(ty) && !says_other(*id);
        let fitting: Vec<Global> = self.globals.iter().copied().filter(fits).collect();
        if let Some(&global) = self.rng.choose(&fitting)
            && self.rng.one_in(2)
        {
            return Operand::Global(global);
        }
        let ValueType::Bits { width, components } = ty else { panic!("{ty} has no constants") };
        Operand::Bits(self.bits(width, components))
    }

    /// A constant of a full type: bits for a value, a module constant for an aggregate.
    pub(crate) fn constant_of(&mut self, ty: Type) -> Operand {
        match self.module.value_type(ty) {
            Some(value) if matches!(value, ValueType::Bits { .. }) => self.operand(value, Some(ty)),
            Some(_) | None => {
                let value = if self.rng.one_in(2) { GlobalValue::Zero(ty) } else { self.parts_of(ty) };
                Operand::Global(self.add_global(value, Attrs::None))
            }
        }
    }

    fn parts(&mut self) -> GlobalValue {
        let ty = types::data_type(self);
        self.parts_of(ty)
    }

    /// An aggregate constant, if the parts of the type are data.
    fn parts_of(&mut self, ty: Type) -> GlobalValue {
        let parts: Option<Vec<Type>> = match self.module.type_of(ty).clone() {
            TypeData::Struct(id) => {
                self.module.structure(id).map(|data| data.members.iter().map(|member| member.ty).collect())
            }
            _ => self
                .module
                .element_count(ty)
                .zip(self.module.element_type(ty))
                .and_then(|(count, of)| (count <= 8).then(|| vec![of; count as usize])),
        };
        match parts {
            Some(parts) if parts.iter().all(|&part| types::is_data(&self.module, part)) => {
                let parts: Vec<Operand> = parts.into_iter().map(|part| self.constant_of(part)).collect();
                GlobalValue::Parts(ty, parts.into())
            }
            Some(_) | None => GlobalValue::Zero(ty),
        }
    }

    /// Random attributes from a list of keys with probabilities.
    pub(crate) fn some_attrs(&mut self, choices: &[(Key, u64)]) -> Attrs {
        let mut list = Vec::new();
        for &(key, value) in choices {
            if self.rng.one_in(3) {
                list.push(Attr::new(key, value));
            }
        }
        Attrs::from_list(list)
    }
}

/// Every type of a value.
pub(crate) fn value_types() -> Vec<ValueType> {
    let mut all = vec![ValueType::Void, ValueType::Path, ValueType::Ptr, ValueType::Handle];
    for width in Width::ALL {
        all.extend(COMPONENT_COUNTS.map(|components| ValueType::bits(width, components)));
    }
    all
}
