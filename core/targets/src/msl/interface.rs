//! Finds the interface of the entry point of MSL: inputs and outputs, numbers of resources, and what each function uses of
//! the module, directly or by its callees.

use super::builtins::{BuiltIn, find};
use super::layout::Memory;
use super::places::msl_numbers;
use super::state::{Class, Content, Need, Port};
use crate::calls::callees_first;
use crate::module::{ModuleWriter, NO_TYPE};
use crate::number::Kind;
use crate::operands::{PathRoot, combined, root};
use rustc_hash::FxHashSet;
use vitrine_analysis::{LayoutTarget, Numbering, ResourceKind};
use vitrine_ir::base::EntityId;
use vitrine_ir::ops::attr::Role;
use vitrine_ir::ops::words::InterpPlace;
use vitrine_ir::ops::{BasicOp, Builtin, DerefOp, Interp, IoOp, Key, MemoryOp, Op, TexOp, Width};
use vitrine_ir::{
    Anchor, EntryPoint, ExecutionMode, Func, Help, Inst, Mode, Module, Stage, Type, TypeData, Var, VarData,
};

impl ModuleWriter<'_> {
    /// Finds inputs, outputs, resources, and the needs of functions.
    pub(super) fn msl_prepare(&mut self, entry: &EntryPoint) {
        for word in ["in", "out", "buffer_bytes"] {
            self.names.fresh(word, word);
        }
        let wanted = match self.module.text_of(entry.name) {
            "main" => "main0",
            name => name,
        };
        let name = self.names.fresh(wanted, "main0");
        let name = if wanted == "main0" { "main0".into() } else { name };
        self.name_entry(entry.func, name);
        self.own.msl.entry = Some(entry.func);
        self.own.msl.version = 24;
        self.prepare_queries();
        self.prepare_objects();
        self.own.msl.structures = [self.names.fresh("Input", "Input"), self.names.fresh("Output", "Output")];
        self.own.msl.memory = Memory::of(self.module);
        self.find_ports(entry);
        self.find_tables();
        self.find_images();
        self.find_needs(entry.func);
        self.find_kernel_arguments(entry.func);
        self.number_resources(entry.func);
    }

    fn find_ports(&mut self, entry: &EntryPoint) {
        let used = used_ports(self.module);
        for &var in &entry.interface {
            let Some(data) = self.module.var(var).cloned() else { continue };
            if !matches!(data.mode, Mode::In | Mode::Out) {
                continue;
            }
            if let Some(value) = data.attrs.word() {
                if used.contains(&(var, None)) {
                    self.builtin_port_of(
                        entry,
                        var,
                        data.mode,
                        value,
                        data.ty,
                        data.attrs.has(Key::Invariant),
                    );
                }
                continue;
            }
            if data.attrs.has(Key::Location) {
                self.location_port_of(var);
                continue;
            }
            let TypeData::Struct(structure) = *self.module.type_of(data.ty) else { continue };
            let members =
                self.module.structure(structure).map(|data| data.members.clone()).unwrap_or_default();
            for (at, member) in (0u64..).zip(members.iter()) {
                if let Some(value) = member.attrs.word()
                    && used.contains(&(var, Some(at)))
                {
                    let is_invariant = member.attrs.has(Key::Invariant);
                    self.builtin_port_of(entry, var, data.mode, value, member.ty, is_invariant);
                }
            }
        }
        self.find_loose_ports();
        let has_outputs = self.own.msl.ports.iter().any(|port| port.mode == Mode::Out);
        let has_position = self.own.msl.ports.iter().any(|port| port.attribute.starts_with("position"));
        if self.stage == Stage::Vertex && has_outputs && !has_position {
            // The result of a vertex function has a position in any case.
            let Some(found) = find(Builtin::Position, Mode::Out, Stage::Vertex) else { return };
            let name = self.names.fresh("position", "position");
            let (ty, attribute) = (found.ty, found.attribute.to_owned());
            let Some(&var) = entry.interface.first() else { return };
            let (content, mode) = (Content::NoPosition, Mode::Out);
            self.own.msl.ports.push(Port {
                var,
                content,
                mode,
                name,
                ty,
                len: None,
                attribute,
                is_member: true,
            });
        }
    }

    /// Finds system values that passes read without a variable.
    fn find_loose_ports(&mut self) {
        let mut values: Vec<Builtin> = Vec::new();
        for (_, body) in self.module.funcs() {
            body.for_each_inst(|_, inst| {
                let data = body.inst(inst);
                if let (Op::Io(IoOp::BuiltIn), Some(value)) = (data.op, data.attrs.word())
                    && !values.contains(&value)
                {
                    values.push(value);
                }
            });
        }
        for value in values {
            // The use of one that does not exist is refused where it is.
            let Some(found) = find(value, Mode::In, self.stage) else { continue };
            // Each system value is one parameter.
            let known = self.own.msl.ports.iter().position(|port| port.attribute == found.attribute);
            let at = known.unwrap_or(self.own.msl.ports.len());
            self.own.msl.loose.insert(value, at);
            if known.is_none() {
                let name = self.names.fresh(found.variable, found.variable);
                let (mode, attribute) = (Mode::In, found.attribute.to_owned());
                let (var, ty) = (Var::from_index(Var::MAX_INDEX), found.ty);
                self.own.msl.ports.push(Port {
                    var,
                    content: Content::Builtin(value),
                    mode,
                    name,
                    ty,
                    len: None,
                    attribute,
                    is_member: false,
                });
            }
        }
    }

    fn builtin_port_of(
        &mut self,
        entry: &EntryPoint,
        var: Var,
        mode: Mode,
        value: Builtin,
        ty: Type,
        is_invariant: bool,
    ) {
        // The use of one that does not exist is refused where it is.
        let Some(found) = find(value, mode, self.stage) else { return };
        let BuiltIn { attribute, variable, ty: number } = found;
        let mut attribute = attribute.to_owned();
        let depth = entry.modes.iter().find_map(|mode| match mode.mode {
            ExecutionMode::DepthGreater => Some("depth(greater)"),
            ExecutionMode::DepthLess => Some("depth(less)"),
            _ => None,
        });
        if let (Builtin::FragDepth, Some(depth)) = (value, depth) {
            attribute = depth.to_owned();
        }
        if is_invariant && value == Builtin::Position {
            attribute.push_str(", invariant");
        }
        let is_array = value == Builtin::ClipDistance;
        let len = is_array.then(|| self.module.element_count(ty)).flatten().map(u64::from);
        let name = self.names.fresh(variable, variable);
        let (content, is_member) = (Content::Builtin(value), mode == Mode::Out);
        self.own.msl.ports.push(Port { var, content, mode, name, ty: number, len, attribute, is_member });
    }

    fn location_port_of(&mut self, var: Var) {
        let Some(data) = self.module.var(var).cloned().filter(|_| !self.refuses_per_vertex(var)) else {
            return;
        };
        let Some(ty) = self.number_type(data.ty).filter(|ty| ty.kind != Kind::Bool) else {
            let says = format!("{var} is an input or output that is no number and no vector");
            let help = Help::by_pass("io-arrays-to-elements", "splits arrays and matrices");
            return self.refuse(NO_TYPE, Anchor::Var(var), says, help);
        };
        // No pixel format and no format of vertices has such components.
        let is_end =
            matches!((self.stage, data.mode), (Stage::Vertex, Mode::In) | (Stage::Fragment, Mode::Out));
        if is_end && ty.width == Width::W64 {
            let says = format!("{var} is an attribute or a color of 64 bits");
            return self.refuse(NO_TYPE, Anchor::Var(var), says, "use numbers of at most 32 bits");
        }
        if self.refuses_component(var) {
            return;
        }
        let location = data.attrs.get(Key::Location).unwrap_or(0);
        let index = data.attrs.get(Key::Index).unwrap_or(0);
        let mut attribute = match (self.stage, data.mode) {
            (Stage::Vertex, Mode::In) => format!("attribute({location})"),
            (Stage::Fragment, Mode::Out) if index > 0 => format!("color({location}), index({index})"),
            (Stage::Fragment, Mode::Out) => format!("color({location})"),
            _ => format!("user(locn{location})"),
        };
        if let (Stage::Fragment, Mode::In) = (self.stage, data.mode) {
            attribute.push_str(interpolation(data.attrs.words(), ty.kind));
        }
        let name = self.var_name(var);
        let (content, mode) = (Content::Own, data.mode);
        self.own.msl.ports.push(Port { var, content, mode, name, ty, len: None, attribute, is_member: true });
    }

    /// Finds private variables with a value that are never written.
    fn find_tables(&mut self) {
        let has_value = |data: &VarData| data.mode == Mode::Private && data.init.is_some();
        if !self.module.vars().any(|(_, data)| has_value(data)) {
            return;
        }
        let mut written: FxHashSet<Var> = FxHashSet::default();
        for (_, body) in self.module.funcs() {
            body.for_each_inst(|_, inst| {
                let data = body.inst(inst);
                if matches!(data.op, Op::Memory(MemoryOp::Load | MemoryOp::ArrayLen) | Op::Deref(_)) {
                    return;
                }
                for (at, &arg) in data.args.iter().enumerate() {
                    let is_source = data.op == Op::Memory(MemoryOp::CopyVar) && at == 1;
                    if !is_source
                        && body.ty(arg).is_opaque()
                        && let Some(PathRoot::Var(var)) = root(body, arg)
                    {
                        written.insert(var);
                    }
                }
            });
        }
        for (var, data) in self.module.vars() {
            if has_value(data) && !written.contains(&var) {
                self.own.msl.tables.insert(var);
            }
        }
    }

    /// Finds images that are compared, read and written.
    fn find_images(&mut self) {
        for (_, body) in self.module.funcs() {
            body.for_each_inst(|_, inst| {
                let data = body.inst(inst);
                let of = |arg: Inst| match root(body, arg) {
                    Some(PathRoot::Var(var)) => Some(var),
                    Some(PathRoot::Param(_)) | None => None,
                };
                let var = |at: usize| data.args.get(at).and_then(|&arg| of(arg));
                if let Op::Memory(
                    MemoryOp::Atomic | MemoryOp::AtomicCas | MemoryOp::AtomicLoad | MemoryOp::AtomicStore,
                ) = data.op
                    && let Some(var) = var(0)
                {
                    for set in &mut self.own.msl.texels {
                        set.insert(var);
                    }
                }
                let Op::Tex(op) = data.op else { return };
                if data.attrs.has(Key::Shadow) {
                    let roles = Role::unpack(data.attrs.get(Key::Roles).unwrap_or(0));
                    let sampler = roles.enumerate().find(|(_, role)| *role == Role::Sampler);
                    let mut found = vec![var(0), sampler.and_then(|(at, _)| var(at))];
                    found.extend(combined(body, data).into_iter().flatten().map(of));
                    for var in found.into_iter().flatten() {
                        self.own.msl.compared.insert(var);
                    }
                }
                let set = match op {
                    TexOp::Read => 0,
                    TexOp::Write => 1,
                    _ => return,
                };
                if let Some(var) = var(0) {
                    self.own.msl.texels[set].insert(var);
                }
            });
        }
    }

    /// Finds the variables that each function and its callees use.
    fn find_needs(&mut self, entry: Func) {
        let mut ordered = false;
        for func in callees_first(self.module, entry) {
            let Some(body) = self.module.func(func) else { continue };
            let mut needs: Vec<Need> = Vec::new();
            body.for_each_inst(|_, inst| {
                let data = body.inst(inst);
                match data.op {
                    Op::Basic(BasicOp::Call) => {
                        let callee = data.entity::<Func>(Key::Func);
                        needs.extend(
                            callee.and_then(|callee| self.own.msl.needs.get(&callee)).into_iter().flatten(),
                        );
                    }
                    Op::Memory(MemoryOp::ArrayLen) => needs.push(Need::Lengths),
                    Op::Io(IoOp::BuiltIn) => {
                        let value = data.attrs.word::<Builtin>();
                        let at = value.and_then(|value| self.own.msl.loose.get(&value).copied());
                        needs.extend(at.map(Need::Port));
                    }
                    Op::Io(IoOp::InterlockBegin) => ordered = true,
                    Op::Deref(DerefOp::Var) => {
                        let Some(var) = data.entity::<Var>(Key::Var) else { return };
                        let Some(found) = self.module.var(var) else { return };
                        match found.mode {
                            Mode::Local => {}
                            Mode::In | Mode::Out => {
                                let is_it =
                                    |port: &Port| port.var == var && port.content != Content::NoPosition;
                                let ports = self.own.msl.ports.iter().enumerate();
                                needs.extend(
                                    ports.filter(|(_, port)| is_it(port)).map(|(at, _)| Need::Port(at)),
                                );
                            }
                            _ if self.own.msl.tables.contains(var) => {}
                            _ => needs.push(Need::Var(var)),
                        }
                    }
                    _ => {}
                }
            });
            needs.sort_unstable();
            needs.dedup();
            self.own.msl.needs.insert(func, needs);
        }
        self.own.msl.is_ordered = ordered;
    }

    /// Numbers the resources of the entry point, in lists of buffers, textures and samplers.
    fn number_resources(&mut self, entry: Func) {
        let mut resources = Vec::new();
        for need in self.own.msl.needs.get(&entry).into_iter().flatten() {
            let &Need::Var(var) = need else { continue };
            let Some(data) = self.module.var(var) else { continue };
            if ResourceKind::of(self.module, var) == Some(ResourceKind::InputAttachment) {
                // The color of the pixel so far.
                let at = data.attrs.get(Key::Attachment).unwrap_or(0) as u32;
                self.own.msl.places.insert(var, (Class::Color, at));
            } else if matches!(data.mode, Mode::Uniform | Mode::Storage | Mode::Handle | Mode::Push) {
                resources.push(var);
            }
        }
        let buffers = ("buffer", 0);
        let mut numbering = Numbering::default();
        numbering.take(buffers, 0, u64::from(self.argument_buffers()));
        for (var, numbers) in msl_numbers(self.module, &resources, &mut numbering) {
            let Some(&(list, at)) = numbers.first() else { continue };
            let class = match list {
                "texture" => Class::Texture,
                "sampler" => Class::Sampler,
                _ => Class::Buffer,
            };
            self.own.msl.places.insert(var, (class, at as u32));
        }
        // The lengths of buffers are after all of them, or in a gap if the last index is in use.
        let end = numbering.end(buffers);
        let is_full = LayoutTarget::Msl.limit("buffer").is_some_and(|limit| end >= limit);
        self.own.msl.lengths = if is_full { numbering.next(buffers, 0, 1) } else { end } as u32;
    }

    /// The number of the port of a variable, or of a system value in it.
    pub(super) fn port_at(&self, var: Var, builtin: Option<Builtin>) -> Option<usize> {
        let content = Content::of(builtin);
        self.own.msl.ports.iter().position(|port| port.var == var && port.content == content)
    }

    /// True if a function needs a parameter.
    pub(super) fn has_need(&self, func: Func, need: Need) -> bool {
        self.own.msl.needs.get(&func).is_some_and(|needs| needs.contains(&need))
    }
}

