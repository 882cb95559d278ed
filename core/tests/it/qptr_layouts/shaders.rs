//! Random shaders over memory of random layouts: loaded values are stored to a result buffer.
//!
//! A single invocation runs, so that there are no data races. Dynamic indices are loaded from a buffer and brought into
//! the range of the indexed array. Undefined memory is filled first, by a copy from a buffer or with zeros.

use super::types::{LayoutRule, Len, Shape, Ty, Types, spell};
use crate::testing::graphs::Random;
use std::fmt::Write;

/// Size of the result buffer in words.
pub(crate) const KEPT: u32 = 512;
/// Number of words from which indices are loaded.
pub(crate) const NUMBERS: u32 = 64;
/// Limit on the number of functions besides the entry point.
const MOST_CALLEES: usize = 3;

/// A path with the memory that it refers to.
#[derive(Clone)]
pub(crate) struct MemoryPlace {
    pub(crate) path: usize,
    pub(crate) ty: Ty,
    pub(crate) mode: &'static str,
    /// `true` if it may be stored to.
    pub(crate) open: bool,
    /// `true` for a row-major column or one of its components: it is used only in loads and stores.
    pub(crate) apart: bool,
}

/// A variable.
pub(crate) struct Var {
    pub(crate) ty: Ty,
    pub(crate) mode: &'static str,
    pub(crate) open: bool,
    /// Set and binding, if any.
    pub(crate) binding: String,
    /// `true` if it is initialized with zeros.
    pub(crate) zeros: bool,
}

/// A function that is called but not generated yet.
pub(crate) struct Callee {
    pub(crate) ty: Ty,
    pub(crate) mode: &'static str,
    pub(crate) open: bool,
}

pub(crate) struct Shader<'r> {
    pub(crate) random: &'r mut Random,
    pub(crate) types: Types,
    pub(crate) vars: Vec<Var>,
    /// The text of the functions.
    pub(crate) text: String,
    pub(crate) callees: Vec<Callee>,
    pub(crate) next: usize,
    pub(crate) block: usize,
    pub(crate) node: usize,
    /// The next node.
    pub(crate) depth: usize,
    pub(crate) places: Vec<MemoryPlace>,
    /// Available values: width, components, and value number.
    pub(crate) values: Vec<(u32, u32, usize)>,
    /// Paths to the arrays of result words and of index words.
    pub(crate) words: usize,
    pub(crate) numbers: usize,
    pub(crate) kept: u32,
}

/// A shader.
pub(crate) fn shader(random: &mut Random) -> String {
    let mut types = Types::default();
    let words = |count| Shape::Array(Box::new(Shape::Value('u', 32, 1)), Len::Count(count));
    for count in [KEPT, NUMBERS] {
        types.define(random, &[words(count)], LayoutRule::Scalar, Some("block"));
    }
    let mut shader = Shader {
        random,
        types,
        vars: Vec::new(),
        text: String::new(),
        callees: Vec::new(),
        next: 0,
        block: 0,
        node: 0,
        depth: 0,
        places: Vec::new(),
        values: Vec::new(),
        words: 0,
        numbers: 0,
        kept: 0,
    };
    for at in 0..2 {
        let binding = format!(" {{set 0, binding {at}}}");
        shader.vars.push(Var { ty: Ty::Struct(at), mode: "storage", open: false, binding, zeros: false });
    }
    shader.declare();
    shader.main();
    let mut done = 0;
    while done < shader.callees.len() {
        shader.callee(done);
        done += 1;
    }
    shader.whole()
}

