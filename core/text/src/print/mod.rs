//! Prints modules: facts, structures, constants, variables, entry points. Functions are in `body`.
//!
//! The canonical text is a function of the module alone and parses to the same module with the same ids.

mod body;
mod debug;
mod inline;
mod phis;
mod single;
mod types;
mod usage;

pub(super) use body::suffix_key;
pub use inline::Inlined;

use super::consts;
use super::sink::{Class, Link, Sink};
use vitrine_ir::base::EntityId;
use vitrine_ir::ops::attr::{COMPONENT_LETTERS, EntityKind, ValueKind, unpack_component};
use vitrine_ir::ops::{Attr, Key, Role, ValueType};
use vitrine_ir::{
    Anchor, Attrs, Const, DecorTarget, EntryPoint, Func, FuncBody, Global, GlobalData, GlobalValue, Module,
    Operand, Struct, StructData, Text, Type, Var, VarData,
};

/// Printing options.
#[derive(Clone, Copy, Default, Debug)]
pub struct Options {
    /// Shows block parameters as phis. For display only: the parser does not accept this form.
    pub phis: bool,
}

/// Prints a module, or parts of one, to a sink.
pub struct Printer<'a, S: Sink + ?Sized> {
    pub(super) module: &'a Module,
    pub(super) out: &'a mut S,
    pub(super) options: Options,
    /// The instructions that are printed at their uses.
    pub(super) inlined: Option<&'a Inlined>,
    /// The function that is being printed.
    pub(super) func: Option<(Func, &'a FuncBody)>,
    pub(super) scratch: String,
}

impl<'a> Printer<'a, dyn Sink + 'a> {
    /// Creates a printer for any sink: slower than one specialized for its sink, but without additional code
    /// to download.
    pub fn to_any(module: &'a Module, options: Options, out: &'a mut (dyn Sink + 'a)) -> Self {
        Printer::new(module, options, out)
    }
}

impl<'a, S: Sink + ?Sized> Printer<'a, S> {
    /// Creates a printer for parts of `module`.
    pub fn new(module: &'a Module, options: Options, out: &'a mut S) -> Self {
        Printer { module, out, options, inlined: None, func: None, scratch: String::new() }
    }

    /// The whole module.
    pub fn module(&mut self) {
        let module = self.module;
        let mut sections = self.before_functions();
        for (id, body) in module.funcs() {
            sections.begin(self, Section::Func(id));
            self.function(id, body);
        }
        self.after_functions(sections);
    }

    /// Everything before the functions, with the empty lines between its sections.
    pub fn head(&mut self) {
        self.before_functions();
    }

    /// Everything after the functions.
    pub fn tail(&mut self) {
        self.after_functions(Sections::default());
    }

    fn before_functions(&mut self) -> Sections {
        let module = self.module;
        let mut sections = Sections::default();
        for fact in module.facts.iter() {
            sections.begin(self, Section::Facts);
            self.fact(fact.key.name(), fact.value);
        }
        for (id, data) in module.structs() {
            sections.begin(self, Section::Struct(id));
            self.structure(id, data);
        }
        for (id, data) in module.globals() {
            sections.begin(self, Section::Globals);
            self.global(id, data);
        }
        for (id, data) in module.vars().filter(|(_, data)| data.owner.is_none()) {
            sections.begin(self, Section::Vars);
            self.variable(0, id, data);
        }
        for (at, entry) in module.entries.iter().enumerate() {
            sections.begin(self, Section::Entries);
            self.entry(at as u32, entry);
        }
        sections
    }

    fn after_functions(&mut self, mut sections: Sections) {
        let module = self.module;
        for decor in module.decors.iter() {
            sections.begin(self, Section::Decors);
            self.decor(decor);
        }
        self.debug_table(&mut sections);
    }

    fn fact(&mut self, key: &str, value: Text) {
        self.out.open_line(0);
        self.keyword("module ");
        self.out.put(Class::Attr, key, Link::None);
        self.plain(" ");
        self.quoted(value);
        self.out.close_line();
    }

