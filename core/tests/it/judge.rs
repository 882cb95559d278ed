//! The judge: each predicate with a check that passes and one that fails, its sentences, and mistakes in tasks.
//!
//! The facts were worked out by hand on the programs below.

use std::collections::BTreeSet;
use vitrine_core::judge::{Check, Judgement, PREDICATES, Programs, Task, judge};

/// ^5 has two predecessors, and neither dominates it. ^6 is unreachable.
const DIAMOND: &str = "func @f_0(%a_0: b1, %b_1: b1, %x_2: f32) -> f32 graph {
^0:
  branch %a_0, ^1, ^2
^1:
  branch %b_1, ^3, ^4
^2:
  return %x_2
^3:
  %3 = fneg %x_2
  goto ^5(%3)
^4:
  %4 = fsqrt %x_2
  goto ^5(%4)
^5(%y_5: f32):
  return %y_5
^6:
  return %x_2
}
";

/// A loop with trip count 4. Its back edge is ^2->^1; the edge ^3->^5 is critical.
const LOOP: &str = "func @f_0(%x_0: b32, %c_1: b1) -> b32 graph {
^0:
  %zero_2: b32 = const 0
  %one_3: b32 = const 1
  %four_4: b32 = const 4
  goto ^1(%zero_2)
^1(%i_5: b32):
  %more_6 = ult %i_5, %four_4
  branch %more_6, ^2, ^3
^2:
  %7 = iadd %i_5, %one_3
  goto ^1(%7)
^3:
  branch %c_1, ^4, ^5(%x_0)
^4:
  goto ^5(%one_3)
^5(%y_8: b32):
  return %y_8
}
";

/// A loop with two entries.
const IRREDUCIBLE: &str = "func @f_0(%a_0: b1, %b_1: b1) graph {
^0:
  branch %a_0, ^1, ^2
^1:
  goto ^2
^2:
  branch %b_1, ^1, ^3
^3:
  return
}
";

/// Two elements of a local array, one with a known index. The input is flat, but differs between primitives.
const MEMORY: &str = "in $a_0: f32 {location 0}
in $i_1: u32 {location 1, interp flat}
out $r_2: f32 {location 0}
entry fragment \"main\" @main_0 ($a_0, $i_1, $r_2) {origin_upper_left}
func @main_0() tree {
  local $t_3: [f32 * 4 step 4]
^0:
  %0 = deref.var $a_0
  %a_1: f32 = load %0
  %2 = deref.var $i_1
  %3: b32 = load %2
  %three_4: b32 = const 3
  %i_5 = iand %3, %three_4
  %zero_6: b32 = const 0
  %t_7 = deref.var $t_3
  %8 = deref.elem %t_7, %zero_6
  %9 = deref.elem %t_7, %i_5
  store %8, %a_1
  %10 = fneg %a_1
  store %9, %10
  %11: f32 = load %8
  %12 = deref.var $r_2
  store %12, %11
  return
}
";

/// x >= 1, and below it !(x < 1): they differ only if x is NaN.
const ORDERED: &str = "func @f_0(%x_0: b32) -> b32 graph {
^0:
  %one_1: b32 = const 1.0
  %2 = fge %x_0, %one_1
  %3: b32 = b2f %2
  return %3
}
";
const UNORDERED: &str = "func @f_0(%x_0: b32) -> b32 graph {
^0:
  %one_1: b32 = const 1.0
  %2 = flt %x_0, %one_1
  %3 = inot %2
  %4: b32 = b2f %3
  return %4
}
";

/// A branch on an input that differs between invocations.
const BRANCH: &str = "in $a_0: f32 {location 0}
entry fragment \"main\" @main_0 ($a_0) {origin_upper_left}
func @main_0() graph {
^0:
  %0 = deref.var $a_0
  %1: f32 = load %0
  %2 = flt %1, %1
  branch %2, ^1, ^2
^1:
  goto ^2
^2:
  return
}
";

/// A program that never ends.
const ENDLESS: &str = "func @f_0(%x_0: b32) -> b32 graph {
^0:
  goto ^1
^1:
  goto ^1
}
";

