//! The entry point of HLSL: a function that copies its inputs to static variables, calls the program's own entry point,
//! and returns the outputs.
//!
//! Refuses inputs and outputs that are no numbers of 16 bits and more.

use super::builtins::{Semantic, find};
use super::state::Port;
use crate::calls::callees_first;
use crate::expr::{Token, words};
use crate::memory_uses::MemoryUses;
use crate::module::{ModuleWriter, NO_TYPE, PLACE};
use crate::number::{Kind, NumberType};
use crate::print::Line;
use std::ops::Range;
use std::rc::Rc;
use vitrine_ir::layout::Lengths;
use vitrine_ir::ops::{Builtin, DerefOp, Interp, Key, Op, Width};
use vitrine_ir::{Anchor, EntryPoint, ExecutionMode as E, Help, Mode, Operand, Stage, TypeData, Var};
use vitrine_text::{Class, Link};

/// The words of interpolation.
const WORDS: &[(Interp, &str)] = &[
    (Interp::FLAT, "nointerpolation "),
    (Interp::NOPERSPECTIVE, "noperspective "),
    (Interp::CENTROID, "centroid "),
    (Interp::SAMPLE, "sample "),
];

impl Port {
    /// An indented line whose words that name the port are linked to its variable.
    fn line(&self, text: &str) -> Line {
        let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let (mut tokens, mut rest): (Vec<Token>, &str) = (Vec::new(), text);
        let plain = |text: &str, tokens: &mut Vec<Token>| {
            tokens.extend(
                words(Class::Plain, text).into_iter().filter(|token| !token.text.as_str().is_empty()),
            );
        };
        for (at, name) in text.match_indices(&*self.name) {
            let end = at + name.len();
            if text[..at].ends_with(is_name) || text[end..].starts_with(is_name) {
                continue;
            }
            plain(&text[text.len() - rest.len()..at], &mut tokens);
            tokens.push(Token {
                link: Link::Use(Anchor::Var(self.var)),
                ..Token::new(Class::Name, self.name.clone())
            });
            rest = &text[end..];
        }
        plain(rest, &mut tokens);
        Line::new(1, tokens)
    }
}

