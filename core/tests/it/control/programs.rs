//! Random programs as text of trees: counted loops, repeated branches on one condition, arms with equal code, and
//! jumps of every kind. Every loop terminates; the visible result is a buffer.
//!
//! Integers and booleans only. Values of a region are used after it only through block parameters.

use std::fmt::Write;
pub(crate) use vitrine_core::base::random::Random;

/// Counted loops: start, operation, step, exit relation, limit.
const COUNTS: &[(i64, &str, i64, &str, i64)] = &[
    (0, "iadd", 1, "uge", 3),
    (0, "iadd", 1, "ieq", 2),
    (3, "isub", 1, "ilt", 1),
    (1, "ishl", 1, "ugt", 7),
    (0, "iadd", 1, "uge", 1),
    (0, "iadd", 1, "uge", 0),
    (-2, "iadd", 2, "ige", 2),
    (40, "ushr", 1, "ult", 9),
];

/// A construct that `break` or `continue` may target.
struct Label {
    node: u32,
    /// Number of parameters of its merge block.
    results: usize,
    /// For a loop, the arguments of the next iteration: the next counter, if any, and the number of other values.
    continue_args: Option<(Option<u32>, usize)>,
}

struct Generator<'r> {
    random: &'r mut Random,
    out: String,
    value: u32,
    block: u32,
    node: u32,
    ints: Vec<u32>,
    truths: Vec<u32>,
    labels: Vec<Label>,
    /// Remaining statements to generate.
    remaining: i32,
    fragment: bool,
}

/// The text of a module with one entry point.
pub(crate) fn text(random: &mut Random) -> String {
    let fragment = random.one_in(3);
    let size = 6 + random.below(14);
    let mut generator = Generator {
        random,
        out: String::new(),
        value: 100,
        block: 0,
        node: 0,
        ints: vec![10, 11, 12],
        truths: vec![13],
        labels: Vec::new(),
        remaining: size,
        fragment,
    };
    generator.out += "^0:\n  %1: path = deref.var $0\n  %2: path = deref.field %1.0\n  %3: b32 = const 0\n  \
                  %4: b32 = const 1\n  %5: b32 = const 2\n  %6: b32 = const 3\n  %7: b32 = const 7\n";
    for (at, id) in [(3, 10), (4, 11), (5, 12)] {
        let _ = write!(
            generator.out,
            "  %{}: path = deref.elem %2, %{at}\n  %{id}: b32 = load %{}\n",
            id + 20,
            id + 20
        );
    }
    generator.out += "  %13: b1 = ult %10, %11\n  %20: path = deref.var $1\n";
    for at in 3..7 {
        let _ = writeln!(
            generator.out,
            "  %{}: path = deref.elem %20, %{at}\n  store %{}, %10",
            at + 40,
            at + 40
        );
    }
    generator.block = 1;
    generator.statements(0);
    while generator.remaining > 0 {
        generator.statements(0);
    }
    generator.show();
    generator.out += "  return\n";
    let entry = if fragment {
        "fragment \"main\" @0 ($0) {origin_upper_left}"
    } else {
        "compute \"main\" @0 ($0) {local_size 4 1 1}"
    };
    format!(
        "struct #0 {{block}} {{\n  o: [u32 step 4] {{offset 0}}\n}}\n\nstorage $0: #0 {{set 0, binding 0}}\n\n\
         entry {entry}\n\nfunc @0() tree {{\n  local $1: [u32 * 4]\n{}}}\n",
        generator.out
    )
}

