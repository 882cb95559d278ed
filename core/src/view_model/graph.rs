//! A control-flow graph with the words of its blocks.
//!
//! Positions come from `layout`; the page draws the visible part. Long blocks are cut in the middle until
//! they are opened, long lines at their end, and both display the cut. A fold is one box with a description
//! of its contents. Nothing here depends on colors.

use super::fold::{Regions, box_text};
use super::linked::{Linked, Numbers};
use super::overlay::{FREE_LETTERS, InBlocks};
use super::summary;
use crate::analysis::{Analyses, Cfg, EdgeKind, Inductions, Loop, Loops};
use crate::base::{SideTable, sort_by_number};
use crate::ir::{Anchor, Block, Func, FuncBody, Module, Nesting};
use crate::layout::{Band, Input, Layout, Line, Point, Positions, Rect, case_label, input_of, layout};
use crate::pipeline::diff::FuncDiff;
use crate::text::{Class, Inlined, Link, Options, Printer, Sink};
use vitrine_protocol::layout::{
    self as entries, BlockEntry, EdgeEntry, EdgeTable, Fold, HiddenEntry, LoopEntry, block_flags,
};
use vitrine_protocol::{GraphOptions, GraphPicture, Table};

/// The width of a letter in quarters of a px and the height of a line in px, as in `www/style.css`.
const LETTER_QUARTERS: i32 = 29;
const LEADING: i32 = 17;
/// Padding inside a block, in px: left and right together, above and below together.
const INSET: [i32; 2] = [20, 14];
/// Lines of a block that is shown whole; a longer one shows its first and last lines, until it is opened.
const MOST_LINES: usize = 41;
const ENDS: [usize; 2] = [12, 5];
/// The largest number of visible letters of a line.
const MOST_LETTERS: usize = 60;
/// The extent that previous positions may add to a picture, in px.
const MOST_VOID: i32 = 120;
/// The version before, for comparison.
pub(super) struct Before<'a> {
    pub(super) body: &'a FuncBody,
    pub(super) diff: &'a FuncDiff,
}

/// Draws a function; empty for one without a body. `previous` keeps the positions of blocks, and is updated.
pub(super) fn draw(
    module: &Module,
    func: Func,
    numbers: &mut Numbers,
    view: &GraphOptions,
    before: Option<&Before<'_>>,
    previous: &mut Option<Positions>,
    analyses: &mut Analyses,
) -> GraphPicture {
    let Some(body) = module.func(func) else { return GraphPicture::default() };
    let mut input = input_of(module, func, analyses, |_| (1, 1));
    let mut words = Words::new(numbers);
    let folds = folds(module, func, analyses, &input, view, words.out.numbers);
    let mut hidden = vec![None; input.nodes.len()];
    let mut folded = vec![None; input.nodes.len()];
    for (kind, members) in &folds {
        for &at in members.iter().skip(1) {
            hidden[at as usize] = members.first().copied();
        }
        if let Some(&first) = members.first() {
            folded[first as usize] = Some(*kind);
            words.box_of(body, func, &input, *kind, members);
        }
    }
    let wanted = |number: &u32| of_number(words.out.numbers, func, *number);
    let open: Vec<Block> = view.opened_blocks.iter().filter_map(wanted).collect();
    let pin = |&[number, x, y]: &[i32; 3]| {
        Some((of_number(words.out.numbers, func, number.cast_unsigned())?, Point { x, y }))
    };
    input.pins = view.pins.iter().filter_map(pin).collect();
    let overlay = InBlocks::of(view.overlay, module, func, analyses);
    let nesting = &Nesting::of(body);
    let inlined = view.inline.then(|| Inlined::of(body, nesting));
    let drawn = Drawn { module, func, nesting, inlined: inlined.as_ref(), overlay: &overlay };
    for (at, node) in input.nodes.iter_mut().enumerate() {
        if folded[at].is_none() && hidden[at].is_none() {
            words.block(&drawn, node.block, open.contains(&node.block));
        }
        (node.width, node.height) = words.places[node.block].size();
    }
    input.folds = folds.into_iter().map(|(_, members)| members).collect();
    input.previous = previous.take();
    let picture = compact(&input);
    let mut places = picture.positions(&input);
    if let Some(older) = &input.previous {
        places.keep(older);
    }
    *previous = Some(places);
    let cfg = analyses.get::<Cfg>(module, func);
    let drawing = Drawing { body, cfg: &cfg, input: &input, picture: &picture, places: &words.places };
    let number = |block| words.out.numbers.number(Anchor::Block(func, block));
    let of_node: Vec<u32> = input.nodes.iter().map(|node| node.block).map(number).collect();
    let mut graph = drawing.graph(&of_node, &folded, before);
    graph.trips = drawing.trips(module, func, analyses);
    for (at, node) in input.nodes.iter().enumerate().filter(|(at, _)| hidden[*at].is_none()) {
        graph.summaries.push(match folded[at] {
            // The lines of the box are short: the first one begins with the name.
            Some(_) => words.fold_summary(node.block),
            None => summary::of_block(module, func, body, node.block, nesting),
        });
    }
    let hidden = hidden.iter().enumerate().filter_map(|(at, first)| {
        Some(HiddenEntry { block: of_node[at], shown_in: of_node[(*first)? as usize] })
    });
    graph.hidden = Table::of(&hidden.collect::<Vec<_>>());
    graph.text = words.out.finish();
    graph
}

