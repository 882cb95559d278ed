//! Random compute shaders with accesses to memory and other invocations: adjacent accesses, masks, atomics, subgroups,
//!
//! arrays of buffers. Each invocation writes to its own row, so that there are no data races; atomics use counters.

use super::writer::{Row, ShaderWriter};
use crate::testing::graphs::Random;
use std::ops::{Deref, DerefMut};

/// Declarations of all shaders: a result buffer with rows, input buffers, counters.
const HEAD: &str = "\
struct #0 {block} {
  rows: [u32 * 2048 step 4] {offset 0}
}

struct #1 {block} {
  words: [u32 * 64 step 4] {offset 0}
  pairs: [u32x2 * 16 step 8] {offset 256}
  vectors: [u32x4 * 16 step 16] {offset 384}
}

struct #2 {block} {
  counts: [u32 * 8 step 4] {offset 0}
}

storage $0: #0 {set 0, binding 0}
storage $1: #1 {set 0, binding 1}
uniform $2: [#1 * 4] {set 0, binding 2}
storage $3: #2 {set 0, binding 3}
private $4: u32x4

entry compute \"main\" @0 ($0, $1, $2, $3) {local_size 16 1 1}

func @0() tree {
^0:
  %0: b32 = io.builtin {builtin local_invocation_index}
  %1: b32x3 = io.builtin {builtin workgroup_id}
  %2: b32 = swizzle %1.x
  %3: b32 = const 16
  %4: b32 = imul %2, %3
  %5: b32 = iadd %4, %0
  %6: b32 = const 64
  %7: b32 = imul %5, %6
  %8: path = deref.var $0
  %9: path = deref.field %8.0
  %10: path = deref.var $1
  %11: path = deref.var $2
  %12: path = deref.var $3
  %13: path = deref.field %12.0
  %14: path = deref.var $4
  %15: b32x4 = const (1, 2, 3, 4)
  store %14, %15
  %16: b32 = const 0
  %17: b32 = const 7
  %18: b32 = iand %0, %17
";

struct Shader<'r> {
    writer: ShaderWriter<'r>,
    /// Available 32-bit values.
    known: Vec<usize>,
}

/// A shader.
pub(crate) fn shader(random: &mut Random) -> String {
    let row = Row { first: 7, words: 9, length: 60 };
    let writer = ShaderWriter::new(random, HEAD.to_owned(), 19, row);
    let mut shader = Shader { writer, known: vec![0, 5, 18] };
    for _ in 0..2 + shader.below(3) {
        if shader.below(3) == 0 {
            shader.branch();
        } else {
            shader.some(6);
        }
    }
    for value in shader.known.clone().into_iter().rev().take(8) {
        shader.keep(value);
    }
    shader.line("return\n}");
    shader.writer.text
}

impl<'r> Deref for Shader<'r> {
    type Target = ShaderWriter<'r>;

    fn deref(&self) -> &ShaderWriter<'r> {
        &self.writer
    }
}

impl DerefMut for Shader<'_> {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.writer
    }
}

