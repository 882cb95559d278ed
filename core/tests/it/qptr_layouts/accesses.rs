//! Memory accesses of random shaders: paths, loads and stores of scalars and vectors, atomics, copies, selects.

use super::shaders::{KEPT, MemoryPlace, NUMBERS, Shader, bits};
use super::types::{Ty, spell};

impl Shader<'_> {
    /// An index below a limit: constant, loaded from a buffer, or a sum.
    pub(crate) fn index(&mut self, limit: u32) -> usize {
        let constant = |shader: &mut Self, most: u32| {
            let at = shader.below(most);
            shader.add("b32", &format!("const {at}"))
        };
        if self.one_in(2) {
            return constant(self, limit);
        }
        let plus = if limit > 1 && self.one_in(4) { 1 + self.below(limit - 1) } else { 0 };
        let number = constant(self, NUMBERS);
        let from = self.numbers;
        let number = self.add("path", &format!("deref.elem %{from}, %{number}"));
        let number = self.add("b32", &format!("load %{number}"));
        let most = self.add("b32", &format!("const {}", limit - plus));
        let mut index = self.add("b32", &format!("umod %{number}, %{most}"));
        if plus > 0 {
            let plus = self.add("b32", &format!("const {plus}"));
            index = self.add("b32", &format!("iadd %{index}, %{plus}"));
        }
        match self.below(12) {
            0 => self.add("b64", &format!("u2u %{index}")),
            1 => self.add("b16", &format!("u2u %{index}")),
            _ => index,
        }
    }

    /// A path one step deeper, if the type has parts.
    pub(crate) fn step(&mut self, place: &MemoryPlace) -> Option<MemoryPlace> {
        if let Ty::Struct(def) = place.ty {
            let member = self.below(self.types.defs[def].members.len() as u32);
            return Some(self.member(place, def, member as usize));
        }
        let (of, len, stride) = place.ty.element()?;
        let least = len.least();
        let moved = least > 2 && matches!(place.ty, Ty::Array { .. }) && stride > 0 && self.one_in(12);
        let index = self.index(if moved { least - 2 } else { least });
        let mut path = self.add("path", &format!("deref.elem %{}, %{index}", place.path));
        if moved {
            let by = self.index(3);
            path = self.add("path", &format!("deref.step %{path}, %{by} {{stride {stride}}}"));
        }
        let apart = place.apart || matches!(place.ty, Ty::Matrix { row_major: true, .. });
        Some(MemoryPlace { path, ty: of, apart, ..place.clone() })
    }

    pub(crate) fn member(&mut self, place: &MemoryPlace, def: usize, member: usize) -> MemoryPlace {
        let path = self.add("path", &format!("deref.field %{}.{member}", place.path));
        MemoryPlace { path, ty: self.types.defs[def].members[member].0.clone(), ..place.clone() }
    }

    /// A random path from any available place. Stops with probability one third at places that satisfy `stop`.
    pub(crate) fn walk(&mut self, stop: impl Fn(&MemoryPlace) -> bool) -> Option<MemoryPlace> {
        let mut place = self.pick(&self.places.clone())?;
        loop {
            if stop(&place) && self.one_in(3) {
                return Some(place);
            }
            let known = self.places.len();
            let Some(next) = self.step(&place) else { return stop(&place).then_some(place) };
            if known < 24 && self.one_in(4) {
                self.places.push(next.clone());
            }
            place = next;
        }
    }

    pub(crate) fn constant(&mut self, width: u32, components: u32) -> usize {
        let mut one = || match width {
            1 => (if self.random.below(2) == 0 { "true" } else { "false" }).to_owned(),
            _ => self.random.below(200).to_string(),
        };
        let list: Vec<String> = (0..components).map(|_| one()).collect();
        let list = if components == 1 { list.concat() } else { format!("({})", list.join(", ")) };
        self.add(&bits(width, components), &format!("const {list}"))
    }

    /// A random value of this type.
    pub(crate) fn value(&mut self, width: u32, components: u32) -> usize {
        let fit: Vec<usize> =
            self.values.iter().filter(|at| (at.0, at.1) == (width, components)).map(|at| at.2).collect();
        match self.pick(&fit) {
            Some(known) if !self.one_in(4) => known,
            _ => self.constant(width, components),
        }
    }

    /// Stores a loaded value to the result buffer, each component in one or two words.
    pub(crate) fn keep(&mut self, width: u32, components: u32, value: usize) {
        self.values.push((width, components, value));
        for component in 0..components {
            let mut scalar = value;
            if components > 1 {
                let letter = ["x", "y", "z", "w"][component as usize];
                scalar = self.add(&bits(width, 1), &format!("swizzle %{value}.{letter}"));
            }
            let mut words = match width {
                1 => vec![self.add("b32", &format!("b2i %{scalar}"))],
                32 => vec![scalar],
                _ => vec![self.add("b32", &format!("u2u %{scalar}"))],
            };
            if width == 64 {
                let half = self.add("b32", "const 32");
                let high = self.add("b64", &format!("ushr %{scalar}, %{half}"));
                words.push(self.add("b32", &format!("u2u %{high}")));
            }
            for word in words {
                let at = self.add("b32", &format!("const {}", self.kept % KEPT));
                self.kept += 1;
                let to = self.add("path", &format!("deref.elem %{}, %{at}", self.words));
                self.line(&format!("store %{to}, %{word}"));
            }
        }
    }

    /// Loads or stores a value.
    pub(crate) fn access(&mut self, reads: bool) {
        let Some(place) = self.walk(|place| matches!(place.ty, Ty::Value(..))) else { return };
        self.access_at(&place, reads);
    }

    pub(crate) fn access_at(&mut self, place: &MemoryPlace, reads: bool) {
        let Ty::Value(kind, width, components) = place.ty else { return };
        let ty = bits(width, components);
        let is_integer = matches!(kind, 'u' | 'i') && width == 32 && components == 1;
        if place.open && is_integer && matches!(place.mode, "storage" | "shared") && self.one_in(3) {
            return self.atomic(place);
        }
        if reads || !place.open {
            let value = self.add(&ty, &format!("load %{}", place.path));
            return self.keep(width, components, value);
        }
        let value = self.value(width, components);
        let masked = components > 1 && self.one_in(2);
        let mask = if masked {
            format!(" {{mask {}}}", 1 + self.below((1 << components) - 1))
        } else {
            String::new()
        };
        self.line(&format!("store %{}, %{value}{mask}", place.path));
    }

    pub(crate) fn atomic(&mut self, place: &MemoryPlace) {
        let (at, value) = (place.path, self.value(32, 1));
        let old = match self.below(6) {
            0 => self.add("b32", &format!("atomic_load %{at} {{scope device}}")),
            1 => return self.line(&format!("atomic_store %{at}, %{value} {{scope device}}")),
            2 => {
                let other = self.value(32, 1);
                self.add("b32", &format!("atomic_cas %{at}, %{other}, %{value} {{scope device}}"))
            }
            _ => {
                let op = self.pick(&["iadd", "umax", "ixor", "exchange"]).unwrap_or("iadd");
                self.add("b32", &format!("atomic %{at}, %{value} {{scope device, atomic {op}}}"))
            }
        };
        self.keep(32, 1, old);
    }

    /// The length of a run-time array.
    pub(crate) fn length(&mut self) {
        let arrays = |place: &MemoryPlace| place.ty.is_runtime();
        let Some(place) = self.walk(arrays) else { return self.access(true) };
        let length = self.add("b32", &format!("array_len %{}", place.path));
        self.keep(32, 1, length);
    }

    /// `true` if an aggregate of this type can be copied and passed.
    pub(crate) fn is_whole(&self, place: &MemoryPlace) -> bool {
        let is_sized = |ty: &Ty| match ty {
            Ty::Struct(def) => !self.types.defs[*def].members.iter().any(|(ty, _)| ty.is_runtime()),
            other => !other.is_runtime(),
        };
        let is_resource = match &place.ty {
            Ty::Array { of, .. } => self.is_block(of),
            other => self.is_block(other),
        };
        !place.apart && is_sized(&place.ty) && !is_resource
    }

    pub(crate) fn is_block(&self, mut ty: &Ty) -> bool {
        while let Ty::Array { of, .. } = ty {
            ty = of;
        }
        matches!(ty, Ty::Struct(def) if self.types.defs[*def].mark.is_some())
    }

    /// Two places of one type.
    pub(crate) fn two(
        &mut self,
        fits: impl Fn(&Self, &MemoryPlace, &MemoryPlace) -> bool,
    ) -> Option<(MemoryPlace, MemoryPlace)> {
        let mut seen: Vec<MemoryPlace> = Vec::new();
        for _ in 0..6 {
            let mut place = self.pick(&self.places.clone())?;
            loop {
                if self.is_whole(&place) {
                    let others: Vec<MemoryPlace> =
                        seen.iter().filter(|other| fits(self, &place, other)).cloned().collect();
                    if let Some(other) = self.pick(&others)
                        && self.one_in(2)
                    {
                        return Some((place, other));
                    }
                    seen.push(place.clone());
                }
                match self.step(&place) {
                    Some(next) => place = next,
                    None => break,
                }
            }
        }
        None
    }

    pub(crate) fn same_type(&self, a: &MemoryPlace, b: &MemoryPlace) -> bool {
        self.types.kind(&a.ty) == self.types.kind(&b.ty)
    }

    pub(crate) fn copy(&mut self) {
        let Some((to, from)) = self.two(|shader, a, b| a.open && shader.same_type(a, b)) else { return };
        let (mut to, mut from) = (to, from);
        while self.one_in(2) {
            let all = |shader: &mut Self, place: &MemoryPlace, of: Ty| {
                let path = shader.add("path", &format!("deref.all %{}", place.path));
                MemoryPlace { path, ty: of, ..place.clone() }
            };
            match (to.ty.clone(), from.ty.clone()) {
                (Ty::Struct(a), Ty::Struct(b)) => {
                    let member = self.below(self.types.defs[a].members.len() as u32) as usize;
                    (to, from) = (self.member(&to, a, member), self.member(&from, b, member));
                }
                (a, b) => {
                    let (Some((a, ..)), Some((b, ..))) = (a.element(), b.element()) else { break };
                    (to, from) = (all(self, &to, a), all(self, &from, b));
                }
            }
        }
        self.line(&format!("copy %{}, %{}", to.path, from.path));
    }

    pub(crate) fn passed(&mut self) -> Option<(MemoryPlace, MemoryPlace)> {
        self.two(|_, a, b| a.ty == b.ty && a.mode == b.mode && a.open == b.open)
    }

    /// Compares two addresses.
    pub(crate) fn compare(&mut self) {
        let Some((a, b)) = self.passed() else { return self.access(true) };
        let op = self.pick(&["ptr.eq", "ptr.ne"]).unwrap_or("ptr.eq");
        let same = self.add("b1", &format!("{op} %{}, %{}", a.path, b.path));
        self.keep(1, 1, same);
    }

    /// Selects one of two places.
    pub(crate) fn choose(&mut self) {
        let Some((a, b)) = self.passed() else { return };
        let cond = self.condition();
        let attrs = format!("{{type {}, mode {}}}", spell(&a.ty), a.mode);
        let path = self.add("path", &format!("choose %{cond}, %{}, %{} {attrs}", a.path, b.path));
        self.places.push(MemoryPlace { path, ..a });
    }

    pub(crate) fn condition(&mut self) -> usize {
        let (number, most) = (self.index(4), self.index(4));
        let [number, most] = [number, most].map(|at| self.add("b32", &format!("u2u %{at}")));
        self.add("b1", &format!("ult %{number}, %{most}"))
    }
}
