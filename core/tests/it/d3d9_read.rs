//! Meaning of programs of shader models 1 to 3: small programs, read and run, before and after optimization.

use vitrine_core::back::{Source, all_funcs, named};
use vitrine_core::back::{SpirvOptions, write_spirv};
use vitrine_core::front::{self, Choices};
use vitrine_core::interp::{InvocationEnd, Named, OutKey, run, seeded};
use vitrine_core::ir::Module;
use vitrine_core::pipeline::{Pipeline, write};
use vitrine_core::text::print_module;
use vitrine_core::validate::validate;

/// Reads a program without errors.
#[track_caller]
fn read(text: &str) -> Module {
    let (_, read) = front::read(text.as_bytes());
    assert!(read.diags.is_empty(), "{:?}\n{text}", read.diags);
    read.module
}

/// The color that the first pixel has, with inputs by name; none if it is discarded.
#[track_caller]
fn color_of(module: &Module, inputs: &str) -> Option<[f32; 4]> {
    let mut given = seeded(module, 0, 1);
    let wrong = Named::new(module, 0, &given).assign_all(&mut given, inputs);
    assert!(wrong.is_empty(), "{wrong:?}");
    let outcome = run(module, 0, &given).expect("it runs");
    assert!(outcome.is_defined(), "{:?}", outcome.reports);
    let first = outcome.invocations.values().next().expect("an invocation");
    let component = |at| {
        let bits = first.outputs.get(&OutKey::Location(0, at, 0)).copied().flatten();
        bits.map_or(f32::NAN, |bits| f32::from_bits(bits as u32))
    };
    (first.end == InvocationEnd::Returned).then(|| [0, 1, 2, 3].map(component))
}

/// The same of a text, which optimization must not change.
#[track_caller]
fn color(text: &str, inputs: &str) -> Option<[f32; 4]> {
    let module = read(text);
    let plain = color_of(&module, inputs);
    let pipeline = Pipeline::parse("ingest, O2").expect("a pipeline");
    let optimized = pipeline.run(&module, None).expect("it runs");
    assert_eq!(validate(&optimized), []);
    assert_eq!(color_of(&optimized, inputs), plain, "optimized\n{text}");
    plain
}

#[test]
fn operands_have_masks_swizzles_and_modifiers() {
    let head = "ps_3_0\ndef c0, 1, 2, -3, 0.5\nmov r0, c0\n";
    for (code, wanted) in [
        ("mov oC0, r0.wzyx", [0.5, -3.0, 2.0, 1.0]),
        ("mov oC0, r0\nmov oC0.yw, r0.x", [1.0, 1.0, -3.0, 1.0]),
        ("mov r1, c0.x\nadd r1.xz, r0, c0.xyzy\nmov oC0, r1", [2.0, 1.0, -6.0, 1.0]),
        ("mov_sat oC0, r0", [1.0, 1.0, 0.0, 0.5]),
        ("mov oC0, -r0_abs", [-1.0, -2.0, -3.0, -0.5]),
        ("mad oC0, r0, c0.y, c0.x", [3.0, 5.0, -5.0, 2.0]),
        ("dp3 r1, r0, r0\nmov oC0, r1", [14.0; 4]),
        ("dp2add oC0, r0, r0, c0.w", [5.5; 4]),
        ("crs r1.xyz, r0, c0.yxxx\nmov r1.w, c0.x\nmov oC0, r1", [5.0, -7.0, -3.0, 1.0]),
        ("cmp oC0, r0, c0.x, c0.y", [1.0, 1.0, 2.0, 1.0]),
        ("lrp oC0, c0.w, r0, c0.x", [1.0, 1.5, -1.0, 0.75]),
    ] {
        assert_eq!(color(&format!("{head}{code}\n"), ""), Some(wanted), "{code}");
    }
}

#[test]
fn loops_count_by_their_constant() {
    let text = "ps_3_0\ndef c0, 0, 1, 0, 0\nmov r0, c0.x\nmov r1.x, c0.x\nrep i0\nadd r0, r0, r1.x\nadd r1.x, r1.x, c0.y\nendrep\nmov oC0, r0\n";
    for (count, wanted) in [(-1, 0.0), (0, 0.0), (1, 0.0), (16, 120.0), (255, 32385.0)] {
        assert_eq!(color(text, &format!("i.i[0].x = {count}")), Some([wanted; 4]), "{count}");
    }
}

