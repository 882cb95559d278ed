//! Versions of a program side by side, as a page that needs no script: a column for each version, a row for
//! each line.
//!
//! ```text
//!   input                 structurize            dce
//!   %3 = iadd %1, %2      %3 = iadd %1, %2
//!   return %1             return %1              return %1
//! ```
//!
//! Rows are aligned by the definition of a line ([`super::rows`]). A line whose words differ from those in
//! the column to its left is marked. Without versions there is one column, the program.
//!
//! Refuses to choose versions: each given version has a column.

use super::html::escaped;
use super::rows::{NONE, Part, Slot, merge};
use crate::back::{Backend, Output, Source};
use crate::ir::{Diag, Module};
use crate::text::{self, Class, Link, Sink};
use std::collections::BTreeSet;
use std::rc::Rc;

const STYLE: &str = "
:root{color-scheme:light dark;--bg:#fdfcf9;--fg:#24211c;--dim:#6b655b;--op:#9a5b00;--qptr:#0b62b8;--key:#5b3f98;--type:#3f6b16;
--num:#0f6674;--name:#8a2f63;--new:#2f7d3218;--rule:#c9c6c0}
@media(prefers-color-scheme:dark){:root{--bg:#16171a;--fg:#e7e4dd;--dim:#9c978c;--op:#e8b35c;--qptr:#6db3f2;--key:#b9a3ee;
--type:#a5cf74;--num:#7fd0dd;--name:#ec9ac4;--new:#7fd08a22;--rule:#3d4248}}
body{margin:1rem;background:var(--bg);color:var(--fg);font:15px/1.5 system-ui,sans-serif}
table{border-collapse:collapse}th{text-align:left;position:sticky;top:0;background:var(--bg)}
td,th{padding:0 1.5ch 0 .5ch;border-left:1px solid var(--rule);vertical-align:top}
td{font:13px/1.55 ui-monospace,monospace;white-space:pre}.differs{background:var(--new)}
.keyword,.block,.node{color:var(--key)}.op,.raw{color:var(--op)}.qptr{color:var(--qptr)}.flag,.attr,.punct,.note{color:var(--dim)}
.type{color:var(--type)}.number,.text{color:var(--num)}.name{color:var(--name)}";

/// Versions side by side.
pub struct Columns;

impl Backend for Columns {
    fn name(&self) -> &'static str {
        "columns"
    }

    fn doc(&self) -> &'static str {
        "IR text of all versions side by side, as a page that needs no script."
    }

    fn label(&self) -> &'static str {
        "All versions as HTML"
    }

    fn extensions(&self) -> &'static [&'static str] {
        &["html"]
    }

    fn media(&self) -> &'static str {
        "text/html"
    }

    fn compares(&self) -> bool {
        true
    }

    fn write(&self, source: &Source<'_>, out: &mut Output<'_>) -> Result<(), Vec<Diag>> {
        let title = escaped(source.title.unwrap_or("Shader"));
        out.push_str(&format!(
            "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
             <meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n\
             <title>{title}</title>\n<style>{STYLE}\n</style>\n</head>\n<body>\n<h1>{title}</h1>\n<table>\n<tr>"
        ));
        let alone = [(String::from("input"), source.module)];
        let versions = if source.versions.is_empty() { &alone[..] } else { source.versions };
        for (name, _) in versions {
            out.push_str(&format!("<th>{}</th>", escaped(name)));
        }
        out.push_str("</tr>\n");
        let funcs = versions.iter().flat_map(|(_, module)| module.funcs().map(|(func, _)| Slot::Func(func)));
        let slots: BTreeSet<Slot> = funcs.chain([Slot::Head, Slot::Tail]).collect();
        for slot in slots {
            write_slot(versions, slot, out);
        }
        out.push_str("</table>\n</body>\n</html>\n");
        Ok(())
    }
}

/// The rows of one part of all versions.
fn write_slot(versions: &[(String, &Module)], slot: Slot, out: &mut Output<'_>) {
    let part = |(_, module): &(String, &Module)| {
        let part = Part::print(module, slot);
        (!part.lines.is_empty()).then(|| Rc::new(part))
    };
    let parts: Vec<Option<Rc<Part>>> = versions.iter().map(part).collect();
    for row in merge(&parts).cells.chunks_exact(versions.len()) {
        out.push_str("<tr>");
        let mut left = None;
        for (column, (part, &line)) in parts.iter().zip(row).enumerate() {
            let cell = part.as_ref().filter(|_| line != NONE).map(|part| (part, line as usize));
            let words = cell.map(|(part, line)| part.words(line));
            let class = if column > 0 && words != left { " class=\"differs\"" } else { "" };
            out.push_str(&format!("<td{class}>"));
            if let Some((part, line)) = cell {
                write_line(part, line, out);
            }
            out.push_str("</td>");
            left = words;
        }
        out.push_str("</tr>\n");
    }
}

/// A line with its tokens.
fn write_line(part: &Part, line: usize, out: &mut Output<'_>) {
    let text = part.line(line);
    let first = part.lines.get(line).map_or(0, |line| line.start as usize);
    let mut done = 0;
    let mut token = |class: Class, text: &str| {
        let mut token = text::Html::new();
        token.put(class, text, Link::None);
        out.push_str(&token.finish());
        out.position()
    };
    let mut ranges = Vec::new();
    for run in part.ranges_of(line) {
        let start = (run.start as usize).saturating_sub(first);
        let end = start + run.len as usize;
        let before = token(Class::Plain, text.get(done..start).unwrap_or(""));
        let after = token(run.class, text.get(start..end).unwrap_or(""));
        done = end;
        match run.link {
            Link::None => {}
            Link::Def(anchor) | Link::Use(anchor) => ranges.push((before, after, anchor)),
        }
    }
    token(Class::Plain, text.get(done..).unwrap_or(""));
    for (start, end, anchor) in ranges {
        out.place_range(start, end, anchor);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::back::all_funcs;
    use crate::text::parse;

    #[test]
    fn versions_stand_side_by_side_and_differences_are_marked() {
        let of = |number: u32| {
            parse(&format!("func @0() -> b32 graph {{\n^0:\n  %0: b32 = const {number}\n  return %0\n}}\n"))
                .module
        };
        let (first, second) = (of(1), of(2));
        let funcs = all_funcs(&second);
        let versions = [("input".to_owned(), &first), ("<dce>".to_owned(), &second)];
        let mut out = Output::new();
        let source = Source { versions: &versions, ..Source::new(&second, &funcs) };
        Columns.write(&source, &mut out).unwrap();
        let page = out.finish().into_text();
        assert!(page.contains("<th>input</th><th>&lt;dce&gt;</th>"), "{page}");
        assert_eq!(page.matches("class=\"differs\"").count(), 1, "{page}");
        assert_eq!(page.matches("<tr>").count(), 6, "{page}");
    }
}
