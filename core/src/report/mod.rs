//! Reports of a finding: one Markdown text for the tracker of the compiler whose pass is at fault.
//!
//! ```text
//! title · finding · how to reproduce · expected and actual · first difference of the programs · program · soundness
//!       · environment
//! ```
//!
//! The parts that go with it are in the files of this folder: a program without names, the addresses of issue forms, a case
//! and an Amber script with the inputs of the finding.
//!
//! A report has at most [`MOST_CHARS`] characters, which trackers accept. Programs that would exceed it are left out, and
//! the text says so. Everything in it was computed: refuses to guess which tool made a program.

mod amber; // a script that runs the finding on a device
mod anonymize; // programs without names
mod case; // the inputs of the finding, and the expected results
mod forms; // issue forms of trackers
mod gpu; // the verdict of a GPU
mod lines; // differences of texts
mod program; // programs as text

pub use amber::amber;
pub use anonymize::Anonymizer;
pub use case::{PlainBuffer, PlainCase, PlainSpec};
pub use forms::{MOST_URL_BYTES, forms};
pub use gpu::gpu_title;
pub use program::{binary_of, program_of};

use crate::ir::{Func, Module};
use crate::lab::compare::{Comparer, Finding, Number};
use crate::text::print_func;
use lines::line_difference;
use std::fmt::Write;
use vitrine_protocol::GpuResult;

/// The largest report, in characters.
pub const MOST_CHARS: usize = 60_000;

/// The largest difference of two functions, in lines; further lines are counted.
const MOST_LINES: usize = 60;

/// A program as text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Program {
    /// The text.
    pub text: String,
    /// The language, in words: `SPIR-V text`.
    pub language: String,
    /// The tool that reads it: `spirv-as`.
    pub tool: String,
    /// The extension of its file, without the dot.
    pub extension: String,
}

/// A program that was reduced.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reduced {
    /// The program.
    pub program: Program,
    /// Instructions before and after.
    pub instructions: [usize; 2],
}

/// Everything in a report that the comparison does not know.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Context {
    /// The name of the program.
    pub input: String,
    /// Commands that show the finding again.
    pub commands: Vec<String>,
    /// A link that shows it.
    pub link: Option<String>,
    /// The first program.
    pub program: Program,
    /// A smaller program with the same finding, or the reason why there is none.
    pub reduced: Option<Result<Reduced, String>>,
    /// Sentences about the validity of the first program and of the version at fault.
    pub validity: Vec<String>,
    /// The result of a GPU that ran one of the versions.
    pub gpu: Option<GpuResult>,
    /// Names and versions of tools.
    pub environment: Vec<(String, String)>,
    /// True if names, strings and debug information were removed.
    pub is_anonymous: bool,
}

/// The title: the program, and the pass after which its result differs; `None` if nothing differs.
pub fn title(comparer: &Comparer, input: &str) -> Option<String> {
    let name = &comparer.stages().get(comparer.finding()?.stage)?.name;
    Some(format!("{input}: the result differs after {name}"))
}

/// The finding, the link and the commands: the text of an issue if the report is attached. `None` if nothing differs.
pub fn summary(comparer: &Comparer, context: &Context) -> Option<String> {
    let finding = comparer.finding()?;
    let pass = comparer.stages().get(finding.stage).map_or("", |stage| &*stage.name);
    let mut out = Text::default();
    out.line(sentence(finding, pass));
    reproduce(&mut out, context);
    out.line("The whole report is attached.".to_owned());
    Some(out.text)
}

