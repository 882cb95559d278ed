//! Edits that make a program smaller or simpler, without regard to what it means.
//!
//! An edit names what it is about by id and does nothing where that is gone: several of them may be applied in any
//! order. What comes out is validated by the caller.

use crate::ir::{
    Block, Edge, Editor, Fuel, Func, FuncBody, InsertPoint, Inst, InstData, Module, Node, NodeKind, Reason,
    Refusal, Shape, Terminator, TreeStep, TreeWalk, Var,
};
use crate::ops::{BasicOp, Bits, Op, ValueType};
use crate::passes;

/// Kinds of edits, in the order in which they are worth trying.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    /// Entry points and functions go.
    Functions,
    /// Ways go.
    Ways,
    /// Effects go.
    Effects,
    /// Values become constants.
    Zeros,
    /// Values become one of their operands.
    Forwards,
    /// What nobody reads goes, blocks are joined.
    Rests,
    /// Variables go.
    Variables,
    /// Names and remarks go, constants become small.
    Trifles,
}

impl Kind {
    /// A round. What nobody reads goes again and again: it need not be tried one by one then.
    pub(super) const ROUND: [Kind; 11] = [
        Kind::Functions,
        Kind::Ways,
        Kind::Rests,
        Kind::Effects,
        Kind::Rests,
        Kind::Zeros,
        Kind::Rests,
        Kind::Forwards,
        Kind::Rests,
        Kind::Variables,
        Kind::Trifles,
    ];
}

/// One edit.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Edit {
    /// Entry points of this function go.
    Entry(Func),
    /// The function goes, if nobody calls it.
    Function(Func),
    /// A block of a graph is left one way only: of its ways, by number.
    Way(Func, Block, usize),
    /// An `if` or `switch` of a tree is decided by a constant.
    Decide(Func, Node, u64),
    /// A block returns at once.
    Return(Func, Block),
    /// An instruction goes, if nobody reads it.
    Effect(Func, Inst),
    /// A node of a tree goes with everything in it; what it hands on is zero.
    Node(Func, Node),
    /// What a node of a tree does takes its place: its operand is constant, or it goes round once.
    Unwrap(Func, Node),
    /// A value becomes zero.
    Zero(Func, Inst),
    /// A value becomes its operand of this number.
    Forward(Func, Inst, usize),
    /// What nobody reads goes from the function, and control flow that makes no difference.
    Tidy(Func),
    /// A block joins the only one behind it.
    Join(Func, Block),
    /// A variable goes, if nobody names it.
    Variable(Var),
    /// A constant becomes one.
    One(Func, Inst),
    /// Names of values and functions go.
    Names(Func),
}

/// All edits of a kind that may be worth trying on a module, in a fixed order.
pub(super) fn candidates(module: &Module, kind: Kind) -> Vec<Edit> {
    let mut out = Vec::new();
    match kind {
        Kind::Functions => {
            // Entry points first: what only they call can go after them.
            out.extend(module.entries.iter().map(|entry| Edit::Entry(entry.func)));
            out.extend(module.funcs().map(|(func, _)| Edit::Function(func)));
        }
        Kind::Variables => out.extend(module.vars().map(|(var, _)| Edit::Variable(var))),
        Kind::Ways | Kind::Effects | Kind::Zeros | Kind::Forwards | Kind::Rests | Kind::Trifles => {
            for (func, body) in module.funcs() {
                if !matches!(body.shape(), Shape::Declaration) {
                    inside(func, body, kind, &mut out);
                }
            }
        }
    }
    out
}

