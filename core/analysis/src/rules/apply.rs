//! Matching of rules against an instruction, and rewriting.
//!
//! Recursion is over the sides of rules, which are a few levels deep, never over the program.

use super::typed::{Typed, typed};
use super::{Pat, Rule, Rules, Set, evaluate};
use crate::{Cfg, Dom, Fact, FloatModes, Range};
use std::rc::Rc;
use vitrine_ir::ops::{Bits, Flags, Op, ValueType};
use vitrine_ir::{Block, Editor, InsertPoint, Inst, InstData, Origin, Reason, Refusal};

/// The result of applying a rule.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Applied {
    /// The instruction that has the value now: the matched one or another one.
    pub value: Option<Inst>,
    /// Inserted instructions.
    pub made: Vec<Inst>,
    /// Instructions that became unused and were erased.
    pub gone: Vec<Inst>,
    /// Values of the left side that have a single use now, which rules may require.
    pub once: Vec<Inst>,
}

/// Facts about the values of a function, computed when the first condition on values is evaluated.
///
/// They stay valid while only exact rules are applied: a rewritten value is computed differently but is the
/// same.
#[derive(Default)]
pub struct Facts {
    known: Option<(Rc<Range>, FloatModes)>,
    /// If set, only rules with conditions on values are applied.
    only_range_conds: bool,
}

impl Facts {
    /// Takes facts that are already computed; only rules with conditions on values are applied.
    pub fn known(range: Rc<Range>, modes: FloatModes) -> Facts {
        Facts { known: Some((range, modes)), only_range_conds: true }
    }

    fn get(&mut self, ed: &Editor<'_>) -> &(Rc<Range>, FloatModes) {
        self.known.get_or_insert_with(|| {
            let cfg = Rc::new(Cfg::of(ed.func()));
            let range = Range::of(ed.module(), ed.func(), &Rc::new(Dom::of(&cfg)));
            (Rc::new(range), FloatModes::of(ed.module()))
        })
    }

    /// The facts for the components of a value in a block; a constant has exact facts.
    fn of(&mut self, ed: &Editor<'_>, value: Inst, block: Option<Block>) -> Vec<Fact> {
        if let Some(bits) = ed.bits_of(value) {
            return bits.scalars().map(Fact::exactly).collect();
        }
        let (range, _) = self.get(ed);
        let here = block.and_then(|block| range.at(value, block));
        here.map_or_else(|| range.facts(value).to_vec(), |fact| vec![fact])
    }

    /// Returns true if the operation does not flush subnormals, so that its float ranges describe the
    /// computed values.
    fn are_of(&mut self, ed: &Editor<'_>, inst: Inst) -> bool {
        let data = ed.func().inst(inst);
        let args = data.args.iter().map(|&arg| ed.func().ty(arg)).chain([data.ty]);
        let widths: Vec<_> = args.filter_map(ValueType::width).collect();
        let (_, modes) = self.get(ed);
        matches!(data.op, Op::Int(_)) || !widths.into_iter().any(|width| modes.flushes(width))
    }
}

/// Applies the first rule of the set `algebraic` that matches an instruction: see [`apply_of`].
pub fn apply(ed: &mut Editor<'_>, inst: Inst) -> Result<Option<Applied>, Refusal> {
    apply_of(ed, Set::Algebraic, inst)
}

/// Applies the first rule of a set that matches an instruction and has no condition on values. Returns `None`
/// if none matches or no fuel is left.
///
/// The value keeps its id if it is still an operation.
pub fn apply_of(ed: &mut Editor<'_>, set: Set, inst: Inst) -> Result<Option<Applied>, Refusal> {
    first(ed, set, inst, None)
}

/// Applies the first exact rule of a set that matches an instruction, including rules with conditions on
/// values. Returns `None` if none matches or no fuel is left. Calls with the same `facts` compute them at
/// most once.
pub fn apply_with(
    ed: &mut Editor<'_>,
    set: Set,
    inst: Inst,
    facts: &mut Facts,
) -> Result<Option<Applied>, Refusal> {
    first(ed, set, inst, Some(facts))
}

