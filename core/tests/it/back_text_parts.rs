//! Modules with several entry points as GLSL, GLSL ES, HLSL and Metal: each part of the text is accepted by the compiler of the
//! language, and computes the same as its entry point.
#![allow(clippy::print_stdout)] // the counts are output

use crate::back_text::{Outcome, judge_text, stage_name};
use crate::back_text_essl;
use crate::back_text_hlsl::profile;
use crate::testing::corpus::modules;
use crate::testing::dxc::Dxc;
use crate::testing::glslang::Glslang;
use crate::testing::metal::Metal;
use vitrine_core::back::{Source, WriteOptions, Written, all_funcs, named};
use vitrine_core::front::spirv::read;
use vitrine_core::ir::{Diag, Module};
use vitrine_core::pipeline::write;
use vitrine_core::text::parse;

/// The text of a module, or of one of its entry points.
fn text(module: &Module, language: &str, entry: Option<u32>) -> Result<String, Vec<Diag>> {
    let backend = named(language).expect("the back end exists");
    let funcs = all_funcs(module);
    let options = WriteOptions { entry, ..WriteOptions::default() };
    let source = Source { options, ..Source::new(module, &funcs) };
    write(&source, backend, false).map(Written::into_text)
}

/// A text whose macro selects an entry point.
fn part(text: &str, number: usize) -> String {
    text.replacen("#ifndef ENTRY", &format!("#undef ENTRY\n#define ENTRY {number}\n#ifndef ENTRY"), 1)
}

/// Two entry points that write the same output in stages with other system values.
const PAIR: &str = "module capability \"Shader\"\nmodule memory \"GLSL450\"\n\nin $at_0: f32x4 {location 0}\n\
    out $position_1: f32x4 {builtin position}\nout $color_2: f32x4 {location 0}\n\n\
    entry vertex \"first\" @v_0 ($at_0, $position_1)\nentry fragment \"second\" @f_1 ($at_0, $color_2) {origin_upper_left}\n\n\
    func @v_0() tree {\n^0:\n  %0: path = deref.var $at_0\n  %1: b32x4 = load %0\n  %2: path = deref.var $position_1\n  \
    %3 = store %2, %1\n  return\n}\n\n\
    func @f_1() tree {\n^0:\n  %0: path = deref.var $at_0\n  %1: b32x4 = load %0\n  %2: path = deref.var $color_2\n  \
    %3 = store %2, %1\n  return\n}\n";

#[test]
fn a_text_has_a_part_for_each_entry_point_or_the_chosen_one() {
    let parsed = parse(PAIR);
    assert!(parsed.diags.is_empty(), "{:?}", parsed.diags);
    for language in ["glsl", "essl", "essl-310", "hlsl", "msl"] {
        let all = text(&parsed.module, language, None).expect("it is written");
        for line in
            ["#define ENTRY 0", "#if ENTRY == 0 // vertex first", "#elif ENTRY == 1 // fragment second"]
        {
            assert!(all.lines().any(|it| it == line), "{line} is missing:\n{all}");
        }
        let one = text(&parsed.module, language, Some(1)).expect("it is written");
        assert!(!one.contains("ENTRY") && !one.to_lowercase().contains("position"), "{one}");
        let none = text(&parsed.module, language, Some(2)).err().unwrap_or_default();
        let lists = |diag: &Diag| diag.code == "W201" && diag.to_string().contains("1 (fragment `second`)");
        assert!(none.iter().any(lists), "{none:?}");
    }
    let both = text(&parsed.module, "wgsl", None).expect("WGSL has both in one text");
    assert!(both.contains("fn first(") && both.contains("fn second("), "{both}");
    assert!(text(&parsed.module, "wgsl", Some(0)).is_ok());
}

#[test]
fn compilers_accept_every_part_of_a_text() {
    let (glslang, dxc, metal) = (Glslang::new("back-text-parts"), Dxc::new(), Metal::new());
    let options = &["-fspv-target-env=vulkan1.3", "-fvk-use-dx-layout", "-fvk-use-dx-position-w"];
    let (mut wrong, mut refused) = (Vec::new(), Vec::new());
    let mut written = [0usize; 4];
    let mut same = 0;
    let mut count = 0;
    for item in modules() {
        let module = read(&item.bytes()).module;
        if module.entries.len() < 2 {
            continue;
        }
        count += 1;
        for (language, name) in ["glsl", "hlsl", "msl", "essl-310"].into_iter().enumerate() {
            let all = match text(&module, name, None) {
                Ok(all) => all,
                Err(diags) => {
                    refused.push(format!("{} {name}: {}", item.file, diags[0]));
                    continue;
                }
            };
            written[language] += 1;
            let parts: Vec<String> = (0..module.entries.len()).map(|at| part(&all, at)).collect();
            if name == "msl" && metal.installed {
                let texts: Vec<&str> = parts.iter().map(String::as_str).collect();
                let errors = metal.judge(1_000_000 + count, &texts);
                wrong.extend(errors.into_iter().flatten().map(|it| format!("{} {name}: {it}", item.file)));
            }
            for (entry, part) in module.entries.iter().zip(&parts) {
                if name == "hlsl"
                    && dxc.installed
                    && let Some(profile) = profile(entry.stage)
                    && let Err(error) = dxc.compile_apart(part, profile, options)
                {
                    wrong.push(format!("{} {name} {}: {error:?}", item.file, entry.stage.name()));
                }
                let mut alone = module.clone();
                alone.entries = vec![entry.clone()].into();
                if name == "essl-310" {
                    let stage = back_text_essl::stage_name(entry.stage, name).expect("the stage is written");
                    let found =
                        back_text_essl::judge_text(alone, part, stage, &glslang, item.words() <= 6_000);
                    match found {
                        (back_text_essl::Outcome::Rejected | back_text_essl::Outcome::Differs, why) => {
                            wrong.push(format!("{} {name} {stage}: {why}", item.file));
                        }
                        (back_text_essl::Outcome::Same, _) => same += 1,
                        _ => {}
                    }
                    continue;
                }
                if name != "glsl" {
                    continue;
                }
                let stage = stage_name(entry.stage).expect("the stage is written");
                match judge_text(&alone, part, stage, &glslang, item.words() <= 6_000) {
                    (Outcome::Rejected | Outcome::Differs, why) => {
                        wrong.push(format!("{} {name} {stage}: {why}", item.file));
                    }
                    (Outcome::Same, _) => same += 1,
                    _ => {}
                }
            }
        }
    }
    println!(
        "{count} modules with several entry points, written as GLSL, HLSL, Metal, GLSL ES 3.10: {written:?}, {same} parts the same"
    );
    println!("{refused:#?}");
    assert!(wrong.is_empty(), "{} wrong\n{}", wrong.len(), wrong.join("\n"));
    let least = if modules().len() > 500 { LEAST_OF_ALL } else { LEAST_OF_OWN };
    assert!(written.iter().zip(least).all(|(&found, least)| found >= least), "{written:?}: {refused:#?}");
}

/// The least numbers of modules with several entry points that are written as GLSL, HLSL, Metal and GLSL ES 3.10, in the own
/// corpus and in both.
const LEAST_OF_OWN: [usize; 4] = [1, 1, 1, 1];
const LEAST_OF_ALL: [usize; 4] = [11, 11, 8, 7];
