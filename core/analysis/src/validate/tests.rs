//! Errors that the text form cannot express: entities in two places, missing entities, regions inside
//! themselves.

use super::*;
use std::collections::BTreeSet;
use vitrine_ir::base::random::Random;
use vitrine_ir::ops::{BasicOp, IntOp, Key, Op, ValueType, Width};
use vitrine_ir::{
    Args, Arm, Assembler, Attrs, Block, BlockData, Const, CowVec, Edge, EntryPoint, FuncBody, ImageType,
    Inst, InstData, Level, Member, Mode, Node, NodeData, NodeKind, Reg, RegData, Region, RegionData, Stage,
    StructData, Terminator, Type, TypeData, VarData,
};

fn inst(at: usize) -> Inst {
    Inst::from_index(at)
}

fn block(at: usize) -> Block {
    Block::from_index(at)
}

fn leaving(terminator: Terminator) -> BlockData {
    BlockData { terminator, ..BlockData::default() }
}

fn holding(insts: &[Inst]) -> BlockData {
    BlockData { insts: CowVec::new(insts.to_vec()), ..leaving(Terminator::Return(None)) }
}

fn params(params: &[Inst], terminator: Terminator) -> BlockData {
    BlockData { params: CowVec::new(params.to_vec()), ..leaving(terminator) }
}

fn module_of(body: FuncBody) -> Module {
    let mut module = Module::new();
    module.add_func(body);
    module
}

fn codes(module: &Module) -> Vec<&'static str> {
    validate(module).iter().map(|diag| diag.code).collect()
}

/// A tree of one block, one node of this kind, and one block. `regions` come first.
fn with_node(asm: &mut Assembler, node: Node, kind: NodeKind) {
    let first = asm.add_block(leaving(Terminator::next()));
    let last = asm.add_block(leaving(Terminator::Return(None)));
    asm.put_node(node, NodeData { kind, attrs: Attrs::None });
    let root = asm.add_region(RegionData { head: first, rest: CowVec::new(vec![(node, last)]) });
    asm.tree(root);
}

fn leaf(asm: &mut Assembler, terminator: Terminator) -> Region {
    let head = asm.add_block(leaving(terminator));
    asm.add_region(RegionData::new(head))
}

#[test]
fn a_graph_has_a_first_block_and_a_tree_a_region() {
    let mut asm = Assembler::new();
    asm.graph(Vec::new());
    assert_eq!(codes(&module_of(asm.finish())), ["E001", "E007"]);
    let diags = validate(&module_of(FuncBody::default()));
    assert!(diags.is_empty(), "a declaration has no body: {diags:?}");
}

#[test]
fn entities_of_a_body_are_in_its_tables() {
    let mut asm = Assembler::new();
    asm.graph(vec![block(3)]);
    assert_eq!(codes(&module_of(asm.finish())), ["E002", "E007"]);

    let mut asm = Assembler::new();
    let head = asm.add_block(holding(&[inst(7)]));
    asm.graph(vec![head]);
    assert_eq!(codes(&module_of(asm.finish())), ["E002", "E007"]);

    let mut asm = Assembler::new();
    let missing = Region::from_index(9);
    with_node(&mut asm, Node::from_index(0), NodeKind::Block { body: missing });
    assert_eq!(codes(&module_of(asm.finish())), ["E002", "E007"]);

    let mut asm = Assembler::new();
    let head = asm.add_block(leaving(Terminator::next()));
    let rest = CowVec::new(vec![(Node::from_index(5), block(6))]);
    let root = asm.add_region(RegionData { head, rest });
    asm.tree(root);
    assert_eq!(codes(&module_of(asm.finish())), ["E002", "E002", "E007"]);
}

#[test]
fn a_block_stands_in_one_place() {
    let mut asm = Assembler::new();
    let head = asm.add_block(leaving(Terminator::Return(None)));
    asm.graph(vec![head, head]);
    assert_eq!(codes(&module_of(asm.finish())), ["E003", "E007"]);

    let mut asm = Assembler::new();
    let shared = asm.add_block(leaving(Terminator::next()));
    let [body, continuing] = [0, 1].map(|_| asm.add_region(RegionData::new(shared)));
    let kind = NodeKind::Loop { body, continuing: Some(continuing) };
    with_node(&mut asm, Node::from_index(0), kind);
    let diags = validate(&module_of(asm.finish()));
    assert_eq!(diags.iter().map(|diag| diag.code).collect::<Vec<_>>(), ["E003", "E007"]);
    assert_eq!(diags[0].at, Anchor::Block(Func::from_index(0), shared));
    assert_eq!(diags[1].level, Level::Note);
}

