//! Image operations: the roles that an operation takes, and the component count of each role.
//!
//! A coordinate may have more components than its image requires; additional ones are ignored, as in SPIR-V.
//! Gradients and offsets have exactly the components of the dimension.

use super::diagnostics::Naming;
use super::function::Checker;
use super::reach::Reach;
use super::*;
use vitrine_ir::ops::{Dim, Key, Op, Role, TexOp, ValueType, Width};
use vitrine_ir::{ImageType, Inst, InstData, TypeData, Usage};

/// Requirements of an operation on its roles.
struct RoleRequirements {
    op: TexOp,
    /// Required roles besides the image.
    needs: &'static [Role],
    may: &'static [Role],
    /// True if the coordinate and the level are floats.
    floats: bool,
    /// Dimensions that the operation does not support.
    not_on: &'static [Dim],
}

#[rustfmt::skip] // A table.
const TAKES: &[RoleRequirements] = {
    use Role::*;
    &[
        RoleRequirements { op: TexOp::Sample, needs: &[Coord], may: &[Sampler, Projector, Bias, Offset, Compare, MinLod],
            floats: true, not_on: &[Dim::Buffer, Dim::Subpass] },
        RoleRequirements { op: TexOp::SampleLod, needs: &[Coord], may: &[Sampler, Projector, Lod, Ddx, Ddy, Offset, Compare, MinLod],
            floats: true, not_on: &[Dim::Buffer, Dim::Subpass] },
        RoleRequirements { op: TexOp::Fetch, needs: &[Coord], may: &[Lod, Offset, Sample],
            floats: false, not_on: &[Dim::Cube, Dim::Subpass] },
        RoleRequirements { op: TexOp::Gather, needs: &[Coord], may: &[Sampler, Component, Offset, Offsets, Compare, Lod, Bias],
            floats: true, not_on: &[Dim::D1, Dim::D3, Dim::Buffer, Dim::Subpass] },
        RoleRequirements { op: TexOp::QuerySize, needs: &[], may: &[Lod],
            floats: false, not_on: &[Dim::Subpass] },
        RoleRequirements { op: TexOp::QueryLod, needs: &[Coord], may: &[Sampler],
            floats: true, not_on: &[Dim::Rect, Dim::Buffer, Dim::Subpass] },
        RoleRequirements { op: TexOp::Read, needs: &[Coord], may: &[Sample, Lod, Offset], floats: false, not_on: &[] },
        RoleRequirements { op: TexOp::Write, needs: &[Coord, Texel], may: &[Sample, Lod, Offset],
            floats: false, not_on: &[Dim::Subpass] },
    ]
};

/// The dimension of an operation with roles, which must state one.
fn dim_of(data: &InstData) -> Dim {
    data.attrs.word().unwrap_or(Dim::D1)
}

impl Checker<'_, '_> {
    /// Checks an image operation.
    pub(super) fn image(&mut self, inst: Inst, data: &InstData, op: TexOp) {
        match TAKES.iter().find(|takes| takes.op == op) {
            Some(takes) => {
                if self.roles(inst, data, takes) && self.role_types(inst, data, takes) {
                    self.image_result(inst, data, op);
                }
                self.image_type(inst, data);
            }
            None => self.image_operands(inst, data, op),
        }
    }

