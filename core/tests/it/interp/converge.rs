//! Reconvergence: random programs in which every block votes, run as a tree, as its graph, and as the trees
//! structurized from that. Votes depend on the active invocations, so sums differ if reconvergence differs.

use crate::testing::texts;
use vitrine_core::interp::{Inputs, Outcome, run};
use vitrine_core::ir::Module;
use vitrine_core::pipeline::Pipeline;

/// A program generator with a seed.
struct Writer {
    seed: u64,
    text: String,
    values: u32,
    blocks: u32,
    nodes: u32,
}

/// The enclosing nodes, each with `true` for a loop.
type Enclosing = Vec<(u32, bool)>;

impl Writer {
    fn below(&mut self, most: u64) -> u64 {
        self.seed = self.seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.seed >> 33) % most
    }

    fn value(&mut self, definition: &str) -> String {
        self.values += 1;
        let line = format!("  %{} = {definition}\n", self.values);
        let typed = line.replacen(" = ", ": b32 = ", 1);
        self.text.push_str(if definition.starts_with("store") { &line } else { &typed });
        format!("%{}", self.values)
    }

    fn constant(&mut self, number: u64) -> String {
        self.value(&format!("const {number}"))
    }

    /// Begins a block that votes, and adds the vote to the sum.
    fn block(&mut self) {
        self.text.push_str(&format!("^{}:\n", self.blocks));
        self.blocks += 1;
        let tag = self.blocks;
        let sum = self.value("load %1000000");
        let (ballot, invocation) = (self.values + 1, self.values + 2);
        self.values += 2;
        self.text.push_str(&format!(
            "  %{ballot}: b32x4 = ballot %1000003\n  %{invocation}: b32 = swizzle %{ballot}.x\n"
        ));
        let factor = self.constant(31);
        let times = self.value(&format!("imul {sum}, {factor}"));
        let more = self.value(&format!("iadd {times}, %{invocation}"));
        let tag = self.constant(u64::from(tag));
        let all = self.value(&format!("iadd {more}, {tag}"));
        self.value(&format!("store %1000000, {all}"));
    }

    /// A condition that depends on the invocation and on its earlier votes.
    fn condition(&mut self) -> String {
        let sum = self.value("load %1000000");
        let factor = 2 * self.below(1 << 20) + 1;
        let factor = self.constant(factor);
        let invocation = self.value(&format!("imul %1000001, {factor}"));
        let mixed = self.value(&format!("ixor {invocation}, {sum}"));
        let shift = self.below(9);
        let shift = self.constant(shift);
        let bit = self.value(&format!("ushr {mixed}, {shift}"));
        let one = self.constant(1);
        let bit = self.value(&format!("iand {bit}, {one}"));
        self.values += 1;
        self.text.push_str(&format!("  %{}: b1 = ieq {bit}, {one}\n", self.values));
        format!("%{}", self.values)
    }

    /// A list of blocks and nodes; nesting is bounded by `depth`.
    fn region(&mut self, depth: u32, enclosing: &mut Enclosing) {
        self.block();
        for _ in 0..self.below(3) {
            if depth > 0 {
                self.node(depth, enclosing);
                self.block();
            }
        }
    }

    fn terminator(&mut self, enclosing: &Enclosing) {
        let choice = self.below(6);
        let pick = enclosing.get(self.below(enclosing.len().max(1) as u64) as usize);
        let line = match (choice, pick) {
            (0, Some((node, _))) => format!("  break !{node}\n"),
            (1, Some((node, true))) => format!("  continue !{node}\n"),
            (2, _) if enclosing.len() > 2 => "  return\n".to_owned(),
            _ => "  next\n".to_owned(),
        };
        self.text.push_str(&line);
    }

    fn node(&mut self, depth: u32, enclosing: &mut Enclosing) {
        let node = self.nodes;
        self.nodes += 1;
        match self.below(3) {
            0 => {
                // Iterations are counted, so that every loop terminates.
                self.text.push_str(&format!("  loop !{node} {{\n"));
                enclosing.push((node, true));
                self.block();
                let count = self.value("load %1000002");
                let one = self.constant(1);
                let more = self.value(&format!("iadd {count}, {one}"));
                self.value(&format!("store %1000002, {more}"));
                let most = 6 + 6 * self.below(4);
                let most = self.constant(most);
                self.values += 1;
                let over = self.values;
                self.text.push_str(&format!("  %{over}: b1 = uge {more}, {most}\n"));
                let inner = self.nodes;
                self.nodes += 1;
                self.text.push_str(&format!("  if !{inner} %{over} {{\n"));
                self.block();
                self.text.push_str(&format!("  break !{node}\n  }} else {{\n"));
                self.block();
                self.text.push_str("  next\n  }\n");
                self.region(depth - 1, enclosing);
                self.terminator(enclosing);
                enclosing.pop();
                self.text.push_str("  }\n");
            }
            1 => {
                self.text.push_str(&format!("  block !{node} {{\n"));
                enclosing.push((node, false));
                self.region(depth - 1, enclosing);
                self.terminator(enclosing);
                enclosing.pop();
                self.text.push_str("  }\n");
            }
            _ => {
                let condition = self.condition();
                self.text.push_str(&format!("  if !{node} {condition} {{\n"));
                enclosing.push((node, false));
                self.region(depth - 1, enclosing);
                self.terminator(enclosing);
                self.text.push_str("  } else {\n");
                self.region(depth - 1, enclosing);
                self.terminator(enclosing);
                enclosing.pop();
                self.text.push_str("  }\n");
            }
        }
    }
}

