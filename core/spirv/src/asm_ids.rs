//! Names of ids to numbers, assigned as by spirv-as.

use super::ids::IdMap;
use rustc_hash::FxHashMap;

/// The ids of a text.
pub(super) struct AsmIds<'t> {
    named: FxHashMap<&'t str, u32>,
    /// Numbers that are fixed by the text, if they are kept.
    taken: Option<IdMap<()>>,
    next: u32,
    /// One more than the largest id so far.
    pub(super) bound: u32,
}

impl<'t> AsmIds<'t> {
    /// With `preserve`, an id that is a number keeps it, and names get the unused numbers.
    pub(super) fn new(text: &'t str, preserve: bool) -> AsmIds<'t> {
        let taken = preserve.then(|| {
            let mut taken = IdMap::for_words(text.len() / 2);
            for (at, _) in text.match_indices('%') {
                let rest = &text.as_bytes()[at + 1..];
                let end = rest.iter().position(|byte| !byte.is_ascii_digit()).unwrap_or(rest.len());
                if let Some(id) = number(&text[at + 1..at + 1 + end]) {
                    taken.insert(id, ());
                }
            }
            taken
        });
        AsmIds { named: FxHashMap::default(), taken, next: 1, bound: 1 }
    }

    /// The number of a name without sigil.
    pub(super) fn number(&mut self, name: &'t str) -> u32 {
        let id = match (&self.taken, number(name)) {
            (Some(_), Some(id)) => id,
            _ => match self.named.get(name) {
                Some(&id) => return id,
                None => self.fresh(name),
            },
        };
        self.bound = self.bound.max(id.saturating_add(1));
        id
    }

    fn fresh(&mut self, name: &'t str) -> u32 {
        while self.taken.as_ref().is_some_and(|taken| taken.get(self.next).is_some()) {
            self.next += 1;
        }
        let id = self.next;
        self.next += 1;
        self.named.insert(name, id);
        id
    }
}

/// The number that a name is, in canonical form.
fn number(name: &str) -> Option<u32> {
    let is_plain = name.bytes().all(|byte| byte.is_ascii_digit()) && (name == "0" || !name.starts_with('0'));
    is_plain.then(|| name.parse().ok())?
}
