//! Reports of a finding: one Markdown text for the tracker of the compiler whose pass is at fault.
//!
//! ```text
//! title · finding · how to reproduce · expected and actual · first difference of the programs · program · soundness
//!       · environment
//! ```
//!
//! A report has at most [`MOST_CHARS`] characters, which trackers accept. Programs that would exceed it are left out, and
//! the text says so. Everything in it was computed: refuses to guess which tool made a program.

use super::compare::{Comparer, Finding, Number};
use crate::ir::{Func, Module};
use crate::text::print_func;
use std::fmt::Write;

/// The largest report, in characters.
pub const MOST_CHARS: usize = 60_000;

/// The largest difference of two functions, in lines; further lines are counted.
const MOST_LINES: usize = 60;

/// Lines of a difference around changed ones.
const AROUND: usize = 3;

/// Lines of two functions up to which they are aligned line by line; larger ones are only compared at their ends.
const MOST_ALIGNED: usize = 2_000;

/// A program as text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Program {
    /// The text.
    pub text: String,
    /// The language, in words: `SPIR-V text`.
    pub language: String,
    /// The tool that reads it, in words: `spirv-as`.
    pub tool: String,
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
    /// Names and versions of tools.
    pub environment: Vec<(String, String)>,
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
    if let Some(link) = &context.link {
        out.line(format!("Open [the comparison]({link}), then *Check*."));
    }
    out.code("sh", &context.commands.join("\n"));
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
    out.section("Environment");
    let rows = context.environment.iter().map(|(name, version)| format!("* {name}: {version}"));
    out.line(rows.collect::<Vec<_>>().join("\n"));
    programs(&mut out, context);
    Some(out.text)
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

/// The changed lines of two texts with those around them: a minus for lines of the first one, a plus for the second.
fn line_difference(old: &str, new: &str) -> Vec<String> {
    let (old, new): (Vec<&str>, Vec<&str>) = (old.lines().collect(), new.lines().collect());
    let same_start = old.iter().zip(&new).take_while(|(a, b)| a == b).count();
    let same_end = old[same_start..]
        .iter()
        .rev()
        .zip(new[same_start..].iter().rev())
        .take_while(|(a, b)| a == b)
        .count();
    let [a, b] = [&old[same_start..old.len() - same_end], &new[same_start..new.len() - same_end]];
    let mut marked: Vec<(char, &str)> = Vec::new();
    marked.extend(old[..same_start].iter().map(|line| (' ', *line)));
    match a.len().max(b.len()) <= MOST_ALIGNED {
        true => marked.extend(aligned(a, b)),
        false => {
            marked.extend(a.iter().map(|line| ('-', *line)));
            marked.extend(b.iter().map(|line| ('+', *line)));
        }
    }
    marked.extend(old[old.len() - same_end..].iter().map(|line| (' ', *line)));
    let near = |at: usize| {
        let around = marked.get(at.saturating_sub(AROUND)..(at + AROUND + 1).min(marked.len()));
        around.unwrap_or_default().iter().any(|(mark, _)| *mark != ' ')
    };
    let mut out: Vec<String> = Vec::new();
    let mut skips = false;
    for (at, (mark, line)) in marked.iter().enumerate() {
        match (near(at), skips) {
            (true, _) => {
                skips = true;
                out.push(format!("{mark}{line}"));
            }
            (false, true) => {
                skips = false;
                out.push(" …".to_owned());
            }
            (false, false) => {}
        }
    }
    out
}

/// Lines of the longest common subsequence, and the others with their marks.
fn aligned<'t>(a: &[&'t str], b: &[&'t str]) -> Vec<(char, &'t str)> {
    let wide = b.len() + 1;
    // The length of the longest common subsequence of the rests of both.
    let mut longest = vec![0u16; (a.len() + 1) * wide];
    for i in (0..a.len()).rev() {
        for j in (0..b.len()).rev() {
            longest[i * wide + j] = match a[i] == b[j] {
                true => longest[(i + 1) * wide + j + 1] + 1,
                false => longest[(i + 1) * wide + j].max(longest[i * wide + j + 1]),
            };
        }
    }
    let (mut i, mut j, mut out) = (0, 0, Vec::new());
    while i < a.len() || j < b.len() {
        let take_old =
            j == b.len() || (i < a.len() && longest[(i + 1) * wide + j] >= longest[i * wide + j + 1]);
        if i < a.len() && j < b.len() && a[i] == b[j] {
            out.push((' ', a[i]));
            (i, j) = (i + 1, j + 1);
        } else if take_old {
            out.push(('-', a[i]));
            i += 1;
        } else {
            out.push(('+', b[j]));
            j += 1;
        }
    }
    out
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
            "<details><summary>{title} ({}, for {})</summary>",
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
    fn lines_are_aligned() {
        let old = "a\nb\nc\nd\ne\nf\ng\nh\ni\nj";
        let new = "a\nb\nc\nd\nE\nf\ng\nh\ni\nj\nk";
        let wanted = [" b", " c", " d", "-e", "+E", " f", " g", " h", " i", " j", "+k"];
        assert_eq!(line_difference(old, new), wanted);
        assert_eq!(line_difference(old, old), Vec::<String>::new());
        assert_eq!(line_difference("", "x"), ["+x"]);
        assert_eq!(line_difference("x\ny", "y\nx"), ["-x", " y", "+x"]);
    }

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