#[test]
fn the_counter_of_a_loop_is_an_address_and_nested_loops_have_their_own() {
    let text = "vs_3_0\ndef c4, 0, 1, 0, 0\ndcl_position o0\ndcl_color o1\ndefi i0, 2, 1, 2, 0\ndefi i1, 2, 0, 1, 0\nmov o0, c4.x\nmov r0, c4.x\nloop aL, i0\nloop aL, i1\nadd r0, r0, c0[aL]\nendloop\nadd r0, r0, c0[aL]\nendloop\nmov o1, r0\n";
    // Twice c0 + c1, then c1 and c3.
    let inputs = "c.c[0] = (1, 1, 1, 1)\nc.c[1] = (10, 10, 10, 10)\nc.c[3] = (1000, 1000, 1000, 1000)";
    assert_eq!(color(text, inputs), Some([1032.0; 4]));
}

#[test]
fn exits_subroutines_and_predicates_change_the_flow() {
    let text = "ps_3_0\ndef c0, 0, 1, 5, 100\ndefi i0, 100, 0, 0, 0\nmov r0, c0.x\nrep i0\nadd r0, r0, c0.y\nbreak_ge r0.x, c0.z\nendrep\nsetp_gt p0, r0, c0.w\nif p0.x\ncall l0\nelse\ncallnz l1, !p0.x\nendif\nmov oC0, r0\nret\nlabel l0\nmov r0, c0.x\nret\nlabel l1\nadd r0, r0, c0.w\nret\n";
    assert_eq!(color(text, ""), Some([105.0; 4]));
    let text = "ps_3_0\ndef c0, 0, 1, -1, 3\nmov r0, c0.x\nmov r1, c0\nsetp_ge p0, r1, c0.y\n(p0) mov r0, c0.w\n(!p0.x) add r0.yz, r0, c0.y\nmov oC0, r0\n";
    assert_eq!(color(text, ""), Some([0.0, 4.0, 1.0, 3.0]));
}

#[test]
fn code_after_an_exit_is_skipped_with_its_blocks() {
    let text = "ps_3_0\ndef c0, 7, 1, 0, 0\ndefi i0, 4, 0, 0, 0\nmov r0, c0.x\nrep i0\nbreak\nif_gt r0.x, c0.y\nadd r0, r0, c0.y\nelse\nrep i0\nendrep\nendif\nendrep\nmov oC0, r0\n";
    assert_eq!(color(text, ""), Some([7.0; 4]));
}

#[test]
fn pairs_of_model_1_read_before_they_write() {
    let text = "ps_1_1\ndef c0, 0.25, 0.5, 1, 1\nmov r0, c0\nmov r0.rgb, r0.a\n+mov r0.a, r0.b\n";
    assert_eq!(color(text, ""), Some([1.0; 4]));
    let text =
        "ps_1_4\ndef c0, 0.25, 0.5, 0, 1\nmov r0, c0\nmul_x2 r0.rgb, 1-r0, c0_bias\n+mov_d4 r0.a, c0.a\n";
    assert_eq!(color(text, ""), Some([-0.375, 0.0, -1.0, 0.25]));
}

#[test]
fn a_pixel_is_discarded_by_the_components_of_the_version() {
    for (version, mask, wanted) in
        [("ps_2_0", ".xyzw", true), ("ps_3_0", ".xyzw", false), ("ps_3_0", ".xy", true)]
    {
        let mask = if mask == ".xyzw" { "" } else { mask };
        let text = format!("{version}\ndef c0, 0, 1, 2, -1\nmov r0, c0\ntexkill r0{mask}\nmov oC0, c0\n");
        assert_eq!(color(&text, "").is_some(), wanted, "{text}");
    }
}

#[test]
fn a_read_outside_of_the_constants_gives_zero() {
    let text = "vs_2_0\ndef c4, 300, 1, 0, 0\nmova a0.x, c4.x\nmov oPos, c4.x\nadd oD0, c4.y, c10[a0.x]\n";
    assert_eq!(color(text, ""), Some([1.0; 4]));
}

