//! Programs without names, for reports of shaders that are confidential.
//!
//! ```text
//! shade_skin, shade_cloth ──► main, main_1      in every program of a comparison, so that they still match
//! ```
//!
//! Names, strings and debug information are removed; the reduction of a report removes code. Refuses to change constants,
//! types and operations: the finding depends on them, and they can be read in the report.

use crate::ir::Module;

/// Removes names from programs of a comparison; equal names of entry points stay equal.
#[derive(Clone, Debug, Default)]
pub struct Anonymizer {
    /// The names of the entry points so far, in the order of their new names.
    entries: Vec<String>,
}

impl Anonymizer {
    /// The program without names. Linear in the program.
    pub fn apply(&mut self, module: &Module) -> Module {
        let mut module = module.clone();
        module.strip(|name| {
            let known = self.entries.iter().position(|entry| entry == name);
            let number = known.unwrap_or(self.entries.len());
            if known.is_none() {
                self.entries.push(name.to_owned());
            }
            match number {
                0 => "main".to_owned(),
                number => format!("main_{number}"),
            }
        });
        module
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::{parse, print_module};

    #[test]
    fn entry_points_of_all_programs_have_the_same_new_names() {
        let program = |names: &[&str]| {
            let entries =
                names.iter().map(|name| format!("entry compute \"{name}\" @0 () {{local_size 1 1 1}}\n"));
            let text = format!("{}\nfunc @0() graph {{\n^0:\n  return\n}}\n", entries.collect::<String>());
            parse(&text).module
        };
        let mut anonymizer = Anonymizer::default();
        let mut names = |of: &[&str]| {
            let module = anonymizer.apply(&program(of));
            module.entries.iter().map(|entry| module.text_of(entry.name).to_owned()).collect::<Vec<_>>()
        };
        assert_eq!(names(&["skin", "cloth"]), ["main", "main_1"]);
        assert_eq!(names(&["cloth", "new", "skin"]), ["main_1", "main_2", "main"]);
    }

    const NAMED: &str = "module source \"secret text\"\nin $uv_0: f32 {location 0}\nout $color_1: f32 {location 0}\n\n\
        entry fragment \"shade\" @light_0 ($uv_0, $color_1) {origin_upper_left}\n\nfunc @light_0() graph {\n^0:\n\
        \x20 %p_0: path = deref.var $uv_0\n  %x_1: b32 = load %p_0\n  %2: path = deref.var $color_1\n\
        \x20 %3 = store %2, %x_1\n  %4 = print %x_1 {text \"hidden %f\"}\n  return\n}\n";

    #[test]
    fn nothing_that_a_person_wrote_remains_and_numbers_do() {
        let parsed = parse(NAMED);
        assert!(parsed.diags.is_empty(), "{:?}", parsed.diags);
        let mut module = parsed.module;
        module.strip(|name| format!("main_{}", name.len()));
        let text = print_module(&module);
        for word in ["secret", "uv", "color", "light", "shade", "hidden", "%x", "%p"] {
            assert!(!text.contains(word), "{word}\n{text}");
        }
        assert!(text.contains("entry fragment \"main_5\" @0 ($0, $1)"), "{text}");
        assert!(text.contains("%3 = store %2, %1"), "{text}");
        let again = parse(&text);
        assert!(again.diags.is_empty() && print_module(&again.module) == text);
    }
}
