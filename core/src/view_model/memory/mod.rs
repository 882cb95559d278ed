//! The map of a piece of memory: which bytes it has, what they were declared as, who reads and writes them.
//!
//! ```text
//! 0..4     count: u32            read             ^3  %7: b32 = load %2
//! 4..16    padding
//! 16..     lights: [#Light]      an element every 32 bytes
//!   0..12  lights[].pos: f32x3   never used
//!   12..16 lights[].radius: f32  read, written    ^3  %9: b32 = load %8 {offset 12}
//! ```
//!
//! The usage is that of the version with its paths lowered (`qptr-lower` on a copy), so typed memory has a map too.
//! An answer is a text, line by line, and flat numbers for each line. What `qptr-lower` made is told by what reads it
//! in the version itself.

mod declared; // start here: what the type says
mod used; // what the program does
pub(super) mod paths; // where pointers lead, in the words of the type

use super::inspect::Inline;
use super::linked::{Linked, Numbers, StyledText};
use crate::analysis::{Addresses, Analyses, How, Memory, PartKind, Root, Tree, Usage};
use crate::ir::{Anchor, Func, FuncBody, Inst, Mode, Module, Type, Var};
use crate::pipeline::{Pipeline, Settings};
use crate::text::{Class, Link, Options, Printer, Sink};
use declared::{Field, Segment, What, segments};
use rustc_hash::FxHashMap;
use used::{Used, used};

/// Readers and writers of a range that are listed; of more the number is told.
const MOST_SITES: usize = 24;
/// Bytes where nobody knows how many.
const OPEN: i32 = -1;

/// A map.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MemoryMap {
    /// The variable, by its number; none where the version has no memory.
    pub number: Option<u32>,
    /// All variables with memory: a number each, and a line of [`MemoryMap::names`].
    pub variables: Vec<u32>,
    /// Their names, a line each.
    pub names: String,
    /// What is said, a line each.
    pub text: StyledText,
    /// Eight numbers a line: kind (0 segment, 1 declared, 2 padding, 3 used, 4 who does it, 5 remark), segment, first
    /// byte, bytes (-1 for all that follow), what is done (1 read, 2 written, 4 atomic, 8 what a field is never used
    /// for), and two for the kind: of a segment its stride and count (-1 where nobody knows), of who does it the
    /// number of the instruction plus 1 and the line of the range. The last is the track of ranges that overlap.
    pub rows: Vec<i32>,
}

/// The kinds of lines.
#[derive(Clone, Copy)]
enum Kind {
    Segment,
    Field,
    Padding,
    Used,
    Site,
    Remark,
}

/// A version with its paths lowered, and what is done with its memory.
pub(super) struct Lowered {
    module: Module,
    usage: Usage,
}

impl std::fmt::Debug for Lowered {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str("Lowered")
    }
}

impl Lowered {
    /// Lowers a copy of a version. Near-linear; a version that is not valid stays as it is.
    pub(super) fn of(module: &Module) -> Lowered {
        let lowered =
            Pipeline::parse("qptr-lower").and_then(|pipeline| pipeline.run_with(module, Settings::default()));
        let module = lowered.unwrap_or_else(|_| module.clone());
        let usage = Usage::of(&module, &mut Analyses::new());
        Lowered { module, usage }
    }

    /// The variable a thing belongs to: itself, or what an access or a pointer leads into.
    fn variable(&self, anchor: Anchor) -> Option<Var> {
        match anchor {
            Anchor::Var(var) => Some(var),
            Anchor::Inst(func, inst) => {
                let body = self.module.func(func)?;
                let data = body.tables().insts.get(inst)?;
                let found = Addresses::of(&self.module, body);
                let pointer = [inst].into_iter().chain(data.args.iter().copied());
                let mut roots = pointer.filter_map(|at| found.root(at));
                roots.find_map(|root| match root {
                    Root::Var(var) => Some(var),
                    Root::Value(_) => None,
                })
            }
            _ => None,
        }
    }
}