/// Right as integers, not as 32-bit floats.
const WIDE: &str = "in $n_0: u32 {location 0, interp flat}
out $r_1: u32 {location 0}
entry fragment \"main\" @main_0 ($n_0, $r_1) {origin_upper_left}
func @main_0() tree {
^0:
  %0 = deref.var $n_0
  %n_1: b32 = load %0
  %2: b32 = const 16777217
  %3: b32 = const 3
  %4 = imul %n_1, %2
  %5 = ushr %n_1, %3
  %6 = iadd %4, %5
  %7: b32 = const 1023
  %8 = iand %6, %7
  %9 = iadd %8, %3
  %10 = deref.var $r_1
  store %10, %9
  return
}
";

/// %x_1 is not defined on the path through ^2.
const INVALID: &str = "func @f_0(%a_0: b1) -> b32 graph {
^0:
  branch %a_0, ^1, ^2
^1:
  %x_1: b32 = const 1
  goto ^3
^2:
  goto ^3
^3:
  return %x_1
}
";

/// Judges an answer. `start` is the first program above.
fn judged(task: &str, answer: &str) -> Judgement {
    let task = Task::parse(task).unwrap_or_else(|error| panic!("{task}: {error}"));
    let programs: Programs =
        [("start", DIAMOND), ("ordered", ORDERED), ("unordered", UNORDERED), ("loop", LOOP)]
            .into_iter()
            .map(|(name, text)| (name.to_owned(), text.as_bytes().to_vec()))
            .collect();
    judge(&task, &programs, answer.as_bytes()).unwrap_or_else(|why| panic!("{why}"))
}

/// The programs of behavior checks.
const HEAD: &str = "start: diamond.ir\nprogram: ordered = o.ir\nprogram: unordered = u.ir\ncase: nan: x = nan\ncase: two: x = 2\n";

