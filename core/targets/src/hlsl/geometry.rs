//! Geometry shaders of HLSL: the vertices of a primitive as arrays, and a stream that vertices are appended to.
//!
//! ```text
//! static float4 position[3];                                // an input of each vertex
//! void emit(inout TriangleStream<Output> stream) { … }      // appends the outputs
//! void shader(inout TriangleStream<Output> stream) { … emit(stream); stream.RestartStrip(); }
//! ```
//!
//! A function that emits vertices has the stream as its last parameter. Refuses several streams, and feedback to buffers.

use super::state::{Geometry, Port};
use crate::calls::callees_first;
use crate::expr::{Expr, Token, words};
use crate::func::FuncWriter;
use crate::module::ModuleWriter;
use crate::number::{Kind, NumberType};
use crate::print::Line;
use rustc_hash::FxHashSet;
use vitrine_ir::ops::{BasicOp, IoOp, Key, Op};
use vitrine_ir::{Anchor, EntryPoint, ExecutionMode as E, Func, Inst, Mode, Stage, Type, TypeData, Var};
use vitrine_text::Class;

/// The primitives of inputs: execution mode, word, vertices.
const INPUTS: &[(E, &str, u64)] = &[
    (E::InputPoints, "point", 1),
    (E::InputLines, "line", 2),
    (E::InputLinesAdjacency, "lineadj", 4),
    (E::Triangles, "triangle", 3),
    (E::InputTrianglesAdjacency, "triangleadj", 6),
];

/// The primitives of outputs: execution mode and type of the stream.
const OUTPUTS: &[(E, &str)] = &[
    (E::OutputPoints, "PointStream"),
    (E::OutputLineStrip, "LineStream"),
    (E::OutputTriangleStrip, "TriangleStream"),
];

/// Returns true for an execution mode that is written by other means than an attribute.
pub(super) fn is_primitive(mode: E) -> bool {
    INPUTS.iter().any(|row| row.0 == mode) || OUTPUTS.iter().any(|row| row.0 == mode)
}