/// The report; `None` if nothing differs. Linear in the programs, quadratic in the lines of the function at fault, of
/// which at most 2,000 are aligned.
pub fn markdown(comparer: &Comparer, context: &Context) -> Option<String> {
    let finding = comparer.finding()?;
    let name = |stage: usize| comparer.stages().get(stage).map_or("", |stage| &*stage.name);
    let (pass, before) = (name(finding.stage), name(finding.against));
    let mut out = Text::default();
    out.line(format!("# {}: the result differs after `{pass}`", context.input));
    out.line(sentence(finding, pass));
    if !finding.confirmed {
        out.line("The version before it shows no other results: the difference may be the sum of several versions.".to_owned());
    }
    out.section("Reproduce");
    reproduce(&mut out, context);
    out.section("Expected and actual");
    out.line(table(finding, before, pass));
    if let Ok(parting) = &finding.parting {
        let event = if parting.is_branch { "branch" } else { "store" };
        out.line(format!("In invocation {} the two part at a {event}:", parting.invocation));
        let side = |at: usize| parting.sides.get(at).and_then(Option::as_ref);
        let words = [(before, side(0)), (pass, side(1))].map(|(name, side)| match side {
            Some(side) => format!("* `{name}`: `{}` in {}: {}", side.text, side.func, side.value),
            None => format!("* `{name}`: no {event}"),
        });
        out.line(words.join("\n"));
    }
    let both = [finding.against, finding.stage].map(|at| comparer.stages().get(at)?.module.as_ref());
    if let [Some(before), Some(after)] = both {
        out.section("Difference of the two versions");
        out.line("In the IR of Vitrine; equal values have the same numbers in both.".to_owned());
        differences(&mut out, finding, before, after);
    }
    soundness(&mut out, finding, context);
    on_gpu(&mut out, context);
    environment(&mut out, context);
    programs(&mut out, context);
    Some(out.text)
}

/// The report of a GPU whose results differ from the interpreter's, while the versions agree; `None` without one.
pub fn gpu_markdown(context: &Context) -> Option<String> {
    let gpu = context.gpu.as_ref()?;
    let mut out = Text::default();
    out.line(format!("# {}", gpu_title(gpu, &context.input)));
    out.line(gpu_sentence(gpu));
    if let Some(link) = &context.link {
        out.section("Reproduce");
        out.line(format!("Open [the program]({link}), then *Run* and *Run on this GPU*."));
    }
    on_gpu(&mut out, context);
    out.section("The input is sound");
    out.line(context.validity.iter().map(|fact| format!("* {fact}")).collect::<Vec<_>>().join("\n"));
    environment(&mut out, context);
    programs(&mut out, context);
    Some(out.text)
}

/// The result of a GPU in one sentence; the text of an issue if the report is attached.
pub fn gpu_sentence(gpu: &GpuResult) -> String {
    format!(
        "The {} of {} computes other results through {} on {} than an interpreter of the same program.",
        gpu::language(gpu.api),
        gpu.step,
        gpu.api.name(),
        gpu.adapter
    )
}

/// The result of a GPU, and the text that ran.
fn on_gpu(out: &mut Text, context: &Context) {
    let Some(gpu) = &context.gpu else { return };
    out.section("On a GPU");
    out.line(gpu::gpu_result(gpu, context.is_anonymous));
    if !context.is_anonymous && gpu.differs {
        let program = Program {
            text: gpu.code.clone(),
            language: gpu::language(gpu.api).to_owned(),
            tool: gpu.api.name().to_owned(),
            ..Program::default()
        };
        out.details("The text that ran", &program);
    }
}

fn environment(out: &mut Text, context: &Context) {
    out.section("Environment");
    let mut rows: Vec<String> =
        context.environment.iter().map(|(name, version)| format!("* {name}: {version}")).collect();
    rows.push(format!(
        "* names, strings and debug information: {}",
        if context.is_anonymous { "removed" } else { "as in the original" }
    ));
    out.line(rows.join("\n"));
}

/// The link and the commands.
fn reproduce(out: &mut Text, context: &Context) {
    if let Some(link) = &context.link {
        out.line(format!("Open [the finding]({link}), then *Check*."));
    }
    out.code("sh", &context.commands.join("\n"));
}

/// The finding in one sentence.
fn sentence(finding: &Finding, pass: &str) -> String {
    let difference = &finding.difference;
    let at =
        difference.invocation.map(|invocation| format!(" of invocation {invocation}")).unwrap_or_default();
    let [before, after] = &difference.values;
    format!(
        "With the inputs `{}`, {}{at} is {before} before `{pass}` and {after} after it.",
        finding.trial, difference.name
    )
}

fn table(finding: &Finding, before: &str, pass: &str) -> String {
    let difference = &finding.difference;
    let value = |which: usize| match difference.number {
        Some(number) => number.text(which),
        None => difference.values.get(which).cloned().unwrap_or_default(),
    };
    let mut out = String::from("| | |\n|---|---|\n");
    let mut row = |name: &str, text: String| {
        let _ = writeln!(out, "| {name} | {} |", text.replace('|', "\\|"));
    };
    row("trial", finding.trial.clone());
    if let Some(invocation) = difference.invocation {
        row("invocation", format!("{invocation} at {:?}", difference.at));
    }
    row("place", difference.name.clone());
    row(&format!("`{before}` (expected)"), value(0));
    row(&format!("`{pass}` (actual)"), value(1));
    if let Some(ulp) = difference.number.as_ref().and_then(Number::ulp) {
        row("distance", format!("{ulp} ULP"));
    }
    out.trim_end().to_owned()
}

