//! Capabilities of targets for leaving constructs.
//!
//! Data only; `fit` (does a program fit the target?) and the lowering apply it to trees. Sources: SPIR-V 1.6
//! rev 2, 2.11.2; the WGSL, GLSL 4.60 and HLSL specifications; section 2.13 of the structurizer study for TPF
//! and Direct3D 9.

use vitrine_ir::{FuncBody, Region};

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

/// Makes the capabilities of a target; `can` are [`Caps::switch_captures`], [`Caps::continues`], [`Caps::early_return`].
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
    pub fn takes_continuing(&self, body: &FuncBody, region: Region) -> bool {
        match self.continuing {
            Continuing::Never => false,
            Continuing::Block => body.region(region).rest.is_empty(),
            Continuing::Always => true,
        }
    }
}

impl Target {
    /// Every target.
    pub const ALL: [Target; 7] =
        [Target::Spirv, Target::Wgsl, Target::Glsl, Target::Hlsl, Target::Msl, Target::Tpf, Target::Sm3];

    /// The capabilities.
    pub fn caps(self) -> &'static Caps {
        use Continuing::{Always, Block, Never};
        use Label::{Flags, Switch, SwitchOrLoop};
        match self {
            Target::Spirv => {
                const { &row(Target::Spirv, "spirv", SwitchOrLoop, Always, [false, true, true]) }
            }
            Target::Wgsl => const { &row(Target::Wgsl, "wgsl", Switch, Always, [true, true, true]) },
            Target::Glsl => const { &row(Target::Glsl, "glsl", Switch, Block, [true, true, true]) },
            Target::Hlsl => const { &row(Target::Hlsl, "hlsl", Switch, Block, [true, true, true]) },
            Target::Msl => const { &row(Target::Msl, "msl", Switch, Block, [true, true, true]) },
            Target::Tpf => const { &row(Target::Tpf, "tpf", Switch, Never, [true, true, true]) },
            Target::Sm3 => const { &row(Target::Sm3, "sm3", Flags, Never, [false, false, false]) },
        }
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
    fn every_target_has_its_own_capabilities() {
        for target in Target::ALL {
            assert_eq!(target.caps().target, target);
        }
    }
}