fn first(
    ed: &mut Editor<'_>,
    set: Set,
    inst: Inst,
    mut facts: Option<&mut Facts>,
) -> Result<Option<Applied>, Refusal> {
    let rules = Rules::get();
    let op = ed.func().inst(inst).op;
    for (number, rule, pattern) in rules.rooted_at(set, op) {
        let wanted = match &facts {
            None => !rule.asks(),
            Some(facts) => rule.is_exact() && (rule.asks() || !facts.only_range_conds),
        };
        if !wanted || !operands_fit(ed, pattern, inst) {
            continue;
        }
        let Some(found) = Match::of(ed, rule, pattern, inst) else { continue };
        let ty = ed.func().ty(inst);
        let types: Vec<ValueType> = found.vars.iter().map(|&var| ed.func().ty(var)).collect();
        let Some(tree) = typed(&rule.right, &types, ty) else { continue };
        let constants: Vec<Option<Bits>> = found.vars.iter().map(|&var| ed.bits_of(var)).collect();
        let new = found.new_instructions(&tree, &constants);
        let grows = new > 1 + found.dying.len() && !set.may_grow();
        if !rule.holds(&constants) || grows {
            continue;
        }
        if let Some(facts) = facts.as_deref_mut()
            && rule.asks()
            && !found.is_known(ed, rule, facts, inst)
        {
            continue;
        }
        if !ed.consume_fuel() {
            return Ok(None);
        }
        let why = Reason::Rule(number as u32);
        return Replacement { inst, constants, why, origin: ed.func().origin(inst), found }
            .carry_out(ed, &tree)
            .map(Some);
    }
    Ok(None)
}

/// Returns true if the operands of an instruction have the operations of the left side: a cheap test that
/// rejects most rules.
fn operands_fit(ed: &Editor<'_>, pattern: &Pat, inst: Inst) -> bool {
    let Pat::Op(_, parts) = pattern else { return true };
    let body = ed.func();
    let fits = |part: &Pat, arg: Inst| match part {
        // A single-use operand is matched in full later.
        Pat::Var(_) | Pat::Once(_) => true,
        Pat::Const(_) | Pat::Lit(_) => body.const_of(arg).is_some(),
        Pat::Op(op, _) => body.inst(arg).op == *op,
    };
    parts.iter().zip(body.inst(inst).args.iter()).all(|(part, &arg)| fits(part, arg))
}

/// A match of a left side in the program.
struct Match {
    /// The instruction of each variable.
    vars: Vec<Inst>,
    /// Instructions below the root that are used only by the left side.
    dying: Vec<Inst>,
    /// Flags that all float operations of the left side have.
    permits: Flags,
    /// Flags that some matched operation has and that the replacement must keep.
    demands: Flags,
    /// If set, the left side has a float operation.
    floats: bool,
}

const DEMANDS: [Flags; 3] = [Flags::EXACT, Flags::INVARIANT, Flags::NONUNIFORM];
const ALL_FLOATS: [Flags; 7] =
    [Flags::NNAN, Flags::NINF, Flags::NSZ, Flags::ARCP, Flags::CONTRACT, Flags::REASSOC, Flags::FAST];

impl Match {
    fn of(ed: &Editor<'_>, rule: &Rule, pattern: &Pat, root: Inst) -> Option<Match> {
        let permits = ALL_FLOATS.iter().fold(Flags::RELAXED, |all, &flag| all.and(flag));
        let mut found =
            Match { vars: Vec::new(), dying: Vec::new(), permits, demands: Flags::NONE, floats: false };
        let mut slots = vec![None; rule.vars];
        let mut seen = Seen { ed, rule, found: &mut found, slots: &mut slots };
        if !seen.part(pattern, root, true) {
            return None;
        }
        found.vars = slots.into_iter().collect::<Option<_>>()?;
        Some(found)
    }

