//! Trip counts: the analysis against counts from execution, on random loops.
//!
//! Each loop counts its own iterations and stores the count after the loop. Induction variables are integers of several
//! widths and floats; exits are at the top, in the middle and at the bottom; conditions may be negated or combined.
#![allow(clippy::print_stdout)] // the counts are output

use std::rc::Rc;
use vitrine_core::analysis::{Analyses, Cfg, Cost, Dom, Inductions, Loops, Trips};
use vitrine_core::base::EntityId;
use vitrine_core::base::random::Random;
use vitrine_core::interp::{Inputs, InvocationEnd, run};
use vitrine_core::ir::{Block, Func, Module};
use vitrine_core::pipeline::Pipeline;
use vitrine_core::text::parse;

/// Limit on the iterations of a run; longer loops are not counted.
const MOST_ITERATIONS: u32 = 2000;

const INT_STEPS: &[&str] = &["iadd", "isub", "imul", "ishl", "ishr", "ushr", "ixor"];
const INT_RELATIONS: &[&str] = &["ieq", "ine", "ilt", "igt", "ile", "ige", "ult", "ugt", "ule", "uge"];
const FLOAT_STEPS: &[&str] = &["fadd", "fsub", "fmul", "fdiv"];
const FLOAT_RELATIONS: &[&str] = &["feq", "fneu", "flt", "fge", "flt", "fge"];

/// An induction variable: its type, the text of its start, step and limit, and its update.
struct Counter {
    ty: &'static str,
    from: String,
    op: &'static str,
    by: String,
    relation: &'static str,
    limit: String,
}

fn counter(random: &mut Random) -> Counter {
    if random.below(4) == 0 {
        let number =
            |random: &mut Random| random.pick(&["0.0", "1.0", "0.1", "10.0", "-3.5", "2.0", "0.3", "100.0"]);
        return Counter {
            ty: "b32",
            from: number(random).to_owned(),
            op: random.pick(FLOAT_STEPS),
            by: number(random).to_owned(),
            relation: random.pick(FLOAT_RELATIONS),
            limit: number(random).to_owned(),
        };
    }
    let number = |random: &mut Random| {
        let (near, far) = (random.below(12) as i64 - 3, random.below(200) as i64);
        random.pick(&[near, near, near, far, 0, 1, -1, 127, -128, 255]).to_string()
    };
    let ty = random.pick(&["b32", "b32", "b8", "b16", "b64"]);
    let (from, by, limit) = (number(random), number(random), number(random));
    let by = if random.below(2) == 0 { random.below(4).to_string() } else { by };
    Counter { ty, from, op: random.pick(INT_STEPS), by, relation: random.pick(INT_RELATIONS), limit }
}

/// The text of a module with one loop over random counters; `true` if its exit condition has an unknown part.
fn text(random: &mut Random) -> (String, bool) {
    let counters: Vec<Counter> = (0..1 + random.below(2)).map(|_| counter(random)).collect();
    let position = random.below(3);
    let unknown = random.below(4) == 0;
    let mut next = 100;
    let mut fresh = || {
        next += 1;
        next
    };
    let mut before = String::new();
    let mut constant = |ty: &str, value: &str| {
        let id = fresh();
        before += &format!("  %{id}: {ty} = const {value}\n");
        id
    };
    let (zero, one) = (constant("b32", "0"), constant("b32", "1"));
    let ids: Vec<[u32; 3]> = counters
        .iter()
        .map(|counter| [&counter.from, &counter.by, &counter.limit].map(|value| constant(counter.ty, value)))
        .collect();
    let params: Vec<u32> = counters.iter().map(|_| fresh()).collect();
    let iterations = fresh();
    let mut steps = String::new();
    let mut stepped = Vec::new();
    for ((counter, ids), &param) in counters.iter().zip(&ids).zip(&params) {
        let id = fresh();
        let by =
            if counter.ty != "b32" && matches!(counter.op, "ishl" | "ishr" | "ushr") { one } else { ids[1] };
        steps += &format!("    %{id}: {} = {} %{param}, %{by}\n", counter.ty, counter.op);
        stepped.push(id);
    }
    let more = fresh();
    steps += &format!("    %{more}: b32 = iadd %{iterations}, %{one}\n");
    // An exit at the top tests the old values, one in the middle or at the bottom old or new ones.
    let look = |random: &mut Random, at: usize| {
        if position == 0 || random.below(2) == 0 { params[at] } else { stepped[at] }
    };
    let mut tests = String::new();
    let mut cond = None;
    for (at, (counter, ids)) in counters.iter().zip(&ids).enumerate() {
        let id = fresh();
        let mut sides = [look(random, at), ids[2]];
        if random.below(4) == 0 {
            sides.reverse();
        }
        tests += &format!("    %{id}: b1 = {} %{}, %{}\n", counter.relation, sides[0], sides[1]);
        let mut found = id;
        if random.below(3) == 0 {
            found = fresh();
            tests += &format!("    %{found}: b1 = inot %{id}\n");
        }
        cond = match cond {
            None => Some(found),
            Some(other) => {
                let id = fresh();
                tests += &format!("    %{id}: b1 = {} %{other}, %{found}\n", random.pick(&["iand", "ior"]));
                Some(id)
            }
        };
    }
    let mut cond = cond.unwrap_or(one);
    if unknown {
        let id = fresh();
        tests += &format!("    %{id}: b1 = {} %{cond}, %6\n", random.pick(&["iand", "ior"]));
        cond = id;
    }
    let arms = match random.below(2) {
        0 => ["break !0(%R)", "next"],
        _ => ["next", "break !0(%R)"],
    };
    let arms = arms.map(|arm| arm.replace("%R", &format!("%{iterations}")));
    let test = format!(
        "    if !1 %{cond} {{\n    ^2:\n      {}\n    }} else {{\n    ^3:\n      {}\n    }}\n  ^4:\n",
        arms[0], arms[1]
    );
    let body = match position {
        0 => format!("{tests}{test}{steps}"),
        _ => format!("{steps}{tests}{test}"),
    };
    let list = |ids: &[u32]| ids.iter().map(|id| format!("%{id}, ")).collect::<String>();
    let starts: Vec<u32> = ids.iter().map(|ids| ids[0]).collect();
    let typed: String =
        counters.iter().zip(&params).map(|(counter, id)| format!("%{id}: {}, ", counter.ty)).collect();
    let text = format!(
        "struct #0 {{block}} {{\n  o: [u32 step 4] {{offset 0}}\n}}\n\nstorage $0: #0 {{set 0, binding 0}}\n\n\
         entry compute \"main\" @0 ($0) {{local_size 1 1 1}}\n\nfunc @0() tree {{\n^0:\n\
         {before}  %1: path = deref.var $0\n  %2: path = deref.field %1.0\n  %3: path = deref.elem %2, %{zero}\n\
         %4: path = deref.elem %2, %{one}\n  %5: b32 = load %4\n  %6: b1 = ine %5, %{zero}\n  loop !0({}%{zero}) {{\n  \
         ^1({typed}%{iterations}: b32):\n{body}    next({}%{more})\n  }}\n^9(%99: b32):\n  store %3, %99\n  return\n}}\n",
        list(&starts),
        list(&stepped),
    );
    (text, unknown)
}