impl Shader<'_> {
    /// The text of the whole module. A zero constant for each zero-initialized variable follows the
    /// specialization constants.
    fn whole(&self) -> String {
        let mut out = self.types.print();
        let [mut zeros, mut declared, mut locals] = [const { String::new() }; 3];
        let mut interface = Vec::new();
        let mut constant = self.types.specs.len();
        for (at, var) in self.vars.iter().enumerate() {
            let mut text = format!("{} ${at}: {}{}", var.mode, spell(&var.ty), var.binding);
            if var.zeros {
                writeln!(zeros, "const &{constant} = zero {}", spell(&var.ty))
                    .expect("a string accepts writes");
                write!(text, " = &{constant}").expect("a string accepts writes");
                constant += 1;
            }
            if var.mode == "local" {
                writeln!(locals, "  {text}").expect("a string accepts writes");
            } else {
                writeln!(declared, "{text}").expect("a string accepts writes");
                interface.push(format!("${at}"));
            }
        }
        let entry = format!("entry compute \"main\" @0 ({}) {{local_size 1 1 1}}", interface.join(", "));
        for part in [&zeros, &declared, &entry, "\n\nfunc @0() tree {\n", &locals, &self.text] {
            out.push_str(part);
        }
        out
    }

    pub(crate) fn line(&mut self, text: &str) {
        writeln!(self.text, "  {text}").expect("a string accepts writes");
    }

    pub(crate) fn add(&mut self, ty: &str, text: &str) -> usize {
        let at = self.next;
        self.next += 1;
        self.line(&format!("%{at}: {ty} = {text}"));
        at
    }

    pub(crate) fn below(&mut self, limit: u32) -> u32 {
        self.random.below(u64::from(limit)) as u32
    }

    pub(crate) fn one_in(&mut self, many: u32) -> bool {
        self.below(many) == 0
    }

    pub(crate) fn pick<T: Clone>(&mut self, from: &[T]) -> Option<T> {
        let at = self.below(from.len() as u32) as usize;
        from.get(at).cloned()
    }

    pub(crate) fn begin_block(&mut self) -> usize {
        let at = self.block;
        self.block += 1;
        writeln!(self.text, "^{at}:").expect("a string accepts writes");
        at
    }

    /// Variables of random types, each with the source of its initial contents.
    pub(crate) fn declare(&mut self) {
        let mut has_push = false;
        for _ in 0..1 + self.below(3) {
            match self.below(8) {
                0..=3 => self.buffer(),
                4 if !has_push => {
                    has_push = true;
                    let members = self.members(2, false);
                    let rule = self.layout_rule();
                    let ty = self.types.define(self.random, &members, rule, Some("block"));
                    self.var(ty, "push", false);
                }
                _ => self.own(),
            }
        }
    }

    pub(crate) fn members(&mut self, depth: u32, booleans: bool) -> Vec<Shape> {
        match self.types.structure(self.random, depth, booleans) {
            Shape::Struct(members) => members,
            other => vec![other],
        }
    }

    pub(crate) fn layout_rule(&mut self) -> LayoutRule {
        self.pick(&[
            LayoutRule::Std140,
            LayoutRule::Std430,
            LayoutRule::Scalar,
            LayoutRule::Odd,
            LayoutRule::Odd,
        ])
        .unwrap_or(LayoutRule::Odd)
    }

    pub(crate) fn var(&mut self, ty: Ty, mode: &'static str, open: bool) {
        let is_bound = matches!(mode, "storage" | "uniform");
        let binding = format!(" {{set 0, binding {}}}", self.vars.len());
        let binding = if is_bound { binding } else { String::new() };
        self.vars.push(Var { ty, mode, open, binding, zeros: false });
    }

    pub(crate) fn buffer(&mut self) {
        let mut members = self.members(2, false);
        let rule = self.layout_rule();
        let (mode, mark, open) = [
            ("storage", "block", true),
            ("storage", "block", true),
            ("uniform", "block", false),
            ("storage", "buffer_block", true),
        ][self.below(4) as usize];
        if open && self.one_in(2) {
            let of = self.types.shape(self.random, 1, false);
            members.push(Shape::Array(Box::new(of), Len::Runtime));
        }
        let mut ty = self.types.define(self.random, &members, rule, Some(mark));
        for inner in [true, false] {
            if self.one_in(6) {
                let is_sized = !inner || self.one_in(2);
                let len = if is_sized { Len::Count(1 + self.below(3)) } else { Len::Runtime };
                ty = Ty::Array { of: Box::new(ty), len, stride: 0 };
                if !is_sized {
                    break;
                }
            }
        }
        self.var(ty, mode, open);
    }

    /// Private memory, and the source of its initial contents.
    pub(crate) fn own(&mut self) {
        let mode = self.pick(&["private", "local", "shared"]).unwrap_or("private");
        let zeros = mode != "shared" && self.one_in(2);
        let shape = self.types.shape(self.random, 2, zeros);
        let rule = if self.one_in(3) { self.layout_rule() } else { LayoutRule::Natural };
        let ty = self.types.lay_out(self.random, &shape, rule);
        self.var(ty, mode, true);
        if let Some(var) = self.vars.last_mut() {
            var.zeros = zeros;
        }
        if !zeros {
            let rule = self.layout_rule();
            let source = self.types.define(self.random, std::slice::from_ref(&shape), rule, Some("block"));
            let open = self.one_in(2);
            self.var(source, "storage", open);
        }
    }

    /// The beginning of every function: paths to the result words and the index words.
    pub(crate) fn start(&mut self) {
        (self.depth, self.block, self.node) = (0, 0, 0);
        self.places.clear();
        self.values.clear();
    }

    pub(crate) fn fixed(&mut self) {
        let [words, numbers] = [0, 1].map(|at| {
            let var = self.add("path", &format!("deref.var ${at}"));
            self.add("path", &format!("deref.field %{var}.0"))
        });
        (self.words, self.numbers) = (words, numbers);
    }

    pub(crate) fn main(&mut self) {
        self.start();
        self.begin_block();
        self.fixed();
        for at in 2..self.vars.len() {
            let path = self.add("path", &format!("deref.var ${at}"));
            let Var { ty, mode, open, .. } = &self.vars[at];
            let place = MemoryPlace { path, ty: ty.clone(), mode, open: *open, apart: false };
            self.places.push(place);
        }
        for at in 2..self.vars.len() {
            let is_own = matches!(self.vars[at].mode, "private" | "local" | "shared");
            if is_own && !self.vars[at].zeros {
                let from = self.places[at - 1].path;
                let from = self.add("path", &format!("deref.field %{from}.0"));
                let to = self.places[at - 2].path;
                self.line(&format!("copy %{to}, %{from}"));
            }
        }
        for _ in 0..3 + self.below(6) {
            self.something();
        }
        // Locals of this function.
        for _ in 0..4 {
            self.access(true);
        }
        self.line("return");
        self.text.push_str("}\n");
    }

    /// A function with a pointer and an index as parameters, and a result.
    pub(crate) fn callee(&mut self, which: usize) {
        self.start();
        let Callee { ty, mode, open } = &self.callees[which];
        let (ty, mode, open) = (ty.clone(), *mode, *open);
        let attrs = format!("{{type {}, mode {mode}}}", spell(&ty));
        self.next = 2;
        write!(self.text, "\nfunc @{}(%0: path {attrs}, %1: b32) -> b32 tree {{\n", which + 1)
            .expect("a string accepts writes");
        self.begin_block();
        self.fixed();
        self.values.push((32, 1, 1));
        self.places.push(MemoryPlace { path: 0, ty, mode, open, apart: false });
        for _ in 0..1 + self.below(3) {
            self.something();
        }
        let result = self.value(32, 1);
        self.line(&format!("return %{result}"));
        self.text.push_str("}\n");
    }

    pub(crate) fn something(&mut self) {
        match self.below(16) {
            0..=7 => {
                let reads = self.one_in(2);
                self.access(reads);
            }
            8 | 9 => self.copy(),
            10 => self.choose(),
            11 => self.call(),
            12 if self.depth < 2 => self.branch(),
            13 if self.depth < 2 => self.repeat(),
            14 => self.length(),
            _ => self.compare(),
        }
    }

    pub(crate) fn call(&mut self) {
        let Some(place) = self.walk(|_| true) else { return };
        if !self.is_whole(&place) {
            return self.access_at(&place, true);
        }
        let MemoryPlace { ty, mode, open, .. } = place;
        let index = self.value(32, 1);
        let is_known = |callee: &Callee| callee.ty == ty && callee.mode == mode && callee.open == open;
        // A function calls only later ones, so that there is no recursion.
        if self.callees.iter().any(is_known) || self.callees.len() >= MOST_CALLEES {
            return;
        }
        self.callees.push(Callee { ty, mode, open });
        let callee = self.callees.len();
        for _ in 0..2 {
            let result = self.add("b32", &format!("call @{callee}(%{}, %{index})", place.path));
            self.keep(32, 1, result);
        }
    }

    /// Generates nested code, after which its values are no longer available.
    pub(crate) fn inside(&mut self, does: impl Fn(&mut Self)) {
        let (places, values) = (self.places.len(), self.values.len());
        self.depth += 1;
        does(self);
        self.depth -= 1;
        self.places.truncate(places);
        self.values.truncate(values);
    }

    pub(crate) fn some(&mut self) {
        for _ in 0..1 + self.below(2) {
            self.something();
        }
    }

    /// A branch whose arms may pass a pointer.
    pub(crate) fn branch(&mut self) {
        let passed = self.passed();
        let cond = self.condition();
        let node = self.node;
        self.node += 1;
        let mut heads = ["if", "} else"]
            .into_iter()
            .zip([passed.as_ref().map(|two| two.0.path), passed.as_ref().map(|two| two.1.path)]);
        for _ in 0..2 {
            let Some((head, path)) = heads.next() else { return };
            match head {
                "if" => self.line(&format!("if !{node} %{cond} {{")),
                _ => self.line("} else {"),
            }
            self.begin_block();
            self.inside(Self::some);
            self.line(&path.map_or_else(|| "next".to_owned(), |path| format!("next(%{path})")));
        }
        self.line("}");
        self.merge_block(passed.map(|two| two.0));
    }

    /// The block after a node, which may have a pointer parameter.
    pub(crate) fn merge_block(&mut self, passed: Option<MemoryPlace>) {
        let at = self.block;
        self.block += 1;
        let Some(place) = passed else {
            return writeln!(self.text, "^{at}:").expect("a string accepts writes");
        };
        let path = self.parameter(at, &place);
        self.places.push(MemoryPlace { path, ..place });
    }

    pub(crate) fn parameter(&mut self, block: usize, place: &MemoryPlace) -> usize {
        let path = self.next;
        self.next += 1;
        let attrs = format!("{{type {}, mode {}}}", spell(&place.ty), place.mode);
        writeln!(self.text, "^{block}(%{path}: path {attrs}):").expect("a string accepts writes");
        path
    }

    /// A loop of a few iterations with a loop-carried pointer.
    pub(crate) fn repeat(&mut self) {
        let Some((first, other)) = self.passed() else { return };
        let (node, trips) = (self.node, 1 + self.below(3));
        self.node += 2;
        let [zero, one, most] = [0, 1, trips].map(|at| self.add("b32", &format!("const {at}")));
        self.line(&format!("loop !{node}(%{}, %{zero}) {{", first.path));
        let (block, path, count) = (self.block, self.next, self.next + 1);
        self.block += 1;
        self.next += 2;
        let attrs = format!("{{type {}, mode {}}}", spell(&first.ty), first.mode);
        writeln!(self.text, "^{block}(%{path}: path {attrs}, %{count}: b32):")
            .expect("a string accepts writes");
        let own = MemoryPlace { path, ..first };
        self.inside(|shader| {
            shader.places.push(own.clone());
            shader.values.push((32, 1, count));
            shader.some();
            let more = shader.add("b32", &format!("iadd %{count}, %{one}"));
            let last = shader.add("b1", &format!("uge %{more}, %{most}"));
            shader.line(&format!("if !{} %{last} {{", node + 1));
            shader.begin_block();
            shader.line(&format!("break !{node}"));
            shader.line("} else {");
            shader.begin_block();
            shader.line("next");
            shader.line("}");
            shader.begin_block();
            shader.line(&format!("next(%{}, %{more})", other.path));
        });
        self.line("}");
        self.begin_block();
    }
}

/// The type of a value.
pub(crate) fn bits(width: u32, components: u32) -> String {
    if components == 1 { format!("b{width}") } else { format!("b{width}x{components}") }
}