    fn structure(&mut self, id: Struct, data: &StructData) {
        self.out.open_line(0);
        self.keyword("struct ");
        self.define('#', id.index(), data.name, Class::Type, Anchor::Struct(id));
        self.attrs(&data.attrs, &[]);
        self.punct(" {");
        self.out.close_line();
        for (at, member) in data.members.iter().enumerate() {
            self.out.open_line(1);
            let link = Link::Def(Anchor::Member(id, at as u32));
            match member.name {
                None => self.out.put(Class::Name, "_", link),
                Some(name) if self.module.text_of(name) != "_" && is_plain(self.module.text_of(name)) => {
                    self.out.put(Class::Name, self.module.text_of(name), link);
                }
                Some(name) => self.quoted(name),
            }
            self.punct(": ");
            self.full_type(member.ty);
            self.attrs(&member.attrs, &[]);
            self.out.close_line();
        }
        self.out.open_line(0);
        self.punct("}");
        self.out.close_line();
    }

    fn global(&mut self, id: Global, data: &GlobalData) {
        self.out.open_line(0);
        self.keyword("const ");
        self.define('&', id.index(), data.name, Class::Name, Anchor::Global(id));
        match &data.value {
            GlobalValue::Spec(bits) => {
                let bits = self.module.bits_of(*bits);
                self.punct(": ");
                self.value_type(bits.ty());
                self.keyword(" = spec ");
                self.literal(&bits);
            }
            GlobalValue::Op { op, ty, args } => {
                self.punct(": ");
                self.value_type(*ty);
                self.punct(" = ");
                self.out.put(Class::Op, op.name(), Link::None);
                self.plain(if args.is_empty() { "" } else { " " });
                self.operands(args, |_| None);
            }
            GlobalValue::Parts(ty, parts) => {
                self.keyword(" = parts ");
                self.full_type(*ty);
                self.punct(" (");
                let (module, ty) = (self.module, *ty);
                self.operands(parts, |at| module.part_type(ty, at));
                self.punct(")");
            }
            GlobalValue::Zero(ty) => self.keyword_and_type(" = zero ", *ty),
            GlobalValue::Undef(ty) => self.keyword_and_type(" = undef ", *ty),
            GlobalValue::Address(var) => {
                self.keyword(" = address ");
                self.var_use(*var);
            }
        }
        self.attrs(&data.attrs, &[]);
        self.out.close_line();
    }

    fn keyword_and_type(&mut self, keyword: &str, ty: Type) {
        self.keyword(keyword);
        self.full_type(ty);
    }

    /// A variable, on a line of its own.
    pub(super) fn variable(&mut self, depth: usize, id: Var, data: &VarData) {
        self.out.open_line(depth);
        self.keyword(data.mode.name());
        self.plain(" ");
        self.define('$', id.index(), data.name, Class::Name, Anchor::Var(id));
        self.punct(": ");
        let written = self.untyped(data);
        self.full_type(data.ty);
        if let Some(init) = data.init {
            self.punct(" = ");
            self.operand(init, self.module.value_type(data.ty));
        }
        let usage = data.attrs.get(Key::Usage).and_then(|text| self.usage(text));
        let mut written = written.to_vec();
        written.extend(usage.as_ref().map(|_| Key::Usage));
        self.attrs(&data.attrs, &written);
        self.out.close_line();
        self.usage_lines(depth + 1, usage.as_deref().unwrap_or(&[]));
    }

    fn entry(&mut self, at: u32, entry: &EntryPoint) {
        self.out.open_line(0);
        self.keyword("entry ");
        self.keyword(entry.stage.name());
        self.plain(" ");
        self.scratch.clear();
        quote(&mut self.scratch, self.module.text_of(entry.name));
        self.out.put(Class::Text, &self.scratch, Link::Def(Anchor::Entry(at)));
        self.plain(" ");
        self.func_use(entry.func);
        self.punct(" (");
        for (at, &var) in entry.interface.iter().enumerate() {
            self.punct(if at > 0 { ", " } else { "" });
            self.var_use(var);
        }
        self.punct(")");
        if !entry.modes.is_empty() {
            self.punct(" {");
            for (at, mode) in entry.modes.iter().enumerate() {
                self.punct(if at > 0 { ", " } else { "" });
                self.out.put(Class::Attr, mode.mode.name(), Link::None);
                for &arg in &mode.args {
                    self.plain(" ");
                    self.operand(arg, Some(ValueType::B32));
                }
            }
            self.punct("}");
        }
        self.out.close_line();
    }