#[test]
fn nodes_and_regions_stand_in_one_place_and_cycles_end() {
    let mut asm = Assembler::new();
    let node = Node::from_index(0);
    let arm = leaf(&mut asm, Terminator::next());
    let [first, middle, last] = [0, 1, 2].map(|_| asm.add_block(leaving(Terminator::next())));
    asm.put_node(node, NodeData { kind: NodeKind::Block { body: arm }, attrs: Attrs::None });
    let root =
        asm.add_region(RegionData { head: first, rest: CowVec::new(vec![(node, middle), (node, last)]) });
    asm.tree(root);
    assert_eq!(codes(&module_of(asm.finish())), ["E004", "E007"]);

    let mut asm = Assembler::new();
    let arm = leaf(&mut asm, Terminator::next());
    with_node(&mut asm, node, NodeKind::Loop { body: arm, continuing: Some(arm) });
    assert_eq!(codes(&module_of(asm.finish())), ["E005", "E007"]);

    // A region that contains a node which contains the region.
    let mut asm = Assembler::new();
    let root = Region::from_index(0);
    with_node(&mut asm, node, NodeKind::Block { body: root });
    assert_eq!(codes(&module_of(asm.finish())), ["E005", "E007"]);
}

#[test]
fn an_instruction_stands_in_one_place() {
    let mut asm = Assembler::new();
    let undef = asm.add_inst(InstData::new(BasicOp::Undef, ValueType::B32, &[]));
    let param = asm.add_inst(InstData::new(BasicOp::Param, ValueType::B32, &[]));
    asm.params(vec![param]);
    let [a, b] = [[undef, undef], [undef, param]].map(|insts| asm.add_block(holding(&insts)));
    asm.graph(vec![a, b]);
    assert_eq!(codes(&module_of(asm.finish())), ["E006", "E006", "E006", "E034", "E007"]);
}

#[test]
fn a_parameter_is_a_param_and_a_case_has_a_value() {
    let mut asm = Assembler::new();
    let [undef, other] = [0, 1].map(|_| asm.add_inst(InstData::new(BasicOp::Undef, ValueType::B32, &[])));
    asm.params(vec![undef]);
    let last = asm.add_block(params(&[other], Terminator::Return(None)));
    let edge = Edge { to: last, args: Args::new(&[undef]) };
    let case = vitrine_ir::Case { values: Vec::new(), edge: edge.clone() };
    let first = asm.add_block(leaving(Terminator::Switch { on: undef, cases: [case].into(), default: edge }));
    asm.graph(vec![first, last]);
    assert_eq!(codes(&module_of(asm.finish())), ["E030", "E015", "E030"]);

    let mut asm = Assembler::new();
    let on = asm.add_inst(InstData::new(BasicOp::Param, ValueType::B32, &[]));
    asm.params(vec![on]);
    let arms = [(false, Vec::new()), (true, Vec::new()), (true, vec![1])];
    let arms =
        arms.map(|(default, values)| Arm { values, default, body: leaf(&mut asm, Terminator::next()) });
    with_node(&mut asm, Node::from_index(0), NodeKind::Switch { on, arms: arms.into() });
    assert_eq!(codes(&module_of(asm.finish())), ["E013", "E015"]);
}

#[test]
fn invalid_component_counts_are_reported() {
    let mut asm = Assembler::new();
    let odd = asm.add_inst(InstData::new(BasicOp::Undef, ValueType::bits(Width::W32, 6), &[]));
    let head = asm.add_block(holding(&[odd]));
    asm.graph(vec![head]);
    asm.put_reg(Reg::from_index(0), RegData { name: None, width: Width::W32, components: 0, len: 0 });
    assert_eq!(codes(&module_of(asm.finish())), ["E044", "E044"]);
}

