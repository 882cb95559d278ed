//! `lower-subgroups`: lowers subgroup operations to simpler ones.
//!
//! ```text
//!                                           %5: b32 = io.builtin {builtin subgroup_local_invocation_id}
//! %2: b32 = subgroup_shuffle_xor %0, %1   =>    %6: b32 = ixor %5, %1
//!                                           %2: b32 = subgroup_shuffle %0, %6 {scope subgroup}
//! ```
//!
//! One word selects one group; the result may use operations of another group. `all` lowers everything to ballots,
//! broadcasts of one number per invocation, and two system values: the index of the invocation and the size of the
//! subgroup.
//!
//! ```text
//! scalar    vector operations, one component at a time
//! wide      moves of 64-bit numbers, as two of 32 bits
//! vote      votes, by ballots; votes of equality, by comparing with the first invocation
//! first     elect and broadcast_first, by the lowest invocation of a ballot
//! ballot    operations on a ballot, by bit arithmetic
//! masks     masks of invocations, by the index of the invocation
//! quad      quad operations, by ballots and shuffles to an invocation
//! shuffle   relative shuffles, by shuffles to an invocation
//! distances relative shuffles by a distance that is no constant: WGSL wants one that no invocation has another of
//! scan      inclusive scans of integers, by exclusive ones
//! loops     shuffles to an invocation, and reductions, by a loop over the active invocations with a broadcast each
//! ```
//!
//! The results are identical bit for bit, and the same invocations take part: loops have the same trip count for
//! all of them. Bit `i` of a ballot belongs to invocation `i`, and the four invocations of a quad have consecutive
//! indices (Vulkan, scopes). A shuffle from an inactive invocation, and the lowest invocation of an empty ballot,
//! are undefined before and after.
//!
//! Left alone: workgroup scope (`scope workgroup`, of kernels); inclusive scans of floats, since adding the
//! identity may round; barriers and derivatives. Masks are lowered where they are system values
//! (`lower-system-values`). A broadcast from a computed invocation requires SPIR-V 1.5.
//!
//! Not supported: ballots of other than four words and subgroups of one invocation, which the IR cannot express.
//! Loops reduce booleans like numbers. NIR: `nir_lower_subgroups`.

mod bits; // ballots as numbers
mod loops; // one iteration per invocation

use super::options::{PassOptions, options};
use super::pass::PassInfo;
use crate::util::arith::{Arith, build};
use crate::util::predicate::of_subgroup;
use crate::util::rewrite_each::expand_all;
use vitrine_ir::base::opening::opening;
use vitrine_ir::ops::{
    Axis, Bits, Builtin, GroupOp, How, IntBuild, IntOp, IoOp, Key, Op, Reduction, Scope, ValueType, VectorOp,
    Width,
};
use vitrine_ir::{Builder, Editor, Inst, InstData, Reason, Refusal};

options! {
    /// The operations that are lowered.
    struct Lowered {
        choice group: Group {
            /// Lowers everything to ballots and broadcasts of numbers.
            All "all",
            /// Only vectors, to one operation for each component.
            Scalar "scalar",
            /// Only moves of 64-bit numbers, to pairs of 32 bits.
            Wide "wide",
            /// Only votes, to ballots.
            Vote "vote",
            /// Only operations on the first active invocation.
            First "first",
            /// Only operations on ballots.
            Ballot "ballot",
            /// Only masks of invocations.
            Masks "masks",
            /// Only quad operations.
            Quad "quad",
            /// Only relative shuffles.
            Shuffle "shuffle",
            /// Only relative shuffles by a distance that is no constant.
            Distances "distances",
            /// Only inclusive scans of integers.
            Scan "scan",
            /// Only shuffles to an invocation, and reductions.
            Loops "loops",
        }
    }
}

/// The entry in the list of passes.
pub(super) const PASS: PassInfo = PassInfo {
    doc: "Lowers subgroup operations to simpler ones.",
    options: Lowered::INFO,
    ..PassInfo::edits("lower-subgroups", opening!("mod.rs"), |ed, cx| {
        lower_subgroups(ed, Lowered::of(cx.options).group)
    })
};

const WHY: Reason = Reason::Note("the target lacks the subgroup operation");

