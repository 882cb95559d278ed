//! A table of the debugger: only the rows in view are elements, and only they are requested.

use std::fmt::Write;

use web_sys::{Event as DomEvent, HtmlElement, HtmlSelectElement};

use crate::dom::{by_id, data_around, escape_into, listen as on};
use crate::state::State;
use crate::state::debugger::{Event, RunTable, TableSource};
use crate::store;
use vitrine_protocol::{CellMark, NumberView, TableCell};

/// Height of a row in px, as in `www/style/debugger.css`.
const ROW: i32 = 22;

/// The elements of the table.
pub(super) struct Table {
    pane: HtmlElement,
    name: HtmlElement,
    view: HtmlElement,
    scroller: HtmlElement,
    sheet: HtmlElement,
    head: HtmlElement,
    body: HtmlElement,
    rows: HtmlElement,
    drawn: String,
    source: TableSource,
}

impl Table {
    /// Finds the elements.
    pub(super) fn find() -> Table {
        Table {
            pane: by_id("debugger-values"),
            name: by_id("debugger-name"),
            view: by_id("debugger-view-label"),
            scroller: by_id("debugger-table"),
            sheet: by_id("debugger-sheet"),
            head: by_id("debugger-head"),
            body: by_id("debugger-body"),
            rows: by_id("debugger-rows"),
            drawn: String::new(),
            source: TableSource::None,
        }
    }

    /// Shows the rows of the last answer.
    pub(super) fn draw(&mut self, state: &State) {
        let table = &state.debugger.run.table;
        self.pane.set_hidden(table.source == TableSource::None);
        self.name.set_text_content(Some(&table.name));
        self.view.set_hidden(matches!(table.source, TableSource::Invocations(_) | TableSource::None));
        if self.source != table.source {
            self.source = table.source;
            self.scroller.set_scroll_top(0);
        }
        let [head, rows] = markup(table);
        let html = format!("{head}{rows}");
        if html == self.drawn {
            return;
        }
        self.drawn = html;
        let is_named = table.report.is_named;
        let _ = self.sheet.class_list().toggle_with_force("named", is_named);
        self.head.set_inner_html(&head);
        self.rows.set_inner_html(&rows);
        let height = (table.report.rows.min(700_000) as i32 + 1) * ROW;
        let _ = self.sheet.style().set_property("height", &format!("{height}px"));
        let offset = table.report.first as i32 * ROW;
        let _ = self.body.style().set_property("transform", &format!("translateY({offset}px)"));
    }
}

/// Head and rows as markup. A value of a table by name is a button that puts an assignment into the form.
fn markup(table: &RunTable) -> [String; 2] {
    let report = &table.report;
    let mut head = String::from("<tr>");
    for cell in &report.heads {
        head.push_str("<th scope=col title=\"");
        escape_into(&mut head, cell);
        head.push_str("\">");
        escape_into(&mut head, cell);
    }
    let mut rows = String::new();
    for line in report.lines() {
        let Some((TableCell { text: name, .. }, cells)) = line.split_first() else { continue };
        rows.push_str("<tr><th scope=row>");
        if matches!(table.source, TableSource::Invocations(_)) {
            let _ = write!(rows, "<button data-invocation={name}>{name}</button>");
        } else {
            escape_into(&mut rows, name);
        }
        for (at, TableCell { text, mark }) in cells.iter().enumerate() {
            let _ = write!(rows, "<td class=\"{}\" title=\"", class(*mark));
            escape_into(&mut rows, text);
            rows.push_str("\">");
            if report.is_named && at == 0 {
                rows.push_str("<button title=\"Change it\" data-draft=\"");
                escape_into(&mut rows, name);
                rows.push_str(" = ");
                escape_into(&mut rows, text);
                rows.push_str("\">");
            }
            escape_into(&mut rows, text);
        }
    }
    [head, rows]
}

/// The class of a cell in the style sheet.
fn class(mark: CellMark) -> &'static str {
    match mark {
        CellMark::Plain => "",
        CellMark::Changed => "changed",
        CellMark::Other => "other",
        CellMark::Undefined => "open",
        CellMark::Active => "next",
        CellMark::Selected => "own",
        CellMark::Ended => "ended",
    }
}

/// Reports the rows in view.
pub(super) fn report_visible() {
    let scroller: HtmlElement = by_id("debugger-table");
    let first = (scroller.scroll_top() / ROW).max(0) as u32;
    let count = (scroller.client_height() / ROW).max(0) as u32 + 2;
    store::send(Event::Visible([first, count]).into());
}

/// Listens to scrolling, the menu of number formats, invocations.
pub(super) fn listen() {
    let scroller: HtmlElement = by_id("debugger-table");
    on(&scroller, "scroll", |_: DomEvent| report_visible());
    on(&scroller, "click", |event: DomEvent| {
        if let Some(invocation) = data_around(event.target(), "invocation").and_then(|word| word.parse().ok())
        {
            store::send(Event::Invocation(invocation).into());
        }
    });
    on(&by_id::<HtmlElement>("debugger-view"), "change", |_: DomEvent| {
        let view = by_id::<HtmlSelectElement>("debugger-view").value();
        let view = view.parse().ok().and_then(|at: usize| NumberView::ALL.get(at)).copied();
        store::send(Event::View(view.unwrap_or_default()).into());
        report_visible();
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use vitrine_protocol::TableReport;

    #[test]
    fn cells_are_escaped_and_marked() {
        let cells = |texts: [&str; 2], mark| {
            let cell = |text: &str, mark| TableCell { text: text.to_owned(), mark };
            vec![cell(texts[0], CellMark::Plain), cell(texts[1], mark)]
        };
        let of = |source, mark| RunTable {
            source,
            report: TableReport {
                heads: ["byte", "<b>"].map(str::to_owned).to_vec(),
                cells: cells(["0x0", "1"], mark),
                ..TableReport::default()
            },
            ..RunTable::default()
        };
        let table = of(TableSource::Resource(0), CellMark::Changed);
        let [head, rows] = markup(&table);
        assert!(head.contains("&lt;b&gt;") && !head.contains("<b>"));
        assert!(rows.contains("<td class=\"changed\" title=\"1\">1"), "{rows}");
        let named = RunTable {
            source: TableSource::Resource(0),
            report: TableReport {
                heads: ["name", "before"].map(str::to_owned).to_vec(),
                is_named: true,
                cells: cells(["a[1].b", "0.5"], CellMark::Plain),
                ..TableReport::default()
            },
            ..RunTable::default()
        };
        assert!(markup(&named)[1].contains("data-draft=\"a[1].b = 0.5\">0.5"), "{}", markup(&named)[1]);
        let table = of(TableSource::Invocations(0), CellMark::Selected);
        assert!(markup(&table)[1].contains("<td class=\"own\""));
    }
}
