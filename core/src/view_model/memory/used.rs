//! The ranges of a usage, assigned to the segments of a declared type.
//!
//! A strided range that the type also has is that segment; an access to one element by a constant is an
//! access to the element. A range that the type does not have becomes a new segment.

use super::declared::Segment;
use crate::analysis::{How, Part, PartKind, Tree, UsageLine};

/// Accesses of some bytes of a segment.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Used {
    pub(super) segment: usize,
    pub(super) start: i64,
    /// Size in bytes; none for the rest of the memory.
    pub(super) bytes: Option<u64>,
    pub(super) how: How,
    pub(super) part: Part,
    /// The member in the declared type; empty if there is none.
    pub(super) name: String,
}

/// The base of the ranges in a strided range or union.
#[derive(Clone, Copy)]
struct Frame {
    segment: usize,
    start: i64,
}

/// Assigns ranges, by segment and first byte. Linear in ranges times the nesting depth of segments.
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

/// The segment of a strided range: a declared one with this stride at that offset, or a new one.
fn row(segments: &mut Vec<Segment>, from: Frame, stride: u32, count: Option<u32>) -> Frame {
    let stride = u64::from(stride.max(1));
    let mut from = from;
    // The nesting depth is less than the number of segments.
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

/// The innermost declared element that fully contains a range.
fn inside(segments: &[Segment], from: Frame, bytes: Option<u64>) -> Frame {
    let (mut place, Some(bytes)) = (from, bytes) else { return from };
    for _ in segments {
        let Some(inner) = enter(segments, place, bytes) else { break };
        place = inner;
    }
    place
}

/// The declared element of a segment that fully contains a range.
fn enter(segments: &[Segment], from: Frame, bytes: u64) -> Option<Frame> {
    let holds = |segment: &Segment| {
        let inner = u64::try_from(element_of(segment, from.start)).unwrap_or(u64::MAX);
        let fits = inner.saturating_add(bytes) <= segment.stride;
        segment.parent == Some(from.segment) && segment.is_declared && reaches(segment, from.start) && fits
    };
    let (at, segment) = segments.iter().enumerate().find(|(_, segment)| holds(segment))?;
    Some(Frame { segment: at, start: element_of(segment, from.start) })
}

/// The offset in its element of a byte of the parent.
fn element_of(segment: &Segment, at: i64) -> i64 {
    let stride = i64::try_from(segment.stride).unwrap_or(i64::MAX).max(1);
    at.saturating_sub(segment.start).rem_euclid(stride)
}

/// Returns true if a byte of the parent is in one of its elements.
fn reaches(segment: &Segment, at: i64) -> bool {
    let end = segment.count.and_then(|count| i64::try_from(count.checked_mul(segment.stride)?).ok());
    at >= segment.start && end.is_none_or(|end| at.saturating_sub(segment.start) < end)
}