/// The group of each operation; vectors and 64-bit numbers are selected by type.
const GROUPS: &[(GroupOp, Group)] = &[
    (GroupOp::QuadBroadcast, Group::Quad),
    (GroupOp::QuadSwap, Group::Quad),
    (GroupOp::QuadAll, Group::Quad),
    (GroupOp::QuadAny, Group::Quad),
    (GroupOp::Elect, Group::First),
    (GroupOp::BroadcastFirst, Group::First),
    (GroupOp::VoteAll, Group::Vote),
    (GroupOp::VoteAny, Group::Vote),
    (GroupOp::VoteIEq, Group::Vote),
    (GroupOp::VoteFEq, Group::Vote),
    (GroupOp::BallotInverse, Group::Ballot),
    (GroupOp::BallotBit, Group::Ballot),
    (GroupOp::BallotCount, Group::Ballot),
    (GroupOp::BallotLsb, Group::Ballot),
    (GroupOp::BallotMsb, Group::Ballot),
    (GroupOp::ShuffleXor, Group::Shuffle),
    (GroupOp::ShuffleUp, Group::Shuffle),
    (GroupOp::ShuffleDown, Group::Shuffle),
    (GroupOp::Rotate, Group::Shuffle),
];

/// Lowers the operations of a group. Linear in the size of the result, except for splitting blocks;
/// idempotent; both shapes.
fn lower_subgroups(ed: &mut Editor<'_>, chosen: Group) -> Result<(), Refusal> {
    let is_lowered = |ed: &Editor<'_>, data: &InstData| group_of(ed, data, chosen).is_some();
    let expand = |ed: &mut Editor<'_>, inst: Inst| {
        let group = group_of(ed, ed.func().inst(inst), chosen);
        build(ed, inst, WHY, |b, data| lower(b, data, group?))
    };
    expand_all(ed, is_lowered, expand, WHY)?;
    if !matches!(chosen, Group::All | Group::Loops) {
        return Ok(());
    }
    loops::lower(ed)?;
    expand_all(ed, is_lowered, expand, WHY)
}

/// Returns the group of an instruction, if it is the chosen one, or all are.
fn group_of(ed: &Editor<'_>, data: &InstData, chosen: Group) -> Option<Group> {
    let selected = |group: Group| (chosen == Group::All || chosen == group).then_some(group);
    if data.op == Op::Io(IoOp::BuiltIn) {
        let is_mask = data.attrs.word().is_some_and(Builtin::is_subgroup_mask);
        return selected(Group::Masks).filter(|_| is_mask && data.ty == ValueType::bits(Width::W32, 4));
    }
    let Op::Group(op) = data.op else { return None };
    if !is_subgroup(data) {
        return None;
    }
    let value = data.args.first().map_or(ValueType::Void, |&value| ed.func().ty(value));
    let is_move = op.is_move();
    let by_component = is_move || matches!(op, GroupOp::Reduce | GroupOp::VoteIEq | GroupOp::VoteFEq);
    if by_component && value.components() > 1 && selected(Group::Scalar).is_some() {
        return Some(Group::Scalar);
    }
    if is_move && value.width() == Some(Width::W64) && selected(Group::Wide).is_some() {
        return Some(Group::Wide);
    }
    if op == GroupOp::Reduce {
        let op = integers(data).filter(|op| op.info().infer(&[data.ty; 2]).is_some());
        let is_scan = how(data) == How::Inclusive && op.is_some();
        return selected(Group::Scan).filter(|_| is_scan && chosen != Group::All);
    }
    let &(_, group) = GROUPS.iter().find(|(known, _)| *known == op)?;
    let is_computed = || data.args.get(1).is_some_and(|&distance| ed.bits_of(distance).is_none());
    let by_distance = group == Group::Shuffle && chosen == Group::Distances && is_computed();
    if by_distance { Some(group) } else { selected(group) }
}

/// Returns true if an operation has subgroup scope.
fn is_subgroup(data: &InstData) -> bool {
    data.attrs.word::<Scope>().is_none_or(|scope| scope == Scope::Subgroup)
}

/// Returns which invocations a reduction combines; all, if it does not state them.
fn how(data: &InstData) -> How {
    data.attrs.word().unwrap_or(How::All)
}

/// Returns the operation of a reduction; a sum of integers, if it does not state one.
fn reduction(data: &InstData) -> Reduction {
    data.attrs.word().unwrap_or(Reduction::IAdd)
}

