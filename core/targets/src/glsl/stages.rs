//! The interface of the stages with several vertices, GLSL 4.60: tessellation, geometry and mesh shaders; payloads; and
//! execution modes.
//!
//! System values of a vertex are members of the arrays `gl_in`, `gl_out`, `gl_MeshVerticesEXT` and `gl_MeshPrimitivesEXT`. An
//! execution mode without a word in the language is stated by its number (GL_EXT_spirv_intrinsics).

use super::builtins;
use crate::expr::{Expr, Token, punct, space, words};
use crate::func::FuncWriter;
use crate::language::{Language, Version};
use crate::module::{ModuleWriter, NO_TYPE};
use crate::number::{Kind, NumberType};
use crate::paths::PathText;
use crate::print::Line;
use vitrine_ir::ops::{BasicOp, Builtin, DerefOp, Interp, Key, MemoryOp, Op};
use vitrine_ir::{
    Anchor, EntryPoint, ExecutionMode as E, GlobalValue, Help, Inst, Mode, ModeUse, Operand, Stage, Type,
    TypeData, Var, VarData,
};
use vitrine_text::Class;

/// System values of a vertex.
const OF_VERTEX: &[Builtin] =
    &[Builtin::Position, Builtin::PointSize, Builtin::ClipDistance, Builtin::CullDistance];
/// System values of a primitive of a mesh that are members of one array.
const OF_PRIMITIVE: &[Builtin] = &[
    Builtin::PrimitiveId,
    Builtin::Layer,
    Builtin::ViewportIndex,
    Builtin::CullPrimitive,
    Builtin::PrimitiveShadingRate,
];

/// Execution modes that are stated by number: the mode, the extension and the capability that a module with it
/// declares.
const BY_NUMBER: &[(E, Option<&str>, Option<u32>)] = &[
    (E::SubgroupUniformControlFlow, Some("SPV_KHR_subgroup_uniform_control_flow"), None),
    (E::DenormPreserve, Some("SPV_KHR_float_controls"), Some(4464)),
    (E::DenormFlushToZero, Some("SPV_KHR_float_controls"), Some(4465)),
    (E::SignedZeroInfNanPreserve, Some("SPV_KHR_float_controls"), Some(4466)),
    (E::RoundingModeRte, Some("SPV_KHR_float_controls"), Some(4467)),
    (E::RoundingModeRtz, Some("SPV_KHR_float_controls"), Some(4468)),
    (E::QuadDerivatives, Some("SPV_KHR_quad_control"), Some(5087)),
    (E::RequireFullQuads, Some("SPV_KHR_quad_control"), Some(5087)),
    (E::MaximallyReconverges, Some("SPV_KHR_maximal_reconvergence"), None),
];

/// The words of execution modes: the mode, the word, the stages that state it.
#[rustfmt::skip] // A table.
const WORDS: &[(E, &str, &[Stage])] = &[
    (E::Triangles, "triangles", &[Stage::Geometry, Stage::TessEval]),
    (E::Quads, "quads", &[Stage::TessEval]),
    (E::Isolines, "isolines", &[Stage::TessEval]),
    (E::SpacingEqual, "equal_spacing", &[Stage::TessEval]),
    (E::SpacingFractionalEven, "fractional_even_spacing", &[Stage::TessEval]),
    (E::SpacingFractionalOdd, "fractional_odd_spacing", &[Stage::TessEval]),
    (E::VertexOrderCw, "cw", &[Stage::TessEval]),
    (E::VertexOrderCcw, "ccw", &[Stage::TessEval]),
    (E::PointMode, "point_mode", &[Stage::TessEval]),
    (E::InputPoints, "points", &[Stage::Geometry]),
    (E::InputLines, "lines", &[Stage::Geometry]),
    (E::InputLinesAdjacency, "lines_adjacency", &[Stage::Geometry]),
    (E::InputTrianglesAdjacency, "triangles_adjacency", &[Stage::Geometry]),
    (E::PixelInterlockOrdered, "pixel_interlock_ordered", &[Stage::Fragment]),
    (E::PixelInterlockUnordered, "pixel_interlock_unordered", &[Stage::Fragment]),
    (E::SampleInterlockOrdered, "sample_interlock_ordered", &[Stage::Fragment]),
    (E::SampleInterlockUnordered, "sample_interlock_unordered", &[Stage::Fragment]),
];
const OUT_WORDS: &[(E, &str)] = &[
    (E::OutputPoints, "points"),
    (E::OutputLines, "lines"),
    (E::OutputTriangles, "triangles"),
    (E::OutputLineStrip, "line_strip"),
    (E::OutputTriangleStrip, "triangle_strip"),
];