fn inside(func: Func, body: &FuncBody, kind: Kind, out: &mut Vec<Edit>) {
    if kind == Kind::Rests {
        out.push(Edit::Tidy(func));
    }
    if kind == Kind::Trifles {
        out.push(Edit::Names(func));
    }
    if kind == Kind::Ways && matches!(body.shape(), Shape::Tree(_)) {
        let nodes = TreeWalk::new(body).filter_map(|step| match step {
            TreeStep::Enter(node) => Some(node),
            TreeStep::Open(..) | TreeStep::Block(_) | TreeStep::Leave(_) => None,
        });
        let nodes: Vec<Node> = nodes.collect();
        out.extend(nodes.iter().map(|&node| Edit::Node(func, node)));
        out.extend(nodes.iter().flat_map(|&node| {
            decisions(&body.node(node).kind).map(move |value| Edit::Decide(func, node, value))
        }));
        out.extend(nodes.iter().rev().map(|&node| Edit::Unwrap(func, node)));
    }
    // Backwards: what is behind usually hangs on what is in front.
    for block in body.blocks_in_order().into_iter().rev() {
        match kind {
            Kind::Ways => {
                out.push(Edit::Return(func, block));
                let ways = ways(body.exit(block)).len();
                out.extend((0..ways).filter(|_| ways > 1).map(|way| Edit::Way(func, block, way)));
            }
            Kind::Rests => {
                out.push(Edit::Join(func, block));
                // Where `dce` may not have all that is dead, some of it still can go.
                let insts = body.block(block).insts.iter().rev();
                let values = insts.filter(|&&inst| body.ty(inst) != ValueType::Void);
                out.extend(values.map(|&inst| Edit::Effect(func, inst)));
            }
            Kind::Effects | Kind::Zeros | Kind::Forwards | Kind::Trifles => {
                let params = body.block(block).params.iter().filter(|_| kind == Kind::Zeros);
                params.for_each(|&param| of_inst(func, body, param, kind, out));
                let insts = body.block(block).insts.iter().rev();
                insts.for_each(|&inst| of_inst(func, body, inst, kind, out));
            }
            Kind::Functions | Kind::Variables => {}
        }
    }
}

fn of_inst(func: Func, body: &FuncBody, inst: Inst, kind: Kind, out: &mut Vec<Edit>) {
    let data = body.inst(inst);
    let is_const = data.op == Op::from(BasicOp::Const);
    match kind {
        Kind::Effects if data.ty == ValueType::Void => out.push(Edit::Effect(func, inst)),
        Kind::Zeros if zero(data.ty).is_some() && !is_const => out.push(Edit::Zero(func, inst)),
        Kind::Forwards => {
            let args = data.args.iter().enumerate();
            let alike = args.filter(|(_, arg)| data.ty != ValueType::Void && body.ty(**arg) == data.ty);
            out.extend(alike.map(|(at, _)| Edit::Forward(func, inst, at)));
        }
        Kind::Trifles if is_const && zero(data.ty).is_some() => {
            // One first: zero is the end of it.
            out.extend([Edit::One(func, inst), Edit::Zero(func, inst)]);
        }
        _ => {}
    }
}

/// What a node can be decided by: both truth values, one value of each arm.
fn decisions(kind: &NodeKind) -> impl Iterator<Item = u64> + use<> {
    let values: Vec<u64> = match kind {
        NodeKind::If { .. } => vec![0, 1],
        NodeKind::Switch { arms, .. } => {
            // One that no arm names leads to the default.
            let named = arms.iter().filter_map(|arm| arm.values.first().copied());
            let free = (0..).find(|value| arms.iter().all(|arm| !arm.values.contains(value)));
            named.chain(free).collect()
        }
        NodeKind::Loop { .. } | NodeKind::Block { .. } => Vec::new(),
    };
    values.into_iter()
}

/// Edges of an exit of a graph, in order.
fn ways(exit: &Terminator) -> Vec<Edge> {
    match exit {
        Terminator::Branch { then, els, .. } => vec![then.clone(), els.clone()],
        Terminator::Switch { cases, default, .. } => {
            cases.iter().map(|case| case.edge.clone()).chain([default.clone()]).collect()
        }
        Terminator::Goto(edge) => vec![edge.clone()],
        Terminator::Next(_)
        | Terminator::Break(..)
        | Terminator::Continue(..)
        | Terminator::Return(_)
        | Terminator::Stop(_) => Vec::new(),
    }
}

/// Zero of a type that has one.
fn zero(ty: ValueType) -> Option<Bits> {
    number(ty, 0)
}

/// A number in every lane of a type that has numbers.
fn number(ty: ValueType, value: u64) -> Option<Bits> {
    let ValueType::Bits { width, components: lanes } = ty else { return None };
    Some(Bits::from_components(width, &vec![value; usize::from(lanes)]))
}

/// The module after these edits; none if none of them did anything.
pub(super) fn apply(module: &Module, edits: &[Edit]) -> Option<Module> {
    let mut after = module.clone();
    let mut did = false;
    for edit in edits {
        // What is refused has changed nothing, but for the zeros made ready for a node that stays.
        let before = matches!(edit, Edit::Node(..)).then(|| after.clone());
        match (one(&mut after, *edit), before) {
            (Ok(changed), _) => did |= changed,
            (Err(_), Some(before)) => after = before,
            (Err(_), None) => {}
        }
    }
    did.then_some(after)
}

