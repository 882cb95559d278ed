//! `vitrine show`: a program in any form that the compiler writes.

use super::emit::{Emit, How, TargetArgs};
use super::input::{self, Program};
use super::{Common, Stop};
use clap::ValueEnum;
use std::io::IsTerminal;
use std::path::PathBuf;
use vitrine_core::ir::Func;

/// Print a program after a pipeline, or after some of its steps
#[derive(clap::Args)]
pub(crate) struct Show {
    #[command(flatten)]
    common: Common,
    /// Run only this many steps of the pipeline
    #[arg(long, value_name = "N")]
    step: Option<usize>,
    /// Show only one function, by number (`3`, `@3`) or by name
    #[arg(long, value_name = "F")]
    function: Option<String>,
    /// The form to print in
    #[arg(long, value_parser = Emit::parser(), default_value = "ir")]
    emit: Emit,
    /// Show these versions side by side (`--emit columns` and `columns-svg`): numbers of steps that ran, 0 for the input;
    /// by default the input and every step that changed something
    #[arg(long, value_name = "N,…", value_delimiter = ',')]
    steps: Vec<usize>,
    /// Show block parameters as phis (`--emit ir` and `html`)
    #[arg(long)]
    phis: bool,
    /// Write a file with the source line of each line of the text, as JSON (text targets, such as `--emit glsl`)
    #[arg(long, value_name = "FILE")]
    lines: Option<PathBuf>,
    #[command(flatten)]
    target: TargetArgs,
    /// Color the text
    #[arg(long, value_enum, default_value = "auto")]
    color: Color,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Color {
    /// On a terminal
    Auto,
    /// Always
    Always,
    /// Never
    Never,
}

impl Show {
    pub(crate) fn run(self) -> Result<(), Stop> {
        let program = input::read_steps(&self.common, self.step)?;
        let funcs = match &self.function {
            Some(name) => vec![find(&program, name)?],
            None => program.all_funcs(),
        };
        let color = match self.color {
            Color::Always => true,
            Color::Never => false,
            Color::Auto => std::io::stdout().is_terminal() && std::env::var_os("NO_COLOR").is_none(),
        };
        if let Some(file) = &self.lines {
            input::write(file, self.emit.lines(&program, &funcs, self.target)?.as_bytes())?;
        }
        let how = How { phis: self.phis, color, steps: self.steps, target: self.target };
        input::print_bytes(&self.emit.write(&program, &funcs, how)?);
        program.verdict()
    }
}

fn find(program: &Program, name: &str) -> Result<Func, Stop> {
    let module = &program.module;
    let wanted = name.trim_start_matches('@');
    let by_number = module.funcs().find(|(func, _)| func.to_string()[1..] == *wanted);
    let by_name =
        || module.funcs().find(|(_, body)| body.name().is_some_and(|text| module.text_of(text) == name));
    by_number.or_else(by_name).map(|(func, _)| func).ok_or_else(|| {
        let known: Vec<String> = program.all_funcs().iter().map(Func::to_string).collect();
        Stop::Misused(format!("there is no function `{name}`; there are {}", known.join(", ")))
    })
}
