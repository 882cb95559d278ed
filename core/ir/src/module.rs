//! A module: functions, variables, module constants, entry points, and the tables they share.
//!
//! `clone` is a snapshot and costs a few spines of pointers.

use super::func::SharedBody;
use super::{
    Blob, Const, CowVec, DebugTable, ExecutionMode, Func, FuncBody, Global, GlobalData, ModeUse, Operand,
    Stage, Struct, StructData, Text, Type, TypeData, Var, VarData,
};
use crate::base::{EntityMap, Interner};
use crate::ops::{Bits, ValueType};
use serde::{Deserialize, Serialize};
use std::rc::Rc;

/// A whole program.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Module {
    /// Facts about the module as a whole, in order.
    pub facts: CowVec<Fact>,
    /// Entry points.
    pub entries: CowVec<EntryPoint>,
    /// Decorations that the IR has no field for; they pass through unchanged.
    pub decors: CowVec<Decor>,
    pub(super) texts: Interner<Text, Rc<str>>,
    pub(super) blobs: Interner<Blob, Rc<[u32]>>,
    pub(super) types: Interner<Type, TypeData>,
    pub(super) consts: Interner<Const, Bits>,
    pub(super) structs: EntityMap<Struct, Option<Rc<StructData>>>,
    pub(super) globals: EntityMap<Global, Option<Rc<GlobalData>>>,
    pub(super) vars: EntityMap<Var, Option<Rc<VarData>>>,
    pub(super) funcs: EntityMap<Func, Option<SharedBody>>,
    pub(super) debug: DebugTable,
}

/// A statement about the module as a whole, such as a capability.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub struct Fact {
    /// The subject.
    pub key: FactKey,
    /// The word or number stated.
    pub value: Text,
}

