//! Paths as places of memory: the variable, an offset, and the indices that are known only at run time.
//!
//! Refuses paths that begin anywhere but at a variable.

use vitrine_ir::ops::{BasicOp, Builtin, DerefOp, Key, Op};
use vitrine_ir::{FuncBody, Inst, Len, Module, Type, TypeData, Var};

/// The place that a path refers to.
#[derive(Clone, Debug)]
pub(super) struct Access {
    pub var: Var,
    /// The type at the place.
    pub ty: Type,
    /// Bytes from the start of the variable, by the offsets and strides that the program states.
    pub offset: u32,
    /// Bytes from one component of a vector to the next.
    pub spacing: u32,
    /// Indices that are not constants, each with its stride in bytes and the number of elements.
    pub terms: Vec<(Inst, u32, u32)>,
    /// The location, for inputs and outputs.
    pub location: u32,
    /// The first component at the location.
    pub component: u8,
    /// The system value, by its position in the table of built-ins.
    pub builtin: Option<Builtin>,
    /// An index into a vector, if it is not a constant.
    pub is_dynamic_component: bool,
}

/// The steps of a path from its variable on.
///
/// Returns none if the path does not begin at a variable, or takes a step that no register can follow.
pub(super) fn access(module: &Module, body: &FuncBody, path: Inst) -> Option<Access> {
    let mut steps = Vec::new();
    let mut at = path;
    let var: Var = loop {
        let data = body.inst(at);
        match data.op {
            Op::Deref(DerefOp::Var) => break data.entity(Key::Var)?,
            Op::Deref(DerefOp::Field | DerefOp::Elem) => steps.push(at),
            Op::Basic(BasicOp::Copy) => {}
            _ => return None,
        }
        at = *data.args.first()?;
    };
    let data = module.var(var)?;
    let number = |key| data.attrs.get(key);
    let mut access = Access {
        var,
        ty: data.ty,
        offset: 0,
        spacing: 4,
        terms: Vec::new(),
        location: number(Key::Location).unwrap_or(0) as u32,
        component: number(Key::Component).unwrap_or(0).min(3) as u8,
        builtin: data.attrs.word(),
        is_dynamic_component: false,
    };
    for &step in steps.iter().rev() {
        access.step(module, body, step)?;
    }
    Some(access)
}

impl Access {
    fn step(&mut self, module: &Module, body: &FuncBody, step: Inst) -> Option<()> {
        let data = body.inst(step);
        if let Op::Deref(DerefOp::Field) = data.op {
            let TypeData::Struct(structure) = module.type_of(self.ty) else { return None };
            let members = &module.structure(*structure)?.members;
            let at = usize::try_from(data.attrs.get(Key::Field)?).ok()?;
            let member = members.get(at)?;
            self.offset = self.offset.checked_add(member.attrs.get(Key::Offset).unwrap_or(0) as u32)?;
            self.builtin = member.attrs.word().or(self.builtin);
            self.component = member.attrs.get(Key::Component).unwrap_or(0).min(3) as u8;
            self.location = match member.attrs.get(Key::Location) {
                Some(location) => location as u32,
                None => {
                    let before = members.get(..at)?.iter().map(|member| locations(module, member.ty));
                    before.fold(self.location, u32::saturating_add)
                }
            };
            self.ty = member.ty;
            return Some(());
        }
        let index = *data.args.get(1)?;
        let known = body.const_of(index).map(|bits| module.bits_of(bits).component(0).as_u64() as u32);
        let (of, stride, places) = match *module.type_of(self.ty) {
            TypeData::Array { of, stride, .. } | TypeData::RuntimeArray { of, stride } => {
                (of, stride, locations(module, of))
            }
            TypeData::Matrix { column, stride, row_major, .. } => {
                self.spacing = if row_major { stride } else { 4 };
                (column, if row_major { 4 } else { stride }, 1)
            }
            TypeData::Vector { of, .. } => {
                match known {
                    Some(known) => {
                        self.component = (self.component + known.min(3) as u8).min(3);
                        self.offset = self.offset.checked_add(known.checked_mul(self.spacing)?)?;
                    }
                    None => {
                        self.is_dynamic_component = true;
                        self.terms.push((index, self.spacing, 4));
                    }
                }
                self.ty = of;
                return Some(());
            }
            _ => return None,
        };
        match known {
            Some(known) => {
                self.offset = self.offset.checked_add(known.checked_mul(stride)?)?;
                self.location = self.location.checked_add(known.checked_mul(places)?)?;
            }
            None => {
                let count = module.element_count(self.ty).unwrap_or(1);
                self.terms.push((index, stride, count));
            }
        }
        self.ty = of;
        Some(())
    }
}

impl Access {
    /// The bytes that the access may reach: the first one, and the last one of all elements of its arrays.
    pub(super) fn bytes(&self, components: u8) -> (u32, u32) {
        let own = self.spacing.saturating_mul(u32::from(components.max(1)) - 1).saturating_add(3);
        let reached = self.terms.iter().fold(own, |sum, &(_, stride, count)| {
            sum.saturating_add(stride.saturating_mul(count.saturating_sub(1)))
        });
        (self.offset, self.offset.saturating_add(reached))
    }
}

/// The number of locations that a variable of a type takes. No recursion: types nest through one chain at a time.
fn locations(module: &Module, ty: Type) -> u32 {
    let mut total = 0u32;
    let mut open = vec![(ty, 1u32)];
    while let Some((ty, times)) = open.pop() {
        match module.type_of(ty) {
            TypeData::Array { of, len: Len::Count(len), .. } => open.push((*of, times.saturating_mul(*len))),
            TypeData::Matrix { columns, .. } => {
                total = total.saturating_add(times.saturating_mul(u32::from(*columns)));
            }
            TypeData::Struct(structure) => {
                let members = module.structure(*structure).map(|data| data.members.clone());
                open.extend(members.iter().flat_map(|list| list.iter()).map(|member| (member.ty, times)));
            }
            _ => total = total.saturating_add(times),
        }
    }
    total
}

/// The scalar type of a scalar or a vector, with its number of components.
pub(super) fn scalar_of(module: &Module, ty: Type) -> (Type, u8) {
    match module.type_of(ty) {
        TypeData::Vector { of, components } => (*of, *components),
        _ => (ty, 1),
    }
}