/// The trip count of a run; none for a loop above the limit.
fn counted(module: &Module, unknown: u8) -> Option<u32> {
    let mut inputs = Inputs::default();
    inputs.buffers.insert((0, 0), vec![vec![0xee, 0xee, 0xee, 0xee, unknown, 0, 0, 0]]);
    inputs.limits.steps = u64::from(MOST_ITERATIONS) * 20;
    let outcome = run(module, 0, &inputs).expect("it can be run");
    if outcome.invocations.values().any(|invocation| invocation.end == InvocationEnd::Stuck) {
        return None;
    }
    let bytes = &outcome.buffers[&((0, 0), 0)].bytes;
    Some(u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]))
}

fn analyzed(module: &Module) -> (Trips, String) {
    let func = Func::from_index(0);
    let body = module.func(func).expect("a function");
    let cfg = Rc::new(Cfg::of(body));
    let (loops, dom) = (Loops::of(body, &cfg), Dom::of(&cfg));
    let found = Inductions::of(module, body, &loops, &dom, MOST_ITERATIONS);
    match loops.all().next() {
        Some(first) => (found.trips(first), found.text(first).to_owned()),
        None => (Trips::Unknown, String::new()),
    }
}

#[test]
fn trip_counts_match_execution() {
    let (mut exact, mut bounded, mut unknown, mut more) = (0, 0, 0, 0);
    for seed in 0..1500 {
        let (text, has_unknown) = text(&mut Random(seed));
        let parsed = parse(&text);
        assert!(parsed.diags.is_empty(), "seed {seed}: {}\n{text}", parsed.diags[0]);
        let tree = parsed.module;
        let graph = Pipeline::parse("flatten").expect("a pipeline").run(&tree, None).expect("a graph");
        let (trips, line) = analyzed(&tree);
        assert_eq!((trips, line.clone()), analyzed(&graph), "seed {seed}: the shapes disagree\n{text}");
        for given in [0, 1] {
            let iterations = counted(&tree, given);
            let holds = match (trips, iterations) {
                (Trips::Exactly(computed), Some(iterations)) => computed == iterations,
                (Trips::AtMost(computed), Some(iterations)) => iterations <= computed,
                (Trips::Exactly(_) | Trips::AtMost(_), None) => false,
                (Trips::MoreThan(computed), Some(iterations)) => has_unknown || iterations > computed,
                (Trips::Unknown, Some(_)) => has_unknown,
                (Trips::Unknown | Trips::MoreThan(_), None) => true,
            };
            assert!(
                holds,
                "seed {seed}, {given}: computed {trips:?} ({line}), counted {iterations:?}\n{text}"
            );
        }
        match trips {
            Trips::Exactly(_) => exact += 1,
            Trips::AtMost(_) => bounded += 1,
            Trips::Unknown => unknown += 1,
            Trips::MoreThan(_) => more += 1,
        }
    }
    println!("{exact} exact, {bounded} bounded, {unknown} unknown, {more} above the limit");
    assert!(exact > 500 && bounded > 20, "{exact} {bounded}");
}

