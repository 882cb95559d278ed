//! The writer of a module: names of declarations, types, and what was found on the way: extensions and diagnostics.
//!
//! Functions are written first, because they decide which declarations and extensions are needed.

use super::atomic_places::AtomicPlace;
use super::calls::Computing;
use super::dialect::Dialect;
use super::expr::Token;
use super::frozen::{Frozen, frozen};
use super::memory_uses::MemoryUses;
use super::names::Names;
use super::number::{Kind, NumberType};
use super::own::Own;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;
use std::fmt::Display;
use std::rc::Rc;
use vitrine_analysis::{Analyses, Types, stopping_calls};
use vitrine_forms::Interface;
use vitrine_ir::base::{EntitySet, SideTable};
use vitrine_ir::ops::{BasicOp, Key, Op, ValueType, Width};
use vitrine_ir::{
    Anchor, Diag, Func, Global, GlobalValue, Help, Inst, Module, Operand, Stage, Struct, Terminator, Type,
    TypeData, Var, VarData,
};
use vitrine_text::{Link, print_type};

/// No entry point, or one of a stage that is not written.
pub(super) const ENTRY: &str = "W201";
/// An operation that the language does not have.
pub(super) const NO_OPERATION: &str = "W202";
/// A type or a variable that the language does not have.
pub(super) const NO_TYPE: &str = "W203";
/// A function that is not a tree, or has an exit that the language does not have.
pub(super) const SHAPE: &str = "W204";
/// A place that two resources have.
pub(super) const PLACE: &str = "W205";

/// The kinds of the parameters and of the result of a function.
#[derive(Clone, Debug, Default)]
pub(super) struct Signature {
    pub(super) params: Vec<Kind>,
    pub(super) result: Option<NumberType>,
}

/// The writer of a module.
pub(super) struct ModuleWriter<'m> {
    pub(super) module: &'m Module,
    /// What the engine asks of the language.
    pub(super) dialect: &'static dyn Dialect,
    pub(super) stage: Stage,
    pub(super) names: Names,
    pub(super) diags: Vec<Diag>,
    pub(super) extensions: BTreeSet<&'static str>,
    /// What the text declares for those outside.
    pub(super) interface: Interface,
    pub(super) cx: Analyses,
    pub(super) computing: Computing,
    pub(super) signatures: FxHashMap<Func, Rc<Signature>>,
    /// Variables in the order of their first use.
    pub(super) used_vars: Vec<Var>,
    pub(super) used_globals: Vec<Global>,
    /// Structures that are declared.
    pub(super) used_structs: Vec<Struct>,
    /// Kinds of the numbers of module constants.
    pub(super) global_kinds: FxHashMap<Global, Kind>,
    /// What each language finds out about the module for itself.
    pub(super) own: Own,
    /// How the module uses its resources, in a language that asks for it.
    pub(super) memory_uses: MemoryUses,
    /// Memory that atomics access, with the kind of number that they demand, in a language whose types state it.
    pub(super) atomics: FxHashMap<AtomicPlace, Option<Kind>>,
    /// Specialization constants that have their defaults.
    pub(super) frozen: Frozen,
    /// Calls after which a loop would go on for a discarded invocation.
    pub(super) stopping: FxHashSet<(Func, Inst)>,
    /// The variables in `used_vars`.
    declared: EntitySet<Var>,
    /// Blocks without a name of their own: the names of their members, which are names of the module.
    pub(super) open_blocks: FxHashMap<Var, Rc<[Rc<str>]>>,
    /// The names of types of numbers that were written, whose extensions are declared.
    pub(super) number_names: FxHashMap<NumberType, Rc<str>>,
    /// The components of constants that were written.
    pub(super) literals: FxHashMap<(Kind, Width, u64), Rc<str>>,
    /// The constants in `used_globals`.
    declared_globals: EntitySet<Global>,
    vars: SideTable<Var, Option<Rc<str>>>,
    structs: FxHashMap<Struct, Rc<str>>,
    members: FxHashMap<Struct, Rc<[Rc<str>]>>,
    funcs: FxHashMap<Func, Rc<str>>,
    globals: FxHashMap<Global, Rc<str>>,
}