/// The map of a variable, or of what a thing leads into; without either that of the first buffer. Linear in the
/// version.
pub(super) fn map(
    module: &Module,
    lowered: &Lowered,
    anchor: Option<Anchor>,
    numbers: &mut Numbers,
) -> MemoryMap {
    let mut out = MemoryMap::default();
    let has_bytes = |mode| !matches!(mode, Mode::Handle);
    let vars: Vec<(Var, Mode)> =
        module.vars().map(|(var, data)| (var, data.mode)).filter(|&(_, mode)| has_bytes(mode)).collect();
    for &(var, _) in &vars {
        out.variables.push(numbers.number(Anchor::Var(var)));
        out.names.push_str(&name(module, var));
        out.names.push('\n');
    }
    let asked = anchor.and_then(|anchor| lowered.variable(anchor));
    let asked = asked.filter(|var| vars.iter().any(|(known, _)| known == var));
    let is_buffer = |mode| matches!(mode, Mode::Storage | Mode::Uniform | Mode::Push);
    let first = || vars.iter().find(|&&(_, mode)| is_buffer(mode)).or(vars.first()).map(|&(var, _)| var);
    let Some(var) = asked.or_else(first) else { return out };
    out.number = Some(numbers.number(Anchor::Var(var)));
    let mut told =
        Told { module, lowered, out: Linked::new(numbers), rows: Vec::new(), users: FxHashMap::default() };
    told.variable(var);
    (out.rows, out.text) = (told.rows.into_flattened(), told.out.finish());
    out
}

/// A variable as a person calls it: `lights, storage`.
fn name(module: &Module, var: Var) -> String {
    let data = module.var(var);
    let said =
        data.and_then(|data| data.name).map(|name| module.text_of(name).replace(char::is_control, "_"));
    let mode = data.map_or("", |data| data.mode.name());
    format!("{}, {mode}", said.unwrap_or_else(|| var.to_string()))
}

/// Lines as they are told.
struct Told<'a, 'n> {
    module: &'a Module,
    lowered: &'a Lowered,
    out: Linked<'n>,
    rows: Vec<[i32; 8]>,
    /// Of each instruction of the lowered version, one that reads it.
    users: FxHashMap<Func, FxHashMap<Inst, Inst>>,
}

impl Told<'_, '_> {
    fn variable(&mut self, var: Var) {
        let usage = &self.lowered.usage;
        let of = Memory::Var(var);
        let tree = usage.tree(&self.lowered.module, of);
        let declared = Usage::declared(self.module, of);
        let (mut parts, left) =
            declared.map_or_else(|| (vec![Segment::default()], 0), |ty| segments(self.module, ty));
        let lines = usage.lines(&self.lowered.module, &tree);
        let ranges = used(&mut parts, &tree, lines);
        for (at, segment) in parts.iter().enumerate() {
            let own: Vec<&Used> = ranges.iter().filter(|range| range.segment == at).collect();
            // Nothing is known of an element of which nothing was declared and nothing is done.
            if own.is_empty() && segment.fields.is_empty() {
                continue;
            }
            self.segment(at, segment, var);
            let mut ranges_left = own.iter().copied().zip(tracks(&own)).peekable();
            let next = segment.fields.iter().skip(1).map(|field| Some(field.start)).chain([None]);
            for (field, next) in segment.fields.iter().zip(next) {
                self.field(at, field, used_as(field, &parts, &ranges, at));
                // What begins in a field stands below it.
                let here = |(range, _): &(&Used, i32)| next.is_none_or(|next| range.start < next);
                while let Some((range, track)) = ranges_left.next_if(here) {
                    self.range(&tree, range, track);
                }
            }
            for (range, track) in ranges_left {
                self.range(&tree, range, track);
            }
        }
        if left > 0 {
            self.remark(0, &format!("and {left} more members"));
        }
        if tree.is_unused() {
            self.remark(0, "Nothing in this version reads or writes it.");
        }
    }

