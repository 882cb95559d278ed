//! Random programs: structures, arrays and matrices in blocks and variables, functions with parameters of all directions, loops
//! and switches with every kind of exit, and names that are words of other languages.
//!
//! Programs are GLSL, which glslang compiles: what a stranger would bring. Everything is defined: loops count, shifts and
//! indices are masked, and floats stay small multiples of 1/8, so that no order of operations rounds. Every variable ends in the
//! results. A program is one number; a longer run has more of them.

mod values; // places and expressions

use std::collections::BTreeSet;
use std::fmt::Write;
use vitrine_core::base::random::Random;

/// Names that mean something in another language.
const NAMES: &str = "\
    let var fn kernel constant device thread threadgroup vertex fragment texture texture2d float4 float3x3 int2 \
    uint3 bool4 saturate lerp mul rsqrt frac line point triangle main0 u32 i32 f32 f16 array ptr private storage \
    workgroup function operator new delete matrix vector string pass technique cbuffer tbuffer register \
    packoffset override enable requires alias diagnostic loop linear clip tex2D Texture2D SamplerState \
    groupshared nointerpolation auto signed char try catch throw virtual friend explicit export mutable and or \
    xor bitand compl atomic quad simd ushort uchar size_t nullptr null self type typeof where impl use unsafe \
    yield await async get result data value index count o r x xy rgba e E M_PI INFINITY NAN HALF_MAX \
    location_0 v0 _0 _ select bitcast countOneBits Out In Push global local read write access metal std half4 \
    unorm inout_ discard_ SV_Target Buffer asuint asfloat \
";

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    Bool,
    Int,
    Uint,
    Float,
}

impl Kind {
    const ALL: [Kind; 4] = [Kind::Bool, Kind::Int, Kind::Uint, Kind::Float];

    fn word(self) -> &'static str {
        match self {
            Kind::Bool => "bool",
            Kind::Int => "int",
            Kind::Uint => "uint",
            Kind::Float => "float",
        }
    }

    fn letter(self) -> &'static str {
        match self {
            Kind::Bool => "b",
            Kind::Int => "i",
            Kind::Uint => "u",
            Kind::Float => "",
        }
    }
}

#[derive(Clone, PartialEq, Eq, Debug)]
enum Ty {
    /// A number, or a vector of 2 to 4.
    Value(Kind, u32),
    /// Columns and rows.
    Matrix(u32, u32),
    Array(Box<Ty>, u32),
    Struct(usize),
}

const INT: Ty = Ty::Value(Kind::Int, 1);
const UINT: Ty = Ty::Value(Kind::Uint, 1);
const BOOL: Ty = Ty::Value(Kind::Bool, 1);

/// Something that can be read, and perhaps written.
#[derive(Clone)]
struct Place {
    text: String,
    ty: Ty,
    is_written: bool,
    /// Floats in it have any bits.
    is_raw: bool,
}

/// A parameter: the word of its direction, and its type.
type Param = (&'static str, Ty);

struct Function {
    name: String,
    result: Ty,
    params: Vec<Param>,
}

/// The stage that a program is for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kernel {
    Compute,
    Fragment,
    Vertex,
}

impl Kernel {
    /// The word of glslang.
    fn stage(self) -> &'static str {
        match self {
            Kernel::Compute => "comp",
            Kernel::Fragment => "frag",
            Kernel::Vertex => "vert",
        }
    }
}

/// The stage of the program of a number, as glslang calls it, and its text.
pub(crate) fn program(seed: u64) -> (&'static str, String) {
    let kernel = [Kernel::Compute, Kernel::Fragment, Kernel::Compute, Kernel::Vertex][(seed % 4) as usize];
    let mut maker = Maker {
        random: Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1),
        names: BTreeSet::new(),
        structs: Vec::new(),
        functions: Vec::new(),
        scope: Vec::new(),
        out: String::new(),
        level: 0,
        loops: 0,
        budget: 0,
        kernel,
        images: None,
        result: None,
    };
    maker.program();
    (kernel.stage(), maker.out)
}

struct Maker {
    random: Random,
    names: BTreeSet<String>,
    structs: Vec<(String, Vec<(String, Ty)>)>,
    functions: Vec<Function>,
    scope: Vec<Place>,
    out: String,
    /// Nesting of statements.
    level: usize,
    /// Loops around the statement that `break` and `continue` may leave.
    loops: usize,
    /// Statements that may still be made in this function.
    budget: usize,
    kernel: Kernel,
    /// The name of an array of two images, if there is one.
    images: Option<String>,
    /// The type that the function returns; none in `main`.
    result: Option<Ty>,
}