impl ModuleWriter<'_> {
    /// The lines of an execution mode of these stages. `None` if it is another one.
    pub(super) fn glsl_stage_mode(&mut self, entry: &EntryPoint, mode: &ModeUse) -> Option<Vec<Line>> {
        if self.dialect.language() != Language::Glsl(Version::Vulkan) {
            return None;
        }
        let kind = mode.mode;
        let count = mode.args.first().map(|&arg| self.mode_number(arg));
        let layout = |text: String| Some(vec![Line::new(0, words(Class::Attr, &text))]);
        if let Some((_, word, _)) =
            WORDS.iter().find(|(known, _, stages)| *known == kind && stages.contains(&entry.stage))
        {
            let is_interlock = matches!(
                kind,
                E::PixelInterlockOrdered
                    | E::PixelInterlockUnordered
                    | E::SampleInterlockOrdered
                    | E::SampleInterlockUnordered
            );
            if is_interlock {
                self.extensions.insert("GL_ARB_fragment_shader_interlock");
            }
            return layout(format!("layout({word}) in;"));
        }
        if let Some((_, word)) = OUT_WORDS.iter().find(|(known, _)| *known == kind) {
            return layout(format!("layout({word}) out;"));
        }
        match (kind, count, entry.stage) {
            (E::Invocations, Some(count), _) => return layout(format!("layout(invocations = {count}) in;")),
            (E::OutputVertices, Some(count), Stage::TessControl) => {
                return layout(format!("layout(vertices = {count}) out;"));
            }
            (E::OutputVertices, Some(count), Stage::Geometry | Stage::Mesh) => {
                return layout(format!("layout(max_vertices = {count}) out;"));
            }
            (E::OutputPrimitives, Some(count), _) => {
                return layout(format!("layout(max_primitives = {count}) out;"));
            }
            _ => {}
        }
        let is_tessellation = matches!(entry.stage, Stage::TessControl | Stage::TessEval);
        let of_tessellation = is_tessellation
            && (kind == E::OutputVertices
                || WORDS
                    .iter()
                    .any(|(known, _, stages)| *known == kind && stages.contains(&Stage::TessEval)));
        let row = BY_NUMBER.iter().find(|(known, ..)| *known == kind).copied();
        let (_, extension, capability) = row.or(of_tessellation.then_some((kind, None, None)))?;
        self.extensions.insert("GL_EXT_spirv_intrinsics");
        let mut args: Vec<String> = Vec::new();
        args.extend(extension.map(|name| format!("extensions = [\"{name}\"]")));
        args.extend(capability.map(|number| format!("capabilities = [{number}]")));
        args.push(kind.number().to_string());
        args.extend(mode.args.iter().map(|&arg| self.mode_number(arg).to_string()));
        let text = format!("spirv_execution_mode({});", args.join(", "));
        Some(vec![Line::text(format!("// {}", kind.name())), Line::new(0, words(Class::Attr, &text))])
    }

    fn mode_number(&self, arg: Operand) -> u64 {
        match arg {
            Operand::Bits(bits) => self.module.bits_of(bits).component(0).bits(),
            Operand::Global(_) => 0,
        }
    }

    /// The extensions of a stage.
    pub(super) fn glsl_stage(&mut self) {
        let extension = match self.stage {
            Stage::Task | Stage::Mesh => Some("GL_EXT_mesh_shader"),
            Stage::RayGen
            | Stage::Intersection
            | Stage::AnyHit
            | Stage::ClosestHit
            | Stage::Miss
            | Stage::Callable => Some("GL_EXT_ray_tracing"),
            _ => None,
        };
        self.extensions.extend(extension);
    }

    /// The array that system values of vertices or primitives are members of, for a variable that is one or has them.
    pub(super) fn glsl_vertices(&self, var: Var) -> Option<&'static str> {
        if self.dialect.language() != Language::Glsl(Version::Vulkan) {
            return None;
        }
        let data = self.module.var(var)?;
        let (TypeData::Array { of, .. } | TypeData::RuntimeArray { of, .. }) = *self.module.type_of(data.ty)
        else {
            return None;
        };
        if is_of_patch(data) {
            return None;
        }
        let of_member = match *self.module.type_of(of) {
            TypeData::Struct(structure) => {
                let mut members = self.module.structure(structure)?.members.iter();
                members.find_map(|member| member.attrs.word())
            }
            _ => None,
        };
        let value: Builtin = data.attrs.word().or(of_member)?;
        match (self.stage, data.mode) {
            (Stage::Geometry | Stage::TessControl | Stage::TessEval, Mode::In) => {
                OF_VERTEX.contains(&value).then_some("gl_in")
            }
            (Stage::TessControl, Mode::Out) => OF_VERTEX.contains(&value).then_some("gl_out"),
            (Stage::Mesh, Mode::Out) if OF_VERTEX.contains(&value) => Some("gl_MeshVerticesEXT"),
            (Stage::Mesh, Mode::Out) if OF_PRIMITIVE.contains(&value) => Some("gl_MeshPrimitivesEXT"),
            _ => None,
        }
    }

    /// Returns true for inputs whose number of vertices the language decides.
    pub(super) fn glsl_has_open_length(&self, var: Var) -> bool {
        let is_tessellation = matches!(self.stage, Stage::TessControl | Stage::TessEval);
        self.module.var(var).is_some_and(|data| {
            is_tessellation && data.mode == Mode::In && !is_of_patch(data) && !data.attrs.has(Key::BuiltIn)
        })
    }

    /// The qualifiers of a payload: its layout and its word. `None` for another kind of memory.
    pub(super) fn glsl_payload(&mut self, var: Var) -> Option<(Option<String>, &'static str)> {
        let class = self.module.var(var)?.attrs.get(Key::Class)?;
        let word = match class {
            5402 if matches!(self.stage, Stage::Task | Stage::Mesh) => {
                return Some((None, "taskPayloadSharedEXT"));
            }
            5339 => return Some((None, "hitAttributeEXT")),
            5338 => "rayPayloadEXT",
            5342 => "rayPayloadInEXT",
            5328 => "callableDataEXT",
            5329 => "callableDataInEXT",
            _ => return None,
        };
        let location = self.payload_location(var);
        Some((Some(format!("location = {location}")), word))
    }

    /// Declares the payloads that have a location and belong to the caller. Where the program has none, the language wants one.
    pub(super) fn glsl_declare_payload(&mut self, location: u64, is_callable: bool) {
        // Outgoing ones, else what came in: numbers of storage classes in SPIR-V.
        let classes = if is_callable { [5328, 5329] } else { [5338, 5342] };
        let of_class = |class: u64| -> Vec<Var> {
            let vars = self.module.vars().filter(|(_, data)| {
                matches!(data.mode, Mode::Payload | Mode::Callable)
                    && data.attrs.get(Key::Class) == Some(class)
            });
            let candidates: Vec<Var> = vars.map(|(var, _)| var).collect();
            candidates.into_iter().filter(|&var| self.payload_location(var) == location).collect()
        };
        let found = classes.map(of_class).into_iter().find(|found| !found.is_empty()).unwrap_or_default();
        let word = if is_callable { "callableDataEXT" } else { "rayPayloadEXT" };
        let key = format!("{word} {location}");
        if found.is_empty() && !self.own.glsl.es_pairs.iter().any(|(known, _)| *known == key) {
            let name = self.names.fresh("unused", "unused");
            let text = format!("layout(location = {location}) {word} uint {name};");
            self.own.glsl.further_lines.push(Line::new(0, vec![Token::new(Class::Plain, text)]));
            self.own.glsl.es_pairs.push((key, name));
        }
        for var in found {
            self.declare_var(var);
        }
    }
}

