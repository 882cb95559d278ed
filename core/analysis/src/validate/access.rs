//! Loads, stores, copies and atomics: the type in memory, and whether the access is allowed.

use super::diagnostics::Naming;
use super::function::Checker;
use super::reach::Reach;
use super::*;
use vitrine_ir::ops::{AtomicOp, IoOp, Key, MemoryOp, ValueType, Width};
use vitrine_ir::{Inst, InstData, Mode, TypeData};

impl Checker<'_, '_> {
    /// Checks a memory operation.
    pub(super) fn access(&mut self, inst: Inst, data: &InstData, op: MemoryOp) {
        let reach = |at: usize| data.args.get(at).and_then(|&path| self.reach.get(path));
        let first = reach(0);
        match op {
            MemoryOp::Load => self.load(inst, data, first),
            MemoryOp::Store => {
                self.writable(inst, data, first);
                self.store(inst, data, first);
            }
            MemoryOp::CopyVar => {
                let second = reach(1);
                self.writable(inst, data, first);
                self.copy(inst, data, first, second);
            }
            MemoryOp::CopyBytes => self.writable(inst, data, first),
            MemoryOp::ArrayLen => self.array_len(inst, data, first),
            MemoryOp::AtomicLoad | MemoryOp::AtomicStore | MemoryOp::Atomic | MemoryOp::AtomicCas => {
                self.atomic(inst, data, first, op);
            }
        }
        let by_path = self.arg_types.first() == Some(&ValueType::Path);
        if by_path && data.attrs.has(Key::Offset) {
            let diag = self.error_at(PATH_OFFSET, inst).says("a byte offset cannot be used with a path");
            self.push(diag.help("use `deref.field` and `deref.elem`, or an untyped pointer"));
        }
    }

    fn load(&mut self, inst: Inst, data: &InstData, from: Option<Reach>) {
        let Some(from) = from.filter(|from| from.all == 0) else {
            let says = reach::stated(&data.attrs).is_some();
            if data.ty == ValueType::Path && !says && self.arg_types.first() == Some(&ValueType::Ptr) {
                let diag = self.error_at(PATH_TYPE_STATED, inst).name(self.here.inst(inst));
                let diag =
                    diag.says("is a path loaded through an untyped pointer, without the type it points at");
                self.push(diag.help("load a `ptr`, or access memory through a path"));
            }
            return;
        };
        let module = self.here.module;
        let of = || diagnostics::full_type(module, from.at.ty);
        match module.value_type(from.at.ty) {
            Some(ty) if ty == data.ty => {}
            Some(ty) => {
                let diag = self.error_at(LOAD_FITS, inst).name(self.here.inst(data.args[0]));
                let diag =
                    diag.says(format!("points at {}, which loads as {}, not", of(), diagnostics::value(ty)));
                self.push(diag.says(diagnostics::value(data.ty)));
            }
            None => {
                let diag = self.error_in(LOAD_FITS, inst, 0).name(self.here.inst(data.args[0]));
                let diag = diag.says(format!("points at {}, which is not a single value", of()));
                self.push(diag.help("load its parts one at a time, or `copy` the whole"));
            }
        }
    }

    fn store(&mut self, inst: Inst, data: &InstData, to: Option<Reach>) {
        let Some(to) = to.filter(|to| to.all == 0) else { return };
        let (here, module) = (self.here, self.here.module);
        let of = || diagnostics::full_type(module, to.at.ty);
        let (value, given) = (data.args[1], self.arg_types[1]);
        match module.value_type(to.at.ty) {
            Some(ty) if ty == given => {
                if let TypeData::Pointer { mode, to } = *module.type_of(to.at.ty) {
                    let anchor = Anchor::Arg(here.func, inst, 1);
                    let wanted = vitrine_ir::PathType { ty: to, mode };
                    self.forwarded(value, Some(wanted), anchor, || here.inst(data.args[0]));
                }
            }
            Some(ty) => {
                let diag = self
                    .error_in(STORE_FITS, inst, 1)
                    .name(here.inst(value))
                    .says(format!("is {}, but", diagnostics::value(given)));
                let diag = diag.name(here.inst(data.args[0])).says(format!(
                    "points at {}, which takes {}",
                    of(),
                    diagnostics::value(ty)
                ));
                self.push(diag.help("a store of all components with `mask` writes some of them"));
            }
            None => {
                let diag = self.error_in(STORE_FITS, inst, 0).name(here.inst(data.args[0]));
                let diag = diag.says(format!("points at {}, which is not a single value", of()));
                self.push(diag.help("store its parts one at a time, or `copy` the whole"));
            }
        }
    }