impl Maker {
    fn line(&mut self, text: impl AsRef<str>) {
        let indent = "  ".repeat(self.level);
        let _ = writeln!(self.out, "{indent}{}", text.as_ref());
    }

    /// A new name.
    fn name(&mut self) -> String {
        for _ in 0..8 {
            let at = self.random.below(NAMES.split_whitespace().count());
            let name = NAMES.split_whitespace().nth(at).unwrap_or_default().to_owned();
            if self.random.below(3) > 0 && self.names.insert(name.clone()) {
                return name;
            }
        }
        let name = format!("v{}", self.names.len() + 1);
        self.names.insert(name.clone());
        name
    }

    fn kind(&mut self) -> Kind {
        self.random.pick(&Kind::ALL)
    }

    /// A type; blocks have no booleans.
    fn ty(&mut self, depth: usize, in_block: bool) -> Ty {
        let kind = loop {
            let kind = self.kind();
            if !(in_block && kind == Kind::Bool) {
                break kind;
            }
        };
        match self.random.below(if depth == 0 { 6u32 } else { 10 }) {
            0..3 => Ty::Value(kind, 1),
            3..5 => Ty::Value(kind, 2 + self.random.below(3u32)),
            5 => Ty::Matrix(2 + self.random.below(3u32), 2 + self.random.below(3u32)),
            6..8 => Ty::Array(Box::new(self.ty(depth - 1, in_block)), 1 + self.random.below(4u32)),
            _ => {
                let fitting: Vec<usize> = (0..self.structs.len())
                    .filter(|&at| !in_block || !self.has(&Ty::Struct(at), Kind::Bool))
                    .collect();
                if fitting.is_empty() { Ty::Value(kind, 1) } else { Ty::Struct(self.random.pick(&fitting)) }
            }
        }
    }

    /// Whether a type has numbers of a kind.
    fn has(&self, ty: &Ty, kind: Kind) -> bool {
        match ty {
            Ty::Value(own, _) => *own == kind,
            Ty::Matrix(..) => kind == Kind::Float,
            Ty::Array(of, _) => self.has(of, kind),
            Ty::Struct(at) => self.structs[*at].1.iter().any(|(_, ty)| self.has(ty, kind)),
        }
    }

    fn spelled(&self, ty: &Ty) -> String {
        match ty {
            Ty::Value(kind, 1) => kind.word().to_owned(),
            Ty::Value(kind, count) => format!("{}vec{count}", kind.letter()),
            Ty::Matrix(columns, rows) => format!("mat{columns}x{rows}"),
            Ty::Array(of, count) => {
                // The outermost length is written first.
                let inner = self.spelled(of);
                match inner.find('[') {
                    Some(at) => format!("{}[{count}]{}", &inner[..at], &inner[at..]),
                    None => format!("{inner}[{count}]"),
                }
            }
            Ty::Struct(at) => self.structs[*at].0.clone(),
        }
    }

    /// A new variable with a value.
    fn declare(&mut self) {
        let ty = self.ty(2, false);
        let value = self.value(&ty, 2);
        let name = self.name();
        let spelled = self.spelled(&ty);
        self.line(format!("{spelled} {name} = {value};"));
        self.scope.push(Place { text: name, ty, is_written: true, is_raw: false });
    }

    /// A block of statements; its variables are gone afterwards.
    fn block(&mut self, most: usize) {
        let before = self.scope.len();
        self.level += 1;
        for _ in 0..1 + self.random.below(most) {
            self.statement();
        }
        if self.random.one_in(5) {
            self.leave();
        }
        self.level -= 1;
        self.scope.truncate(before);
    }

    /// A way out of a block.
    fn leave(&mut self) {
        match self.random.below(3u32) {
            0 if self.loops > 0 => self.line("break;"),
            1 if self.loops > 0 => self.line("continue;"),
            _ => {
                if let Some(ty) = self.result.clone() {
                    let value = self.value(&ty, 1);
                    self.line(format!("return {value};"));
                }
            }
        }
    }

    fn statement(&mut self) {
        self.budget = self.budget.saturating_sub(1);
        let simple = self.budget == 0 || self.level > 4;
        match self.random.below(if simple { 6u32 } else { 13 }) {
            0 | 1 => self.declare(),
            2..6 => self.assign(),
            6 | 7 => self.choice(),
            8 | 9 => self.repeat(),
            10 => self.switch(),
            11 => {
                self.line("{");
                self.block(3);
                self.line("}");
            }
            _ => {
                let Some(at) = (!self.functions.is_empty()).then(|| self.random.below(self.functions.len()))
                else {
                    return self.assign();
                };
                let result = self.functions[at].result.clone();
                for _ in 0..4 {
                    if let Some(call) = self.call(&result, 1) {
                        return self.line(format!("{call};"));
                    }
                }
                self.assign();
            }
        }
    }

