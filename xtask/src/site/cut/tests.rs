//! Small programs are cut, run in an interpreter, and must do what they do whole.

use std::collections::BTreeMap;
use std::ops::Range;

use wasmi::{AsContextMut, Caller, Engine, Extern, Func, Instance, Module, Store, Val};

use super::plan::Part;
use super::split::{Cut, split};

/// What a program sees of the world: its modules, and what it did.
#[derive(Default)]
struct World {
    modules: Vec<Vec<u8>>,
    before: Vec<Option<Part>>,
    instances: BTreeMap<Part, Instance>,
    /// Parts, in the order in which they were asked for.
    asked: Vec<i32>,
    noted: Vec<i32>,
}

/// A program that runs.
struct Running(Store<World>);

const HEAD: &str = r#"
    (import "js" "load" (func $load (param i32)))
    (import "js" "note" (func $note (param i32)))
    (memory 1)
    (func $missing (export "missing") (param i32) (call $load (local.get 0)))
"#;

/// Cuts a program by the first letter of the names of its functions: `b` and `c` name the parts 1 and 2, and `c`
/// stands on `b`. It has load, note and missing.
fn cut(program: &str, data: &[(Range<u32>, Part)]) -> Running {
    let whole = wat::parse_str(format!("(module {HEAD} {program})")).unwrap();
    let before = [None, Some(0), Some(1)];
    let part = |name: Option<&str>| match name.and_then(|name| name.chars().next()) {
        Some('b') => 1,
        Some('c') => 2,
        _ => 0,
    };
    let cut = Cut { program: &whole, before: &before, part: &part, data, missing: "missing" };
    let modules = split(&cut).unwrap();
    assert_eq!(modules, split(&cut).unwrap(), "the same input gives the same bytes");
    let world = World { modules, before: before.to_vec(), ..World::default() };
    let mut store = Store::new(&Engine::default(), world);
    join(&mut store, 0);
    Running(store)
}

/// As `www/program.js` does.
fn join(store: &mut impl AsContextMut<Data = World>, part: Part) {
    let world = store.as_context();
    let world = world.data();
    if world.instances.contains_key(&part) {
        return;
    }
    let (before, bytes) = (world.before[part], world.modules[part].clone());
    if let Some(before) = before {
        join(store, before);
    }
    let module = Module::new(store.as_context().engine(), bytes).unwrap();
    let imports: Vec<Extern> = module
        .imports()
        .map(|import| match (import.module(), import.name()) {
            ("js", "load") => Func::wrap(&mut *store, |mut caller: Caller<'_, World>, part: i32| {
                caller.data_mut().asked.push(part);
                join(&mut caller, part as Part);
            })
            .into(),
            ("js", "note") => Func::wrap(&mut *store, |mut caller: Caller<'_, World>, what: i32| {
                caller.data_mut().noted.push(what);
            })
            .into(),
            (from, name) => {
                let from = store.as_context().data().instances[&from.parse().unwrap()];
                from.get_export(&*store, name).unwrap()
            }
        })
        .collect();
    let instance = Instance::new(&mut *store, &module, &imports).unwrap();
    store.as_context_mut().data_mut().instances.insert(part, instance);
}

impl Running {
    fn call(&mut self, name: &str, args: &[Val], results: &mut [Val]) {
        let func = self.0.data().instances[&0].get_func(&self.0, name).unwrap();
        func.call(&mut self.0, args, results).unwrap();
    }

    /// Calls a function from numbers to a number.
    fn number(&mut self, name: &str, args: &[i32]) -> i32 {
        let args: Vec<Val> = args.iter().map(|arg| Val::I32(*arg)).collect();
        let mut result = [Val::I32(0)];
        self.call(name, &args, &mut result);
        result[0].i32().unwrap()
    }

    fn asked(&self) -> &[i32] {
        &self.0.data().asked
    }
}

#[test]
fn values_of_every_type_go_through() {
    let mut program = cut(
        r#"(table 0 funcref)
        (func $b (export "b") (param i32 i64 f32 f64) (result i32 i64 f32 f64)
            (i32.add (local.get 0) (i32.const 1)) (local.get 1) (local.get 2) (local.get 3))"#,
        &[],
    );
    let mut results = [Val::I32(0), Val::I64(0), Val::F32(0.0.into()), Val::F64(0.0.into())];
    let args = [Val::I32(6), Val::I64(1 << 40), Val::F32(0.5.into()), Val::F64((-2.5).into())];
    for _ in 0..2 {
        program.call("b", &args, &mut results);
        assert_eq!([results[0].i32().unwrap() as i64, results[1].i64().unwrap()], [7, 1 << 40]);
        assert_eq!([results[2].f32().unwrap().to_float(), 0.5], [0.5; 2]);
        assert_eq!(results[3].f64().unwrap().to_float(), -2.5);
    }
    assert_eq!(program.asked(), [1], "and its part is asked for once");
}