const WHY: Reason = Reason::Note("smaller");

/// Whether it did anything.
fn one(module: &mut Module, edit: Edit) -> Result<bool, Refusal> {
    match edit {
        Edit::Entry(func) => {
            let before = module.entries.len();
            std::rc::Rc::make_mut(&mut module.entries).retain(|entry| entry.func != func);
            Ok(module.entries.len() < before)
        }
        Edit::Function(func) => {
            let was_there = module.func(func).is_some();
            module.remove_func(func);
            Ok(was_there)
        }
        Edit::Variable(var) => Ok(remove_variable(module, var)),
        Edit::Tidy(func) => Ok(tidy(module, func)),
        Edit::Way(func, ..)
        | Edit::Decide(func, ..)
        | Edit::Return(func, _)
        | Edit::Effect(func, _)
        | Edit::Node(func, _)
        | Edit::Unwrap(func, _)
        | Edit::Zero(func, _)
        | Edit::Forward(func, ..)
        | Edit::Join(func, _)
        | Edit::One(func, _)
        | Edit::Names(func) => {
            let Some(mut ed) = Editor::new(module, func) else { return Ok(false) };
            in_function(&mut ed, edit)?;
            Ok(ed.finish().changed)
        }
    }
}

fn in_function(ed: &mut Editor<'_>, edit: Edit) -> Result<(), Refusal> {
    match edit {
        Edit::Way(_, block, way) if ed.has_block(block) => {
            let ways = ways(ed.func().exit(block));
            match ways.get(way) {
                Some(edge) if ways.len() > 1 => ed.set_exit(block, Terminator::Goto(edge.clone()), WHY)?,
                _ => return Ok(()),
            }
            ed.remove_unreachable(WHY).map(drop)
        }
        Edit::Decide(_, node, value) if ed.has_node(node) => decide(ed, node, value),
        Edit::Node(_, node) if ed.has_node(node) => erase_node(ed, node),
        Edit::Unwrap(_, node) if ed.has_node(node) => ed.unwrap(node, WHY),
        Edit::Return(_, block) if ed.has_block(block) => {
            // Returning a constant is as short as it gets.
            match ed.func().exit(block) {
                Terminator::Return(None) => return Ok(()),
                Terminator::Return(Some(value)) if ed.bits_of(*value).is_some() => return Ok(()),
                _ => {}
            }
            let value = match ed.func().result() {
                ValueType::Void => None,
                ty => match zero(ty) {
                    Some(bits) => Some(constant(ed, InsertPoint::End(block), bits)?),
                    None => return Ok(()),
                },
            };
            ed.set_exit(block, Terminator::Return(value), WHY)?;
            match ed.func().shape() {
                Shape::Graph(_) => ed.remove_unreachable(WHY).map(drop),
                Shape::Tree(_) | Shape::Declaration => Ok(()),
            }
        }
        Edit::Effect(_, inst) if ed.is_placed(inst) => ed.erase(inst, WHY),
        Edit::Zero(_, inst) if ed.is_placed(inst) => to_number(ed, inst, 0),
        Edit::One(_, inst) if ed.is_placed(inst) => to_number(ed, inst, 1),
        Edit::Forward(_, inst, at) if ed.is_placed(inst) => {
            let Some(&arg) = ed.func().inst(inst).args.get(at) else { return Ok(()) };
            ed.replace_uses(inst, arg, WHY)?;
            ed.erase(inst, WHY)
        }
        Edit::Join(_, block) if ed.has_block(block) => join(ed, block),
        Edit::Names(_) => {
            let body = ed.func();
            let insts = body.blocks_in_order().into_iter().flat_map(|block| body.block(block).insts.to_vec());
            let named: Vec<Inst> = insts.filter(|&inst| body.inst_name(inst).is_some()).collect();
            named.into_iter().try_for_each(|inst| ed.set_name(inst, None))
        }
        _ => Ok(()),
    }
}

/// A constant at a place.
fn constant(ed: &mut Editor<'_>, at: InsertPoint, bits: Bits) -> Result<Inst, Refusal> {
    let data = ed.const_bits(bits);
    ed.insert(at, data, WHY)
}

