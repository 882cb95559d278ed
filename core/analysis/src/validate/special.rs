//! Rules that a table entry cannot express: constants, components, registers, masks, calls, reductions.

use super::diagnostics::Naming;
use super::function::Checker;
use super::*;
use vitrine_ir::ops::attr::{COMPONENT_LETTERS, unpack_component};
use vitrine_ir::ops::{BasicOp, GroupOp, How, Key, Op, Reduction, RegOp, ValueType, VectorOp, Width};
use vitrine_ir::{Const, Global, Inst, InstData, Reg};

impl Checker<'_, '_> {
    /// Checks an instruction that fits its entry and has its attributes.
    pub(super) fn special(&mut self, inst: Inst, data: &InstData) {
        match data.op {
            Op::Basic(BasicOp::Const) => self.constant(inst, data),
            Op::Basic(BasicOp::Global) => self.global(inst, data),
            Op::Basic(BasicOp::Call) => self.call(inst, data),
            Op::Vector(VectorOp::Vec) => self.component_sum(inst, data),
            Op::Vector(VectorOp::Swizzle | VectorOp::Shuffle) => self.component_range(inst, data),
            Op::Vector(VectorOp::Repack) => self.repack(inst, data),
            Op::Reg(op) => self.register(inst, data, op),
            Op::Group(GroupOp::Reduce) => self.reduction(inst, data),
            Op::Tex(op) => self.image(inst, data, op),
            _ => {}
        }
        if let Some(mask) = data.attrs.get(Key::Mask) {
            self.mask(inst, data, mask);
        }
    }

    fn constant(&mut self, inst: Inst, data: &InstData) {
        let Some(bits) = data.entity::<Const>(Key::Const) else { return };
        let ty = self.here.module.bits_of(bits).ty();
        if ty != data.ty {
            let diag = self
                .error_at(CONSTANT_TYPE, inst)
                .says(format!("the constant is {}, but", diagnostics::value(ty)));
            self.push(diag.name(self.here.inst(inst)).says(format!("is {}", diagnostics::value(data.ty))));
        }
    }

    fn global(&mut self, inst: Inst, data: &InstData) {
        let module = self.here.module;
        let Some(id) = data.entity::<Global>(Key::Global) else { return };
        let diag = self.error_at(CONSTANT_TYPE, inst).name(diagnostics::global(module, id));
        match module.global_type(id) {
            Some(ty) if ty == data.ty => {}
            Some(ty) => {
                let diag =
                    diag.says(format!("is {}, but", diagnostics::value(ty))).name(self.here.inst(inst));
                self.push(diag.says(format!("is {}", diagnostics::value(data.ty))));
            }
            None => {
                let help = "initialize a variable with it, and load parts of the variable";
                self.push(diag.says("is not a single value").help(help));
            }
        }
    }

    fn component_sum(&mut self, inst: Inst, data: &InstData) {
        let sum: usize = self.arg_types.iter().map(|ty| ty.components() as usize).sum();
        if sum != data.ty.components() as usize {
            let diag = self
                .error_at(COMPONENT_SUM, inst)
                .says(format!("the operands have {}, but", diagnostics::count(sum, "component")));
            self.push(diag.name(self.here.inst(inst)).says(format!("is {}", diagnostics::value(data.ty))));
        }
    }

    fn component_range(&mut self, inst: Inst, data: &InstData) {
        let Some(packed) = data.attrs.get(Key::Components) else { return };
        let components = data.ty.components() as usize;
        let there: usize = self.arg_types.iter().map(|ty| ty.components() as usize).sum();
        let letter = |component: u8| COMPONENT_LETTERS.chars().nth(component as usize).unwrap_or('?');
        let odd = (0..components)
            .map(|at| unpack_component(packed, at))
            .find(|&component| component as usize >= there);
        if let Some(component) = odd {
            let anchor = self.error_in(COMPONENT_RANGE, inst, 0);
            let diag = anchor.says(format!(
                "component `{}` is selected from {}",
                letter(component),
                diagnostics::count(there, "component")
            ));
            let last = letter(there.saturating_sub(1) as u8);
            self.push(diag.help(format!("the last component is `{last}`")));
        } else if components < 16 && packed >> (4 * components) != 0 {
            let diag = self.error_at(COMPONENT_RANGE, inst).says("more components are selected than");
            self.push(
                diag.name(self.here.inst(inst))
                    .says(format!("has: its type is {}", diagnostics::value(data.ty))),
            );
        }
    }

    fn repack(&mut self, inst: Inst, data: &InstData) {
        let size =
            |ty: ValueType| ty.width().map_or(0, |width| width.bits() as usize * ty.components() as usize);
        let (given, made) = (self.arg_types.first().map_or(0, |&ty| size(ty)), size(data.ty));
        if given != made {
            let diag = self.error_at(REPACK_SIZE, inst);
            let diag =
                diag.says(format!("{} cannot be reinterpreted as {made}", diagnostics::count(given, "bit")));
            self.push(diag.help("extract or combine components first"));
        }
    }