/// A layout that keeps previous positions, unless they leave more empty space than [`MOST_VOID`].
fn compact(input: &Input) -> Layout {
    let kept = layout(input);
    if input.previous.is_none() {
        return kept;
    }
    let fresh = layout(&Input { previous: None, ..input.clone() });
    let void = |kept: i32, fresh: i32| kept - fresh > MOST_VOID;
    let spread = void(kept.extent.height, fresh.extent.height) || void(kept.extent.width, fresh.extent.width);
    if spread { fresh } else { kept }
}

/// The active folds, larger ones first; a nested fold is inactive until the outer one is opened.
fn folds(
    module: &Module,
    func: Func,
    analyses: &mut Analyses,
    input: &Input,
    view: &GraphOptions,
    numbers: &Numbers,
) -> Vec<(Fold, Vec<u32>)> {
    if view.folds.is_empty() {
        return Vec::new();
    }
    let regions = Regions::of(module, func, analyses, input);
    let fold = |&(kind, number): &(Fold, u32)| {
        let members = regions.members(kind, of_number(numbers, func, number)?);
        (!members.is_empty()).then_some((kind, members))
    };
    let mut all: Vec<(Fold, Vec<u32>)> = view.folds.iter().filter_map(fold).collect();
    sort_by_number(&mut all, |(_, members)| u64::MAX - members.len() as u64);
    let mut taken = vec![false; input.nodes.len()];
    all.retain(|(_, members)| {
        let free = members.iter().all(|&at| !taken[at as usize]);
        members.iter().for_each(|&at| taken[at as usize] = true);
        free
    });
    all
}

/// The block of a number, in one function.
pub(super) fn of_number(numbers: &Numbers, func: Func, number: u32) -> Option<Block> {
    match numbers.anchor(number)? {
        Anchor::Block(of, block) if of == func => Some(block),
        _ => None,
    }
}

/// The bits of [`block_flags`] that do not depend on positions.
fn flags(body: &FuncBody, block: Block, entry: Option<Block>, before: Option<&Before<'_>>) -> u32 {
    use crate::pipeline::diff::Change;
    let mut flags = if entry == Some(block) { block_flags::ENTRY } else { 0 };
    let Some(Before { body: old, diff }) = before else { return flags };
    let data = body.block(block);
    let inside = || data.params.iter().chain(data.insts.iter()).any(|&inst| diff.of_inst(inst).is_some());
    // A removed instruction is a change of its block too.
    let other = || old.block(block).insts != data.insts;
    match diff.of_block(block) {
        Some(Change::Added) => flags |= block_flags::ADDED,
        Some(Change::Changed | Change::Moved | Change::Gone) => flags |= block_flags::CHANGED,
        None if inside() || other() => flags |= block_flags::CHANGED,
        None => {}
    }
    flags
}

/// The lines of a block's text.
#[derive(Clone, Copy, Debug, Default)]
struct BlockText {
    first: usize,
    lines: usize,
    letters: usize,
    /// The line that shows the number of hidden lines.
    cut: Option<usize>,
    /// True if it is shown whole although it is long.
    open: bool,
}

