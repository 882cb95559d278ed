//! Liveness against the equations, iterated on random functions.

use super::*;
use crate::testing::*;
use std::collections::BTreeSet;
use vitrine_ir::base::EntityId;
use vitrine_ir::ops::{BasicOp, IntOp, Width};
use vitrine_ir::{Args, Assembler, BlockData, Edge, InstData, Terminator};

/// Every block has a parameter and some instructions that use earlier values of the block or any of others.
fn random_function(random: &mut Random) -> FuncBody {
    let rows = random_graph(random, 12);
    let mut asm = Assembler::new();
    let outer = asm.add_inst(InstData::new(BasicOp::Param, ValueType::B32, &[]));
    asm.params(vec![outer]);
    asm.graph((0..rows.len() as u32).map(b).collect());
    let value = |block: usize, at: u64| Inst::from_index(1 + block * 4 + at as usize);
    for (at, row) in rows.iter().enumerate() {
        let mut arg = |known: u64| match random.below(3) {
            0 => value(at, random.below(known)),
            1 => outer,
            _ => match random.below(rows.len() as u64) as usize {
                other if other == at => value(at, 0),
                other => value(other, random.below(4)),
            },
        };
        let ty = ValueType::bits(Width::W32, 1 + (at % 4) as u8);
        asm.put_inst(value(at, 0), InstData::new(BasicOp::Param, ty, &[]));
        for place in 1..4 {
            let args = [arg(place), arg(place)];
            asm.put_inst(value(at, place), InstData::new(IntOp::IAdd, ty, &args));
        }
        let edge = |to: u32, arg: Inst| Edge { to: b(to), args: Args::new(&[arg]) };
        let terminator = match row[..] {
            [] => Terminator::Return(Some(arg(4))),
            [to] => Terminator::Goto(edge(to, arg(4))),
            [then, els, ..] => {
                Terminator::Branch { cond: arg(4), then: edge(then, arg(4)), els: edge(els, arg(4)) }
            }
        };
        asm.add_block(BlockData {
            params: vec![value(at, 0)].into(),
            insts: (1..4).map(|place| value(at, place)).collect::<Vec<_>>().into(),
            terminator,
            merge: None,
        });
    }
    asm.finish()
}

/// Uses in order, and the definitions of the block.
fn reads(body: &FuncBody, block: Block) -> (Vec<(u32, Inst)>, BTreeSet<Inst>) {
    let data = body.block(block);
    let mut uses = Vec::new();
    for (position, &inst) in (1..).zip(data.insts.iter()) {
        uses.extend(body.inst(inst).args.iter().map(|&arg| (position, arg)));
    }
    data.terminator.for_each_use(|inst| uses.push((data.insts.len() as u32 + 1, inst)));
    (uses, data.params.iter().chain(data.insts.iter()).copied().collect())
}

#[test]
fn sets_solve_the_equations() {
    let mut random = Random::new(40);
    for _ in 0..2_000 {
        let body = random_function(&mut random);
        let cfg = Rc::new(Cfg::of(&body));
        let live = Live::of(&body, &cfg);
        let mut live_in = vec![BTreeSet::new(); cfg.len()];
        let mut live_out = live_in.clone();
        let mut changed = true;
        while changed {
            changed = false;
            for &block in cfg.blocks() {
                let at = block.index();
                let (uses, defs) = reads(&body, block);
                live_out[at] = cfg.succs(block).flat_map(|to| live_in[to.index()].clone()).collect();
                let all = uses.iter().map(|&(_, inst)| inst).chain(live_out[at].iter().copied());
                let new: BTreeSet<Inst> = all.filter(|inst| !defs.contains(inst)).collect();
                changed |= new != live_in[at];
                live_in[at] = new;
            }
        }
        for &block in cfg.blocks() {
            let at = block.index();
            assert!(live.live_in(block).eq(live_in[at].iter().copied()));
            assert!(live.live_out(block).eq(live_out[at].iter().copied()));
            points(&body, &live, block, &live_in[at], &live_out[at]);
        }
    }
}

