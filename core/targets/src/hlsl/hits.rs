//! Entry points of HLSL that rays call: payloads and attributes of hits as parameters, and system values as functions.
//!
//! ```text
//! static Payload payload;                       // the variable of the program
//! void shader() { … hit_end = 1u; return; … }   // `stop ignore_intersection`
//! [shader("anyhit")]
//! void main(inout Payload payload_0, in Attributes attributes_0) {
//!     payload = payload_0;
//!     attributes = attributes_0;
//!     hit_end = 0u;
//!     shader();
//!     payload_0 = payload;
//!     if (hit_end == 1u) { IgnoreHit(); }
//!     if (hit_end == 2u) { AcceptHitAndEndSearch(); }
//! }
//! ```
//!
//! A payload that is no structure is the only member of one. Refuses the end of a hit in other functions than the entry
//! point, and several incoming payloads.

use super::builtins::function_of_rays;
use super::rays::{class, takes_ray};
use crate::expr::{Expr, Prec, Token, punct, space, words};
use crate::func::FuncWriter;
use crate::module::{ModuleWriter, NO_TYPE, SHAPE};
use crate::print::Line;
use crate::stmt::Stmt;
use std::rc::Rc;
use vitrine_ir::ops::{Builtin, Key, Op, SpirvOp};
use vitrine_ir::{Anchor, Help, Mode, Stage, Stop, TypeData, Var};
use vitrine_text::{Class, Link};

/// The member of such a structure.
const VALUE: &str = "value";

/// The word of a stage that rays call. `None` for other stages.
pub(super) fn stage_word(stage: Stage) -> Option<&'static str> {
    match stage {
        Stage::RayGen => Some("raygeneration"),
        Stage::Intersection => Some("intersection"),
        Stage::AnyHit => Some("anyhit"),
        Stage::ClosestHit => Some("closesthit"),
        Stage::Miss => Some("miss"),
        Stage::Callable => Some("callable"),
        Stage::Vertex
        | Stage::TessControl
        | Stage::TessEval
        | Stage::Geometry
        | Stage::Fragment
        | Stage::Compute
        | Stage::Kernel
        | Stage::Task
        | Stage::Mesh
        | Stage::TaskNv
        | Stage::MeshNv => None,
    }
}

/// A system value of a stage that rays call, which is a function. A matrix has a type of its own.
pub(super) fn value(stage: Stage, value: Builtin) -> Option<Expr> {
    stage_word(stage)?;
    let (name, ty) = function_of_rays(value)?;
    Some(Expr::new(vec![Token::new(Class::Op, name)], Prec::Postfix, ty))
}