impl Generator<'_> {
    fn fresh(&mut self) -> u32 {
        self.value += 1;
        self.value
    }

    fn int(&mut self) -> u32 {
        if self.random.one_in(4) {
            return self.random.pick(&[3, 4, 5, 6, 7]);
        }
        let from = self.ints.len().saturating_sub(8);
        let list = self.ints[from..].to_vec();
        self.random.pick(&list)
    }

    /// A condition, often an earlier one.
    fn boolean(&mut self) -> u32 {
        if self.random.below(3) > 0 {
            let list = self.truths.clone();
            return self.random.pick(&list);
        }
        self.compare()
    }

    fn compare(&mut self) -> u32 {
        let op = self.random.pick(&["ieq", "ine", "ult", "ilt", "ige", "ieq"]);
        let (a, b, id) = (self.int(), self.int(), self.fresh());
        let _ = writeln!(self.out, "%{id}: b1 = {op} %{a}, %{b}");
        self.truths.push(id);
        id
    }

    fn arithmetic(&mut self) {
        let op = self.random.pick(&["iadd", "isub", "imul", "iand", "ixor", "umin", "ishl", "iadd"]);
        let (a, b, id) = (self.int(), self.int(), self.fresh());
        let _ = writeln!(self.out, "%{id}: b32 = {op} %{a}, %{b}");
        self.ints.push(id);
    }

    fn show(&mut self) {
        let (a, b) = (self.int(), self.int());
        let [index, path] = [self.fresh(), self.fresh()];
        let _ = writeln!(
            self.out,
            "%{index}: b32 = iand %{a}, %7\n%{path}: path = deref.elem %2, %{index}\nstore %{path}, %{b}"
        );
    }

    fn array(&mut self) {
        let a = self.int();
        let [index, path] = [self.fresh(), self.fresh()];
        let _ = writeln!(self.out, "%{index}: b32 = iand %{a}, %6\n%{path}: path = deref.elem %20, %{index}");
        if self.random.one_in(2) {
            let value = self.int();
            let _ = writeln!(self.out, "store %{path}, %{value}");
        } else {
            let id = self.fresh();
            let _ = writeln!(self.out, "%{id}: b32 = load %{path}");
            self.ints.push(id);
        }
    }

    fn statements(&mut self, depth: u32) {
        for _ in 0..1 + self.random.below(4) {
            self.remaining -= 1;
            let deeper = depth < 4 && self.remaining > 0;
            match self.random.below(13) {
                0..=2 => self.arithmetic(),
                3 => drop(self.compare()),
                4 => self.show(),
                5 => self.array(),
                6..=8 if deeper => self.branch(depth),
                9 if deeper && self.random.one_in(4) => self.flagged(depth),
                9 if deeper => self.counted(depth),
                10 if deeper && self.random.one_in(2) => self.switch(depth),
                12 if self.random.one_in(2) => self.exits(),
                11 if deeper && self.random.one_in(2) => self.labeled(depth),
                _ if self.fragment && self.random.one_in(6) => {
                    let cond = self.boolean();
                    let op = self.random.pick(&["io.demote_if", "io.discard_if", "io.terminate_if"]);
                    let _ = writeln!(self.out, "{op} %{cond}");
                }
                _ => self.arithmetic(),
            }
        }
    }

    fn head(&mut self, params: &[u32]) {
        let id = self.block;
        self.block += 1;
        let list: Vec<String> = params.iter().map(|id| format!("%{id}: b32")).collect();
        let list = if list.is_empty() { String::new() } else { format!("({})", list.join(", ")) };
        let _ = writeln!(self.out, "^{id}{list}:");
    }

    fn args(&mut self, count: usize) -> String {
        let list: Vec<String> = (0..count).map(|_| format!("%{}", self.int())).collect();
        list.join(", ")
    }

    fn leave(&mut self, word: &str, args: &str) {
        let args = if args.is_empty() { String::new() } else { format!("({args})") };
        let _ = writeln!(self.out, "{word}{args}");
    }

    /// A region that usually ends with `next` and this number of values.
    fn region(&mut self, params: &[u32], depth: u32, falls: usize) {
        let scope = (self.ints.len(), self.truths.len());
        self.head(params);
        self.ints.extend(params);
        if !self.random.one_in(3) {
            self.statements(depth + 1);
        }
        self.jump(falls);
        self.ints.truncate(scope.0);
        self.truths.truncate(scope.1);
    }

    fn jump(&mut self, falls: usize) {
        let choice = self.random.below(if self.labels.is_empty() { 16 } else { 8 });
        let at = self.random.below(self.labels.len().max(1) as u64) as usize;
        // Prefers the innermost construct.
        let at = if self.random.below(3) > 0 { self.labels.len().saturating_sub(1) } else { at };
        let label = self.labels.get(at).map(|label| (label.node, label.results, label.continue_args));
        match (choice, label) {
            (0, _) => {
                let stop = if self.fragment && self.random.one_in(2) { "stop discard" } else { "return" };
                self.leave(stop, "");
            }
            (1 | 2, Some((node, results, _))) => {
                let args = self.args(results);
                self.leave(&format!("break !{node}"), &args);
            }
            (3, Some((node, _, Some((counter, count))))) => {
                let more = self.args(count);
                let args = counter.map(|id| format!("%{id}")).into_iter().chain((count > 0).then_some(more));
                let args = args.collect::<Vec<_>>().join(", ");
                self.leave(&format!("continue !{node}"), &args);
            }
            _ => {
                let args = self.args(falls);
                self.leave("next", &args);
            }
        }
    }

    fn merge_block(&mut self, results: usize) {
        let params: Vec<u32> = (0..results).map(|_| self.fresh()).collect();
        self.head(&params);
        self.ints.extend(params);
    }

    fn branch(&mut self, depth: u32) {
        let cond = self.boolean();
        self.branch_on(cond, depth);
    }

    fn branch_on(&mut self, cond: u32, depth: u32) {
        let results = self.random.below(3) as usize;
        self.node += 1;
        let node = self.node;
        let _ = writeln!(self.out, "if !{node} %{cond} {{");
        self.labels.push(Label { node, results, continue_args: None });
        let from = self.out.len();
        let count = (self.value, self.block, self.node);
        self.region(&[], depth, results);
        let twin = self.out[from..].to_owned();
        self.out += "} else {\n";
        if self.random.one_in(4) && (self.block, self.node) == (count.1 + 1, count.2) {
            // The same code again, with new ids.
            let renamed = rename(&twin, count.0, self.value, count.1, self.block);
            self.value += self.value - count.0;
            self.block += 1;
            self.out += &renamed;
        } else {
            self.region(&[], depth, results);
        }
        self.out += "}\n";
        self.labels.pop();
        self.merge_block(results);
        let param = self.value;
        if self.random.one_in(3) {
            // Another branch on the same condition.
            self.truths.push(cond);
            if self.random.one_in(2) {
                self.branch_on(cond, depth);
            }
        }
        if results > 0 && self.random.one_in(3) {
            // A select on the same condition, between a block parameter and another value.
            let (other, id) = (self.int(), self.fresh());
            let sides = if self.random.one_in(2) { [param, other] } else { [other, param] };
            let _ = writeln!(self.out, "%{id}: b32 = select %{cond}, %{}, %{}", sides[0], sides[1]);
            self.ints.push(id);
        }
    }

    /// Two consecutive exits with the same target; an invocation that terminates.
    fn exits(&mut self) {
        let at = self.labels.len().saturating_sub(1);
        let label = self.labels.get(at).map(|label| (label.node, label.results));
        let exit = match label {
            Some((node, results)) => {
                let args = self.args(results);
                let args = if args.is_empty() { String::new() } else { format!("({args})") };
                format!("break !{node}{args}")
            }
            None if self.fragment => "stop discard".to_owned(),
            None => "return".to_owned(),
        };
        for _ in 0..1 + self.random.below(2) {
            let cond = self.boolean();
            self.node += 1;
            let mut arms = [exit.as_str(), "next"];
            if self.random.one_in(2) {
                arms.reverse();
            }
            let _ = writeln!(self.out, "if !{} %{cond} {{", self.node);
            self.head(&[]);
            let _ = writeln!(self.out, "{}\n}} else {{", arms[0]);
            self.head(&[]);
            let _ = writeln!(self.out, "{}\n}}", arms[1]);
            self.head(&[]);
            if self.random.one_in(2) {
                self.compare();
            }
        }
    }

    fn labeled(&mut self, depth: u32) {
        let results = self.random.below(2) as usize;
        self.node += 1;
        let node = self.node;
        let _ = writeln!(self.out, "block !{node} {{");
        self.labels.push(Label { node, results, continue_args: None });
        self.region(&[], depth, results);
        self.out += "}\n";
        self.labels.pop();
        self.merge_block(results);
    }

    fn switch(&mut self, depth: u32) {
        let (on, results) = (self.int(), self.random.below(2) as usize);
        self.node += 1;
        let node = self.node;
        let _ = writeln!(self.out, "switch !{node} %{on} {{");
        self.labels.push(Label { node, results, continue_args: None });
        for (at, case) in ["case 0", "case 1, 3", "case 2", "default"].into_iter().enumerate() {
            if at == 1 && self.random.one_in(3) {
                continue;
            }
            let _ = writeln!(self.out, "{case} {{");
            self.region(&[], depth, results);
            self.out += "}\n";
        }
        self.out += "}\n";
        self.labels.pop();
        self.merge_block(results);
    }

    /// A loop that increments its counter in a branch at its start, in every iteration but the first.
    fn flagged(&mut self, depth: u32) {
        let [yes, no, limit] = ["b1 = const true", "b1 = const false", "b32 = const 3"].map(|text| {
            let id = self.fresh();
            let _ = writeln!(self.out, "%{id}: {text}");
            id
        });
        let straight = self.random.one_in(2);
        let carried = self.int();
        self.node += 2;
        let (node, inner) = (self.node - 1, self.node);
        let (flags, scope) =
            (if straight { [yes, no] } else { [no, yes] }, (self.ints.len(), self.truths.len()));
        let _ = writeln!(self.out, "loop !{node}(%{}, %3, %{carried}) {{", flags[0]);
        let [flag, counter, value] = [self.fresh(), self.fresh(), self.fresh()];
        let block = self.block;
        self.block += 1;
        let _ = writeln!(self.out, "^{block}(%{flag}: b1, %{counter}: b32, %{value}: b32):");
        self.ints.extend([counter, value]);
        let _ = writeln!(self.out, "if !{inner} %{flag} {{");
        // Arms that end with `next` and a value, and the next counter in the second one.
        for first in [straight, !straight] {
            let scope = (self.ints.len(), self.truths.len());
            self.head(&[]);
            let labels = std::mem::take(&mut self.labels);
            self.statements(depth + 1);
            self.labels = labels;
            let (id, args) = (self.fresh(), self.args(1));
            let step = if first { 3 } else { 4 };
            let _ = writeln!(self.out, "%{id}: b32 = iadd %{counter}, %{step}\nnext(%{id}, {args})");
            let _ = self.out.write_str(if first == straight { "} else {\n" } else { "}\n" });
            self.ints.truncate(scope.0);
            self.truths.truncate(scope.1);
        }
        let [now, more] = [self.fresh(), self.fresh()];
        self.head(&[now, more]);
        self.ints.extend([now, more]);
        self.test("uge", now, limit, node, 0);
        self.statements(depth + 1);
        let args = self.args(1);
        let _ = writeln!(self.out, "next(%{}, %{now}, {args})\n}}", flags[1]);
        self.ints.truncate(scope.0);
        self.truths.truncate(scope.1);
        self.merge_block(0);
    }

    /// A counted loop; its limit may be unknown.
    fn counted(&mut self, depth: u32) {
        let (from, op, by, relation, limit) = self.random.pick(COUNTS);
        let [start, step, end] = [from, by, limit].map(|value| {
            let id = self.fresh();
            let _ = writeln!(self.out, "%{id}: b32 = const {value}");
            id
        });
        let mut end = end;
        if (op, by, relation) == ("iadd", 1, "uge") && self.random.one_in(3) {
            let (a, id) = (self.int(), self.fresh());
            let _ = writeln!(self.out, "%{id}: b32 = iand %{a}, %6");
            end = id;
        }
        let carried = self.random.below(3) as usize;
        let results = self.random.below(2) as usize;
        self.node += 1;
        let node = self.node;
        let args = self.args(carried);
        let comma = if carried > 0 { ", " } else { "" };
        let _ = writeln!(self.out, "loop !{node}(%{start}{comma}{args}) {{");
        let scope = (self.ints.len(), self.truths.len());
        let counter = self.fresh();
        let mut params = vec![counter];
        params.extend((0..carried).map(|_| self.fresh()));
        self.head(&params);
        self.ints.extend(&params);
        let next = self.fresh();
        let _ = writeln!(self.out, "%{next}: b32 = {op} %{counter}, %{step}");
        self.ints.push(next);
        let split = self.random.one_in(2);
        let passed = self.random.below(2) as usize;
        let continue_args = if split { (None, passed) } else { (Some(next), carried) };
        self.labels.push(Label { node, results, continue_args: Some(continue_args) });
        let position = self.random.below(3);
        if position > 0 {
            // A jump over the exit test would make the loop infinite.
            let labels = std::mem::take(&mut self.labels);
            self.statements(depth + 1);
            self.labels = labels;
        }
        self.test(relation, if position == 2 { next } else { counter }, end, node, results);
        if position < 2 {
            self.statements(depth + 1);
        }
        if split {
            let args = self.args(passed);
            self.leave("next", &args);
            self.out += "} continuing {\n";
            let params: Vec<u32> = (0..passed).map(|_| self.fresh()).collect();
            // A jump may have ended the iteration early, so only values computed at its start are used.
            let known = self.ints.iter().position(|&id| id == next).map_or(scope.0, |at| at + 1);
            self.ints.truncate(known);
            self.truths.truncate(scope.1);
            self.head(&params);
            self.ints.extend(params);
            for _ in 0..self.random.below(3) {
                self.arithmetic();
            }
            if self.random.one_in(3) {
                self.show();
            }
        }
        let args = self.args(carried);
        let _ = writeln!(self.out, "next(%{next}{comma}{args})");
        self.out += "}\n";
        self.labels.pop();
        self.ints.truncate(scope.0);
        self.truths.truncate(scope.1);
        self.merge_block(results);
    }

    /// The exit test of a counted loop.
    fn test(&mut self, relation: &str, counter: u32, end: u32, node: u32, results: usize) {
        let id = self.fresh();
        let _ = writeln!(self.out, "%{id}: b1 = {relation} %{counter}, %{end}");
        let mut cond = id;
        if self.random.one_in(4) {
            let other = self.boolean();
            cond = self.fresh();
            let _ = writeln!(self.out, "%{cond}: b1 = ior %{id}, %{other}");
        }
        self.node += 1;
        let inner = self.node;
        let out = self.args(results);
        let out = if out.is_empty() { String::new() } else { format!("({out})") };
        let mut arms = [format!("break !{node}{out}"), "next".to_owned()];
        if self.random.one_in(2) {
            let opposite = self.fresh();
            let _ = writeln!(self.out, "%{opposite}: b1 = inot %{cond}");
            cond = opposite;
            arms.reverse();
        }
        let _ = writeln!(self.out, "if !{inner} %{cond} {{");
        self.head(&[]);
        let _ = writeln!(self.out, "{}\n}} else {{", arms[0]);
        self.head(&[]);
        let _ = writeln!(self.out, "{}\n}}", arms[1]);
        self.head(&[]);
        self.truths.push(cond);
    }
}

/// The text with values from `from` renumbered from `to`, and with another block number.
fn rename(text: &str, from: u32, to: u32, block: u32, new_block: u32) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find(['%', '^']) {
        let sigil = &rest[at..=at];
        out += &rest[..=at];
        rest = &rest[at + 1..];
        let end = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
        let number: u32 = rest[..end].parse().expect("an id");
        let new = match sigil {
            "%" if number > from => number - from + to,
            "^" if number == block => new_block,
            _ => number,
        };
        out += &new.to_string();
        rest = &rest[end..];
    }
    out + rest
}
