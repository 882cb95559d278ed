//! Edits that make a program smaller or simpler, without preserving its meaning.
//!
//! An edit refers to its target by id and does nothing if the target does not exist: several edits may be
//! applied in any order. The result is validated by the caller.

use vitrine_ir::ops::{BasicOp, Bits, Op, ValueType};
use vitrine_ir::{
    Block, Edge, Editor, Fuel, Func, FuncBody, InsertPoint, Inst, InstData, Module, Node, NodeKind, Reason,
    Refusal, Shape, Terminator, TreeStep, TreeWalk, Var,
};

/// Kinds of edits, in the order in which they are tried.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum EditKind {
    /// Remove entry points and functions.
    Functions,
    /// Remove edges.
    Edges,
    /// Remove side effects.
    Effects,
    /// Replace values by constants.
    Zeros,
    /// Replace values by one of their operands.
    Forwards,
    /// Remove dead code and join blocks.
    Rests,
    /// Remove variables.
    Variables,
    /// Remove names and debug information, simplify constants.
    Trifles,
}

impl EditKind {
    /// One iteration. Dead code is removed repeatedly, so that it need not be tried piece by piece.
    pub(super) const ORDER: [EditKind; 11] = [
        EditKind::Functions,
        EditKind::Edges,
        EditKind::Rests,
        EditKind::Effects,
        EditKind::Rests,
        EditKind::Zeros,
        EditKind::Rests,
        EditKind::Forwards,
        EditKind::Rests,
        EditKind::Variables,
        EditKind::Trifles,
    ];
}

/// One edit.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Edit {
    /// Removes the entry points of this function.
    Entry(Func),
    /// Removes the function, if it has no callers.
    Function(Func),
    /// Keeps only one edge out of a block of a graph, given by number.
    KeepEdge(Func, Block, usize),
    /// Decides an `if` or `switch` of a tree by a constant.
    Decide(Func, Node, u64),
    /// Makes a block return.
    Return(Func, Block),
    /// Removes an instruction, if it is unused.
    Effect(Func, Inst),
    /// Removes a node of a tree with its contents; its results become zero.
    Node(Func, Node),
    /// Replaces a node of a tree by its contents: its operand is constant, or it iterates once.
    Unwrap(Func, Node),
    /// Replaces a value by zero.
    Zero(Func, Inst),
    /// Replaces a value by its operand with this number.
    Forward(Func, Inst, usize),
    /// Removes dead code and redundant control flow of the function.
    Tidy(Func),
    /// Joins a block with its only successor.
    Join(Func, Block),
    /// Removes a variable, if it is unused.
    Variable(Var),
    /// Replaces a constant by one.
    One(Func, Inst),
    /// Removes names of values and functions.
    Names(Func),
}

/// All edits of a kind that are worth trying on a module, in a fixed order.
pub(super) fn candidates(module: &Module, kind: EditKind) -> Vec<Edit> {
    let mut out = Vec::new();
    match kind {
        EditKind::Functions => {
            // Entry points first: functions that only they call can be removed after them.
            out.extend(module.entries.iter().map(|entry| Edit::Entry(entry.func)));
            out.extend(module.funcs().map(|(func, _)| Edit::Function(func)));
        }
        EditKind::Variables => out.extend(module.vars().map(|(var, _)| Edit::Variable(var))),
        EditKind::Edges
        | EditKind::Effects
        | EditKind::Zeros
        | EditKind::Forwards
        | EditKind::Rests
        | EditKind::Trifles => {
            for (func, body) in module.funcs() {
                if !matches!(body.shape(), Shape::Declaration) {
                    inside(func, body, kind, &mut out);
                }
            }
        }
    }
    out
}