impl ModuleWriter<'_> {
    /// The type of an input of each vertex, and the number of vertices. `None` for other variables.
    pub(super) fn vertices_of(&self, var: Var) -> Option<(Type, u64)> {
        let data = self.module.var(var).filter(|data| data.mode == Mode::In)?;
        match *self.module.type_of(data.ty) {
            TypeData::Array { of, .. } if self.stage == Stage::Geometry => {
                Some((of, u64::from(self.module.element_count(data.ty)?)))
            }
            _ => None,
        }
    }

    /// Returns true for an input that each vertex of a primitive has.
    pub(super) fn hlsl_has_vertices(&self, var: Var) -> bool {
        self.vertices_of(var).is_some()
    }

    /// The type of what each vertex of a primitive has in an input. `None` for other variables.
    pub(super) fn hlsl_vertex(&self, var: Var) -> Option<Type> {
        self.vertices_of(var).map(|(of, _)| of)
    }

    /// Names what a geometry shader needs before functions are written.
    pub(super) fn prepare_geometry(&mut self, entry: &EntryPoint) {
        if self.stage != Stage::Geometry {
            return;
        }
        let found = OUTPUTS.iter().find(|row| entry.has_mode(row.0));
        let output = self.names.fresh("Output", "Output");
        let stream_type = format!("{}<{output}>", found.map_or("PointStream", |row| row.1));
        let emit = self.names.fresh("emit", "emit");
        let stream = self.names.fresh("stream", "stream");
        let mut emitters: FxHashSet<Func> = FxHashSet::default();
        emitters.insert(entry.func);
        for func in callees_first(self.module, entry.func) {
            let Some(body) = self.module.func(func) else { continue };
            body.for_each_inst(|_, inst| {
                let data = body.inst(inst);
                let emits = match data.op {
                    Op::Io(IoOp::EmitVertex | IoOp::EndPrimitive) => true,
                    Op::Basic(BasicOp::Call) => {
                        data.entity::<Func>(Key::Func).is_some_and(|callee| emitters.contains(&callee))
                    }
                    _ => false,
                };
                if emits {
                    emitters.insert(func);
                }
            });
        }
        self.own.hlsl.geometry = Geometry { output, emit, stream, stream_type, emitters };
    }

    /// The structure of the outputs, and the function that appends a vertex.
    pub(super) fn geometry_lines(&mut self) -> Vec<Line> {
        if self.stage != Stage::Geometry {
            return Vec::new();
        }
        let line = |text: String| Line::new(1, words(Class::Plain, &text));
        let Geometry { output, emit, stream, stream_type, .. } = &self.own.hlsl.geometry;
        let (output, emit, stream) = (output.clone(), emit.clone(), stream.clone());
        let head = format!("void {emit}(inout {stream_type} {stream}) {{");
        let ports: Vec<Port> =
            self.own.hlsl.ports.iter().filter(|port| port.mode == Mode::Out).cloned().collect();
        let mut lines = vec![Line::text(format!("struct {output} {{"))];
        for port in &ports {
            lines.push(self.port_member(port));
        }
        lines.extend([Line::text("};"), Line::text(head)]);
        // A member is not hidden by the name of the variable.
        let vertex = self.names.fresh("vertex", "vertex");
        lines.push(line(format!("{output} {vertex};")));
        for port in &ports {
            lines.push(line(format!("{vertex}.{0} = {0};", port.name)));
        }
        lines.push(line(format!("{stream}.Append({vertex});")));
        lines.push(Line::text("}"));
        lines
    }

    /// The parameter of a function that emits vertices. `None` for other functions.
    pub(super) fn hlsl_stream_param(&self, func: Func) -> Option<Vec<Token>> {
        let Geometry { stream, stream_type, emitters, .. } = &self.own.hlsl.geometry;
        let text = format!("inout {stream_type} {stream}");
        emitters.contains(&func).then(|| words(Class::Plain, &text))
    }

    /// The argument for that parameter.
    pub(super) fn hlsl_stream(&self, func: Func) -> Option<Expr> {
        let Geometry { stream, emitters, .. } = &self.own.hlsl.geometry;
        let token = Token::new(Class::Name, stream.clone());
        emitters.contains(&func).then(|| Expr::atom(token, NumberType::scalar(Kind::Uint)))
    }

    /// The entry point of a geometry shader.
    pub(super) fn geometry_entry(&mut self, entry: &EntryPoint, attributes: Vec<Line>) -> Vec<Line> {
        let line = |depth: usize, text: String| Line::new(depth, words(Class::Plain, &text));
        let input = self.names.fresh("Input", "Input");
        let [from, at] = ["input", "at"].map(|name| self.names.fresh(name, name));
        let found = INPUTS.iter().find(|row| entry.has_mode(row.0));
        let (word, count) = found.map_or(("point", 1), |row| (row.1, row.2));
        let ports = self.own.hlsl.ports.clone();
        let (of_vertices, others): (Vec<&Port>, Vec<&Port>) =
            ports.iter().filter(|port| port.mode == Mode::In).partition(|port| port.vertices > 0);
        let mut lines = vec![Line::empty(), Line::text(format!("struct {input} {{"))];
        for port in &of_vertices {
            lines.push(self.port_member(port));
        }
        lines.extend([Line::text("};"), Line::empty()]);
        lines.extend(attributes);
        let mut params = vec![format!("{word} {input} {from}[{count}]")];
        let mut copies = Vec::new();
        for port in others {
            let ty = self.number_name(port.ty, Anchor::Var(port.var));
            let param = self.names.fresh(&port.name, "value");
            params.push(format!("{}{ty} {param} : {}", port.before, port.semantic));
            copies.push(line(1, format!("{} = {param};", port.name)));
        }
        let Geometry { stream, stream_type, .. } = &self.own.hlsl.geometry;
        params.push(format!("inout {stream_type} {stream}"));
        lines.push(line(0, format!("void main({}) {{", params.join(", "))));
        lines.extend(copies);
        if !of_vertices.is_empty() {
            lines.push(line(1, format!("for (uint {at} = 0; {at} < {count}; ++{at}) {{")));
            for port in &of_vertices {
                lines.push(line(2, format!("{0}[{at}] = {from}[{at}].{0};", port.name)));
            }
            lines.push(line(1, "}".to_owned()));
        }
        lines.push(line(1, format!("{}({stream});", self.own.hlsl.body)));
        lines.push(Line::text("}"));
        lines
    }
}

impl FuncWriter<'_, '_> {
    /// Writes the end of a vertex or of a primitive.
    pub(super) fn hlsl_emit(&mut self, inst: Inst, op: IoOp) {
        if self.body.inst(inst).attrs.get(Key::Stream).unwrap_or(0) > 0 {
            return self.refuse(inst, "its compiler has one stream of vertices", "");
        }
        let Geometry { emit, stream, .. } = &self.w.own.hlsl.geometry;
        let anchor = self.anchor(inst);
        let tokens = match op {
            IoOp::EmitVertex => vec![
                Token::linked(Class::Op, emit.clone(), anchor),
                crate::expr::punct("("),
                Token::new(Class::Name, stream.clone()),
                crate::expr::punct(")"),
            ],
            _ => vec![
                Token::new(Class::Name, stream.clone()),
                crate::expr::punct("."),
                Token::linked(Class::Op, "RestartStrip", anchor),
                crate::expr::punct("("),
                crate::expr::punct(")"),
            ],
        };
        self.statement(tokens);
    }
}
