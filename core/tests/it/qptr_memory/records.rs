//! Programs over private memory with arrays of records whose fields are arrays, accessed at constant, dynamic and mixed indices.
//!
//! The programs have branches, loops, early returns and a call that accesses the same memory. Fields are usually
//! accessed with their own type, sometimes with another one. All memory is stored to first and loaded at the end.

use crate::testing::graphs::Random;
use std::fmt::Write;

/// Types of fields, with their sizes in bytes.
const VALUES: [(&str, i64); 6] =
    [("b32", 4), ("b32", 4), ("b32x2", 8), ("b32x4", 16), ("b16", 2), ("b64", 8)];

/// A field of a record: offset, type, and the length and stride of its array.
#[derive(Clone, Copy)]
struct Field {
    offset: i64,
    ty: &'static str,
    count: i64,
    stride: i64,
}

/// A variable: an array of records of a given size.
struct Memory {
    fields: Vec<Field>,
    count: i64,
    stride: i64,
    mode: &'static str,
}

/// A program under construction.
struct Rows<'r> {
    random: &'r mut Random,
    text: String,
    next: usize,
    /// Available 32-bit values.
    words: Vec<usize>,
    stores: i64,
    /// The next block, and the next node.
    blocks: usize,
    nodes: usize,
    /// `true` for the caller.
    is_entry: bool,
    /// `true` if indices may be out of bounds.
    wild: bool,
}

