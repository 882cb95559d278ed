//! Constants of the module: bits in the type that each use needs, and those that can be specialized.

use super::diagnostics::{DECLARATION, refuse};
use super::module::Writer;
use super::ops::{InstCode, OperandKind, ResultKind, entry};
use super::shared::{NumberShape, Scalar, WrittenGlobal, scalar_of_hint};
use crate::spec::Op as S;
use vitrine_analysis::Types;
use vitrine_ir::ops::{BasicOp, Key, Op, ValueType, VectorOp, Width};
use vitrine_ir::{Const, Diag, Global, GlobalValue, Operand, Type, TypeData};

/// The deepest nesting of module constants.
const DEEPEST: u32 = 200;

impl Writer<'_> {
    /// The constant `value` as an unsigned number of 32 bits.
    pub(super) fn uint(&mut self, value: u32) -> u32 {
        let ty = self.number_type(NumberShape { scalar: Scalar::Uint, width: Width::W32, components: 1 });
        self.typed(S::Constant, ty, &[value])
    }

    /// The constant `value` as a signed number of 32 bits: a member, an element.
    pub(super) fn int(&mut self, value: u32) -> u32 {
        let ty = self.number_type(NumberShape { scalar: Scalar::Int, width: Width::W32, components: 1 });
        self.typed(S::Constant, ty, &[value])
    }

    /// A constant: type, then result, then operands.
    pub(super) fn typed(&mut self, op: S, ty: u32, operands: &[u32]) -> u32 {
        let key: Box<[u32]> = [op as u32, 0, ty].iter().chain(operands).copied().collect();
        if let Some(&id) = self.interned.get(&key) {
            return id;
        }
        let id = self.fresh();
        self.globals.parts(op, &[&[ty, id], operands]);
        self.interned.insert(key, id);
        id
    }

    /// Returns the id of constant bits as numbers of a kind.
    pub(super) fn bits(&mut self, bits: Const, scalar: Scalar) -> u32 {
        if let Some(&id) = self.constants.bits.get(&(bits, scalar)) {
            return id;
        }
        let value = self.module.bits_of(bits);
        let components: Vec<u32> = value
            .components()
            .iter()
            .map(|&component| self.component_constant(component, value.width(), scalar))
            .collect();
        let id = match components[..] {
            [one] => one,
            _ => {
                let shape = NumberShape { scalar, width: value.width(), components: components.len() as u8 };
                let ty = self.number_type(shape);
                self.typed(S::ConstantComposite, ty, &components)
            }
        };
        self.constants.bits.insert((bits, scalar), id);
        id
    }

    /// Returns the id of one component of constant bits.
    pub(super) fn component_constant(&mut self, component: u64, width: Width, scalar: Scalar) -> u32 {
        let ty = self.number_type(NumberShape { scalar, width, components: 1 });
        match width {
            Width::W1 if component != 0 => self.typed(S::ConstantTrue, ty, &[]),
            Width::W1 => self.typed(S::ConstantFalse, ty, &[]),
            Width::W64 => self.typed(S::Constant, ty, &[component as u32, (component >> 32) as u32]),
            Width::W8 if scalar == Scalar::Int => {
                self.typed(S::Constant, ty, &[component as u8 as i8 as u32])
            }
            Width::W16 if scalar == Scalar::Int => {
                self.typed(S::Constant, ty, &[component as u16 as i16 as u32])
            }
            Width::W8 | Width::W16 | Width::W32 => self.typed(S::Constant, ty, &[component as u32]),
        }
    }

    /// Infers the kinds of numbers of module constants from aggregates, variables, then functions.
    pub(super) fn infer_global_scalars(&mut self) {
        let module = self.module;
        for (_, data) in module.globals() {
            let GlobalValue::Parts(ty, parts) = &data.value else { continue };
            for (at, part) in parts.iter().enumerate() {
                let Operand::Global(part) = *part else { continue };
                let part_type = match module.type_of(*ty) {
                    TypeData::Struct(id) => {
                        module.structure(*id).and_then(|data| data.members.get(at)).map(|member| member.ty)
                    }
                    _ => module.element_type(*ty),
                };
                if let Some(scalar) = part_type.and_then(|ty| self.scalar_of(ty)) {
                    self.constants.scalars.entry(part).or_insert(scalar);
                }
            }
        }
        if module.globals().next().is_none() {
            return;
        }
        for (_, data) in module.vars() {
            if let (Some(Operand::Global(global)), Some(scalar)) = (data.init, self.scalar_of(data.ty)) {
                self.constants.scalars.entry(global).or_insert(scalar);
            }
        }
        for (func, body) in module.funcs() {
            let types = self.cx.get::<Types>(module, func);
            body.for_each_inst(|_, inst| {
                let data = body.inst(inst);
                if data.op == Op::Basic(BasicOp::Global)
                    && let (Some(global), Some(width)) = (data.entity(Key::Global), data.ty.width())
                {
                    let scalar = scalar_of_hint(types.hint(inst), width);
                    self.constants.scalars.entry(global).or_insert(scalar);
                }
            });
        }
    }

    /// Writes every module constant that is written by itself. The others are written on demand.
    pub(super) fn declare_globals(&mut self) -> Result<(), Diag> {
        let module = self.module;
        for (global, data) in module.globals() {
            match data.value {
                GlobalValue::Spec(_) | GlobalValue::Op { .. } | GlobalValue::Parts(..) => {
                    self.global(global)?;
                }
                GlobalValue::Zero(_) | GlobalValue::Undef(_) | GlobalValue::Address(_) => {}
            }
        }
        Ok(())
    }

    /// Returns the module constant. Writes it on first use.
    pub(super) fn global(&mut self, global: Global) -> Result<WrittenGlobal, Diag> {
        if let Some(&written) = self.global_ids.get(&global) {
            return Ok(written);
        }
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err(refuse(
                DECLARATION,
                "constants are nested too deeply",
                "use fewer levels, without a cycle",
            ));
        }
        let written = self.write_global(global)?;
        self.depth -= 1;
        self.global_ids.insert(global, written);
        if let Some(data) = self.module.global(global) {
            self.name(written.id, data.name);
            self.write_attrs(written.id, None, &data.attrs);
        }
        Ok(written)
    }

    fn write_global(&mut self, global: Global) -> Result<WrittenGlobal, Diag> {
        let module = self.module;
        let Some(data) = module.global(global) else {
            return Err(refuse(DECLARATION, format!("{global} is not declared"), "declare it"));
        };
        let kind = self.constants.scalars.get(&global).copied();
        match &data.value {
            GlobalValue::Spec(bits) => {
                let value = module.bits_of(*bits);
                let scalar = match value.width() {
                    Width::W1 => Scalar::Bool,
                    _ => kind.unwrap_or(Scalar::Uint),
                };
                let ty = self.number_type(NumberShape { scalar, width: value.width(), components: 1 });
                let component = value.components().first().copied().unwrap_or(0);
                let id = self.fresh();
                let words = match (value.width(), scalar) {
                    (Width::W64, _) => vec![component as u32, (component >> 32) as u32],
                    (Width::W8, Scalar::Int) => vec![component as u8 as i8 as u32],
                    (Width::W16, Scalar::Int) => vec![component as u16 as i16 as u32],
                    _ => vec![component as u32],
                };
                match (value.width(), component) {
                    (Width::W1, 0) => self.globals.inst(S::SpecConstantFalse, &[ty, id]),
                    (Width::W1, _) => self.globals.inst(S::SpecConstantTrue, &[ty, id]),
                    _ => self.globals.parts(S::SpecConstant, &[&[ty, id], &words]),
                }
                Ok(WrittenGlobal { id, scalar: Some(scalar), ty })
            }
            GlobalValue::Op { op, ty, args } => self.computed(*op, *ty, args, kind),
            GlobalValue::Parts(full, parts) => {
                let ty = self.ty(*full)?;
                let mut words = vec![ty, 0];
                let mut is_specializable = data.attrs.has(Key::SpecId);
                for (at, &part) in parts.iter().enumerate() {
                    let part_type = match module.type_of(*full) {
                        TypeData::Struct(id) => module
                            .structure(*id)
                            .and_then(|data| data.members.get(at))
                            .map(|member| member.ty),
                        _ => module.element_type(*full),
                    };
                    let scalar = part_type.and_then(|ty| self.scalar_of(ty)).unwrap_or(Scalar::Uint);
                    is_specializable |= self.depends_on_specialization(part);
                    words.push(self.exact_operand(part, scalar)?);
                }
                let id = self.fresh();
                words[1] = id;
                let op = if is_specializable { S::SpecConstantComposite } else { S::ConstantComposite };
                self.globals.inst(op, &words);
                Ok(WrittenGlobal { id, scalar: self.scalar_of(*full), ty })
            }
            GlobalValue::Zero(full) => self.whole(S::ConstantNull, *full),
            GlobalValue::Undef(full) => self.whole(S::Undef, *full),
            GlobalValue::Address(var) => {
                let id = self.var(*var)?;
                Ok(WrittenGlobal { id, scalar: None, ty: 0 })
            }
        }
    }

    fn whole(&mut self, op: S, full: Type) -> Result<WrittenGlobal, Diag> {
        let ty = self.ty(full)?;
        Ok(WrittenGlobal { id: self.typed(op, ty, &[]), scalar: self.scalar_of(full), ty })
    }

    /// Returns true if a constant depends on specialization.
    fn depends_on_specialization(&self, operand: Operand) -> bool {
        let mut work = vec![operand];
        while let Some(operand) = work.pop() {
            let Operand::Global(global) = operand else { continue };
            match self.module.global(global).map(|data| &data.value) {
                Some(GlobalValue::Spec(_) | GlobalValue::Op { .. }) => return true,
                Some(GlobalValue::Parts(_, parts)) => work.extend(parts.iter().copied()),
                _ => {}
            }
        }
        false
    }

    /// Returns the id of a constant operand; `scalar` is the kind of number if nothing else determines it.
    pub(super) fn operand(&mut self, operand: Operand, scalar: Scalar) -> Result<u32, Diag> {
        match operand {
            Operand::Bits(bits) => {
                let width = self.module.bits_of(bits).width();
                Ok(self.bits(bits, if width == Width::W1 { Scalar::Bool } else { scalar }))
            }
            Operand::Global(global) => Ok(self.global(global)?.id),
        }
    }

    /// The same where the type has to be exact: an integer of the other kind is converted, by an addition of zero, which is
    /// allowed for operands of both kinds (SPIR-V, OpIAdd). Shaders have no `OpBitcast` of constants.
    fn exact_operand(&mut self, operand: Operand, scalar: Scalar) -> Result<u32, Diag> {
        let id = self.operand(operand, scalar)?;
        let Operand::Global(global) = operand else { return Ok(id) };
        let own =
            self.global(global)?.scalar.filter(|&own| is_integer(own) && is_integer(scalar) && own != scalar);
        let value = self.module.operand_type(operand);
        let (Some(own), Some(value), Some(width)) = (own, value, value.and_then(ValueType::width)) else {
            return Ok(id);
        };
        let components = value.components();
        let [ty, own_type] =
            [scalar, own].map(|scalar| self.number_type(NumberShape { scalar, width, components }));
        let zero = match self.component_constant(0, width, own) {
            zero if components == 1 => zero,
            zero => self.typed(S::ConstantComposite, own_type, &vec![zero; usize::from(components)]),
        };
        let converted = self.fresh();
        self.globals.inst(S::SpecConstantOp, &[ty, converted, S::IAdd as u32, id, zero]);
        Ok(converted)
    }

    /// A constant computed from others (`OpSpecConstantOp`).
    fn computed(
        &mut self,
        op: Op,
        value: ValueType,
        args: &[Operand],
        kind: Option<Scalar>,
    ) -> Result<WrittenGlobal, Diag> {
        let refused = |message: String| refuse(DECLARATION, message, "compute it in a function instead");
        if op == Op::Vector(VectorOp::Extract) {
            return self.computed_part(value, args, kind);
        }
        let is_bool = args.first().and_then(|&arg| self.module.operand_type(arg)).and_then(ValueType::width)
            == Some(Width::W1);
        let Some(entry) = entry(op, is_bool) else {
            return Err(refused(format!(
                "a constant is computed by `{}`, which SPIR-V does not allow",
                op.name()
            )));
        };
        let InstCode::Core(code) = entry.code else {
            return Err(refused(format!(
                "a constant is computed by `{}`, which SPIR-V does not allow",
                op.name()
            )));
        };
        // Operands of the same type as the result determine its type.
        let shared_scalar =
            args.iter().skip(usize::from(matches!(code, S::Select))).find_map(|&arg| match arg {
                Operand::Global(global) => self.global(global).ok()?.scalar,
                Operand::Bits(_) => None,
            });
        let scalar = match entry.result() {
            ResultKind::Bool => Scalar::Bool,
            ResultKind::Float => Scalar::Float,
            ResultKind::Uint => Scalar::Uint,
            ResultKind::Int | ResultKind::TypeHint => match value.width() {
                Some(Width::W1) => Scalar::Bool,
                _ if (0..args.len()).any(|at| entry.operand(at) == OperandKind::Same) => {
                    shared_scalar.or(kind).unwrap_or(Scalar::Uint)
                }
                _ => kind.unwrap_or(Scalar::Uint),
            },
        };
        let Some(ty) = self.value_type(scalar, value) else {
            return Err(refused(format!(
                "a constant is computed by `{}`, whose result is not a number",
                op.name()
            )));
        };
        let mut words = Vec::new();
        for (at, &arg) in args.iter().enumerate() {
            words.push(match entry.operand(at) {
                OperandKind::Float => self.operand(arg, Scalar::Float)?,
                OperandKind::Bool => self.operand(arg, Scalar::Bool)?,
                OperandKind::Uint => self.operand(arg, Scalar::Uint)?,
                OperandKind::Same => self.exact_operand(arg, scalar)?,
                OperandKind::Int | OperandKind::Any => {
                    self.operand(arg, shared_scalar.unwrap_or(Scalar::Uint))?
                }
            });
        }
        let id = self.fresh();
        self.globals.parts(S::SpecConstantOp, &[&[ty, id, code as u32], &words]);
        Ok(WrittenGlobal { id, scalar: Some(scalar), ty })
    }

    fn computed_part(
        &mut self,
        value: ValueType,
        args: &[Operand],
        kind: Option<Scalar>,
    ) -> Result<WrittenGlobal, Diag> {
        let [whole, Operand::Bits(index)] = args else {
            return Err(refuse(
                DECLARATION,
                "a constant selects a component by a constant whose value is unknown",
                "select it in a function",
            ));
        };
        let index = self.module.bits_of(*index).components().first().copied().unwrap_or(0);
        let (id, scalar) = match *whole {
            Operand::Global(global) => {
                let written = self.global(global)?;
                (written.id, written.scalar)
            }
            Operand::Bits(bits) => {
                let scalar = kind.unwrap_or(Scalar::Uint);
                (self.bits(bits, scalar), Some(scalar))
            }
        };
        let scalar = scalar.unwrap_or(Scalar::Uint);
        let ty = self.value_type(scalar, value).unwrap_or(0);
        let result = self.fresh();
        let words = [ty, result, S::CompositeExtract as u32, id, index as u32];
        self.globals.inst(S::SpecConstantOp, &words);
        Ok(WrittenGlobal { id: result, scalar: Some(scalar), ty })
    }
}

/// Returns true for the kinds of integers, which most operations take alike.
fn is_integer(scalar: Scalar) -> bool {
    matches!(scalar, Scalar::Int | Scalar::Uint)
}