impl ModuleWriter<'_> {
    /// Names inputs, outputs and resources. They have their names before functions are written, so that no local name
    /// hides one.
    pub(super) fn hlsl_prepare(&mut self, entry: &EntryPoint) {
        self.own.hlsl.body = self.names.fresh("shader", "shader");
        let body = self.own.hlsl.body.clone();
        self.name_entry(entry.func, body);
        self.memory_uses = MemoryUses::of(self.module);
        self.pair_samplers();
        self.find_flipped();
        self.find_exchanged();
        self.fill_empty();
        let mut ports: Vec<(Var, Option<Builtin>, Mode)> = Vec::new();
        for &var in &entry.interface {
            let Some(data) = self.module.var(var) else { continue };
            let has_place = data.attrs.has(Key::Location) && !data.attrs.has(Key::BuiltIn);
            if matches!(data.mode, Mode::In | Mode::Out) && has_place {
                ports.push((var, None, data.mode));
            }
        }
        let mut others: Vec<Var> = Vec::new();
        // Those of other entry points belong to other texts.
        for func in callees_first(self.module, entry.func) {
            let Some(body) = self.module.func(func) else { continue };
            body.for_each_inst(|_, inst| {
                let data = body.inst(inst);
                let root = match (data.op, data.args.first()) {
                    (Op::Deref(DerefOp::Var), _) => data.entity::<Var>(Key::Var),
                    (Op::Deref(DerefOp::Field), Some(&of)) => {
                        let of = body.inst(of);
                        // A member of the block of a vertex.
                        let vertex = of.args.first().filter(|_| of.op == Op::Deref(DerefOp::Elem));
                        let of_vertex =
                            vertex.and_then(|&vertices| body.inst(vertices).entity::<Var>(Key::Var));
                        of.entity::<Var>(Key::Var).or(of_vertex.filter(|&var| self.hlsl_has_vertices(var)))
                    }
                    _ => None,
                };
                let Some((var, info)) = root.and_then(|var| Some((var, self.module.var(var)?))) else {
                    return;
                };
                let own = info.attrs.word().filter(|_| data.op == Op::Deref(DerefOp::Var));
                let ty = self.vertices_of(var).map_or(info.ty, |(ty, _)| ty);
                let of_member = match (data.op, self.module.type_of(ty), data.attrs.get(Key::Field)) {
                    (Op::Deref(DerefOp::Field), &TypeData::Struct(structure), Some(at)) => self
                        .module
                        .structure(structure)
                        .and_then(|found| found.members.get(at as usize)?.attrs.word()),
                    _ => None,
                };
                match own.or(of_member) {
                    Some(value) if !ports.contains(&(var, Some(value), info.mode)) => {
                        ports.push((var, Some(value), info.mode));
                    }
                    Some(_) => {}
                    None if info.mode != Mode::Local && !others.contains(&var) => others.push(var),
                    None => {}
                }
            });
        }
        for (var, builtin, mode) in ports {
            self.port(var, builtin, mode);
        }
        self.prepare_externs(entry);
        self.prepare_rays(&others);
        self.prepare_geometry(entry);
        for var in others {
            let is_port = self.module.var(var).is_some_and(|data| matches!(data.mode, Mode::In | Mode::Out));
            if !is_port {
                self.var_name(var);
                self.choose_buffer(var);
            }
        }
    }

    fn port(&mut self, var: Var, builtin: Option<Builtin>, mode: Mode) {
        let Some(data) = self.module.var(var).cloned() else { return };
        let anchor = Anchor::Var(var);
        let (ty, vertices) = self.vertices_of(var).unwrap_or((data.ty, 0));
        if let Some(value) = builtin {
            if super::hits::stage_word(self.stage).is_some() {
                // It is a function.
                return;
            }
            // One that the language does not have is refused at its use.
            let Some((semantic, ty)) = find(value, mode, self.stage) else { return };
            let name = self.names.fresh(value.name(), "value");
            let mut before = String::new();
            if value == Builtin::BaryCoordNoPerspective {
                before.push_str("noperspective ");
            }
            let (semantic, ty) = match semantic {
                Semantic::Vulkan(name) => {
                    before.push_str(&format!("[[vk::builtin(\"{name}\")]] "));
                    (format!("VK_{name}"), ty)
                }
                Semantic::Number(number) => {
                    before.push_str(&format!("[[vk::ext_decorate(11, {number})]] "));
                    (format!("BUILTIN_{number}"), ty)
                }
                Semantic::Own(name) if matches!(value, Builtin::ClipDistance | Builtin::CullDistance) => {
                    let count = self.length_of_builtin(var, value);
                    (format!("{name}0"), ty.with_components(count))
                }
                Semantic::Own(name) => (self.depth_semantic(name).to_owned(), ty),
            };
            if self.is_invariant(var, builtin) {
                before.push_str("precise ");
            }
            let locations = 0..0;
            self.own.hlsl.ports.push(Port {
                var,
                builtin,
                mode,
                name,
                ty,
                before,
                semantic,
                locations,
                vertices,
            });
            return;
        }
        if self.refuses_per_vertex(var) {
            return;
        }
        let wanted = self.text(data.name).to_owned();
        let name = self.names.fresh(&wanted, mode.name());
        let number = self.number_type(ty);
        if number.is_some() && self.refuses_component(var) {
            return;
        }
        let Some(ty) = number.filter(|_| data.init.is_none()) else {
            let says = format!("{var} is an input or output that is no whole number or vector");
            // The pass leaves arrays of vertices alone whose elements are selected when the program runs.
            let help = if vertices == 0 {
                Help::by_pass("io-arrays-to-elements", "may split it")
            } else {
                Help::text("give each member a variable of its own")
            };
            return self.refuse(NO_TYPE, anchor, says, help);
        };
        let location = data.attrs.get(Key::Location).unwrap_or(0);
        let is_target = self.stage == Stage::Fragment && mode == Mode::Out;
        let is_between = match self.stage {
            Stage::Fragment => mode == Mode::In,
            _ => mode == Mode::Out,
        };
        let index = data.attrs.get(Key::Index).filter(|_| is_target);
        let mut before = format!("[[vk::location({location})]] ");
        if let Some(index) = index {
            before.push_str(&format!("[[vk::index({index})]] "));
        }
        // The value of one vertex is interpolated in no way.
        let interp = match data.attrs.words::<Interp>() {
            interp if interp.has(Interp::FLAT) => Interp::FLAT,
            interp if interp.has(Interp::PER_PRIMITIVE) => {
                let says = format!("{var} has a value for each primitive, which HLSL cannot state here");
                return self.refuse(NO_TYPE, anchor, says, "");
            }
            interp => interp,
        };
        let words: String =
            WORDS.iter().filter(|&&(how, _)| interp.has(how)).map(|&(_, word)| word).collect();
        let is_float = ty.kind == Kind::Float;
        if is_between {
            before.push_str(if !is_float && !interp.has(Interp::FLAT) { "nointerpolation " } else { &words });
        }
        if mode == Mode::Out && self.is_invariant(var, None) {
            before.push_str("precise ");
        }
        let semantic = match is_target {
            true => format!("SV_Target{}", location + index.unwrap_or(0)),
            false => format!("LOCATION{location}"),
        };
        // Vectors of more than 16 bytes take two.
        let is_long = ty.width == Width::W64 && ty.components > 2;
        let first = location + index.unwrap_or(0);
        let locations = first..first + if is_long { 2 } else { 1 };
        self.refuse_overlap(var, mode, &locations);
        self.own.hlsl.ports.push(Port {
            var,
            builtin: None,
            mode,
            name,
            ty,
            before,
            semantic,
            locations,
            vertices,
        });
    }

    /// Refuses an input or output at the location of another one: each has a semantic of its own.
    fn refuse_overlap(&mut self, var: Var, mode: Mode, locations: &Range<u64>) {
        let overlaps = |port: &&Port| {
            port.mode == mode && port.locations.start < locations.end && locations.start < port.locations.end
        };
        let Some(other) = self.own.hlsl.ports.iter().find(overlaps) else { return };
        let at = locations.start.max(other.locations.start);
        let what = if mode == Mode::In { "inputs" } else { "outputs" };
        let says = format!("{} and {var} are both {what} at location {at}", other.var);
        self.refuse(PLACE, Anchor::Var(var), says, "give each of them a location of its own");
    }

    /// Returns true for an output that is computed the same way in every program: the variable, or the member of its block
    /// that is a system value.
    fn is_invariant(&self, var: Var, builtin: Option<Builtin>) -> bool {
        let Some(data) = self.module.var(var) else { return false };
        let ty = self.vertices_of(var).map_or(data.ty, |(ty, _)| ty);
        let is_member = || match *self.module.type_of(ty) {
            TypeData::Struct(structure) => self.module.structure(structure).is_some_and(|data| {
                let mut members = data.members.iter();
                members.any(|it| it.attrs.word() == builtin && it.attrs.has(Key::Invariant))
            }),
            _ => false,
        };
        data.attrs.has(Key::Invariant) || builtin.is_some() && is_member()
    }

    /// The number of elements of a system value that is an array of at most four.
    fn length_of_builtin(&mut self, var: Var, value: Builtin) -> u8 {
        let own = self.module.var(var).map(|data| data.ty);
        let ty = self.vertices_of(var).map(|(ty, _)| ty).or(own);
        let of_member = ty.and_then(|ty| match *self.module.type_of(ty) {
            TypeData::Struct(structure) => {
                let data = self.module.structure(structure)?;
                data.members.iter().find(|member| member.attrs.word() == Some(value)).map(|member| member.ty)
            }
            _ => None,
        });
        let count = of_member.or(ty).and_then(|ty| self.module.element_count(ty)).unwrap_or(1);
        if count > 4 {
            let says = format!("{var} has {count} distances; a semantic has 4");
            self.refuse(NO_TYPE, Anchor::Var(var), says, "");
        }
        count.clamp(1, 4) as u8
    }

    /// The semantic of a depth whose changes the entry point promises.
    fn depth_semantic(&self, semantic: &'static str) -> &'static str {
        let has = |mode: E| self.module.entries.first().is_some_and(|entry| entry.has_mode(mode));
        match semantic {
            "SV_Depth" if has(E::DepthGreater) => "SV_DepthGreaterEqual",
            "SV_Depth" if has(E::DepthLess) => "SV_DepthLessEqual",
            other => other,
        }
    }

    /// The static variable of an input or output.
    pub(super) fn hlsl_port(&self, var: Var, builtin: Option<Builtin>) -> Option<(Rc<str>, NumberType)> {
        let found = self.own.hlsl.ports.iter().find(|port| port.var == var && port.builtin == builtin)?;
        Some((found.name.clone(), found.ty))
    }

    /// The static variables of inputs and outputs.
    pub(super) fn port_lines(&mut self) -> Vec<Line> {
        let ports = self.own.hlsl.ports.clone();
        let mut lines = Vec::new();
        for port in ports {
            let ty = self.number_name(port.ty, Anchor::Var(port.var));
            let dims = if port.vertices > 0 { format!("[{}]", port.vertices) } else { String::new() };
            let precise = if port.before.contains("precise ") { "precise " } else { "" };
            lines.push(Line::text(format!("static {precise}{ty} {}{dims};", port.name)));
        }
        lines
    }

    /// An input or output as a member of a structure.
    pub(super) fn port_member(&mut self, port: &Port) -> Line {
        let ty = self.number_name(port.ty, Anchor::Var(port.var));
        port.line(&format!("{}{ty} {} : {};", port.before, port.name, port.semantic))
    }

    /// The structures of inputs and outputs, and the entry point.
    pub(super) fn hlsl_footer(&mut self, entry: &EntryPoint) -> Vec<Line> {
        let mut stated = Vec::new();
        let modes = self.modes(entry, &mut stated);
        if let Some(word) = super::hits::stage_word(self.stage) {
            return self.ray_entry(word);
        }
        if self.stage == Stage::Geometry {
            return self.geometry_entry(entry, modes);
        }
        let input = self.names.fresh("Input", "Input");
        let output = self.names.fresh("Output", "Output");
        let (from, to) = (self.names.fresh("input", "input"), self.names.fresh("output", "output"));
        let ports = self.own.hlsl.ports.clone();
        let of = |mode: Mode| ports.iter().filter(move |port| port.mode == mode);
        let mut lines = Vec::new();
        for (mode, name) in [(Mode::In, &input), (Mode::Out, &output)] {
            if of(mode).next().is_none() {
                continue;
            }
            lines.extend([Line::empty(), Line::text(format!("struct {name} {{"))]);
            for port in of(mode) {
                lines.push(self.port_member(port));
            }
            lines.push(Line::text("};"));
        }
        lines.push(Line::empty());
        lines.extend(modes);
        let (has_in, has_out) = (of(Mode::In).next().is_some(), of(Mode::Out).next().is_some());
        let result = if has_out { output.as_ref() } else { "void" };
        let param = if has_in { format!("{input} {from}") } else { String::new() };
        lines.push(Line::text(format!("{result} main({param}) {{")));
        let line = |text: String| Line::new(1, words(Class::Plain, &text));
        stated.extend(self.extern_calls());
        lines.extend(stated.into_iter().map(line));
        for port in of(Mode::In) {
            let name = &port.name;
            lines.push(port.line(&format!("{name} = {from}.{name};")));
            if port.semantic == "SV_Position" {
                // Direct3D passes the depth itself.
                lines.push(port.line(&format!("{name}.w = 1.0f / {name}.w;")));
            }
        }
        lines.push(line(format!("{}();", self.own.hlsl.body)));
        if has_out {
            lines.push(line(format!("{output} {to};")));
            for port in of(Mode::Out) {
                lines.push(port.line(&format!("{to}.{0} = {0};", port.name)));
            }
            lines.push(line(format!("return {to};")));
        }
        lines.push(Line::text("}"));
        lines
    }

    /// The attributes of the entry point. Modes that are stated inside of it are added to `stated`.
    fn modes(&mut self, entry: &EntryPoint, stated: &mut Vec<String>) -> Vec<Line> {
        let mut lines = Vec::new();
        let mut has_size = false;
        for mode in entry.modes.clone() {
            match mode.mode {
                E::OriginUpperLeft | E::DepthReplacing | E::DepthGreater | E::DepthLess => {}
                // The compiler of the text states it where it is used.
                E::DerivativeGroupQuads | E::DerivativeGroupLinear | E::StencilRefReplacing => {}
                E::EarlyFragmentTests => lines.push(Line::text("[earlydepthstencil]")),
                E::LocalSize | E::LocalSizeId => {
                    has_size = true;
                    let sizes = self.local_size().unwrap_or_else(|| mode.args.clone());
                    let sizes: Vec<String> = sizes.iter().map(|&size| self.size(size).to_string()).collect();
                    lines.push(Line::text(format!("[numthreads({})]", sizes.join(", "))));
                }
                it if self.stage == Stage::Geometry && super::geometry::is_primitive(it) => {}
                E::OutputVertices if self.stage == Stage::Geometry => {
                    let count = mode.args.first().map_or(1, |&arg| self.size(arg));
                    lines.push(Line::text(format!("[maxvertexcount({count})]")));
                }
                E::Invocations if self.stage == Stage::Geometry => {
                    let count = mode.args.first().map_or(1, |&arg| self.size(arg));
                    if count != 1 {
                        lines.push(Line::text(format!("[instance({count})]")));
                    }
                }
                _ if let Some(text) = self.extern_mode(&mode) => stated.push(text),
                other => {
                    let says = format!("HLSL cannot express the execution mode `{}` here", other.name());
                    self.refuse(NO_TYPE, Anchor::Module, says, "");
                }
            }
        }
        if self.stage == Stage::Compute && !has_size {
            let sizes = self.local_size().unwrap_or_default();
            let mut sizes: Vec<String> = sizes.iter().map(|&size| self.size(size).to_string()).collect();
            sizes.resize(3, "1".to_owned());
            lines.push(Line::text(format!("[numthreads({})]", sizes.join(", "))));
        }
        lines
    }

    /// A size of the workgroup, with the default of a specialization constant.
    pub(super) fn size(&self, size: Operand) -> u64 {
        match size {
            Operand::Bits(bits) => self.module.bits_of(bits).component(0).bits(),
            Operand::Global(global) => self.module.of_global(global).max(1),
        }
    }
}