/// Returns the integer operation of a reduction.
fn integers(data: &InstData) -> Option<IntOp> {
    match reduction(data) {
        Reduction::IAdd => Some(IntOp::IAdd),
        Reduction::IMul => Some(IntOp::IMul),
        Reduction::IMin => Some(IntOp::IMin),
        Reduction::UMin => Some(IntOp::UMin),
        Reduction::IMax => Some(IntOp::IMax),
        Reduction::UMax => Some(IntOp::UMax),
        Reduction::IAnd => Some(IntOp::IAnd),
        Reduction::IOr => Some(IntOp::IOr),
        Reduction::IXor => Some(IntOp::IXor),
        Reduction::FAdd | Reduction::FMul | Reduction::FMin | Reduction::FMax => None,
    }
}

/// Reads a 32-bit system value.
fn builtin(b: &mut Builder<'_, '_>, builtin: Builtin) -> Inst {
    b.emit_with(InstData::new(IoOp::BuiltIn, ValueType::B32, &[]).with_word(builtin))
}

/// Returns the index of the invocation in its subgroup.
fn own_index(b: &mut Builder<'_, '_>) -> Inst {
    builtin(b, Builtin::SubgroupLocalInvocationId)
}

fn ballot(b: &mut Builder<'_, '_>, cond: Inst) -> Inst {
    b.emit_with(of_subgroup(GroupOp::Ballot, ValueType::bits(Width::W32, 4), &[cond]))
}

/// Converts a number of any width to 32 bits.
fn narrow(b: &mut Builder<'_, '_>, value: Inst) -> Inst {
    match b.width(value) {
        Width::W32 => value,
        Width::W1 | Width::W8 | Width::W16 | Width::W64 => {
            b.convert(vitrine_ir::ops::ConvertOp::U2U, Width::W32, value)
        }
    }
}

/// Lowers an instruction of a group.
fn lower(b: &mut Builder<'_, '_>, data: &InstData, group: Group) -> Option<Inst> {
    if group == Group::Masks {
        return bits::mask(b, data.attrs.word()?);
    }
    let Op::Group(op) = data.op else { return None };
    let first = data.args.first().copied();
    match group {
        Group::Scalar => Some(by_component(b, data, op, first?)),
        Group::Wide => Some(by_halves(b, data, first?)),
        Group::Vote => vote(b, op, first?),
        Group::First => {
            let yes = b.bool(true);
            let active = ballot(b, yes);
            let lowest = b.emit_with(of_subgroup(GroupOp::BallotLsb, ValueType::B32, &[active]));
            Some(match first {
                Some(value) => b.emit_with(of_subgroup(GroupOp::Broadcast, data.ty, &[value, lowest])),
                None => {
                    let own_index = own_index(b);
                    b.ieq(own_index, lowest)
                }
            })
        }
        Group::Ballot => bits::operation(b, data, op),
        Group::Quad => quad(b, data, op),
        Group::Shuffle => shuffle(b, data, op),
        Group::Scan => {
            let before = b.emit_with(data.clone().with_word(How::Exclusive));
            Some(b.checked(integers(data)?, data.ty, &[before, first?]))
        }
        Group::All | Group::Masks | Group::Distances | Group::Loops => None,
    }
}

/// Splits an operation on a vector into one for each component.
fn by_component(b: &mut Builder<'_, '_>, data: &InstData, op: GroupOp, value: Inst) -> Inst {
    let mut components = Vec::new();
    for component in b.split(value) {
        let args: Vec<Inst> = [component].into_iter().chain(data.args.iter().skip(1).copied()).collect();
        let ty = data.ty.with_components(1);
        components.push(b.emit_with(InstData { ty, args: vitrine_ir::Args::new(&args), ..data.clone() }));
    }
    if matches!(op, GroupOp::VoteIEq | GroupOp::VoteFEq) {
        let all = components.iter().copied().reduce(|a, c| b.iand(a, c));
        return all.unwrap_or(value);
    }
    b.join(&components)
}

