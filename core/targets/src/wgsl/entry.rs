//! The entry point of WGSL: parameters for its inputs, a result for its outputs.
//!
//! An input or output that only the entry point uses is a parameter or a local variable. One that other functions use is a
//! private variable, too, which the entry point fills or returns.

use super::builtins::{find, zero};
use super::state::{Entry, Port, bindings};
use crate::atomic_places::atomics;
use crate::calls::{accessed_vars, callees_first};
use crate::expr::{Token, punct, space, words};
use crate::memory_uses::MemoryUses;
use crate::module::{ModuleWriter, NO_TYPE};
use crate::number::{Kind, NumberType};
use crate::print::Line;
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use std::rc::Rc;
use vitrine_ir::base::EntitySet;
use vitrine_ir::layout::parts;
use vitrine_ir::ops::words::InterpPlace;
use vitrine_ir::ops::{BasicOp, Builtin, DerefOp, GroupOp, Interp, IoOp, Key, Op};
use vitrine_ir::{Anchor, EntryPoint, Func, Help, Len, Mode, Module, Operand, Stage, TypeData, Var};
use vitrine_text::{Class, Link};

/// The most distances to planes.
const MOST_DISTANCES: u32 = 8;

/// The variables and members of interface variables that functions use.
#[derive(Default)]
struct Uses {
    /// Whole variables: true if a function other than the entry point uses it.
    vars: FxHashMap<Var, bool>,
    /// Members.
    members: FxHashMap<(Var, u64), bool>,
    /// System values that are read without a variable.
    values: BTreeMap<Builtin, bool>,
}

impl Uses {
    /// The uses in an entry point and in what it calls.
    fn of(module: &Module, entry: Func) -> Uses {
        let mut uses = Uses::default();
        for func in callees_first(module, entry) {
            let Some(body) = module.func(func) else { continue };
            let is_other = func != entry;
            body.for_each_inst(|_, inst| {
                let data = body.inst(inst);
                if let Op::Deref(DerefOp::Var) = data.op
                    && let Some(var) = data.entity::<Var>(Key::Var)
                {
                    *uses.vars.entry(var).or_default() |= is_other;
                }
                if let (Op::Io(IoOp::BuiltIn), Some(value)) = (data.op, data.attrs.word()) {
                    *uses.values.entry(value).or_default() |= is_other;
                }
                if let (Op::Deref(DerefOp::Field), Some(&of)) = (data.op, data.args.first())
                    && let Op::Deref(DerefOp::Var) = body.inst(of).op
                    && let (Some(var), Some(field)) =
                        (body.inst(of).entity(Key::Var), data.attrs.get(Key::Field))
                {
                    *uses.members.entry((var, field)).or_default() |= is_other;
                }
            });
        }
        uses
    }
}

