//! GLSL: names, constants and declarations, as the engine asks about them.

use super::{Glsl, types};
use crate::dialect::{Composite, ConstantPart, Declarations, attributed, constant_choice, constant_operator};
use crate::expr::{Token, punct, space};
use crate::layout::is_empty_type;
use crate::module::{ModuleWriter, NO_TYPE};
use crate::number::{Kind, NumberType};
use crate::print::Line;
use std::rc::Rc;
use vitrine_ir::base::EntitySet;
use vitrine_ir::ops::{Bits, DerefOp, IntOp, Key, Op};
use vitrine_ir::{Anchor, Global, Help, Mode, Operand, Struct, Type, TypeData, Var, VarData};
use vitrine_text::Class;

impl Declarations for Glsl {
    fn reserve_fixed_names(&self, w: &mut ModuleWriter<'_>) {
        // Another stage has these names, too: nothing else may have them.
        let vars = w.module.vars().map(|(var, _)| var);
        let meeting: Vec<Var> = vars.filter(|&var| self.meeting_name(w, var).is_some()).collect();
        for var in meeting {
            w.reserved_name(var);
        }
        for (var, structure) in w.open_interface() {
            let names = w.interface_names(var, structure);
            w.open_blocks.insert(var, names);
        }
    }

    fn reserve_derived_names(&self, w: &mut ModuleWriter<'_>) {
        let vars = w.module.vars().map(|(var, _)| var);
        let mixed: Vec<Var> = vars.filter(|&var| w.own.glsl.uses.of_var(var).are_mixed()).collect();
        for var in mixed {
            w.glsl_shadow_name(var);
        }
        for (var, structure) in w.buffers_without_names() {
            let members = w.module.structure(structure).map(|data| data.members.clone());
            let members = members.iter().flat_map(|members| members.iter());
            let names = members.map(|member| w.names.fresh(w.text(member.name), "member")).collect();
            w.open_blocks.insert(var, names);
        }
    }

    fn meeting_name(&self, w: &ModuleWriter<'_>, var: Var) -> Option<String> {
        w.es_meeting_name(var)
    }

    fn workgroup_size_name(&self) -> Option<&'static str> {
        Some("gl_WorkGroupSize")
    }

    fn type_parts(&self, w: &mut ModuleWriter<'_>, ty: Type, at: Anchor) -> Option<(String, Vec<Token>)> {
        Some(w.spelled_type(ty, at)?.parts())
    }

    fn ends_at_discard(&self) -> bool {
        true
    }

    /// GLSL ES has no specialization constants.
    fn constant_remark(&self, _w: &ModuleWriter<'_>, _global: Global, id: u64) -> Option<Line> {
        let text = || format!("// specialization constant {id}");
        self.0.is_es().then(|| Line::new(0, vec![Token::new(Class::Plain, text())]))
    }

    fn constant_words(
        &self,
        _w: &mut ModuleWriter<'_>,
        _global: Global,
        id: Option<u64>,
    ) -> Option<Vec<Token>> {
        let id = id.filter(|_| !self.0.is_es());
        Some(attributed(id.map(|id| format!("layout(constant_id = {id})")), "const"))
    }

    fn composite(
        &self,
        w: &mut ModuleWriter<'_>,
        ty: Type,
        _is_inside: bool,
        _is_zero: bool,
    ) -> Option<Composite> {
        let (name, dims) = self.type_parts(w, ty, Anchor::Module)?;
        // The member that stands for none.
        let is_empty = is_empty_type(w.module, ty) && dims.is_empty();
        let around = w.es_has_rows(ty).then(|| Rc::from(name.as_str()));
        let whole = Composite::constructor(w.module, ty, name, dims);
        Some(match is_empty {
            true => Composite { parts: vec![ConstantPart::Filler("0")], ..whole },
            false => Composite { around, ..whole },
        })
    }

    fn open_zeros(&self, w: &mut ModuleWriter<'_>, is_whole: bool) -> Option<Vec<Token>> {
        // A constructor would need a value for each element.
        if self.0.is_es() || !is_whole {
            let says = "an array whose length is a specialization constant begins with zeros";
            let help = Help::by_pass("lower-variable-initializers", "may help");
            w.refuse(NO_TYPE, Anchor::Module, says, help);
            return Some(Vec::new());
        }
        Some(w.null_initializer())
    }

    fn admit_components(&self, w: &mut ModuleWriter<'_>, bits: &Bits, scalar: NumberType) {
        let by_bits = |&it: &u64| types::is_written_by_bits(scalar.kind, bits.width(), it);
        if bits.components().iter().any(by_bits) {
            w.extensions.extend(w.dialect.extension(scalar.with_kind(Kind::Uint)));
        }
    }

    fn computes_constant_vectors(&self) -> bool {
        true
    }

    fn constant_expression(&self, op: Op, _ty: NumberType, operands: &[Vec<Token>]) -> Option<Vec<Token>> {
        match (op, operands) {
            (Op::Int(IntOp::Select | IntOp::Select1), [cond, a, b]) => Some(constant_choice(cond, a, b)),
            // A remainder of a negative number is undefined, a quotient is not.
            (Op::Int(IntOp::IRem), [a, b]) => {
                let mut out = a.clone();
                out.extend(constant_operator("-"));
                out.extend_from_slice(a);
                out.extend(constant_operator("/"));
                out.extend_from_slice(b);
                out.extend(constant_operator("*"));
                out.extend_from_slice(b);
                Some(out)
            }
            _ => None,
        }
    }
}

