//! `lower-subgroups`: lowers subgroup operations to simpler ones.
//!
//! ```text
//!                                           %5: b32 = io.builtin {builtin subgroup_local_invocation_id}
//! %2: b32 = subgroup_shuffle_xor %0, %1   =>    %6: b32 = ixor %5, %1
//!                                           %2: b32 = subgroup_shuffle %0, %6 {scope subgroup}
//! ```
//!
//! One word picks one kind; what it leaves may be of another kind. `all` is everything, and leaves ballots, broadcasts
//! of one number an invocation, and system values: the number of the invocation and the size of the subgroup.
//!
//! ```text
//! scalar    components of vectors, one at a time
//! wide      numbers of 64 bits that move, as two of 32
//! vote      votes by ballots, of equality by comparing with the first invocation
//! first     elect and broadcast_first by the lowest invocation of a ballot
//! ballot    what is asked of a ballot, by arithmetic on its bits
//! masks     masks of invocations, by the number of the invocation
//! quad      quads by ballots and by shuffles to an invocation
//! shuffle   shuffles by a distance, by shuffles to an invocation
//! scan      inclusive scans of integers by exclusive ones
//! loops     shuffles to an invocation, and reductions, by a loop over all invocations that are there, with a broadcast in each round
//! ```
//!
//! Every invocation gets the bits it got, and the same invocations take part: loops go round as often for all of
//! them. A ballot
//! has the bit of an invocation at the place of its number, and four invocations of a quad have four numbers in a
//! row (Vulkan,
//! scopes). A shuffle to an invocation that is not there, and the lowest invocation of no invocations, say nothing
//! before and after.
//!
//! Left alone: groups that are workgroups (`scope workgroup`, of kernels); inclusive scans of floats, since adding to
//! nothing may round; barriers and derivatives. Masks are found where they are system values (`lower-system-values`).
//! A broadcast from an invocation that is computed asks for SPIR-V 1.5.
//!
//! Not here: ballots of other than four words and subgroups of one invocation, which the IR has no words for; truth values
//! are put together by loops as numbers are. NIR: `nir_lower_subgroups`.

mod bits; // ballots as numbers
mod loops; // one invocation after the other

use super::pass::{OptionInfo, PassInfo};
use crate::base::opening::opening;
use crate::ir::{Builder, Editor, Inst, InstData, Reason, Refusal};
use crate::ops::attr::BUILTINS;
use crate::ops::{Bits, GroupOp, IntBuild, IntOp, IoOp, Key, Op, ValueType, VectorOp, Width};
use crate::passes::util::arith::{Arith, build, expand_all};
use crate::passes::util::attr_words::{number, of_subgroup, word as word_of};

/// The row of the list.
pub(super) const PASS: PassInfo = PassInfo {
    doc: "Lowers subgroup operations to simpler ones.",
    options: &[
        OptionInfo::Word("all", "Lowers everything to ballots and broadcasts of numbers."),
        OptionInfo::Word("scalar", "Only vectors, to one operation for each component."),
        OptionInfo::Word("wide", "Only moves of 64-bit numbers, to pairs of 32 bits."),
        OptionInfo::Word("vote", "Only votes, to ballots."),
        OptionInfo::Word("first", "Only operations on the first active invocation."),
        OptionInfo::Word("ballot", "Only operations on ballots."),
        OptionInfo::Word("masks", "Only masks of invocations."),
        OptionInfo::Word("quad", "Only quad operations."),
        OptionInfo::Word("shuffle", "Only relative shuffles."),
        OptionInfo::Word("scan", "Only inclusive scans of integers."),
        OptionInfo::Word("loops", "Only shuffles to an invocation, and reductions."),
    ],
    ..PassInfo::edits("lower-subgroups", opening!("mod.rs"), |ed, options| lower_subgroups(ed, options.word))
};

const WHY: Reason = Reason::Note("the target lacks the subgroup operation");