impl BlockText {
    fn size(&self) -> (i32, i32) {
        let [side, above] = INSET;
        let width = (self.letters.max(4) as i32 * LETTER_QUARTERS + 3) / 4 + side;
        (width, self.lines.max(1) as i32 * LEADING + above)
    }
}

/// The function of a picture.
struct Drawn<'a> {
    module: &'a Module,
    func: Func,
    nesting: &'a Nesting,
    inlined: Option<&'a Inlined>,
    overlay: &'a InBlocks,
}

/// The text of all blocks, cut to the limits of a picture.
struct Words<'n> {
    out: Linked<'n>,
    places: SideTable<Block, BlockText>,
}

impl<'n> Words<'n> {
    fn new(numbers: &'n mut Numbers) -> Words<'n> {
        Words { out: Linked::new(numbers), places: SideTable::new() }
    }

    /// Writes a block after its overlay, whole if it is short or `open`.
    fn block(&mut self, of: &Drawn<'_>, block: Block, open: bool) {
        let &Drawn { module, func, nesting, inlined, overlay } = of;
        let notes = overlay.above(block);
        let printed = |out: &mut dyn Sink| {
            Printer::to_any(module, Options::default(), out)
                .inlining(inlined)
                .one_block(func, block, nesting);
        };
        let insts = module.func(func).map_or(0, |body| body.block(block).insts.len());
        // A line has at least one instruction, so only long blocks are printed twice.
        let mut count = Count(0);
        if insts > MOST_LINES / 2 {
            printed(&mut count);
        }
        let long = count.0 > MOST_LINES;
        let first = self.out.lines.len();
        let shown = if long && !open { [ENDS[0], count.0 - ENDS[1]] } else { [usize::MAX; 2] };
        let longest = if matches!(overlay, InBlocks::Free) { FREE_LETTERS } else { 0 };
        let beside = String::new();
        let mut cut =
            Cut { out: &mut self.out, lines: 0, letters: 0, longest, shown, overlay, beside, is_head: false };
        notes.iter().for_each(|words| cut.note(words));
        printed(&mut cut);
        if long && open {
            cut.note("  … fewer");
        }
        let letters = cut.longest;
        let lines = self.out.lines.len() - first;
        let cut = long.then_some(if open { lines - 1 } else { notes.len() + ENDS[0] });
        self.places[block] = BlockText { first, lines, letters, cut, open };
    }

    /// Writes the box of a fold.
    fn box_of(&mut self, body: &FuncBody, func: Func, input: &Input, kind: Fold, members: &[u32]) {
        let blocks = || members.iter().filter_map(|&at| input.nodes.get(at as usize)).map(|node| node.block);
        let Some(head) = blocks().next() else { return };
        let insts = blocks().map(|block| body.block(block).insts.len()).sum();
        let first = self.out.lines.len();
        let [what, how_much] = box_text(kind, members.len(), insts);
        let name = head.to_string();
        self.out.open_line(0);
        self.out.put(Class::Block, &name, Link::Def(Anchor::Block(func, head)));
        self.out.put(Class::Plain, &format!(" {what}"), Link::None);
        self.out.close_line();
        self.out.open_line(0);
        self.out.put(Class::Note, &how_much, Link::None);
        self.out.close_line();
        let letters = (name.len() + 1 + what.len()).max(how_much.len());
        self.places[head] = BlockText { first, lines: 2, letters, cut: None, open: false };
    }

    /// The lines of a fold's box in one.
    fn fold_summary(&self, head: Block) -> String {
        let first = self.places[head].first;
        let start = self.out.lines.get(first).map_or(0, |&(start, _)| start);
        let mut lines = self.out.text.get(start..).unwrap_or_default().lines();
        let what = lines.next().and_then(|line| line.split_once(' ')).map_or("", |(_, what)| what);
        format!("{what} · {}", lines.next().unwrap_or_default())
    }
}

/// Counts lines.
struct Count(usize);

impl Sink for Count {
    fn put(&mut self, _: Class, _: &str, _: Link) {}

    fn open_line(&mut self, _: usize) {
        self.0 += 1;
    }