fn soundness(out: &mut Text, finding: &Finding, context: &Context) {
    out.section("The input is sound");
    let mut facts = context.validity.clone();
    facts.push(format!(
        "In `{}` the original terminates, without undefined behavior that its result depends on.",
        finding.trial
    ));
    facts.push("Differences that the program allows (the sign of zero, contraction, the bits of a NaN) do not count.".to_owned());
    if finding.seeds > 0 {
        facts.push(format!("{} more inputs were needed to confirm it.", finding.seeds));
    }
    out.line(facts.iter().map(|fact| format!("* {fact}")).collect::<Vec<_>>().join("\n"));
}

/// The functions that differ, within the limit of lines.
fn differences(out: &mut Text, finding: &Finding, before: &Module, after: &Module) {
    let parted = finding.parting.as_ref().ok().and_then(|parting| parting.sides.iter().flatten().next());
    let mut funcs: Vec<Func> = before.funcs().map(|(func, _)| func).collect();
    // The function in which the two part comes first.
    funcs.sort_by_key(|&func| parted.is_none_or(|parted| parted.func != func));
    let mut left = MOST_LINES;
    for func in funcs {
        let text = |module: &Module| {
            if module.func(func).is_some() { print_func(module, func) } else { String::new() }
        };
        let [old, new] = [text(before), text(after)];
        if old == new {
            continue;
        }
        if left == 0 {
            out.line(format!("{func} differs, too."));
            continue;
        }
        let lines = line_difference(&old, &new);
        let shown = lines.len().min(left);
        left -= shown;
        out.code("diff", &lines.get(..shown).unwrap_or_default().join("\n"));
        if lines.len() > shown {
            out.line(format!("{} further lines of {func}.", lines.len() - shown));
        }
    }
}

/// The reduced program, and the original, if they fit.
fn programs(out: &mut Text, context: &Context) {
    match &context.reduced {
        Some(Ok(reduced)) => {
            let [from, to] = reduced.instructions;
            out.details(
                &format!("The smallest program with the same finding: {to} of {from} instructions"),
                &reduced.program,
            );
        }
        Some(Err(why)) => out.line(format!("The program is not reduced: {why}.")),
        None => {}
    }
    out.details("The original", &context.program);
}

/// A text that stays within the limit.
#[derive(Default)]
struct Text {
    text: String,
    chars: usize,
}

impl Text {
    fn push(&mut self, text: &str) {
        self.chars += text.chars().count();
        self.text.push_str(text);
    }

    /// A paragraph.
    fn line(&mut self, text: String) {
        if !text.is_empty() {
            self.push(&text);
            self.push("\n\n");
        }
    }

    fn section(&mut self, title: &str) {
        self.line(format!("## {title}"));
    }

    fn code(&mut self, language: &str, text: &str) {
        if !text.is_empty() {
            // A fence longer than any in the text.
            let fence = "`".repeat(
                text.lines()
                    .map(|line| line.chars().take_while(|&it| it == '`').count())
                    .max()
                    .unwrap_or(0)
                    .max(2)
                    + 1,
            );
            self.line(format!("{fence}{language}\n{}\n{fence}", text.trim_end()));
        }
    }

    /// A program that is folded, or a sentence if it does not fit.
    fn details(&mut self, title: &str, program: &Program) {
        let (size, room) =
            (program.text.chars().count(), MOST_CHARS.saturating_sub(self.chars + title.len() + 400));
        if size > room {
            return self.line(format!("{title} has {size} characters and does not fit here: attach it."));
        }
        self.line(format!(
            "<details><summary>{title} ({}, for `{}`)</summary>",
            program.language, program.tool
        ));
        self.code("", &program.text);
        self.line("</details>".to_owned());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_that_do_not_fit_are_named() {
        let mut text = Text::default();
        let program = Program { text: "x".repeat(MOST_CHARS), ..Program::default() };
        text.details("The original", &program);
        assert!(text.text.contains("60000 characters") && text.text.len() < 200, "{}", text.text);
        text.code("", "```\nfence");
        assert!(text.text.contains("````\n```\nfence\n````"));
    }
}
