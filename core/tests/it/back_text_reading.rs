//! Languages like C: figures of how the texts of all modules read. They are printed, and pinned from above.
#![allow(clippy::print_stdout)] // the figures are output

use crate::testing::corpus::modules;
use crate::testing::written;
use vitrine_core::front::spirv::read;

/// The words of a text that begin with a letter or an underscore.
fn identifiers(text: &str) -> impl Iterator<Item = &str> {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    text.split(move |c| !is_part(c))
        .filter(|word| word.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_'))
}

/// Returns true for a name that is only a number of the writer: `v12`, `r3`, `local_4`, `function_5`.
fn is_anonymous(name: &str) -> bool {
    ["v", "r", "local_", "function_", "storage_", "uniform_", "push_", "handle_", "member_", "constant_"]
        .iter()
        .any(|start| {
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
    // All texts, and those of modules that name their local variables.
    let (mut texts, mut count) = ([0usize; 2], [(0usize, 0usize); 2]);
    for item in &modules() {
        let module = read(&item.bytes()).module;
        let Ok(text) = written::text(item, "glsl") else { continue };
        let has_names = module.vars().any(|(_, var)| var.owner.is_some() && var.name.is_some());
        for kind in 0..1 + usize::from(has_names) {
            texts[kind] += 1;
            for name in identifiers(&text) {
                count[kind].0 += usize::from(is_anonymous(name));
                count[kind].1 += 1;
            }
        }
    }
    let per_mille = count.map(|(anonymous, all)| anonymous * 1000 / all.max(1));
    println!("{texts:?} texts: {count:?} identifiers are numbers, {per_mille:?} in 1000");
    let most = if texts[0] > 300 { MOST_OF_ALL } else { MOST_OF_OWN };
    let is_few = per_mille.iter().zip(most).all(|(&is, most)| is <= most);
    assert!(texts[1] > 40 && is_few, "{per_mille:?} of 1000 identifiers are numbers");
}

/// The most identifiers of 1000 that are only numbers: of all texts, and of those of modules that name local variables; in the
/// own corpus, and in both.
const MOST_OF_OWN: [usize; 2] = [130, 108];
const MOST_OF_ALL: [usize; 2] = [275, 100];