    fn close_line(&mut self) {}
}

/// Keeps the first and last lines, and the first letters, of a block.
struct Cut<'o, 'n> {
    out: &'o mut Linked<'n>,
    /// Lines so far, including hidden ones.
    lines: usize,
    letters: usize,
    longest: usize,
    /// Lines before the first of these and from the second on are shown.
    shown: [usize; 2],
    overlay: &'o InBlocks,
    /// The words of the overlay at the end of the line.
    beside: String,
    /// True if the line defines a block.
    is_head: bool,
}

impl Cut<'_, '_> {
    fn shows(&self) -> bool {
        self.lines <= self.shown[0] || self.lines > self.shown[1]
    }

    fn note(&mut self, words: &str) {
        let mut words: String = words.to_owned();
        if let Some((at, _)) = words.char_indices().nth(MOST_LETTERS) {
            words.truncate(at);
            words.push('…');
        }
        self.longest = self.longest.max(words.chars().count());
        self.out.open_line(0);
        self.out.put(Class::Note, &words, Link::None);
        self.out.close_line();
    }
}

impl Sink for Cut<'_, '_> {
    fn put(&mut self, class: Class, text: &str, link: Link) {
        self.is_head |= matches!(link, Link::Def(Anchor::Block(..)));
        if let Link::Def(anchor) = link
            && let Some(words) = self.overlay.beside(anchor)
        {
            // The line of a block defines its parameters, too.
            let name = if self.is_head { [text, " "].concat() } else { String::new() };
            self.beside.push_str("  ");
            self.beside.push_str(&name);
            self.beside.push_str(words);
        }
        let room = MOST_LETTERS.saturating_sub(self.letters);
        if !self.shows() || room == 0 {
            return;
        }
        let count = text.chars().count();
        self.letters += count.min(room);
        self.longest = self.longest.max(self.letters);
        if count < room {
            return self.out.put(class, text, link);
        }
        let mut kept: String = text.chars().take(room - 1).collect();
        kept.push('…');
        self.out.put(class, &kept, link);
    }

    fn open_line(&mut self, depth: usize) {
        self.lines += 1;
        if self.shows() {
            // One level is enough: a block is drawn alone.
            self.letters = if depth > 0 { 2 } else { 0 };
            self.out.open_line(depth.min(1));
        } else if self.lines == self.shown[0] + 1 {
            self.note(&format!("  … {} more", self.shown[1] - self.shown[0]));
        }
    }

    fn close_line(&mut self) {
        let beside = std::mem::take(&mut self.beside);
        self.is_head = false;
        if !beside.is_empty() {
            self.put(Class::Note, &beside, Link::None);
        }
        if self.shows() {
            self.out.close_line();
        }
    }
}

/// Left edge, top edge, width and height.
fn numbers_of(rect: Rect) -> [i32; 4] {
    [rect.x, rect.y, rect.width, rect.height]
}

struct Drawing<'a> {
    body: &'a FuncBody,
    /// Its edges are those of the input, in the same order.
    cfg: &'a Cfg,
    input: &'a Input,
    picture: &'a Layout,
    places: &'a SideTable<Block, BlockText>,
}

