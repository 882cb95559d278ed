//! Properties of printing, parsing and validation on random modules, and on damaged texts, which must not cause a panic.
//!
//! `VITRINE_CASES` and `VITRINE_MUTANTS` raise the counts; `VITRINE_SEED` sets the first seed.

use crate::testing::random::rng::Rng;
use crate::testing::settings::setting;
use crate::testing::{mutate, random, same};
use std::collections::{BTreeMap, BTreeSet};
use vitrine_core::ir::{Diag, Diags, Level, Module};
use vitrine_core::ops::{BasicOp, Op};
use vitrine_core::text::{parse, print_module};
use vitrine_core::validate::validate;

/// The stack of a wasm worker.
const SMALL_STACK: usize = 1 << 20;

/// Runs on a stack as small as that of a browser.
fn on_a_small_stack(run: impl FnOnce() + Send + 'static) {
    let thread =
        std::thread::Builder::new().stack_size(SMALL_STACK).spawn(run).expect("a thread can be spawned");
    if let Err(panic) = thread.join() {
        std::panic::resume_unwind(panic);
    }
}

fn seeds(count: u64) -> std::ops::Range<u64> {
    let first = setting("VITRINE_SEED", 0);
    first..first + count
}

fn generate(seed: u64) -> Module {
    random::module(seed, random::size_of(seed))
}

/// The errors that the validator finds in the module.
fn errors(module: &Module) -> Diags {
    validate(module).into_iter().filter(|diag| diag.level == Level::Error).collect()
}

/// Errors with the line of the text that each refers to.
fn placed_errors(text: &str) -> String {
    let parsed = parse(text);
    let mut diags = validate(&parsed.module);
    parsed.map.place_all(&mut diags);
    let line = |diag: &Diag| {
        let line = diag.place.and_then(|place| text.lines().nth(place.line as usize - 1)).unwrap_or("");
        format!("{diag}\n    {}\n", line.trim())
    };
    diags.iter().map(line).collect()
}

#[test]
fn random_modules_are_valid() {
    // One example per code: the smallest text that shows it.
    let mut found: BTreeMap<&str, (usize, String)> = BTreeMap::new();
    for seed in seeds(setting("VITRINE_CASES", 2_000)) {
        let module = generate(seed);
        for diag in errors(&module) {
            let text = print_module(&module);
            let shown = || format!("seed {seed}:\n{}\n{text}", placed_errors(&text));
            if found.get(diag.code).is_none_or(|(len, _)| text.len() < *len) {
                found.insert(diag.code, (text.len(), shown()));
            }
        }
    }
    let all: String = found.into_iter().map(|(code, (_, shown))| format!("{code}: {shown}\n")).collect();
    assert!(all.is_empty(), "these modules should be valid\n{all}");
}

#[test]
fn printing_and_parsing_gives_the_same_module_with_the_same_ids() {
    for seed in seeds(setting("VITRINE_CASES", 2_000)) {
        let module = generate(seed);
        let text = print_module(&module);
        let parsed = parse(&text);
        assert!(parsed.diags.is_empty(), "seed {seed}: {}\n{text}", parsed.diags[0]);
        let again = print_module(&parsed.module);
        assert!(again == text, "seed {seed}: printing is not stable\n{}", first_difference(&text, &again));
        if let Some(difference) = same::difference(&module, &parsed.module) {
            panic!("seed {seed}: {difference}\n{text}");
        }
    }
}

#[test]
fn a_clone_shares_every_chunk() {
    for seed in seeds(200) {
        let module = generate(seed);
        let copy = module.clone();
        for (id, body) in module.funcs() {
            let other = copy.func(id).expect("a clone has every function");
            assert!(std::ptr::eq(body, other), "seed {seed}: {id} was copied");
            let (mine, theirs) = (body.tables(), other.clone());
            let theirs = theirs.tables();
            assert!(mine.insts.same_chunks(theirs.insts) && mine.blocks.same_chunks(theirs.blocks));
            assert!(mine.nodes.same_chunks(theirs.nodes) && mine.regions.same_chunks(theirs.regions));
        }
        assert_eq!(print_module(&copy), print_module(&module));
    }
}

#[test]
fn the_same_seed_gives_the_same_module() {
    for seed in seeds(100) {
        assert_eq!(print_module(&generate(seed)), print_module(&generate(seed)));
    }
}

/// Every operation must occur, since one that the generator cannot make would be untested.
#[test]
fn random_modules_use_every_operation() {
    let mut seen = BTreeSet::new();
    for seed in 0..4_000 {
        for (_, body) in generate(seed).funcs() {
            body.for_each_inst(|_, inst| {
                seen.insert(body.inst(inst).op);
            });
        }
    }
    let missing: Vec<&str> = Op::all().filter(|op| !seen.contains(op)).map(Op::name).collect();
    assert!(missing.is_empty(), "no random module has {missing:?}");
    assert!(seen.contains(&BasicOp::Param.into()));
}