    fn segment(&mut self, at: usize, segment: &Segment, var: Var) {
        let count = segment.count.map_or(OPEN, small);
        let bytes = segment.bytes.map_or(OPEN, small);
        self.open(Kind::Segment, at, segment.start, bytes, [0, small(segment.stride), count, 0]);
        match segment.parent {
            None => {
                self.out.put(Class::Name, &name(self.module, var), Link::Use(Anchor::Var(var)));
                let open = segment.fields.iter().any(|field| field.bytes.is_none());
                let more = if open { ", and an array of any length" } else { "" };
                self.say(&segment.bytes.map_or_else(String::new, |bytes| format!(": {bytes} bytes{more}")));
            }
            Some(_) => {
                let path = if segment.path.is_empty() { "what is stepped through" } else { &segment.path };
                self.out.put(Class::Name, path, Link::None);
                let times = match segment.count {
                    Some(count) => format!("{count} times, every {} bytes", segment.stride),
                    None => format!("every {} bytes", segment.stride),
                };
                self.say(&format!(": {times}, from byte {}", segment.start));
                self.say(if segment.is_declared { "" } else { "; not so declared" });
            }
        }
        self.out.close_line();
    }

    fn field(&mut self, at: usize, field: &Field, how: How) {
        let bytes = field.bytes.map_or(OPEN, small);
        let (kind, path, ty) = match &field.what {
            What::Leaf(path, ty) | What::Row(path, ty, _) | What::Elements(path, ty, _) => {
                (Kind::Field, path.as_str(), Some(*ty))
            }
            What::Padding => (Kind::Padding, "padding", None),
        };
        let more = if let What::Elements(.., child) = field.what { child as i32 } else { 0 };
        self.open(kind, at, field.start, bytes, [bits(how), more, 0, 0]);
        self.out.put(if ty.is_some() { Class::Name } else { Class::Note }, path, Link::None);
        if let Some(ty) = ty {
            self.say(if path.is_empty() { "" } else { ": " });
            self.full_type(ty);
        }
        if let What::Row(_, _, tracks) = field.what {
            self.say(&format!(" * {tracks}, a row"));
        }
        self.out.close_line();
    }

    fn range(&mut self, tree: &Tree, used: &Used, track: i32) {
        let sites = self.lowered.usage.sites(tree, used.part);
        let kind = tree.part(used.part).map(|data| &data.kind);
        let range = self.rows.len() as i32;
        let bytes = used.bytes.map_or(OPEN, small);
        self.open(
            Kind::Used,
            used.segment,
            used.start,
            bytes,
            [bits(used.how), sites.len() as i32, 0, track],
        );
        match kind {
            Some(PartKind::Value(ty, _)) => self.out.put(Class::Type, &ty.to_string(), Link::None),
            Some(PartKind::Typed(ty, _)) => self.full_type(*ty),
            Some(PartKind::Bytes(_)) => self.out.put(Class::Qptr, "bytes", Link::None),
            Some(PartKind::Anywhere(_)) => self.out.put(Class::Qptr, "anywhere", Link::None),
            Some(PartKind::Fields(_) | PartKind::Repeat { .. } | PartKind::Union(_)) | None => {}
        }
        let words: Vec<&str> = used.how.words().collect();
        self.say(&format!(" {}", words.join("+")));
        if !used.name.is_empty() {
            self.say(" ");
            self.out.put(Class::Text, &used.name, Link::None);
        }
        self.out.close_line();
        let mut seen = Vec::new();
        for (func, inst) in sites {
            let inst = self.in_version(func, inst);
            if !seen.contains(&(func, inst)) {
                seen.push((func, inst));
            }
        }
        for &(func, inst) in seen.iter().take(MOST_SITES) {
            self.site(used, func, inst, range);
        }
        if seen.len() > MOST_SITES {
            self.remark(used.segment, &format!("and {} more places", seen.len() - MOST_SITES));
        }
    }

    fn site(&mut self, used: &Used, func: Func, inst: Option<Inst>, range: i32) {
        let number = inst.map_or(0, |inst| self.out.numbers.number(Anchor::Inst(func, inst)) as i32 + 1);
        self.open(Kind::Site, used.segment, used.start, OPEN, [bits(used.how), number, range, 0]);
        match inst {
            Some(inst) => {
                let several = self.module.funcs().nth(1).is_some();
                if several {
                    self.out.put(Class::Name, &func.to_string(), Link::Use(Anchor::Func(func)));
                    self.say(" ");
                }
                let mut inline = Inline { out: &mut self.out };
                Printer::to_any(self.module, Options::default(), &mut inline).one_inst(func, inst);
            }
            None => self.say("what qptr-lower makes of a larger access"),
        }
        self.out.close_line();
    }

