//! Names: those of the program where it has them, else short ones by role; no name is a word of the language, and no two
//! parts of a program that see each other share one.
//!
//! The result depends only on the program: names are given in order of declarations.

use rustc_hash::{FxHashMap, FxHashSet};
use std::fmt::Display;
use std::rc::Rc;

/// The longest name that is taken from the program.
const LONGEST: usize = 60;

/// Names in use: those of a scope and those of the scope around it, as far as they were given when it began.
#[derive(Debug)]
pub(super) struct Names {
    outer: Rc<FxHashSet<Rc<str>>>,
    used: Rc<FxHashSet<Rc<str>>>,
    /// The first number of each name that was not tried yet: a scope forgets no name.
    next: FxHashMap<Rc<str>, u32>,
    is_reserved: fn(&str) -> bool,
}

impl Names {
    /// No names are in use. `is_reserved` knows the words of the language.
    pub(super) fn new(is_reserved: fn(&str) -> bool) -> Names {
        Names { outer: Rc::default(), used: Rc::default(), next: FxHashMap::default(), is_reserved }
    }

    /// The scope of a function of a module with these names. Constant time.
    pub(super) fn of_function(&self) -> Names {
        Names { outer: self.used.clone(), ..Names::new(self.is_reserved) }
    }

    /// Returns true if a name is neither in use nor a word of the language.
    pub(super) fn is_free(&self, name: &str) -> bool {
        !self.is_used(name) && !(self.is_reserved)(name)
    }

    fn is_used(&self, name: &str) -> bool {
        self.used.contains(name) || self.outer.contains(name)
    }

    /// A name that is not in use: the wanted one, or that with a number. `otherwise` is used if nothing of the wanted
    /// name is left.
    pub(super) fn fresh(&mut self, wanted: &str, otherwise: impl Display) -> Rc<str> {
        let mut base = identifier(wanted);
        if base.is_empty() {
            base = identifier(&otherwise.to_string());
        }
        if base.is_empty() {
            base.push('v');
        }
        let is_word = (self.is_reserved)(&base);
        let name: Rc<str> = match is_word || self.is_used(&base) {
            false => base.into(),
            true => {
                if is_word && (self.is_reserved)(&format!("{base}_1")) {
                    // A family of words: no number at the end makes it another name.
                    base.insert(0, '_');
                }
                self.numbered(&base)
            }
        };
        Rc::make_mut(&mut self.used).insert(name.clone());
        name
    }

    /// A name, with the first number that makes it another one if it is in use or a word of the language.
    fn numbered(&mut self, base: &str) -> Rc<str> {
        if self.is_free(base) {
            return base.into();
        }
        // A number alone may make another word of the language: `image2D`.
        let is_word = (self.is_reserved)(base) || base.ends_with(|c: char| c.is_ascii_digit());
        let separator = if is_word { "_" } else { "" };
        let mut next = self.next.get(base).copied().unwrap_or(1);
        let name = loop {
            let name = format!("{base}{separator}{next}");
            next += 1;
            if self.is_free(&name) {
                break name;
            }
        };
        self.next.insert(base.into(), next);
        name.into()
    }
}

/// The letters, digits and single underscores of a text, as an identifier; empty if there are none.
///
/// No name has two underscores in a row or the prefix `gl_`, which languages reserve: a program has the same names in all.
fn identifier(text: &str) -> String {
    // The name of a function may be followed by its parameters.
    let text = text.split('(').next().unwrap_or("");
    let mut out = String::new();
    for c in text.chars() {
        match c {
            'a'..='z' | 'A'..='Z' => out.push(c),
            '0'..='9' if !out.is_empty() => out.push(c),
            _ if out.ends_with('_') || out.is_empty() => {}
            _ => out.push('_'),
        }
        if out.len() >= LONGEST {
            break;
        }
    }
    while out.ends_with('_') {
        out.pop();
    }
    match out.strip_prefix("gl_") {
        Some(rest) => format!("g{}", identifier(rest)),
        None => out,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_identifiers_that_are_not_taken() {
        let mut names = Names::new(|name| name == "float" || name.starts_with("sampler"));
        let mut fresh = |wanted| names.fresh(wanted, "v1").to_string();
        assert_eq!(fresh("color"), "color");
        assert_eq!(fresh("color"), "color1");
        assert_eq!(fresh("color1"), "color1_1");
        assert_eq!(fresh("main(vf3;"), "main");
        assert_eq!(fresh("float"), "float_1");
        assert_eq!(fresh("samplerState"), "_samplerState");
        assert_eq!(fresh("a__b"), "a_b");
        assert_eq!(fresh("gl_Position"), "gPosition");
        assert_eq!(fresh("gl_gl_x"), "ggx");
        assert_eq!(fresh("%$"), "v1");
        assert_eq!(fresh("3d"), "d");
        assert_eq!(fresh(&"x".repeat(1_000)).len(), LONGEST);
    }
}