#[test]
fn damaged_texts_give_diagnostics_and_no_panic() {
    let count = setting("VITRINE_MUTANTS", 20_000);
    on_a_small_stack(move || {
        let mut tally = Tally::default();
        for seed in seeds(count) {
            tally.add(damaged(seed));
        }
        if count > 20_000 {
            report(&format!("{tally:?}"));
        }
    });
}

/// Counts of damaged texts by outcome.
#[derive(Default, Debug)]
struct Tally {
    refused_by_the_parser: u64,
    refused_by_the_validator: u64,
    fine: u64,
}

enum Outcome {
    Refused,
    Invalid,
    Fine,
}

impl Tally {
    fn add(&mut self, outcome: Outcome) {
        match outcome {
            Outcome::Refused => self.refused_by_the_parser += 1,
            Outcome::Invalid => self.refused_by_the_validator += 1,
            Outcome::Fine => self.fine += 1,
        }
    }
}

fn damaged(seed: u64) -> Outcome {
    let mut rng = Rng::new(seed ^ 0xdead_beef_0000_0000);
    // Forty mutants of each module, since generating a module costs more than parsing it.
    let whole = print_module(&generate(seed / 40));
    let text = mutate::mutate(&mut rng, &whole);
    let parsed = match std::panic::catch_unwind(|| outcome(&text)) {
        Ok(parsed) => parsed,
        Err(panic) => {
            report(&format!("seed {seed} panics; the text is\n{text}"));
            std::panic::resume_unwind(panic)
        }
    };
    match parsed {
        Ok(outcome) => outcome,
        Err(why) => panic!("seed {seed}: {why}"),
    }
}

fn outcome(text: &str) -> Result<Outcome, String> {
    let parsed = parse(text);
    if !parsed.diags.is_empty() {
        return match parsed.diags.iter().find(|diag| diag.place.is_none()) {
            Some(diag) => Err(format!("a diagnostic has no position: {diag}\n{text}")),
            None => Ok(Outcome::Refused),
        };
    }
    if !errors(&parsed.module).is_empty() {
        return Ok(Outcome::Invalid);
    }
    let once = print_module(&parsed.module);
    let again = parse(&once);
    if let Some(diag) = again.diags.first() {
        return Err(format!("printed text is rejected: {diag}\n{once}"));
    }
    match same::difference(&parsed.module, &again.module) {
        Some(difference) => Err(format!("{difference}\n{once}")),
        None => Ok(Outcome::Fine),
    }
}

#[test]
fn deep_nesting_needs_only_a_small_stack() {
    on_a_small_stack(|| {
        let deep = 100_000;
        for open in [
            "block !0 {\n",
            "  block {\n  ^0:\n",
            "if %0 {\n^1:\n",
            "switch %0 {\ncase 1 {\n^1:\n",
            "loop {\n^1:\n",
        ] {
            read(&format!("func @0() tree {{\n^0:\n{}", open.repeat(deep)));
        }
        for open in ["[", "ptr<private, ", "mat<", "(", "{"] {
            read(&format!("private $0: {}", open.repeat(deep)));
            read(&format!("private $0: {}f32{}", open.repeat(deep), " * 2]".repeat(deep)));
            read(&format!("const &0 = parts {}", open.repeat(deep)));
        }
        nested_well(deep);
    });
}

/// Checks that legal nesting is valid and survives a round trip.
fn nested_well(deep: usize) {
    let mut text = String::from("func @0() tree {\n^0:\n");
    for at in 0..deep {
        text.push_str(&format!("block !{at} {{\n^{}:\n", at + 1));
    }
    for at in (0..deep).rev() {
        text.push_str(&format!("next\n}}\n^{}:\n", 2 * deep - at));
    }
    text.push_str("return\n}\n");
    let parsed = parse(&text);
    assert!(parsed.diags.is_empty(), "{}", parsed.diags[0]);
    assert_eq!(errors(&parsed.module), []);
    let printed = print_module(&parsed.module);
    assert_eq!(print_module(&parse(&printed).module), printed);
}

fn read(text: &str) {
    let parsed = parse(text);
    validate(&parsed.module);
    print_module(&parsed.module);
}

/// Reports progress of a long run, or a failure.
fn report(text: &str) {
    use std::io::Write;
    let _ = writeln!(std::io::stderr(), "{text}");
}

fn first_difference(a: &str, b: &str) -> String {
    match a.lines().zip(b.lines()).enumerate().find(|(_, (a, b))| a != b) {
        Some((at, (a, b))) => format!("line {}:\n- {a}\n+ {b}", at + 1),
        None => "one is longer".to_owned(),
    }
}
