//! Loads of inputs and constants, stores to outputs, and texture lookups.
//!
//! A load whose address is known takes no instruction: it is a swizzle of a register. Vertex shaders read constants at an
//! address that is computed, through the address register.
//!
//! Refuses memory other than uniform buffers, push constants, inputs and outputs.

use super::code::{Model, Place, Profile, Reading, Source, Target, Temp};
use super::interface::{is_integer, texture_type};
use super::paths::{Access, access, scalar_of};
use super::select::{Class, Comp, Comps, OutputKey, Selector, at_place, float, mask_of, negate, parts};
use crate::sm1::{File, Op as Sm1, Register};
use std::collections::BTreeMap;
use vitrine_ir::ops::{
    ConvertOp, FloatOp, IntOp, IoOp, Key, MemoryOp, Op, Role, TexOp, ValueType, VectorOp, Width,
};
use vitrine_ir::{Help, Inst, InstData, Mode, TypeData, Var};

/// The address register.
const ADDRESS: Register = Register::new(File::Address, 0);

/// Bytes of the constants of a vertex shader.
const MOST_BYTES: u32 = 256 * 16;

/// The control bits of samplings.
const PROJECTED: u8 = 1;
const BIASED: u8 = 2;

impl Selector<'_> {
    /// Measures the uniform blocks: the bytes of each that the function reads.
    pub(super) fn measure(&mut self) {
        let mut sizes: BTreeMap<Var, u32> = BTreeMap::new();
        for &block in self.cfg.clone().blocks() {
            for &inst in self.body.block(block).insts.iter() {
                let data = self.body.inst(inst);
                let (Op::Memory(MemoryOp::Load), Some(&path)) = (data.op, data.args.first()) else {
                    continue;
                };
                let Some(access) = access(self.module, self.body, path) else { continue };
                if self.mode(&access) == Some(Mode::Out) {
                    self.read_back.insert((access.var, access.location, access.builtin), None);
                }
                if self.mode(&access).is_some_and(|mode| matches!(mode, Mode::Uniform | Mode::Push)) {
                    let (_, last) = access.bytes(data.ty.components());
                    let size = sizes.entry(access.var).or_insert(0);
                    *size = (*size).max(last.saturating_add(1));
                }
            }
        }
        self.interface.place_blocks(self.module, &sizes);
    }

    fn mode(&self, access: &Access) -> Option<Mode> {
        self.module.var(access.var).map(|data| data.mode)
    }

    /// Reads memory.
    pub(super) fn load(&mut self, inst: Inst, data: &InstData) -> Option<Comps> {
        if data.ty.is_opaque() {
            return Some(Comps::new());
        }
        let components = data.ty.components();
        self.width(data.ty)?;
        let access = access(self.module, self.body, *data.args.first()?)?;
        match self.mode(&access)? {
            Mode::Uniform | Mode::Push => self.load_constant(&access, components),
            Mode::In => self.load_input(inst, &access, components),
            Mode::Out => {
                let (temp, _) = self.output_temp(&access, components)?;
                let all = parts(temp, 4);
                let first = usize::from(access.component);
                Some(
                    all.get(first..first + usize::from(components)).map(<[Comp]>::to_vec).unwrap_or_default(),
                )
            }
            mode => {
                let says = format!("a load from `{}` memory has no form in shader model 3", mode.name());
                self.refuse(
                    "D152",
                    says,
                    Help::by_pass("vars-to-values", "removes variables of the function"),
                );
                Some(vec![Comp::Undef; usize::from(components)])
            }
        }
    }

    fn load_constant(&mut self, access: &Access, components: u8) -> Option<Comps> {
        let integer = is_integer(self.module, access.ty);
        let parts_of = |it: &mut Self| -> Vec<(Register, u8)> {
            let offsets = (0..u32::from(components))
                .map(|at| access.offset.saturating_add(at.saturating_mul(access.spacing)));
            offsets.map(|offset| it.interface.constant(access.var, offset, integer)).collect()
        };
        let places = parts_of(self);
        if access.terms.is_empty() {
            return Some(places.iter().map(|&(register, at)| at_place(Place::Fixed(register), at)).collect());
        }
        if !self.is_vertex {
            self.refuse(
                "D152",
                "a constant is read at a computed index".to_owned(),
                Help::text("pixel shaders cannot do that; pass")
                    .pass("lower-indirect-derefs")
                    .then("reads every element"),
            );
            return Some(vec![Comp::Undef; places.len()]);
        }
        let (first, last) = access.bytes(components);
        if last - first >= MOST_BYTES {
            let says = format!("an array of constants has {} bytes", last - first + 1);
            self.refuse("D154", says, "vertex shaders have 256 constants of 16 bytes");
            return None;
        }
        self.interface.reach(access.var, first, last);
        for offset in (first..=last).step_by(4) {
            self.interface.constant(access.var, offset, integer);
        }
        let mut moved = access.clone();
        self.fold_sums(&mut moved);
        let places = (0..u32::from(components))
            .map(|at| moved.offset.saturating_add(at.saturating_mul(access.spacing)));
        let places: Vec<(Register, u8)> =
            places.map(|offset| self.interface.constant(access.var, offset, integer)).collect();
        let address = self.address(&moved)?;
        let temp = self.temp(places.len(), false);
        let mut open = mask_of(places.len());
        while open != 0 {
            let (register, _) = *places.get(open.trailing_zeros() as usize)?;
            let mut swizzle = [0; 4];
            let mut mask = 0;
            for (at, &(other, component)) in places.iter().enumerate() {
                if other == register {
                    mask |= 1 << at;
                    swizzle[at] = component;
                }
            }
            let source = Source { swizzle, relative: Some(address), ..Source::of(Place::Fixed(register)) };
            let target = Target { place: Place::Temp(temp), mask, saturate: false };
            self.emit(Sm1::Mov, 0, Reading::Each, Some(target), vec![source]);
            open &= !mask;
        }
        Some(parts(temp, places.len()))
    }

    /// Moves constants that are added to an index to the register number.
    fn fold_sums(&self, access: &mut Access) {
        for (index, stride, _) in &mut access.terms {
            while let data = self.body.inst(*index)
                && data.op == Op::Int(IntOp::IAdd)
                && let (Some(&a), Some(&b)) = (data.args.first(), data.args.get(1))
            {
                let known = |inst: Inst| {
                    let bits = self.body.const_of(inst)?;
                    u32::try_from(self.module.bits_of(bits).component(0).as_u64()).ok()
                };
                let (rest, added) = match (known(a), known(b)) {
                    (_, Some(added)) => (a, added),
                    (Some(added), None) => (b, added),
                    (None, None) => break,
                };
                let sum = added.checked_mul(*stride).and_then(|bytes| access.offset.checked_add(bytes));
                let Some(offset) = sum.filter(|&offset| offset < MOST_BYTES) else { break };
                access.offset = offset;
                *index = rest;
            }
        }
    }

    /// The number that an index is the nearest integer of; the address register rounds by itself.
    fn unrounded(&mut self, index: Inst) -> Option<Comp> {
        let data = self.body.inst(index);
        let &whole = data.args.first().filter(|_| data.op == Op::Convert(ConvertOp::F2I))?;
        let data = self.body.inst(whole);
        let &number = data.args.first().filter(|_| data.op == Op::Float(FloatOp::FRoundEven))?;
        self.comps(number, Class::Float).first().copied()
    }

    /// The component of the address register that holds the index of an access, in registers.
    fn address(&mut self, access: &Access) -> Option<u8> {
        let mut sum: Option<Comp> = None;
        for &(index, stride, _) in &access.terms {
            if stride % 16 != 0 {
                let says = format!("elements of an array are {stride} bytes apart");
                self.refuse("D152", says, "a computed index needs elements of whole registers: 16 bytes");
                return None;
            }
            let is_alone = access.terms.len() == 1 && stride == 16;
            let unrounded = if is_alone { self.unrounded(index) } else { None };
            let index = match unrounded {
                Some(index) => index,
                None => *self.comps(index, Class::Int).first()?,
            };
            let scale = float((stride / 16) as f32);
            let term = match (sum, stride / 16) {
                (None, 1) => index,
                (None, _) => *self.each(Sm1::Mul, 1, &[&[index], &[scale]]).first()?,
                (Some(sum), 1) => *self.each(Sm1::Add, 1, &[&[sum], &[index]]).first()?,
                (Some(sum), _) => *self.each(Sm1::Mad, 1, &[&[index], &[scale], &[sum]]).first()?,
            };
            sum = Some(term);
        }
        let index = sum?;
        if let Some(at) = self.addresses.iter().position(|known| *known == index) {
            return Some(at as u8);
        }
        if self.addresses.len() == 4 {
            self.addresses.clear();
        }
        let at = self.addresses.len() as u8;
        self.addresses.push(index);
        let source = self.scalar(index);
        let target = Target { place: Place::Fixed(ADDRESS), mask: 1 << at, saturate: false };
        self.emit(Sm1::MovA, 0, Reading::Each, Some(target), vec![source]);
        Some(at)
    }

    fn load_input(&mut self, inst: Inst, access: &Access, components: u8) -> Option<Comps> {
        if !access.terms.is_empty() || access.is_dynamic_component {
            self.refuse(
                "D152",
                "an input is read at a computed index".to_owned(),
                Help::by_pass("lower-indirect-derefs", "reads every element"),
            );
            return Some(vec![Comp::Undef; usize::from(components)]);
        }
        let found = self.interface.varying(self.module, access, components, self.profile());
        let Some((place, first)) = found else { return self.refuse_variable(access, components) };
        match place {
            Place::Fixed(register) if register.file == File::Misc && register.number == 1 => {
                // `vFace` is negative for back faces.
                let face = [at_place(place, 0)];
                Some(self.compared(3, 1, &face, &[float(0.0)]))
            }
            Place::Fixed(register) if register.file == File::Misc => {
                let read = self.read_components(inst, components);
                if read & 0b1100 != 0 {
                    return self.refuse_variable(access, components);
                }
                let count = usize::from(components.min(2));
                let position: Comps = (0..count).map(|at| at_place(place, first + at as u8)).collect();
                let mut centers = self.each(Sm1::Add, count, &[&position, &[float(0.5)]]);
                centers.resize(usize::from(components), Comp::Undef);
                Some(centers)
            }
            _ => Some((0..components).map(|at| at_place(place, first + at)).collect()),
        }
    }

    /// The components of a value that its uses read: all, unless every use picks some.
    fn read_components(&self, inst: Inst, components: u8) -> u8 {
        use super::select::User;
        use vitrine_ir::ops::attr::unpack_component;
        let mut read = 0;
        for user in self.users.of_value(inst) {
            let picked = match user {
                User::Arg(user, _) => {
                    let data = self.body.inst(*user);
                    let packed = data.attrs.get(Key::Components);
                    packed.filter(|_| data.op == Op::Vector(VectorOp::Swizzle)).map(|packed| {
                        (0..usize::from(data.ty.components()))
                            .fold(0, |mask, at| mask | 1u8 << unpack_component(packed, at).min(7))
                    })
                }
                User::If | User::Other => None,
            };
            read |= picked.unwrap_or(mask_of(usize::from(components)));
        }
        read
    }

    fn refuse_variable(&mut self, access: &Access, components: u8) -> Option<Comps> {
        let name = self.module.var(access.var).and_then(|data| data.name);
        let says = match (access.builtin, name) {
            (Some(word), _) => {
                let model = if self.model == Model::Two { 2 } else { 3 };
                format!("the system value `{}` does not exist in shader model {model}", word.name())
            }
            (None, Some(name)) => format!("`{}` has no register", self.module.text_of(name)),
            (None, None) => "a variable has no register".to_owned(),
        };
        self.refuse("D155", says, "pass it as an input or a constant");
        Some(vec![Comp::Undef; usize::from(components)])
    }

    /// Writes an output.
    pub(super) fn store(&mut self, data: &InstData) -> Option<()> {
        let (&path, &value) = (data.args.first()?, data.args.get(1)?);
        let access = access(self.module, self.body, path)?;
        let mode = self.mode(&access)?;
        if mode != Mode::Out {
            let says = format!("a store to `{}` memory has no form in shader model 3", mode.name());
            self.refuse("D152", says, "shaders of Direct3D 9 write only their outputs");
            return Some(());
        }
        let (scalar, _) = scalar_of(self.module, access.ty);
        let is_float = matches!(self.module.type_of(scalar), TypeData::Float { width: Width::W32 });
        let ty = self.body.ty(value);
        self.width(ty)?;
        if !access.terms.is_empty() || (!is_float && !self.is_vertex) {
            self.refuse_variable(&access, 1);
            return Some(());
        }
        let class = if is_integer(self.module, access.ty) { Class::Int } else { Class::Float };
        let comps = self.comps(value, class);
        let found = self.interface.varying(self.module, &access, comps.len() as u8, self.profile());
        let Some((place, first)) = found else {
            self.refuse_variable(&access, 1);
            return Some(());
        };
        // A single `mov` of a whole register writes an output of `ps_2_0`.
        if let (Profile::PS_2_0, Place::Fixed(register)) = (self.profile(), place)
            && register.file == File::Color
        {
            self.read_back.entry((access.var, access.location, access.builtin)).or_insert(None);
        }
        let place = self.output_temp(&access, comps.len() as u8).map_or(place, |(temp, _)| Place::Temp(temp));
        let mask = data.attrs.get(Key::Mask).unwrap_or(0xf);
        let mut placed = vec![Comp::Undef; usize::from(first)];
        placed.extend(comps.iter().enumerate().map(|(at, &comp)| match mask >> at & 1 {
            1 => comp,
            _ => Comp::Undef,
        }));
        placed.truncate(4);
        self.gather_to(place, &placed);
        Some(())
    }

    /// The temporary that holds an output which the program also reads, and its register; none for other outputs.
    fn output_temp(&mut self, access: &Access, components: u8) -> Option<(Temp, Register)> {
        let key = (access.var, access.location, access.builtin);
        if let Some(known) = *self.read_back.get(&key)? {
            return Some(known);
        }
        let (place, _) = self.interface.varying(self.module, access, components, self.profile())?;
        let Place::Fixed(register) = place else { return None };
        let temp = self.temp(4, false);
        self.read_back.insert(key, Some((temp, register)));
        Some((temp, register))
    }

    /// Writes the outputs that are held in temporaries.
    pub(super) fn write_outputs(&mut self) {
        let held: Vec<(OutputKey, (Temp, Register))> =
            self.read_back.iter().filter_map(|(&key, held)| Some((key, (*held)?))).collect();
        for ((var, ..), (temp, register)) in held {
            let written = self.module.var(var).map_or(0xf, |data| {
                let count = self.module.value_type(data.ty).map_or(4, ValueType::components);
                mask_of(usize::from(count)) << data.attrs.get(Key::Component).unwrap_or(0).min(3)
            });
            let declared = self.interface.outputs.values().find(|(known, _)| *known == register);
            let mask = declared.map_or(0xf, |(_, declared)| declared.mask);
            if self.profile() == Profile::PS_2_0 {
                // The copy reads four components, all of which must have been written.
                let missing: Comps =
                    (0..4).map(|at| if written >> at & 1 == 1 { Comp::Undef } else { float(0.0) }).collect();
                self.gather_to(Place::Temp(temp), &missing);
                let target = Target { place: Place::Fixed(register), mask: 0xf, saturate: false };
                let source = Source::of(Place::Temp(temp));
                self.emit(Sm1::Mov, 0, Reading::Each, Some(target), vec![source]);
                continue;
            }
            let comps: Comps = parts(temp, 4)
                .into_iter()
                .enumerate()
                .map(|(at, comp)| if mask >> at & 1 == 1 { comp } else { Comp::Undef })
                .collect();
            self.gather_to(Place::Fixed(register), &comps);
        }
    }

    /// Ends a pixel, if the condition holds: `texkill` ends it if a component is below zero.
    pub(super) fn kill(&mut self, cond: Option<Inst>) {
        let mut test = match cond {
            None => vec![float(-1.0)],
            Some(cond) => self.kill_test(cond).unwrap_or_else(|| negate(&self.comps(cond, Class::Bool))),
        };
        // In model 2, the instruction has no mask, and tests three components.
        if let (Model::Two, &[x, y, z, w]) = (self.model, test.as_slice()) {
            let last = self.each(Sm1::Min, 1, &[&[z], &[w]]);
            test = [vec![x, y], last].concat();
        }
        let padding = if self.model == Model::Two { 4usize.saturating_sub(test.len()) } else { 0 };
        let last = test.last().copied();
        test.extend(last.into_iter().flat_map(|last| std::iter::repeat_n(last, padding)));
        let temp = self.gathered(&test);
        let place = Place::Temp(temp);
        let count = test.len() as u8;
        self.emit(Sm1::TexKill, 0, Reading::Whole(count), None, vec![Source::of(place)]);
    }

    /// Numbers of which one is below zero where a condition holds; none if the condition is no such comparison.
    fn kill_test(&mut self, cond: Inst) -> Option<Comps> {
        let data = self.body.inst(cond);
        let &first = data.args.first()?;
        match data.op {
            Op::Vector(VectorOp::Any) => self.kill_test(first),
            Op::Float(FloatOp::FLt | FloatOp::FGt) => {
                let count = self.width(data.ty)?;
                let (a, b) = (self.comps(first, Class::Float), self.comps(*data.args.get(1)?, Class::Float));
                let (a, b) = if data.op == Op::Float(FloatOp::FLt) { (a, b) } else { (b, a) };
                Some(self.difference(count, &a, &b))
            }
            _ => None,
        }
    }

    /// Conditions of interface operations that end a pixel.
    pub(super) fn end_of_pixel(&mut self, data: &InstData, op: IoOp) -> bool {
        match op {
            IoOp::DiscardIf | IoOp::TerminateIf | IoOp::DemoteIf => {
                self.kill(data.args.first().copied());
                true
            }
            IoOp::Demote => {
                self.kill(None);
                true
            }
            _ => false,
        }
    }

    /// Samples a texture.
    pub(super) fn sample(&mut self, data: &InstData, op: TexOp) -> Option<Comps> {
        let roles: Vec<Role> = Role::unpack(data.attrs.get(Key::Roles)?).collect();
        let arg = |role: Role| {
            let at = roles.iter().position(|known| *known == role)?;
            data.args.get(at).copied()
        };
        let known = [
            Role::Image,
            Role::Sampler,
            Role::Coord,
            Role::Projector,
            Role::Lod,
            Role::Bias,
            Role::Ddx,
            Role::Ddy,
        ];
        let odd = roles.iter().find(|role| !known.contains(role));
        let flags = [Key::Arrayed, Key::Shadow, Key::Sparse].into_iter().find(|&key| data.attrs.has(key));
        let what = match (odd, flags) {
            (Some(role), _) => Some(role.name()),
            (None, flag) => flag.map(Key::name),
        };
        if let Some(what) = what {
            let says = format!("a texture lookup has `{what}`");
            self.refuse(
                "D152",
                says,
                "lookups of Direct3D 9 have a coordinate, and a bias, a level or gradients",
            );
            return None;
        }
        let Some(texture) = texture_type(data.attrs.word()?) else {
            self.refuse("D152", "a texture has no form in Direct3D 9".to_owned(), "use 1d, 2d, 3d or cube");
            return None;
        };
        let handles = self.handles(arg(Role::Image)?, arg(Role::Sampler))?;
        let register = self.interface.sampler(self.module, handles, texture, self.is_vertex);
        let count = match texture {
            1 => 1,
            2 => 2,
            _ => 3,
        };
        let mut coord = self.comps(arg(Role::Coord)?, Class::Float);
        coord.truncate(count);
        let op = self.lookup(op, coord, |it, role| {
            let value = arg(role)?;
            Some(it.comps(value, Class::Float))
        })?;
        let (code, control, mut sources) = op;
        sources.insert(1, Source::of(Place::Fixed(register)));
        let temp = self.temp(4, true);
        let target = Target { place: Place::Temp(temp), mask: 0xf, saturate: false };
        self.emit(code, control, Reading::Whole(4), Some(target), sources);
        Some(parts(temp, usize::from(data.ty.components()).min(4)))
    }

    /// The instruction of a lookup, with its operands but the sampler.
    fn lookup(
        &mut self,
        op: TexOp,
        mut coord: Comps,
        operand: impl Fn(&mut Self, Role) -> Option<Comps>,
    ) -> Option<(Sm1, u8, Vec<Source>)> {
        let fourth = |comps: &Comps, value: Comp| {
            let mut four = comps.clone();
            four.resize(3, Comp::Undef);
            four.push(value);
            four
        };
        let projector = operand(self, Role::Projector);
        if let TexOp::SampleLod = op {
            if let Some(by) = &projector {
                let reciprocal = self.first(Sm1::Rcp, 1, &[by]);
                coord = self.each(Sm1::Mul, coord.len(), &[&coord, &reciprocal]);
            }
            if let (Some(x), Some(y)) = (operand(self, Role::Ddx), operand(self, Role::Ddy)) {
                let sources = [coord, x, y].map(|comps| self.coordinate(&comps));
                return Some((Sm1::TexLdd, 0, sources.to_vec()));
            }
            let level = *operand(self, Role::Lod)?.first()?;
            let source = self.coordinate(&fourth(&coord, level));
            return Some((Sm1::TexLdl, 0, vec![source]));
        }
        if op != TexOp::Sample {
            return None;
        }
        if self.is_vertex {
            let source = self.coordinate(&fourth(&coord, float(0.0)));
            return Some((Sm1::TexLdl, 0, vec![source]));
        }
        let bias = operand(self, Role::Bias);
        let is_varying =
            |comp: &Comp| matches!(comp, Comp::At { place: Place::Fixed(it), .. } if is_input(*it));
        if !coord.iter().all(is_varying) || bias.is_some() {
            self.needs_uniform_flow("a level of detail");
        }
        let (control, four) = match (bias, projector) {
            (Some(bias), by) => {
                if let Some(by) = by {
                    let reciprocal = self.first(Sm1::Rcp, 1, &[&by]);
                    coord = self.each(Sm1::Mul, coord.len(), &[&coord, &reciprocal]);
                }
                (BIASED, fourth(&coord, *bias.first()?))
            }
            (None, Some(by)) => (PROJECTED, fourth(&coord, *by.first()?)),
            (None, None) => (0, coord),
        };
        let source = self.coordinate(&four);
        Some((Sm1::TexLd, control, vec![source]))
    }

    /// The operand of a lookup: a temporary or an input, without modifiers.
    fn coordinate(&mut self, comps: &[Comp]) -> Source {
        let source = self.source(comps);
        let is_plain = !source.negated && !source.absolute;
        match source.place {
            Place::Temp(_) if is_plain => source,
            Place::Fixed(register) if is_plain && is_input(register) => source,
            _ => Source::of(Place::Temp(self.gathered(comps))),
        }
    }

    /// The variables of an image and its sampler; both are the same for a combined one.
    fn handles(&mut self, image: Inst, sampler: Option<Inst>) -> Option<(Var, Var)> {
        let mut image = image;
        let mut sampler = sampler;
        if let Op::Tex(TexOp::Combine) = self.body.inst(image).op {
            let args = &self.body.inst(image).args;
            sampler = args.get(1).copied();
            image = *args.first()?;
        }
        let var = |it: &Self, handle: Inst| {
            let data = it.body.inst(handle);
            let path = *data.args.first().filter(|_| data.op == Op::Memory(MemoryOp::Load))?;
            let access = access(it.module, it.body, path)?;
            let is_single = it.module.var(access.var).is_some_and(|data| data.ty == access.ty);
            is_single.then_some(access.var)
        };
        let found = var(self, image).and_then(|image| match sampler {
            None => Some((image, image)),
            Some(sampler) => Some((image, var(self, sampler)?)),
        });
        if found.is_none() {
            self.refuse(
                "D155",
                "the texture of a lookup is not a variable of its own".to_owned(),
                "arrays of textures have no registers",
            );
        }
        found
    }
}

/// Returns true for an input of an earlier stage.
fn is_input(register: Register) -> bool {
    matches!(register.file, File::Input | File::Texture)
}
