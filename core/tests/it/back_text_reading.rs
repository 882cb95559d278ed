//! Languages like C: figures of how the texts of all modules read. They are printed, and pinned from above.
#![allow(clippy::print_stdout)] // the figures are output

use crate::testing::corpus::modules;
use vitrine_core::back::{Source, Written, all_funcs, named};
use vitrine_core::front::spirv::read;
use vitrine_core::pipeline::write;

/// The words of a text that begin with a letter or an underscore.
fn identifiers(text: &str) -> impl Iterator<Item = &str> {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    text.split(move |c| !is_part(c))
        .filter(|word| word.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_'))
}

/// Returns true for a name that is only a number of the writer: `v12`, `r3`, `local_4`, `function_5`.
fn is_anonymous(name: &str) -> bool {
    ["v", "r", "local_", "function_", "var_"].iter().any(|start| {
        name.strip_prefix(start)
            .is_some_and(|rest| !rest.is_empty() && rest.chars().all(|c| c.is_ascii_digit() || c == '_'))
    })
}

#[test]
fn names_that_are_only_numbers_are_counted() {
    let found: Vec<&str> = identifiers("float v12 = color1 + r0 * local_3; for (i = 0xfu; ; ) {}").collect();
    assert_eq!(found, ["float", "v12", "color1", "r0", "local_3", "for", "i"]);
    assert_eq!(found.iter().filter(|name| is_anonymous(name)).count(), 3);
}

#[test]
fn few_identifiers_are_numbers() {
    let backend = named("glsl").expect("the back end exists");
    let (mut all, mut anonymous, mut texts) = (0usize, 0usize, 0usize);
    for item in &modules() {
        let module = read(&item.bytes()).module;
        let funcs = all_funcs(&module);
        let Ok(text) = write(&Source::new(&module, &funcs), backend, false).map(Written::into_text) else {
            continue;
        };
        texts += 1;
        for name in identifiers(&text) {
            all += 1;
            anonymous += usize::from(is_anonymous(name));
        }
    }
    let per_mille = anonymous * 1000 / all.max(1);
    println!("{texts} texts: {anonymous} of {all} identifiers are numbers, {per_mille} in 1000");
    assert!(texts > 80 && per_mille <= MOST_PER_MILLE, "{per_mille} of 1000 identifiers are numbers");
}

/// The most identifiers of 1000 that are only numbers.
const MOST_PER_MILLE: usize = 195;