impl ModuleWriter<'_> {
    /// Names what rays need before functions are written.
    pub(super) fn prepare_rays(&mut self, used: &[Var]) {
        let mut traces = false;
        for (_, body) in self.module.funcs() {
            body.for_each_inst(|_, inst| {
                let data = body.inst(inst);
                let opcode = data.attrs.get(Key::Opcode).unwrap_or(0);
                traces |= data.op == Op::Spirv(SpirvOp::Raw) && takes_ray(opcode);
            });
        }
        if traces {
            self.own.hlsl.rays.ray = self.names.fresh("make_ray", "make_ray");
        }
        let vars: Vec<(Var, u64, bool)> = self
            .module
            .vars()
            .filter_map(|(var, data)| {
                let class = data.attrs.get(Key::Class)?;
                let is_struct = matches!(self.module.type_of(data.ty), TypeData::Struct(_));
                matches!(data.mode, Mode::Payload | Mode::Callable).then_some((var, class, is_struct))
            })
            .collect();
        for (var, class, is_struct) in vars {
            if class != class::RECORD && !is_struct {
                let wanted = format!("{}Data", self.text(self.module.var(var).and_then(|data| data.name)));
                let name = self.names.fresh(&wanted, "Data");
                self.own.hlsl.rays.wrappers.insert(var, name);
            }
            let place = match class {
                class::INCOMING_PAYLOAD | class::INCOMING_CALLABLE => 0,
                class::HIT => 1,
                _ => continue,
            };
            if !used.contains(&var) {
                continue;
            }
            if self.own.hlsl.rays.incoming[place].replace(var).is_some() {
                let says = "an entry point has one incoming payload, and one group of attributes";
                self.refuse(NO_TYPE, Anchor::Var(var), says, "");
            }
        }
        if stage_word(self.stage).is_some() {
            let params = ["incoming", "hit_attributes"].map(|name| self.names.fresh(name, name));
            let missing = ["Unused", "unused"].map(|name| self.names.fresh(name, name));
            self.own.hlsl.rays.end = self.names.fresh("hit_end", "hit_end");
            self.own.hlsl.rays.params = params;
            self.own.hlsl.rays.missing = missing;
        }
    }

    /// The variable of the attributes that a hit reports.
    pub(super) fn hlsl_hit_value(&mut self) -> Rc<str> {
        match self.own.hlsl.rays.incoming[1] {
            Some(var) => self.var_name(var),
            None => self.own.hlsl.rays.missing[1].clone(),
        }
    }

    /// The member that a payload is, if its structure is not the program's.
    pub(super) fn payload_member(&self, var: Var) -> Option<&'static str> {
        self.own.hlsl.rays.wrappers.contains_key(&var).then_some(VALUE)
    }

    /// The type of a payload in the text.
    fn payload_type(&mut self, var: Var) -> Option<String> {
        if let Some(name) = self.own.hlsl.rays.wrappers.get(&var) {
            return Some(name.to_string());
        }
        let ty = self.module.var(var)?.ty;
        self.hlsl_type_parts(ty, Anchor::Var(var)).map(|(name, _)| name)
    }

    /// The declaration of a payload, of attributes, or of data of a callable shader. `None` if the memory is none of these.
    pub(super) fn hlsl_payload(&mut self, var: Var) -> Option<Vec<Line>> {
        let data = self.module.var(var)?.clone();
        let known =
            [class::CALLABLE, class::INCOMING_CALLABLE, class::PAYLOAD, class::HIT, class::INCOMING_PAYLOAD];
        if !known.contains(&data.attrs.get(Key::Class)?) || data.init.is_some() {
            return None;
        }
        let mut lines = Vec::new();
        let anchor = Anchor::Var(var);
        if let Some(name) = self.own.hlsl.rays.wrappers.get(&var).cloned() {
            let mut inner = self.hlsl_declaration(&VALUE.into(), Link::None, data.ty, anchor)?;
            inner.push(punct(";"));
            lines.push(Line::text(format!("struct {name} {{")));
            lines.push(Line::new(1, inner));
            lines.push(Line::text("};"));
        }
        let ty = self.payload_type(var)?;
        let name = self.var_name(var);
        let mut tokens =
            vec![Token::new(Class::Keyword, "static"), space(), Token::new(Class::Type, ty), space()];
        tokens.push(Token { text: name.into(), class: Class::Name, link: Link::Def(anchor) });
        tokens.push(punct(";"));
        lines.push(Line::new(0, tokens));
        Some(lines)
    }

    /// The variable of the end of a hit, and the function that makes a ray.
    pub(super) fn ray_lines(&mut self) -> Vec<Line> {
        let mut lines = Vec::new();
        let is_hit = self.stage == Stage::AnyHit;
        if is_hit {
            lines.push(Line::text(format!("static uint {};", self.own.hlsl.rays.end)));
        }
        let [missing, value] = self.own.hlsl.rays.missing.clone();
        let needs_payload = self.has_payload() && self.own.hlsl.rays.incoming[0].is_none();
        let needs_hit = self.stage == Stage::Intersection && self.own.hlsl.rays.incoming[1].is_none();
        if needs_payload || needs_hit {
            lines.push(Line::text(format!("struct {missing} {{")));
            lines.push(Line::new(1, words(Class::Plain, &format!("uint {VALUE};"))));
            lines.push(Line::text("};"));
        }
        if needs_hit {
            lines.push(Line::text(format!("static {missing} {value};")));
        }
        let ray = self.own.hlsl.rays.ray.clone();
        if !ray.is_empty() {
            lines.push(Line::text(format!(
                "RayDesc {ray}(float3 origin, float least, float3 direction, float most) {{"
            )));
            for text in [
                "RayDesc ray;",
                "ray.Origin = origin;",
                "ray.TMin = least;",
                "ray.Direction = direction;",
                "ray.TMax = most;",
                "return ray;",
            ] {
                lines.push(Line::new(1, words(Class::Plain, text)));
            }
            lines.push(Line::text("}"));
        }
        lines
    }

    /// Returns true if the entry point has a parameter for a payload or data.
    fn has_payload(&self) -> bool {
        matches!(self.stage, Stage::AnyHit | Stage::ClosestHit | Stage::Miss | Stage::Callable)
    }

    /// The entry point of a stage that rays call.
    pub(super) fn ray_entry(&mut self, word: &str) -> Vec<Line> {
        let line = |text: String| Line::new(1, words(Class::Plain, &text));
        let is_hit = matches!(self.stage, Stage::AnyHit | Stage::ClosestHit);
        let [payload, attributes] = self.own.hlsl.rays.params.clone();
        let [incoming, hit] = self.own.hlsl.rays.incoming;
        let mut params = Vec::new();
        if self.has_payload() {
            let ty = incoming.and_then(|var| self.payload_type(var));
            let ty = ty.unwrap_or_else(|| self.own.hlsl.rays.missing[0].to_string());
            params.push(format!("inout {ty} {payload}"));
        }
        if is_hit {
            let ty = hit.and_then(|var| self.payload_type(var));
            let ty = ty.unwrap_or_else(|| "BuiltInTriangleIntersectionAttributes".to_owned());
            params.push(format!("in {ty} {attributes}"));
        }
        let mut lines = vec![Line::empty(), Line::text(format!("[shader(\"{word}\")]"))];
        lines.push(Line::text(format!("void main({}) {{", params.join(", "))));
        let incoming = incoming.filter(|_| self.has_payload()).map(|var| self.var_name(var));
        if let Some(name) = &incoming {
            lines.push(line(format!("{name} = {payload};")));
        }
        if let Some(var) = hit.filter(|_| is_hit) {
            lines.push(line(format!("{} = {attributes};", self.var_name(var))));
        }
        let end = self.own.hlsl.rays.end.clone();
        let may_end = self.stage == Stage::AnyHit;
        if may_end {
            lines.push(line(format!("{end} = 0u;")));
        }
        lines.push(line(format!("{}();", self.own.hlsl.body)));
        if let Some(name) = &incoming {
            lines.push(line(format!("{payload} = {name};")));
        }
        if may_end {
            for (number, call) in [(1, "IgnoreHit"), (2, "AcceptHitAndEndSearch")] {
                lines.push(line(format!("if ({end} == {number}u) {{")));
                lines.push(Line::new(2, words(Class::Plain, &format!("{call}();"))));
                lines.push(line("}".to_owned()));
            }
        }
        lines.push(Line::text("}"));
        lines
    }
}

impl FuncWriter<'_, '_> {
    /// Writes the end of a hit: the entry point ends it after it returned the payload.
    pub(super) fn hlsl_end_hit(&mut self, stop: Stop, anchor: Anchor) {
        let is_entry = self.w.module.entries.first().is_some_and(|entry| entry.func == self.func);
        if !is_entry || self.w.stage != Stage::AnyHit {
            let says = format!("`stop {}` ends a hit in a function that is no entry point", stop.name());
            return self.w.refuse(SHAPE, anchor, says, Help::by_pass("inline-functions", "removes the call"));
        }
        let number = if stop == Stop::IgnoreIntersection { "1u" } else { "2u" };
        let tokens = vec![
            Token::new(Class::Name, self.w.own.hlsl.rays.end.clone()),
            space(),
            Token::linked(Class::Op, "=", anchor),
            space(),
            Token::new(Class::Number, number),
        ];
        self.push(Stmt::Simple { tokens, declares: None, assigns: None });
        let tokens = self.hlsl_return(anchor);
        self.push(Stmt::Exit(tokens));
    }
}