    fn assign(&mut self) {
        let Some(place) = self.place(None, true) else { return self.declare() };
        let value = self.value(&place.ty, 2);
        let number = matches!(place.ty, Ty::Value(Kind::Int | Kind::Uint, _));
        let symbol =
            if number { self.random.pick(&["=", "=", "+=", "-=", "^=", "|=", "&=", "*="]) } else { "=" };
        self.line(format!("{} {symbol} {value};", place.text));
        if place.ty == INT && self.random.one_in(4) {
            let symbol = self.random.pick(&["++", "--"]);
            self.line(format!("{}{symbol};", place.text));
        }
    }

    fn choice(&mut self) {
        let cond = self.value(&BOOL, 2);
        self.line(format!("if ({cond}) {{"));
        self.block(3);
        if self.random.one_in(2) {
            self.line("} else {");
            self.block(3);
        }
        self.line("}");
    }

    fn repeat(&mut self) {
        let counter = format!("turn{}", self.names.len());
        self.names.insert(counter.clone());
        let most = 1 + self.random.below(4u32);
        let (head, tail) = match self.random.below(3u32) {
            0 => (format!("for (int {counter} = 0; {counter} < {most}; {counter}++) {{"), "}".to_owned()),
            1 => {
                self.line(format!("int {counter} = 0;"));
                (format!("while ({counter}++ < {most}) {{"), "}".to_owned())
            }
            _ => {
                self.line(format!("int {counter} = 0;"));
                ("do {".to_owned(), format!("}} while (++{counter} < {most});"))
            }
        };
        self.line(head);
        self.scope.push(Place { text: counter, ty: INT, is_written: false, is_raw: false });
        self.loops += 1;
        self.block(3);
        self.loops -= 1;
        self.scope.pop();
        self.line(tail);
    }

    fn switch(&mut self) {
        let on = self.value(&INT, 1);
        self.line(format!("switch ({on} & 3) {{"));
        let default = self.random.below(5u32);
        let count = 1 + self.random.below(4u32);
        for case in 0..count {
            match case == default {
                true => self.line("default:"),
                false => self.line(format!("case {case}:")),
            }
            self.line("{");
            // A `break` in it leaves the switch, and `continue` the loop around it.
            self.block(2);
            self.line("}");
            if case + 1 == count || self.random.below(3) > 0 {
                self.line("break;");
            }
        }
        self.line("}");
    }

    /// The functions that keep floats small.
    fn tamers(&mut self) {
        for word in ["float", "vec2", "vec3", "vec4"] {
            self.line(format!("{word} tamed({word} of) {{"));
            let bits = word.replace("float", "int").replace("vec", "ivec");
            self.line(format!("  {bits} steps = {bits}(clamp(of, {word}(-64.0), {word}(64.0)) * 8.0);"));
            self.line(format!("  return {word}(steps) * 0.125;"));
            self.line("}");
        }
    }

    /// Declares a block of random members, with a name or without one.
    fn buffer(&mut self, head: &str, count: usize, is_written: bool) {
        let members: Vec<(String, Ty)> = (0..count).map(|_| (self.name(), self.ty(2, true))).collect();
        let (block, name) = (self.name(), self.random.one_in(2).then(|| self.name()));
        self.line(format!("{head} {block} {{"));
        for (member, ty) in &members {
            let spelled = self.spelled(ty);
            self.line(format!("  {spelled} {member};"));
        }
        self.line(format!("}}{};", name.as_ref().map(|name| format!(" {name}")).unwrap_or_default()));
        for (member, ty) in members {
            let text = name.as_ref().map_or(member.clone(), |name| format!("{name}.{member}"));
            self.scope.push(Place { text, ty, is_written, is_raw: true });
        }
    }