    /// Reports a write to read-only memory. A uniform buffer may be written if it is, or may be, a storage
    /// buffer in the encoding used before SPIR-V 1.3.
    fn writable(&mut self, inst: Inst, data: &InstData, to: Option<Reach>) {
        let Some(to) = to.filter(|to| !to.at.mode.is_writable()) else { return };
        if to.at.mode == Mode::Uniform && self.may_be_storage(to) {
            return;
        }
        let diag = self.error_in(WRITABLE, inst, 0).name(self.here.inst(data.args[0]));
        let diag =
            diag.says(format!("points into `{}` memory, which is read-only for shaders", to.at.mode.name()));
        self.push(diag.help("write to a variable of another mode"));
    }

    fn may_be_storage(&self, to: Reach) -> bool {
        let module = self.here.module;
        let Some(root) = to.root.and_then(|root| module.var(root)) else { return true };
        match module.type_of(self.types.element(root.ty)) {
            TypeData::Struct(id) => {
                module.structure(*id).is_some_and(|data| data.attrs.has(Key::BufferBlock))
            }
            _ => false,
        }
    }

    fn copy(&mut self, inst: Inst, data: &InstData, to: Option<Reach>, from: Option<Reach>) {
        let here = self.here;
        if self.arg_types.iter().all(|&ty| ty == ValueType::Ptr) {
            let diag = self.error_at(COPY_FITS, inst).says("a copy between two untyped pointers has no size");
            return self.push(diag.help("use `copy_bytes`"));
        }
        let (Some(to), Some(from)) = (to, from) else { return };
        if (to.all, to.spans) != (from.all, from.spans) {
            let diag = self.error_at(COPY_FITS, inst).name(here.inst(data.args[0]));
            let diag = match to.all == from.all {
                true => diag.says("has `deref.all` over arrays of different lengths than"),
                false => diag.says(format!("contains {} `deref.all`, instead of {} as in", to.all, from.all)),
            };
            let diag = diag.name(here.inst(data.args[1]));
            self.push(
                diag.help(
                    "use the same number of `deref.all` on both sides, over arrays of the same lengths",
                ),
            );
        } else if !self.types.alike(to.at.ty, from.at.ty) {
            let words = |reach: Reach| diagnostics::full_type(here.module, reach.at.ty);
            let same = if words(to) == words(from) { ", which differs in its parts" } else { "" };
            let diag = self
                .error_at(COPY_FITS, inst)
                .name(here.inst(data.args[0]))
                .says(format!("points at {}, but", words(to)));
            let diag = diag.name(here.inst(data.args[1])).says(format!("at {}{same}", words(from)));
            self.push(diag.help("copy between equal types; strides, offsets and signs may differ"));
        }
    }

    fn array_len(&mut self, inst: Inst, data: &InstData, array: Option<Reach>) {
        let Some(array) = array else { return };
        if !matches!(self.here.module.type_of(array.at.ty), TypeData::RuntimeArray { .. }) {
            let of = diagnostics::full_type(self.here.module, array.at.ty);
            let diag = self.error_in(ARRAY_LEN, inst, 0).name(self.here.inst(data.args[0]));
            self.push(
                diag.says(format!("points at {of}, not a run-time array"))
                    .help("select the array with `deref.field` first"),
            );
        }
    }

