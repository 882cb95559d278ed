//! Former names of passes and their options. Links and stored pipelines keep working: a former name is read as the
//! current one, and only the current one is printed.
//!
//! The only such table for pipelines. A former name is never given to another pass.

/// Former and current names of passes.
const NAMES: &[(&str, &str)] = &[
    ("move", "opt-move"),
    ("opt-access", "infer-access-qualifiers"),
    ("range-fold", "opt-range"),
    ("sink", "opt-sink"),
    ("undef", "opt-undef"),
];

/// Passes by their current name, with former and current words of their options.
const OPTIONS: &[(&str, &str, &str)] =
    &[("load-store-vectorize", "lanes", "components"), ("lower-wrmasks", "lanes", "components")];

/// Returns the current name of a pass; returns any other name unchanged.
pub fn current_name(name: &str) -> &str {
    NAMES.iter().find(|(old, _)| *old == name).map_or(name, |(_, current)| current)
}

/// Returns the current spelling of an option of a pass, given current or former names.
pub fn current_option<'t>(pass: &str, option: &'t str) -> &'t str {
    let pass = current_name(pass);
    let found = OPTIONS.iter().find(|(of, old, _)| *of == pass && *old == option);
    found.map_or(option, |(_, _, current)| current)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{OptionInfo, PASSES, find};

    #[test]
    fn former_names_resolve_and_are_not_reused() {
        for &(old, current) in NAMES {
            assert!(PASSES.iter().all(|pass| pass.name != old), "{old} is a former name");
            assert_eq!(find(old).map(|pass| pass.name), Some(current), "{old}");
        }
    }

    #[test]
    fn former_options_resolve_to_current_ones() {
        for &(pass, old, current) in OPTIONS {
            let info = find(pass).expect(pass);
            let has = |word: &str| {
                info.options
                    .iter()
                    .any(|option| matches!(option, OptionInfo::Word(known, _) if *known == word))
            };
            assert!(has(current) && !has(old), "{pass}{{{old}}}");
            assert_eq!(current_option(pass, old), current);
            assert_eq!(current_option(pass, current), current);
        }
    }
}
