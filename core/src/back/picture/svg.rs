//! Control-flow graphs as a standalone SVG: real text, colored by token class, for light and dark themes.
//!
//! Positions come from `layout`, tokens from `text`; this file only defines sizes and colors of fonts. The
//! file has no script and loads nothing. Long blocks are cut in the middle, with the number of hidden lines.

use super::palette;
use crate::analysis::{Analyses, Cfg, EdgeKind};
use crate::back::{Backend, Output, Source};
use crate::base::SideTable;
use crate::base::html::escaped;
use crate::ir::{Anchor, Block, Diag, Func, FuncBody, Module, Nesting};
use crate::layout::{Band, CORNER, Input, Layout, Line, Point, Rect, case_label, input_of, layout};
use crate::text::{Class, Link, Options, Printer, Sink};
use std::fmt::Write;

/// Width of a letter and height of a line in px, at the font size of the style below.
pub(super) const LETTER: i32 = 7;
pub(super) const LEADING: i32 = 17;

/// Padding inside a block, in px: left and right, above and below.
const INSET: [i32; 2] = [10, 7];

/// Margin around the picture in px, and above it for the name of the function.
pub(super) const MARGIN: i32 = 24;
const TITLE: i32 = 34;

/// The largest number of lines of a block, and letters of a line.
const MOST_LINES: usize = 40;
pub(super) const MOST_LETTERS: usize = 88;

/// The style of pictures: colors of the page in light and dark themes.
pub(super) fn style() -> String {
    palette::colors("svg") + STYLE + &palette::tokens("fill")
}

const STYLE: &str = "
svg{--band:#0b63b008;--true:#0b63b0;--false:#9c5200;--back:#8a2aa8;background:var(--ground)}
@media(prefers-color-scheme:dark){svg{--band:#8ab4ff0a;--true:#5fb3f0;--false:#f0a04b;--back:#d58cf0}}
text{font:11.6px/1.4 ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace;fill:var(--text);white-space:pre}
.h1{font:600 15px system-ui,sans-serif}.box{fill:var(--box);stroke:var(--rule)}
.band{fill:var(--band);stroke:var(--rule);stroke-opacity:.6}.edge-of-band{fill:var(--back);opacity:.55}
.band-name{font:10.5px system-ui,sans-serif;fill:var(--back)}
.line{fill:none;stroke:var(--dim);stroke-width:1.3}.tip{fill:var(--dim)}
.t .line{stroke:var(--true)}.t .tip,.t text{fill:var(--true)}
.f .line{stroke:var(--false);stroke-dasharray:5 3}.f .tip,.f text{fill:var(--false)}
.back .line{stroke:var(--back);stroke-dasharray:none}.back .tip{fill:var(--back)}
.label{font:600 10.5px system-ui,sans-serif;fill:var(--dim);paint-order:stroke;stroke:var(--ground);stroke-width:3px}
";

/// Control-flow graphs as a picture.
pub struct Svg;

impl Backend for Svg {
    fn name(&self) -> &'static str {
        "svg"
    }

    fn doc(&self) -> &'static str {
        "Control-flow graphs as a picture."
    }

    fn label(&self) -> &'static str {
        "Graph as SVG"
    }

    fn extensions(&self) -> &'static [&'static str] {
        &["svg"]
    }

    fn media(&self) -> &'static str {
        "image/svg+xml"
    }

    fn draws(&self) -> bool {
        true
    }

    fn write(&self, source: &Source<'_>, out: &mut Output<'_>) -> Result<(), Vec<Diag>> {
        write_svg(source.module, source.funcs, source.title.unwrap_or("Control flow"), out);
        Ok(())
    }
}

/// The control-flow graphs of `funcs`, one below the other; functions without a body are left out.
///
/// A letter is assumed to be 7 px wide: the file looks right where its first font or one as wide is installed.
fn write_svg(module: &Module, funcs: &[Func], title: &str, out: &mut Output<'_>) {
    let mut analyses = Analyses::new();
    let mut body = Output::new();
    let (mut width, mut height) = (0, MARGIN);
    for &func in funcs {
        let Some(data) = module.func(func) else { continue };
        let texts = block_texts(module, func, data);
        let input = input_of(module, func, &mut analyses, |block| texts[block].size());
        if input.nodes.is_empty() {
            continue;
        }
        let picture = layout(&input);
        let name = data.name().map_or(String::new(), |name| format!(" {}", module.text_of(name)));
        let start = body.position();
        let _ = writeln!(body, "<g transform=\"translate({MARGIN} {height})\">");
        let _ = writeln!(body, "<text class=\"h1\" y=\"14\">{}</text>", escaped(&format!("{func}{name}")));
        let _ = writeln!(body, "<g transform=\"translate(0 {TITLE})\">");
        let cfg = analyses.get::<Cfg>(module, func);
        Drawing { id: func, func: data, cfg: &cfg, input: &input, picture: &picture, texts: &texts }
            .write(&mut body);
        body.push_str("</g>\n</g>\n");
        body.place(start, Anchor::Func(func));
        width = width.max(picture.extent.width);
        height += TITLE + picture.extent.height + MARGIN;
    }
    let width = width + 2 * MARGIN;
    let title = escaped(title);
    let _ = write!(
        out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\" \
         role=\"img\" aria-labelledby=\"title\">\n<title id=\"title\">{title}</title>\n\
         <desc>Control-flow graphs: boxes are blocks, frames are loops.</desc>\n<style>\n{}\n</style>\n",
        style()
    );
    out.append(body);
    out.push_str("</svg>\n");
}