    fn decor(&mut self, decor: &vitrine_ir::Decor) {
        self.out.open_line(0);
        self.keyword("decorate ");
        match decor.on {
            DecorTarget::Var(var) => self.var_use(var),
            DecorTarget::Func(func) => self.func_use(func),
            DecorTarget::Global(global) => self.global_use(global),
            DecorTarget::Struct(id) => self.struct_use(id),
            DecorTarget::Member(id, member) => {
                self.struct_use(id);
                self.punct(".");
                self.number(u64::from(member));
            }
        }
        self.plain(" ");
        self.number(u64::from(decor.number));
        if let Some(words) = decor.words {
            self.plain(" ");
            self.words(words);
        }
        if let Some(text) = decor.text {
            self.plain(" ");
            self.quoted(text);
        }
        self.out.close_line();
    }

    // Helpers shared by everything above and by `body`.

    pub(super) fn keyword(&mut self, text: &str) {
        if !text.is_empty() {
            self.out.put(Class::Keyword, text, Link::None);
        }
    }

    pub(super) fn punct(&mut self, text: &str) {
        if !text.is_empty() {
            self.out.put(Class::Punct, text, Link::None);
        }
    }

    pub(super) fn plain(&mut self, text: &str) {
        if !text.is_empty() {
            self.out.put(Class::Plain, text, Link::None);
        }
    }

    pub(super) fn number(&mut self, number: u64) {
        self.scratch.clear();
        consts::push_decimal(&mut self.scratch, number);
        self.out.put(Class::Number, &self.scratch, Link::None);
    }

    pub(super) fn literal(&mut self, bits: &vitrine_ir::ops::Bits) {
        self.scratch.clear();
        consts::spell(&mut self.scratch, bits);
        self.out.put(Class::Number, &self.scratch, Link::None);
    }

    pub(super) fn value_type(&mut self, ty: ValueType) {
        let class = if ty == ValueType::Ptr { Class::Qptr } else { Class::Type };
        self.out.put(class, value_type_word(ty), Link::None);
    }

    pub(super) fn quoted(&mut self, text: Text) {
        self.scratch.clear();
        quote(&mut self.scratch, self.module.text_of(text));
        self.out.put(Class::Text, &self.scratch, Link::None);
    }

    fn words(&mut self, blob: vitrine_ir::Blob) {
        self.punct("(");
        for (at, &word) in self.module.blob_of(blob).iter().enumerate() {
            self.punct(if at > 0 { ", " } else { "" });
            self.number(u64::from(word));
        }
        self.punct(")");
    }

    /// An id with its name, if the name is a plain word.
    pub(super) fn entity(&mut self, sigil: char, index: usize, name: Option<Text>, class: Class, link: Link) {
        self.spell_entity(sigil, index, name);
        self.out.put(class, &self.scratch, link);
    }

    /// Writes an id to `scratch`.
    fn spell_entity(&mut self, sigil: char, index: usize, name: Option<Text>) {
        self.scratch.clear();
        self.scratch.push(sigil);
        if let Some(name) = name.map(|name| self.module.text_of(name)).filter(|name| is_plain(name)) {
            self.scratch.push_str(name);
            self.scratch.push('_');
        }
        consts::push_decimal(&mut self.scratch, index as u64);
    }

    /// An id at its definition: a name that is not a plain word follows in quotes.
    pub(super) fn define(
        &mut self,
        sigil: char,
        index: usize,
        name: Option<Text>,
        class: Class,
        anchor: Anchor,
    ) {
        self.entity(sigil, index, name, class, Link::Def(anchor));
        if let Some(name) = name.filter(|&name| !is_plain(self.module.text_of(name))) {
            self.plain(" ");
            self.quoted(name);
        }
    }

