//! The writer of a module: names of declarations, types, and what was found on the way: extensions and diagnostics.
//!
//! Functions are written first, because they decide which declarations and extensions are needed.

use super::dialect::Dialect;
use super::expr::{Token, punct, space};
use super::hlsl::Interface;
use super::names::Names;
use super::number::{Kind, NumberType};
use super::print::Line;
use super::wgsl::Prepared;
use crate::analysis::{Analyses, Types};
use crate::base::{EntitySet, SideTable};
use crate::ir::{
    Anchor, Diag, EntryPoint, Func, Global, GlobalValue, Inst, Module, Operand, Stage, Struct, Terminator,
    Type, TypeData, Var,
};
use crate::ops::{BasicOp, Key, Op, ValueType, Width};
use crate::text::{Class, Link};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;
use std::rc::Rc;

/// No entry point, or one of a stage that is not written.
pub(super) const ENTRY: &str = "W201";
/// An operation that the language does not have.
pub(super) const NO_OPERATION: &str = "W202";
/// A type or a variable that the language does not have.
pub(super) const NO_TYPE: &str = "W203";
/// A function that is not a tree, or has an exit that the language does not have.
pub(super) const SHAPE: &str = "W204";

/// The kinds of the parameters and of the result of a function.
#[derive(Clone, Debug, Default)]
pub(super) struct Signature {
    pub(super) params: Vec<Kind>,
    pub(super) result: Option<NumberType>,
}

/// The writer of a module.
pub(super) struct ModuleWriter<'m> {
    pub(super) module: &'m Module,
    pub(super) dialect: Dialect,
    pub(super) stage: Stage,
    pub(super) names: Names,
    pub(super) diags: Vec<Diag>,
    pub(super) extensions: BTreeSet<&'static str>,
    pub(super) cx: Analyses,
    pub(super) signatures: FxHashMap<Func, Rc<Signature>>,
    /// Variables in the order of their first use.
    pub(super) used_vars: Vec<Var>,
    pub(super) used_globals: Vec<Global>,
    /// System values of which every computation must give the same bits.
    pub(super) invariants: BTreeSet<&'static str>,
    /// Structures that are declared.
    pub(super) used_structs: Vec<Struct>,
    /// Kinds of the numbers of module constants.
    pub(super) global_kinds: FxHashMap<Global, Kind>,
    /// The facts that WGSL needs before functions are written.
    pub(super) wgsl: Prepared,
    /// The interface of an entry point of HLSL.
    pub(super) hlsl: Interface,
    /// Variables of images that are compared.
    pub(super) compared: FxHashSet<Var>,
    /// The variables in `used_vars`.
    declared: EntitySet<Var>,
    vars: SideTable<Var, Option<Rc<str>>>,
    structs: FxHashMap<Struct, Rc<str>>,
    members: FxHashMap<Struct, Rc<[Rc<str>]>>,
    funcs: FxHashMap<Func, Rc<str>>,
    globals: FxHashMap<Global, Rc<str>>,
}

impl<'m> ModuleWriter<'m> {
    /// A writer of a module with an entry point of a stage.
    pub(super) fn new(module: &'m Module, dialect: Dialect, stage: Stage) -> ModuleWriter<'m> {
        ModuleWriter {
            module,
            dialect,
            stage,
            names: Names::new(dialect.is_reserved()),
            diags: Vec::new(),
            extensions: BTreeSet::new(),
            cx: Analyses::new(),
            signatures: FxHashMap::default(),
            used_vars: Vec::new(),
            used_globals: Vec::new(),
            invariants: BTreeSet::new(),
            used_structs: Vec::new(),
            global_kinds: FxHashMap::default(),
            wgsl: Prepared::default(),
            hlsl: Interface::default(),
            compared: FxHashSet::default(),
            declared: EntitySet::new(),
            vars: SideTable::new(),
            structs: FxHashMap::default(),
            members: FxHashMap::default(),
            funcs: FxHashMap::default(),
            globals: FxHashMap::default(),
        }
    }

    /// Refuses a part of the program.
    pub(super) fn refuse(&mut self, code: &'static str, at: Anchor, says: impl Into<String>, help: &str) {
        let mut diag = Diag::error(code, at).says(says);
        if !help.is_empty() {
            diag = diag.help(help);
        }
        self.diags.push(diag);
    }

    /// The text of an interned name.
    pub(super) fn text(&self, name: Option<crate::ir::Text>) -> &'m str {
        name.map_or("", |name| self.module.text_of(name))
    }

    /// Names the variables, structures and constants of the module before any function, whose own names then differ: a
    /// local would hide one that is named later.
    pub(super) fn reserve_names(&mut self) {
        for (var, data) in self.module.vars() {
            if data.owner.is_none() && !data.attrs.has(Key::BuiltIn) {
                self.reserved_name(var);
            }
        }
        for structure in (0..self.module.sizes()[1]).map(crate::base::EntityId::from_index) {
            if self.module.structure(structure).is_some() {
                self.struct_name(structure);
            }
        }
    }

