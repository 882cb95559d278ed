//! Declarations of HLSL: types, structures, variables, helper functions.
//!
//! A matrix is declared with the columns of the program as its rows, so that an index selects the same vector.

use super::rays::class;
use crate::expr::{Token, punct, space, words};
use crate::module::{ModuleWriter, NO_TYPE};
use crate::number::{Kind, NumberType};
use crate::print::Line;
use std::rc::Rc;
use vitrine_ir::ops::{Key, Width};
use vitrine_ir::{Anchor, Len, Mode, Stage, Type, TypeData, Var};
use vitrine_text::{Class, Link};

impl ModuleWriter<'_> {
    /// The declaration of a name of any type, without qualifiers. `None` if HLSL has no such type.
    pub(super) fn hlsl_declaration(
        &mut self,
        name: &Rc<str>,
        link: Link,
        ty: Type,
        at: Anchor,
    ) -> Option<Vec<Token>> {
        let (base, dims) = self.hlsl_type_parts(ty, at)?;
        let mut tokens = words(Class::Type, &base);
        tokens.push(space());
        tokens.push(Token { text: name.clone().into(), class: Class::Name, link });
        tokens.extend(dims);
        Some(tokens)
    }

    /// The name of a type, and the lengths of arrays of it.
    pub(super) fn hlsl_type_parts(&mut self, ty: Type, at: Anchor) -> Option<(String, Vec<Token>)> {
        let mut ty = ty;
        let mut dims = Vec::new();
        loop {
            match *self.module.type_of(ty) {
                TypeData::Array { of, len, .. } => {
                    // The language has no lengths that a specialization constant changes.
                    let len = match len {
                        Len::Count(count) => u64::from(count),
                        Len::Global(_) => vitrine_ir::layout::Lengths::of(self.module, len),
                    };
                    dims.extend([punct("["), Token::new(Class::Number, len.to_string()), punct("]")]);
                    ty = of;
                }
                TypeData::RuntimeArray { of, .. } if self.is_resource(of) => {
                    dims.extend([punct("["), punct("]")]);
                    ty = of;
                }
                _ => break,
            }
        }
        if let Some(number) = self.number_type(ty) {
            return Some((self.number_name(number, at), dims));
        }
        let base = match *self.module.type_of(ty) {
            TypeData::Matrix { column, columns, row_major, .. } => {
                let column = self.number_type(column)?;
                let scalar = self.dialect.number(column.with_components(1))?;
                if column.kind != Kind::Float {
                    return None;
                }
                let order = if row_major { "column_major" } else { "row_major" };
                format!("{order} {scalar}{columns}x{}", column.components)
            }
            TypeData::Pointer { mode: Mode::Physical, .. } => "uint64_t".to_owned(),
            TypeData::Struct(structure) => {
                let name = self.struct_name(structure);
                if !self.used_structs.contains(&structure) {
                    self.used_structs.push(structure);
                }
                name.to_string()
            }
            TypeData::Sampler => "SamplerState".to_owned(),
            TypeData::AccelStruct => "RaytracingAccelerationStructure".to_owned(),
            TypeData::RayQuery => "RayQuery<RAY_FLAG_NONE>".to_owned(),
            TypeData::Image(image) => self.hlsl_image_type(image)?,
            _ => return None,
        };
        Some((base, dims))
    }

    /// The declaration of a variable of the module.
    pub(super) fn hlsl_variable(&mut self, var: Var) -> Vec<Line> {
        let Some(data) = self.module.var(var).cloned() else { return Vec::new() };
        let anchor = Anchor::Var(var);
        let word = match data.mode {
            Mode::Uniform | Mode::Storage | Mode::Push => return self.hlsl_buffer(var),
            Mode::Shared if self.stage == Stage::Compute => "groupshared",
            Mode::Private => "static",
            Mode::In | Mode::Out => {
                self.refuse_undeclared(var);
                return Vec::new();
            }
            Mode::Handle => return self.hlsl_resource(var),
            Mode::Callable if data.attrs.get(Key::Class) == Some(class::RECORD) => {
                return self.hlsl_buffer(var);
            }
            Mode::Payload | Mode::Callable if let Some(lines) = self.hlsl_payload(var) => return lines,
            Mode::Shared | Mode::Local | Mode::Payload | Mode::Physical | Mode::Callable | Mode::Generic => {
                let mode = data.mode.name();
                let says = format!("{var} is in memory of mode `{mode}`, which this writer does not have");
                self.refuse(NO_TYPE, anchor, says, "");
                return Vec::new();
            }
        };
        let name = self.var_name(var);
        let declared = self.hlsl_declaration(&name, Link::Def(anchor), data.ty, anchor);
        let Some(declared) = declared.filter(|_| data.mode == Mode::Private || data.init.is_none()) else {
            self.refuse(
                NO_TYPE,
                anchor,
                format!("{var} has a type or value that HLSL does not have there"),
                "",
            );
            return Vec::new();
        };
        let mut tokens = vec![Token::new(Class::Keyword, word), space()];
        tokens.extend(declared);
        if let (Some(number), Some(ty)) = (self.words_of(var), tokens.get_mut(2)) {
            *ty = Token::new(Class::Type, self.number_name(number, anchor));
        }
        if let Some(init) = data.init {
            let init = self.initializer(init, data.ty);
            tokens.extend([space(), Token::new(Class::Op, "="), space()]);
            tokens.extend(init);
        }
        tokens.push(punct(";"));
        vec![Line::new(0, tokens)]
    }

    /// Functions that choose between vectors by component: `?:` is for scalars.
    pub(super) fn choice_lines(&mut self) -> Vec<Line> {
        let mut lines = Vec::new();
        for ty in self.own.hlsl.choices.clone() {
            let name = self.number_name(ty, Anchor::Module);
            let truth = NumberType::new(Kind::Bool, Width::W1, ty.components);
            let truth = self.number_name(truth, Anchor::Module);
            let of = |part: &str| format!("c.{part} ? a.{part} : b.{part}");
            let parts: Vec<String> =
                ["x", "y", "z", "w"].iter().take(usize::from(ty.components)).map(|part| of(part)).collect();
            lines.push(Line::text(format!("{name} choose({truth} c, {name} a, {name} b) {{")));
            let text = format!("return {name}({});", parts.join(", "));
            lines.push(Line::new(1, words(Class::Plain, &text)));
            lines.push(Line::text("}"));
        }
        lines
    }
}