    fn program(&mut self) {
        self.line("#version 460");
        if self.kernel == Kernel::Compute {
            self.line("layout(local_size_x = 4) in;");
        }
        for _ in 0..self.random.below(4u32) {
            let members: Vec<(String, Ty)> =
                (0..1 + self.random.below(4u32)).map(|_| (self.name(), self.ty(1, false))).collect();
            let name = self.name();
            self.line(format!("struct {name} {{"));
            for (member, ty) in &members {
                let spelled = self.spelled(ty);
                self.line(format!("  {spelled} {member};"));
            }
            self.line("};");
            self.structs.push((name, members));
        }
        let layout = self.random.pick(&["std140", "std140, row_major"]);
        self.buffer(&format!("layout(set = 0, binding = 0, {layout}) uniform"), 3, false);
        if self.kernel == Kernel::Compute {
            self.buffer("layout(set = 0, binding = 1, std430) readonly buffer", 3, false);
            self.line("layout(set = 0, binding = 2, std430) buffer Results_ { uint results_[]; };");
        }
        self.resources();
        self.inputs();
        for _ in 0..self.random.below(3u32) {
            let ty = self.ty(2, false);
            let (name, spelled, value) = (self.name(), self.spelled(&ty), self.value_of_constants(&ty));
            let is_written = self.random.below(3) > 0;
            let word = if is_written { "" } else { "const " };
            self.line(format!("{word}{spelled} {name} = {value};"));
            self.scope.push(Place { text: name, ty, is_written, is_raw: false });
        }
        self.tamers();
        for _ in 0..self.random.below(4u32) {
            self.function();
        }
        self.main();
    }

    fn value_of_constants(&mut self, ty: &Ty) -> String {
        let scope = std::mem::take(&mut self.scope);
        let value = self.value(ty, 0);
        self.scope = scope;
        value
    }

    /// Images.
    fn resources(&mut self) {
        if self.random.one_in(4) {
            let name = self.name();
            self.line(format!("layout(set = 0, binding = 3) uniform sampler2D {name}[2];"));
            self.images = Some(name);
        }
    }

    /// The locations that an input of a type takes.
    fn locations(&self, ty: &Ty) -> u32 {
        match ty {
            Ty::Value(..) => 1,
            Ty::Matrix(columns, _) => *columns,
            Ty::Array(of, count) => count * self.locations(of),
            Ty::Struct(at) => self.structs[*at].1.iter().map(|(_, ty)| self.locations(ty)).sum(),
        }
    }

    /// Inputs of the stage: numbers, matrices and arrays, and structures and a block between stages.
    fn inputs(&mut self) {
        if self.kernel == Kernel::Compute {
            return;
        }
        let is_between = self.kernel == Kernel::Fragment;
        let mut location = 0;
        for _ in 0..3 {
            let depth = self.random.below(2usize);
            let ty = self.ty(depth, true);
            let has_structure = !matches!(self.innermost(&ty), Ty::Value(..) | Ty::Matrix(..));
            let size = self.locations(&ty);
            if has_structure && !is_between || location + size > 10 {
                continue;
            }
            let is_flat = is_between && (self.has(&ty, Kind::Int) || self.has(&ty, Kind::Uint));
            let flat = if is_flat { "flat " } else { "" };
            let (name, spelled) = (self.name(), self.spelled(&ty));
            self.line(format!("layout(location = {location}) {flat}in {spelled} {name};"));
            self.scope.push(Place { text: name, ty, is_written: false, is_raw: true });
            location += size;
        }
        if is_between && self.random.one_in(2) {
            let (block, name) = (self.name(), self.random.one_in(2).then(|| self.name()));
            self.line(format!("layout(location = {location}) in {block} {{"));
            for _ in 0..1 + self.random.below(3u32) {
                let kind = self.random.pick(&[Kind::Int, Kind::Uint, Kind::Float, Kind::Float]);
                let ty = Ty::Value(kind, 1 + self.random.below(4u32));
                let word = match kind {
                    Kind::Float => self.random.pick(&["", "noperspective ", "centroid "]),
                    Kind::Bool | Kind::Int | Kind::Uint => "flat ",
                };
                let (member, spelled) = (self.name(), self.spelled(&ty));
                self.line(format!("  {word}{spelled} {member};"));
                let text = name.as_ref().map_or(member.clone(), |name| format!("{name}.{member}"));
                self.scope.push(Place { text, ty, is_written: false, is_raw: true });
            }
            self.line(format!("}}{};", name.map(|name| format!(" {name}")).unwrap_or_default()));
        }
    }

    fn innermost(&self, ty: &Ty) -> Ty {
        match ty {
            Ty::Array(of, _) => self.innermost(of),
            _ => ty.clone(),
        }
    }

