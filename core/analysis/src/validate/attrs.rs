//! Attributes: required ones are present, no others occur, and each value is valid.

use super::function::Checker;
use super::*;
use vitrine_ir::base::EntityId;
use vitrine_ir::ops::attr::{EntityKind, ValueKind};
use vitrine_ir::ops::{Attr, Hints, Key, OpInfo, WordSet};
use vitrine_ir::{Attrs, Blob, Const, Diag, Diags, FuncBody, Global, Inst, InstData, Reg, Var};

/// Hints that take a parameter.
const HINTS_WITH_ARGS: Hints = Hints::DEPENDENCY_LENGTH
    .and(Hints::MIN_ITERATIONS)
    .and(Hints::MAX_ITERATIONS)
    .and(Hints::ITERATION_MULTIPLE)
    .and(Hints::PEEL_COUNT)
    .and(Hints::PARTIAL_COUNT);

impl Checker<'_, '_> {
    /// Checks the attributes of an instruction against its entry; returns true if they are correct.
    pub(super) fn attributes(&mut self, inst: Inst, data: &InstData, info: &OpInfo) -> bool {
        if data.attrs.is_empty() && info.lead.is_empty() && info.need.is_empty() {
            return true;
        }
        let (before, anchor) = (self.diags.len(), Anchor::Inst(self.here.func, inst));
        for key in info.lead.iter().chain(info.need).filter(|&&key| !data.attrs.has(key)) {
            let diag = Diag::error(ATTR_MISSING, anchor);
            let diag = diag.says(format!("`{}` lacks `{}`", info.name, key.name()));
            self.push(diag.help(diagnostics::sentence(key.doc())));
        }
        for attr in data.attrs.iter() {
            let key = &attr.key;
            if !info.lead.contains(key) && !info.need.contains(key) && !info.may.contains(key) {
                let diag = Diag::error(ATTR_FOREIGN, anchor);
                let diag = diag.says(format!("`{}` does not take the attribute `{}`", info.name, key.name()));
                self.push(diag.help("remove it"));
            }
        }
        check_values(self.here.module, Some(self.here.body), &data.attrs, anchor, self.diags);
        if let Some(ty) = data.entity(Key::Type) {
            self.types.check(ty, anchor, self.diags);
        }
        self.diags.len() == before
    }
}

/// Checks that only the allowed attributes occur.
pub(super) fn check_allowed(attrs: &Attrs, allowed: &[Key], anchor: Anchor, diags: &mut Diags) {
    for attr in attrs.iter().filter(|attr| !allowed.contains(&attr.key)) {
        let says = format!("`{}` is not allowed here", attr.key.name());
        diags.push(Diag::error(ATTR_FOREIGN, anchor).says(says).help("remove it"));
    }
}

/// Checks that each hint with a parameter has one.
pub(super) fn check_hint_args(module: &Module, attrs: &Attrs, anchor: Anchor, diags: &mut Diags) {
    if attrs.is_empty() {
        return;
    }
    let wanted = attrs.words::<Hints>().only(HINTS_WITH_ARGS).number().count_ones() as usize;
    let blob = attrs.get(Key::HintArgs).map(|value| Blob::from_index(value as usize));
    let given = blob.map_or(0, |blob| module.blob_of(blob).len());
    if wanted != given {
        let says = format!("these hints take {}, not {given}", diagnostics::count_or_no(wanted, "number"));
        let help = "give one number for each count and length in `hint_args`";
        diags.push(Diag::error(ATTR_VALUE, anchor).says(says).help(help));
    }
}

/// Checks that every value is valid. Without a function, no register is valid.
pub(super) fn check_values(
    module: &Module,
    body: Option<&FuncBody>,
    attrs: &Attrs,
    anchor: Anchor,
    diags: &mut Diags,
) {
    for attr in attrs.iter() {
        if let Some(wrong) = wrong_value(module, body, attr) {
            let diag = Diag::error(ATTR_VALUE, anchor);
            diags.push(diag.says(format!("`{}` {}", attr.key.name(), wrong.says)).help(wrong.help));
        }
    }
}