    pub(super) fn var_use(&mut self, var: Var) {
        let name = self.module.var(var).and_then(|data| data.name);
        self.entity('$', var.index(), name, Class::Name, Link::Use(Anchor::Var(var)));
    }

    pub(super) fn func_use(&mut self, func: Func) {
        let name = self.module.func(func).and_then(FuncBody::name);
        self.entity('@', func.index(), name, Class::Name, Link::Use(Anchor::Func(func)));
    }

    pub(super) fn global_use(&mut self, global: Global) {
        let name = self.module.global(global).and_then(|data| data.name);
        self.entity('&', global.index(), name, Class::Name, Link::Use(Anchor::Global(global)));
    }

    fn struct_use(&mut self, id: Struct) {
        let name = self.module.structure(id).and_then(|data| data.name);
        self.entity('#', id.index(), name, Class::Type, Link::Use(Anchor::Struct(id)));
    }

    fn operands(&mut self, operands: &[Operand], expected: impl Fn(usize) -> Option<ValueType>) {
        for (at, &operand) in operands.iter().enumerate() {
            self.punct(if at > 0 { ", " } else { "" });
            self.operand(operand, expected(at));
        }
    }

    /// A constant operand; bits state their type unless it is the expected one.
    fn operand(&mut self, operand: Operand, expected: Option<ValueType>) {
        match operand {
            Operand::Global(global) => self.global_use(global),
            Operand::Bits(bits) => self.constant(bits, expected),
        }
    }

    fn constant(&mut self, bits: Const, expected: Option<ValueType>) {
        let bits = self.module.bits_of(bits);
        if expected != Some(bits.ty()) {
            self.value_type(bits.ty());
            self.plain(" ");
        }
        self.literal(&bits);
    }

    /// Attributes in braces, except those in `without`; nothing if none is left.
    pub(super) fn attrs(&mut self, attrs: &Attrs, without: &[Key]) {
        let mut opened = false;
        for attr in attrs.iter().filter(|attr| !without.contains(&attr.key)) {
            self.punct(if opened { ", " } else { " {" });
            opened = true;
            self.attr(attr, 0);
        }
        self.punct(if opened { "}" } else { "" });
    }

    /// One attribute; `components` is the number of components of a swizzle.
    pub(super) fn attr(&mut self, attr: Attr, components: u8) {
        self.out.put(Class::Attr, attr.key.name(), Link::None);
        if attr.key.kind() == ValueKind::Flag {
            return;
        }
        self.plain(" ");
        self.attr_value(attr, components);
    }

    /// The value of an attribute. A value without a spelling is written as a number, which the parser
    /// accepts.
    pub(super) fn attr_value(&mut self, attr: Attr, components: u8) {
        let value = attr.value;
        match attr.key.kind() {
            ValueKind::Flag | ValueKind::Number | ValueKind::Member => self.number(value),
            ValueKind::Signed => {
                let signed = value as i64;
                self.scratch.clear();
                if signed < 0 {
                    self.scratch.push('-');
                }
                consts::push_decimal(&mut self.scratch, signed.unsigned_abs());
                self.out.put(Class::Number, &self.scratch, Link::None);
            }
            ValueKind::Word(words) => match usize::try_from(value).ok().and_then(|at| words.get(at)) {
                Some(word) => self.out.put(Class::Keyword, word, Link::None),
                None => self.number(value),
            },
            ValueKind::Words(words) => self.joined(
                (0..64).filter(|bit| value >> bit & 1 == 1).map(|bit| words.get(bit).copied()).collect(),
                value,
            ),
            ValueKind::Roles => {
                let roles: Vec<Role> = Role::unpack(value).collect();
                let known = Role::pack(&roles) == value;
                self.joined(roles.iter().map(|role| known.then(|| role.name())).collect(), value);
            }
            ValueKind::Components if components == 0 => self.number(value),
            ValueKind::Components => self.components(value, components),
            ValueKind::Entity(kind) => match self.usage(value).filter(|_| attr.key == Key::Usage) {
                Some(pieces) => self.usage_inline(&pieces),
                None => self.attr_entity(kind, value),
            },
        }
    }

