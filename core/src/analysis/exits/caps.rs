//! Capabilities of targets for leaving constructs: one entry for each target.
//!
//! Data only; `fit` (does a program fit the target?) and the lowering apply it to trees. Sources: SPIR-V 1.6
//! rev 2, 2.11.2; the WGSL, GLSL 4.60 and HLSL specifications; section 2.13 of the structurizer study for TPF
//! and Direct3D 9.

use crate::ir::{FuncBody, Region};

/// A target of compilation.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Target {
    /// SPIR-V.
    #[default]
    Spirv,
    /// WGSL.
    Wgsl,
    /// GLSL, desktop and ES.
    Glsl,
    /// HLSL of shader model 4 and later.
    Hlsl,
    /// The Metal Shading Language.
    Msl,
    /// The token program of shader model 4 and 5.
    Tpf,
    /// Direct3D 9 assembly of shader model 2.x and 3.
    Sm3,
}

/// The representation of a labeled block.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Label {
    /// A switch with only a default, or a loop of one iteration, as [`super::one_trip_form`] decides.
    SwitchOrLoop,
    /// A switch with only a default.
    Switch,
    /// None: code that would be jumped over is guarded by an `if`.
    Flags,
}

/// The continuing regions of loops that a target has.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Continuing {
    /// None.
    Never,
    /// Regions of one block: the step of a `for`, or statements that can be written before each `continue`.
    Block,
    /// All, with an exit only by a condition at the very end.
    Always,
}

/// The capabilities of a target.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Caps {
    /// The target.
    pub target: Target,
    /// The name in a pipeline.
    pub name: &'static str,
    /// The representation of a labeled block.
    pub label: Label,
    /// If set, a `break` out of a loop inside a switch of either kind leaves only the switch. `continue` is
    /// not affected.
    pub switch_captures: bool,
    /// If set, `continue` is available.
    pub continues: bool,
    /// The continuing regions of loops.
    pub continuing: Continuing,
    /// If set, a function may return from its middle.
    pub early_return: bool,
}

/// One entry for each target, in the order of [`Target`].
pub const CAPS: &[Caps] = &[
    row(Target::Spirv, "spirv", Label::SwitchOrLoop, Continuing::Always, [false, true, true]),
    row(Target::Wgsl, "wgsl", Label::Switch, Continuing::Always, [true, true, true]),
    row(Target::Glsl, "glsl", Label::Switch, Continuing::Block, [true, true, true]),
    row(Target::Hlsl, "hlsl", Label::Switch, Continuing::Block, [true, true, true]),
    row(Target::Msl, "msl", Label::Switch, Continuing::Block, [true, true, true]),
    row(Target::Tpf, "tpf", Label::Switch, Continuing::Never, [true, true, true]),
    row(Target::Sm3, "sm3", Label::Flags, Continuing::Never, [false, false, false]),
];

const fn row(
    target: Target,
    name: &'static str,
    label: Label,
    continuing: Continuing,
    can: [bool; 3],
) -> Caps {
    let [switch_captures, continues, early_return] = can;
    Caps { target, name, label, switch_captures, continues, continuing, early_return }
}

impl Caps {
    /// Returns true if the target has continuing regions of this form. Exits are not examined.
    pub(crate) fn takes_continuing(&self, body: &FuncBody, region: Region) -> bool {
        match self.continuing {
            Continuing::Never => false,
            Continuing::Block => body.region(region).rest.is_empty(),
            Continuing::Always => true,
        }
    }
}

impl Target {
    /// Every target, in table order.
    pub const ALL: [Target; 7] =
        [Target::Spirv, Target::Wgsl, Target::Glsl, Target::Hlsl, Target::Msl, Target::Tpf, Target::Sm3];

    /// The capabilities.
    pub fn caps(self) -> &'static Caps {
        &CAPS[self as usize]
    }

    /// The name in a pipeline.
    pub fn name(self) -> &'static str {
        self.caps().name
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_are_in_the_order_of_targets() {
        assert_eq!(CAPS.len(), Target::ALL.len());
        for target in Target::ALL {
            assert_eq!(target.caps().target, target);
        }
    }
}