    /// Returns true if the conditions on values hold at the root.
    fn is_known(&self, ed: &Editor<'_>, rule: &Rule, facts: &mut Facts, root: Inst) -> bool {
        let block = ed.block_of(root);
        facts.are_of(ed, root)
            && rule.is_known(|at| self.vars.get(at).map_or_else(Vec::new, |&var| facts.of(ed, var, block)))
    }

    /// Number of instructions that the right side adds, including its root, not counting constants.
    fn new_instructions(&self, tree: &Typed<'_>, constants: &[Option<Bits>]) -> usize {
        let known: Vec<bool> = constants.iter().map(Option::is_some).collect();
        match tree.pat {
            Pat::Var(_) | Pat::Const(_) | Pat::Lit(_) => 0,
            Pat::Op(..) | Pat::Once(_) if tree.pat.is_constant(&known) => 0,
            Pat::Op(..) | Pat::Once(_) => {
                1 + tree.args.iter().map(|arg| self.new_instructions(arg, constants)).sum::<usize>()
            }
        }
    }

    /// The flags of a new operation.
    fn flags(&self, op: Op) -> Flags {
        let mut flags = self.demands;
        if self.permits.has(Flags::RELAXED) {
            flags = flags.and(Flags::RELAXED);
        }
        if self.floats && matches!(op, Op::Float(_)) {
            let kept = ALL_FLOATS.iter().filter(|&&flag| self.permits.has(flag));
            flags = kept.fold(flags, |flags, &flag| flags.and(flag));
        }
        flags
    }
}

struct Seen<'s, 'e, 'm> {
    ed: &'s Editor<'m>,
    rule: &'s Rule,
    found: &'e mut Match,
    slots: &'e mut Vec<Option<Inst>>,
}

impl Seen<'_, '_, '_> {
    /// Matches a part of the left side against a value; `dies` is set if the user of the value becomes
    /// unused.
    fn part(&mut self, pat: &Pat, value: Inst, dies: bool) -> bool {
        match pat {
            Pat::Var(at) => self.fill(*at, value),
            Pat::Const(at) => self.ed.bits_of(value).is_some() && self.fill(*at, value),
            Pat::Lit(lit) => {
                let bits = self.ed.bits_of(value);
                bits.is_some_and(|bits| lit.bits(bits.ty()) == Some(bits))
            }
            Pat::Op(op, args) => self.operation(*op, args, value, dies),
            Pat::Once(inner) => self.ed.use_count(value) == 1 && self.part(inner, value, dies),
        }
    }

    fn operation(&mut self, op: Op, args: &[Pat], value: Inst, dies: bool) -> bool {
        let data = self.ed.func().inst(value);
        if data.op != op || data.args.len() != args.len() || !self.permitted(data) {
            return false;
        }
        let operands = data.args.clone();
        args.iter().zip(operands.iter()).all(|(arg, &operand)| {
            let inner = matches!(arg, Pat::Op(..) | Pat::Once(_));
            let dies = inner && dies && self.ed.use_count(operand) == 1;
            if dies {
                self.found.dying.push(operand);
            }
            self.part(arg, operand, dies)
        })
    }

    /// Returns true if the flags of an operation permit the rule.
    fn permitted(&mut self, data: &InstData) -> bool {
        let demands = DEMANDS.iter().filter(|&&flag| data.flags.has(flag));
        self.found.demands = demands.fold(self.found.demands, |all, &flag| all.and(flag));
        if !data.flags.has(Flags::RELAXED) {
            self.found.permits = self.found.permits.without(Flags::RELAXED);
        }
        if matches!(data.op, Op::Float(_)) {
            self.found.floats = true;
            for &flag in &ALL_FLOATS {
                if !data.flags.has(flag) {
                    self.found.permits = self.found.permits.without(flag);
                }
            }
            let free = data.flags.has(self.rule.needs) || data.flags.has(Flags::FAST);
            return self.rule.needs.is_empty() || (free && !data.flags.has(Flags::EXACT));
        }
        true
    }

    fn fill(&mut self, at: usize, value: Inst) -> bool {
        let ed = self.ed;
        match self.slots.get_mut(at) {
            Some(Some(known)) => {
                *known == value || (ed.bits_of(value).is_some() && ed.bits_of(value) == ed.bits_of(*known))
            }
            Some(slot) => {
                *slot = Some(value);
                true
            }
            None => false,
        }
    }
}

