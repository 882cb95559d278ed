//! Output formats: plain text, ANSI colors for a terminal, HTML.
//!
//! The HTML is a fragment of spans with class names and without scripts; the caller embeds it in a page.

use super::sink::{Class, Link, Sink, indent};
use vitrine_ir::Anchor;
use vitrine_ir::base::html;

/// Plain text.
#[derive(Default)]
pub struct Plain(String);

impl Plain {
    /// An empty text.
    pub fn new() -> Plain {
        Plain::default()
    }

    /// The text.
    pub fn finish(self) -> String {
        self.0
    }
}

impl Sink for Plain {
    fn put(&mut self, _class: Class, text: &str, _link: Link) {
        self.0.push_str(text);
    }

    fn open_line(&mut self, depth: usize) {
        self.0.push_str(indent(depth));
    }

    fn close_line(&mut self) {
        self.0.push('\n');
    }
}

/// Text with ANSI colors (16-color codes, so that it follows the terminal's theme).
#[derive(Default)]
pub struct Ansi(String);

impl Ansi {
    /// An empty text.
    pub fn new() -> Ansi {
        Ansi::default()
    }

    /// The text.
    pub fn finish(self) -> String {
        self.0
    }
}

/// The SGR code of a class; `None` for the default color.
fn sgr(class: Class) -> Option<&'static str> {
    match class {
        Class::Plain | Class::Value => None,
        Class::Keyword => Some("1"),
        Class::Op => Some("33"),
        Class::Qptr => Some("94"),
        Class::Raw => Some("91"),
        Class::Flag | Class::Attr => Some("36"),
        Class::Block | Class::Node => Some("35"),
        Class::Name => Some("34"),
        Class::Type => Some("32"),
        Class::Number | Class::Text => Some("96"),
        Class::Punct | Class::Note => Some("2"),
        Class::Error => Some("1;31"),
    }
}

impl Sink for Ansi {
    fn put(&mut self, class: Class, text: &str, _link: Link) {
        match sgr(class) {
            Some(code) => {
                for piece in ["\x1b[", code, "m", text, "\x1b[0m"] {
                    self.0.push_str(piece);
                }
            }
            None => self.0.push_str(text),
        }
    }

    fn open_line(&mut self, depth: usize) {
        self.0.push_str(indent(depth));
    }

    fn close_line(&mut self) {
        self.0.push('\n');
    }
}

/// An HTML fragment: one `<span class=…>` per token, definitions with an `id`, uses with a link to it.
#[derive(Default)]
pub struct Html(String);

impl Html {
    /// An empty fragment.
    pub fn new() -> Html {
        Html::default()
    }

    /// The fragment.
    pub fn finish(self) -> String {
        self.0
    }

    fn escaped(&mut self, text: &str) {
        html::escape_into(&mut self.0, text);
    }
}

/// The `id` of a definition in HTML: letters, digits and dashes only.
pub fn html_id(anchor: Anchor) -> String {
    use vitrine_ir::base::EntityId;
    let id = |kind: &str, func: vitrine_ir::Func, index: usize| format!("f{}-{kind}{index}", func.index());
    match anchor.owner() {
        Anchor::Module => "module".to_owned(),
        Anchor::Struct(it) => format!("struct{}", it.index()),
        Anchor::Global(it) => format!("const{}", it.index()),
        Anchor::Var(it) => format!("var{}", it.index()),
        Anchor::Entry(at) => format!("entry{at}"),
        Anchor::Func(it) => format!("f{}", it.index()),
        Anchor::Reg(func, it) => id("r", func, it.index()),
        Anchor::Inst(func, it) => id("v", func, it.index()),
        Anchor::Block(func, it) => id("b", func, it.index()),
        Anchor::Node(func, it) => id("n", func, it.index()),
        Anchor::Span(start, _) => format!("byte{start}"),
        Anchor::Word(word) => format!("word{word}"),
        Anchor::Member(..) | Anchor::Arg(..) | Anchor::Terminator(..) | Anchor::TerminatorArg(..) => {
            String::new()
        }
    }
}

impl Sink for Html {
    fn put(&mut self, class: Class, text: &str, link: Link) {
        if class == Class::Plain && link == Link::None {
            self.escaped(text);
            return;
        }
        let (tag, attribute) = match link {
            Link::None => ("span", String::new()),
            Link::Def(anchor) => ("span", format!(" id=\"{}\"", html_id(anchor))),
            Link::Use(anchor) => ("a", format!(" href=\"#{}\"", html_id(anchor))),
        };
        self.0.push_str(&format!("<{tag} class=\"{}\"{attribute}>", class.name()));
        self.escaped(text);
        self.0.push_str(&format!("</{tag}>"));
    }

    fn open_line(&mut self, depth: usize) {
        self.0.push_str(indent(depth));
    }

    fn close_line(&mut self) {
        self.0.push('\n');
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use vitrine_ir::base::EntityId;
    use vitrine_ir::{Func, Inst};

    fn value() -> Anchor {
        Anchor::Inst(Func::from_index(1), Inst::from_index(7))
    }

    fn write(out: &mut impl Sink) {
        out.open_line(1);
        out.put(Class::Value, "%7", Link::Def(value()));
        out.put(Class::Plain, " ", Link::None);
        out.put(Class::Text, "\"<&>\"", Link::Use(value()));
        out.close_line();
    }

    #[test]
    fn plain_is_the_tokens() {
        let mut out = Plain::new();
        write(&mut out);
        assert_eq!(out.finish(), "  %7 \"<&>\"\n");
    }

    #[test]
    fn html_escapes_and_links() {
        let mut out = Html::new();
        write(&mut out);
        assert_eq!(
            out.finish(),
            "  <span class=\"value\" id=\"f1-v7\">%7</span> \
             <a class=\"text\" href=\"#f1-v7\">&quot;&lt;&amp;&gt;&quot;</a>\n"
        );
    }

    #[test]
    fn ansi_colours_end_with_each_token() {
        let mut out = Ansi::new();
        write(&mut out);
        assert_eq!(out.finish(), "  %7 \x1b[96m\"<&>\"\x1b[0m\n");
    }
}
