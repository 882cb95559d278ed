//! Variables of the module, entry points, execution modes.

use super::diagnostics::{DECLARATION, refuse};
use super::module::Writer;
use super::shared::{EntryPoint, Scalar};
use super::words::string_words;
use crate::spec::{Decoration as D, ExecutionModel as M, Op as S, StorageClass as C};
use rustc_hash::FxHashSet;
use vitrine_ir::ops::Key;
use vitrine_ir::{
    Anchor, Decor, DecorTarget, Diag, ExecutionMode, Help, Mode, Operand, Stage, Type, TypeData, Var, VarData,
};

/// Modes whose operands are ids.
const BY_ID: [ExecutionMode; 4] = [
    ExecutionMode::SubgroupsPerWorkgroupId,
    ExecutionMode::LocalSizeId,
    ExecutionMode::LocalSizeHintId,
    ExecutionMode::FpFastMathDefault,
];

impl Writer<'_> {
    /// Writes every variable of the module.
    pub(super) fn declare_vars(&mut self) -> Result<(), Diag> {
        let module = self.module;
        for (var, data) in module.vars() {
            if data.mode != Mode::Local {
                self.var(var)?;
            }
        }
        Ok(())
    }

    /// The storage class of a variable.
    pub(super) fn class_of_var(&self, var: Var) -> u32 {
        let Some(data) = self.module.var(var) else { return 0 };
        match data.attrs.get(Key::Class) {
            Some(class) => class as u32,
            None => self.class(data.mode, data.ty),
        }
    }

    /// The type of pointers to a variable.
    pub(super) fn var_pointer(&mut self, var: Var) -> Result<u32, Diag> {
        let Some(data) = self.module.var(var) else {
            return Err(refuse(DECLARATION, format!("{var} is not declared"), "declare it"));
        };
        let class = self.class_of_var(var);
        if self.is_untyped(class) {
            return self.pointer_to(class, data.ty);
        }
        let to = self.place_type(data.ty)?;
        Ok(self.pointer(class, to))
    }

    /// The type of a memory place. Tools also declare variables of type void.
    fn place_type(&mut self, ty: Type) -> Result<u32, Diag> {
        match self.module.type_of(ty) {
            TypeData::Opaque(name) if self.module.text_of(*name) == "OpTypeVoid" => {
                Ok(self.intern(S::TypeVoid, &[]))
            }
            _ => self.ty(ty),
        }
    }

    /// The id of a variable of the module. Writes it on first use.
    pub(super) fn var(&mut self, var: Var) -> Result<u32, Diag> {
        if let Some(&id) = self.vars.get(&var) {
            return Ok(id);
        }
        let (op, words) = self.var_inst(var)?;
        self.globals.inst(op, &words);
        Ok(words[1])
    }

    /// The instruction of a variable: opcode and operands. Assigns its id, name and decorations.
    pub(super) fn var_inst(&mut self, var: Var) -> Result<(S, Vec<u32>), Diag> {
        let Some(data) = self.module.var(var) else {
            return Err(refuse(DECLARATION, format!("{var} is not declared"), "declare it"));
        };
        self.holds_no_logical_pointer(var, data)?;
        if data.attrs.has(Key::Element) {
            let says =
                format!("{var} is an element of an array of resources, which has no binding of its own");
            return Err(refuse(
                DECLARATION,
                says,
                Help::text("leave out pass").pass("resource-arrays-to-elements"),
            ));
        }
        let pointer = self.var_pointer(var)?;
        let init = match data.init {
            // The only initial value that there is (VUID-StandaloneSpirv-OpVariable-04734).
            Some(init) if data.mode == Mode::Shared && self.module.is_zero(init) => {
                let ty = self.ty(data.ty)?;
                Some(self.typed(S::ConstantNull, ty, &[]))
            }
            Some(init) => {
                let scalar = self.scalar_of(data.ty).unwrap_or(Scalar::Uint);
                self.depth += 1;
                if self.depth > 200 {
                    return Err(refuse(
                        DECLARATION,
                        "variables are initialized with each other's addresses",
                        "remove the cycle",
                    ));
                }
                let init = self.operand(init, scalar)?;
                self.depth -= 1;
                Some(init)
            }
            None => None,
        };
        let id = self.fresh();
        self.vars.insert(var, id);
        self.name(id, data.name);
        self.write_attrs(id, None, &data.attrs);
        let says_alias = |decor: &&Decor| {
            decor.on == DecorTarget::Var(var)
                && [D::AliasedPointer as u32, D::RestrictPointer as u32].contains(&decor.number)
        };
        if self.is_address(data.ty) && self.module.decors.iter().find(says_alias).is_none() {
            self.decorate(id, D::AliasedPointer as u32, &[]);
        }
        let class = self.class_of_var(var);
        let mut words = vec![pointer, id, class];
        let op = if self.is_untyped(class) {
            words.push(self.place_type(data.ty)?);
            S::UntypedVariableKHR
        } else {
            S::Variable
        };
        words.extend(init);
        Ok((op, words))
    }

    /// Returns true for the type of an address of memory outside of the program. What holds one has to say whether it may be
    /// the address of anything (SPIR-V, 2.18.2).
    pub(super) fn is_address(&self, ty: Type) -> bool {
        match *self.module.type_of(ty) {
            TypeData::Pointer { mode, to } => self.class(mode, to) == C::PhysicalStorageBuffer as u32,
            _ => false,
        }
    }

    /// Refuses pointers in memory that has no bytes for them: with logical addressing, only variable pointers may be
    /// stored, and only in private and local variables.
    ///
    /// Error: `W104`, with the variable.
    fn holds_no_logical_pointer(&self, var: Var, data: &VarData) -> Result<(), Diag> {
        let is_physical = self.kernel || self.declares("Addresses");
        let is_variable = self.declares("VariablePointers") || self.declares("VariablePointersStorageBuffer");
        if is_physical || is_variable && matches!(data.mode, Mode::Private | Mode::Local) {
            return Ok(());
        }
        let (mut work, mut seen) = (vec![data.ty], FxHashSet::default());
        while let Some(ty) = work.pop() {
            if !seen.insert(ty) {
                continue;
            }
            match self.module.type_of(ty) {
                TypeData::Pointer { mode: Mode::Physical, .. } => {}
                TypeData::Pointer { mode, .. } => {
                    let name = data
                        .name
                        .map_or_else(|| var.to_string(), |name| self.module.text_of(name).to_owned());
                    let message = format!(
                        "{name} holds a pointer to {} memory, which logical addressing cannot store",
                        mode.name()
                    );
                    let help =
                        "run `inline-functions, vars-to-values`, which turn local variables into values";
                    return Err(Diag::error(DECLARATION, Anchor::Var(var)).says(message).help(help));
                }
                TypeData::Struct(structure) => {
                    let members = self.module.structure(*structure).map(|data| &data.members);
                    work.extend(
                        members.into_iter().flat_map(|members| members.iter().map(|member| member.ty)),
                    );
                }
                _ => work.extend(self.module.element_type(ty)),
            }
        }
        Ok(())
    }

    /// Writes entry points and their modes.
    pub(super) fn declare_entries(&mut self) -> Result<(), Diag> {
        let module = self.module;
        let mut seen = FxHashSet::default();
        for entry in module.entries.iter() {
            let func = self.funcs.get(&entry.func).copied().unwrap_or(0);
            let mut interface = Vec::new();
            for &var in &entry.interface {
                interface.push((self.var(var)?, self.class_of_var(var)));
            }
            let mut head = vec![model(entry.stage) as u32, func];
            head.extend(string_words(module.text_of(entry.name)));
            self.entries.push(EntryPoint { head, interface, func: entry.func });
            for mode in &entry.modes {
                if !seen.insert((func, mode.mode, mode.args.clone())) {
                    continue;
                }
                let by_id = BY_ID.contains(&mode.mode);
                let mut words = vec![func, mode.mode.number()];
                for &arg in &mode.args {
                    words.push(self.mode_operand(arg, by_id, mode.mode)?);
                }
                let op = if by_id { S::ExecutionModeId } else { S::ExecutionMode };
                self.modes.inst(op, &words);
            }
        }
        Ok(())
    }

    fn mode_operand(&mut self, arg: Operand, by_id: bool, mode: ExecutionMode) -> Result<u32, Diag> {
        match arg {
            _ if by_id => self.operand(arg, Scalar::Uint),
            Operand::Bits(bits) => {
                Ok(self.module.bits_of(bits).components().first().copied().unwrap_or(0) as u32)
            }
            Operand::Global(_) => {
                let message = format!("the mode `{}` has an operand that can be specialized", mode.name());
                Err(refuse(DECLARATION, message, "use `local_size_id`"))
            }
        }
    }
}

fn model(stage: Stage) -> M {
    match stage {
        Stage::Vertex => M::Vertex,
        Stage::TessControl => M::TessellationControl,
        Stage::TessEval => M::TessellationEvaluation,
        Stage::Geometry => M::Geometry,
        Stage::Fragment => M::Fragment,
        Stage::Compute => M::GLCompute,
        Stage::Kernel => M::Kernel,
        Stage::Task => M::TaskEXT,
        Stage::Mesh => M::MeshEXT,
        Stage::TaskNv => M::TaskNV,
        Stage::MeshNv => M::MeshNV,
        Stage::RayGen => M::RayGenerationKHR,
        Stage::Intersection => M::IntersectionKHR,
        Stage::AnyHit => M::AnyHitKHR,
        Stage::ClosestHit => M::ClosestHitKHR,
        Stage::Miss => M::MissKHR,
        Stage::Callable => M::CallableKHR,
    }
}
