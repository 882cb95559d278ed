//! The ranges of a usage, put into the segments of a declared type.
//!
//! A row of elements that the type has, too, is that segment; an access to one element by a constant is one to the
//! element. What the type does not have becomes a segment of its own.

use super::declared::Segment;
use crate::analysis::{How, Part, PartKind, Tree, UsageLine};

/// What is done with some bytes of a segment.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Used {
    pub(super) segment: usize,
    pub(super) start: i64,
    /// How many; none for all that follow.
    pub(super) bytes: Option<u64>,
    pub(super) how: How,
    pub(super) part: Part,
    /// What the declared type calls it; empty where it has nothing like it.
    pub(super) name: String,
}

/// Where the ranges in a row or union are counted from.
#[derive(Clone, Copy)]
struct Frame {
    segment: usize,
    start: i64,
}

/// Places ranges, by segment and first byte. Linear in ranges times how deep segments are nested.
pub(super) fn used(segments: &mut Vec<Segment>, tree: &Tree, lines: Vec<UsageLine>) -> Vec<Used> {
    let mut frames = vec![Frame { segment: 0, start: 0 }];
    let mut out = Vec::new();
    for line in lines {
        frames.truncate(line.depth as usize + 1);
        let Some(frame) = frames.last().copied() else { break };
        let Some(data) = tree.part(line.part) else { continue };
        let start = frame.start.saturating_add(line.at);
        let how = match data.kind {
            PartKind::Repeat { stride, count, .. } => {
                frames.push(row(segments, Frame { start, ..frame }, stride, count));
                continue;
            }
            PartKind::Union(_) => {
                frames.push(Frame { start, ..frame });
                continue;
            }
            PartKind::Fields(_) => continue,
            PartKind::Value(_, how) | PartKind::Bytes(how) => how,
            PartKind::Typed(_, how) | PartKind::Anywhere(how) => how,
        };
        let place = match data.kind {
            PartKind::Anywhere(_) => Frame { segment: frame.segment, start: 0 },
            _ => inside(segments, Frame { start, ..frame }, data.bytes),
        };
        out.push(Used {
            segment: place.segment,
            start: place.start,
            bytes: data.bytes,
            how,
            part: line.part,
            name: line.name,
        });
    }
    out.sort_by_key(|used| (used.segment, used.start, used.bytes));
    out
}

/// The segment of a row: a declared one of this stride that is hit there, else a new one.
fn row(segments: &mut Vec<Segment>, from: Frame, stride: u32, count: Option<u32>) -> Frame {
    let stride = u64::from(stride.max(1));
    let mut from = from;
    // Segments lie in each other less deep than there are segments.
    for _ in 0..segments.len() {
        let is_it = |segment: &Segment| {
            segment.parent == Some(from.segment) && segment.stride == stride && reaches(segment, from.start)
        };
        if let Some((at, segment)) = segments.iter().enumerate().find(|(_, segment)| is_it(segment)) {
            return Frame { segment: at, start: element_of(segment, from.start) };
        }
        let Some(inner) = enter(segments, from, stride) else { break };
        from = inner;
    }
    segments.push(Segment {
        parent: Some(from.segment),
        start: from.start,
        stride,
        count: count.map(u64::from),
        bytes: Some(stride),
        ..Segment::default()
    });
    Frame { segment: segments.len() - 1, start: 0 }
}

/// The innermost declared element in which bytes lie as a whole.
fn inside(segments: &[Segment], from: Frame, bytes: Option<u64>) -> Frame {
    let (mut place, Some(bytes)) = (from, bytes) else { return from };
    for _ in segments {
        let Some(inner) = enter(segments, place, bytes) else { break };
        place = inner;
    }
    place
}

/// The declared element of a segment in which bytes lie as a whole.
fn enter(segments: &[Segment], from: Frame, bytes: u64) -> Option<Frame> {
    let holds = |segment: &Segment| {
        let inner = u64::try_from(element_of(segment, from.start)).unwrap_or(u64::MAX);
        let fits = inner.saturating_add(bytes) <= segment.stride;
        segment.parent == Some(from.segment) && segment.is_declared && reaches(segment, from.start) && fits
    };
    let (at, segment) = segments.iter().enumerate().find(|(_, segment)| holds(segment))?;
    Some(Frame { segment: at, start: element_of(segment, from.start) })
}

/// Where a byte of the parent lies in its element.
fn element_of(segment: &Segment, at: i64) -> i64 {
    let stride = i64::try_from(segment.stride).unwrap_or(i64::MAX).max(1);
    at.saturating_sub(segment.start).rem_euclid(stride)
}

/// Whether a byte of its parent lies in one of its elements.
fn reaches(segment: &Segment, at: i64) -> bool {
    let end = segment.count.and_then(|count| i64::try_from(count.checked_mul(segment.stride)?).ok());
    at >= segment.start && end.is_none_or(|end| at.saturating_sub(segment.start) < end)
}
