//! Names that passes and their options had before. Links and stored pipelines keep opening: an old name is read as
//! the current one, and only the current one is printed.
//!
//! The only table of its kind for pipelines. A name that is in it is never given to another pass.

/// Old and current names of passes.
const NAMES: &[(&str, &str)] = &[
    ("move", "opt-move"),
    ("opt-access", "infer-access-qualifiers"),
    ("range-fold", "opt-range"),
    ("sink", "opt-sink"),
    ("undef", "opt-undef"),
];

/// Passes by their current name, with old and current words of their options.
const OPTIONS: &[(&str, &str, &str)] =
    &[("load-store-vectorize", "lanes", "components"), ("lower-wrmasks", "lanes", "components")];

/// Returns the current name of a pass; any name that is not an old one is returned as it is.
pub fn current_name(name: &str) -> &str {
    NAMES.iter().find(|(old, _)| *old == name).map_or(name, |(_, current)| current)
}

/// Returns the current spelling of an option of a pass, both by current or old name.
pub fn current_option<'t>(pass: &str, option: &'t str) -> &'t str {
    let pass = current_name(pass);
    let found = OPTIONS.iter().find(|(of, old, _)| *of == pass && *old == option);
    found.map_or(option, |(_, _, current)| current)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::passes::{OptionInfo, PASSES, find};

    #[test]
    fn old_names_lead_to_passes_and_are_names_of_none() {
        for &(old, current) in NAMES {
            assert!(PASSES.iter().all(|pass| pass.name != old), "{old} is an old name");
            assert_eq!(find(old).map(|pass| pass.name), Some(current), "{old}");
        }
    }

    #[test]
    fn old_options_lead_to_options_of_their_pass() {
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