fn inside(func: Func, body: &FuncBody, kind: EditKind, out: &mut Vec<Edit>) {
    if kind == EditKind::Rests {
        out.push(Edit::Tidy(func));
    }
    if kind == EditKind::Trifles {
        out.push(Edit::Names(func));
    }
    if kind == EditKind::Edges && matches!(body.shape(), Shape::Tree(_)) {
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
    // Backward: later instructions usually depend on earlier ones.
    for block in body.blocks_in_order().into_iter().rev() {
        match kind {
            EditKind::Edges => {
                out.push(Edit::Return(func, block));
                let edges_of = edges_of(body.terminator(block)).len();
                out.extend(
                    (0..edges_of).filter(|_| edges_of > 1).map(|edge| Edit::KeepEdge(func, block, edge)),
                );
            }
            EditKind::Rests => {
                out.push(Edit::Join(func, block));
                // If `dce` must keep some dead instructions, they can still be removed here.
                let insts = body.block(block).insts.iter().rev();
                let values = insts.filter(|&&inst| body.ty(inst) != ValueType::Void);
                out.extend(values.map(|&inst| Edit::Effect(func, inst)));
            }
            EditKind::Effects | EditKind::Zeros | EditKind::Forwards | EditKind::Trifles => {
                let params = body.block(block).params.iter().filter(|_| kind == EditKind::Zeros);
                params.for_each(|&param| of_inst(func, body, param, kind, out));
                let insts = body.block(block).insts.iter().rev();
                insts.for_each(|&inst| of_inst(func, body, inst, kind, out));
            }
            EditKind::Functions | EditKind::Variables => {}
        }
    }
}

fn of_inst(func: Func, body: &FuncBody, inst: Inst, kind: EditKind, out: &mut Vec<Edit>) {
    let data = body.inst(inst);
    let is_const = data.op == Op::from(BasicOp::Const);
    match kind {
        EditKind::Effects if data.ty == ValueType::Void => out.push(Edit::Effect(func, inst)),
        EditKind::Zeros if zero(data.ty).is_some() && !is_const => out.push(Edit::Zero(func, inst)),
        EditKind::Forwards => {
            let args = data.args.iter().enumerate();
            let alike = args.filter(|(_, arg)| data.ty != ValueType::Void && body.ty(**arg) == data.ty);
            out.extend(alike.map(|(at, _)| Edit::Forward(func, inst, at)));
        }
        EditKind::Trifles if is_const && zero(data.ty).is_some() => {
            // One first: zero is the simplest constant.
            out.extend([Edit::One(func, inst), Edit::Zero(func, inst)]);
        }
        _ => {}
    }
}

/// The values that can decide a node: both booleans, or one value for each arm.
fn decisions(kind: &NodeKind) -> impl Iterator<Item = u64> + use<> {
    let values: Vec<u64> = match kind {
        NodeKind::If { .. } => vec![0, 1],
        NodeKind::Switch { arms, .. } => {
            // A value of no arm selects the default.
            let named = arms.iter().filter_map(|arm| arm.values.first().copied());
            let free = (0..).find(|value| arms.iter().all(|arm| !arm.values.contains(value)));
            named.chain(free).collect()
        }
        NodeKind::Loop { .. } | NodeKind::Block { .. } => Vec::new(),
    };
    values.into_iter()
}

/// Edges of a terminator of a graph, in order.
fn edges_of(terminator: &Terminator) -> Vec<Edge> {
    match terminator {
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

/// A number in every component of a numeric type.
fn number(ty: ValueType, value: u64) -> Option<Bits> {
    let ValueType::Bits { width, components } = ty else { return None };
    Some(Bits::from_components(width, &vec![value; usize::from(components)]))
}

/// The module after these edits; `None` if none of them changed anything.
pub(super) fn apply(module: &Module, edits: &[Edit]) -> Option<Module> {
    let mut after = module.clone();
    let mut did = false;
    for edit in edits {
        // A refused edit has changed nothing except for zeros inserted for a node that stays.
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

/// Applies an edit; returns true if it changed anything.
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
        Edit::KeepEdge(func, ..)
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
        Edit::KeepEdge(_, block, edge) if ed.has_block(block) => {
            let edges_of = edges_of(ed.func().terminator(block));
            match edges_of.get(edge) {
                Some(edge) if edges_of.len() > 1 => {
                    ed.set_terminator(block, Terminator::Goto(edge.clone()), WHY)?;
                }
                _ => return Ok(()),
            }
            ed.remove_unreachable(WHY).map(drop)
        }
        Edit::Decide(_, node, value) if ed.has_node(node) => decide(ed, node, value),
        Edit::Node(_, node) if ed.has_node(node) => erase_node(ed, node),
        Edit::Unwrap(_, node) if ed.has_node(node) => ed.unwrap(node, WHY),
        Edit::Return(_, block) if ed.has_block(block) => {
            // A terminator that returns a constant is not simplified further.
            match ed.func().terminator(block) {
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
            ed.set_terminator(block, Terminator::Return(value), WHY)?;
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

/// Inserts a constant.
fn constant(ed: &mut Editor<'_>, at: InsertPoint, bits: Bits) -> Result<Inst, Refusal> {
    let data = ed.const_bits(bits);
    ed.insert(at, data, WHY)
}

/// Replaces a value by a constant; a block parameter becomes unused and is removed as dead code.
fn to_number(ed: &mut Editor<'_>, inst: Inst, value: u64) -> Result<(), Refusal> {
    let data: &InstData = ed.func().inst(inst);
    let Some(bits) = number(data.ty, value) else { return Ok(()) };
    // A constant only becomes smaller, so edits terminate.
    let is_small = |old: Bits| old == bits || old.components().iter().all(|&component| component <= value);
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

/// Removes a node; zeros replace its results.
fn erase_node(ed: &mut Editor<'_>, node: Node) -> Result<(), Refusal> {
    let (Some(before), Some(after)) = (ed.block_before(node), ed.block_after(node)) else { return Ok(()) };
    let types: Vec<ValueType> =
        ed.func().block(after).params.iter().map(|&param| ed.func().ty(param)).collect();
    let Some(zeros) = types.into_iter().map(zero).collect::<Option<Vec<Bits>>>() else { return Ok(()) };
    let zeros: Result<Vec<Inst>, Refusal> =
        zeros.into_iter().map(|bits| constant(ed, InsertPoint::End(before), bits)).collect();
    ed.erase_node(node, &zeros?, WHY)
}

/// Decides an `if` or a `switch` by a constant before it.
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

/// Joins a block of a graph with its only successor, if that has no other predecessor.
fn join(ed: &mut Editor<'_>, block: Block) -> Result<(), Refusal> {
    let Terminator::Goto(edge) = ed.func().terminator(block).clone() else { return Ok(()) };
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
    let terminator = ed.func().terminator(next).clone();
    ed.set_terminator(block, terminator, WHY)?;
    ed.remove_unreachable(WHY).map(drop)
}

/// Runs the passes that remove dead code; returns true if they changed anything.
fn tidy(module: &mut Module, func: Func) -> bool {
    let Some(before) = module.func(func).cloned() else { return false };
    for pass in ["dead-cf", "dce"].into_iter().filter_map(vitrine_passes::find) {
        // A pass that fails has changed nothing.
        let _ = pass.on(module, func, &pass.defaults(), &mut Fuel::default());
    }
    module.func(func).is_some_and(|after| {
        !after.same_version(&before)
            && after.inst_count() + after.blocks_in_order().len()
                < before.inst_count() + before.blocks_in_order().len()
    })
}

/// Removes a variable from the module and from interfaces; the validator rejects the result if it is used.
fn remove_variable(module: &mut Module, var: Var) -> bool {
    let was_there = module.var(var).is_some();
    module.remove_var(var);
    for entry in std::rc::Rc::make_mut(&mut module.entries) {
        entry.interface.retain(|known| *known != var);
    }
    was_there
}