impl<'m> ModuleWriter<'m> {
    /// A writer of a module with an entry point of a stage.
    pub(super) fn new(module: &'m Module, dialect: &'static dyn Dialect, stage: Stage) -> ModuleWriter<'m> {
        ModuleWriter {
            module,
            dialect,
            stage,
            names: Names::new(dialect.is_reserved()),
            diags: Vec::new(),
            extensions: BTreeSet::new(),
            interface: Interface::default(),
            cx: Analyses::new(),
            computing: Computing::of(module),
            signatures: FxHashMap::default(),
            used_vars: Vec::new(),
            used_globals: Vec::new(),
            used_structs: Vec::new(),
            global_kinds: FxHashMap::default(),
            own: Own::default(),
            memory_uses: MemoryUses::default(),
            atomics: FxHashMap::default(),
            frozen: frozen(module, dialect, module.entries.first()),
            stopping: match dialect.ends_at_discard() {
                true => FxHashSet::default(),
                false => stopping_calls(module),
            },
            declared: EntitySet::new(),
            open_blocks: FxHashMap::default(),
            number_names: FxHashMap::default(),
            literals: FxHashMap::default(),
            declared_globals: EntitySet::new(),
            vars: SideTable::new(),
            structs: FxHashMap::default(),
            members: FxHashMap::default(),
            funcs: FxHashMap::default(),
            globals: FxHashMap::default(),
        }
    }

    /// Refuses a part of the program.
    pub(super) fn refuse(
        &mut self,
        code: &'static str,
        at: Anchor,
        says: impl Into<String>,
        help: impl Into<Help>,
    ) {
        let mut diag = Diag::error(code, at).says(says);
        let help = help.into();
        if !help.is_empty() {
            diag = diag.help(help);
        }
        self.diags.push(diag);
    }

    /// Refuses a declaration whose type the language does not have: `what` has it.
    pub(super) fn refuse_type(&mut self, at: Anchor, what: impl Display, ty: Type, help: impl Into<Help>) {
        let (ty, language) = (print_type(self.module, ty), self.dialect.name());
        self.refuse(NO_TYPE, at, format!("{what} has the type `{ty}`, which {language} does not have"), help);
    }

    /// Refuses an input or output that has no declaration; one that was refused before has its reason.
    pub(super) fn refuse_undeclared(&mut self, var: Var) {
        let at = Anchor::Var(var);
        if !self.diags.iter().any(|diag| diag.at == at) {
            let says = format!("{var} is an input or output without a location");
            self.refuse(NO_TYPE, at, says, "decorate the variable with a location");
        }
    }

    /// Refuses an input or output that begins inside of its location.
    pub(super) fn refuses_component(&mut self, var: Var) -> bool {
        let Some(at) = self.port_number(var, Key::Component) else { return false };
        let language = self.dialect.name();
        let says = format!("{var} begins at component {at} of its location, which {language} cannot declare");
        let ty = self.module.var(var).and_then(|data| self.module.value_type(data.ty));
        let help = match ty.and_then(ValueType::width) {
            Some(Width::W64) => Help::text("declare it without a component"),
            Some(Width::W1 | Width::W8 | Width::W16 | Width::W32) | None => {
                Help::by_pass("io-to-vector{widen}", "makes it part of a vector that begins at component 0")
            }
        };
        self.refuse(NO_TYPE, Anchor::Var(var), says, help);
        true
    }

    /// Refuses a color that is not the first of its location.
    pub(super) fn refuses_index(&mut self, var: Var) -> bool {
        let Some(index) = self.port_number(var, Key::Index) else { return false };
        let language = self.dialect.name();
        let says =
            format!("{var} is the color of its location with index {index}, which {language} cannot declare");
        self.refuse(NO_TYPE, Anchor::Var(var), says, "");
        true
    }

    fn port_number(&self, var: Var, key: Key) -> Option<u64> {
        self.module.var(var)?.attrs.get(key).filter(|&number| number > 0)
    }

    /// Refuses an input with the values of all vertices, in a language that has none.
    pub(super) fn refuses_per_vertex(&mut self, var: Var) -> bool {
        let found = self.module.var(var).is_some_and(VarData::is_per_vertex);
        if found {
            let language = self.dialect.name();
            let says = format!("{var} has the values of all vertices, which {language} cannot read here");
            self.refuse(NO_TYPE, Anchor::Var(var), says, "");
        }
        found
    }

    /// The text of an interned name.
    pub(super) fn text(&self, name: Option<vitrine_ir::Text>) -> &'m str {
        name.map_or("", |name| self.module.text_of(name))
    }

    /// Names the variables, structures and constants of the module before any function, whose own names then differ: a
    /// local would hide one that is named later.
    pub(super) fn reserve_names(&mut self) {
        self.dialect.reserve_fixed_names(self);
        for (var, data) in self.module.vars() {
            if data.owner.is_none() && !data.attrs.has(Key::BuiltIn) && data.name.is_some() {
                self.reserved_name(var);
            }
        }
        for structure in (0..self.module.sizes()[1]).map(vitrine_ir::base::EntityId::from_index) {
            if self.module.structure(structure).is_some() {
                self.struct_name(structure);
            }
        }
        for (global, data) in self.module.globals() {
            if data.name.is_some() {
                self.reserved_global(global);
            }
        }
        self.dialect.reserve_derived_names(self);
        for (var, data) in self.module.vars() {
            if data.owner.is_none() && !data.attrs.has(Key::BuiltIn) && !self.open_blocks.contains_key(&var) {
                self.reserved_name(var);
            }
        }
    }

    /// The kind of atomic numbers in a member or a variable. `None` if no atomics access it, or if the type alone decides, as
    /// in a language that notes none in `atomics`.
    pub(super) fn atomic_kind(&self, place: AtomicPlace, ty: Type) -> Option<Kind> {
        let wanted = *self.atomics.get(&place)?;
        let mut ty = ty;
        while let Some(of) = self.module.element_type(ty) {
            ty = of;
        }
        Some(wanted.or(self.number_type(ty).map(|number| number.kind)).unwrap_or(Kind::Uint))
    }

    /// The name of a variable of the module, which is declared.
    pub(super) fn var_name(&mut self, var: Var) -> Rc<str> {
        self.declare_var(var);
        self.reserved_name(var)
    }

    /// Declares a variable of the module.
    pub(super) fn declare_var(&mut self, var: Var) {
        if !self.declared.insert(var) {
            return;
        }
        self.used_vars.push(var);
        let is_element = self.module.var(var).is_some_and(|data| data.attrs.has(Key::Element));
        if is_element && !self.dialect.has_resource_elements() {
            let name = self.dialect.name();
            let says = format!(
                "{var} is an element of an array of resources, which has no place of its own in {name}"
            );
            self.refuse(
                NO_TYPE,
                Anchor::Var(var),
                says,
                Help::text("leave out pass").pass("resource-arrays-to-elements"),
            );
        }
    }

    /// The name of a variable of the module, which is given if it has none yet.
    pub(super) fn reserved_name(&mut self, var: Var) -> Rc<str> {
        if let Some(name) = &self.vars[var] {
            return name.clone();
        }
        let data = self.module.var(var);
        let mut wanted = self.text(data.and_then(|data| data.name)).to_owned();
        let mode = data.map_or("var", |data| data.mode.name());
        if let Some(name) = self.dialect.meeting_name(self, var) {
            wanted = name;
        }
        if let (true, Some(data)) = (wanted.is_empty(), data) {
            wanted = self.name_by_type(data.ty);
        }
        let wanted = &wanted;
        let otherwise = format_args!("{mode}_{}", vitrine_ir::base::EntityId::index(var));
        let name = self.names.fresh(wanted, otherwise);
        self.vars[var] = Some(name.clone());
        name
    }

    /// The name of the structure that a variable holds, as a name of a variable: `Light` becomes `light`.
    fn name_by_type(&self, mut ty: Type) -> String {
        while let TypeData::Array { of, .. } | TypeData::RuntimeArray { of, .. } = *self.module.type_of(ty) {
            ty = of;
        }
        let TypeData::Struct(structure) = *self.module.type_of(ty) else { return String::new() };
        let name = self.text(self.module.structure(structure).and_then(|data| data.name));
        let mut chars = name.chars();
        chars.next().map_or_else(String::new, |first| first.to_lowercase().chain(chars).collect())
    }

    /// The name of a function.
    pub(super) fn func_name(&mut self, func: Func) -> Rc<str> {
        if let Some(name) = self.funcs.get(&func) {
            return name.clone();
        }
        let wanted = self.text(self.module.func(func).and_then(vitrine_ir::FuncBody::name));
        let name =
            self.names.fresh(wanted, format_args!("function_{}", vitrine_ir::base::EntityId::index(func)));
        self.funcs.insert(func, name.clone());
        name
    }

    /// Gives the entry point its name.
    pub(super) fn name_entry(&mut self, func: Func, name: Rc<str>) {
        self.funcs.insert(func, name);
    }

    /// The name of a module constant, which is declared.
    pub(super) fn global_name(&mut self, global: Global) -> Rc<str> {
        let name = self.reserved_global(global);
        if self.declared_globals.insert(global) {
            self.used_globals.push(global);
        }
        name
    }

    fn reserved_global(&mut self, global: Global) -> Rc<str> {
        if let Some(name) = self.globals.get(&global) {
            return name.clone();
        }
        let wanted = self.text(self.module.global(global).and_then(|data| data.name));
        let name =
            self.names.fresh(wanted, format_args!("constant_{}", vitrine_ir::base::EntityId::index(global)));
        self.globals.insert(global, name.clone());
        name
    }

    /// The name of a structure.
    pub(super) fn struct_name(&mut self, structure: Struct) -> Rc<str> {
        if let Some(name) = self.structs.get(&structure) {
            return name.clone();
        }
        let wanted = self.text(self.module.structure(structure).and_then(|data| data.name));
        let name =
            self.names.fresh(wanted, format_args!("Struct{}", vitrine_ir::base::EntityId::index(structure)));
        self.structs.insert(structure, name.clone());
        name
    }

    /// The names of the members of a structure.
    pub(super) fn member_names(&mut self, structure: Struct) -> Rc<[Rc<str>]> {
        if let Some(names) = self.members.get(&structure) {
            return names.clone();
        }
        let mut own = Names::new(self.dialect.is_reserved());
        let members = self.module.structure(structure).map(|data| data.members.clone());
        let members = members.iter().flat_map(|members| members.iter()).enumerate();
        let names: Rc<[Rc<str>]> = members
            .map(|(at, member)| own.fresh(self.text(member.name), format_args!("member_{at}")))
            .collect();
        self.members.insert(structure, names.clone());
        names
    }

    /// The type of a number or a vector in memory; `None` for others.
    pub(super) fn number_type(&self, ty: Type) -> Option<NumberType> {
        let (scalar, components) = match *self.module.type_of(ty) {
            TypeData::Vector { of, components } => (of, components),
            _ => (ty, 1),
        };
        let (kind, width) = match *self.module.type_of(scalar) {
            TypeData::Bool => (Kind::Bool, Width::W1),
            TypeData::Int { width, signed: true } => (Kind::Int, width),
            TypeData::Int { width, signed: false } => (Kind::Uint, width),
            TypeData::Float { width } => (Kind::Float, width),
            _ => return None,
        };
        Some(NumberType::new(kind, width, components))
    }

    /// The name of a number type; declares the extension that it needs.
    pub(super) fn number_name(&mut self, ty: NumberType, at: Anchor) -> String {
        self.extensions.extend(self.dialect.extension(ty));
        if let Some(name) = self.dialect.number(ty) {
            return name;
        }
        let language = self.dialect.name();
        match self.lacking_number(ty) {
            Some(what) => {
                let says = format!("there are {what}, which {language} does not have");
                self.refuse(NO_TYPE, at, says, "");
            }
            None => {
                let says = format!("a vector of {} components is no type of {language}", ty.components);
                self.refuse(NO_TYPE, at, says, "use 1 to 4 components");
            }
        }
        "error".to_owned()
    }

    /// The numbers that a type consists of, in words, if the language does not have them.
    pub(super) fn lacking_width(&self, mut ty: Type) -> Option<String> {
        while let (None, Some(of)) = (self.number_type(ty), self.module.element_type(ty)) {
            ty = of;
        }
        self.lacking_number(self.number_type(ty)?)
    }

    fn lacking_number(&self, ty: NumberType) -> Option<String> {
        let what = match ty.kind {
            Kind::Float => "floats",
            Kind::Int | Kind::Uint => "integers",
            Kind::Bool => return None,
        };
        let is_lacking = self.dialect.number(NumberType::new(ty.kind, ty.width, 1)).is_none();
        is_lacking.then(|| format!("{what} of {} bits", ty.width.bits()))
    }

    /// The same for functions, which name few types often.
    pub(super) fn shared_number_name(&mut self, ty: NumberType, at: Anchor) -> Rc<str> {
        if let Some(name) = self.number_names.get(&ty) {
            return name.clone();
        }
        let name: Rc<str> = self.number_name(ty, at).into();
        // A type that does not exist is refused at each place.
        if self.dialect.number(ty).is_some() {
            self.number_names.insert(ty, name.clone());
        }
        name
    }

    /// Infers the signature of a function.
    pub(super) fn signature(&mut self, func: Func) -> Rc<Signature> {
        if let Some(known) = self.signatures.get(&func) {
            return known.clone();
        }
        let module = self.module;
        let mut signature = Signature::default();
        if let Some(body) = module.func(func) {
            let types = self.cx.get::<Types>(module, func);
            let kind = |value: Inst| {
                super::number::kind_of_hint(types.hint(value), body.ty(value).width().unwrap_or_default())
            };
            signature.params = body.params().iter().map(|&param| kind(param)).collect();
            let returned =
                body.blocks_in_order().into_iter().find_map(|block| match body.terminator(block) {
                    Terminator::Return(value) => *value,
                    _ => None,
                });
            let result = returned.map_or(Kind::Uint, kind);
            signature.result = match body.result() {
                ty @ ValueType::Bits { .. } => NumberType::of(ty, result),
                ValueType::Void | ValueType::Path | ValueType::Ptr | ValueType::Handle => None,
            };
        }
        let signature = Rc::new(signature);
        self.signatures.insert(func, signature.clone());
        signature
    }

    /// Infers the kinds of numbers of module constants from aggregates, variables, then functions.
    pub(super) fn infer_constants(&mut self) {
        let module = self.module;
        for (global, data) in module.globals() {
            let GlobalValue::Parts(ty, parts) = &data.value else { continue };
            if data.attrs.has(Key::BuiltIn) {
                self.name_workgroup_size(global, parts);
            }
            for (at, part) in parts.iter().enumerate() {
                let Operand::Global(part) = *part else { continue };
                let part_type = match module.type_of(*ty) {
                    TypeData::Struct(id) => {
                        module.structure(*id).and_then(|data| data.members.get(at)).map(|member| member.ty)
                    }
                    _ => module.element_type(*ty),
                };
                if let Some(number) = part_type.and_then(|ty| self.number_type(ty)) {
                    self.global_kinds.entry(part).or_insert(number.kind);
                }
            }
        }
        for (_, data) in module.vars() {
            if let (Some(Operand::Global(global)), Some(number)) = (data.init, self.number_type(data.ty)) {
                self.global_kinds.entry(global).or_insert(number.kind);
            }
        }
        if module.globals().next().is_none() {
            return;
        }
        self.infer_constants_of_functions();
        self.dialect.settle_constant_kinds(self);
    }

    fn infer_constants_of_functions(&mut self) {
        let module = self.module;
        for (func, body) in module.funcs() {
            let types = self.cx.get::<Types>(module, func);
            body.for_each_inst(|_, inst| {
                let data = body.inst(inst);
                if data.op == Op::Basic(BasicOp::Global)
                    && let (Some(global), Some(width)) = (data.entity(Key::Global), data.ty.width())
                {
                    let kind = super::number::kind_of_hint(types.hint(inst), width);
                    self.global_kinds.entry(global).or_insert(kind);
                }
            });
        }
    }

    /// The declaration of a name of any type, without qualifiers. `None` if the language has no such type.
    pub(super) fn var_declaration(
        &mut self,
        name: &Rc<str>,
        link: Link,
        ty: Type,
        at: Anchor,
    ) -> Option<Vec<Token>> {
        self.dialect.declaration(self, name, link, ty, at)
    }

    /// The name of a type, and the lengths of arrays of it where they follow.
    pub(super) fn type_parts(&mut self, ty: Type, at: Anchor) -> Option<(String, Vec<Token>)> {
        self.dialect.type_parts(self, ty, at)
    }

    /// The constant that states the size of a workgroup in place of the execution mode.
    pub(super) fn local_size(&self) -> Option<Vec<Operand>> {
        self.module.globals().find_map(|(_, data)| match &data.value {
            GlobalValue::Parts(_, parts) if data.attrs.has(Key::BuiltIn) => Some(parts.to_vec()),
            _ => None,
        })
    }

    /// Names the constant of the size of a workgroup, and constants that are a component of it, in a language that declares
    /// it.
    fn name_workgroup_size(&mut self, global: Global, parts: &[Operand]) {
        let Some(name) = self.dialect.workgroup_size_name() else { return };
        self.globals.insert(global, name.into());
        for (part, axis) in parts.iter().zip(["x", "y", "z"]) {
            if let Operand::Global(part) = *part {
                self.globals.insert(part, format!("{name}.{axis}").into());
                self.global_kinds.insert(part, Kind::Uint);
            }
        }
    }
}