/// The words of a block, line by line.
#[derive(Clone, Debug, Default)]
struct Words {
    /// Tokens of one class.
    lines: Vec<Vec<(Class, String)>>,
    /// Letters of the line being written.
    letters: usize,
    longest: usize,
}

impl Words {
    fn size(&self) -> (i32, i32) {
        let [side, above] = INSET;
        let width = self.longest.max(4) as i32 * LETTER + 2 * side;
        (width, self.lines.len().max(1) as i32 * LEADING + 2 * above)
    }

    fn cut(&mut self) {
        if self.lines.len() > MOST_LINES {
            let hidden = self.lines.len() - MOST_LINES + 1;
            let half = MOST_LINES / 2;
            let note = vec![(Class::Note, format!("  … {hidden} lines …"))];
            self.lines.splice(half..half + hidden, [note]);
        }
    }
}

impl Sink for Words {
    fn put(&mut self, class: Class, text: &str, _: Link) {
        let room = MOST_LETTERS.saturating_sub(self.letters);
        let Some(line) = self.lines.last_mut().filter(|_| room > 0) else { return };
        let mut kept: String = text.chars().take(room).collect();
        self.letters += kept.chars().count();
        if self.letters == MOST_LETTERS {
            kept.pop();
            kept.push('…');
        }
        self.longest = self.longest.max(self.letters);
        match line.last_mut() {
            Some((last, words)) if *last == class => words.push_str(&kept),
            _ => line.push((class, kept)),
        }
    }

    fn open_line(&mut self, depth: usize) {
        self.lines.push(Vec::new());
        self.letters = 0;
        if depth > 0 {
            // One level is enough: a block is drawn alone.
            self.put(Class::Plain, "  ", Link::None);
        }
    }

    fn close_line(&mut self) {}
}

fn block_texts(module: &Module, func: Func, body: &FuncBody) -> SideTable<Block, Words> {
    let mut out = SideTable::new();
    let nesting = Nesting::of(body);
    for block in body.blocks_in_order() {
        let mut words = Words::default();
        Printer::to_any(module, Options::default(), &mut words).one_block(func, block, &nesting);
        words.cut();
        out[block] = words;
    }
    out
}

struct Drawing<'a> {
    id: Func,
    func: &'a FuncBody,
    /// Its edges are those of the input, in the same order.
    cfg: &'a Cfg,
    input: &'a Input,
    picture: &'a Layout,
    texts: &'a SideTable<Block, Words>,
}

