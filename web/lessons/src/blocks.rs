//! Figures, questions and tasks as HTML that reads without scripts; `www/learn.js` makes them live.
//!
//! Computed parts are placeholders `{{course:SLUG:ID:VERSION:VIEW}}`, which `prerender` fills. Elements of the class `live` need a
//! script, and elements of the class `still` replace them without one; `www/lessons.css` shows either from the first frame, so
//! that nothing shifts.

use crate::hashes::{answer_hash, salt};
use crate::markdown::{escape, inline, to_html};
use crate::source::{Figure, Lesson, Note, Part, Predict, Task};
use std::fmt::Write;

/// The kind of page that the parts are for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place<'p> {
    /// The address of the playground, to open programs in it; none without one.
    pub(crate) playground: Option<&'p str>,
    /// If set, the compiler runs on the page: programs can be changed, and the judge decides tasks.
    pub(crate) is_live: bool,
    /// If set, hashes replace solutions.
    pub(crate) hides_solutions: bool,
}

/// The HTML of a part. Errors: a sentence.
pub(crate) fn part(lesson: &Lesson, part: &Part, place: Place<'_>) -> Result<String, String> {
    match part {
        Part::Text(text) => to_html(text),
        Part::Figure(of) => figure(lesson, of, place),
        Part::Predict(of) => predict(of),
        Part::Task(of) => task(lesson, of, place),
        Part::Presenter(text) => {
            Ok(format!("<aside class=\"presenter\" hidden>{}</aside>\n", to_html(text)?))
        }
        Part::Note(Note { title, text }) => {
            Ok(format!("<div class=\"note\"><h3>{}</h3>\n{}</div>\n", inline(title)?, to_html(text)?))
        }
    }
}

/// The placeholder of a computed part.
fn placeholder(lesson: &Lesson, id: &str, rest: &str) -> String {
    format!("{{{{course:{}:{id}:{rest}}}}}", lesson.slug)
}

/// The views of a version, side by side if there are several.
fn views(lesson: &Lesson, figure: &Figure, at: u32, label: &str) -> String {
    let id = &figure.id;
    let mut out = "<div class=\"views\">".to_owned();
    let view = |kind: &str| placeholder(lesson, id, &format!("{at}:{kind}"));
    if figure.has_graph {
        let _ = write!(
            out,
            "<div class=\"flow\" tabindex=\"0\" role=\"group\" aria-label=\"Graph: {label}\">{}</div>",
            view("graph")
        );
    }
    if figure.has_text {
        let _ = write!(
            out,
            "<pre class=\"code\" tabindex=\"0\" role=\"group\" aria-label=\"IR: {label}\">{}</pre>",
            view("ir")
        );
    }
    if figure.memory.is_some() {
        let _ = write!(
            out,
            "<div class=\"memory\" tabindex=\"0\" role=\"group\" aria-label=\"Memory: {label}\">{}</div>",
            view("memory")
        );
    }
    out.push_str("</div>");
    out
}

