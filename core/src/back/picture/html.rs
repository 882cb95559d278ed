//! A standalone page with the IR text of a module: opens offline, needs no script, follows the reader's theme.
//!
//! Definitions have ids and uses link to them. Names in a module are untrusted, so the sink escapes everything.

use super::palette;
use crate::back::{Backend, Output, Source};
use crate::base::html::escaped;
use crate::ir::{Diag, Module};
use crate::text::{self, Class, Link, Options, Printer, Sink};
use rustc_hash::FxHashSet;

const STYLE: &str = "
body{margin:2rem auto;max-width:110ch;padding:0 1rem;background:var(--ground);color:var(--text);font:15px/1.5 system-ui,sans-serif}
pre{font:13px/1.55 ui-monospace,monospace;overflow-x:auto;tab-size:2}
pre a{color:inherit;text-decoration:none}pre a:hover{text-decoration:underline}:target{outline:2px solid var(--key)}
";

/// A standalone page.
pub struct Html;

impl Backend for Html {
    fn name(&self) -> &'static str {
        "html"
    }

    fn doc(&self) -> &'static str {
        "IR text as a page that needs no script."
    }

    fn label(&self) -> &'static str {
        "Report as HTML"
    }

    fn extensions(&self) -> &'static [&'static str] {
        &["html"]
    }

    fn media(&self) -> &'static str {
        "text/html"
    }

    fn write(&self, source: &Source<'_>, out: &mut Output<'_>) -> Result<(), Vec<Diag>> {
        let title = source.title.unwrap_or("Shader");
        write_html(source.module, title, source.diags, source.options.of_text(), out);
        Ok(())
    }
}

/// Writes HTML and remembers where each linked token is.
struct Markup<'o, 's> {
    out: &'o mut Output<'s>,
    /// The ids that the page has: an entity that is named in several places has its id at the first one.
    ids: FxHashSet<String>,
}

impl Sink for Markup<'_, '_> {
    fn put(&mut self, class: Class, text: &str, link: Link) {
        let mut token = text::Html::new();
        let shown = match link {
            Link::Def(anchor) if !self.ids.insert(text::html_id(anchor)) => Link::Use(anchor),
            Link::Def(_) | Link::Use(_) | Link::None => link,
        };
        token.put(class, text, shown);
        let start = self.out.position();
        self.out.push_str(&token.finish());
        match link {
            Link::None => {}
            Link::Def(anchor) | Link::Use(anchor) => self.out.place(start, anchor),
        }
    }

    fn open_line(&mut self, depth: usize) {
        let mut line = text::Html::new();
        line.open_line(depth);
        self.out.push_str(&line.finish());
    }

    fn close_line(&mut self) {
        self.out.push_str("\n");
    }
}

/// The page. `title` is shown and is the page's title; diagnostics come first.
fn write_html(module: &Module, title: &str, diags: &[Diag], options: Options, out: &mut Output<'_>) {
    let title = escaped(title);
    out.push_str(&format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n\
         <title>{title}</title>\n<style>\n{}{STYLE}{}\n</style>\n</head>\n<body>\n<h1>{title}</h1>\n",
        palette::colors(":root"),
        palette::tokens("color")
    ));
    if !diags.is_empty() {
        out.push_str("<h2>Diagnostics</h2>\n<ul>\n");
        for diag in diags {
            out.push_str(&format!(
                "<li class=\"{}\">{}</li>\n",
                diag.level.name(),
                escaped(&diag.to_string())
            ));
        }
        out.push_str("</ul>\n");
    }
    out.push_str("<pre>\n");
    Printer::to_any(module, options, &mut Markup { out, ids: FxHashSet::default() }).module();
    out.push_str("</pre>\n</body>\n</html>\n");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_id_occurs_once_and_every_link_leads_to_one() {
        let source = "private $0: f32\n\nfunc @0(%0: b1, %1: b32) -> b32 tree {\n^0:\n  if %0 {\n  ^1:\n    \
                      next(%1)\n  } else {\n  ^2:\n    next(%1)\n  }\n^3(%2: b32):\n  return %2\n}\n\nfunc \
                      @1(%0: b1) -> b32 graph {\n^0:\n  %1: b32 = const 1\n  goto ^1(%1)\n^1(%2: b32):\n  return \
                      %2\n}\n";
        let module = text::parse(source).module;
        for options in [Options::default(), Options { phis: true }] {
            let mut out = Output::new();
            write_html(&module, "t", &[], options, &mut out);
            let page = out.finish().into_text();
            let each = |mark: &str| -> Vec<String> {
                let rest = page.split(mark).skip(1);
                rest.filter_map(|rest| Some(rest.split_once('"')?.0.to_owned())).collect()
            };
            let mut ids = each(" id=\"");
            let count = ids.len();
            ids.sort();
            ids.dedup();
            assert!(count > 10 && ids.len() == count, "{page}");
            assert!(each("href=\"#").iter().all(|link| ids.contains(link)), "{page}");
        }
    }

    #[test]
    fn hostile_names_stay_text() {
        let module = text::parse("private $0 \"<script>alert(1)</script>\": f32\n").module;
        let mut out = Output::new();
        write_html(&module, "</title><script>", &[], Options::default(), &mut out);
        let page = out.finish().into_text();
        assert!(!page.contains("<script"), "{page}");
        assert!(page.contains("&lt;script&gt;alert(1)"));
    }
}
