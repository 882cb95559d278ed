//! Versions side by side as a page. A fold is a check box: the style shows its rows while it is checked, and on paper.

use super::table::{Cell, Table};
use crate::back::picture::palette;
use crate::back::{Backend, Output, Source};
use crate::base::html::escaped;
use crate::ir::Diag;
use crate::text::{self, Link, Sink};

/// Long lines are wrapped, with the rest after their indentation: a column is at most 72 letters wide.
const STYLE: &str = "
body{margin:1rem;background:var(--ground);color:var(--text);font:15px/1.5 system-ui,sans-serif}
table{border-collapse:collapse}th{text-align:left;position:sticky;top:0;background:var(--ground)}
td,th{padding:0 1.5ch 0 .5ch;border-left:1px solid var(--rule);vertical-align:top}
td{font:13px/1.55 ui-monospace,monospace;white-space:pre-wrap;overflow-wrap:anywhere;min-width:24ch;max-width:72ch;
padding-left:4.5ch;text-indent:-4ch}.differs{background:var(--new)}.same{filter:saturate(.45)}
.fold td{color:var(--dim);border-block:1px solid var(--rule)}.fold:not(:has(:checked))+tbody{display:none}
@media print{.fold{display:none}.fold:not(:has(:checked))+tbody{display:table-row-group}}
";

/// Versions side by side.
pub struct Columns;

impl Backend for Columns {
    fn name(&self) -> &'static str {
        "columns"
    }

    fn doc(&self) -> &'static str {
        "IR text of versions side by side, as a page that needs no script."
    }

    fn label(&self) -> &'static str {
        "Columns as HTML"
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
             <title>{title}</title>\n<style>\n{}{STYLE}{}\n</style>\n</head>\n<body>\n<h1>{title}</h1>\n<table>\n<thead><tr>",
            palette::colors(":root"),
            palette::tokens("color")
        ));
        let table = Table::of(source);
        for name in &table.names {
            out.push_str(&format!("<th>{}</th>", escaped(name)));
        }
        out.push_str("</tr></thead>\n");
        for section in &table.sections {
            if let Some(fold) = section.fold {
                let (columns, says) = (table.names.len(), fold.says(section.rows.len()));
                out.push_str(&format!(
                    "<tbody class=\"fold\"><tr><td colspan=\"{columns}\"><label><input type=\"checkbox\"> \
                     Show {says}</label></td></tr></tbody>\n"
                ));
            }
            out.push_str("<tbody>\n");
            section.rows.iter().for_each(|row| write_row(row, out));
            out.push_str("</tbody>\n");
        }
        out.push_str("</table>\n</body>\n</html>\n");
        Ok(())
    }
}

fn write_row(row: &[Cell], out: &mut Output<'_>) {
    out.push_str("<tr>");
    for cell in row {
        out.push_str(match (cell.differs, cell.same) {
            (true, _) => "<td class=\"differs\">",
            (false, true) => "<td class=\"same\">",
            (false, false) => "<td>",
        });
        out.push_str(&" ".repeat(cell.indent));
        for (class, text, anchor) in cell.tokens() {
            let start = out.position();
            let mut token = text::Html::new();
            token.put(class, text, Link::None);
            out.push_str(&token.finish());
            if let Some(anchor) = anchor {
                out.place(start, anchor);
            }
        }
        out.push_str("</td>");
    }
    out.push_str("</tr>\n");
}

#[cfg(test)]
mod tests {
    use super::super::table::tests::with_versions;
    use super::*;

    fn page(numbers: &[u32]) -> String {
        with_versions(numbers, |source| {
            let mut out = Output::new();
            Columns.write(source, &mut out).unwrap();
            out.finish().into_text()
        })
    }

    #[test]
    fn versions_stand_side_by_side_and_differences_are_marked() {
        let page = page(&[1, 2]);
        assert!(page.contains("<th>&lt;0&gt;</th><th>&lt;1&gt;</th>"), "{page}");
        assert_eq!(page.matches("class=\"differs\"").count(), 1, "{page}");
        assert!(page.contains("<td class=\"differs\">  <span class=\"value\">%11</span>"), "{page}");
    }

    #[test]
    fn equal_rows_are_behind_a_check_box() {
        let page = page(&[1, 2]);
        let folds = page.matches("<input type=\"checkbox\">").count();
        assert!(folds > 0 && page.matches("<tbody>").count() > folds, "{page}");
        assert!(page.contains("colspan=\"2\""), "{page}");
    }
}
