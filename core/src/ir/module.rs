//! A module: functions, variables, module constants, entry points, and the tables they share.
//!
//! `clone` is a snapshot and costs a few spines of pointers.

use super::func::SharedBody;
use super::{
    Blob, Const, CowVec, Func, FuncBody, Global, GlobalData, ModeUse, Operand, Stage, Struct, StructData,
    Text, Type, TypeData, Var, VarData,
};
use crate::base::{EntityMap, Interner};
use crate::ops::{Bits, ValueType};
use std::rc::Rc;

/// A whole program.
#[derive(Clone, Debug, Default)]
pub struct Module {
    /// Facts about the module as a whole, in order.
    pub facts: CowVec<Fact>,
    /// Entry points.
    pub entries: CowVec<EntryPoint>,
    /// Decorations the IR has no field for, carried along.
    pub decors: CowVec<Decor>,
    pub(super) texts: Interner<Text, Rc<str>>,
    pub(super) blobs: Interner<Blob, Rc<[u32]>>,
    pub(super) types: Interner<Type, TypeData>,
    pub(super) consts: Interner<Const, Bits>,
    pub(super) structs: EntityMap<Struct, Option<Rc<StructData>>>,
    pub(super) globals: EntityMap<Global, Option<Rc<GlobalData>>>,
    pub(super) vars: EntityMap<Var, Option<Rc<VarData>>>,
    pub(super) funcs: EntityMap<Func, Option<SharedBody>>,
}

/// Something said about the module as a whole, such as a capability.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Fact {
    /// What is said.
    pub key: FactKey,
    /// The word or number said.
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

            /// The spelling behind `module`.
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
    /// A note of the tool that processed the module.
    Processed "processed";
}

impl FactKey {
    /// The kind of this spelling.
    pub fn from_name(name: &str) -> Option<FactKey> {
        FactKey::ALL.iter().copied().find(|key| key.name() == name)
    }
}

/// A way into the module.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct EntryPoint {
    /// Its name; need not be the function's.
    pub name: Text,
    /// The stage it is for.
    pub stage: Stage,
    /// What runs.
    pub func: Func,
    /// Variables it declares to use.
    pub interface: Vec<Var>,
    /// Execution modes.
    pub modes: Vec<ModeUse>,
}

/// A decoration the IR has no field for.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Decor {
    /// What is decorated.
    pub on: DecorTarget,
    /// SPIR-V's number of the decoration.
    pub number: u32,
    /// Literal operands.
    pub words: Option<Blob>,
    /// String operand.
    pub text: Option<Text>,
}

/// What can carry a decoration.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
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
    /// An empty module.
    pub fn new() -> Module {
        Module::default()
    }

    /// The id of a text.
    pub fn text(&mut self, text: &str) -> Text {
        self.texts.intern(text.into())
    }

    /// What a text says.
    pub fn text_of(&self, text: Text) -> &str {
        self.texts.get(text).map_or("", |text| text)
    }

    /// The id of a list of words.
    pub fn blob(&mut self, words: &[u32]) -> Blob {
        self.blobs.intern(words.into())
    }

    /// The words of a blob; none for an id of another module.
    pub fn blob_of(&self, blob: Blob) -> &[u32] {
        self.blobs.get(blob).map_or(&[], |words| words)
    }

    /// The id of a full type.
    pub fn ty(&mut self, ty: TypeData) -> Type {
        self.types.intern(ty)
    }

    /// A full type by id.
    pub fn type_of(&self, ty: Type) -> &TypeData {
        self.types.get(ty).unwrap_or(&TypeData::Void)
    }

    /// The id of constant bits.
    pub fn bits(&mut self, bits: Bits) -> Const {
        self.consts.intern(bits)
    }

    /// Constant bits by id.
    pub fn bits_of(&self, bits: Const) -> Bits {
        self.consts.get(bits).copied().unwrap_or_default()
    }

    /// Whether an interned id is of this module.
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

    /// Variables in id order, locals among them.
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

    /// Declares a structure under a given id, or changes one.
    pub fn set_struct(&mut self, id: Struct, data: StructData) {
        self.structs.set(id, Some(Rc::new(data)));
    }

    /// Declares a module constant under a given id, or changes one.
    pub fn set_global(&mut self, id: Global, data: GlobalData) {
        self.globals.set(id, Some(Rc::new(data)));
    }

    /// Declares a variable under a given id, or changes one.
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

    /// Takes a variable out. Its id stays taken.
    pub fn remove_var(&mut self, id: Var) {
        if self.vars.contains(id) {
            self.vars[id] = None;
        }
    }

    /// Takes a function out. Its id stays taken.
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

    /// Whether facts, entry points, decorations, structures, constants, variables and the list of functions are
    /// those of another version. Functions themselves are not looked into. Near-constant where versions share.
    pub fn same_declarations(&self, other: &Module) -> bool {
        let funcs = || self.funcs.keys().all(|at| self.func(at).is_some() == other.func(at).is_some());
        self.facts == other.facts
            && self.entries == other.entries
            && self.decors == other.decors
            && self.structs == other.structs
            && self.globals == other.globals
            && self.vars == other.vars
            && self.funcs.len() == other.funcs.len()
            && funcs()
    }

    /// Number of type ids, text ids, and so on that a side table over the module needs.
    pub fn sizes(&self) -> [usize; 4] {
        [self.types.len(), self.vars.len(), self.funcs.len(), self.globals.len()]
    }

    /// Type of the value a constant operand has, where it is one value.
    pub fn operand_type(&self, operand: Operand) -> Option<ValueType> {
        match operand {
            Operand::Bits(bits) => Some(self.bits_of(bits).ty()),
            Operand::Global(global) => self.global_type(global),
        }
    }

    /// Type of the value a module constant has, where it is one value; aggregates have none.
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

    /// The type a value loaded from a place of full type `ty` has; aggregates have none.
    pub fn value_type(&self, ty: Type) -> Option<ValueType> {
        use crate::ops::Width;
        match self.type_of(ty) {
            TypeData::Bool => Some(ValueType::BOOL),
            TypeData::Int { width, .. } | TypeData::Float { width } => Some(ValueType::bits(*width, 1)),
            TypeData::Vector { of, lanes } => match self.type_of(*of) {
                TypeData::Bool => Some(ValueType::bits(Width::W1, *lanes)),
                TypeData::Int { width, .. } | TypeData::Float { width } => {
                    Some(ValueType::bits(*width, *lanes))
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