impl ModuleWriter<'_> {
    /// The initializer of memory that a workgroup shares, which can only be zero.
    pub(super) fn shared_zero(&mut self, var: Var, init: Operand) -> Vec<Token> {
        if !self.module.is_zero(init) || self.es().is_some() {
            let says = format!("{var} is shared by a workgroup and has an initial value");
            let help =
                Help::text("run").pass("lower-variable-initializers{shared}").then("first if it is zero");
            self.refuse(NO_TYPE, Anchor::Var(var), says, help);
            return Vec::new();
        }
        let mut tokens = vec![space(), Token::new(Class::Op, "="), space()];
        tokens.extend(self.null_initializer());
        tokens
    }

    /// The zero of any type, of which an extension has the initializer.
    fn null_initializer(&mut self) -> Vec<Token> {
        self.extensions.insert("GL_EXT_null_initializer");
        vec![punct("{"), punct("}")]
    }

    /// The buffers that have no name of their own, but members with names: functions name these alone.
    fn buffers_without_names(&self) -> Vec<(Var, Struct)> {
        let module = self.module;
        let is_nameless = |data: &VarData| {
            matches!(data.mode, Mode::Uniform | Mode::Storage | Mode::Push) && self.text(data.name).is_empty()
        };
        if !module.vars().any(|(_, data)| is_nameless(data)) {
            return Vec::new();
        }
        // Variables that something else than a member is taken of.
        let mut whole: EntitySet<Var> = EntitySet::new();
        for (_, body) in module.funcs() {
            body.for_each_inst(|_, inst| {
                let data = body.inst(inst);
                if data.op == Op::Deref(DerefOp::Field) {
                    return;
                }
                for &arg in data.args.iter() {
                    let root = body.inst(arg);
                    if root.op == Op::Deref(DerefOp::Var)
                        && let Some(var) = root.entity::<Var>(Key::Var)
                    {
                        whole.insert(var);
                    }
                }
            });
        }
        let buffers = module.vars().filter(|(var, data)| is_nameless(data) && !whole.contains(*var));
        let open = buffers.filter_map(|(var, data)| match *module.type_of(data.ty) {
            TypeData::Struct(structure) => {
                let members = &module.structure(structure)?.members;
                members.iter().all(|member| member.name.is_some()).then_some((var, structure))
            }
            _ => None,
        });
        open.collect()
    }
}