/// A program, a check that passes and one that fails.
fn cases() -> Vec<(&'static str, &'static str, &'static str)> {
    let on = |program, passes, fails| (program, passes, fails);
    vec![
        on(DIAMOND, "valid", "not valid"),
        on(INVALID, "not valid", "valid"),
        on(INVALID, "diag(E061)", "diag(E001)"),
        on(DIAMOND, "not diag(E061)", "diag(E061)"),
        on(DIAMOND, "has(^6)", "has(^7)"),
        on(DIAMOND, "has(%y_5)", "has(%9)"),
        on(MEMORY, "has($t_3)", "has($4)"),
        on(DIAMOND, "shape = graph", "shape = tree"),
        on(DIAMOND, "blocks = 7", "blocks < 7"),
        on(DIAMOND, "edges = 6", "edges > 6"),
        on(DIAMOND, "insts = 2", "insts = 3"),
        on(LOOP, "params = 2", "params >= 3"),
        on(LOOP, "loops = 1", "loops = 0"),
        on(IRREDUCIBLE, "irreducible-loops = 1", "irreducible-loops = 0"),
        on(LOOP, "loop-depth <= 1", "loop-depth != 1"),
        on(LOOP, "critical-edges = 1", "critical-edges = 0"),
        on(DIAMOND, "unreachable-blocks = 1", "unreachable-blocks = 0"),
        on(DIAMOND, "op-count(fneg, fsqrt) = 2", "op-count(fneg) = 2"),
        on(MEMORY, "loads = 3", "loads = 2"),
        on(MEMORY, "loads($t_3) = 1", "loads($t_3) = 3"),
        on(MEMORY, "stores($t_3) = 2", "stores = 2"),
        on(IRREDUCIBLE, "dispatch-nodes(faithful) >= 1", "dispatch-nodes(faithful) = 0"),
        on(MEMORY, "exit-vars = 0", "exit-vars >= 1"),
        on(DIAMOND, "reachable(^5)", "reachable(^6)"),
        on(DIAMOND, "unreachable(^6)", "unreachable(^5)"),
        on(DIAMOND, "dominates(^1, ^5)", "dominates(^3, ^5)"),
        on(DIAMOND, "not dominates(^3, ^5)", "not dominates(^1, ^5)"),
        on(DIAMOND, "post-dominates(^5, ^1)", "post-dominates(^5, ^0)"),
        on(MEMORY, "uniform(%zero_6)", "uniform(%a_1)"),
        on(BRANCH, "partial(^1)", "partial(^0)"),
        on(BRANCH, "partial-blocks = ^1", "partial-blocks = ^0"),
        on(BRANCH, "divergent-values = %1 %2", "divergent-values = none"),
        on(LOOP, "live-into(%x_0, ^3)", "live-into(%x_0, ^4)"),
        on(LOOP, "live-out-of(%one_3, ^3)", "live-out-of(%one_3, ^4)"),
        on(MEMORY, "in-range(%i_5, 0, 3)", "in-range(%i_5, 0, 2)"),
        on(DIAMOND, "peak-pressure >= 32", "peak-pressure = 0"),
        on(LOOP, "trip-count(^1) = 4", "trip-count(^1) = 3"),
        on(MEMORY, "alias(%8, %9) = may", "alias(%8, %9) = no"),
        on(MEMORY, "alias(%0, %12) = no", "alias(%8, %8) = may"),
        on(DIAMOND, "idom(^5) = ^1", "idom(^5) = ^0"),
        on(DIAMOND, "idom(^0) = none", "idom(^1) = none"),
        on(DIAMOND, "dominators(^5) = ^0 ^1 ^5", "dominators(^5) = ^0 ^1"),
        on(DIAMOND, "dominated-by(^1) = ^1 ^3 ^4 ^5", "dominated-by(^1) = ^3 ^4 ^5"),
        on(DIAMOND, "frontier(^3) = ^5", "frontier(^1) = ^5"),
        on(LOOP, "frontier(^2) = ^1", "frontier(^2) = none"),
        on(DIAMOND, "successors(^1) = ^3 ^4", "successors(^1) = ^3"),
        on(DIAMOND, "predecessors(^5) = ^3 ^4", "predecessors(^5) = ^1"),
        on(LOOP, "loop-headers = ^1", "loop-headers = none"),
        on(LOOP, "loop-blocks(^1) = ^1 ^2", "loop-blocks(^1) = ^1"),
        on(LOOP, "blocks-with-params = ^1 ^5", "blocks-with-params = ^5"),
        on(DIAMOND, "all-unreachable = ^6", "all-unreachable = none"),
        on(DIAMOND, "edges-from(^1) = ^1->^3 ^1->^4", "edges-from(^1) = ^1->^3"),
        on(DIAMOND, "edges-to(^5) = ^3->^5, ^4->^5", "edges-to(^5) = ^3->^5"),
        on(LOOP, "back-edges = ^2->^1", "back-edges = none"),
        on(LOOP, "all-critical = ^3->^5", "all-critical = none"),
        on(DIAMOND, "dom-tree = ^0->^1 ^0->^2 ^1->^3 ^1->^4 ^1->^5", "dom-tree = ^0->^1"),
        on(LOOP, "live-in(^4) = %one_3", "live-in(^4) = none"),
        on(LOOP, "live-out(^3) = %one_3", "live-out(^3) = %0"),
        on(UNORDERED, "same-as(ordered, two)", "same-as(ordered, nan)"),
        on(ORDERED, "same-as(ordered)", "same-as(unordered)"),
        on(UNORDERED, "differs-from(ordered, nan)", "differs-from(ordered, two)"),
        on(ORDERED, "runs-clean", "differs-from(ordered)"),
        on(DIAMOND, "after dead-cf: unreachable-blocks = 0", "after cse: unreachable-blocks = 0"),
        on(WIDE, "first-wrong(cse, dce, int-to-float{all}) = 3", "first-wrong(cse, dce) = 1"),
    ]
}