impl ModuleWriter<'_> {
    /// The initial value of an output of a patch, or of a vertex of it: the value itself and its type. `None` if the vertices
    /// have different values, or if system values in a structure are not zero.
    fn glsl_output_init(&self, var: Var) -> Option<(Operand, Type)> {
        let data = self.module.var(var)?;
        let init = data.init?;
        if is_of_patch(data) {
            return Some((init, data.ty));
        }
        let of_vertex = self.module.element_type(data.ty)?;
        let Operand::Global(global) = init else { return None };
        match &self.module.global(global)?.value {
            GlobalValue::Zero(_) => Some((init, of_vertex)),
            GlobalValue::Parts(_, parts) if self.glsl_vertices(var).is_none() => {
                let &first = parts.first()?;
                parts.iter().all(|&part| part == first).then_some((first, of_vertex))
            }
            GlobalValue::Parts(..)
            | GlobalValue::Undef(_)
            | GlobalValue::Spec(_)
            | GlobalValue::Op { .. }
            | GlobalValue::Address(_) => None,
        }
    }

    /// The system values of a block of vertices, as text. Distances, which have no length of their own, are elements.
    fn glsl_vertex_members(&mut self, of: Type) -> Vec<(String, Type)> {
        let TypeData::Struct(structure) = *self.module.type_of(of) else { return Vec::new() };
        let members = self.module.structure(structure).map(|data| data.members.to_vec()).unwrap_or_default();
        let mut out = Vec::new();
        for member in members {
            let Some(value) = member.attrs.word() else { continue };
            let Some(found) = builtins::find(value, Mode::Out, self.stage) else { continue };
            match self.module.element_type(member.ty).zip(self.module.element_count(member.ty)) {
                Some((element, count))
                    if matches!(self.module.type_of(member.ty), TypeData::Array { .. }) =>
                {
                    out.extend((0..count).map(|at| (format!("{}[{at}]", found.name), element)));
                }
                _ => out.push((found.name.to_owned(), member.ty)),
            }
        }
        out
    }
}