    /// Checks that the required roles are present, each once, and no others.
    fn roles(&mut self, inst: Inst, data: &InstData, takes: &RoleRequirements) -> bool {
        let before = self.diags.len();
        let packed = data.attrs.get(Key::Roles).unwrap_or(0);
        let roles: Vec<Role> = Role::unpack(packed).collect();
        let name = data.op.name();
        if roles.len() != data.args.len() || Role::pack(&roles) != packed {
            let diag = self
                .error_at(ROLES_FIT, inst)
                .says(format!("`{name}` has {}, but", diagnostics::count(data.args.len(), "operand")));
            let diag = diag.says(diagnostics::count(roles.len(), "role"));
            self.push(diag.help("give the role of each operand, in order"));
            return false;
        }
        for (at, &role) in roles.iter().enumerate() {
            let diag = self.error_in(ROLES_FIT, inst, at);
            if (role == Role::Image) != (at == 0) {
                self.push(
                    diag.says(format!(
                        "the first operand of `{name}`, and only the first, must be the image"
                    )),
                );
            } else if roles[..at].contains(&role) {
                self.push(
                    diag.says(format!("the role `{}` is given twice", role.name()))
                        .help("give each role once"),
                );
            } else if at > 0 && !takes.needs.contains(&role) && !takes.may.contains(&role) {
                self.push(
                    diag.says(format!("`{name}` does not take the role `{}`", role.name())).help("remove it"),
                );
            }
        }
        for role in takes.needs.iter().filter(|role| !roles.contains(role)) {
            let diag = self.error_at(ROLES_FIT, inst).says(format!("`{name}` lacks `{}`", role.name()));
            self.push(diag.help(diagnostics::sentence(role.doc())));
        }
        if let Some((says, help)) = odd_together(takes.op, &roles, data.attrs.has(Key::Shadow)) {
            self.push(self.error_at(ROLES_FIT, inst).says(says).help(help));
        }
        self.diags.len() == before
    }

    /// Checks the type of each operand by its role.
    fn role_types(&mut self, inst: Inst, data: &InstData, takes: &RoleRequirements) -> bool {
        let dim = dim_of(data);
        if takes.not_on.contains(&dim) {
            let diag = self.error_at(ROLE_TYPES, inst);
            let (op, dim) = (data.op.name(), dim.name());
            self.push(diag.says(format!("`{op}` does not support images of dimension `{dim}`")));
            return false;
        }
        let before = self.diags.len();
        let roles = Role::unpack(data.attrs.get(Key::Roles).unwrap_or(0));
        for (at, role) in roles.enumerate() {
            let Some(&ty) = self.arg_types.get(at) else { break };
            if let Some(wanted) = wanted(takes, role, dim, data.attrs.has(Key::Arrayed), ty) {
                let diag =
                    self.error_in(ROLE_TYPES, inst, at).says(format!("`{}` is {wanted}, but", role.name()));
                self.push(
                    diag.name(self.here.inst(data.args[at])).says(format!("is {}", diagnostics::value(ty))),
                );
            }
        }
        self.diags.len() == before
    }

    fn image_result(&mut self, inst: Inst, data: &InstData, op: TexOp) {
        if data.attrs.has(Key::Sparse) {
            return;
        }
        let dim = dim_of(data);
        let (components, wide) =
            (data.ty.components(), !matches!(data.ty.width(), Some(Width::W1 | Width::W8)));
        let wanted = match op {
            TexOp::Sample | TexOp::SampleLod if data.attrs.has(Key::Shadow) => 1,
            TexOp::Sample | TexOp::SampleLod | TexOp::Fetch | TexOp::Read => components.min(4),
            TexOp::Gather => 4,
            TexOp::QuerySize => {
                let plane = if dim == Dim::Cube { 2 } else { dim.axes() as u8 };
                plane + u8::from(data.attrs.has(Key::Arrayed))
            }
            TexOp::QueryLod => 2,
            _ => return,
        };
        if components != wanted || !wide {
            let diag = self.error_at(ROLE_TYPES, inst);
            let wanted = diagnostics::count(wanted as usize, "component");
            let diag =
                diag.says(format!("`{}` must yield {wanted} of 16 bits or more here, but", data.op.name()));
            self.push(diag.name(self.here.inst(inst)).says(format!("is {}", diagnostics::value(data.ty))));
        }
    }

