//! The way in which a target expresses the layout of a member, and of a buffer.

use vitrine_ir::Member;
use vitrine_ir::ops::Key;

/// The way in which a text expresses a declared layout.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum LayoutVerdict {
    /// The rules of the target give the declared bytes.
    Plain,
    /// They do with padding.
    Padded,
    /// Accesses are composed of the numbers of an array.
    Bytes,
    /// The target cannot express the layout.
    None,
}

impl LayoutVerdict {
    /// The word for it.
    pub fn name(self) -> &'static str {
        match self {
            LayoutVerdict::Plain => "plain",
            LayoutVerdict::Padded => "padded",
            LayoutVerdict::Bytes => "bytes",
            LayoutVerdict::None => "none",
        }
    }
}

/// The place of a member.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MemberLayout {
    /// Its number in the block.
    pub member: usize,
    /// The declared offset in bytes.
    pub offset: u64,
    /// The offset that the rule of the target gives, after the members before it; none if its type has no place there.
    pub natural: Option<u64>,
    /// The way in which it is expressed.
    pub verdict: LayoutVerdict,
}

/// The members of a block that have no place by a rule.
pub(super) fn unplaced(members: &[Member], verdict: LayoutVerdict) -> Vec<MemberLayout> {
    let place = |(member, data): (usize, &Member)| {
        let offset = data.attrs.get(Key::Offset).unwrap_or(0);
        MemberLayout { member, offset, natural: None, verdict }
    };
    let mut out: Vec<MemberLayout> = members.iter().enumerate().map(place).collect();
    out.sort_by_key(|place| (place.offset, place.member));
    out
}