impl FuncWriter<'_, '_> {
    /// Stores the initial values of the outputs of a patch and of its vertices, and waits for all of its invocations.
    pub(super) fn glsl_initialize_outputs(&mut self) {
        if self.w.stage != Stage::TessControl || self.w.dialect.language() != Language::Glsl(Version::Vulkan)
        {
            return;
        }
        let module = self.w.module;
        let entry = module.entries.iter().find(|entry| entry.func == self.func);
        let mut is_any = false;
        for var in entry.map(|entry| entry.interface.clone()).unwrap_or_default() {
            let Some(data) = module.var(var).filter(|data| data.mode == Mode::Out && data.init.is_some())
            else {
                continue;
            };
            let Some((init, ty)) = self.w.glsl_output_init(var) else {
                let says = format!("{var} is an output whose vertices have initializers of their own");
                let help = "store the value at the start of the entry point";
                self.w.refuse(NO_TYPE, Anchor::Var(var), says, help);
                continue;
            };
            is_any = true;
            let value = data.attrs.word();
            let builtin = value.and_then(|value| builtins::find(value, Mode::Out, self.w.stage));
            let own = || {
                let index = Token::linked(Class::Name, OWN_VERTEX, Anchor::Var(var));
                [punct("["), index, punct("]")]
            };
            let array = self.w.glsl_vertices(var);
            let is_whole = data.ty == ty;
            let mut places: Vec<(Vec<Token>, Type)> = Vec::new();
            match array {
                Some(array) => {
                    let members = match builtin {
                        Some(found) => vec![(found.name.to_owned(), ty)],
                        None => self.w.glsl_vertex_members(ty),
                    };
                    for (member, ty) in members {
                        let mut place = vec![Token::linked(Class::Name, array, Anchor::Var(var))];
                        place.extend(own());
                        place.extend([punct("."), Token::new(Class::Plain, member)]);
                        places.push((place, ty));
                    }
                }
                None => {
                    let name = builtin.map_or_else(|| self.w.var_name(var), |found| found.name.into());
                    let mut place = vec![Token::linked(Class::Name, name, Anchor::Var(var))];
                    if !is_whole {
                        place.extend(own());
                    }
                    places.push((place, ty));
                }
            }
            for (mut tokens, ty) in places {
                tokens.extend([space(), Token::new(Class::Op, "="), space()]);
                tokens.extend(self.w.initializer(init, ty));
                self.statement(tokens);
            }
        }
        if is_any {
            // An output of the patch, or of another vertex, may be accessed next.
            self.statement(vec![Token::new(Class::Op, "barrier"), punct("("), punct(")")]);
        }
    }