    /// Checks image and sampler against their types, as far as those are known.
    fn image_type(&mut self, inst: Inst, data: &InstData) {
        let roles = Role::unpack(data.attrs.get(Key::Roles).unwrap_or(0));
        for (at, role) in roles.enumerate().take(data.args.len()) {
            let Some(reach) = self.reach.get(data.args[at]) else { continue };
            match (role, self.here.module.type_of(reach.at.ty)) {
                (Role::Image, TypeData::Image(image) | TypeData::SampledImage(image)) => {
                    self.image_agrees(inst, data, image);
                }
                (Role::Image, _) => self.not_a(inst, at, data, reach, "an image"),
                (Role::Sampler, TypeData::Sampler) => {}
                (Role::Sampler, _) => self.not_a(inst, at, data, reach, "a sampler"),
                _ => {}
            }
        }
    }

    fn image_agrees(&mut self, inst: Inst, data: &InstData, image: &ImageType) {
        let is = |word: &'static str, key: Key, of_type: bool| (word, data.attrs.has(key), of_type);
        let (stated, of_type) = (dim_of(data), image.dim);
        if of_type != stated {
            let says = format!("this accesses a `{}` image, but", stated.name());
            let diag = self.error_in(IMAGE_TYPE, inst, 0).says(says).name(self.here.inst(data.args[0]));
            let diag = diag.says(format!("is a `{}` image", of_type.name()));
            return self.push(diag.help("make `dim` equal to the dimension of the image type"));
        }
        let checks = [
            is("arrayed", Key::Arrayed, image.arrayed),
            is("multisampled", Key::Multisampled, image.multisampled),
        ];
        for (word, stated, of_type) in checks {
            if stated != of_type {
                let not = if of_type { "" } else { " not" };
                let diag = self.error_in(IMAGE_TYPE, inst, 0).name(self.here.inst(data.args[0]));
                let diag = diag.says(format!("is{not} {word}, unlike this operation"));
                self.push(match data.op.info().may.iter().any(|key| key.name() == word) {
                    true => diag.help(format!("make `{word}` agree with the image type")),
                    false => diag.help("use an operation for such images"),
                });
            }
        }
        let needs = match data.op {
            Op::Tex(TexOp::Read | TexOp::Write) => Usage::Storage,
            Op::Tex(TexOp::QuerySize) => return,
            _ => Usage::Sampled,
        };
        if image.usage != Usage::Unknown && image.usage != needs {
            let (is, help) = match needs {
                Usage::Storage => ("is for sampling", "declare it with `storage`, or use `tex.fetch`"),
                _ => ("is for storage", "declare it without `storage`, or use `image.read`"),
            };
            let diag = self.error_in(IMAGE_TYPE, inst, 0).name(self.here.inst(data.args[0]));
            self.push(diag.says(is).help(help));
        }
    }

    /// Checks the image that a texel address refers to.
    pub(super) fn texel(&mut self, inst: Inst, data: &InstData) {
        let Some(reach) = data.args.first().and_then(|&image| self.reach.get(image)) else { return };
        if !matches!(self.here.module.type_of(reach.at.ty), TypeData::Image(_)) {
            self.not_a(inst, 0, data, reach, "an image");
        }
    }

    fn not_a(&mut self, inst: Inst, at: usize, data: &InstData, reach: Reach, wanted: &str) {
        let diag = self.error_in(IMAGE_TYPE, inst, at).name(self.here.inst(data.args[at]));
        let is = diagnostics::full_type(self.here.module, reach.at.ty);
        self.push(
            diag.says(format!("is not {wanted} but {is}")).help("index arrays first, with `deref.elem`"),
        );
    }

