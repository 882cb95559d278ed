//! The declarations of one version of a module: what functions refer to, and what they run under.
//!
//! They share the tables of the version, so that a result computed from them can keep them, and a comparison with a later
//! version costs little if both share them. Function bodies, names, constants of plain bits and the debug table are no part
//! of them.

use super::module::{Decor, EntryPoint, Fact};
use super::{
    Attrs, CowVec, Func, Global, GlobalData, Module, Struct, StructData, Type, TypeData, Var, VarData,
};
use crate::base::EntityMap;
use std::rc::Rc;

/// The declarations of a version.
#[derive(Clone, PartialEq, Debug)]
pub struct Declarations {
    facts: CowVec<Fact>,
    entries: CowVec<EntryPoint>,
    decors: CowVec<Decor>,
    types: EntityMap<Type, TypeData>,
    structs: EntityMap<Struct, Option<Rc<StructData>>>,
    globals: EntityMap<Global, Option<Rc<GlobalData>>>,
    vars: EntityMap<Var, Option<Rc<VarData>>>,
    /// The functions, with what they declare.
    funcs: Vec<(Func, Attrs)>,
}

impl Declarations {
    /// The declarations of a module. Linear in the number of functions.
    pub fn of(module: &Module) -> Declarations {
        Declarations {
            facts: module.facts.clone(),
            entries: module.entries.clone(),
            decors: module.decors.clone(),
            types: module.types.values().clone(),
            structs: module.structs.clone(),
            globals: module.globals.clone(),
            vars: module.vars.clone(),
            funcs: module.funcs().map(|(func, body)| (func, body.attrs().clone())).collect(),
        }
    }

    /// Returns true if a module has the same declarations. Linear in the number of functions and in what the versions do
    /// not share. Types are compared by value: two versions that diverged may use one id for different types.
    pub fn are_of(&self, module: &Module) -> bool {
        let funcs = self.funcs.iter().map(|(func, attrs)| (*func, attrs));
        self.facts == module.facts
            && self.entries == module.entries
            && self.decors == module.decors
            && self.types == *module.types.values()
            && self.structs == module.structs
            && self.globals == module.globals
            && self.vars == module.vars
            && funcs.eq(module.funcs().map(|(func, body)| (func, body.attrs())))
    }
}
