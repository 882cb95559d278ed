//! Targets on the command line: their options, and a program written as SPIR-V or SPIR-V text.

use super::Stop;
use super::input::{self, Program};
use vitrine_core::pipeline::{SpirvOptions, write_spirv};
use vitrine_core::spirv::{Binary, DisOptions, disassembly};

/// How a target is written.
#[derive(clap::Args, Clone, Copy, Default)]
pub(crate) struct TargetArgs {
    /// Refuse to write a target that needs further passes, instead of running them
    #[arg(long)]
    strict: bool,
    /// Keep the version, the capabilities and the extensions of the input, needed or not
    #[arg(long)]
    as_in: bool,
}

/// The program as SPIR-V. Writes nothing if the input has errors, which are reported already.
pub(crate) fn spirv(program: &Program, target: TargetArgs) -> Result<Vec<u32>, Stop> {
    program.verdict()?;
    let options = SpirvOptions { strict: target.strict, as_in: target.as_in };
    write_spirv(&program.module, options).map_err(|diag| {
        input::complain(&format!("{}: {diag}\n", program.title));
        Stop::Diagnosed
    })
}

/// The program as SPIR-V text.
pub(crate) fn spirv_text(program: &Program, target: TargetArgs) -> Result<String, Stop> {
    let (binary, _) = Binary::from_words(spirv(program, target)?);
    Ok(disassembly(&binary, &DisOptions { friendly: true, header: true, ..DisOptions::default() }))
}
