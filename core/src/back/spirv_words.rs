//! SPIR-V for tools that take words, with the preset that prepares for it.

use super::{SPIRV, Source, WriteOptions, all_funcs};
use crate::ir::{Anchor, Diag, Module};
use crate::pipeline::write;

/// Options of [`write_spirv`].
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct SpirvOptions {
    /// Refuse instead of running the preset that prepares.
    pub strict: bool,
    /// Keep version, capabilities and extensions that the module declares, needed or not.
    pub as_in: bool,
}

/// A program as SPIR-V words, for tools that take words.
///
/// Errors: the first of [`write()`].
pub fn write_spirv(module: &Module, options: SpirvOptions) -> Result<Vec<u32>, Diag> {
    let funcs = all_funcs(module);
    let how = WriteOptions { as_in: options.as_in, ..WriteOptions::default() };
    let source = Source { options: how, ..Source::new(module, &funcs) };
    match write(&source, SPIRV, options.strict) {
        Ok(written) => Ok(words(&written.bytes)),
        Err(diags) => Err(diags
            .into_iter()
            .next()
            .unwrap_or_else(|| Diag::error("W100", Anchor::Module).says("SPIR-V could not be written"))),
    }
}

fn words(bytes: &[u8]) -> Vec<u32> {
    bytes.as_chunks::<4>().0.iter().map(|&word| u32::from_le_bytes(word)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::back::BACKENDS;
    use crate::pipeline::{Outcome, PRESETS, Settings, Trace, preparation, prepare};
    use crate::text::{parse, print_module};

    const GRAPH: &str = "module capability \"Shader\"\n\nfunc @0(%0: b1) graph {\n^0:\n  branch %0, ^1, ^2\n^1:\n  goto ^2\n^2:\n  return\n}\n";

    #[test]
    fn every_preset_that_a_back_end_names_exists() {
        for backend in BACKENDS {
            assert!(preparation(*backend).is_ok());
            let name = backend.preset();
            assert!(name.is_none_or(|name| PRESETS.iter().any(|preset| preset.name == name)), "{name:?}");
        }
    }

    #[test]
    fn missing_passes_run_or_are_named() {
        let module = parse(GRAPH).module;
        assert!(write_spirv(&module, SpirvOptions::default()).is_ok());
        let refused = write_spirv(&module, SpirvOptions { strict: true, as_in: false });
        assert!(refused.is_err_and(|diag| diag.help.is_some_and(|help| help.passes().eq(["structurize"]))));
    }

    #[test]
    fn preparation_is_recorded() {
        let module = parse(GRAPH).module;
        let mut trace = Trace::of(&module);
        let ready = prepare(&module, SPIRV, Settings::default(), Some(&mut trace)).unwrap();
        assert_eq!(trace.steps.first().map(|step| step.pass), Some("structurize"));
        assert_eq!(print_module(trace.last()), print_module(&ready));
    }

    #[test]
    fn a_module_that_is_ready_is_left_alone() {
        let module = parse(GRAPH).module;
        let ready = prepare(&module, SPIRV, Settings::default(), None).unwrap();
        let mut trace = Trace::of(&ready);
        prepare(&ready, SPIRV, Settings::default(), Some(&mut trace)).unwrap();
        assert!(trace.steps.iter().all(|step| step.outcome == Outcome::Unchanged));
    }
}
