//! Places and values of random programs: what is read and written, and expressions of a type.

use super::{BOOL, INT, Kind, Maker, Place, Ty};

impl Maker {
    /// A step from a place to a part of it.
    fn step(&mut self, place: &Place) -> Option<Place> {
        let part = |text: String, ty: Ty| Place { text, ty, ..place.clone() };
        let text = &place.text;
        Some(match &place.ty {
            Ty::Value(_, 1) => return None,
            Ty::Value(kind, count) => {
                if self.random.one_in(3) {
                    let index = self.index(*count);
                    return Some(part(format!("{text}[{index}]"), Ty::Value(*kind, 1)));
                }
                let (kind, count) = (*kind, *count);
                let size = 1 + self.random.below(count);
                let mut letters: Vec<char> = "xyzw".chars().take(count as usize).collect();
                let mut chosen = String::new();
                for _ in 0..size {
                    chosen.push(letters.remove(self.random.below(letters.len())));
                }
                part(format!("{text}.{chosen}"), Ty::Value(kind, size))
            }
            Ty::Matrix(columns, rows) => {
                let rows = *rows;
                let index = self.index(*columns);
                part(format!("{text}[{index}]"), Ty::Value(Kind::Float, rows))
            }
            Ty::Array(of, count) => {
                let of = (**of).clone();
                let index = self.index(*count);
                part(format!("{text}[{index}]"), of)
            }
            Ty::Struct(at) => {
                let members = self.structs[*at].1.clone();
                let (name, ty) = members[self.random.below(members.len())].clone();
                part(format!("{text}.{name}"), ty)
            }
        })
    }

    /// An index below a count.
    fn index(&mut self, count: u32) -> String {
        let ints: Vec<String> = self
            .scope
            .iter()
            .filter(|place| !place.is_raw && place.ty == INT)
            .map(|place| place.text.clone())
            .collect();
        if ints.is_empty() || self.random.below(2) == 0 {
            return self.random.below(count).to_string();
        }
        let name = &ints[self.random.below(ints.len())];
        match count.is_power_of_two() {
            true => format!("{name} & {}", count - 1),
            false => format!("uint({name}) % {count}u"),
        }
    }

    /// A place of a type, or any place that is written.
    pub(super) fn place(&mut self, ty: Option<&Ty>, is_written: bool) -> Option<Place> {
        for _ in 0..12 {
            let fitting: Vec<usize> =
                (0..self.scope.len()).filter(|&at| self.scope[at].is_written || !is_written).collect();
            if fitting.is_empty() {
                return None;
            }
            let at = self.random.pick(&fitting);
            let mut place = self.scope[at].clone();
            for _ in 0..4 {
                if ty.is_none_or(|ty| *ty == place.ty) && (ty.is_some() || self.random.one_in(3)) {
                    return Some(place);
                }
                let Some(part) = self.step(&place) else { break };
                place = part;
            }
            if ty.is_none_or(|ty| *ty == place.ty) {
                return Some(place);
            }
        }
        None
    }

    /// The text that reads a place of a type.
    pub(super) fn read(&mut self, ty: &Ty) -> Option<String> {
        let place = self.place(Some(ty), false)?;
        match (place.is_raw && self.has(ty, Kind::Float), ty) {
            (true, Ty::Value(..)) => Some(format!("tamed({})", place.text)),
            (true, _) => None,
            (false, _) => Some(place.text),
        }
    }