/// The kind of each operation; vectors and wide numbers are kinds by type.
const KINDS: &[(GroupOp, &str)] = &[
    (GroupOp::QuadBroadcast, "quad"),
    (GroupOp::QuadSwap, "quad"),
    (GroupOp::QuadAll, "quad"),
    (GroupOp::QuadAny, "quad"),
    (GroupOp::Elect, "first"),
    (GroupOp::BroadcastFirst, "first"),
    (GroupOp::VoteAll, "vote"),
    (GroupOp::VoteAny, "vote"),
    (GroupOp::VoteIEq, "vote"),
    (GroupOp::VoteFEq, "vote"),
    (GroupOp::BallotInverse, "ballot"),
    (GroupOp::BallotBit, "ballot"),
    (GroupOp::BallotCount, "ballot"),
    (GroupOp::BallotLsb, "ballot"),
    (GroupOp::BallotMsb, "ballot"),
    (GroupOp::ShuffleXor, "shuffle"),
    (GroupOp::ShuffleUp, "shuffle"),
    (GroupOp::ShuffleDown, "shuffle"),
    (GroupOp::Rotate, "shuffle"),
];

/// What moves values without looking at them.
const MOVES: &[GroupOp] = &[
    GroupOp::QuadBroadcast,
    GroupOp::QuadSwap,
    GroupOp::Broadcast,
    GroupOp::BroadcastFirst,
    GroupOp::Shuffle,
    GroupOp::ShuffleXor,
    GroupOp::ShuffleUp,
    GroupOp::ShuffleDown,
    GroupOp::Rotate,
];

/// Lowers what a word names. Linear in what there is afterwards, but for the lists of the blocks it splits; idempotent;
/// both shapes.
///
/// Error: a refusal of the editor, which a valid function never meets.
fn lower_subgroups(ed: &mut Editor<'_>, word: &'static str) -> Result<(), Refusal> {
    let wants = |ed: &Editor<'_>, data: &InstData| kind(ed, data, word).is_some();
    let expand = |ed: &mut Editor<'_>, inst: Inst| {
        let kind = kind(ed, ed.func().inst(inst), word);
        build(ed, inst, WHY, |b, data| lower(b, data, kind?))
    };
    expand_all(ed, wants, expand, WHY)?;
    if !matches!(word, "all" | "loops") {
        return Ok(());
    }
    loops::lower(ed)?;
    expand_all(ed, wants, expand, WHY)
}

/// The kind of an instruction, where the word asks for it.
fn kind(ed: &Editor<'_>, data: &InstData, word: &str) -> Option<&'static str> {
    let asked = |kind: &'static str| (word == "all" || word == kind).then_some(kind);
    if let (Op::Io(IoOp::BuiltIn), Some(builtin)) = (data.op, data.attrs.get(Key::BuiltIn)) {
        let name = usize::try_from(builtin).ok().and_then(|at| BUILTINS.get(at))?;
        let is_mask = name.starts_with("subgroup_") && name.ends_with("_mask");
        return asked("masks").filter(|_| is_mask && data.ty == ValueType::bits(Width::W32, 4));
    }
    let Op::Group(op) = data.op else { return None };
    if !is_subgroup(data) {
        return None;
    }
    let value = data.args.first().map_or(ValueType::Void, |&value| ed.func().ty(value));
    let moves = MOVES.contains(&op);
    let by_component = moves || matches!(op, GroupOp::Reduce | GroupOp::VoteIEq | GroupOp::VoteFEq);
    if by_component && value.components() > 1 && asked("scalar").is_some() {
        return Some("scalar");
    }
    if moves && value.width() == Some(Width::W64) && asked("wide").is_some() {
        return Some("wide");
    }
    if op == GroupOp::Reduce {
        let op = integers(data).filter(|op| op.info().infer(&[data.ty; 2]).is_some());
        let is_scan = how(data) == "inclusive" && op.is_some();
        return asked("scan").filter(|_| is_scan && word != "all");
    }
    let (_, kind) = KINDS.iter().find(|(known, _)| *known == op)?;
    asked(kind)
}

/// Whether an operation is of a subgroup.
fn is_subgroup(data: &InstData) -> bool {
    data.attrs.get(Key::Scope).is_none_or(|scope| Some(scope) == number(Key::Scope, "subgroup"))
}

/// Which invocations a reduction takes together.
fn how(data: &InstData) -> &'static str {
    word_of(data, Key::How)
}