    /// Checks the operations without roles.
    fn image_operands(&mut self, inst: Inst, data: &InstData, op: TexOp) {
        let module = self.here.module;
        let ty = |at: usize| {
            let reach = self.reach.get(*data.args.get(at)?)?;
            Some((reach, module.type_of(reach.at.ty)))
        };
        let wrong = match op {
            TexOp::Combine => match (ty(0), ty(1)) {
                (Some((reach, of)), _) if !matches!(of, TypeData::Image(_)) => Some((0, reach, "an image")),
                (_, Some((reach, of))) if !matches!(of, TypeData::Sampler) => Some((1, reach, "a sampler")),
                _ => None,
            },
            TexOp::ImageOf => ty(0)
                .filter(|(_, of)| !matches!(of, TypeData::SampledImage(_)))
                .map(|(reach, _)| (0, reach, "an image with its sampler")),
            TexOp::QueryLevels | TexOp::QuerySamples => ty(0)
                .filter(|(_, of)| !matches!(of, TypeData::Image(_) | TypeData::SampledImage(_)))
                .map(|(reach, _)| (0, reach, "an image")),
            _ => None,
        };
        if let Some((at, reach, wanted)) = wrong {
            self.not_a(inst, at, data, reach, wanted);
        }
    }
}

/// Returns a problem and its fix for roles that contradict each other or the attributes.
fn odd_together(op: TexOp, roles: &[Role], shadow: bool) -> Option<(&'static str, &'static str)> {
    let has = |role: Role| roles.contains(&role);
    let level = [Role::Lod, Role::Ddx].into_iter().filter(|&role| has(role)).count();
    if has(Role::Ddx) != has(Role::Ddy) {
        return Some(("one gradient is missing", "give both `ddx` and `ddy`"));
    }
    if op == TexOp::SampleLod && level != 1 {
        return Some(("the level of detail is missing or ambiguous", "give either `lod` or `ddx` and `ddy`"));
    }
    if has(Role::Compare) != shadow && !matches!(op, TexOp::Fetch | TexOp::Read) {
        return Some(("`compare` and `shadow` must be used together", "give both, or neither"));
    }
    if op == TexOp::Gather && has(Role::Component) == shadow {
        return Some((
            "the component to gather is missing or ambiguous",
            "give `component`, or `compare` with `shadow`",
        ));
    }
    if has(Role::Offset) && has(Role::Offsets) {
        return Some(("`offset` and `offsets` exclude each other", "give one of them"));
    }
    None
}

/// Describes the types that a role accepts, if `ty` is not one of them.
fn wanted(takes: &RoleRequirements, role: Role, dim: Dim, arrayed: bool, ty: ValueType) -> Option<String> {
    let plane = dim.axes() as u8;
    let float = (!matches!(ty.width(), None | Some(Width::W1 | Width::W8)), "float");
    let integer = (!matches!(ty.width(), None | Some(Width::W1)), "integer");
    let number = if takes.floats { float } else { integer };
    let (components, or_more, (fits, what)) = match role {
        Role::Image | Role::Sampler => {
            let fits = ty.is_opaque();
            return (!fits).then(|| "a path, a pointer or a handle".to_owned());
        }
        // In storage accesses, the third component of a cube coordinate combines face and layer.
        Role::Coord if dim == Dim::Cube && !takes.floats => (3, true, number),
        // The level of detail depends on the position in the plane only, not on the layer (OpImageQueryLod).
        Role::Coord if takes.op == TexOp::QueryLod => (plane, true, number),
        Role::Coord => (plane + u8::from(arrayed), true, number),
        Role::Lod => (1, false, number),
        Role::Projector | Role::Bias | Role::Compare | Role::MinLod => (1, false, float),
        Role::Ddx | Role::Ddy => (plane, false, float),
        Role::Offset => (plane, false, integer),
        Role::Offsets => (8, false, integer),
        Role::Sample | Role::Component => (1, false, integer),
        Role::Texel => {
            let fits = matches!(ty, ValueType::Bits { width, components: 1..=4 } if width.bits() >= 16);
            return (!fits).then(|| "1 to 4 components of 16 bits or more".to_owned());
        }
    };
    let counted = if or_more { ty.components() >= components } else { ty.components() == components };
    if fits && counted {
        return None;
    }
    let more = if or_more { " or more" } else { "" };
    Some(format!("{what} in {}{more}", diagnostics::count(components as usize, "component")))
}