#[test]
fn every_predicate_passes_and_fails() {
    let mut tested = BTreeSet::new();
    let mut wrong = String::new();
    for (program, passes, fails) in cases() {
        for (check, expected) in [(passes, true), (fails, false)] {
            let judgement = judged(&format!("{HEAD}check: {check}"), program);
            let finding = &judgement.findings[0];
            if finding.passed != expected {
                wrong.push_str(&format!("{check}: {}\n", finding.sentence));
            }
            let check = Check::parse(&finding.check).expect("it was parsed before");
            tested.insert(check.predicate.name);
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
    // Only an answer can be an order.
    tested.insert("topological-order");
    let untested: Vec<_> =
        PREDICATES.iter().map(|of| of.name).filter(|name| !tested.contains(name)).collect();
    assert!(untested.is_empty(), "{untested:?}");
}

/// An endless program fails, and an unknown trip count fails also under a comparison that any number satisfies.
#[test]
fn what_is_unknown_does_not_pass() {
    let sentence = |check: &str, program: &str| {
        let judgement = judged(&format!("start: d.ir\n{check}"), program);
        assert!(!judgement.passed(), "{check}");
        judgement.findings[0].sentence.clone()
    };
    assert!(sentence("check: runs-clean", ENDLESS).contains("may not terminate"));
    assert_eq!(sentence("check: trip-count(^3) >= 0", LOOP), "^3 is not the header of a loop");
    assert_eq!(sentence("check: not dominates(^6, ^5)", DIAMOND), "^6 is not reachable from the entry");
    assert_eq!(sentence("check: not dominates(^9, ^5)", DIAMOND), "the function has no block ^9");
    assert!(sentence("check: blocks = 4", INVALID).starts_with("the program is not valid: error[E061]"));
    assert_eq!(sentence("check: blocks = 4", ""), "the program has no function");
    assert_eq!(sentence("check: valid", ""), "the program has no function");
    assert!(sentence("function: g\ncheck: blocks = 7", DIAMOND).contains("no function `g`"));
}

/// A failed check names the path that shows it, and the entities to mark.
#[test]
fn a_failed_check_says_what_it_found() {
    let judgement =
        judged("start: d.ir\ncheck: not dominates(^1, ^5); dominates(^3, ^5); blocks <= 3", DIAMOND);
    let [first, second, third] = &judgement.findings[..] else { panic!("{judgement:?}") };
    assert_eq!(
        first.sentence,
        "^1 dominates ^5: every path to ^5 passes through ^1, for example ^0 → ^1 → ^3 → ^5"
    );
    assert_eq!(first.marks, ["^1", "^5", "^0", "^3"]);
    assert_eq!(second.sentence, "^3 does not dominate ^5: the path ^0 → ^1 → ^4 → ^5 avoids ^3");
    assert_eq!(third.sentence, "found 7 blocks; expected at most 3");
}

#[test]
fn answers_are_judged_without_revealing_them() {
    let check = |fact: &str, answer: &str| {
        let judgement = judged(&format!("start: d.ir\ncheck: answer = {fact}"), answer);
        (judgement.passed(), judgement.findings[0].sentence.clone())
    };
    assert!(check("frontier(^3)", "^5").0);
    assert_eq!(
        check("successors(^1)", "^3 ^2").1,
        "^2 does not belong to the answer; still missing: 1 of 2 blocks"
    );
    assert!(check("edges-from(^1)", "^1 → ^4, ^1->^3").0);
    assert!(!check("edges-from(^1)", "^1->^3").0);
    assert!(check("dom-tree", "^0->^1 ^0->^2 ^1->^3 ^1->^4 ^1->^5").0);
    assert!(check("edges", "6").0);
    assert_eq!(check("edges", "5").1, "5 is too small");
    assert_eq!(check("edges", "many").1, "expected a number, not `many`");
    assert!(check("shape", "graph").0 && !check("shape", "tree").0);
    assert!(check("topological-order", "^0 ^2 ^1 ^4 ^3 ^5").0);
    assert_eq!(
        check("topological-order", "^0 ^2 ^1 ^5 ^3 ^4").1,
        "^5 comes before ^3, but an edge leads from ^3 to ^5"
    );
    assert_eq!(check("topological-order", "^0 ^1").1, "4 of 6 reachable blocks are missing");
    assert!(check("after dead-cf: all-unreachable", "").0);
    assert!(!check("divergent-values", "%77").0);
    assert_eq!(check("frontier(^3)", "block 5").1, "expected blocks such as `^1 ^2`, not `block`");
}

#[test]
fn mistakes_in_a_task_are_reported_with_their_line() {
    let error = |text: &str| Task::parse(text).expect_err(text).to_string();
    assert_eq!(error("Do something."), "line 1: the task has no check: add a line `check: …`");
    assert!(error("start: a.ir\n\ncheck: blok = 3").starts_with("line 3: there is no predicate `blok`"));
    assert_eq!(error("chek: valid"), "line 1: there is no key `chek:`; did you mean `check:`?");
    assert!(error("check: dominates(^1)").contains("takes 2 arguments, not 1"));
    assert!(error("check: dominates(1, ^2)").contains("expected a block such as `^1`, not `1`"));
    assert!(error("check: blocks").contains("must be compared"));
    assert!(error("check: blocks = three").contains("expected a number, not `three`"));
    assert!(error("check: same-as(other)").contains("there is no program `other`"));
    assert!(error("start: a.ir\ncheck: same-as(start, nan)").contains("there is no case `nan`"));
    assert!(
        error("check: after nothing-like-this: valid").contains("the pipeline `nothing-like-this` is wrong")
    );
    assert!(error("check: after dce valid").contains("expected `: ` after the pipeline"));
    assert!(error("check: answer = edges").contains("add a line `start: FILE`"));
    assert!(error("start: a.ir\ncheck: answer = edges; valid").contains("an answer has one form"));
    assert!(error("check: not same-as(start)").contains("use the opposite predicate"));
    assert!(error("check: answer = valid").contains("holds or does not hold"));
    assert!(error("start: a.ir\nstart: b.ir\ncheck: valid").contains("two lines `start:`"));
    let task =
        Task::parse("Note: a colon in a sentence.\ncheck: valid").expect("a statement may have colons");
    assert_eq!(task.statement, "Note: a colon in a sentence.");
}

/// A defective task is an error of the task, not of the answer.
#[test]
fn a_missing_or_invalid_program_of_a_task_is_an_error() {
    let task = Task::parse("program: r = r.ir\ncheck: same-as(r)").expect("the task is well formed");
    let missing = judge(&task, &Programs::new(), ORDERED.as_bytes());
    assert_eq!(missing, Err("the program `r` of the task is missing".to_owned()));
    let programs = Programs::from([("r".to_owned(), INVALID.as_bytes().to_vec())]);
    let invalid = judge(&task, &programs, ORDERED.as_bytes()).expect_err("the program is invalid");
    assert!(invalid.contains("the program `r` of the task: the program is not valid"), "{invalid}");
}

#[cfg(feature = "cli")]
#[test]
fn the_command_exits_with_0_1_or_2() {
    let folder = std::path::PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("judge");
    std::fs::create_dir_all(&folder).expect("the folder can be created");
    let write = |name: &str, text: &str| {
        let path = folder.join(name);
        std::fs::write(&path, text).expect("the file can be written");
        path.display().to_string()
    };
    write("start.ir", DIAMOND);
    let task = write(
        "task.txt",
        "Make ^1 no longer dominate ^5.\nstart: start.ir\ncheck: valid; not dominates(^1, ^5)",
    );
    let wrong_task = write("wrong.txt", "check: valid(");
    let start = folder.join("start.ir").display().to_string();
    let solution = DIAMOND.replace("^2:\n  return %x_2", "^2:\n  goto ^5(%x_2)");
    let solution = write("solution.ir", &solution);
    let run = |args: &[&str]| {
        let output =
            std::process::Command::new(env!("CARGO_BIN_EXE_vitrine")).arg("judge").args(args).output();
        let output = output.expect("the command runs");
        (output.status.code(), String::from_utf8_lossy(&output.stdout).into_owned())
    };
    let (code, out) = run(&[&task, &start]);
    assert!(code == Some(1) && out.ends_with("not solved\n") && out.contains("fail  not dominates"), "{out}");
    let (code, out) = run(&[&task, &solution, "--json"]);
    let json: serde_json::Value = serde_json::from_str(&out).expect("the output is JSON");
    assert!(code == Some(0) && json["solved"] == true && json["findings"][1]["marks"][0] == "^1", "{out}");
    assert_eq!(run(&[&wrong_task, &start]).0, Some(2));
    assert_eq!(run(&[&task, "no-such-file.ir"]).0, Some(2));
}