/// The operation on integers that a reduction does.
fn integers(data: &InstData) -> Option<IntOp> {
    const OPS: [(&str, IntOp); 9] = [
        ("iadd", IntOp::IAdd),
        ("imul", IntOp::IMul),
        ("imin", IntOp::IMin),
        ("umin", IntOp::UMin),
        ("imax", IntOp::IMax),
        ("umax", IntOp::UMax),
        ("iand", IntOp::IAnd),
        ("ior", IntOp::IOr),
        ("ixor", IntOp::IXor),
    ];
    let word = word_of(data, Key::Reduce);
    OPS.iter().find(|(known, _)| *known == word).map(|&(_, op)| op)
}

/// A system value of 32 bits.
fn builtin(b: &mut Builder<'_, '_>, name: &str) -> Inst {
    let at = BUILTINS.iter().position(|&known| known == name).unwrap_or(0);
    b.emit_with(InstData::new(IoOp::BuiltIn, ValueType::B32, &[]).with(Key::BuiltIn, at as u64))
}

/// The number of the invocation in its subgroup.
fn own(b: &mut Builder<'_, '_>) -> Inst {
    builtin(b, "subgroup_local_invocation_id")
}

fn ballot(b: &mut Builder<'_, '_>, cond: Inst) -> Inst {
    b.emit_with(of_subgroup(GroupOp::Ballot, ValueType::bits(Width::W32, 4), &[cond]))
}

/// A number of 32 bits, from one of any width.
fn narrow(b: &mut Builder<'_, '_>, value: Inst) -> Inst {
    match b.width(value) {
        Width::W32 => value,
        Width::W1 | Width::W8 | Width::W16 | Width::W64 => {
            b.convert(crate::ops::ConvertOp::U2U, Width::W32, value)
        }
    }
}

/// What an instruction of a kind becomes.
fn lower(b: &mut Builder<'_, '_>, data: &InstData, kind: &str) -> Option<Inst> {
    if kind == "masks" {
        return bits::mask(b, word_of(data, Key::BuiltIn));
    }
    let Op::Group(op) = data.op else { return None };
    let first = data.args.first().copied();
    match kind {
        "scalar" => Some(by_component(b, data, op, first?)),
        "wide" => Some(by_halves(b, data, first?)),
        "vote" => vote(b, op, first?),
        "first" => {
            let yes = b.bool(true);
            let components = ballot(b, yes);
            let lowest = b.emit_with(of_subgroup(GroupOp::BallotLsb, ValueType::B32, &[components]));
            Some(match first {
                Some(value) => b.emit_with(of_subgroup(GroupOp::Broadcast, data.ty, &[value, lowest])),
                None => {
                    let own = own(b);
                    b.ieq(own, lowest)
                }
            })
        }
        "ballot" => bits::asked(b, data, op),
        "quad" => quad(b, data, op),
        "shuffle" => shuffle(b, data, op),
        "scan" => {
            let before = InstData {
                attrs: data.attrs.with(Key::How, number(Key::How, "exclusive").unwrap_or(0)),
                ..data.clone()
            };
            let before = b.emit_with(before);
            Some(b.checked(integers(data)?, data.ty, &[before, first?]))
        }
        _ => None,
    }
}

/// An operation on a vector, done on each component.
fn by_component(b: &mut Builder<'_, '_>, data: &InstData, op: GroupOp, value: Inst) -> Inst {
    let mut components = Vec::new();
    for component in b.split(value) {
        let args: Vec<Inst> = [component].into_iter().chain(data.args.iter().skip(1).copied()).collect();
        let ty = data.ty.with_components(1);
        components.push(b.emit_with(InstData { ty, args: crate::ir::Args::new(&args), ..data.clone() }));
    }
    if matches!(op, GroupOp::VoteIEq | GroupOp::VoteFEq) {
        let all = components.iter().copied().reduce(|a, c| b.iand(a, c));
        return all.unwrap_or(value);
    }
    b.join(&components)
}