    /// Words joined by `+`, or the number if there are none or one is unknown.
    fn joined(&mut self, words: Vec<Option<&'static str>>, value: u64) {
        let words: Option<Vec<&str>> = words.into_iter().collect();
        match words {
            Some(words) if !words.is_empty() => {
                for (at, word) in words.into_iter().enumerate() {
                    self.punct(if at > 0 { "+" } else { "" });
                    self.out.put(Class::Keyword, word, Link::None);
                }
            }
            Some(_) | None => self.number(value),
        }
    }

    /// Component letters, as in `xyz`.
    pub(super) fn components(&mut self, packed: u64, count: u8) {
        self.scratch.clear();
        let letters = COMPONENT_LETTERS.as_bytes();
        let components =
            (0..count as usize).map(|at| char::from(letters[unpack_component(packed, at) as usize & 15]));
        self.scratch.extend(components);
        self.out.put(Class::Keyword, &self.scratch, Link::None);
    }

    fn attr_entity(&mut self, kind: EntityKind, value: u64) {
        let index = usize::try_from(value).unwrap_or(usize::MAX);
        match kind {
            EntityKind::Const => self.constant(Const::from_index(index), None),
            EntityKind::Global => self.global_use(Global::from_index(index)),
            EntityKind::Var => self.var_use(Var::from_index(index)),
            EntityKind::Func => self.func_use(Func::from_index(index)),
            EntityKind::Reg => self.reg_use(vitrine_ir::Reg::from_index(index)),
            EntityKind::Type => self.full_type(Type::from_index(index)),
            EntityKind::Blob => self.words(vitrine_ir::Blob::from_index(index)),
            EntityKind::Text => self.quoted(Text::from_index(index)),
        }
    }
}

/// Sections of a module are separated by an empty line; each structure and each function is a section.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Section {
    Facts,
    Struct(Struct),
    Globals,
    Vars,
    Entries,
    Func(Func),
    Decors,
    Debug,
}

#[derive(Default)]
struct Sections(Option<Section>);

impl Sections {
    fn begin<S: Sink + ?Sized>(&mut self, printer: &mut Printer<'_, S>, section: Section) {
        if self.0.is_some_and(|before| before != section) {
            printer.out.open_line(0);
            printer.out.close_line();
        }
        self.0 = Some(section);
    }
}

/// Returns true if a name can be part of an id: a letter or `_`, then letters, digits and `_`, all ASCII.
pub(super) fn is_plain(name: &str) -> bool {
    let bytes = name.as_bytes();
    bytes.first().is_some_and(|b| b.is_ascii_alphabetic() || *b == b'_')
        && bytes.iter().all(|b| b.is_ascii_alphanumeric() || *b == b'_')
}

/// Writes a text in quotes, with escapes for characters that cannot appear in a line.
fn quote(out: &mut String, text: &str) {
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            c if c.is_control() || c == '\u{2028}' || c == '\u{2029}' => {
                out.push_str(&format!("\\u{{{:x}}}", c as u32));
            }
            c => out.push(c),
        }
    }
    out.push('"');
}

/// The spelling of a value type, without allocating.
pub(super) fn value_type_word(ty: ValueType) -> &'static str {
    const WORDS: [[&str; 7]; 5] = [
        ["b1", "b1x2", "b1x3", "b1x4", "b1x5", "b1x8", "b1x16"],
        ["b8", "b8x2", "b8x3", "b8x4", "b8x5", "b8x8", "b8x16"],
        ["b16", "b16x2", "b16x3", "b16x4", "b16x5", "b16x8", "b16x16"],
        ["b32", "b32x2", "b32x3", "b32x4", "b32x5", "b32x8", "b32x16"],
        ["b64", "b64x2", "b64x3", "b64x4", "b64x5", "b64x8", "b64x16"],
    ];
    match ty {
        ValueType::Void => "void",
        ValueType::Path => "path",
        ValueType::Ptr => "ptr",
        ValueType::Handle => "handle",
        ValueType::Bits { width, components } => {
            let at = vitrine_ir::ops::ty::COMPONENT_COUNTS.iter().position(|&count| count == components);
            at.map_or("b?", |at| WORDS[width as usize][at])
        }
    }
}
