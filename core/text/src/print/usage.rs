//! Prints untyped memory: its size in bytes, and its usage as found by an analysis.
//!
//! `text::usage` parses the usage; this file only lays out its lines.

use crate::lex::TokenKind;
use crate::sink::{Class, Link, Sink};
use crate::usage::{self, Piece};
use vitrine_ir::base::EntityId;
use vitrine_ir::ops::Key;
use vitrine_ir::{Global, Text, VarData};

use super::Printer;

impl<'a, S: Sink + ?Sized> Printer<'a, S> {
    /// The tokens of a usage; `None` if it is spelled in another form.
    pub(super) fn usage(&self, text: u64) -> Option<Vec<Piece<'a>>> {
        let module = self.module;
        usage::pieces(module.text_of(Text::from_index(usize::try_from(text).ok()?)))
    }

    /// The usage of a variable, one range per line.
    pub(super) fn usage_lines(&mut self, depth: usize, pieces: &[Piece<'a>]) {
        let (mut before, mut inner) = (None, 0usize);
        for &(kind, text) in pieces {
            if kind == TokenKind::Punct(b',') {
                self.out.close_line();
                before = None;
                continue;
            }
            let closes = kind == TokenKind::Punct(b'}');
            if closes {
                self.out.close_line();
                inner = inner.saturating_sub(1);
            }
            if closes || before.is_none() {
                self.out.open_line(depth + inner);
                if inner == 0 && !closes {
                    self.out.put(Class::Qptr, "usage ", Link::None);
                }
            } else if usage::is_spaced(before, kind) {
                self.plain(" ");
            }
            self.out.put(usage::class((kind, text)), text, Link::None);
            before = Some(kind);
            if kind == TokenKind::Punct(b'{') {
                self.out.close_line();
                inner += 1;
                before = None;
            }
        }
        if before.is_some() {
            self.out.close_line();
        }
    }

    /// The usage of a parameter, in parentheses.
    pub(super) fn usage_inline(&mut self, pieces: &[Piece<'a>]) {
        self.punct("(");
        let mut before = None;
        for &(kind, text) in pieces {
            self.plain(if usage::is_spaced(before, kind) { " " } else { "" });
            self.out.put(usage::class((kind, text)), text, Link::None);
            before = Some(kind);
        }
        self.punct(")");
    }

    /// `bytes(16 + n * 32) was` before the type of untyped memory; returns the attributes that it covers.
    pub(super) fn untyped(&mut self, data: &VarData) -> &'static [Key] {
        let Some(bytes) = data.attrs.get(Key::Bytes) else { return &[] };
        self.out.put(Class::Qptr, "bytes", Link::None);
        self.punct("(");
        self.number(bytes);
        if let Some(stride) = data.attrs.get(Key::Stride) {
            self.punct(" + ");
            match data.attrs.get(Key::Global).and_then(|id| usize::try_from(id).ok()) {
                Some(len) => self.global_use(Global::from_index(len)),
                None => self.out.put(Class::Qptr, "n", Link::None),
            }
            self.punct(" * ");
            self.number(stride);
        }
        self.punct(")");
        self.out.put(Class::Qptr, " was ", Link::None);
        &[Key::Bytes, Key::Stride, Key::Global]
    }
}
