//! Versions side by side as a picture: real text, colored by token class, for light and dark themes.
//!
//! A fold is a line with the number of its rows. The file has no script and loads nothing. Limit: long lines are cut.

use super::table::{Cell, Section, Table};
use crate::back::picture::svg::{LEADING, LETTER, MARGIN, MOST_LETTERS, style};
use crate::back::{Backend, Output, Source};
use crate::base::html::escaped;
use crate::ir::Diag;
use crate::text::Class;
use std::fmt::Write;

/// Letters between columns, and of the narrowest column.
const GAP: usize = 3;
const LEAST_LETTERS: usize = 16;
/// Height of the names of columns, in px.
const HEAD: i32 = 26;
/// From the top of a row to the baseline of its text, in px.
const BASELINE: i32 = 12;

const OWN_STYLE: &str = "
.head{font-weight:600}.rule{stroke:var(--rule)}.differs{fill:var(--true);opacity:.12}.same{filter:saturate(.45)}.fold{fill:var(--dim)}";

/// Versions side by side as a picture.
pub struct ColumnsSvg;

impl Backend for ColumnsSvg {
    fn name(&self) -> &'static str {
        "columns-svg"
    }

    fn doc(&self) -> &'static str {
        "IR text of versions side by side, as a picture."
    }

    fn label(&self) -> &'static str {
        "Columns as SVG"
    }

    fn extensions(&self) -> &'static [&'static str] {
        &["svg"]
    }

    fn media(&self) -> &'static str {
        "image/svg+xml"
    }

    fn compares(&self) -> bool {
        true
    }

    fn write(&self, source: &Source<'_>, out: &mut Output<'_>) -> Result<(), Vec<Diag>> {
        let table = Table::of(source);
        let mut drawing = Drawing::of(&table);
        drawing.heads(&table.names);
        table.sections.iter().for_each(|section| drawing.section(section));
        let [width, height] = [drawing.width() + 2 * MARGIN, drawing.top + MARGIN];
        let title = escaped(source.title.unwrap_or("Versions side by side"));
        let _ = write!(
            out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\" \
             role=\"img\" aria-labelledby=\"title\">\n<title id=\"title\">{title}</title>\n\
             <desc>Versions of a program side by side: rows are lines, aligned by definition.</desc>\n\
             <style>{}{OWN_STYLE}\n</style>\n",
            style()
        );
        out.append(drawing.body);
        out.push_str("</svg>\n");
        Ok(())
    }
}

/// A picture while it is written.
struct Drawing {
    body: Output<'static>,
    /// The left edges of the columns, and the right edge of the last one, in px.
    edges: Vec<i32>,
    /// The upper edge of the next row, in px.
    top: i32,
}

impl Drawing {
    /// A drawing with columns as wide as their longest shown line.
    fn of(table: &Table) -> Drawing {
        let mut edges = vec![MARGIN];
        for (column, name) in table.names.iter().enumerate() {
            let shown = table.sections.iter().filter(|section| section.fold.is_none());
            let cells = shown.flat_map(|section| &section.rows).filter_map(|row| row.get(column));
            let widest = cells.map(letters).chain([name.chars().count(), LEAST_LETTERS]).max();
            let letters = widest.unwrap_or(LEAST_LETTERS).min(MOST_LETTERS) + GAP;
            edges.push(edges[column] + letters as i32 * LETTER);
        }
        Drawing { body: Output::new(), edges, top: MARGIN }
    }

    fn width(&self) -> i32 {
        self.edges.last().map_or(0, |edge| edge - MARGIN)
    }

    fn heads(&mut self, names: &[String]) {
        for (name, &x) in names.iter().zip(&self.edges) {
            let name: String = name.chars().take(MOST_LETTERS).collect();
            let y = self.top + BASELINE;
            let _ = writeln!(self.body, "<text class=\"head\" x=\"{x}\" y=\"{y}\">{}</text>", escaped(&name));
        }
        self.top += HEAD;
        self.rule(self.top - LEADING / 2);
    }

    fn rule(&mut self, y: i32) {
        let (left, right) = (MARGIN - LETTER, MARGIN + self.width());
        let _ =
            writeln!(self.body, "<line class=\"rule\" x1=\"{left}\" y1=\"{y}\" x2=\"{right}\" y2=\"{y}\"/>");
    }

