//! What targets can say of leaving a construct: one row a target.
//!
//! Facts only; who walks the tree with them is `fit` (is this a program of the target?) and the lowering.
//! Sources: SPIR-V 1.6 rev 2, 2.11.2; the WGSL, GLSL 4.60 and HLSL specifications; section 2.13 of the
//! structurizer study for TPF and Direct3D 9.

/// Where a shader goes.
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
    /// The token program of shader model 4 and 5.
    Tpf,
    /// Direct3D 9 assembly of shader model 2.x and 3.
    Sm3,
}

/// How a labelled block can be said.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Label {
    /// A switch with a default only, or a loop of one round: as [`super::one_trip_form`] says.
    SwitchOrLoop,
    /// A switch with a default only.
    Switch,
    /// Not at all: what would be jumped over stands in an `if`.
    Flags,
}

/// What a target can say.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Caps {
    /// The target.
    pub target: Target,
    /// Its name in a pipeline.
    pub name: &'static str,
    /// How a labelled block is said.
    pub label: Label,
    /// A `break` of a loop inside a switch, of either kind, leaves the switch only. `continue` never minds one.
    pub switch_captures: bool,
    /// There is `continue`.
    pub continues: bool,
    /// A loop may have a continuing region, left early by a condition at its very end only.
    pub continuing: bool,
    /// A function may return from its middle.
    pub early_return: bool,
}

/// One row a target, in the order of [`Target`].
pub const CAPS: &[Caps] = &[
    row(Target::Spirv, "spirv", Label::SwitchOrLoop, [false, true, true, true]),
    row(Target::Wgsl, "wgsl", Label::Switch, [true, true, true, true]),
    row(Target::Glsl, "glsl", Label::Switch, [true, true, false, true]),
    row(Target::Hlsl, "hlsl", Label::Switch, [true, true, false, true]),
    row(Target::Tpf, "tpf", Label::Switch, [true, true, false, true]),
    row(Target::Sm3, "sm3", Label::Flags, [false, false, false, false]),
];

const fn row(target: Target, name: &'static str, label: Label, can: [bool; 4]) -> Caps {
    let [switch_captures, continues, continuing, early_return] = can;
    Caps { target, name, label, switch_captures, continues, continuing, early_return }
}

impl Target {
    /// Every target, in table order.
    pub const ALL: [Target; 6] =
        [Target::Spirv, Target::Wgsl, Target::Glsl, Target::Hlsl, Target::Tpf, Target::Sm3];

    /// What it can say.
    pub fn caps(self) -> &'static Caps {
        &CAPS[self as usize]
    }

    /// Its name in a pipeline.
    pub fn name(self) -> &'static str {
        self.caps().name
    }

    /// The target of this name.
    pub fn from_name(name: &str) -> Option<Target> {
        Target::ALL.into_iter().find(|target| target.name() == name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_stand_where_their_target_looks() {
        assert_eq!(CAPS.len(), Target::ALL.len());
        for target in Target::ALL {
            assert_eq!(target.caps().target, target);
            assert_eq!(Target::from_name(target.name()), Some(target));
        }
    }
}
