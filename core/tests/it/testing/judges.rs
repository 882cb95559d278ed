//! The judges of all text languages together: a module is written in a language, compiled by somebody else and run.

use super::dxc::Dxc;
use super::glslang::Glslang;
use super::metal::Metal;
use super::tint::Tint;
use crate::{back_text, back_text_essl, back_text_hlsl, back_text_msl, back_text_wgsl};
use vitrine_core::ir::Module;

/// The text languages, by the names of their back ends.
pub(crate) const LANGUAGES: [&str; 6] = ["glsl", "essl", "essl-310", "wgsl", "hlsl", "msl"];

/// The line of a compiler's messages that says what is wrong.
pub(crate) fn first_message(why: &str) -> &str {
    let is_sum = |line: &str| line.contains("compilation error") || line.contains("compilation terminated");
    let says = |line: &&str| (line.contains("ERROR") || line.contains("error")) && !is_sum(line);
    why.lines().find(says).or(why.lines().next()).unwrap_or_default()
}

/// The compilers of all languages; the missing ones are reported as skipped.
pub(crate) struct Judges {
    glslang: Glslang,
    tint: Tint,
    dxc: Dxc,
    metal: Metal,
}

impl Judges {
    /// Starts the compilers for a test, whose temporary folders have this name.
    #[track_caller]
    pub(crate) fn new(name: &str) -> Judges {
        Judges { glslang: Glslang::new(name), tint: Tint::new(), dxc: Dxc::new(), metal: Metal::new() }
    }

    /// Returns true if no compiler is missing.
    pub(crate) fn are_installed(&self) -> bool {
        self.glslang.installed && self.tint.installed && self.dxc.installed && self.metal.installed
    }

    /// Judges the texts of modules with one entry point each, in their order; WGSL has all entry points in one text.
    pub(crate) fn judged(&self, modules: &[(&str, &Module)], language: &str) -> Vec<(String, String)> {
        if language == "msl" {
            // A process of clang compiles many texts.
            return back_text_msl::outcomes_of(&self.metal, modules);
        }
        modules.iter().map(|(_, module)| self.judged_alone(module, language)).collect()
    }

    fn judged_alone(&self, module: &Module, language: &str) -> (String, String) {
        let shown = |outcome: &dyn std::fmt::Debug| format!("{outcome:?}");
        match language {
            "glsl" => {
                let (outcome, why) = back_text::judge_module(module, &self.glslang, true);
                (shown(&outcome), why)
            }
            "essl" => {
                let (outcome, why) = back_text_essl::judge_module(module, "essl", &self.glslang, true);
                (shown(&outcome), why)
            }
            "essl-310" => {
                let (outcome, why) = back_text_essl::judge_module(module, "essl-310", &self.glslang, true);
                (shown(&outcome), why)
            }
            "wgsl" => {
                let (outcome, why) = back_text_wgsl::judge_module(module, Some(&self.tint), true);
                (shown(&outcome), why)
            }
            "hlsl" => {
                let (outcome, why) = back_text_hlsl::judge_module(module.clone(), &self.dxc, true);
                (shown(&outcome), why)
            }
            _ => unreachable!("there is no language `{language}`"),
        }
    }
}