    pub(super) fn constant(&mut self, kind: Kind) -> &'static str {
        match kind {
            Kind::Bool => self.random.pick(&["true", "false"]),
            Kind::Int => self.random.pick(&[
                "0",
                "1",
                "2",
                "-1",
                "7",
                "-19",
                "255",
                "65536",
                "2147483647",
                "(-2147483647 - 1)",
            ]),
            Kind::Uint => self.random.pick(&["0u", "1u", "3u", "31u", "1000u", "2147483648u", "4294967295u"]),
            Kind::Float => self.random.pick(&["0.0", "1.0", "0.5", "-0.25", "2.0", "-3.0", "7.5", "16.0"]),
        }
    }

    /// A value of a type.
    pub(super) fn value(&mut self, ty: &Ty, depth: usize) -> String {
        if self.random.below(if depth == 0 { 4 } else { 3 }) > 0
            && let Some(text) = self.read(ty)
            && (depth == 0 || self.random.one_in(2))
        {
            return text;
        }
        match ty {
            Ty::Value(kind, 1) if depth == 0 => self.constant(*kind).to_owned(),
            Ty::Value(kind, count) if depth == 0 || self.random.one_in(6) => {
                let mut parts = Vec::new();
                let mut left = *count;
                while left > 0 {
                    let size = 1 + self.random.below(left);
                    parts.push(self.value(&Ty::Value(*kind, size), depth.saturating_sub(1)));
                    left -= size;
                }
                if *count > 1 && self.random.one_in(4) {
                    parts = vec![self.value(&Ty::Value(*kind, 1), depth.saturating_sub(1))];
                }
                format!("{}({})", self.spelled(ty), parts.join(", "))
            }
            Ty::Value(kind, count) => match self.call(ty, depth) {
                Some(text) => text,
                None => self.operation(*kind, *count, depth - 1),
            },
            Ty::Matrix(columns, rows) => {
                let column = Ty::Value(Kind::Float, *rows);
                let parts: Vec<String> =
                    (0..*columns).map(|_| self.value(&column, depth.saturating_sub(1))).collect();
                format!("{}({})", self.spelled(ty), parts.join(", "))
            }
            Ty::Array(of, count) => {
                let parts: Vec<String> =
                    (0..*count).map(|_| self.value(of, depth.saturating_sub(1))).collect();
                format!("{}({})", self.spelled(ty), parts.join(", "))
            }
            Ty::Struct(at) => {
                let members: Vec<Ty> = self.structs[*at].1.iter().map(|(_, ty)| ty.clone()).collect();
                let parts: Vec<String> =
                    members.iter().map(|ty| self.value(ty, depth.saturating_sub(1))).collect();
                format!("{}({})", self.structs[*at].0, parts.join(", "))
            }
        }
    }

    /// A call of a function that returns the type.
    pub(super) fn call(&mut self, ty: &Ty, depth: usize) -> Option<String> {
        let fitting: Vec<usize> =
            (0..self.functions.len()).filter(|&at| self.functions[at].result == *ty).collect();
        if fitting.is_empty() || self.random.below(3) > 0 {
            return None;
        }
        let at = self.random.pick(&fitting);
        let (name, params) = (self.functions[at].name.clone(), self.functions[at].params.clone());
        let mut args = Vec::new();
        for (direction, ty) in params {
            args.push(match direction {
                "in" => self.value(&ty, depth.saturating_sub(1)),
                // Arguments that overlap would be written in any order.
                _ => {
                    let text = self.place(Some(&ty), true)?.text;
                    let root = |text: &str| text.split(['.', '[']).next().unwrap_or_default().to_owned();
                    if args.iter().any(|other: &String| other.contains(&root(&text))) {
                        return None;
                    }
                    text
                }
            });
        }
        Some(format!("{name}({})", args.join(", ")))
    }

    /// An operation with a result of some components.
    fn operation(&mut self, kind: Kind, count: u32, depth: usize) -> String {
        let ty = Ty::Value(kind, count);
        let of = |kind| Ty::Value(kind, count);
        let word = self.spelled(&ty);
        if self.random.one_in(8) {
            let cond = self.value(&BOOL, depth);
            let [a, b] = [0; 2].map(|_| self.value(&ty, depth));
            return format!("({cond} ? {a} : {b})");
        }
        if let (Some(name), Kind::Float, 4) | (Some(name), Kind::Int, 2) = (self.images.clone(), kind, count)
        {
            let [index, x, y] = [0; 3].map(|_| self.value(&INT, depth));
            match kind {
                Kind::Float => return format!("texelFetch({name}[{index} & 1], ivec2({x} & 3, {y} & 3), 0)"),
                _ => return format!("textureSize({name}[{index} & 1], 0)"),
            }
        }
        let [a, b] = [0; 2].map(|_| self.value(&ty, depth));
        match kind {
            Kind::Bool if count == 1 => match self.random.below(6u32) {
                0 => format!("!({a})"),
                1 => format!("({a} && {b})"),
                2 => format!("({a} || {b})"),
                3 => format!("({a} ^^ {b})"),
                4 => {
                    let kind = self.random.pick(&[Kind::Int, Kind::Uint, Kind::Float]);
                    let [a, b] = [0; 2].map(|_| self.value(&Ty::Value(kind, 1), depth));
                    let symbol = self.random.pick(&["<", "<=", ">", ">=", "==", "!="]);
                    format!("({a} {symbol} {b})")
                }
                _ => {
                    let size = 2 + self.random.below(3u32);
                    let test = self.value(&Ty::Value(Kind::Bool, size), depth);
                    format!("{}({test})", self.random.pick(&["any", "all"]))
                }
            },
            Kind::Bool => match self.random.below(3u32) {
                0 => format!("not({a})"),
                _ => {
                    let kind = self.random.pick(&[Kind::Int, Kind::Uint, Kind::Float]);
                    let [a, b] = [0; 2].map(|_| self.value(&of(kind), depth));
                    let name = self.random.pick(&[
                        "lessThan",
                        "lessThanEqual",
                        "greaterThan",
                        "greaterThanEqual",
                        "equal",
                        "notEqual",
                    ]);
                    format!("{name}({a}, {b})")
                }
            },
            Kind::Int | Kind::Uint => {
                let mask = if kind == Kind::Int { "15" } else { "15u" };
                match self.random.below(16u32) {
                    0 | 1 => format!("({a} + {b})"),
                    2 => format!("({a} - {b})"),
                    3 => format!("({a} * {b})"),
                    4 => format!("({a} & {b})"),
                    5 => format!("({a} | {b})"),
                    6 => format!("({a} ^ {b})"),
                    7 => format!("({a} << ({b} & {word}({mask})))"),
                    8 => format!("({a} >> ({b} & {word}({mask})))"),
                    9 => format!("({a} / {word}({}))", self.random.pick(&["1", "3", "8", "100"])),
                    10 => {
                        format!("(({a} & {word}(65535)) % {word}({}))", self.random.pick(&["2", "5", "16"]))
                    }
                    11 => format!("{}({a}, {b})", self.random.pick(&["min", "max"])),
                    12 => format!("~({a})"),
                    13 => {
                        let other = if kind == Kind::Int { Kind::Uint } else { Kind::Int };
                        format!("{word}({})", self.value(&of(other), depth))
                    }
                    14 => match self.random.below(3u32) {
                        0 => format!("{word}({})", self.value(&of(Kind::Bool), depth)),
                        1 => format!("{word}(bitfieldExtract({a}, 3, 9))"),
                        _ => format!("{word}(bitCount({a}))"),
                    },
                    _ => {
                        let float = self.spelled(&of(Kind::Float));
                        let from = self.value(&of(Kind::Float), depth);
                        let least = if kind == Kind::Int { "-1000.0" } else { "0.0" };
                        format!("{word}(clamp({from}, {float}({least}), {float}(1000.0)))")
                    }
                }
            }
            Kind::Float => match self.random.below(11u32) {
                0 | 1 => format!("tamed({a} + {b})"),
                2 => format!("tamed({a} - {b})"),
                3 => format!("({a} * {})", self.random.pick(&["0.5", "2.0", "-1.0", "0.25"])),
                4 => format!("{}({a}, {b})", self.random.pick(&["min", "max", "step"])),
                5 => format!("{}({a})", self.random.pick(&["abs", "floor", "ceil", "fract", "sign", "-"])),
                6 => format!(
                    "{word}({} & {})",
                    self.value(&of(Kind::Int), depth),
                    self.random.pick(&["7", "63"])
                ),
                7 => format!("{word}({})", self.value(&of(Kind::Bool), depth)),
                8 => format!("mod({a}, {word}({}))", self.random.pick(&["1.0", "4.0", "0.5"])),
                9 if count > 1 => {
                    let columns = 2 + self.random.below(3u32);
                    let matrix = self.value(&Ty::Matrix(columns, count), depth);
                    let vector = self.value(&Ty::Value(Kind::Float, columns), depth);
                    format!("tamed({matrix} * {vector})")
                }
                _ => format!("tamed({a} * {b})"),
            },
        }
    }
}