    /// An instruction of the lowered version in the version itself: itself, or what reads what was made for it.
    fn in_version(&mut self, func: Func, inst: Inst) -> Option<Inst> {
        let (body, lowered) = (self.module.func(func)?, self.lowered.module.func(func)?);
        let is_there = |inst: Inst| body.tables().insts.contains(inst);
        let users = self.users.entry(func).or_insert_with(|| users(lowered));
        let mut at = inst;
        // Tracks are put together by a few instructions.
        for _ in 0..16 {
            if is_there(at) {
                return Some(at);
            }
            at = users.get(&at).copied()?;
        }
        None
    }

    fn remark(&mut self, segment: usize, text: &str) {
        self.open(Kind::Remark, segment, 0, 0, [0; 4]);
        self.out.put(Class::Note, text, Link::None);
        self.out.close_line();
    }

    /// Begins a line.
    fn open(&mut self, kind: Kind, segment: usize, start: i64, bytes: i32, more: [i32; 4]) {
        let start = i32::try_from(start).unwrap_or(if start < 0 { i32::MIN } else { i32::MAX });
        let [how, first, second, track] = more;
        self.rows.push([kind as i32, segment as i32, start, bytes, how, first, second, track]);
        self.out.open_line(0);
    }

    fn full_type(&mut self, ty: Type) {
        Printer::to_any(self.module, Options::default(), &mut self.out).full_type(ty);
    }

    fn say(&mut self, text: &str) {
        self.out.put(Class::Plain, text, Link::None);
    }
}

/// Of each instruction one that reads it.
fn users(body: &FuncBody) -> FxHashMap<Inst, Inst> {
    let mut users = FxHashMap::default();
    for block in body.blocks_in_order() {
        for &inst in body.block(block).insts.iter() {
            for &arg in body.inst(inst).args.iter() {
                users.entry(arg).or_insert(inst);
            }
        }
    }
    users
}

/// What is done with a field: with its bytes, or with the elements it holds.
fn used_as(field: &Field, segments: &[Segment], ranges: &[Used], at: usize) -> How {
    let below = |segment: usize| {
        let What::Elements(.., child) = field.what else { return false };
        let mut here = Some(segment);
        // A segment's parent was made before it.
        while let Some(at) = here.filter(|&at| at >= child) {
            if at == child {
                return true;
            }
            here = segments.get(at).and_then(|segment| segment.parent);
        }
        false
    };
    let end = field.bytes.map(|bytes| field.start.saturating_add_unsigned(bytes));
    let meets = |range: &&Used| {
        let stop = range.bytes.map(|bytes| range.start.saturating_add_unsigned(bytes));
        let here = end.is_none_or(|end| range.start < end) && stop.is_none_or(|stop| field.start < stop);
        range.segment == at && here || below(range.segment)
    };
    ranges.iter().filter(meets).fold(How::NONE, |how, range| how.and(range.how))
}

/// A track for each range, so that those that overlap are in different ones; ranges come by first byte.
fn tracks(ranges: &[&Used]) -> Vec<i32> {
    let mut ends: Vec<i64> = Vec::new();
    let track = |range: &&Used| {
        let end = range.bytes.map_or(i64::MAX, |bytes| range.start.saturating_add_unsigned(bytes));
        let free = ends.iter().position(|&end| end <= range.start).unwrap_or(ends.len());
        match ends.get_mut(free) {
            Some(slot) => *slot = end,
            None => ends.push(end),
        }
        free as i32
    };
    ranges.iter().map(track).collect()
}

/// What is done, as numbers for the page.
fn bits(how: How) -> i32 {
    [(How::READ, 1), (How::WRITE, 2), (How::ATOMIC, 4)]
        .into_iter()
        .filter(|&(what, _)| how.has(what))
        .map(|(_, bit)| bit)
        .sum()
}

/// A number of bytes as the page takes it.
fn small(bytes: u64) -> i32 {
    i32::try_from(bytes).unwrap_or(i32::MAX)
}

#[cfg(test)]
mod tests;