#[test]
fn ids_of_missing_entities_are_reported_without_harm() {
    let mut module = Module::new();
    let mut asm = Assembler::new();
    let constant = InstData::new(BasicOp::Const, ValueType::B32, &[]).with(Key::Const, 77);
    let call = InstData::new(BasicOp::Call, ValueType::Void, &[]).with(Key::Func, u64::MAX);
    let cast =
        InstData::new(BasicOp::Undef, ValueType::Path, &[]).with(Key::Type, 1 << 40).with(Key::Mode, 99);
    let add = InstData::new(IntOp::IAdd, ValueType::B32, &[inst(900), inst(1 << 31)]);
    let insts = [constant, call, cast, add].map(|data| asm.add_inst(data));
    let head = asm.add_block(holding(&insts));
    asm.graph(vec![head]);
    module.add_func(asm.finish());
    assert_eq!(codes(&module), ["E047", "E047", "E047", "E047", "E086", "E060", "E060"]);

    let var = module.add_var(VarData {
        name: None,
        ty: Type::from_index(1 << 20),
        mode: Mode::Private,
        owner: None,
        init: Some(vitrine_ir::Operand::Bits(Const::from_index(5_000))),
        attrs: Attrs::one(Key::Location, u64::MAX),
    });
    assert_eq!(codes(&module)[..3], ["E047", "E086", "E088"]);
    assert_eq!(validate(&module)[0].at, Anchor::Var(var));
}

#[test]
fn the_type_of_a_constant_is_that_of_its_bits() {
    let mut module = Module::new();
    let bits = module.bits(vitrine_ir::ops::Bits::zero(Width::W16, 1));
    let mut asm = Assembler::new();
    let data = InstData::new(BasicOp::Const, ValueType::B32, &[]).with(Key::Const, bits.index() as u64);
    let odd = asm.add_inst(data);
    let head = asm.add_block(holding(&[odd]));
    asm.graph(vec![head]);
    module.add_func(asm.finish());
    assert_eq!(codes(&module), ["E050"]);
}

#[test]
fn types_that_cannot_be_spelled() {
    let mut module = Module::new();
    let float = module.ty(TypeData::Float { width: Width::W32 });
    let byte = module.ty(TypeData::Float { width: Width::W8 });
    let bit = module.ty(TypeData::Int { width: Width::W1, signed: false });
    let five = module.ty(TypeData::Vector { of: float, components: 5 });
    let nested = module.ty(TypeData::Vector { of: five, components: 2 });
    let image = ImageType {
        sampled: float,
        dim: vitrine_ir::ops::Dim::D2,
        arrayed: false,
        multisampled: false,
        depth: vitrine_ir::Depth::No,
        usage: vitrine_ir::Usage::Sampled,
        format: u8::MAX,
    };
    let image = module.ty(TypeData::Image(image));
    // An array of itself: no reader creates one, but validation must terminate.
    let next = Type::from_index(module.sizes()[0]);
    let itself = module.ty(TypeData::RuntimeArray { of: next, stride: 4 });
    assert_eq!(next, itself);
    let members =
        [byte, bit, five, nested, image, itself].map(|ty| Member { name: None, ty, attrs: Attrs::None });
    module.add_struct(StructData { members: members.into(), ..StructData::default() });
    assert_eq!(codes(&module), ["E086", "E086", "E081", "E081", "E085", "E084"]);
}

/// `depth` nested nodes, each a loop, an `if` or a labeled block.
fn deep(depth: usize) -> Module {
    let mut asm = Assembler::new();
    let cond = asm.add_inst(InstData::new(BasicOp::Param, ValueType::BOOL, &[]));
    asm.params(vec![cond]);
    let mut inner = leaf(&mut asm, Terminator::next());
    for at in 0..depth {
        let other = leaf(&mut asm, Terminator::next());
        let kind = match at % 3 {
            0 => NodeKind::If { cond, then: inner, els: other },
            1 => NodeKind::Loop { body: inner, continuing: Some(other) },
            _ => NodeKind::Block { body: inner },
        };
        let node = asm.add_node(NodeData { kind, attrs: Attrs::None });
        let [first, last] = [0, 1].map(|_| asm.add_block(leaving(Terminator::next())));
        inner = asm.add_region(RegionData { head: first, rest: CowVec::new(vec![(node, last)]) });
    }
    let last = asm.body().region(inner).last();
    asm.block_mut(last).terminator = Terminator::Return(None);
    asm.tree(inner);
    module_of(asm.finish())
}