impl Drawing<'_> {
    fn write(&self, out: &mut Output<'_>) {
        for band in &self.picture.bands {
            self.band(out, band);
        }
        for line in &self.picture.lines {
            self.line(out, line);
        }
        for (node, rect) in self.input.nodes.iter().zip(&self.picture.nodes) {
            if let Some(rect) = rect {
                let start = out.position();
                block(out, rect, &self.texts[node.block]);
                out.place(start, Anchor::Block(self.id, node.block));
            }
        }
        for line in &self.picture.lines {
            self.label(out, line);
        }
    }

    fn band(&self, out: &mut Output<'_>, band: &Band) {
        let Rect { x, y, width, height } = band.rect;
        let _ = writeln!(
            out,
            "<rect class=\"band\" x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\" rx=\"4\"/>\
             <rect class=\"edge-of-band\" x=\"{x}\" y=\"{y}\" width=\"2\" height=\"{height}\"/>"
        );
        let header =
            self.input.nodes.get(band.header as usize).map_or(String::new(), |node| node.block.to_string());
        let name = format!("loop {header} · depth {}", band.depth);
        let _ = writeln!(
            out,
            "<text class=\"band-name\" x=\"{}\" y=\"{}\">{}</text>",
            x + 8,
            y + 12,
            escaped(&name)
        );
    }

    fn line(&self, out: &mut Output<'_>, line: &Line) {
        let Some(&end) = line.points.last() else { return };
        let kind = self.kind(line);
        let class = match kind {
            Some(EdgeKind::Then) => " t",
            Some(EdgeKind::Else) => " f",
            _ => "",
        };
        let back = if line.back { " back" } else { "" };
        let _ = writeln!(
            out,
            "<g class=\"edge{class}{back}\"><path class=\"line\" d=\"{}\"/><path class=\"tip\" d=\"M{} {}l-4 -7h8z\"/></g>",
            rounded(&line.points),
            end.x,
            end.y
        );
    }

    fn kind(&self, line: &Line) -> Option<EdgeKind> {
        let edge = line.edges.first().and_then(|&at| self.input.edges.get(at as usize))?;
        (line.edges.len() == 1).then_some(edge.kind)
    }

    fn label(&self, out: &mut Output<'_>, line: &Line) {
        let text = match self.kind(line) {
            Some(EdgeKind::Then) => "T".to_owned(),
            Some(EdgeKind::Else) => "F".to_owned(),
            _ => case_label(self.func, self.cfg, line),
        };
        if text.is_empty() {
            return;
        }
        let class = match self.kind(line) {
            Some(EdgeKind::Then) => "t",
            Some(EdgeKind::Else) => "f",
            _ => "v",
        };
        let Point { x, y } = line.label;
        let _ = writeln!(
            out,
            "<g class=\"{class}\"><text class=\"label\" x=\"{x}\" y=\"{y}\">{}</text></g>",
            escaped(&text)
        );
    }
}

fn block(out: &mut Output<'_>, rect: &Rect, words: &Words) {
    let Rect { x, y, width, height } = *rect;
    let _ = writeln!(
        out,
        "<rect class=\"box\" x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\" rx=\"4\"/>"
    );
    let [side, above] = INSET;
    for (at, line) in (1..).zip(&words.lines) {
        let _ = write!(out, "<text x=\"{}\" y=\"{}\">", x + side, y + above + at * LEADING - 5);
        for (class, text) in line {
            let text = escaped(text);
            let _ = match class {
                Class::Plain | Class::Value => write!(out, "{text}"),
                _ => write!(out, "<tspan class=\"{}\">{text}</tspan>", class.name()),
            };
        }
        out.push_str("</text>\n");
    }
}

/// A path through points with round corners.
fn rounded(points: &[Point]) -> String {
    let mut out = String::new();
    for (at, &Point { x, y }) in points.iter().enumerate() {
        let around = at.checked_sub(1).and_then(|before| Some((points.get(before)?, points.get(at + 1)?)));
        let _ = match around {
            None if at == 0 => write!(out, "M{x} {y}"),
            None => write!(out, "L{x} {y}"),
            Some((before, after)) => {
                let length = |p: &Point| (p.x - x).abs() + (p.y - y).abs();
                let radius = CORNER.min(length(before) / 2).min(length(after) / 2);
                let near = |p: &Point| {
                    let step = |d: i32| d.signum() * radius;
                    (x + step(p.x - x), y + step(p.y - y))
                };
                let ((ax, ay), (bx, by)) = (near(before), near(after));
                write!(out, "L{ax} {ay}Q{x} {y} {bx} {by}")
            }
        };
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::EntityId;

    #[test]
    fn a_branch_is_two_boxes_and_two_labelled_lines() {
        let text = "func @f_0(%0: b1) graph {\n^0:\n  branch %0, ^1, ^1\n^1:\n  return\n}\n";
        let module = crate::text::parse(text).module;
        let mut out = Output::new();
        write_svg(&module, &[Func::from_index(0)], "a <b>", &mut out);
        let svg = out.finish().into_text();
        assert!(svg.contains("<title id=\"title\">a &lt;b&gt;</title>"), "{svg}");
        assert_eq!(svg.matches("class=\"box\"").count(), 2);
        assert_eq!(svg.matches("class=\"line\"").count(), 2);
        assert!(svg.contains(">T</text>") && svg.contains(">F</text>"), "{svg}");
    }

    #[test]
    fn long_blocks_show_the_number_of_hidden_lines() {
        let mut words = Words::default();
        for _ in 0..100 {
            words.open_line(1);
            words.put(Class::Op, &"x".repeat(200), Link::None);
            words.close_line();
        }
        words.cut();
        assert_eq!((words.lines.len(), words.longest), (MOST_LINES, MOST_LETTERS));
        assert!(words.lines.iter().flatten().any(|(_, text)| text.contains("61 lines")));
    }
}