struct Wrong {
    says: String,
    help: String,
}

fn wrong_value(module: &Module, body: Option<&FuncBody>, attr: Attr) -> Option<Wrong> {
    let Attr { key, value } = attr;
    match key.kind() {
        ValueKind::Flag => (value > 1).then(|| {
            Wrong::new(format!("is a flag and has no value, but is {value}"), "write only its name")
        }),
        ValueKind::Number if u32::try_from(value).is_err() => Some(Wrong::too_large(value)),
        ValueKind::Member if u32::try_from(value).is_err() => Some(Wrong::too_large(value)),
        ValueKind::Number if matches!(key, Key::Align | Key::Cluster) && !value.is_power_of_two() => {
            Some(Wrong::new(format!("is {value}"), "use a power of two"))
        }
        ValueKind::Signed if i32::try_from(value as i64).is_err() => Some(Wrong::too_large(value)),
        ValueKind::Number | ValueKind::Member | ValueKind::Signed => None,
        ValueKind::Word(words) if value >= words.len() as u64 => Some(Wrong::no_word(value, words)),
        ValueKind::Words(words) if value == 0 || value >> words.len() != 0 => {
            Some(Wrong::no_word(value, words))
        }
        ValueKind::Word(_) | ValueKind::Words(_) | ValueKind::Roles | ValueKind::Components => None,
        ValueKind::Entity(kind) => (!exists(module, body, kind, value)).then(|| Wrong::missing(kind, value)),
    }
}

impl Wrong {
    fn new(says: String, help: impl Into<String>) -> Wrong {
        Wrong { says, help: help.into() }
    }

    fn too_large(value: u64) -> Wrong {
        Wrong::new(format!("is {value}"), "use a 32-bit number")
    }

    fn no_word(value: u64, words: &[&str]) -> Wrong {
        // Long lists would bury the message.
        let shown = words.iter().take(8).copied().collect::<Vec<_>>().join(", ");
        let more = if words.len() > 8 { " and others" } else { "" };
        Wrong::new(
            format!("is {value}, which is not a valid word number"),
            format!("valid words: {shown}{more}"),
        )
    }

    fn missing(kind: EntityKind, value: u64) -> Wrong {
        let at = usize::try_from(value).unwrap_or(usize::MAX);
        let (what, help) = match kind {
            EntityKind::Const => ("a constant".to_owned(), "intern its bits in this module"),
            EntityKind::Global => (Global::from_index(at).to_string(), "declare it with `const`"),
            EntityKind::Var => (Var::from_index(at).to_string(), "declare the variable"),
            EntityKind::Func => (Func::from_index(at).to_string(), "declare the function"),
            EntityKind::Reg => (Reg::from_index(at).to_string(), "declare it with `reg`"),
            EntityKind::Type => ("a type".to_owned(), "intern it in this module"),
            EntityKind::Blob | EntityKind::Text => ("something".to_owned(), "intern it in this module"),
        };
        Wrong::new(format!("names {what}, which does not exist"), help)
    }
}

/// Returns true if the entity that an attribute names exists. Words and texts of another module are not
/// looked up: they read as empty, which is harmless.
fn exists(module: &Module, body: Option<&FuncBody>, kind: EntityKind, value: u64) -> bool {
    let at = usize::try_from(value).unwrap_or(usize::MAX);
    match kind {
        EntityKind::Const => module.has_const(Const::from_index(at)),
        EntityKind::Global => module.global(Global::from_index(at)).is_some(),
        EntityKind::Var => module.var(Var::from_index(at)).is_some(),
        EntityKind::Func => module.func(Func::from_index(at)).is_some(),
        EntityKind::Reg => body.is_some_and(|body| body.reg(Reg::from_index(at)).is_some()),
        EntityKind::Type => at < module.sizes()[0],
        EntityKind::Blob | EntityKind::Text => true,
    }
}