#[test]
fn products_with_zero_are_zero_by_choice() {
    const NAN: f32 = f32::NAN;
    let constants = [["0", "-0.0", "inf", "nan"], ["inf", "nan", "0", "0"], ["1", "2", "3", "4"]];
    let name = |at: usize| format!("c.c[{}].{}", at / 4, ["x", "y", "z", "w"][at % 4]);
    let inputs: String =
        (0..12).map(|at| format!("{} = {}\n", name(at), constants[at / 4][at % 4])).collect();
    for (code, usual, by_choice) in [
        ("mul oC0, r0, r1", [NAN; 4], [0.0; 4]),
        ("mad oC0, r0, r1, r2", [NAN; 4], [1.0, 2.0, 3.0, 4.0]),
        ("dp4 oC0, r0, r1", [NAN; 4], [0.0; 4]),
        ("dp3 oC0, r2, r2", [14.0; 4], [14.0; 4]),
        ("lrp oC0, r0.x, r1.x, r2", [NAN; 4], [1.0, 2.0, 3.0, 4.0]),
        ("dp2add oC0, r0, r1, r2.w", [NAN; 4], [4.0; 4]),
        (
            "crs r3.xyz, r0, r1\nmov r3.w, r2.x\nmov oC0, r3",
            [NAN, f32::INFINITY, NAN, 1.0],
            [NAN, f32::INFINITY, 0.0, 1.0],
        ),
    ] {
        let text = format!("ps_3_0\nmov r0, c0\nmov r1, c1\nmov r2, c2\n{code}\n");
        for (zero_products, wanted) in [(false, usual), (true, by_choice)] {
            let (_, read) = front::read_with(text.as_bytes(), Choices { zero_products });
            assert!(read.diags.is_empty(), "{:?}\n{text}", read.diags);
            for (pipeline, writes) in [
                ("", false),
                ("ingest, O2", false),
                ("lower-alu, ingest, O2", false),
                ("", true),
                ("ingest, O2", true),
            ] {
                let pipeline = Pipeline::parse(pipeline).expect("a pipeline");
                let mut module = pipeline.run(&read.module, None).expect("it runs");
                if writes {
                    let words = write_spirv(&module, SpirvOptions::default()).expect("it is written");
                    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
                    module = front::read(&bytes).1.module;
                }
                assert_eq!(validate(&module), []);
                let color = color_of(&module, &inputs).expect("a color");
                let is_same = |(a, b): (f32, f32)| a == b || a.is_nan() && b.is_nan();
                let same = color.into_iter().zip(wanted).all(is_same);
                assert!(same, "{color:?}, not {wanted:?}: {pipeline:?}, written: {writes}\n{text}");
            }
        }
    }
}

#[test]
fn partial_precision_is_kept_through_the_ir() {
    let text = "ps_2_0\ndcl t0\ndcl_2d s0\ntexld_pp r0, t0, s0\nadd r1, t0, c0\nmul_sat_pp r0, r0, r1\nmov oC0, r0\n";
    let optimized =
        Pipeline::parse("ingest, O2").expect("a pipeline").run(&read(text), None).expect("it runs");
    let printed = print_module(&optimized);
    for wanted in ["= fmul relaxed", "= fsat relaxed", "= fadd %"] {
        assert!(printed.contains(wanted), "{wanted}\n{printed}");
    }
    let backend = named("d3d9-sm2-asm").expect("a back end");
    let funcs = all_funcs(&optimized);
    let written = write(&Source::new(&optimized, &funcs), backend, false).expect("it is written");
    let assembly = String::from_utf8(written.bytes).expect("a text");
    for wanted in ["texld_pp", "mul_sat_pp", "add r"] {
        assert!(assembly.contains(wanted), "{wanted}\n{assembly}");
    }
}

#[test]
fn what_does_not_fit_is_reported_where_it_is() {
    for (text, code) in [
        ("ps_3_0\nif b0\nmov oC0, c0\n", "D131"),
        ("ps_3_0\nendrep\nmov oC0, c0\n", "D131"),
        ("ps_3_0\nbreak\nmov oC0, c0\n", "D131"),
        ("ps_3_0\nmov c0, c1\n", "D133"),
        ("ps_3_0\nmov oC0, s0\n", "D132"),
        ("ps_3_0\ncall l3\nret\n", "D136"),
        ("ps_3_0\nret\nlabel l0\ncall l0\nret\n", "D136"),
        ("ps_1_1\ntexm3x3tex t2, t0\nmov r0, t2\n", "D135"),
    ] {
        let (_, read) = front::read(text.as_bytes());
        let found = read.diags.iter().find(|diag| diag.code == code);
        let found = found.unwrap_or_else(|| panic!("{text}: {:?}", read.diags));
        assert!(found.place.is_some_and(|place| place.line > 1), "{text}: {found}");
    }
}

#[test]
fn destinations_without_components_and_of_odd_files_do_not_panic() {
    // `mov r0, c0` and `texld r0, v0, s0` with empty masks, then `tex` of a sampler in ps_1_1.
    for words in [
        &[
            0xffff_0300_u32,
            0x0200_0001,
            0x8000_0000,
            0xa0e4_0000,
            0x0300_0042,
            0x8000_0000,
            0x90e4_0000,
            0xa0e4_0800,
            0xffff,
        ][..],
        &[0xffff_0101, 0x0000_0042, 0xa00f_0800, 0xffff],
    ] {
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        let (_, read) = front::read(&bytes);
        assert!(read.module.entries.len() == 1, "{:?}", read.diags);
    }
}