/// Splits a move of 64-bit numbers into 32-bit halves.
fn by_halves(b: &mut Builder<'_, '_>, data: &InstData, value: Inst) -> Inst {
    let mut out = Vec::new();
    for component in b.split(value) {
        let pair = ValueType::bits(Width::W32, 2);
        let halves = b.typed(VectorOp::Unpack64To32.into(), pair, &[component]);
        let args: Vec<Inst> = [halves].into_iter().chain(data.args.iter().skip(1).copied()).collect();
        let moved = b.emit_with(InstData { ty: pair, args: vitrine_ir::Args::new(&args), ..data.clone() });
        out.push(b.typed(VectorOp::Pack64From32.into(), ValueType::bits(Width::W64, 1), &[moved]));
    }
    b.join(&out)
}

fn vote(b: &mut Builder<'_, '_>, op: GroupOp, value: Inst) -> Option<Inst> {
    let cond = match op {
        GroupOp::VoteAny => {
            let ballot = ballot(b, value);
            return Some(bits::any(b, ballot));
        }
        GroupOp::VoteAll => value,
        GroupOp::VoteIEq | GroupOp::VoteFEq => {
            let ty = b.type_of(value);
            let first = b.emit_with(of_subgroup(GroupOp::BroadcastFirst, ty, &[value]));
            let truth = ValueType::bits(Width::W1, ty.components());
            let same = match op {
                GroupOp::VoteIEq => b.checked(IntOp::IEq, truth, &[value, first]),
                _ => b.checked(vitrine_ir::ops::FloatOp::FEq, truth, &[value, first]),
            };
            if ty.components() == 1 { same } else { b.checked(VectorOp::All, ValueType::BOOL, &[same]) }
        }
        _ => return None,
    };
    let not = b.inot(cond);
    let ballot = ballot(b, not);
    let some = bits::any(b, ballot);
    Some(b.inot(some))
}

fn shuffle(b: &mut Builder<'_, '_>, data: &InstData, op: GroupOp) -> Option<Inst> {
    let [value, distance] = data.args[..] else { return None };
    let distance = narrow(b, distance);
    let own_index = own_index(b);
    let source = match op {
        GroupOp::ShuffleXor => b.ixor(own_index, distance),
        GroupOp::ShuffleUp => b.isub(own_index, distance),
        GroupOp::ShuffleDown => b.iadd(own_index, distance),
        // The sizes of clusters and subgroups are powers of two.
        GroupOp::Rotate => {
            let size = match data.attrs.get(Key::Cluster).filter(|&size| size > 0) {
                Some(size) => b.bits(Bits::from_components(Width::W32, &[size])),
                None => builtin(b, Builtin::SubgroupSize),
            };
            let one = b.number(size, 1);
            let offset_mask = b.isub(size, one);
            let rotated = b.iadd(own_index, distance);
            let (rotated, base_mask) = (b.iand(rotated, offset_mask), b.inot(offset_mask));
            let base = b.iand(own_index, base_mask);
            b.ior(base, rotated)
        }
        _ => return None,
    };
    Some(b.emit_with(of_subgroup(GroupOp::Shuffle, data.ty, &[value, source])))
}

fn quad(b: &mut Builder<'_, '_>, data: &InstData, op: GroupOp) -> Option<Inst> {
    let &value = data.args.first()?;
    let own_index = own_index(b);
    let source = match op {
        GroupOp::QuadBroadcast => {
            let &component = data.args.get(1)?;
            let component = narrow(b, component);
            let first = b.masked(own_index, 0xffff_fffc);
            b.ior(first, component)
        }
        GroupOp::QuadSwap => {
            // Bit 0 of an index is the column in the quad, bit 1 the row.
            let axis = match data.attrs.word().unwrap_or(Axis::Horizontal) {
                Axis::Horizontal => 1,
                Axis::Vertical => 2,
                Axis::Diagonal => 3,
            };
            let axis = b.number(own_index, axis);
            b.ixor(own_index, axis)
        }
        // The four bits of the quad are in one word.
        GroupOp::QuadAll | GroupOp::QuadAny => {
            let all = op == GroupOp::QuadAll;
            let selected = if all { b.inot(value) } else { value };
            let ballot = ballot(b, selected);
            let word = bits::word(b, ballot, own_index);
            let first = b.masked(own_index, 28);
            let here = b.ushr(word, first);
            let four = b.masked(here, 15);
            let none = b.number(four, 0);
            return Some(if all { b.ieq(four, none) } else { b.ine(four, none) });
        }
        _ => return None,
    };
    Some(b.emit_with(of_subgroup(GroupOp::Shuffle, data.ty, &[value, source])))
}
