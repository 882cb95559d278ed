//! A standalone page with the text of a module: opens offline, needs no script, follows the reader's theme.
//!
//! Definitions have ids and uses link to them. Text comes from strangers, so everything is escaped by the sink.

use crate::ir::{Diag, Module};
use crate::text::{Html, Options, Printer, Sink};

const STYLE: &str = "
:root{color-scheme:light dark;--bg:#fdfcf9;--fg:#24211c;--dim:#6b655b;--op:#9a5b00;--qptr:#0b62b8;--raw:#b3381f;
--key:#5b3f98;--type:#3f6b16;--num:#0f6674;--name:#8a2f63;--err:#b00020}
@media(prefers-color-scheme:dark){:root{--bg:#16171a;--fg:#e7e4dd;--dim:#9c978c;--op:#e8b35c;--qptr:#6db3f2;
--raw:#f2907a;--key:#b9a3ee;--type:#a5cf74;--num:#7fd0dd;--name:#ec9ac4;--err:#ff8a8a}}
body{margin:2rem auto;max-width:110ch;padding:0 1rem;background:var(--bg);color:var(--fg);font:15px/1.5 system-ui,sans-serif}
pre{font:13px/1.55 ui-monospace,monospace;overflow-x:auto;tab-size:2}
pre a{color:inherit;text-decoration:none}pre a:hover{text-decoration:underline}:target{outline:2px solid var(--qptr)}
.keyword,.block,.node{color:var(--key)}.op{color:var(--op)}.qptr{color:var(--qptr)}.raw{color:var(--raw)}
.flag,.attr{color:var(--dim)}.type{color:var(--type)}.number,.text{color:var(--num)}.name{color:var(--name)}
.punct,.note{color:var(--dim)}.error{color:var(--err)}";

/// The page. `title` is shown and is the page's title; `diags` come first where there are any.
pub fn write_html(module: &Module, title: &str, diags: &[Diag], options: Options) -> String {
    let mut body = Html::new();
    Printer::to_any(module, options, &mut body).module();
    let title = escaped(title);
    let mut page = format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n\
         <title>{title}</title>\n<style>{STYLE}\n</style>\n</head>\n<body>\n<h1>{title}</h1>\n"
    );
    if !diags.is_empty() {
        page.push_str("<h2>Diagnostics</h2>\n<ul>\n");
        for diag in diags {
            page.push_str(&format!(
                "<li class=\"{}\">{}</li>\n",
                diag.level.name(),
                escaped(&diag.to_string())
            ));
        }
        page.push_str("</ul>\n");
    }
    page.push_str("<pre>\n");
    page.push_str(&body.finish());
    page.push_str("</pre>\n</body>\n</html>\n");
    page
}

/// `text` for HTML, by the sink's own escaping.
fn escaped(text: &str) -> String {
    let mut out = Html::new();
    out.put(crate::text::Class::Plain, text, crate::text::Link::None);
    out.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hostile_names_stay_text() {
        let module = crate::text::parse("private $0 \"<script>alert(1)</script>\": f32\n").module;
        let page = write_html(&module, "</title><script>", &[], Options::default());
        assert!(!page.contains("<script"), "{page}");
        assert!(page.contains("&lt;script&gt;alert(1)"));
    }
}