    fn section(&mut self, section: &Section) {
        let Some(fold) = section.fold else {
            section.rows.iter().for_each(|row| self.row(row));
            return;
        };
        let (x, y) = (MARGIN, self.top + BASELINE);
        let says = fold.says(section.rows.len());
        let _ = writeln!(self.body, "<text class=\"fold\" x=\"{x}\" y=\"{y}\">… {says}</text>");
        self.top += LEADING;
    }

    fn row(&mut self, row: &[Cell]) {
        let edges = self.edges.clone();
        for (cell, edge) in row.iter().zip(edges.windows(2)) {
            let (x, y, height) = (edge[0] - LETTER, self.top, LEADING);
            if cell.differs {
                let width = edge[1] - edge[0] - LETTER;
                let _ = writeln!(
                    self.body,
                    "<rect class=\"differs\" x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\"/>"
                );
            }
            self.line(cell, edge[0]);
        }
        self.top += LEADING;
    }

    /// The line of a cell. Its indentation is a distance, because not every program keeps leading spaces.
    fn line(&mut self, cell: &Cell, left: i32) {
        let tokens = cell.tokens();
        if tokens.is_empty() {
            return;
        }
        let indent = cell.indent.min(MOST_LETTERS / 2);
        let (x, y) = (left + indent as i32 * LETTER, self.top + BASELINE);
        let same = if cell.same { " class=\"same\"" } else { "" };
        let _ = write!(self.body, "<text{same} x=\"{x}\" y=\"{y}\">");
        let mut room = MOST_LETTERS - indent;
        for (class, text, anchor) in tokens {
            let start = self.body.position();
            let mut kept: String = text.chars().take(room).collect();
            if kept.len() < text.len() {
                kept.pop();
                kept.push('…');
            }
            room -= kept.chars().count();
            let kept = escaped(&kept);
            let _ = match class {
                Class::Plain | Class::Value => write!(self.body, "{kept}"),
                _ => write!(self.body, "<tspan class=\"{}\">{kept}</tspan>", class.name()),
            };
            if let Some(anchor) = anchor {
                self.body.place(start, anchor);
            }
            if room == 0 {
                break;
            }
        }
        self.body.push_str("</text>\n");
    }
}

/// Letters of a cell.
fn letters(cell: &Cell) -> usize {
    cell.indent + cell.tokens().iter().map(|(_, text, _)| text.chars().count()).sum::<usize>()
}

#[cfg(test)]
mod tests {
    use super::super::table::tests::with_versions;
    use super::*;
    use crate::back::all_funcs;

    fn picture(numbers: &[u32]) -> String {
        with_versions(numbers, |source| {
            let mut out = Output::new();
            ColumnsSvg.write(source, &mut out).unwrap();
            out.finish().into_text()
        })
    }

    #[test]
    fn rows_are_texts_and_differences_are_rectangles() {
        let svg = picture(&[1, 2, 2]);
        assert_eq!(svg.matches("class=\"head\"").count(), 3, "{svg}");
        assert!(svg.contains(">&lt;1&gt;</text>"), "{svg}");
        assert_eq!(svg.matches("<rect class=\"differs\"").count(), 1, "{svg}");
        assert!(svg.contains("rows that are the same</text>"), "{svg}");
        // Two letters of indentation remain of four.
        let left = MARGIN + 2 * LETTER;
        assert!(svg.contains(&format!("<text x=\"{left}\" ")) && !svg.contains(">  %11"), "{svg}");
    }

    #[test]
    fn long_lines_are_cut() {
        let name = "x".repeat(200);
        let module =
            crate::text::parse(&format!("func @0(%0 \"{name}\": b1) graph {{\n^0:\n  return\n}}\n")).module;
        let funcs = all_funcs(&module);
        let mut out = Output::new();
        ColumnsSvg.write(&Source::new(&module, &funcs), &mut out).unwrap();
        let svg = out.finish().into_text();
        let longest = svg.lines().filter(|line| line.starts_with("<text")).map(|line| {
            let bare = line.split('<').filter_map(|piece| piece.split_once('>')).map(|(_, text)| text);
            bare.collect::<String>().chars().count()
        });
        assert_eq!(longest.max(), Some(MOST_LETTERS), "{svg}");
        assert!(svg.contains('…'), "{svg}");
    }
}