/// A move of numbers of 64 bits, as one of twice as many of 32.
fn by_halves(b: &mut Builder<'_, '_>, data: &InstData, value: Inst) -> Inst {
    let mut out = Vec::new();
    for component in b.split(value) {
        let pair = ValueType::bits(Width::W32, 2);
        let apart = b.typed(VectorOp::Unpack64To32.into(), pair, &[component]);
        let args: Vec<Inst> = [apart].into_iter().chain(data.args.iter().skip(1).copied()).collect();
        let moved = b.emit_with(InstData { ty: pair, args: crate::ir::Args::new(&args), ..data.clone() });
        out.push(b.typed(VectorOp::Pack64From32.into(), ValueType::bits(Width::W64, 1), &[moved]));
    }
    b.join(&out)
}

fn vote(b: &mut Builder<'_, '_>, op: GroupOp, value: Inst) -> Option<Inst> {
    let cond = match op {
        GroupOp::VoteAny => {
            let components = ballot(b, value);
            return Some(bits::any(b, components));
        }
        GroupOp::VoteAll => value,
        GroupOp::VoteIEq | GroupOp::VoteFEq => {
            let ty = b.type_of(value);
            let first = b.emit_with(of_subgroup(GroupOp::BroadcastFirst, ty, &[value]));
            let truth = ValueType::bits(Width::W1, ty.components());
            let same = match op {
                GroupOp::VoteIEq => b.checked(IntOp::IEq, truth, &[value, first]),
                _ => b.checked(crate::ops::FloatOp::FEq, truth, &[value, first]),
            };
            if ty.components() == 1 { same } else { b.checked(VectorOp::All, ValueType::BOOL, &[same]) }
        }
        _ => return None,
    };
    let not = b.inot(cond);
    let components = ballot(b, not);
    let some = bits::any(b, components);
    Some(b.inot(some))
}

fn shuffle(b: &mut Builder<'_, '_>, data: &InstData, op: GroupOp) -> Option<Inst> {
    let [value, by] = data.args[..] else { return None };
    let by = narrow(b, by);
    let own = own(b);
    let component = match op {
        GroupOp::ShuffleXor => b.ixor(own, by),
        GroupOp::ShuffleUp => b.isub(own, by),
        GroupOp::ShuffleDown => b.iadd(own, by),
        // Clusters and subgroups have a power of two of invocations.
        GroupOp::Rotate => {
            let size = match data.attrs.get(Key::Cluster).filter(|&components| components > 0) {
                Some(components) => b.bits(Bits::from_components(Width::W32, &[components])),
                None => builtin(b, "subgroup_size"),
            };
            let one = b.number(size, 1);
            let inside = b.isub(size, one);
            let there = b.iadd(own, by);
            let (there, outside) = (b.iand(there, inside), b.inot(inside));
            let base = b.iand(own, outside);
            b.ior(base, there)
        }
        _ => return None,
    };
    Some(b.emit_with(of_subgroup(GroupOp::Shuffle, data.ty, &[value, component])))
}

fn quad(b: &mut Builder<'_, '_>, data: &InstData, op: GroupOp) -> Option<Inst> {
    let &value = data.args.first()?;
    let own = own(b);
    let component = match op {
        GroupOp::QuadBroadcast => {
            let &component = data.args.get(1)?;
            let component = narrow(b, component);
            let first = b.masked(own, 0xffff_fffc);
            b.ior(first, component)
        }
        GroupOp::QuadSwap => {
            let axis = b.number(own, data.attrs.get(Key::Axis).unwrap_or(0).cast_signed() + 1);
            b.ixor(own, axis)
        }
        // The four bits of the quad lie in one word.
        GroupOp::QuadAll | GroupOp::QuadAny => {
            let all = op == GroupOp::QuadAll;
            let asked = if all { b.inot(value) } else { value };
            let components = ballot(b, asked);
            let word = bits::word(b, components, own);
            let first = b.masked(own, 28);
            let here = b.ushr(word, first);
            let four = b.masked(here, 15);
            let none = b.number(four, 0);
            return Some(if all { b.ieq(four, none) } else { b.ine(four, none) });
        }
        _ => return None,
    };
    Some(b.emit_with(of_subgroup(GroupOp::Shuffle, data.ty, &[value, component])))
}
