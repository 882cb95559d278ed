//! The memory map of a variable: its bytes, their declared members, and the instructions that access them.
//!
//! ```text
//! 0..4     count: u32            read             ^3  %7: b32 = load %2
//! 4..16    padding
//! 16..     lights: [#Light]      an element every 32 bytes
//!   0..12  lights[].pos: f32x3   never used
//!   12..16 lights[].radius: f32  read, written    ^3  %9: b32 = load %8 {offset 12}
//! ```
//!
//! The usage is that of the version with its paths lowered (`qptr-lower` on a copy), so typed memory has a
//! map too. An answer is a text, line by line, with an entry for each line. An instruction inserted by
//! `qptr-lower` is shown as its user in the version itself.

mod declared; // start here: the declared type
mod used; // accesses of the program
pub(super) mod paths; // addresses of pointers as members of the type

use super::inspect::Inline;
use super::linked::{Linked, Numbers};
use crate::analysis::{Addresses, Analyses, How, Memory, PartKind, Root, Tree, Usage};
use crate::ir::{Anchor, Func, FuncBody, Inst, Mode, Module, Type, Var};
use crate::pipeline::{Pipeline, Settings};
use crate::text::{Class, Link, Options, Printer, Sink};
use declared::{Field, FieldKind, Segment, segments};
use rustc_hash::FxHashMap;
use used::{Used, used};
use vitrine_protocol::layout::{MemoryEntry, MemoryKind, access_flags};
use vitrine_protocol::{MemoryMap, MemoryVariable, Table};

/// The largest number of listed accesses of a range; the number of the others is shown.
const MOST_SITES: usize = 24;
/// The number for an unknown size.
const OPEN: i32 = -1;

/// A version with its paths lowered, and the usage of its memory.
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
    /// Lowers a copy of a version. Near-linear; an invalid version is unchanged.
    pub(super) fn of(module: &Module) -> Lowered {
        let lowered =
            Pipeline::parse("qptr-lower").and_then(|pipeline| pipeline.run_with(module, Settings::default()));
        let module = lowered.unwrap_or_else(|_| module.clone());
        let usage = Usage::of(&module, &mut Analyses::new());
        Lowered { module, usage }
    }

    /// The variable of an anchor: itself, or the root of an access or a pointer.
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

/// The map of a variable, or of the variable that an anchor accesses; by default that of the first buffer.
/// Linear in the version.
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
        let id = numbers.number(Anchor::Var(var));
        out.variables.push(MemoryVariable { id, name: name(module, var) });
    }
    let requested = anchor.and_then(|anchor| lowered.variable(anchor));
    let requested = requested.filter(|var| vars.iter().any(|(known, _)| known == var));
    let is_buffer = |mode| matches!(mode, Mode::Storage | Mode::Uniform | Mode::Push);
    let first = || vars.iter().find(|&&(_, mode)| is_buffer(mode)).or(vars.first()).map(|&(var, _)| var);
    let Some(var) = requested.or_else(first) else { return out };
    out.variable = Some(numbers.number(Anchor::Var(var)));
    let mut report =
        Report { module, lowered, out: Linked::new(numbers), rows: Vec::new(), users: FxHashMap::default() };
    report.variable(var);
    (out.rows, out.text) = (Table::of_all(report.rows), report.out.finish());
    out
}

/// The display name of a variable: `lights, storage`.
fn name(module: &Module, var: Var) -> String {
    let data = module.var(var);
    let name =
        data.and_then(|data| data.name).map(|name| module.text_of(name).replace(char::is_control, "_"));
    let mode = data.map_or("", |data| data.mode.name());
    format!("{}, {mode}", name.unwrap_or_else(|| var.to_string()))
}

/// The fields of a [`MemoryEntry`] that not all lines have.
#[derive(Clone, Copy, Default)]
struct More {
    access: i32,
    detail: i32,
    count: i32,
    track: i32,
}