fn program(seed: u64) -> Module {
    let mut writer = Writer { seed, text: String::new(), values: 0, blocks: 1, nodes: 0 };
    let mut enclosing = Vec::new();
    writer.node(3, &mut enclosing);
    writer.block();
    let sum = writer.value("load %1000000");
    writer.text.push_str(&format!("  %1000009 = store %1000006, {sum}\n  return\n"));
    let text = format!(
        "struct #0 {{block}} {{\n  o: [u32 step 4] {{offset 0}}\n}}\n\nstorage $0: #0 {{set 0, binding 0}}\n\
         in $1: u32 {{builtin local_invocation_index}}\nprivate $2: u32 = 7\nprivate $3: u32 = 0\n\n\
         entry compute \"main\" @0 ($0, $1, $2, $3) {{local_size 16 1 1}}\n\nfunc @0() tree {{\n^0:\n  \
         %1000000: path = deref.var $2\n  %1000002: path = deref.var $3\n  %1000004: path = deref.var $1\n  \
         %1000001: b32 = load %1000004\n  %1000003: b1 = ieq %1000001, %1000001\n  %1000005: path = deref.var $0\n  \
         %1000007: path = deref.field %1000005.0\n  %1000006: path = deref.elem %1000007, %1000001\n{}}}\n",
        writer.text
    );
    // The parser accepts ids with gaps.
    let text = text.replace("%100000", "%2000");
    texts::module(&text)
}

fn words(outcome: &Outcome) -> &[u8] {
    &outcome.buffers[&((0, 0), 0)].bytes
}

/// The results of group operations must not depend on the shape of the program.
///
/// `structurize{faithful}` follows the graph without merge blocks: code on an exit path of a loop moves after the loop,
/// where invocations from other iterations join. Such cases are counted, and must be rare.
#[test]
fn invocations_reconverge_equally_in_trees_and_graphs() {
    let mut inputs = Inputs { subgroup: 16, ..Inputs::default() };
    inputs.buffers.insert((0, 0), vec![vec![0; 64]]);
    let variants = ["flatten", "flatten, structurize{imported}", "flatten, structurize{faithful}"];
    let mut differ = [0; 3];
    const COUNT: u64 = 200;
    for seed in 0..COUNT {
        let tree = program(seed);
        let before = run(&tree, 0, &inputs).expect("it can be run");
        assert!(before.is_complete() && before.reports.is_empty(), "{seed}: {:?}", before.reports);
        for (variant, differ) in variants.iter().zip(&mut differ) {
            let pipeline = Pipeline::parse(variant).expect("a pipeline");
            let module = pipeline.run(&tree, None).expect("the program is valid");
            let after = run(&module, 0, &inputs).expect("it can be run");
            *differ += u64::from(words(&before) != words(&after));
        }
    }
    println!("of {COUNT} programs, {differ:?} reconverge differently after {variants:?}");
    assert_eq!(differ[..2], [0, 0], "the graph, and the tree with the declared merge blocks");
    assert!(differ[2] <= COUNT / 10, "the tree of the graph without merge blocks");
}