fn figure(lesson: &Lesson, of: &Figure, place: Place<'_>) -> Result<String, String> {
    let Figure { id, program, pipeline, .. } = of;
    // Versions with one view each are side by side where there is room: both, or the chosen one and the one before it.
    let views_of_each =
        [of.has_graph, of.has_text, of.memory.is_some()].into_iter().filter(|has| *has).count();
    let layout = match of.stages.len() {
        2 if views_of_each == 1 => " pair",
        3.. if views_of_each == 1 => " steps",
        _ => "",
    };
    let whole = if of.is_whole { " data-whole" } else { "" };
    let variable =
        of.memory.as_ref().map_or(String::new(), |name| format!(" data-variable=\"{}\"", escape(name)));
    let mut out = format!(
        "<figure class=\"figure{layout}\"{whole}{variable} id=\"{id}\" data-name=\"{}\" data-pipeline=\"{}\" data-marks=\"{}\" data-pick=\"{}\">\n",
        escape(program),
        escape(pipeline),
        escape(&of.marks.join(";")),
        of.pick.as_deref().unwrap_or_default()
    );
    if of.stages.len() > 1 {
        out.push_str("<div class=\"stages live\" role=\"group\" aria-label=\"Steps\">");
        for (at, (_, name)) in of.stages.iter().enumerate() {
            let _ =
                write!(out, "<button type=\"button\" aria-pressed=\"{}\">{}</button>", at == 0, escape(name));
        }
        out.push_str("</div>\n");
    }
    out.push_str("<div class=\"versions\">\n");
    for (at, (version, name)) in of.stages.iter().enumerate() {
        let shown = if at == 0 { " shown" } else { "" };
        let label = if name.is_empty() { program } else { name };
        let _ = writeln!(out, "<div class=\"version{shown}\" data-at=\"{version}\">");
        if of.stages.len() > 1 {
            let _ = writeln!(out, "<p class=\"name still\">{}</p>", escape(name));
        }
        out.push_str(&views(lesson, of, *version, &escape(label)));
        out.push_str("\n</div>\n");
    }
    out.push_str("</div>\n");
    if of.has_steps {
        let _ = writeln!(out, "<div class=\"stepper\">{}</div>", placeholder(lesson, id, "steps"));
    }
    if of.diagnostic.is_some() {
        let _ = writeln!(out, "<p class=\"diagnostic\">{}</p>", placeholder(lesson, id, "diagnostic"));
    }
    let _ = writeln!(out, "<figcaption>{}</figcaption>", inline(&of.caption)?);
    // A form without inputs, whose outputs the steps show, would only take space.
    if let Some(inputs) = of.run.as_ref().filter(|inputs| !of.has_steps || !inputs.is_empty()) {
        let _ = writeln!(
            out,
            "<form class=\"run\"><label>Inputs <input value=\"{}\" autocomplete=\"off\" spellcheck=\"false\"{}></label>\
             {}<output>{}</output></form>",
            escape(inputs),
            if place.is_live { "" } else { " readonly" },
            if place.is_live { "<button type=\"submit\" class=\"live\">Run</button>" } else { "" },
            placeholder(lesson, id, "run")
        );
    }
    if of.pick.is_some() && place.is_live {
        out.push_str("<p class=\"found live\" role=\"status\">Choose a block with a click, or with Tab and Enter.</p>\n");
    }
    if place.is_live {
        let source = escape(lesson.file(program)?);
        let _ = writeln!(
            out,
            "<details class=\"edit live\"><summary>Change the program</summary>\
             <textarea spellcheck=\"false\" rows=\"14\" aria-label=\"Program of the figure {id}\">{source}</textarea>\
             <p class=\"buttons\"><button type=\"button\" class=\"reset\">Reset</button></p>\
             <p class=\"result\" role=\"status\"></p></details>"
        );
    }
    if let Some(address) = place.playground {
        let _ = writeln!(
            out,
            "<p class=\"open-line\"><a class=\"open\" href=\"{}#{}\">Open in the playground</a></p>",
            escape(address),
            placeholder(lesson, id, "link")
        );
    }
    out.push_str("</figure>\n");
    Ok(out)
}

fn predict(of: &Predict) -> Result<String, String> {
    let id = &of.id;
    let mut out = format!(
        "<section class=\"predict\" id=\"{id}\">\n<h3>Predict</h3>\n{}<form>\n<div class=\"options\" role=\"radiogroup\" aria-label=\"Answers\">\n",
        to_html(&of.question)?
    );
    for (at, option) in of.options.iter().enumerate() {
        let _ = writeln!(
            out,
            "<div class=\"option\"><label><input type=\"radio\" name=\"{id}\" value=\"{at}\"> <span>{}</span></label></div>",
            inline(&option.text)?
        );
    }
    out.push_str("</div>\n<p class=\"buttons live\"><button type=\"submit\">Answer</button></p>\n</form>\n");
    out.push_str("<div class=\"verdict live\" role=\"status\"></div>\n<details class=\"reveal\"><summary>Answer</summary>\n<ul>\n");
    for option in &of.options {
        let _ = writeln!(
            out,
            "<li data-right=\"{}\"><b>{}{}</b>: {}</li>",
            option.is_right,
            inline(&option.text)?,
            if option.is_right { " (correct)" } else { "" },
            inline(&option.reason)?
        );
    }
    out.push_str("</ul>\n</details>\n</section>\n");
    Ok(out)
}

