//! `vitrine show`: a program as text, HTML, DOT or JSON.

use super::input::{self, Program};
use super::{Common, Stop, json};
use clap::ValueEnum;
use std::io::IsTerminal;
use vitrine_core::back::{write_dot, write_html};
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
    /// Colour the text
    #[arg(long, value_enum, default_value = "auto")]
    color: Color,
}

/// A form to print in.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Emit {
    /// The text of the IR
    Ir,
    /// A page that needs no script
    Html,
    /// The control-flow graphs for Graphviz
    Dot,
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
        input::print(&self.emit.write(&program, &funcs, options, color));
        program.verdict()
    }
}

impl Emit {
    /// The form a file extension stands for.
    pub(crate) fn of_extension(extension: &str) -> Option<Emit> {
        match extension {
            "ir" => Some(Emit::Ir),
            "html" => Some(Emit::Html),
            "dot" | "gv" => Some(Emit::Dot),
            "json" => Some(Emit::Json),
            _ => None,
        }
    }

    /// The program in this form.
    pub(crate) fn write(self, program: &Program, funcs: &[Func], options: Options, color: bool) -> String {
        match self {
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
            Emit::Json => json::module(program, funcs),
        }
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