/// The interface variables, and the members of them, that functions use.
fn used_ports(module: &Module) -> FxHashSet<(Var, Option<u64>)> {
    let mut used = FxHashSet::default();
    for (_, body) in module.funcs() {
        body.for_each_inst(|_, inst| {
            let data = body.inst(inst);
            if let Op::Deref(DerefOp::Var) = data.op
                && let Some(var) = data.entity::<Var>(Key::Var)
            {
                used.insert((var, None));
            }
            if let (Op::Deref(DerefOp::Field), Some(&of)) = (data.op, data.args.first())
                && let Op::Deref(DerefOp::Var) = body.inst(of).op
                && let (Some(var), Some(field)) = (body.inst(of).entity(Key::Var), data.attrs.get(Key::Field))
            {
                used.insert((var, Some(field)));
            }
        });
    }
    used
}

/// The attribute of interpolation, after the location. Integers are flat in any case.
fn interpolation(interp: Interp, kind: Kind) -> &'static str {
    if interp.has(Interp::FLAT) || kind != Kind::Float {
        return ", flat";
    }
    match (interp.place(), interp.has(Interp::NOPERSPECTIVE)) {
        (InterpPlace::Center, false) => "",
        (InterpPlace::Center, true) => ", center_no_perspective",
        (InterpPlace::Centroid, false) => ", centroid_perspective",
        (InterpPlace::Centroid, true) => ", centroid_no_perspective",
        (InterpPlace::Sample, false) => ", sample_perspective",
        (InterpPlace::Sample, true) => ", sample_no_perspective",
    }
}
