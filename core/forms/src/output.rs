//! The destination of a back end: bytes, and the ranges that were written for each part of the program.
//!
//! Text is written as tokens, so an [`Output`] is a sink. Each token is also forwarded to another sink, if
//! there is one: a pane or a terminal gets its colors this way. Binaries and markup are written as bytes.
//!
//! Knows no format.

use super::interface::Interface;
use std::fmt;
use vitrine_ir::Anchor;
use vitrine_text::{Class, Fold, Link, Sink, indent};

/// A range of the output and the part of the program that it was written for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Placed {
    /// The first byte.
    pub start: u32,
    /// Length in bytes.
    pub len: u32,
    /// The part of the program.
    pub anchor: Anchor,
}

/// The result of a back end.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Written {
    /// The file.
    pub bytes: Vec<u8>,
    /// Ranges in order of their ends; an outer range comes after those inside it.
    pub anchors: Vec<Placed>,
    /// What it declares for those outside; empty for forms other than texts of languages.
    pub interface: Interface,
}

impl Written {
    /// The file as text. Bytes of a binary that are not UTF-8 are replaced.
    pub fn into_text(self) -> String {
        String::from_utf8(self.bytes)
            .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
    }
}

/// Collects the output of a back end.
#[derive(Default)]
pub struct Output<'s> {
    written: Written,
    forward: Option<&'s mut dyn Sink>,
}

impl<'s> Output<'s> {
    /// An empty output.
    pub fn new() -> Output<'s> {
        Output::default()
    }

    /// The same, with a sink that also gets each token of a text. It gets nothing of binaries and markup.
    pub fn forwarding(sink: &'s mut dyn Sink) -> Output<'s> {
        Output { written: Written::default(), forward: Some(sink) }
    }

    /// The result.
    pub fn finish(self) -> Written {
        self.written
    }

    /// Number of bytes so far.
    pub fn position(&self) -> u32 {
        self.written.bytes.len() as u32
    }

    /// Appends bytes.
    pub fn push_bytes(&mut self, bytes: &[u8]) {
        self.written.bytes.extend_from_slice(bytes);
    }

    /// Appends markup.
    pub fn push_str(&mut self, text: &str) {
        self.push_bytes(text.as_bytes());
    }

    /// Records that everything from `start` on was written for `anchor`.
    pub fn place(&mut self, start: u32, anchor: Anchor) {
        self.place_range(start, self.position(), anchor);
    }

    /// Records that the bytes from `start` to `end` were written for `anchor`; an empty range is not recorded.
    pub fn place_range(&mut self, start: u32, end: u32, anchor: Anchor) {
        if let Some(len) = end.checked_sub(start).filter(|&len| len > 0) {
            self.written.anchors.push(Placed { start, len, anchor });
        }
    }

    /// States what the text declares.
    pub fn declare(&mut self, interface: Interface) {
        self.written.interface = interface;
    }

    /// Appends another output with its ranges.
    pub fn append(&mut self, other: Output<'_>) {
        let start = self.position();
        let Written { bytes, anchors, interface: _ } = other.finish();
        self.push_bytes(&bytes);
        self.written.anchors.extend(anchors.into_iter().map(|it| Placed { start: it.start + start, ..it }));
    }
}

impl fmt::Write for Output<'_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.push_str(text);
        Ok(())
    }
}

impl Sink for Output<'_> {
    fn put(&mut self, class: Class, text: &str, link: Link) {
        let start = self.position();
        self.push_str(text);
        match link {
            Link::None => {}
            Link::Def(anchor) | Link::Use(anchor) => self.place(start, anchor),
        }
        if let Some(forward) = &mut self.forward {
            forward.put(class, text, link);
        }
    }

    fn open_line(&mut self, depth: usize) {
        self.push_str(indent(depth));
        if let Some(forward) = &mut self.forward {
            forward.open_line(depth);
        }
    }

    fn close_line(&mut self) {
        self.push_str("\n");
        if let Some(forward) = &mut self.forward {
            forward.close_line();
        }
    }

    fn fold(&mut self, at: Fold) {
        if let Some(forward) = &mut self.forward {
            forward.fold(at);
        }
    }
}