    /// The inputs of all vertices, which have more elements in the language than in the program, as an array of those.
    pub(super) fn glsl_elements(&mut self, inst: Inst, text: &PathText) -> Option<Vec<Token>> {
        let var = text.root.filter(|&var| self.w.glsl_has_open_length(var))?;
        let module = self.w.module;
        if module.var(var)?.ty != text.ty {
            return None;
        }
        let count = module.element_count(text.ty)?;
        let (base, dims) = self.w.type_parts(text.ty, self.anchor(inst))?;
        let mut tokens = vec![Token::new(Class::Type, base)];
        tokens.extend(dims);
        tokens.push(punct("("));
        for at in 0..count {
            if at > 0 {
                tokens.extend([punct(","), space()]);
            }
            tokens.extend(text.tokens.clone());
            tokens.extend([punct("["), Token::new(Class::Number, at.to_string()), punct("]")]);
        }
        tokens.push(punct(")"));
        Some(tokens)
    }

    /// The index of an element of an output of all vertices: the compiler takes the system value itself only.
    pub(super) fn glsl_vertex_index(&self, text: &PathText, index: Inst) -> Option<Expr> {
        let var = text.root?;
        let data = self.w.module.var(var)?;
        let is_output = self.w.stage == Stage::TessControl && data.mode == Mode::Out && data.ty == text.ty;
        if !is_output {
            return None;
        }
        let mut at = index;
        while self.body.inst(at).op == Op::Basic(BasicOp::Copy) {
            at = *self.body.inst(at).args.first()?;
        }
        let load = self.body.inst(at);
        let from = self.body.inst(*load.args.first()?);
        if load.op != Op::Memory(MemoryOp::Load) || from.op != Op::Deref(DerefOp::Var) {
            return None;
        }
        let value: Builtin = self.w.module.var(from.entity::<Var>(Key::Var)?)?.attrs.word()?;
        let token = Token::linked(Class::Name, OWN_VERTEX, self.anchor(index));
        (value == Builtin::InvocationId).then(|| Expr::atom(token, NumberType::scalar(Kind::Int)))
    }

    /// Refuses a store to an output of another vertex than the own one. Returns true if it did.
    pub(super) fn glsl_refuses_vertex(&mut self, inst: Inst, text: &PathText) -> bool {
        let Some(data) = text.root.and_then(|var| self.w.module.var(var)) else { return false };
        let is_output = self.w.stage == Stage::TessControl && data.mode == Mode::Out && !is_of_patch(data);
        let is_own = text.tokens.get(2).is_some_and(|token| token.text.as_str() == OWN_VERTEX);
        if !is_output || is_own {
            return false;
        }
        self.refuse(
            inst,
            "it writes an output of a vertex whose index is not the system value of the invocation itself",
            Help::text("passes")
                .pass("inline-functions")
                .then("and")
                .pass("vars-to-values")
                .then("may show the index"),
        );
        true
    }
}

/// Returns true for a value of a patch, not of its vertices.
fn is_of_patch(data: &VarData) -> bool {
    data.attrs.words::<Interp>().has(Interp::PATCH)
}

/// The index of the vertex of an invocation.
const OWN_VERTEX: &str = "gl_InvocationID";
