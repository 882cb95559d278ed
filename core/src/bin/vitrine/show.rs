//! `vitrine show`: a program as text of the IR or of SPIR-V, as HTML, DOT, SVG or JSON.

use super::input::{self, Program};
use super::target::{TargetArgs, spirv_text};
use super::{Common, Stop, json};
use clap::ValueEnum;
use std::io::IsTerminal;
use vitrine_core::back::{write_dot, write_html, write_svg};
use vitrine_core::ir::Func;
use vitrine_core::text::{Ansi, Options, Plain, Printer, Sink};

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
    /// What to print
    #[arg(long, value_enum, default_value = "ir")]
    emit: Emit,
    /// Show block parameters as phis (`--emit ir` and `html`)
    #[arg(long)]
    phis: bool,
    #[command(flatten)]
    target: TargetArgs,
    /// Colour the text
    #[arg(long, value_enum, default_value = "auto")]
    color: Color,
}

/// A form to print in.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Emit {
    /// The text of the IR
    Ir,
    /// SPIR-V text
    Spvasm,
    /// A page that needs no script
    Html,
    /// The control-flow graphs for Graphviz
    Dot,
    /// The control-flow graphs as a picture
    Svg,
    /// Functions, blocks and edges as JSON
    Json,
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
        let options = Options { phis: self.phis };
        input::print(&self.emit.write(&program, &funcs, options, color, self.target)?);
        program.verdict()
    }
}

impl Emit {
    /// The form a file extension stands for.
    pub(crate) fn of_extension(extension: &str) -> Option<Emit> {
        match extension {
            "ir" => Some(Emit::Ir),
            "spvasm" => Some(Emit::Spvasm),
            "html" => Some(Emit::Html),
            "dot" | "gv" => Some(Emit::Dot),
            "svg" => Some(Emit::Svg),
            "json" => Some(Emit::Json),
            _ => None,
        }
    }

    /// The program in this form.
    pub(crate) fn write(
        self,
        program: &Program,
        funcs: &[Func],
        options: Options,
        color: bool,
        target: TargetArgs,
    ) -> Result<String, Stop> {
        Ok(match self {
            Emit::Ir if color => {
                let mut out = Ansi::new();
                print(program, funcs, options, &mut out);
                out.finish()
            }
            Emit::Ir => {
                let mut out = Plain::new();
                print(program, funcs, options, &mut out);
                out.finish()
            }
            Emit::Html => write_html(&program.module, &program.title, &program.diags, options),
            Emit::Dot => write_dot(&program.module, funcs),
            Emit::Svg => write_svg(&program.module, funcs, &program.title),
            Emit::Json => json::module(program, funcs),
            Emit::Spvasm => spirv_text(program, target)?,
        })
    }
}

/// The whole module, or the functions asked for.
fn print<S: Sink>(program: &Program, funcs: &[Func], options: Options, out: &mut S) {
    let module = &program.module;
    let mut printer = Printer::new(module, options, out);
    if funcs.len() == module.funcs().count() {
        return printer.module();
    }
    for &func in funcs {
        if let Some(body) = module.func(func) {
            printer.function(func, body);
        }
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