/// A right side to insert into the program.
struct Replacement {
    inst: Inst,
    constants: Vec<Option<Bits>>,
    why: Reason,
    origin: Origin,
    found: Match,
}

impl Replacement {
    fn carry_out(self, ed: &mut Editor<'_>, tree: &Typed<'_>) -> Result<Applied, Refusal> {
        let mut applied = Applied::default();
        let (inst, why) = (self.inst, self.why);
        match self.known(tree) {
            Some(bits) => {
                let data = ed.const_bits(bits);
                ed.rewrite(inst, data, why)?;
                applied.value = Some(inst);
            }
            None => match tree.pat {
                Pat::Op(op, _) => {
                    let args = self.operands(ed, tree, &mut applied)?;
                    let data = InstData::new(*op, tree.ty, &args).flagged(self.found.flags(*op));
                    ed.rewrite(inst, data, why)?;
                    applied.value = Some(inst);
                }
                Pat::Var(at) | Pat::Const(at) => {
                    let Some(&value) = self.found.vars.get(*at) else { return Ok(applied) };
                    ed.replace(inst, value, why)?;
                    applied.gone.push(inst);
                    applied.value = Some(value);
                }
                Pat::Lit(_) | Pat::Once(_) => {}
            },
        }
        for &inst in &self.found.dying {
            if ed.is_placed(inst) && ed.use_count(inst) == 0 {
                ed.erase(inst, why)?;
                applied.gone.push(inst);
            }
        }
        let once = |value: &&Inst| ed.is_placed(**value) && ed.use_count(**value) == 1;
        applied.once = self.found.vars.iter().filter(once).copied().collect();
        Ok(applied)
    }

    /// The value of a part that is entirely constant.
    fn known(&self, tree: &Typed<'_>) -> Option<Bits> {
        let known: Vec<bool> = self.constants.iter().map(Option::is_some).collect();
        if matches!(tree.pat, Pat::Var(_) | Pat::Const(_)) || !tree.pat.is_constant(&known) {
            return None;
        }
        let values: Vec<Bits> = self.constants.iter().map(|bits| bits.unwrap_or_default()).collect();
        evaluate(tree, &values)
    }

    fn operands(
        &self,
        ed: &mut Editor<'_>,
        tree: &Typed<'_>,
        out: &mut Applied,
    ) -> Result<Vec<Inst>, Refusal> {
        tree.args.iter().map(|arg| self.operand(ed, arg, out)).collect()
    }

    fn operand(&self, ed: &mut Editor<'_>, tree: &Typed<'_>, out: &mut Applied) -> Result<Inst, Refusal> {
        let data = match (self.known(tree), tree.pat) {
            (Some(bits), _) => ed.const_bits(bits),
            (None, Pat::Var(at) | Pat::Const(at)) => {
                let value = self.found.vars.get(*at).copied();
                return value.ok_or_else(|| {
                    Refusal::new("the right side of the rule uses a value that the left side does not match")
                });
            }
            (None, Pat::Lit(_) | Pat::Once(_)) => {
                return Err(Refusal::new("the literal of the rule is not representable in its type"));
            }
            (None, Pat::Op(op, _)) => {
                let args = self.operands(ed, tree, out)?;
                InstData::new(*op, tree.ty, &args).flagged(self.found.flags(*op))
            }
        };
        let made = ed.insert(InsertPoint::Before(self.inst), data, self.why)?;
        ed.set_origin(made, self.origin)?;
        out.made.push(made);
        Ok(made)
    }
}
