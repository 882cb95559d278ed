//! GLSL of a module, compiled, read and written again: as many statements, the same results, and then the same text.
//!
//! A writer that leaves more behind at each turn (copies, temporaries, casts, blocks) is found by the number of statements. The
//! modules of which the text is rejected are those of `back_text`.
#![allow(clippy::print_stdout)] // the counts are output

use crate::back_text::{Outcome, judge_text, stage_name};
use crate::testing::corpus::{Item, large, modules};
use crate::testing::glslang::Glslang;
use crate::testing::written;
use vitrine_core::front::spirv::read;
use vitrine_core::ir::Module;
use vitrine_filetests::parallel::each;

/// Modules with more words are turned once, and not run.
const MOST_WORDS: usize = 1_500;

fn glsl(module: &Module) -> Option<String> {
    written::text_of(module, "glsl").ok()
}

/// The statements in the functions of a text: `;` that end one, and the words of `if`, `else`, loops, `switch` and `case`.
fn statements(text: &str) -> usize {
    let code: Vec<&str> = text.lines().map(|line| line.split("//").next().unwrap_or("")).collect();
    let (mut count, mut braces, mut parentheses, mut is_function) = (0, 0i32, 0i32, false);
    for line in code {
        // A function begins with a line like `float f(…) {` outside of every brace; blocks and structures have no parameters.
        if braces == 0 && line.ends_with('{') {
            is_function = line.contains('(') && !line.starts_with("layout");
        }
        for c in line.chars() {
            match c {
                '{' => braces += 1,
                '}' => braces -= 1,
                '(' => parentheses += 1,
                ')' => parentheses -= 1,
                ';' if is_function && braces > 0 && parentheses == 0 => count += 1,
                _ => {}
            }
        }
        let words = line.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_'));
        let heads = ["if", "else", "for", "while", "do", "switch", "case", "default"];
        count += words.filter(|word| is_function && braces > 0 && heads.contains(word)).count();
    }
    count
}

#[test]
fn statements_are_counted() {
    let text = "layout(set = 0) buffer B {\n  float x;\n};\n\nfloat f(float a) {\n  return a; // a; b;\n}\n\nvoid main() {\n  \
                for (int i = 0; i < 3; i++) {\n    if (i > 1) {\n      x += f(x);\n    } else {\n      break;\n    }\n  }\n}\n";
    assert_eq!(statements(text), 6);
}

/// A module after its turns.
struct Turned {
    file: String,
    /// The statements of the first and the second text.
    statements: [usize; 2],
    outcome: Outcome,
    why: String,
    /// The third text is the second.
    is_fixed: bool,
}

fn turned(item: &Item, glslang: &Glslang) -> Option<Turned> {
    let module = read(&item.bytes()).module;
    let [entry] = module.entries.as_slice() else { return None };
    let stage = stage_name(entry.stage)?;
    let first = written::text(item, "glsl").ok()?;
    let again = read(&glslang.compile(&first, stage).ok()?).module;
    let second = glsl(&again);
    let (outcome, why) = match &second {
        Some(second) => judge_text(&module, second, stage, glslang, item.words() <= MOST_WORDS),
        None => (Outcome::Refused, String::new()),
    };
    let second = second.unwrap_or_default();
    let third = (item.words() <= MOST_WORDS).then(|| glslang.compile(&second, stage).ok()).flatten();
    let third = third.and_then(|binary| glsl(&read(&binary).module));
    Some(Turned {
        file: item.file.clone(),
        statements: [statements(&first), statements(&second)],
        outcome,
        why,
        is_fixed: third.as_deref() == Some(&second),
    })
}

#[test]
fn a_text_that_is_read_again_has_as_many_statements_and_the_same_results() {
    let glslang = Glslang::new("back-text-turns");
    if !glslang.installed {
        return;
    }
    let items = modules();
    let mut found: Vec<Turned> = each(&items, |item| turned(item, &glslang)).into_iter().flatten().collect();
    found.sort_by(|a, b| a.file.cmp(&b.file));
    let sum = |at: usize| found.iter().map(|turned| turned.statements[at]).sum::<usize>();
    let near =
        |turned: &&Turned| turned.statements[0].abs_diff(turned.statements[1]) * 20 <= turned.statements[0];
    let (near, fixed) =
        (found.iter().filter(near).count(), found.iter().filter(|turned| turned.is_fixed).count());
    println!(
        "{} texts: {} statements, then {}; {near} within 5 %, {fixed} of the smaller ones have the same third text",
        found.len(),
        sum(0),
        sum(1)
    );
    for turned in found
        .iter()
        .filter(|turned| turned.statements[0].abs_diff(turned.statements[1]) * 20 > turned.statements[0])
    {
        println!("{}: {:?}", turned.file, turned.statements);
    }
    let wrong: Vec<String> = found
        .iter()
        .filter(|turned| !matches!(turned.outcome, Outcome::Same | Outcome::Accepted))
        .map(|turned| format!("{}: {:?}: {}", turned.file, turned.outcome, turned.why))
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(found.len() >= 90, "only {} texts", found.len());
    // Our own modules are made for single constructs, of which some have a longer form: the share is that of shaders.
    let most = if large().is_some() { 20 } else { 10 };
    assert!(sum(0).abs_diff(sum(1)) * most <= sum(0), "{} statements became {}", sum(0), sum(1));
}
