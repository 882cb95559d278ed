//! Writing a target: what it still needs is run by itself, on a copy.
//!
//! ```text
//! graph ── structurize{imported} ──▶ tree ── lower-exits{spirv} ──▶ tree that fits
//!       ── lower-discard-if ──▶ ends that fit
//!       ── lower-var-copies{unlike} ──▶ copies that fit ── back::spirv ──▶ words
//! ```
//!
//! Strict writing runs nothing: the diagnostic then names the pass that is missing.

use crate::analysis::exits::{Target, exits_fit};
use crate::back::spirv;
use crate::back::spirv::Trail;
use crate::ir::{Diag, Func, Module, Shape};
use crate::passes::lower_discard_if::lower_ends;
use crate::passes::lower_exits::lower_exits;
use crate::passes::lower_var_copies::lower_unlike;
use crate::passes::structurize::{Mode, structurize};

/// How to write SPIR-V.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct SpirvOptions {
    /// Refuse instead of running what is missing.
    pub strict: bool,
    /// Keep version, capabilities and extensions that the module declares, needed or not.
    pub as_in: bool,
}

/// The module as SPIR-V words, little-endian numbers. The module itself stays as it is.
///
/// Errors: the first thing that SPIR-V cannot say (`P1xx`, `W1xx`), with what would help.
pub fn write_spirv(module: &Module, options: SpirvOptions) -> Result<Vec<u32>, Diag> {
    write_spirv_with_trail(module, options).map(|(words, _)| words)
}

/// The same, and what was written for what.
pub fn write_spirv_with_trail(module: &Module, options: SpirvOptions) -> Result<(Vec<u32>, Trail), Diag> {
    let how = spirv::Options { as_in: options.as_in };
    if options.strict {
        return spirv::write_with_trail(module, how);
    }
    spirv::write_with_trail(&prepare_spirv(module)?, how)
}

/// What has to be done before the module can be written as SPIR-V: graphs become trees, exits, ends and copies fit.
pub fn prepare_spirv(module: &Module) -> Result<Module, Diag> {
    let mut ready = module.clone();
    let funcs: Vec<Func> = module.funcs().map(|(func, _)| func).collect();
    for func in funcs {
        if ready.func(func).is_some_and(|body| matches!(body.shape(), Shape::Graph(_))) {
            structurize(&mut ready, func, Mode::Imported)?;
        }
        lower_ends(&mut ready, func)?;
        if exits_fit(&ready, func, Target::Spirv).is_err() {
            lower_exits(&mut ready, func, Target::Spirv)?;
        }
        lower_unlike(&mut ready, func)?;
    }
    Ok(ready)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::parse;

    const GRAPH: &str = "module capability \"Shader\"\n\nfunc @0(%0: b1) graph {\n^0:\n  branch %0, ^1, ^2\n^1:\n  goto ^2\n^2:\n  return\n}\n";

    #[test]
    fn what_is_missing_is_run_or_named() {
        let module = parse(GRAPH).module;
        assert!(write_spirv(&module, SpirvOptions::default()).is_ok());
        let refused = write_spirv(&module, SpirvOptions { strict: true, as_in: false });
        assert!(refused.is_err_and(|diag| diag.help.is_some_and(|help| help.contains("structurize"))));
    }
}