    fn function(&mut self) {
        let result = self.ty(1, false);
        let params: Vec<Param> = (0..self.random.below(4u32))
            .map(|_| (self.random.pick(&["in", "out", "inout"]), self.ty(1, false)))
            .collect();
        let (name, spelled) = (self.name(), self.spelled(&result));
        let before = self.scope.len();
        let mut list = Vec::new();
        let mut first = Vec::new();
        for (direction, ty) in &params {
            let (name, spelled) = (self.name(), self.spelled(ty));
            list.push(format!("{direction} {spelled} {name}"));
            if *direction == "out" {
                first.push((name.clone(), ty.clone()));
            }
            self.scope.push(Place { text: name, ty: ty.clone(), is_written: true, is_raw: false });
        }
        self.line(format!("{spelled} {name}({}) {{", list.join(", ")));
        self.level += 1;
        for (name, ty) in first {
            let value = self.value_of_constants(&ty);
            self.line(format!("{name} = {value};"));
        }
        (self.result, self.budget) = (Some(result.clone()), 8);
        for _ in 0..1 + self.random.below(4u32) {
            self.statement();
        }
        let value = self.value(&result, 1);
        self.line(format!("return {value};"));
        self.level -= 1;
        self.line("}");
        self.scope.truncate(before);
        self.result = None;
        self.functions.push(Function { name, result, params });
    }

    fn main(&mut self) {
        match self.kernel {
            Kernel::Compute => self.line("shared uint shared_[4];"),
            Kernel::Fragment => {
                self.line("layout(location = 0) out uvec4 out_0;");
                self.line("layout(location = 1) out vec4 out_1;");
            }
            Kernel::Vertex => {
                self.line("layout(location = 0) flat out uvec4 out_0;");
                self.line("layout(location = 1) out vec4 out_1;");
            }
        }
        self.line("void main() {");
        self.level += 1;
        let index = match self.kernel {
            Kernel::Compute => "int(gl_GlobalInvocationID.x)",
            Kernel::Fragment => "int(gl_FragCoord.x)",
            Kernel::Vertex => "gl_VertexIndex",
        };
        self.line(format!("int index_ = {index};"));
        self.scope.push(Place { text: "index_".to_owned(), ty: INT, is_written: true, is_raw: false });
        self.budget = 24;
        for _ in 0..4 + self.random.below(6u32) {
            self.statement();
        }
        if self.kernel == Kernel::Compute && self.random.one_in(2) {
            let value = self.value(&UINT, 1);
            self.line(format!("shared_[gl_LocalInvocationIndex] = {value};"));
            self.line("barrier();");
            self.line("uint other_ = shared_[(gl_LocalInvocationIndex + 1u) % 4u];");
            self.scope.push(Place { text: "other_".to_owned(), ty: UINT, is_written: true, is_raw: false });
        }
        for _ in 0..self.random.below(4u32) {
            self.statement();
        }
        self.results();
        self.level -= 1;
        self.line("}");
    }

    /// Every variable that is in scope, as one number.
    fn results(&mut self) {
        self.line("uint hash_ = 17u;");
        let all: Vec<Place> = self.scope.iter().filter(|place| !place.is_raw).cloned().collect();
        for place in all {
            let mut work = vec![(place.text, place.ty)];
            while let Some((text, ty)) = work.pop() {
                match ty {
                    Ty::Value(kind, 1) => {
                        let word = match kind {
                            Kind::Float => format!("uint(int(tamed({text}) * 8.0))"),
                            Kind::Bool | Kind::Int | Kind::Uint => format!("uint({text})"),
                        };
                        self.line(format!("hash_ = hash_ * 31u + {word};"));
                    }
                    Ty::Value(kind, count) => {
                        work.extend((0..count).map(|at| (format!("{text}[{at}]"), Ty::Value(kind, 1))));
                    }
                    Ty::Matrix(columns, rows) => {
                        let column = Ty::Value(Kind::Float, rows);
                        work.extend((0..columns).map(|at| (format!("{text}[{at}]"), column.clone())));
                    }
                    Ty::Array(of, count) => {
                        work.extend((0..count).map(|at| (format!("{text}[{at}]"), (*of).clone())));
                    }
                    Ty::Struct(at) => {
                        let members = self.structs[at].1.clone();
                        work.extend(members.into_iter().map(|(name, ty)| (format!("{text}.{name}"), ty)));
                    }
                }
            }
        }
        let float = self.value(&Ty::Value(Kind::Float, 4), 1);
        match self.kernel {
            Kernel::Compute => {
                self.line("results_[gl_GlobalInvocationID.x % uint(results_.length())] = hash_;");
            }
            Kernel::Fragment | Kernel::Vertex => {
                self.line("out_0 = uvec4(hash_, hash_ >> 8, hash_ & 255u, 1u);");
                self.line(format!("out_1 = {float};"));
            }
        }
        if self.kernel == Kernel::Vertex {
            self.line("gl_Position = vec4(float(index_ & 1), float(index_ & 2), 0.0, 1.0);");
        }
    }
}