#[test]
fn calls_go_both_ways_and_round() {
    // `a` and `b` and `c` call each other; what comes from outside is called from a part.
    let mut program = cut(
        r#"(table 0 funcref)
        (func $a (export "a") (param i32) (result i32)
            (if (result i32) (local.get 0) (then (call $b (i32.sub (local.get 0) (i32.const 1)))) (else (i32.const 100))))
        (func $b (param i32) (result i32)
            (call $note (local.get 0))
            (if (result i32) (local.get 0) (then (call $c (i32.sub (local.get 0) (i32.const 1)))) (else (i32.const 200))))
        (func $c (param i32) (result i32)
            (if (result i32) (local.get 0) (then (call $a (i32.sub (local.get 0) (i32.const 1)))) (else (call $b2))))
        (func $b2 (result i32) i32.const 300)"#,
        &[],
    );
    assert_eq!(
        [program.number("a", &[0]), program.asked().len() as i32],
        [100, 0],
        "nothing is asked for too early"
    );
    assert_eq!([1, 2, 3, 5].map(|steps| program.number("a", &[steps])), [200, 300, 100, 300]);
    assert_eq!(program.asked(), [1, 2]);
    assert_eq!(program.0.data().noted, [0, 1, 2, 4, 1]);
}

#[test]
fn a_part_brings_the_one_before_it() {
    let mut program = cut(
        r#"(table 0 funcref)
        (func $c (export "c") (result i32) (call $b))
        (func $b (export "b") (result i32) i32.const 8)"#,
        &[],
    );
    assert_eq!([program.number("c", &[]), program.number("b", &[])], [8; 2]);
    assert_eq!(program.asked(), [2]);
}

#[test]
fn an_address_stays_the_same() {
    // The table is called at all places, before and after the part of each is there.
    let mut program = cut(
        r#"(table 5 funcref) (elem (i32.const 1) $b $a $c $b)
        (type $op (func (param i32) (result i32)))
        (func $a (type $op) (i32.add (local.get 0) (i32.const 10)))
        (func $b (type $op) (i32.mul (local.get 0) (i32.const 3)))
        (func $c (type $op) (call_indirect (type $op) (local.get 0) (i32.const 1)))
        (func $at (export "call") (param i32 i32) (result i32)
            (call_indirect (type $op) (local.get 1) (local.get 0)))"#,
        &[],
    );
    for _ in 0..2 {
        assert_eq!([1, 2, 3, 4].map(|slot| program.number("call", &[slot, 7])), [21, 17, 21, 21]);
    }
    assert_eq!(program.asked(), [1, 2]);
}

#[test]
fn memory_and_globals_are_shared() {
    let mut program = cut(
        r#"(table 0 funcref) (global $sum (mut i32) (i32.const 5))
        (func $b (export "b") (result i32)
            (global.set $sum (i32.add (global.get $sum) (i32.load (i32.const 64))))
            (i32.store (i32.const 64) (i32.const 2))
            (global.get $sum))
        (func $a (export "a") (result i32) (i32.add (global.get $sum) (i32.load (i32.const 64))))
        (data (i32.const 64) "\01\00\00\00")"#,
        &[],
    );
    assert_eq!([program.number("b", &[]), program.number("a", &[]), program.number("b", &[])], [6, 8, 8]);
}

#[test]
fn data_comes_with_its_part_and_changes_nothing_else() {
    let mut program = cut(
        r#"(table 0 funcref)
        (func $a (export "a") (param i32) (result i32) (i32.load8_u (local.get 0)))
        (func $set (export "set") (param i32 i32) (result i32) (i32.store8 (local.get 0) (local.get 1)) (i32.const 0))
        (func $b (export "b") (param i32) (result i32) (i32.load8_u (local.get 0)))
        (data (i32.const 16) "abcdef") (data (i32.const 32) "xyz")"#,
        &[(17..19, 1), (19..20, 1), (32..34, 2)],
    );
    assert_eq!([16, 17, 19, 20, 32, 34].map(|at| program.number("a", &[at])), [97, 0, 0, 101, 0, 122]);
    program.number("set", &[20, 7]);
    assert_eq!([16, 17, 18, 19, 20].map(|at| program.number("b", &[at])), [97, 98, 99, 100, 7]);
    assert_eq!(program.number("a", &[32]), 0, "it comes with the other part");
}

#[test]
fn the_start_function_runs_once_and_first() {
    let mut program = cut(
        r#"(table 0 funcref) (start $begin)
        (func $begin (call $b_begin)) (func $b_begin (call $note (i32.const 1)))
        (func $b (export "b") (result i32) (call $b_begin) (i32.const 4))"#,
        &[],
    );
    assert_eq!((program.0.data().noted.len(), program.asked().len()), (1, 0), "with what it calls");
    assert_eq!(program.number("b", &[]), 4);
    assert_eq!(program.0.data().noted, [1, 1]);
}