impl Shader<'_> {
    fn number(&mut self, ty: &str, text: &str) -> usize {
        let at = self.add(ty, text);
        self.known.push(at);
        at
    }

    fn pick(&mut self) -> usize {
        let at = self.writer.below(self.known.len());
        self.known[at]
    }

    fn word(&mut self, words: &[&'static str]) -> &'static str {
        let at = self.below(words.len());
        words[at]
    }

    fn constant(&mut self, most: usize) -> usize {
        let value = self.below(most);
        self.add("b32", &format!("const {value}"))
    }

    /// A small index: constant, from the invocation index, or a sum.
    fn index(&mut self) -> usize {
        match self.below(4) {
            0 => 18,
            1 => {
                let by = self.constant(4);
                self.add("b32", &format!("iadd %18, %{by}"))
            }
            _ => self.constant(8),
        }
    }

    fn some(&mut self, most: usize) {
        for _ in 0..1 + self.below(most) {
            match self.below(12) {
                0..=3 => self.load(),
                4 => {
                    let value = self.pick();
                    self.keep(value);
                }
                5 => self.masked(),
                6 | 7 => self.atomic(),
                8 => self.by_binding(),
                9 => self.distinct(),
                _ => self.subgroup(),
            }
        }
    }

    fn load(&mut self) {
        let member = self.below(3);
        let index = self.index();
        let field = self.add("path", &format!("deref.field %10.{member}"));
        let path = self.add("path", &format!("deref.elem %{field}, %{index}"));
        let components = [1, 2, 4][member];
        if components == 1 || self.below(3) > 0 {
            let path = if components == 1 {
                path
            } else {
                let component = self.constant(components);
                self.add("path", &format!("deref.elem %{path}, %{component}"))
            };
            self.number("b32", &format!("load %{path}"));
        } else {
            let all = self.add(&format!("b32x{components}"), &format!("load %{path}"));
            self.number("b32", &format!("swizzle %{all}.y"));
        }
    }

    /// A masked store to a private vector, and a load of a component.
    fn masked(&mut self) {
        let values = [(); 4].map(|()| self.pick());
        let all =
            self.add("b32x4", &format!("vec %{}, %{}, %{}, %{}", values[0], values[1], values[2], values[3]));
        let mask = 1 + self.below(15);
        self.line(&format!("store %14, %{all} {{mask {mask}}}"));
        for _ in 0..1 + self.below(2) {
            let component = self.constant(4);
            let path = self.add("path", &format!("deref.elem %14, %{component}"));
            self.number("b32", &format!("load %{path}"));
        }
    }

    fn atomic(&mut self) {
        // Each counter is changed by one operation, so that only the order of invocations is visible.
        let at = self.below(8);
        let op = ["iadd", "isub", "imin", "umin", "imax", "umax", "iand", "ixor"][at];
        let index = match self.below(5) {
            0 => 18,
            _ => self.add("b32", &format!("const {at}")),
        };
        let op = if index == 18 { "iadd" } else { op };
        let value = if self.below(3) == 0 { self.constant(9) } else { self.pick() };
        let path = self.add("path", &format!("deref.elem %13, %{index}"));
        let old = self.add("b32", &format!("atomic %{path}, %{value} {{scope device, atomic {op}}}"));
        if self.below(2) == 0 {
            self.known.push(old);
        }
    }

    /// A buffer access by set and binding.
    fn by_binding(&mut self) {
        let index = self.index();
        let two = self.add("b32", "const 2");
        let at = self.add("b32", &format!("ishl %{index}, %{two}"));
        for _ in 0..1 + self.below(3) {
            let offset = 4 * self.below(6);
            self.number("b32", &format!("io.ssbo %16, %{at} {{offset {offset}, set 0, binding 1}}"));
        }
        if self.below(2) == 0 && self.written < 50 {
            let values = [(); 4].map(|()| self.pick());
            let list = values.map(|value| format!("%{value}")).join(", ");
            let all = self.add("b32x4", &format!("vec {list}"));
            let bytes = self.add("b32", &format!("ishl %7, %{two}"));
            let mask = 1 + self.below(15);
            let offset = 4 * self.written;
            self.written += 4;
            self.line(&format!(
                "io.set_ssbo %{all}, %16, %{bytes} {{mask {mask}, offset {offset}, set 0, binding 0}}"
            ));
        }
    }

    /// An access to an array of buffers.
    fn distinct(&mut self) {
        let by = self.pick();
        let three = self.add("b32", "const 3");
        let index = self.add("b32", &format!("iand %{by}, %{three}"));
        let mark = self.word(&["nonuniform ", "nonuniform ", ""]);
        let path = self.add("path", &format!("deref.elem {mark}%11, %{index}"));
        let field = self.add("path", &format!("deref.field %{path}.0"));
        let index = self.index();
        let path = self.add("path", &format!("deref.elem %{field}, %{index}"));
        self.number("b32", &format!("load %{path}"));
    }

    /// Operations on other invocations.
    fn subgroup(&mut self) {
        let (a, b) = (self.pick(), self.pick());
        let reduce = self.word(&["iadd", "imul", "imin", "umin", "imax", "umax", "iand", "ior", "ixor"]);
        let how = self.word(&["how all", "how inclusive", "how exclusive", "how clustered, cluster 4"]);
        match self.below(11) {
            0 => drop(self.number("b32", &format!("reduce %{a} {{reduce {reduce}, {how}}}"))),
            1 => {
                let pair = self.add("b32x2", &format!("vec %{a}, %{b}"));
                let pair = self.add("b32x2", &format!("reduce %{pair} {{reduce {reduce}, {how}}}"));
                self.number("b32", &format!("swizzle %{pair}.y"));
            }
            2 => drop(self.number("b32", &format!("broadcast_first %{a}"))),
            3 => {
                let pair = self.add("b32x2", &format!("vec %{a}, %{b}"));
                let wide = self.add("b64", &format!("pack_64_2x32 %{pair}"));
                let wide = self.add("b64", &format!("broadcast_first %{wide}"));
                self.number("b32", &format!("u2u %{wide}"));
            }
            4 => {
                let op = self.word(&["vote_ieq", "vote_feq"]);
                let vote = self.add("b1", &format!("{op} %{a}"));
                self.number("b32", &format!("b2i %{vote}"));
            }
            5 => {
                let cond = self.add("b1", &format!("ult %{a}, %{b}"));
                let op = self.word(&["vote_any", "vote_all", "quad_any", "quad_all"]);
                let vote = self.add("b1", &format!("{op} %{cond}"));
                self.number("b32", &format!("b2i %{vote}"));
            }
            6 => {
                let cond = self.add("b1", &format!("ult %{a}, %{b}"));
                let components = self.add("b32x4", &format!("ballot %{cond}"));
                let how = self.word(&["all", "inclusive", "exclusive"]);
                self.number("b32", &format!("ballot_count %{components} {{how {how}}}"));
                let op = self.word(&["ballot_lsb", "ballot_msb"]);
                self.number("b32", &format!("{op} %{components}"));
                let own = self.add("b1", &format!("ballot_inverse %{components}"));
                self.number("b32", &format!("b2i %{own}"));
            }
            7 => {
                let index = self.word(&["eq", "ge", "gt", "le", "lt"]);
                let mask = self.add("b32x4", &format!("io.builtin {{builtin subgroup_{index}_mask}}"));
                self.number("b32", &format!("swizzle %{mask}.x"));
            }
            8 => {
                let own = self.add("b32", "io.builtin {builtin subgroup_local_invocation_id}");
                self.number("b32", &format!("subgroup_shuffle %{a}, %{own}"));
            }
            9 => {
                // The invocation itself is always active.
                let op = self.word(&["subgroup_shuffle_xor", "subgroup_shuffle_up", "subgroup_shuffle_down"]);
                self.number("b32", &format!("{op} %{a}, %16"));
            }
            _ => {
                let first = self.add("b1", "elect");
                self.number("b32", &format!("b2i %{first}"));
            }
        }
    }

    /// A branch on the invocation index or on a uniform value.
    fn branch(&mut self) {
        let by = if self.below(4) == 0 { 2 } else { self.pick() };
        let most = self.constant(12);
        let cond = self.add("b1", &format!("ult %{by}, %{most}"));
        let known = self.known.len();
        let block = self.choose(cond);
        self.some(4);
        let value = self.pick();
        self.line(&format!("next(%{value})"));
        self.known.truncate(known);
        self.otherwise(block);
        self.some(2);
        let value = self.pick();
        self.line(&format!("next(%{value})"));
        self.known.truncate(known);
        let param = self.fresh();
        self.join(block, &format!("(%{param}: b32)"));
        self.known.push(param);
    }
}