/// Makes a value a constant; a parameter of a block is no longer read, and goes with what nobody reads.
fn to_number(ed: &mut Editor<'_>, inst: Inst, value: u64) -> Result<(), Refusal> {
    let data: &InstData = ed.func().inst(inst);
    let Some(bits) = number(data.ty, value) else { return Ok(()) };
    // A constant only becomes smaller: nothing goes round and round.
    let is_small = |old: Bits| old == bits || old.components().iter().all(|&lane| lane <= value);
    if ed.bits_of(inst).is_some_and(is_small) {
        return Ok(());
    }
    if data.op != Op::from(BasicOp::Param) {
        let data = ed.const_bits(bits);
        return ed.rewrite(inst, data, WHY);
    }
    match ed.block_of(inst) {
        Some(block) if ed.use_count(inst) > 0 => {
            let new = constant(ed, InsertPoint::Start(block), bits)?;
            ed.replace_uses(inst, new, WHY)
        }
        _ => Ok(()),
    }
}

/// Takes a node out; zeros take the place of what it hands on.
fn erase_node(ed: &mut Editor<'_>, node: Node) -> Result<(), Refusal> {
    let (Some(before), Some(after)) = (ed.block_before(node), ed.block_after(node)) else { return Ok(()) };
    let types: Vec<ValueType> =
        ed.func().block(after).params.iter().map(|&param| ed.func().ty(param)).collect();
    let Some(zeros) = types.into_iter().map(zero).collect::<Option<Vec<Bits>>>() else { return Ok(()) };
    let zeros: Result<Vec<Inst>, Refusal> =
        zeros.into_iter().map(|bits| constant(ed, InsertPoint::End(before), bits)).collect();
    ed.erase_node(node, &zeros?, WHY)
}

/// Decides an `if` or a `switch` by a constant in front of it.
fn decide(ed: &mut Editor<'_>, node: Node, value: u64) -> Result<(), Refusal> {
    let Some(on) = ed.func().node(node).kind.operand() else { return Ok(()) };
    let (ty, before) = (ed.func().ty(on), ed.block_before(node));
    let (Some(bits), Some(block)) = (number(ty, value), before) else { return Ok(()) };
    if ed.bits_of(on).is_some() {
        return Ok(());
    }
    let value = constant(ed, InsertPoint::End(block), bits)?;
    ed.set_node_operand(node, value, WHY)
}

/// Joins a block of a graph with the only one behind it, if that has no other way in.
fn join(ed: &mut Editor<'_>, block: Block) -> Result<(), Refusal> {
    let Terminator::Goto(edge) = ed.func().exit(block).clone() else { return Ok(()) };
    let next = edge.to;
    if next == block || ed.func().entry() == Some(next) || ed.incoming(next).len() != 1 {
        return Ok(());
    }
    let params = ed.func().block(next).params.to_vec();
    for (&param, &arg) in params.iter().zip(edge.args.iter()) {
        ed.replace_uses(param, arg, WHY)?;
    }
    let insts = ed.func().block(next).insts.to_vec();
    for inst in insts {
        ed.move_to(inst, InsertPoint::End(block), WHY)?;
    }
    let exit = ed.func().exit(next).clone();
    ed.set_exit(block, exit, WHY)?;
    ed.remove_unreachable(WHY).map(drop)
}

/// Runs the passes that remove what makes no difference; whether they found any.
fn tidy(module: &mut Module, func: Func) -> bool {
    let Some(before) = module.func(func).cloned() else { return false };
    for pass in ["dead-cf", "dce"].into_iter().filter_map(passes::find) {
        // A pass that refuses has changed nothing.
        let _ = pass.on(module, func, &pass.defaults(), &mut Fuel::default());
    }
    module.func(func).is_some_and(|after| {
        !after.same_version(&before)
            && after.inst_count() + after.blocks_in_order().len()
                < before.inst_count() + before.blocks_in_order().len()
    })
}

/// Takes a variable out of the module and of the interfaces; that nobody names it is for the validator to say.
fn remove_variable(module: &mut Module, var: Var) -> bool {
    let was_there = module.var(var).is_some();
    module.remove_var(var);
    for entry in std::rc::Rc::make_mut(&mut module.entries) {
        entry.interface.retain(|known| *known != var);
    }
    was_there
}