#[test]
fn nesting_of_any_depth_needs_no_stack() {
    let small = std::thread::Builder::new().stack_size(256 << 10);
    let found = small.spawn(|| codes(&deep(10_000))).unwrap().join().unwrap();
    // The first block of each loop is reachable, and no loop terminates, which is valid.
    assert!(found.is_empty(), "{found:?}");
}

#[test]
fn one_function_is_checked_like_the_whole_module() {
    let module = deep(3);
    assert!(validate_func(&module, Func::from_index(0)).is_empty());
    assert!(validate_func(&module, Func::from_index(9)).is_empty());
    let mut asm = Assembler::new();
    asm.graph(vec![block(0)]);
    let module = module_of(asm.finish());
    assert_eq!(validate_func(&module, Func::from_index(0)), validate(&module));
}

#[test]
fn checks_are_sentences_in_order_of_their_codes() {
    assert!(CHECKS.is_sorted_by(|a, b| a.code < b.code));
    for check in CHECKS {
        assert!(check.code.len() == 4 && check.code.starts_with('E'), "{}", check.code);
        assert!(check.sentence.starts_with(|c: char| c.is_uppercase() || c == '`'), "{}", check.sentence);
        assert!(!check.sentence.ends_with('.') && !check.group.about.is_empty(), "{}", check.sentence);
    }
}

/// Checks that only the tests above trigger, because the text form cannot express their errors.
const WITHOUT_TEXT: [&str; 11] =
    ["E001", "E002", "E003", "E004", "E005", "E006", "E007", "E015", "E030", "E044", "E081"];

#[test]
fn every_check_is_tripped() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/filetests/validate");
    let mut tripped: BTreeSet<String> = WITHOUT_TEXT.map(str::to_owned).into();
    for file in std::fs::read_dir(folder).unwrap() {
        let text = std::fs::read_to_string(file.unwrap().path()).unwrap();
        let codes = text.split("error[").skip(1).filter_map(|rest| rest.get(..4));
        tripped.extend(codes.map(str::to_owned));
    }
    let missing: Vec<&str> =
        CHECKS.iter().map(|check| check.code).filter(|&code| !tripped.contains(code)).collect();
    assert!(missing.is_empty(), "no test triggers {missing:?}");
    let known: BTreeSet<&str> = CHECKS.iter().map(|check| check.code).collect();
    assert!(tripped.iter().all(|code| known.contains(code.as_str())), "{tripped:?}");
}

#[test]
fn malformed_operations_never_panic() {
    // Every operation without operands, with wrong ones and too many, without attributes: nothing panics.
    for op in Op::all() {
        for count in [0, 1, 3, 9] {
            for ty in [ValueType::Void, ValueType::B32, ValueType::Path, ValueType::bits(Width::W1, 255)] {
                let mut asm = Assembler::new();
                let param = asm.add_inst(InstData::new(BasicOp::Param, ty, &[]));
                asm.params(vec![param]);
                let mut data = InstData::new(op, ty, &vec![param; count]);
                for &key in Key::ALL {
                    data = data.with(key, u64::MAX >> (count * 7));
                }
                let plain = InstData { attrs: Attrs::None, ..data.clone() };
                let insts = [data, plain].map(|data| asm.add_inst(data));
                let head = asm.add_block(holding(&insts));
                asm.graph(vec![head]);
                assert!(!validate(&module_of(asm.finish())).is_empty());
            }
        }
    }
}

/// Entities and parts of programs at random.
struct Parts(Random);

impl Parts {
    fn below(&mut self, limit: u64) -> u64 {
        self.0.below(limit)
    }

    fn id<K: EntityId>(&mut self) -> K {
        K::from_index(self.below(9) as usize)
    }

    fn ids<K: EntityId>(&mut self, most: u64) -> Vec<K> {
        (0..self.below(most + 1)).map(|_| self.id()).collect()
    }

