//! Machine code of shader model 3 before registers are assigned.
//!
//! Instructions are those of [`sm1`](crate::sm1), but their operands may also be temporaries of one to four
//! components, in any number, and literals, which have no register yet.

use crate::sm1::{File, Op, Register, ShaderStage, Version};
use vitrine_ir::Anchor;

/// A shader model that programs are written for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Model {
    /// `vs_2_0` and `ps_2_0`, which have no flow of control but loops of a known length in vertex shaders.
    Two,
    /// `vs_3_0` and `ps_3_0`.
    Three,
}

/// The profile of a program: a shader model and a stage.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Profile {
    pub model: Model,
    pub is_vertex: bool,
}

impl Profile {
    /// `ps_2_0`.
    pub(super) const PS_2_0: Profile = Profile { model: Model::Two, is_vertex: false };

    /// The version of its programs.
    pub(super) fn version(self) -> Version {
        let stage = if self.is_vertex { ShaderStage::Vertex } else { ShaderStage::Pixel };
        Version::new(stage, if self.model == Model::Two { 2 } else { 3 }, 0)
    }
}

/// A temporary.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) struct Temp(pub u32);

/// A property of a temporary.
#[derive(Clone, Copy, Debug)]
pub(super) struct TempData {
    /// The number of components, 1 to 4.
    pub components: u8,
    /// Its components may not be permuted: an instruction without a write mask defines it.
    pub is_fixed: bool,
}

/// The location of an operand.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) enum Place {
    /// A temporary.
    Temp(Temp),
    /// A register.
    Fixed(Register),
    /// Four floats, by their bits.
    Literals([u32; 4]),
}

/// A source operand.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct Source {
    pub place: Place,
    /// The component that each position reads.
    pub swizzle: [u8; 4],
    pub negated: bool,
    pub absolute: bool,
    /// The component of the address register that is added to the register number.
    pub relative: Option<u8>,
}

impl Source {
    /// A place as it is.
    pub(super) fn of(place: Place) -> Source {
        Source { place, swizzle: [0, 1, 2, 3], negated: false, absolute: false, relative: None }
    }

    /// One component in all positions.
    pub(super) fn scalar(place: Place, component: u8) -> Source {
        Source { swizzle: [component; 4], ..Source::of(place) }
    }

    /// The operand with the opposite sign.
    pub(super) fn negate(self) -> Source {
        Source { negated: !self.negated, ..self }
    }

    /// The constant register that the source occupies, if any. Sources that may share one are equal.
    pub(super) fn constant(&self) -> Option<(Register, Option<u8>)> {
        match self.place {
            Place::Fixed(register) if register.file == File::Const => Some((register, self.relative)),
            Place::Fixed(_) | Place::Temp(_) | Place::Literals(_) => None,
        }
    }
}

/// A destination operand.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct Target {
    pub place: Place,
    /// Components that are written: bit `i` is component `i`.
    pub mask: u8,
    pub saturate: bool,
}

/// How an instruction reads the positions of its sources.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Reading {
    /// Component `i` of the destination is computed from position `i` of every source.
    Each,
    /// The first position of every source; all positions are equal.
    First,
    /// This many positions of the first two sources, the first one of a third.
    Dot(u8),
    /// This many positions of every source; the destination is written as a whole.
    Whole(u8),
}

/// An instruction.
#[derive(Clone, Debug)]
pub(super) struct Code {
    pub op: Op,
    /// A comparison or a kind of sampling.
    pub control: u8,
    pub reading: Reading,
    pub target: Option<Target>,
    pub sources: Vec<Source>,
    /// The component of the predicate under which the destination is written; 4 for one each.
    pub predicate: Option<u8>,
    /// Half precision suffices.
    pub partial: bool,
    pub anchor: Anchor,
}

/// The operation of an instruction that takes no slot: nothing reads what its destination held before, and it writes
/// nothing there.
pub(super) const FORGET: Op = Op::Nop;

/// The predicate register.
pub(super) const PREDICATE: Register = Register::new(File::Predicate, 0);

/// All components of a predicate, each for its own component.
pub(super) const EACH_PREDICATE: u8 = 4;

impl Code {
    /// The positions that source `at` reads: bit `i` is position `i`.
    pub(super) fn positions(&self, at: usize) -> u8 {
        match self.reading {
            Reading::Each => self.target.map_or(0xf, |target| target.mask),
            Reading::First => 1,
            Reading::Dot(_) if at == 2 => 1,
            Reading::Dot(count) | Reading::Whole(count) => (1u16 << count).wrapping_sub(1) as u8,
        }
    }

    /// The components of temporaries that the instruction reads.
    pub(super) fn reads(&self) -> impl Iterator<Item = (Temp, u8)> + '_ {
        self.sources.iter().enumerate().flat_map(move |(at, source)| {
            let positions = self.positions(at);
            let temp = match source.place {
                Place::Temp(temp) => Some(temp),
                Place::Fixed(_) | Place::Literals(_) => None,
            };
            (0..4).filter(move |&position| positions >> position & 1 == 1).filter_map(move |position| {
                temp.map(|temp| (temp, source.swizzle.get(position).copied().unwrap_or(0)))
            })
        })
    }

    /// The temporary that the instruction writes, with the mask.
    pub(super) fn writes(&self) -> Option<(Temp, u8)> {
        match self.target {
            Some(Target { place: Place::Temp(temp), mask, .. }) => Some((temp, mask)),
            Some(_) | None => None,
        }
    }

    /// The place that the instruction only copies, component by component, into a temporary.
    pub(super) fn is_copy(&self) -> bool {
        let plain = |source: &Source| !source.negated && !source.absolute && source.relative.is_none();
        self.op == Op::Mov
            && self.predicate.is_none()
            && self.target.is_some_and(|target| !target.saturate)
            && self.sources.first().is_some_and(plain)
    }
}

/// The effect of an instruction on the flow of control.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Flow {
    None,
    If,
    Else,
    EndIf,
    Rep,
    EndRep,
    /// Always taken, or on a condition.
    Break {
        conditional: bool,
    },
}

/// The flow of an operation.
pub(super) fn flow(op: Op) -> Flow {
    match op {
        Op::If | Op::IfC => Flow::If,
        Op::Else => Flow::Else,
        Op::EndIf => Flow::EndIf,
        Op::Rep => Flow::Rep,
        Op::EndRep => Flow::EndRep,
        Op::Break => Flow::Break { conditional: false },
        Op::BreakC => Flow::Break { conditional: true },
        _ => Flow::None,
    }
}