macro_rules! facts {
    ($($(#[doc = $doc:literal])+ $variant:ident $name:literal;)*) => {
        /// Kinds of facts.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
        pub enum FactKey { $($(#[doc = $doc])+ $variant,)* }

        impl FactKey {
            /// Every kind.
            pub const ALL: &'static [FactKey] = &[$(FactKey::$variant),*];

            /// The spelling after `module`.
            pub fn name(self) -> &'static str {
                [$($name),*][self as usize]
            }
        }
    };
}

facts! {
    /// Version of SPIR-V, such as `1.6`.
    Version "version";
    /// Generator magic of the header.
    Generator "generator";
    /// A capability by its SPIR-V name.
    Capability "capability";
    /// An extension by name.
    Extension "extension";
    /// An instruction set that is imported.
    Import "import";
    /// Addressing model by its SPIR-V name.
    Addressing "addressing";
    /// Memory model by its SPIR-V name.
    Memory "memory";
    /// Language of the source.
    Language "language";
    /// Name of the source file.
    File "file";
    /// Text of the source.
    Source "source";
    /// A note by a tool that processed the module.
    Processed "processed";
    /// Accesses that are defined out of bounds: `all` if such a read gives 0 and such a write has no effect. SPIR-V
    /// leaves it to the device.
    Robust "robust";
}

impl FactKey {
    /// The kind of this spelling.
    pub fn from_name(name: &str) -> Option<FactKey> {
        FactKey::ALL.iter().copied().find(|key| key.name() == name)
    }
}

/// An entry point of the module.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct EntryPoint {
    /// Its name, which may differ from the function's.
    pub name: Text,
    /// Its stage.
    pub stage: Stage,
    /// The function.
    pub func: Func,
    /// Variables of its interface.
    pub interface: Vec<Var>,
    /// Execution modes.
    pub modes: Vec<ModeUse>,
}

impl EntryPoint {
    /// The first use of an execution mode. Linear in the number of modes.
    pub fn mode(&self, mode: ExecutionMode) -> Option<&ModeUse> {
        self.modes.iter().find(|used| used.mode == mode)
    }

    /// Returns true if it has an execution mode. Linear in the number of modes.
    pub fn has_mode(&self, mode: ExecutionMode) -> bool {
        self.mode(mode).is_some()
    }
}

/// A decoration the IR has no field for.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub struct Decor {
    /// The decorated entity.
    pub on: DecorTarget,
    /// SPIR-V number of the decoration.
    pub number: u32,
    /// Literal operands.
    pub words: Option<Blob>,
    /// String operand.
    pub text: Option<Text>,
}

/// An entity that a decoration applies to.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub enum DecorTarget {
    /// A variable.
    Var(Var),
    /// A function.
    Func(Func),
    /// A module constant.
    Global(Global),
    /// A structure.
    Struct(Struct),
    /// A member of a structure.
    Member(Struct, u32),
}

impl Module {
    /// A module without contents that shares the numbers of types, texts and constants with this one.
    #[must_use]
    pub fn emptied(&self) -> Module {
        Module {
            texts: self.texts.clone(),
            blobs: self.blobs.clone(),
            types: self.types.clone(),
            consts: self.consts.clone(),
            ..Module::new()
        }
    }

    /// An empty module.
    pub fn new() -> Module {
        Module::default()
    }

    /// Interns a text.
    pub fn text(&mut self, text: &str) -> Text {
        self.texts.intern(text.into())
    }

    /// Returns true if the module declares a capability. Linear in the number of facts.
    pub fn declares(&self, capability: &str) -> bool {
        let is_it = |fact: &Fact| fact.key == FactKey::Capability && self.text_of(fact.value) == capability;
        self.facts.iter().any(is_it)
    }

    /// The content of an interned text.
    pub fn text_of(&self, text: Text) -> &str {
        self.texts.get(text).map_or("", |text| text)
    }

    /// The name of a variable; none if it has none, or an empty one.
    pub fn stated_name(&self, var: Var) -> Option<&str> {
        let name = self.text_of(self.var(var)?.name?);
        (!name.is_empty()).then_some(name)
    }

    /// The name of a variable, or its number.
    pub fn name_of(&self, var: Var) -> String {
        self.stated_name(var).map_or_else(|| var.to_string(), str::to_owned)
    }

    /// Interns a list of words.
    pub fn blob(&mut self, words: &[u32]) -> Blob {
        self.blobs.intern(words.into())
    }

    /// The words of a blob; empty for an id of another module.
    pub fn blob_of(&self, blob: Blob) -> &[u32] {
        self.blobs.get(blob).map_or(&[], |words| words)
    }

    /// Interns a full type.
    pub fn ty(&mut self, ty: TypeData) -> Type {
        self.types.intern(ty)
    }

    /// A full type by id.
    pub fn type_of(&self, ty: Type) -> &TypeData {
        self.types.get(ty).unwrap_or(&TypeData::Void)
    }

    /// Interns constant bits.
    pub fn bits(&mut self, bits: Bits) -> Const {
        self.consts.intern(bits)
    }

    /// Constant bits by id.
    pub fn bits_of(&self, bits: Const) -> Bits {
        self.consts.get(bits).copied().unwrap_or_default()
    }

    /// Returns true if an interned constant belongs to this module.
    pub fn has_const(&self, bits: Const) -> bool {
        self.consts.get(bits).is_some()
    }

    /// A structure that was declared.
    pub fn structure(&self, structure: Struct) -> Option<&StructData> {
        self.structs.get(structure)?.as_deref()
    }

    /// A module constant that was declared.
    pub fn global(&self, global: Global) -> Option<&GlobalData> {
        self.globals.get(global)?.as_deref()
    }

    /// A variable that was declared.
    pub fn var(&self, var: Var) -> Option<&VarData> {
        self.vars.get(var)?.as_deref()
    }

    /// A function that was declared.
    pub fn func(&self, func: Func) -> Option<&FuncBody> {
        self.funcs.get(func)?.as_deref()
    }

    /// Structures in id order.
    pub fn structs(&self) -> impl Iterator<Item = (Struct, &StructData)> + '_ {
        self.structs.iter().filter_map(|(id, data)| Some((id, data.as_deref()?)))
    }

    /// Module constants in id order.
    pub fn globals(&self) -> impl Iterator<Item = (Global, &GlobalData)> + '_ {
        self.globals.iter().filter_map(|(id, data)| Some((id, data.as_deref()?)))
    }

    /// Variables in id order, including locals.
    pub fn vars(&self) -> impl Iterator<Item = (Var, &VarData)> + '_ {
        self.vars.iter().filter_map(|(id, data)| Some((id, data.as_deref()?)))
    }

    /// Functions in id order.
    pub fn funcs(&self) -> impl Iterator<Item = (Func, &FuncBody)> + '_ {
        self.funcs.iter().filter_map(|(id, data)| Some((id, data.as_deref()?)))
    }

    /// Declares a structure under the next id.
    pub fn add_struct(&mut self, data: StructData) -> Struct {
        self.structs.push(Some(Rc::new(data)))
    }

    /// Declares a module constant under the next id.
    pub fn add_global(&mut self, data: GlobalData) -> Global {
        self.globals.push(Some(Rc::new(data)))
    }

    /// Declares a variable under the next id.
    pub fn add_var(&mut self, data: VarData) -> Var {
        self.vars.push(Some(Rc::new(data)))
    }

    /// Declares a function under the next id.
    pub fn add_func(&mut self, body: FuncBody) -> Func {
        self.funcs.push(Some(Rc::new(body)))
    }

    /// Declares a structure under a given id, or replaces it.
    pub fn set_struct(&mut self, id: Struct, data: StructData) {
        self.structs.set(id, Some(Rc::new(data)));
    }

    /// Declares a module constant under a given id, or replaces it.
    pub fn set_global(&mut self, id: Global, data: GlobalData) {
        self.globals.set(id, Some(Rc::new(data)));
    }

    /// Declares a variable under a given id, or replaces it.
    pub fn set_var(&mut self, id: Var, data: VarData) {
        self.vars.set(id, Some(Rc::new(data)));
    }

    /// Gives a function its first body: one that is declared under this id without a body, or a new one. Returns
    /// false and changes nothing if the function has a body; an [`Editor`](super::Editor) changes that one.
    pub fn define_func(&mut self, id: Func, body: FuncBody) -> bool {
        let is_open = self.func(id).is_none_or(|known| *known.shape() == super::Shape::Declaration);
        if is_open {
            self.set_func(id, body);
        }
        is_open
    }

    /// Puts a body under an id.
    pub(super) fn set_func(&mut self, id: Func, body: FuncBody) {
        self.funcs.set(id, Some(Rc::new(body)));
    }

    /// Removes a variable. Its id is not reused.
    pub fn remove_var(&mut self, id: Var) {
        if self.vars.contains(id) {
            self.vars[id] = None;
        }
    }

    /// Removes a function. Its id is not reused.
    pub fn remove_func(&mut self, id: Func) {
        if self.funcs.contains(id) {
            self.funcs[id] = None;
        }
    }

    /// The body of a function for writing; copied if another version shares it.
    pub(super) fn body_mut(&mut self, func: Func) -> Option<&mut FuncBody> {
        self.funcs.get(func)?;
        self.funcs[func].as_mut().map(Rc::make_mut)
    }

    /// Returns true if facts, entry points, decorations, structures, constants, variables and the list of
    /// functions are the same in both versions. Function bodies are not compared. Nearly constant time if
    /// versions share them.
    pub fn same_declarations(&self, other: &Module) -> bool {
        let funcs = || self.funcs.keys().all(|at| self.func(at).is_some() == other.func(at).is_some());
        self.facts == other.facts
            && self.entries == other.entries
            && self.decors == other.decors
            && self.structs == other.structs
            && self.globals == other.globals
            && self.vars == other.vars
            && self.funcs.len() == other.funcs.len()
            && self.debug.is_same(&other.debug)
            && funcs()
    }

    /// The number of type ids, text ids, and so on, for sizing side tables over the module.
    pub fn sizes(&self) -> [usize; 4] {
        [self.types.len(), self.vars.len(), self.funcs.len(), self.globals.len()]
    }

    /// Type of a constant operand, if it is a single value.
    pub fn operand_type(&self, operand: Operand) -> Option<ValueType> {
        match operand {
            Operand::Bits(bits) => Some(self.bits_of(bits).ty()),
            Operand::Global(global) => self.global_type(global),
        }
    }

    /// Type of a module constant, if it is a single value; aggregates have none.
    pub fn global_type(&self, global: Global) -> Option<ValueType> {
        use super::GlobalValue;
        match &self.global(global)?.value {
            GlobalValue::Spec(bits) => Some(self.bits_of(*bits).ty()),
            GlobalValue::Op { ty, .. } => Some(*ty),
            GlobalValue::Address(_) => Some(ValueType::Path),
            GlobalValue::Parts(ty, _) | GlobalValue::Zero(ty) | GlobalValue::Undef(ty) => {
                self.value_type(*ty)
            }
        }
    }

    /// The type of a value loaded from memory of full type `ty`; aggregates have none.
    pub fn value_type(&self, ty: Type) -> Option<ValueType> {
        use crate::ops::Width;
        match self.type_of(ty) {
            TypeData::Bool => Some(ValueType::BOOL),
            TypeData::Int { width, .. } | TypeData::Float { width } => Some(ValueType::bits(*width, 1)),
            TypeData::Vector { of, components } => match self.type_of(*of) {
                TypeData::Bool => Some(ValueType::bits(Width::W1, *components)),
                TypeData::Int { width, .. } | TypeData::Float { width } => {
                    Some(ValueType::bits(*width, *components))
                }
                _ => None,
            },
            TypeData::Pointer { .. } => Some(ValueType::Path),
            TypeData::Image(_)
            | TypeData::Sampler
            | TypeData::SampledImage(_)
            | TypeData::AccelStruct
            | TypeData::RayQuery
            | TypeData::Opaque(_) => Some(ValueType::Handle),
            TypeData::Void
            | TypeData::Matrix { .. }
            | TypeData::Array { .. }
            | TypeData::RuntimeArray { .. }
            | TypeData::Struct(_) => None,
        }
    }
}