impl ModuleWriter<'_> {
    /// Names entry points, and finds inputs, outputs, resources and atomics.
    pub(super) fn wgsl_prepare(&mut self, entries: &[EntryPoint]) {
        self.own.wgsl.bindings = bindings(self.module);
        self.own.wgsl.accessed = accessed_vars(self.module);
        self.atomics = atomics(self.module);
        self.memory_uses = MemoryUses::of(self.module);
        self.find_lengths();
        for entry in entries {
            self.find_barriers(entry);
        }
        let is_single = entries.len() == 1;
        for entry in entries {
            let wanted = if is_single { "main" } else { self.text(Some(entry.name)) };
            let name = self.names.fresh(wanted, "main");
            self.own.wgsl.entries.push(Entry { func: entry.func, name, ports: Vec::new(), result: None });
        }
        for (at, entry) in entries.iter().enumerate() {
            self.wgsl_begin_entry(at, entry);
            self.find_wgsl_ports(entry);
        }
    }

    /// Finds the functions that reach a barrier.
    fn find_barriers(&mut self, entry: &EntryPoint) {
        for func in callees_first(self.module, entry.func) {
            let Some(body) = self.module.func(func) else { continue };
            let mut has_barrier = false;
            body.for_each_inst(|_, inst| {
                let data = body.inst(inst);
                has_barrier |= match data.op {
                    Op::Group(GroupOp::Barrier) => !super::group::orders_nothing(data),
                    Op::Basic(BasicOp::Call) => data
                        .entity::<Func>(Key::Func)
                        .is_some_and(|callee| self.own.wgsl.with_barriers.contains(callee)),
                    _ => false,
                };
            });
            if has_barrier {
                self.own.wgsl.with_barriers.insert(func);
            }
        }
    }

    /// Begins an entry point: the parts of the module that follow belong to it.
    pub(super) fn wgsl_begin_entry(&mut self, at: usize, entry: &EntryPoint) {
        self.own.wgsl.current = at;
        self.stage = entry.stage;
        if let Some(name) = self.own.wgsl.entry().map(|entry| entry.name.clone()) {
            self.name_entry(entry.func, name);
        }
    }

    fn find_wgsl_ports(&mut self, entry: &EntryPoint) {
        let uses = Uses::of(self.module, entry.func);
        for &var in &entry.interface {
            let Some(data) = self.module.var(var).cloned() else { continue };
            if !matches!(data.mode, Mode::In | Mode::Out) {
                continue;
            }
            if let Some(value) = data.attrs.word() {
                if let Some(&is_other) = uses.vars.get(&var) {
                    self.builtin_port(var, data.mode, value, is_other, data.attrs.has(Key::Invariant));
                }
                continue;
            }
            if data.attrs.has(Key::Location) {
                self.location_port(var, uses.vars.get(&var).copied().unwrap_or(false));
                continue;
            }
            let TypeData::Struct(structure) = *self.module.type_of(data.ty) else { continue };
            let members =
                self.module.structure(structure).map(|data| data.members.clone()).unwrap_or_default();
            for (at, member) in (0u64..).zip(members.iter()) {
                if let (Some(value), Some(&is_other)) = (member.attrs.word(), uses.members.get(&(var, at))) {
                    self.builtin_port(var, data.mode, value, is_other, member.attrs.has(Key::Invariant));
                }
            }
        }
        for (value, is_other) in uses.values {
            self.value_port(value, is_other);
        }
        self.add_position();
        if self.own.wgsl.ports().iter().filter(|port| port.mode == Mode::Out).count() > 1 {
            let result = self.names.fresh("Output", "Output");
            if let Some(entry) = self.own.wgsl.entries.get_mut(self.own.wgsl.current) {
                entry.result = Some(result);
            }
        }
    }

    /// Adds the position to the results of a vertex shader that writes none: WGSL demands one. It is a zero, since any value
    /// is right where the program has none.
    fn add_position(&mut self) {
        let position = Builtin::Position;
        let Some(found) = find(position, Mode::Out, self.stage).filter(|_| self.stage == Stage::Vertex)
        else {
            return;
        };
        if self.own.wgsl.ports().iter().any(|port| port.mode == Mode::Out && port.has(position)) {
            return;
        }
        let name = self.names.fresh(found.variable, found.variable);
        self.add_port(Port {
            var: None,
            builtin: None,
            mode: Mode::Out,
            name,
            ty: found.ty,
            len: None,
            attributes: "@builtin(position)".to_owned(),
            is_private: false,
        });
    }

    /// Adds a port to the current entry point.
    fn add_port(&mut self, port: Port) {
        if let Some(entry) = self.own.wgsl.entries.get_mut(self.own.wgsl.current) {
            entry.ports.push(port);
        }
    }

    /// A system value that is zero wherever the language runs, as text.
    pub(super) fn wgsl_zero(&mut self, value: Builtin) -> Option<Token> {
        let comment = zero(value)?;
        self.own.wgsl.zeros.insert(comment);
        Some(Token::new(Class::Number, "0i"))
    }

    /// The port of a system value that is read without a variable, unless a variable has one.
    fn value_port(&mut self, value: Builtin, is_private: bool) {
        let is_it = |port: &Port| port.mode == Mode::In && port.has(value);
        let current = self.own.wgsl.current;
        if let Some(port) =
            self.own.wgsl.entries.get_mut(current).and_then(|it| it.ports.iter_mut().find(|it| is_it(it)))
        {
            port.is_private |= is_private;
            return;
        }
        let Some(found) = find(value, Mode::In, self.stage) else { return };
        let name = match self.own.wgsl.all_ports().find(|port| is_it(port)) {
            Some(port) => port.name.clone(),
            None => self.names.fresh(found.variable, found.variable),
        };
        self.extensions.extend(found.extension);
        self.add_port(Port {
            var: None,
            builtin: Some((value, found)),
            mode: Mode::In,
            name,
            ty: found.ty,
            len: None,
            attributes: format!("@builtin({})", found.name),
            is_private,
        });
    }

    /// The name and the type of a system value that is read without a variable.
    pub(super) fn wgsl_value(&self, value: Builtin) -> Option<(Rc<str>, NumberType)> {
        let port = self.own.wgsl.all_ports().find(|port| port.mode == Mode::In && port.has(value))?;
        Some((port.name.clone(), port.ty))
    }

    /// Returns true if a system value is an array here.
    pub(super) fn wgsl_is_array_port(&self, var: Var, value: Builtin) -> bool {
        self.own.wgsl.all_ports().any(|port| port.is_of(var, Some(value)) && port.len.is_some())
    }

    /// The number of elements of a system value that is an array: that of the variable, or of its member.
    fn port_len(&self, var: Var, value: Builtin) -> Option<u32> {
        let data = self.module.var(var)?;
        let ty = match *self.module.type_of(data.ty) {
            TypeData::Struct(structure) => {
                let members = &self.module.structure(structure)?.members;
                members.iter().find(|member| member.attrs.word() == Some(value))?.ty
            }
            _ => data.ty,
        };
        self.module.element_count(ty)
    }

    fn builtin_port(&mut self, var: Var, mode: Mode, value: Builtin, is_private: bool, is_invariant: bool) {
        // The use of one that does not exist is refused where it is.
        let Some(found) = find(value, mode, self.stage) else { return };
        // Functions that several entry points call have one name for it.
        let name = match self.wgsl_port(var, Some(value)) {
            Some((name, _)) => name,
            None => self.names.fresh(found.variable, found.variable),
        };
        self.extensions.extend(found.extension);
        let invariant = if is_invariant && found.name == "position" { "@invariant " } else { "" };
        let attributes = format!("{invariant}@builtin({})", found.name);
        let len = if found.is_array { self.port_len(var, value) } else { None };
        if let Some(len) = len.filter(|&len| len > MOST_DISTANCES) {
            let says = format!("{var} has {len} distances to planes, and WGSL at most {MOST_DISTANCES}");
            self.refuse(NO_TYPE, Anchor::Var(var), says, "");
        }
        self.add_port(Port {
            var: Some(var),
            builtin: Some((value, found)),
            mode,
            name,
            ty: found.ty,
            len,
            attributes,
            is_private,
        });
    }

    fn location_port(&mut self, var: Var, is_private: bool) {
        let Some(data) = self.module.var(var).cloned().filter(|_| !self.refuses_per_vertex(var)) else {
            return;
        };
        let number = self.number_type(data.ty).filter(|ty| ty.kind != Kind::Bool);
        let Some(ty) = number else {
            let says = format!("{var} is an input or output that is no number and no vector");
            let help = Help::by_pass(
                "io-arrays-to-elements",
                "splits arrays, matrices and structures without an initializer",
            );
            return self.refuse(NO_TYPE, Anchor::Var(var), says, help);
        };
        if self.refuses_component(var) || self.refuses_index(var) {
            return;
        }
        let location = data.attrs.get(Key::Location).unwrap_or(0);
        let mut attributes = format!("@location({location})");
        let is_between =
            matches!((self.stage, data.mode), (Stage::Fragment, Mode::In) | (Stage::Vertex, Mode::Out));
        if is_between {
            attributes.push_str(interpolation(data.attrs.words(), ty.kind));
        }
        let name = self.var_name(var);
        self.add_port(Port {
            var: Some(var),
            builtin: None,
            mode: data.mode,
            name,
            ty,
            len: None,
            attributes,
            is_private,
        });
    }

    /// Finds specialization constants that are lengths of arrays outside of the memory of a workgroup, or of parts of it, and
    /// those that they are computed from. The language has no such lengths; the constants have their defaults.
    fn find_lengths(&mut self) {
        let mut work = Vec::new();
        for (_, data) in self.module.vars() {
            // The outermost length of a variable of the workgroup is one that the language has.
            let outermost = match *self.module.type_of(data.ty) {
                TypeData::Array { of, len, .. } if data.mode == Mode::Shared => {
                    self.own.wgsl.sizes.extend(match len {
                        Len::Global(global) => Some(global),
                        Len::Count(_) => None,
                    });
                    of
                }
                _ => data.ty,
            };
            let mut types = vec![outermost];
            let mut seen = EntitySet::new();
            while let Some(ty) = types.pop() {
                if seen.insert(ty) {
                    if let TypeData::Array { len: Len::Global(global), .. } = *self.module.type_of(ty) {
                        work.push(global);
                        self.own.wgsl.sizes.insert(global);
                    }
                    types.extend(parts(self.module, ty));
                }
            }
        }
        while let Some(global) = work.pop() {
            if self.own.wgsl.lengths.insert(global) {
                let operands = self.module.global(global).map_or(&[][..], |data| data.value.operands());
                work.extend(operands.iter().filter_map(|operand| match operand {
                    Operand::Global(of) => Some(*of),
                    Operand::Bits(_) => None,
                }));
            }
        }
    }

    /// The port of a variable, or of a system value in it.
    pub(super) fn wgsl_port(&self, var: Var, builtin: Option<Builtin>) -> Option<(Rc<str>, NumberType)> {
        let port = self.own.wgsl.all_ports().find(|port| port.is_of(var, builtin))?;
        Some((port.name.clone(), port.ty))
    }

    /// True for an input that only the entry point uses and for an output that it returns from a local variable.
    pub(super) fn is_port(&self, var: Var) -> bool {
        self.own.wgsl.all_ports().any(|port| port.var == Some(var))
    }

    /// Declarations of inputs and outputs that other functions use.
    pub(super) fn private_ports(&mut self) -> Vec<Line> {
        let mut ports: Vec<Port> = Vec::new();
        for port in self.own.wgsl.all_ports().filter(|port| port.is_private) {
            if !ports.iter().any(|other| other.name == port.name) {
                ports.push(port.clone());
            }
        }
        ports.iter().map(|port| Line::new(0, self.port_variable(port, "var<private>"))).collect()
    }

    fn port_type(&mut self, port: &Port) -> String {
        let name = self.number_name(port.ty, port.anchor());
        port.len.map_or(name.clone(), |len| format!("array<{name}, {len}>"))
    }

    fn port_variable(&mut self, port: &Port, keyword: &'static str) -> Vec<Token> {
        let ty = self.port_type(port);
        vec![
            Token::new(Class::Keyword, keyword),
            space(),
            Token { text: port.name.clone().into(), class: Class::Name, link: Link::Def(port.anchor()) },
            punct(":"),
            space(),
            Token::new(Class::Type, ty),
            punct(";"),
        ]
    }

    /// The structures of the results of entry points that have several.
    pub(super) fn result_lines(&mut self) -> Vec<Line> {
        let mut lines = Vec::new();
        for entry in self.own.wgsl.entries.clone() {
            let Some(name) = entry.result else { continue };
            if !lines.is_empty() {
                lines.push(Line::empty());
            }
            let head = [Token::new(Class::Keyword, "struct"), space(), Token::new(Class::Type, name)];
            lines.push(Line::new(0, head.into_iter().chain([space(), punct("{")]).collect()));
            for port in entry.ports.iter().filter(|port| port.mode == Mode::Out) {
                let mut tokens = words(Class::Attr, &port.attributes);
                tokens.extend([space(), Token::linked(Class::Name, port.name.clone(), port.anchor())]);
                let ty = self.port_type(port);
                tokens.extend([punct(":"), space(), Token::new(Class::Type, ty), punct(",")]);
                lines.push(Line::new(1, tokens));
            }
            lines.push(Line::new(0, vec![punct("}")]));
        }
        lines
    }

    /// The line with the attributes of the entry point, its head, and its first statements.
    pub(super) fn wgsl_entry(&mut self, name: Rc<str>, anchor: Anchor) -> (Vec<Line>, Vec<Token>, Vec<Line>) {
        let attribute = match self.stage {
            Stage::Vertex => "@vertex".to_owned(),
            Stage::Fragment => "@fragment".to_owned(),
            _ => format!("@compute @workgroup_size({})", self.workgroup_size()),
        };
        let mut lines = Vec::new();
        if self.own.wgsl.ports().iter().any(|port| port.var.is_none() && port.builtin.is_none()) {
            lines.push(Line::text("// The program writes no position: WGSL demands one."));
        }
        lines.push(Line::new(0, words(Class::Attr, &attribute)));
        let mut head = vec![Token::new(Class::Keyword, "fn"), space()];
        head.push(Token { text: name.into(), class: Class::Name, link: Link::Def(anchor) });
        head.push(punct("("));
        let mut first = Vec::new();
        let mut count = 0;
        for port in self.own.wgsl.ports() {
            if port.mode == Mode::Out {
                if !port.is_private {
                    first.push(Line::new(1, self.port_variable(&port, "var")));
                }
                continue;
            }
            let name = match port.is_private {
                true => self.names.fresh(&format!("{}_in", port.name), "in"),
                false => port.name.clone(),
            };
            if port.is_private {
                first.push(Line::new(1, words(Class::Name, &format!("{} = {name};", port.name))));
            }
            if count > 0 {
                head.extend([punct(","), space()]);
            }
            count += 1;
            head.extend(words(Class::Attr, &port.attributes));
            let link = Link::Def(port.anchor());
            head.extend([
                space(),
                Token { text: name.into(), class: Class::Name, link },
                punct(":"),
                space(),
            ]);
            let ty = self.number_name(port.ty, port.anchor());
            head.push(Token::new(Class::Type, ty));
        }
        head.extend([punct(")"), space()]);
        let outputs: Vec<Port> =
            self.own.wgsl.ports().into_iter().filter(|port| port.mode == Mode::Out).collect();
        let result = self.own.wgsl.entry().and_then(|entry| entry.result.clone());
        let result = match (&result, &outputs[..]) {
            (Some(name), _) => vec![Token::new(Class::Type, name.clone())],
            (None, [one]) => {
                let ty = self.port_type(one);
                let mut tokens = words(Class::Attr, &one.attributes);
                tokens.extend([space(), Token::new(Class::Type, ty)]);
                tokens
            }
            (None, _) => Vec::new(),
        };
        if !result.is_empty() {
            head.extend([punct("->"), space()]);
            head.extend(result);
            head.push(space());
        }
        head.push(punct("{"));
        (lines, head, first)
    }

    /// The result of the entry point: nothing, an output, or all of them.
    pub(super) fn wgsl_result(&self, func: Func) -> Option<Vec<Token>> {
        let entry = self.own.wgsl.entry().filter(|entry| entry.func == func)?;
        let mut tokens = Vec::new();
        for port in entry.ports.iter().filter(|port| port.mode == Mode::Out) {
            if !tokens.is_empty() {
                tokens.extend([punct(","), space()]);
            }
            tokens.push(Token::linked(Class::Name, port.name.clone(), port.anchor()));
        }
        if let Some(name) = &entry.result {
            tokens.splice(0..0, [Token::new(Class::Type, name.clone()), punct("(")]);
            tokens.push(punct(")"));
        }
        Some(tokens)
    }

    fn workgroup_size(&mut self) -> String {
        let entry = self.module.entries.get(self.own.wgsl.current);
        let modes = entry.map(|entry| entry.modes.clone()).unwrap_or_default();
        let own = modes.iter().find(|mode| mode.mode.is_local_size());
        let sizes = self.local_size().or_else(|| own.map(|mode| mode.args.to_vec())).unwrap_or_default();
        let sizes: Vec<String> = sizes.into_iter().take(3).map(|size| self.size_text(size)).collect();
        sizes.join(", ")
    }

    fn size_text(&mut self, size: Operand) -> String {
        match size {
            Operand::Bits(bits) => self.module.bits_of(bits).component(0).bits().to_string(),
            Operand::Global(global) => self.global_name(global).to_string(),
        }
    }
}

/// The attribute of interpolation, with a space before it. Integers are flat in any case.
fn interpolation(interp: Interp, kind: Kind) -> &'static str {
    if interp.has(Interp::FLAT) || kind != Kind::Float {
        return " @interpolate(flat)";
    }
    match (interp.place(), interp.has(Interp::NOPERSPECTIVE)) {
        (InterpPlace::Center, false) => "",
        (InterpPlace::Center, true) => " @interpolate(linear)",
        (InterpPlace::Centroid, false) => " @interpolate(perspective, centroid)",
        (InterpPlace::Centroid, true) => " @interpolate(linear, centroid)",
        (InterpPlace::Sample, false) => " @interpolate(perspective, sample)",
        (InterpPlace::Sample, true) => " @interpolate(linear, sample)",
    }
}