impl Drawing<'_> {
    /// Everything except the text. `of_node` has the number of each node, `folded` the fold into it.
    fn graph(&self, of_node: &[u32], folded: &[Option<Fold>], before: Option<&Before<'_>>) -> GraphPicture {
        let end = |node: u32| of_node.get(node as usize).copied().unwrap_or(0);
        let band = |band: &Band| LoopEntry {
            rect: numbers_of(band.rect),
            depth: band.depth as i32,
            header: end(band.header),
        };
        let loops: Vec<LoopEntry> = self.picture.bands.iter().map(band).collect();
        let mut edges = EdgeTable::default();
        let mut labels = Vec::with_capacity(self.picture.lines.len());
        for line in &self.picture.lines {
            let (kind, label) = self.meaning(line);
            let edge = EdgeEntry {
                kind: kind as u32,
                back: u32::from(line.back),
                from: end(line.from),
                to: end(line.to),
                label_at: [line.label.x, line.label.y],
                points: 0,
            };
            edges.push(edge, line.points.iter().map(|point| [point.x, point.y]));
            labels.push(label);
        }
        GraphPicture {
            extent: numbers_of(self.picture.extent),
            blocks: Table::of(&self.blocks(of_node, folded, before)),
            loops: Table::of(&loops),
            edges: edges.finish(),
            labels,
            ..GraphPicture::default()
        }
    }

    /// The boxes.
    fn blocks(
        &self,
        of_node: &[u32],
        folded: &[Option<Fold>],
        before: Option<&Before<'_>>,
    ) -> Vec<BlockEntry> {
        let band_of = self.bands();
        let mut blocks = Vec::new();
        for (at, node) in self.input.nodes.iter().enumerate() {
            let Some(rect) = self.picture.nodes.get(at).copied().flatten() else { continue };
            let place = self.places[node.block];
            let mut flags = flags(self.body, node.block, self.cfg.entry(), before);
            if let Some((_, pin)) = self.input.pins.iter().find(|(block, _)| *block == node.block) {
                let is_there = (pin.x, pin.y) == (rect.x, rect.y);
                flags |= block_flags::PINNED | if is_there { 0 } else { block_flags::DISPLACED };
            }
            flags |= if place.open { block_flags::OPEN } else { 0 };
            blocks.push(BlockEntry {
                id: of_node[at],
                rect: numbers_of(rect),
                first_line: place.first as u32,
                lines: place.lines as u32,
                flags,
                cut: place.cut.map_or(-1, |line| line as i32),
                innermost_loop: band_of[at],
                insts: self.body.block(node.block).insts.len() as u32,
                fold: folded[at].map_or(0, u32::from),
            });
        }
        blocks
    }

    /// The trip count of each drawn loop, in words.
    fn trips(&self, module: &Module, func: Func, analyses: &mut Analyses) -> Vec<String> {
        if self.picture.bands.is_empty() {
            return Vec::new();
        }
        let (loops, found) = (analyses.get::<Loops>(module, func), analyses.get::<Inductions>(module, func));
        let mut of_block: SideTable<Block, Option<Loop>> = SideTable::new();
        loops.all().for_each(|of| of_block[loops.header(of)] = Some(of));
        let of = |band: &Band| {
            let header = self.input.nodes.get(band.header as usize).and_then(|node| of_block[node.block]);
            header.map_or_else(String::new, |of| summary::of_loop(&found, of))
        };
        self.picture.bands.iter().map(of).collect()
    }

    /// The innermost drawn loop of each node, by its index among the bands; below 0 for none.
    fn bands(&self) -> Vec<i32> {
        let groups = &self.input.groups;
        let mut of_group = vec![-1; groups.len()];
        for (at, band) in (0..).zip(&self.picture.bands) {
            of_group[band.group as usize] = at;
        }
        for (at, group) in groups.iter().enumerate() {
            // Groups come after the group around them.
            if let Some(up) = group.parent.filter(|&up| of_group[at] < 0 && (up as usize) < at) {
                of_group[at] = of_group[up as usize];
            }
        }
        let of = |node: &crate::layout::Node| {
            node.group.and_then(|group| of_group.get(group as usize).copied()).unwrap_or(-1)
        };
        self.input.nodes.iter().map(of).collect()
    }

    /// The kind and the label of a line. A line for several edges is unconditional, if it has no label.
    fn meaning(&self, line: &Line) -> (entries::EdgeKind, String) {
        let only = (line.edges.len() == 1).then(|| line.edges.first()).flatten();
        let kind = only.and_then(|&at| self.input.edges.get(at as usize)).map(|edge| edge.kind);
        match kind {
            Some(EdgeKind::Then) => (entries::EdgeKind::True, "T".to_owned()),
            Some(EdgeKind::Else) => (entries::EdgeKind::False, "F".to_owned()),
            Some(
                EdgeKind::Goto
                | EdgeKind::Case
                | EdgeKind::Default
                | EdgeKind::Enter
                | EdgeKind::Leave
                | EdgeKind::Break
                | EdgeKind::Continue
                | EdgeKind::Rest
                | EdgeKind::Repeat,
            )
            | None => {
                let values = case_label(self.body, self.cfg, line);
                let kind =
                    if values.is_empty() { entries::EdgeKind::Always } else { entries::EdgeKind::Case };
                (kind, values)
            }
        }
    }
}

#[cfg(test)]
#[path = "graph_tests.rs"]
mod tests;