/// The lines under construction.
struct Report<'a, 'n> {
    module: &'a Module,
    lowered: &'a Lowered,
    out: Linked<'n>,
    rows: Vec<MemoryEntry>,
    /// For each instruction of the lowered version, one of its users.
    users: FxHashMap<Func, FxHashMap<Inst, Inst>>,
}

impl Report<'_, '_> {
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
            // A segment without declared members and without accesses has no lines.
            if own.is_empty() && segment.fields.is_empty() {
                continue;
            }
            self.segment(at, segment, var);
            let mut ranges_left = own.iter().copied().zip(tracks(&own)).peekable();
            let next = segment.fields.iter().skip(1).map(|field| Some(field.start)).chain([None]);
            for (field, next) in segment.fields.iter().zip(next) {
                self.field(at, field, used_as(field, &parts, &ranges, at));
                // Ranges that begin in a field are listed below it.
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
            self.remark(0, "This version neither reads nor writes it.");
        }
    }

    fn segment(&mut self, at: usize, segment: &Segment, var: Var) {
        let count = segment.count.map_or(OPEN, small);
        let bytes = segment.bytes.map_or(OPEN, small);
        let more = More { detail: small(segment.stride), count, ..More::default() };
        self.open(MemoryKind::Segment, at, segment.start, bytes, more);
        match segment.parent {
            None => {
                self.out.put(Class::Name, &name(self.module, var), Link::Use(Anchor::Var(var)));
                let open = segment.fields.iter().any(|field| field.bytes.is_none());
                let more = if open { ", and an array of any length" } else { "" };
                self.plain(&segment.bytes.map_or_else(String::new, |bytes| format!(": {bytes} bytes{more}")));
            }
            Some(_) => {
                let path = if segment.path.is_empty() { "elements" } else { &segment.path };
                self.out.put(Class::Name, path, Link::None);
                let times = match segment.count {
                    Some(count) => format!("{count} times, every {} bytes", segment.stride),
                    None => format!("every {} bytes", segment.stride),
                };
                self.plain(&format!(": {times}, from byte {}", segment.start));
                self.plain(if segment.is_declared { "" } else { "; not declared" });
            }
        }
        self.out.close_line();
    }

    fn field(&mut self, at: usize, field: &Field, how: How) {
        let bytes = field.bytes.map_or(OPEN, small);
        let (kind, path, ty) = match &field.kind {
            FieldKind::Leaf(path, ty) | FieldKind::Row(path, ty, _) | FieldKind::Elements(path, ty, _) => {
                (MemoryKind::Field, path.as_str(), Some(*ty))
            }
            FieldKind::Padding => (MemoryKind::Padding, "padding", None),
        };
        let detail = if let FieldKind::Elements(.., child) = field.kind { child as i32 } else { 0 };
        let more = More { access: bits(how), detail, ..More::default() };
        self.open(kind, at, field.start, bytes, more);
        self.out.put(if ty.is_some() { Class::Name } else { Class::Note }, path, Link::None);
        if let Some(ty) = ty {
            self.plain(if path.is_empty() { "" } else { ": " });
            self.full_type(ty);
        }
        if let FieldKind::Row(_, _, tracks) = field.kind {
            self.plain(&format!(" * {tracks}, a row"));
        }
        self.out.close_line();
    }

    fn range(&mut self, tree: &Tree, used: &Used, track: i32) {
        let sites = self.lowered.usage.sites(tree, used.part);
        let kind = tree.part(used.part).map(|data| &data.kind);
        let range = self.rows.len() as i32;
        let bytes = used.bytes.map_or(OPEN, small);
        let more = More { access: bits(used.how), detail: sites.len() as i32, count: 0, track };
        self.open(MemoryKind::Used, used.segment, used.start, bytes, more);
        match kind {
            Some(PartKind::Value(ty, _)) => self.out.put(Class::Type, &ty.to_string(), Link::None),
            Some(PartKind::Typed(ty, _)) => self.full_type(*ty),
            Some(PartKind::Bytes(_)) => self.out.put(Class::Qptr, "bytes", Link::None),
            Some(PartKind::Anywhere(_)) => self.out.put(Class::Qptr, "anywhere", Link::None),
            Some(PartKind::Fields(_) | PartKind::Repeat { .. } | PartKind::Union(_)) | None => {}
        }
        let words: Vec<&str> = used.how.words().collect();
        self.plain(&format!(" {}", words.join("+")));
        if !used.name.is_empty() {
            self.plain(" ");
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
            self.remark(used.segment, &format!("and {} more accesses", seen.len() - MOST_SITES));
        }
    }

    fn site(&mut self, used: &Used, func: Func, inst: Option<Inst>, range: i32) {
        let detail = inst.map_or(0, |inst| self.out.numbers.number(Anchor::Inst(func, inst)) as i32 + 1);
        let more = More { access: bits(used.how), detail, count: range, track: 0 };
        self.open(MemoryKind::Access, used.segment, used.start, OPEN, more);
        match inst {
            Some(inst) => {
                let several = self.module.funcs().nth(1).is_some();
                if several {
                    self.out.put(Class::Name, &func.to_string(), Link::Use(Anchor::Func(func)));
                    self.plain(" ");
                }
                let mut inline = Inline { out: &mut self.out };
                Printer::to_any(self.module, Options::default(), &mut inline).one_inst(func, inst);
            }
            None => self.plain("a part of a larger access, split by qptr-lower"),
        }
        self.out.close_line();
    }

    /// The instruction of the version for one of the lowered version: itself, or a user of the inserted one.
    fn in_version(&mut self, func: Func, inst: Inst) -> Option<Inst> {
        let (body, lowered) = (self.module.func(func)?, self.lowered.module.func(func)?);
        let is_there = |inst: Inst| body.tables().insts.contains(inst);
        let users = self.users.entry(func).or_insert_with(|| users(lowered));
        let mut at = inst;
        // A few instructions combine the components.
        for _ in 0..16 {
            if is_there(at) {
                return Some(at);
            }
            at = users.get(&at).copied()?;
        }
        None
    }

    fn remark(&mut self, segment: usize, text: &str) {
        self.open(MemoryKind::Remark, segment, 0, 0, More::default());
        self.out.put(Class::Note, text, Link::None);
        self.out.close_line();
    }

    /// Begins a line; `more` has its other fields.
    fn open(&mut self, kind: MemoryKind, segment: usize, start: i64, bytes: i32, more: More) {
        let start = i32::try_from(start).unwrap_or(if start < 0 { i32::MIN } else { i32::MAX });
        let More { access, detail, count, track } = more;
        let (kind, segment) = (kind as i32, segment as i32);
        self.rows.push(MemoryEntry { kind, segment, start, bytes, access, detail, count, track });
        self.out.open_line(0);
    }

    fn full_type(&mut self, ty: Type) {
        Printer::to_any(self.module, Options::default(), &mut self.out).full_type(ty);
    }

    fn plain(&mut self, text: &str) {
        self.out.put(Class::Plain, text, Link::None);
    }
}

/// For each instruction, one of its users.
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

/// The accesses of a field: of its bytes, or of the elements it contains.
fn used_as(field: &Field, segments: &[Segment], ranges: &[Used], at: usize) -> How {
    let below = |segment: usize| {
        let FieldKind::Elements(.., child) = field.kind else { return false };
        let mut here = Some(segment);
        // A segment's parent has a smaller index.
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

/// A track for each range, so that overlapping ranges are in different tracks. Ranges are sorted by first
/// byte.
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

/// Accesses as [`access_flags`].
fn bits(how: How) -> i32 {
    [(How::READ, access_flags::READ), (How::WRITE, access_flags::WRITE), (How::ATOMIC, access_flags::ATOMIC)]
        .into_iter()
        .filter(|&(what, _)| how.has(what))
        .map(|(_, bit)| bit)
        .sum()
}

/// A size in bytes as a number for the page.
fn small(bytes: u64) -> i32 {
    i32::try_from(bytes).unwrap_or(i32::MAX)
}

#[cfg(test)]
mod tests;