fn task(lesson: &Lesson, of: &Task, place: Place<'_>) -> Result<String, String> {
    let id = &of.id;
    let form = if of.answer.is_some() { "answer" } else { "program" };
    let hash = match &of.answer {
        // Several orders are right, so only the judge can decide.
        Some(answer) if place.hides_solutions && !of.source.contains("topological-order") => {
            let salt = salt(&lesson.slug, id, &of.source);
            format!(" data-salt=\"{salt}\" data-hash=\"{}\"", answer_hash(&salt, answer))
        }
        _ => String::new(),
    };
    let mut out = format!(
        "<section class=\"task\" id=\"{id}\" data-form=\"{form}\"{hash}>\n<h3>Task: {}</h3>\n{}",
        inline(&of.title)?,
        to_html(&of.statement)?
    );
    let start = ("start".to_owned(), of.start.clone());
    if place.is_live {
        let _ = writeln!(out, "<template class=\"source\">{}</template>", escape(&of.source));
    }
    for (name, file) in of.programs.iter().chain([&start]).filter(|_| place.is_live) {
        let _ = writeln!(
            out,
            "<template class=\"program\" data-name=\"{}\">{}</template>",
            escape(name),
            escape(lesson.file(file)?)
        );
    }
    let start = escape(lesson.file(&of.start)?);
    let graph = placeholder(lesson, id, "0:graph");
    let graph = format!(
        "<div class=\"flow\" tabindex=\"0\" role=\"group\" aria-label=\"Graph of the program\">{graph}</div>"
    );
    let text = placeholder(lesson, id, "0:ir");
    match of.answer {
        None => {
            let _ = writeln!(
                out,
                "<div class=\"views\"><div>\
                 <textarea class=\"live\" spellcheck=\"false\" aria-label=\"Your program\">{start}</textarea>\
                 <pre class=\"code still\" tabindex=\"0\" role=\"group\" aria-label=\"The start program\">{text}</pre></div>{graph}</div>"
            );
            out.push_str("<form class=\"live\"><p class=\"buttons\">");
        }
        Some(_) => {
            // A second picture of the same program would only take space.
            let shown = lesson.figures().find(|figure| figure.program == of.start && figure.has_graph);
            let _ = match shown {
                Some(figure) => {
                    writeln!(out, "<p>The program is that of <a href=\"#{}\">this figure</a>.</p>", figure.id)
                }
                None => writeln!(out, "<div class=\"views\">{graph}</div>"),
            };
            out.push_str(
                "<form class=\"live\"><p class=\"buttons\"><input autocomplete=\"off\" spellcheck=\"false\" aria-label=\"Your answer\">",
            );
        }
    }
    let _ = write!(
        out,
        "<button type=\"submit\">{}</button><button type=\"button\" class=\"reset\">Reset</button></p></form>\n\
         <div class=\"verdict live\" role=\"status\"></div>\n",
        if place.is_live { "Check" } else { "Keep answer" }
    );
    for hint in &of.hints {
        let _ = writeln!(
            out,
            "<details class=\"hint\"><summary>Hint</summary><p>{}</p></details>",
            inline(hint)?
        );
    }
    if !place.hides_solutions {
        let solution = match &of.answer {
            Some(answer) => format!("<p><code>{}</code></p>", escape(answer)),
            None => format!(
                "<pre class=\"code\" tabindex=\"0\" role=\"group\" aria-label=\"The solution\">{}</pre>",
                placeholder(lesson, id, "solution")
            ),
        };
        let _ =
            writeln!(out, "<details class=\"solution\"><summary>Show solution</summary>{solution}</details>");
    }
    out.push_str("</section>\n");
    Ok(out)
}