/// The descriptions of the loops of a module, outer loops first.
fn lines(text: &str) -> Vec<String> {
    let parsed = parse(text);
    assert!(parsed.diags.is_empty(), "{}", parsed.diags[0]);
    let mut cx = Analyses::new();
    let func = Func::from_index(0);
    let found = cx.get::<Inductions>(&parsed.module, func);
    let loops = cx.get::<Loops>(&parsed.module, func);
    loops.all().map(|of| found.text(of).to_owned()).collect()
}

#[test]
fn a_trip_count_is_described_as_text() {
    let text = "func @0(%0: b32) graph {\n^0:\n  %1: b32 = const 0\n  %2: b32 = const 1\n  %3: b32 = const 4\n  \
                %4: b32 = const 2.0\n  goto ^1(%1)\n\
                ^1(%5: b32):\n  goto ^2(%4)\n\
                ^2(%6: b32):\n  %7: b32 = fmul %6, %4\n  %8: b1 = flt %7, %0\n  branch %8, ^2(%7), ^3\n\
                ^3:\n  %9: b32 = iadd %2, %5\n  %10: b1 = ult %9, %3\n  branch %10, ^1(%9), ^4\n\
                ^4:\n  return\n}\n";
    assert_eq!(lines(text), ["trip count 3, induction %5 from 0 by 1", "induction %6 from 2 times 2"]);
}

#[test]
fn an_exit_off_the_main_path_is_only_an_upper_bound() {
    let text = "func @0(%0: b1) graph {\n^0:\n  %1: b32 = const 10\n  %2: b32 = const 3\n  %3: b32 = const 0\n  goto ^1(%1)\n\
                ^1(%4: b32):\n  %5: b32 = isub %4, %2\n  branch %0, ^2, ^3\n^2:\n  %6: b1 = ieq %5, %2\n  branch %6, ^4, ^3\n\
                ^3:\n  %7: b1 = ilt %5, %3\n  branch %7, ^4, ^1(%5)\n^4:\n  return\n}\n";
    assert_eq!(lines(text), ["trip count at most 3, induction %4 from 10 down by 3"]);
}

#[test]
fn long_trip_counts_differ_from_unknown_ones() {
    let text = |limit: &str| {
        format!(
            "func @0() graph {{\n^0:\n  %1: b32 = const 0\n  %2: b32 = const 1\n  %3: b32 = const {limit}\n  goto ^1(%1)\n\
             ^1(%4: b32):\n  %5: b32 = iadd %4, %2\n  %6: b1 = ult %5, %3\n  branch %6, ^1(%5), ^2\n^2:\n  return\n}}\n"
        )
    };
    assert_eq!(lines(&text("60000")), ["trip count 59999, induction %4 from 0 by 1"]);
    assert_eq!(lines(&text("1000000")), ["trip count more than 65536, induction %4 from 0 by 1"]);
}

/// If no exit condition can be decided, the loop may end immediately or never, so "more than 65536" would be wrong.
#[test]
fn an_undecidable_exit_has_no_trip_count() {
    let text = "func @0(%0: b32) graph {\n^0:\n  %1: b32 = const 0\n  %2: b32 = const 1\n  goto ^1(%1)\n\
                ^1(%3: b32):\n  %4: b32 = iadd %3, %2\n  %5: b1 = ult %4, %0\n  branch %5, ^1(%4), ^2\n^2:\n  return\n}\n";
    assert_eq!(lines(text), ["induction %3 from 0 by 1"]);
}

/// The cost of a block is weighted by the trip counts of its loops, or by an estimate if they are unknown.
#[test]
fn block_costs_are_weighted_by_trip_counts() {
    let text = "func @0(%0: b1) graph {\n^0:\n  %1: b32 = const 0\n  %2: b32 = const 1\n  %3: b32 = const 4\n  goto ^1(%1)\n\
                ^1(%4: b32):\n  %5: b32 = iadd %4, %2\n  goto ^2\n\
                ^2:\n  %6: b32 = udiv %4, %3\n  branch %0, ^2, ^3\n\
                ^3:\n  %7: b1 = ult %5, %3\n  branch %7, ^1(%5), ^4\n^4:\n  return\n}\n";
    let parsed = parse(text);
    assert!(parsed.diags.is_empty(), "{}", parsed.diags[0]);
    let func = Func::from_index(0);
    let cost = Analyses::new().get::<Cost>(&parsed.module, func);
    let at = |block: usize| (cost.times(Block::from_index(block)), cost.once(Block::from_index(block)));
    assert_eq!([0, 1, 2, 3].map(at), [(1, 0), (3, 1), (24, 16), (3, 1)]);
    assert_eq!(cost.total(), 3 + 24 * 16 + 3);
}