    fn terminator(&mut self) -> Terminator {
        let edge = |random: &mut Parts| Edge { to: random.id(), args: Args::new(&random.ids(2)) };
        match self.below(8) {
            0 => Terminator::Next(Args::new(&self.ids(2))),
            1 => Terminator::Break(self.id(), Args::new(&self.ids(2))),
            2 => Terminator::Continue(self.id(), Args::new(&self.ids(2))),
            3 => Terminator::Return(self.ids(1).pop()),
            4 => Terminator::Stop(vitrine_ir::Stop::ALL[self.below(6) as usize]),
            5 => Terminator::Goto(edge(self)),
            6 => Terminator::Branch { cond: self.id(), then: edge(self), els: edge(self) },
            _ => {
                let case = vitrine_ir::Case { values: vec![self.below(3)], edge: edge(self) };
                Terminator::Switch { on: self.id(), cases: vec![case; 2].into(), default: edge(self) }
            }
        }
    }

    fn kind(&mut self) -> NodeKind {
        let arm =
            |random: &mut Parts| Arm { values: vec![random.below(300)], default: true, body: random.id() };
        match self.below(4) {
            0 => NodeKind::If { cond: self.id(), then: self.id(), els: self.id() },
            1 => NodeKind::Switch { on: self.id(), arms: [arm(self), arm(self)].into() },
            2 => NodeKind::Loop { body: self.id(), continuing: self.ids(1).pop() },
            _ => NodeKind::Block { body: self.id() },
        }
    }

    fn inst(&mut self, ops: &[Op]) -> InstData {
        let types = [ValueType::BOOL, ValueType::B32, ValueType::Path, ValueType::Handle, ValueType::Void];
        let op = ops[self.below(ops.len() as u64) as usize];
        let mut data = InstData::new(op, types[self.below(5) as usize], &self.ids(3));
        let info = op.info();
        for &key in info.lead.iter().chain(info.need).chain(info.may) {
            data = data.with(key, self.below(5));
        }
        data
    }
}

#[test]
fn nonsense_is_reported_and_never_panics() {
    let ops: Vec<Op> = Op::all().collect();
    for seed in 0..4_000 {
        let random = &mut Parts(Random(seed));
        let mut module = Module::new();
        for _ in 0..3 {
            let of = random.id();
            let members = [Member { name: None, ty: of, attrs: Attrs::None }];
            module.add_struct(StructData { members: members.into(), ..StructData::default() });
            let structure = random.id();
            module.ty(TypeData::Struct(structure));
            module.ty(TypeData::Array {
                of: random.id(),
                len: vitrine_ir::Len::Global(random.id()),
                stride: 4,
            });
            let args: Vec<_> = random.ids(2).into_iter().map(vitrine_ir::Operand::Global).collect();
            let value =
                vitrine_ir::GlobalValue::Op { op: IntOp::IAdd.into(), ty: ValueType::B32, args: args.into() };
            module.add_global(vitrine_ir::GlobalData { name: None, value, attrs: Attrs::None });
            let init = Some(vitrine_ir::Operand::Global(random.id()));
            let mode = Mode::ALL[random.below(13) as usize];
            let owner = random.ids(1).pop();
            module.add_var(VarData { name: None, ty: random.id(), mode, owner, init, attrs: Attrs::None });
        }
        for _ in 0..3 {
            let mut asm = Assembler::new();
            asm.params(random.ids(1));
            for _ in 0..8 {
                asm.add_inst(random.inst(&ops));
                let data = BlockData {
                    insts: CowVec::new(random.ids(2)),
                    ..params(&random.ids(1), random.terminator())
                };
                asm.add_block(data);
                asm.add_node(NodeData { kind: random.kind(), attrs: Attrs::None });
                let rest = (0..random.below(3)).map(|_| (random.id(), random.id())).collect();
                asm.add_region(RegionData { head: random.id(), rest: CowVec::new(rest) });
            }
            match random.below(2) {
                0 => asm.graph(random.ids(6)),
                _ => asm.tree(random.id()),
            }
            module.add_func(asm.finish());
        }
        let name = module.text("main");
        let entry = EntryPoint {
            name,
            stage: Stage::Vertex,
            func: random.id(),
            interface: random.ids(2),
            modes: Vec::new(),
        };
        module.entries = CowVec::new(vec![entry]);
        let diags = validate(&module);
        assert!(diags.iter().all(|diag| !diag.message().is_empty()));
    }
}