impl Rows<'_> {
    fn below(&mut self, limit: i64) -> i64 {
        self.random.below(limit as u64) as i64
    }

    fn line(&mut self, ty: &str, definition: &str) -> usize {
        let id = self.next;
        self.next += 1;
        let _ = writeln!(self.text, "  %{id}: {ty} = {definition}");
        id
    }

    fn word(&mut self) -> usize {
        let at = self.below(self.words.len() as i64) as usize;
        self.words[at]
    }

    /// A random value of a type.
    fn value(&mut self, ty: &str) -> usize {
        let word = self.word();
        match ty {
            "b16" | "b64" => self.line(ty, &format!("u2u %{word}")),
            "b32x2" | "b32x4" => {
                let components = if ty == "b32x2" { 2 } else { 4 };
                let words: Vec<String> = (0..components).map(|_| format!("%{}", self.word())).collect();
                self.line(ty, &format!("vec {}", words.join(", ")))
            }
            _ => word,
        }
    }

    /// Stores a value to the result buffer.
    fn show(&mut self, value: usize, ty: &str) {
        let components: Vec<usize> = match ty {
            "b16" | "b64" => vec![self.line("b32", &format!("u2u %{value}"))],
            "b32x2" => ["x", "y"]
                .iter()
                .map(|component| self.line("b32", &format!("swizzle %{value}.{component}")))
                .collect(),
            "b32x4" => ["x", "y", "z", "w"]
                .iter()
                .map(|component| self.line("b32", &format!("swizzle %{value}.{component}")))
                .collect(),
            _ => vec![value],
        };
        for component in components {
            let _ = writeln!(self.text, "  store %1, %{component} {{offset {}}}", 16 + self.stores % 200 * 4);
            self.stores += 1;
            self.words.push(component);
        }
    }

    /// A step along an array, by a constant, an index, or both. Returns the pointer; adds the remaining constant to `bytes`.
    fn along(&mut self, pointer: usize, (count, stride): (i64, i64), bytes: &mut i64) -> usize {
        if count == 1 || self.below(3) == 0 {
            *bytes += self.below(count) * stride;
            return pointer;
        }
        // An index into one half of the array, and a constant for the other half.
        let plus = if self.below(3) == 0 { self.below(count) } else { 0 };
        let word = self.word();
        let more = if self.wild && self.below(2) == 0 { 3 } else { 0 };
        let limit = self.line("b32", &format!("const {}", count - plus + more));
        let index = self.line("b32", &format!("umod %{word}, %{limit}"));
        let from = match self.below(2) {
            0 => pointer,
            _ => {
                let so_far = std::mem::take(bytes);
                self.line("ptr", &format!("ptr.offset %{pointer} {{offset {so_far}}}"))
            }
        };
        *bytes += plus * stride;
        let range = match self.below(2) {
            0 => format!(", range {}", (count - plus) * stride),
            _ => String::new(),
        };
        self.line("ptr", &format!("ptr.dyn_offset %{from}, %{index} {{stride {stride}{range}}}"))
    }

    fn access(&mut self, memory: &Memory, var: usize) {
        let field = memory.fields[self.below(memory.fields.len() as i64) as usize];
        let start = self.line("ptr", &format!("ptr.var ${var}"));
        let mut bytes = field.offset;
        let element = self.along(start, (memory.count, memory.stride), &mut bytes);
        let at = self.along(element, (field.count, field.stride), &mut bytes);
        let is_store = self.below(2) == 0;
        if is_store {
            let value = self.value(field.ty);
            let _ = writeln!(self.text, "  store %{at}, %{value} {{offset {bytes}}}");
        }
        if !is_store || self.below(2) == 0 {
            let value = self.line(field.ty, &format!("load %{at} {{offset {bytes}}}"));
            self.show(value, field.ty);
        }
    }

    /// Loads a value from the buffer.
    fn read_back(&mut self) {
        let word = self.word();
        let limit = self.line("b32", "const 200");
        let index = self.line("b32", &format!("umod %{word}, %{limit}"));
        let at = self.line("ptr", &format!("ptr.dyn_offset %1, %{index} {{stride 4, range 800}}"));
        let read = self.line("b32", &format!("load %{at} {{offset 16}}"));
        self.words.push(read);
    }

    /// Random statements, some of them nested. Values are used only in the block that defines them.
    fn steps(&mut self, all: &[(usize, &Memory)], count: i64, depth: u32) {
        for _ in 0..count {
            let kept = self.words.clone();
            let (var, memory) = all[self.below(all.len() as i64) as usize];
            match self.below(if depth > 2 { 8 } else { 12 }) {
                0 => self.read_back(),
                1 if self.is_entry => {
                    let _ = writeln!(self.text, "  call @1()");
                }
                8 | 9 => {
                    let cond = self.condition();
                    let node = self.open_node();
                    let _ = writeln!(self.text, "  if !{node} %{cond} {{");
                    for arm in 0..2 {
                        self.open_block("");
                        let inside = self.below(4);
                        self.steps(all, inside, depth + 1);
                        let leaves = arm == 0 && self.below(8) == 0;
                        let end = if leaves { "return" } else { "next" };
                        let between = if arm == 0 { "  } else {\n" } else { "  }\n" };
                        let _ = write!(self.text, "  {end}\n{between}");
                        self.words.clone_from(&kept);
                    }
                    self.open_block("");
                }
                10 => {
                    let (node, start) = (self.open_node(), self.line("b32", "const 0"));
                    let _ = writeln!(self.text, "  loop !{node}(%{start}) {{");
                    let iteration = self.next;
                    self.next += 1;
                    self.open_block(&format!("(%{iteration}: b32)"));
                    self.words.push(iteration);
                    let inside = 1 + self.below(3);
                    self.steps(all, inside, depth + 1);
                    let (one, most) = (self.line("b32", "const 1"), self.below(3));
                    let more = self.line("b32", &format!("iadd %{iteration}, %{one}"));
                    let most = self.line("b32", &format!("const {most}"));
                    let cond = self.line("b1", &format!("ilt %{most}, %{iteration}"));
                    let inner = self.open_node();
                    let _ = writeln!(self.text, "  if !{inner} %{cond} {{");
                    self.open_block("");
                    let _ = writeln!(self.text, "  break !{node}\n  }} else {{");
                    self.open_block("");
                    let _ = writeln!(self.text, "  next\n  }}");
                    self.open_block("");
                    let _ = writeln!(self.text, "  next(%{more})\n  }}");
                    self.words.clone_from(&kept);
                    self.open_block("");
                }
                _ => self.access(memory, var),
            }
        }
    }

    fn condition(&mut self) -> usize {
        let word = self.word();
        let one = self.line("b32", "const 1");
        let bit = self.line("b32", &format!("iand %{word}, %{one}"));
        self.line("b1", &format!("ieq %{bit}, %{one}"))
    }

    fn open_node(&mut self) -> usize {
        self.nodes += 1;
        self.nodes - 1
    }

    fn open_block(&mut self, params: &str) {
        self.blocks += 1;
        let _ = writeln!(self.text, "^{}{params}:", self.blocks);
    }

    /// Stores to or shows every field of every record.
    fn all(&mut self, memory: &Memory, var: usize, is_write: bool) {
        let start = self.line("ptr", &format!("ptr.var ${var}"));
        for element in 0..memory.count {
            for field in memory.fields.clone() {
                for at in 0..field.count {
                    let bytes = element * memory.stride + field.offset + at * field.stride;
                    if is_write {
                        let value = self.value(field.ty);
                        let _ = writeln!(self.text, "  store %{start}, %{value} {{offset {bytes}}}");
                    } else {
                        let value = self.line(field.ty, &format!("load %{start} {{offset {bytes}}}"));
                        self.show(value, field.ty);
                    }
                }
            }
        }
    }
}