    /// The name of a variable of the module, which is declared.
    pub(super) fn var_name(&mut self, var: Var) -> Rc<str> {
        let name = self.reserved_name(var);
        if self.declared.insert(var) {
            self.used_vars.push(var);
        }
        name
    }

    fn reserved_name(&mut self, var: Var) -> Rc<str> {
        if let Some(name) = &self.vars[var] {
            return name.clone();
        }
        let data = self.module.var(var);
        let wanted = self.text(data.and_then(|data| data.name));
        let mode = data.map_or("var", |data| data.mode.name());
        let otherwise = format!("{mode}_{}", crate::base::EntityId::index(var));
        let name = self.names.fresh(wanted, &otherwise);
        self.vars[var] = Some(name.clone());
        name
    }

    /// The name of a function.
    pub(super) fn func_name(&mut self, func: Func) -> Rc<str> {
        if let Some(name) = self.funcs.get(&func) {
            return name.clone();
        }
        let wanted = self.text(self.module.func(func).and_then(crate::ir::FuncBody::name));
        let name = self.names.fresh(wanted, &format!("function_{}", crate::base::EntityId::index(func)));
        self.funcs.insert(func, name.clone());
        name
    }

    /// Gives the entry point its name.
    pub(super) fn name_entry(&mut self, func: Func, name: Rc<str>) {
        self.funcs.insert(func, name);
    }

    /// The name of a module constant, which is declared.
    pub(super) fn global_name(&mut self, global: Global) -> Rc<str> {
        if let Some(name) = self.globals.get(&global) {
            return name.clone();
        }
        let wanted = self.text(self.module.global(global).and_then(|data| data.name));
        let name = self.names.fresh(wanted, &format!("constant_{}", crate::base::EntityId::index(global)));
        self.globals.insert(global, name.clone());
        self.used_globals.push(global);
        name
    }

    /// The name of a structure.
    pub(super) fn struct_name(&mut self, structure: Struct) -> Rc<str> {
        if let Some(name) = self.structs.get(&structure) {
            return name.clone();
        }
        let wanted = self.text(self.module.structure(structure).and_then(|data| data.name));
        let name = self.names.fresh(wanted, &format!("Struct{}", crate::base::EntityId::index(structure)));
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
        let names: Rc<[Rc<str>]> =
            members.map(|(at, member)| own.fresh(self.text(member.name), &format!("member_{at}"))).collect();
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
        let (bits, components) = (ty.width.bits(), ty.components);
        let says = format!("a vector of {components} components of {bits} bits is no type of {language}");
        self.refuse(NO_TYPE, at, says, "use 1 to 4 components of 32 bits");
        "error".to_owned()
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

    /// The lines before the functions.
    pub(super) fn header(&mut self, entry: &EntryPoint) -> Vec<Line> {
        match self.dialect {
            Dialect::Glsl => self.glsl_header(entry),
            Dialect::Wgsl => self.wgsl_header(entry),
            Dialect::Hlsl => self.hlsl_header(entry),
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
        match self.dialect {
            Dialect::Glsl => self.glsl_declaration(name, link, ty, at),
            Dialect::Hlsl => self.hlsl_declaration(name, link, ty, at),
            Dialect::Wgsl => {
                let name = Token { text: name.clone().into(), class: Class::Name, link };
                let ty = self.wgsl_type(ty, None)?;
                Some(vec![name, punct(":"), space(), Token::new(Class::Type, ty)])
            }
        }
    }

    /// The name of a type, and the lengths of arrays of it where they follow.
    pub(super) fn type_parts(&mut self, ty: Type, at: Anchor) -> Option<(String, Vec<Token>)> {
        match self.dialect {
            Dialect::Glsl => self.glsl_type_parts(ty, at),
            Dialect::Hlsl => self.hlsl_type_parts(ty, at),
            Dialect::Wgsl => Some((self.wgsl_type(ty, None)?, Vec::new())),
        }
    }

    /// The constant that states the size of a workgroup in place of the execution mode.
    pub(super) fn local_size(&self) -> Option<Vec<Operand>> {
        self.module.globals().find_map(|(_, data)| match &data.value {
            GlobalValue::Parts(_, parts) if data.attrs.has(Key::BuiltIn) => Some(parts.to_vec()),
            _ => None,
        })
    }

    /// The constant of the size of a workgroup, and constants that are a component of it, have names in the language.
    fn name_workgroup_size(&mut self, global: Global, parts: &[Operand]) {
        if self.dialect != Dialect::Glsl {
            return;
        }
        self.globals.insert(global, "gl_WorkGroupSize".into());
        for (part, name) in
            parts.iter().zip(["gl_WorkGroupSize.x", "gl_WorkGroupSize.y", "gl_WorkGroupSize.z"])
        {
            if let Operand::Global(part) = *part {
                self.globals.insert(part, name.into());
                self.global_kinds.insert(part, Kind::Uint);
            }
        }
    }
}