/// Compares every point of a block: the live values and their bits.
fn points(body: &FuncBody, live: &Live, block: Block, live_in: &BTreeSet<Inst>, live_out: &BTreeSet<Inst>) {
    let (uses, defs) = reads(body, block);
    let data = body.block(block);
    let bits =
        |set: &BTreeSet<Inst>| -> u32 { set.iter().map(|&v| u32::from(body.ty(v).components()) * 32).sum() };
    let mut peak = bits(&live_in.iter().chain(data.params.iter()).copied().collect());
    for (position, &inst) in (0..).zip(data.params.iter().chain(data.insts.iter())) {
        let defined = |v: Inst| {
            (0..).zip(data.params.iter().chain(data.insts.iter())).any(|(p, &w)| w == v && p <= position)
        };
        let later = uses.iter().filter(|&&(at, _)| at > position).map(|&(_, v)| v);
        let mut set: BTreeSet<Inst> = later.chain(live_out.iter().copied()).collect();
        set.retain(|&v| !defs.contains(&v) || defined(v));
        for &v in live_in.iter().chain(&defs).chain(live_out) {
            assert_eq!(live.is_live_after(inst, v), set.contains(&v), "{inst} {v}");
        }
        set.insert(inst);
        peak = peak.max(bits(&set));
    }
    assert_eq!(live.pressure(block), peak, "{block}");
}

#[test]
fn past_the_limit_values_are_live_everywhere() {
    let mut random = Random::new(41);
    for _ in 0..300 {
        let body = random_function(&mut random);
        let cfg = Rc::new(Cfg::of(&body));
        let (exact, capped) = (Live::of(&body, &cfg), Live::capped(&body, &cfg, 6));
        assert!(exact.everywhere().is_empty());
        for &block in cfg.blocks() {
            assert!(exact.live_in(block).all(|value| capped.is_live_in(block, value)));
            assert!(exact.live_out(block).all(|value| capped.is_live_out(block, value)));
            assert!(capped.pressure(block) >= exact.pressure(block));
        }
    }
}

#[test]
fn the_condition_of_a_node_is_used_by_the_block_before_it() {
    let body = nested_ifs(2);
    let cfg = Rc::new(Cfg::of(&body));
    let live = Live::of(&body, &cfg);
    let outer = cfg.entry().expect("an entry");
    let cond = body.params()[0];
    assert!(live.is_live_in(outer, cond));
    assert_eq!(cfg.blocks().iter().filter(|&&block| live.is_live_in(block, cond)).count(), 2);
    assert_eq!(live.peak_pressure(), 1);
}

#[test]
fn many_values_through_many_blocks_end_in_time() {
    on_small_stack(|| {
        let count = 20_000u32;
        let mut asm = Assembler::new();
        let mut order = Vec::new();
        let values: Vec<Inst> =
            (0..count).map(|_| asm.add_inst(InstData::new(BasicOp::Const, ValueType::B32, &[]))).collect();
        let sums: Vec<Inst> = values
            .iter()
            .map(|&value| asm.add_inst(InstData::new(IntOp::INeg, ValueType::B32, &[value])))
            .collect();
        for at in 0..count {
            let insts = match at {
                0 => values.clone(),
                _ if at + 1 == count => sums.clone(),
                _ => Vec::new(),
            };
            let terminator =
                if at + 1 == count { Terminator::Return(None) } else { Terminator::goto(b(at + 1)) };
            order.push(asm.add_block(BlockData { insts: insts.into(), ..block(terminator) }));
        }
        asm.graph(order);
        let body = asm.finish();
        let live = Live::of(&body, &Rc::new(Cfg::of(&body)));
        assert!(values.iter().all(|&value| live.is_live_in(b(count / 2), value)));
        assert!(!live.everywhere().is_empty() && live.everywhere().len() < count as usize);
        assert_eq!(live.pressure(b(count / 2)), count * 32);
    });
}