    fn register(&mut self, inst: Inst, data: &InstData, op: RegOp) {
        let Some(id) = data.entity::<Reg>(Key::Reg) else { return };
        let Some(&reg) = self.here.body.reg(id) else { return };
        let indexed = matches!(op, RegOp::LoadAt | RegOp::StoreAt);
        let ty = match op {
            RegOp::Load | RegOp::LoadAt => data.ty,
            RegOp::Store | RegOp::StoreAt => self.arg_types.last().copied().unwrap_or_default(),
        };
        let declared = ValueType::bits(reg.width, reg.components);
        let named = format!("register {id}");
        if indexed != (reg.len > 0) {
            let (what, help) = match indexed {
                true => ("is not an array", "use `reg.load` or `reg.store`"),
                false => ("is an array", "use `reg.load_at` or `reg.store_at`"),
            };
            let diag = self.error_at(REGISTER_FITS, inst).names(named, Anchor::Reg(self.here.func, id));
            self.push(diag.says(what).help(help));
        } else if ty != declared {
            let diag = self.error_at(REGISTER_FITS, inst).names(named, Anchor::Reg(self.here.func, id));
            let diag =
                diag.says(format!("holds {}, not {}", diagnostics::value(declared), diagnostics::value(ty)));
            self.push(
                diag.help("change the declaration or the value; a store with `mask` writes some components"),
            );
        }
    }

    fn mask(&mut self, inst: Inst, data: &InstData, mask: u64) {
        let operands = data.op.info().operands;
        let Some(at) = operands.iter().position(|operand| operand.name == "value") else { return };
        let components = self.arg_types.get(at).map_or(0, |ty| u32::from(ty.components()));
        if mask >> components != 0 {
            let diag = self.error_in(MASK_FITS, inst, at);
            let diag = diag.says(format!("the mask {mask:#b} selects components beyond the {components} of"));
            self.push(diag.name(self.here.inst(data.args[at])).help("bit 0 is the first component"));
        }
    }

    fn call(&mut self, inst: Inst, data: &InstData) {
        let (here, module) = (self.here, self.here.module);
        let Some(id) = data.entity::<Func>(Key::Func) else { return };
        let Some(callee) = module.func(id) else { return };
        if self.types.is_entry(id) {
            let diag =
                self.error_at(CALL_FITS, inst).name(diagnostics::func(module, id)).says("is an entry point");
            self.push(diag.help("move the shared code to a third function"));
        }
        if data.args.len() != callee.params().len() {
            let diag = self.error_at(CALL_FITS, inst).name(diagnostics::func(module, id));
            let takes = diagnostics::count_or_no(callee.params().len(), "argument");
            return self.push(diag.says(format!("takes {takes}, not {}", data.args.len())));
        }
        for (at, (&arg, &param)) in data.args.iter().zip(callee.params()).enumerate() {
            let (given, wanted) = (here.body.ty(arg), callee.ty(param));
            if given != wanted && wanted != ValueType::Void {
                let diag = self.error_in(CALL_FITS, inst, at).name(here.inst(arg));
                let diag = diag.says(format!("is {}, but argument {} of", diagnostics::value(given), at + 1));
                self.push(
                    diag.name(diagnostics::func(module, id))
                        .says(format!("is {}", diagnostics::value(wanted))),
                );
            } else {
                let wanted = callee.tables().insts.get(param).and_then(|param| reach::stated(&param.attrs));
                let anchor = Anchor::Arg(here.func, inst, at as u32);
                self.passed_on(arg, wanted, anchor, || diagnostics::func(module, id));
            }
        }
        if data.ty != callee.result() {
            let diag = self.error_at(CALL_FITS, inst).name(diagnostics::func(module, id));
            let returns = diagnostics::value(callee.result());
            self.push(diag.says(format!("returns {returns}, not {}", diagnostics::value(data.ty))));
        }
    }

    fn reduction(&mut self, inst: Inst, data: &InstData) {
        let (Some(reduce), Some(how)) = (data.attrs.word::<Reduction>(), data.attrs.word::<How>()) else {
            return;
        };
        let width = data.ty.width().unwrap_or_default();
        let fits = match (reduce.is_bitwise(), reduce.is_float()) {
            (true, _) => true,
            (false, true) => !matches!(width, Width::W1 | Width::W8),
            (false, false) => width != Width::W1,
        };
        if !fits {
            let says = format!("`{}` cannot operate on", reduce.name());
            let diag = self.error_in(REDUCTION_FITS, inst, 0).says(says);
            let diag = diag
                .name(self.here.inst(data.args[0]))
                .says(format!(", which is {}", diagnostics::value(data.ty)));
            self.push(
                diag.help("booleans can be reduced by `iand`, `ior`, `ixor`; floats need 16 bits or more"),
            );
        }
        if (how == How::Clustered) != data.attrs.has(Key::Cluster) {
            let says = format!("`how {}` and `cluster` do not agree", how.name());
            let diag = self.error_at(REDUCTION_FITS, inst).says(says);
            self.push(
                diag.help("give `cluster`, the invocations per cluster, for clustered reductions only"),
            );
        }
    }
}