    fn atomic(&mut self, inst: Inst, data: &InstData, at: Option<Reach>, op: MemoryOp) {
        let kind = data.attrs.word::<AtomicOp>();
        let value = match op {
            MemoryOp::AtomicLoad => data.ty,
            _ => self.arg_types.get(1).copied().unwrap_or_default(),
        };
        let floats = kind.is_some_and(AtomicOp::is_float);
        let exchanges = kind == Some(AtomicOp::Exchange);
        let fits = match value {
            ValueType::Bits { width: Width::W32 | Width::W64, components: 1 } => true,
            ValueType::Bits { width: Width::W16, .. } => floats || exchanges || op == MemoryOp::AtomicLoad,
            _ => false,
        };
        if !fits {
            let diag = self.error_at(ATOMIC_FITS, inst);
            let diag = diag.says(format!("an atomic cannot operate on {}", diagnostics::value(value)));
            return self.push(diag.help("use an integer of 32 or 64 bits or a float of 16, 32 or 64 bits"));
        }
        let Some(at) = at else { return };
        let shared = match at.at.mode {
            Mode::Storage | Mode::Shared | Mode::Physical | Mode::Generic | Mode::Payload => true,
            Mode::Private | Mode::Local => true,
            Mode::Uniform => self.may_be_storage(at),
            Mode::In | Mode::Out | Mode::Handle | Mode::Push | Mode::Callable => false,
        };
        let path = data.args[0];
        if !shared {
            let diag = self.error_in(ATOMIC_FITS, inst, 0).name(self.here.inst(path));
            let diag = diag
                .says(format!("points into `{}` memory, which does not support atomics", at.at.mode.name()));
            return self.push(diag.help("use `storage` or `shared` memory, or `ptr.texel` for an image"));
        }
        let module = self.here.module;
        if module.value_type(at.at.ty) != Some(value) {
            let diag = self.error_in(ATOMIC_FITS, inst, 0).name(self.here.inst(path));
            let of = diagnostics::full_type(module, at.at.ty);
            return self.push(
                diag.says(format!("points at {of}, but this operates on {}", diagnostics::value(value))),
            );
        }
        let float_there = matches!(module.type_of(at.at.ty), TypeData::Float { .. });
        let either = matches!(op, MemoryOp::AtomicLoad | MemoryOp::AtomicStore) || exchanges;
        if !either && floats != float_there {
            let diag = self.error_in(ATOMIC_FITS, inst, 0).name(self.here.inst(path));
            let (there, what) = match float_there {
                true => ("a float", "integers"),
                false => ("an integer", "floats"),
            };
            let name = kind.map_or(data.op.name(), AtomicOp::name);
            self.push(diag.says(format!("points at {there}, but `{name}` operates on {what}")));
        }
    }

    /// Checks that only inputs are interpolated.
    pub(super) fn interpolated(&mut self, inst: Inst, data: &InstData, op: IoOp) {
        if !matches!(op, IoOp::InterpCentroid | IoOp::InterpSample | IoOp::InterpOffset) {
            return;
        }
        let Some(reach) = data.args.first().and_then(|&path| self.reach.get(path)) else { return };
        let diag = self.error_in(INTERPOLATED_INPUT, inst, 0).name(self.here.inst(data.args[0]));
        if reach.at.mode != Mode::In {
            let diag = diag.says(format!("points into `{}` memory", reach.at.mode.name()));
            self.push(diag.help("only inputs of a fragment shader can be interpolated"));
        } else if self.here.module.value_type(reach.at.ty) != Some(data.ty) {
            let of = diagnostics::full_type(self.here.module, reach.at.ty);
            self.push(
                diag.says(format!("points at {of}, which cannot yield {}", diagnostics::value(data.ty))),
            );
        }
    }
}