/// Rounds up to a multiple.
fn up(bytes: i64, of: i64) -> i64 {
    (bytes + of - 1) / of * of
}

fn memory(random: &mut Random) -> Memory {
    let mut below = |limit: u64| random.below(limit) as i64;
    let (mut fields, mut end) = (Vec::new(), 0i64);
    for _ in 0..1 + below(4) {
        let (ty, bytes) = VALUES[below(6) as usize];
        let count = [1, 1, 1, 2, 3][below(5) as usize];
        let stride = bytes * [1, 1, 2][below(3) as usize];
        // Some fields overlap another one.
        let at = if below(12) == 0 { end / 2 } else { end + bytes * below(2) };
        let offset = up(at, bytes.min(4));
        fields.push(Field { offset, ty, count, stride });
        end = end.max(offset + stride * count);
    }
    let stride = up(end, 4) + 4 * below(3);
    let mode = ["local", "private"][below(2) as usize];
    Memory { fields, count: [1, 1, 2, 4][below(4) as usize], stride, mode }
}

/// The text of a program. If `wild`, indices may be out of bounds of their array and of memory.
pub(crate) fn program(seed: u64, wild: bool) -> String {
    let mut random = Random(seed ^ 0x9e37_79b9);
    let all: Vec<Memory> = (0..1 + random.below(3)).map(|_| memory(&mut random)).collect();
    let mut text = "struct #0 {block} {\n  words: [u32 * 256 step 4] {offset 0}\n}\n\
        storage $0: bytes(1024) was #0 {set 0, binding 0}\n"
        .to_owned();
    let (mut locals, mut names) = (String::new(), vec!["$0".to_owned()]);
    for (var, memory) in all.iter().enumerate() {
        let (var, words) = (var + 1, memory.count * memory.stride / 4);
        let line = format!("{} ${var}: bytes({}) was [u32 * {words}]\n", memory.mode, words * 4);
        if memory.mode == "local" {
            locals += &line;
        } else {
            text += &line;
            names.push(format!("${var}"));
        }
    }
    let mut functions = String::new();
    for func in 0..2 {
        let is_entry = func == 0;
        let start = Rows {
            random: &mut random,
            text: String::new(),
            next: 2,
            words: Vec::new(),
            stores: 0,
            blocks: 0,
            nodes: 0,
            is_entry,
            wild,
        };
        let _ = write!(
            functions,
            "func @{func}() tree {{\n{}^0:\n  %0: ptr = ptr.var $0\n  %1: ptr = ptr.buffer_data %0\n{}  return\n}}\n",
            if is_entry { &locals } else { "" },
            function(start, &all)
        );
    }
    let entry = format!("entry compute \"main\" @0 ({}) {{local_size 1 1 1}}\n", names.join(", "));
    text + &entry + &functions
}

/// The body of a function.
fn function(mut made: Rows<'_>, all: &[Memory]) -> String {
    let memories: Vec<(usize, &Memory)> = all
        .iter()
        .enumerate()
        .map(|(var, memory)| (var + 1, memory))
        .filter(|(_, memory)| made.is_entry || memory.mode == "private")
        .collect();
    for at in 0..4 {
        let word = made.line("b32", &format!("load %1 {{offset {}}}", at * 4));
        made.words.push(word);
    }
    let count = made.below(if made.is_entry { 24 } else { 5 });
    if made.is_entry {
        memories.iter().for_each(|&(var, memory)| made.all(memory, var, true));
    }
    if !memories.is_empty() {
        made.steps(&memories, count, u32::from(!made.is_entry) * 2);
    }
    if made.is_entry {
        memories.iter().for_each(|&(var, memory)| made.all(memory, var, false));
    }
    made.text
}
