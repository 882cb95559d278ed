//! Structures of GLSL for OpenGL that have samplers: Vulkan has none of these, so that every sampler becomes a uniform of its own.
//!
//! ```text
//! struct Material { sampler2D map; float shine; };   struct Material { float shine; };
//! uniform Material material;                         uniform Material material; uniform sampler2D material_map;
//! vec3 lit(Material m) { … m.map … }                 vec3 lit(Material m, sampler2D m_map) { … m_map … }
//! lit(material)                                      lit(material, material_map)
//! materials[i].map                                   materials_map[i]
//! ```
//!
//! Also arrays of such structures, structures in structures, and structures without any other member, which vanish. A structure
//! that is declared with its uniform, which no block allows, gets a declaration of its own. Every line stays in its place.
//!
//! Limits: the parameters of macros stay as they are, and a copy of such a structure, which GLSL does not allow either, is an
//! error of the front end.

use super::declarations::is_opaque;
use super::problems::Problem;
use super::tokens::{Token, TokenKind, tokens};
use std::collections::{BTreeMap, BTreeSet};

/// The most samplers of a structure. Each use of a structure names all of them; a stage of Vulkan has 16 at least, and hundreds
/// on common devices.
const MOST_SAMPLERS: usize = 256;

/// A declaration of a mixed structure: its type, its name, and the tokens of the declaration and of its scope.
type Found<'t> = (&'t str, &'t str, (usize, usize), (usize, usize));

/// A member of a structure.
struct Member<'t> {
    /// Words before the type.
    qualifiers: String,
    type_name: &'t str,
    name: &'t str,
    /// `[2][3]`
    sizes: String,
    /// Its declarator, as a range of `Source::code`; that of the first one begins with the type.
    tokens: (usize, usize),
}

/// A structure.
struct Structure<'t> {
    name: &'t str,
    members: Vec<Member<'t>>,
    /// From `struct` to `}`, as places in `Source::code`.
    tokens: (usize, usize),
    /// The qualifiers of a uniform that is declared with it: the first token.
    uniform: Option<usize>,
    is_mixed: bool,
    /// Nothing but samplers is in it.
    is_hollow: bool,
    /// The samplers in it and in the structures that it contains, in which they multiply.
    samplers: usize,
}

/// A sampler in a structure: the names of members, and its declaration.
#[derive(Clone)]
struct Leaf<'t> {
    path: Vec<&'t str>,
    type_name: String,
    sizes: String,
}

/// A variable or parameter of a structure with samplers.
struct Variable<'t> {
    name: &'t str,
    structure: &'t str,
    /// For each sampler its own name.
    names: Vec<(Vec<&'t str>, String)>,
    /// The places in `Source::code` where it is visible.
    scope: (usize, usize),
    /// The places of its declaration.
    declared: (usize, usize),
}

/// The tokens of a text, and what it declares.
struct Source<'t> {
    all: Vec<Token<'t>>,
    /// The tokens that are neither space nor directives.
    code: Vec<usize>,
    structures: BTreeMap<&'t str, Structure<'t>>,
    /// All words, so that new names are new.
    words: BTreeSet<String>,
}

/// The text without samplers in structures, with a note if there were any. Linear in the text and in the samplers of each use.
///
/// Errors: a structure with more than [`MOST_SAMPLERS`], with its line in the text.
pub(super) fn split(text: &str) -> Result<(String, Option<String>), Problem> {
    let source = Source::of(text);
    source.structures.values().try_for_each(|of| source.require_few(of))?;
    let has_any = source.structures.values().any(|of| of.is_mixed || of.uniform.is_some());
    if !has_any {
        return Ok((text.to_owned(), None));
    }
    let mut out: Vec<String> = source.all.iter().map(|token| token.text.to_owned()).collect();
    let variables = source.variables();
    let mut by_name: BTreeMap<&str, Vec<&Variable<'_>>> = BTreeMap::new();
    variables.iter().for_each(|of| by_name.entry(of.name).or_default().push(of));
    by_name.values_mut().for_each(|list| list.sort_by_key(|of| of.scope.0));
    // Inner uses, as in an index, come later in the text and are replaced first.
    for at in (0..source.code.len()).rev() {
        let named = by_name.get(source.word(at)).map_or(&[][..], Vec::as_slice);
        source.replace_use(at, named, &mut out);
    }
    source.declare(&variables, &mut out);
    source.remove_members(&mut out);
    let globals: Vec<&Variable<'_>> = variables.iter().filter(|of| of.scope.1 == usize::MAX).collect();
    in_macros(&globals, &source.all, &mut out);
    let shown: Vec<String> = globals
        .iter()
        .flat_map(|of| of.names.iter().map(|(path, new)| format!("{}.{} is {new}", of.name, path.join("."))))
        .collect();
    let note = format!("samplers in structures are uniforms of their own: {}", shown.join(", "));
    Ok((out.concat(), (!shown.is_empty()).then_some(note)))
}

impl<'t> Source<'t> {
    fn of(text: &'t str) -> Source<'t> {
        let all = tokens(text);
        let is_code = |at: &usize| !matches!(all[*at].kind, TokenKind::Space | TokenKind::Directive);
        let code: Vec<usize> = (0..all.len()).filter(is_code).collect();
        let words =
            all.iter().filter(|token| token.kind == TokenKind::Word).map(|token| token.text.to_owned());
        let words = words.collect();
        let mut source = Source { all, code, structures: BTreeMap::new(), words };
        source.find_structures();
        source.mark_mixed();
        source
    }

    fn word(&self, at: usize) -> &'t str {
        self.code.get(at).map_or("", |&token| self.all[token].text)
    }

    fn is_word(&self, at: usize) -> bool {
        self.code.get(at).is_some_and(|&token| self.all[token].kind == TokenKind::Word)
    }

    /// The text of some tokens, as they are now.
    fn text(&self, out: &[String], from: usize, to: usize) -> String {
        self.code[from..to].iter().map(|&token| out[token].as_str()).collect()
    }

    /// The place after the bracket that closes the one at `open`.
    fn after(&self, open: usize) -> usize {
        let mut depth = 0_usize;
        for at in open..self.code.len() {
            match self.word(at) {
                "(" | "[" | "{" => depth += 1,
                ")" | "]" | "}" => depth = depth.saturating_sub(1),
                _ => {}
            }
            if depth == 0 {
                return at + 1;
            }
        }
        self.code.len()
    }

    /// The structures at global scope.
    fn find_structures(&mut self) {
        let mut start = 0;
        let mut at = 0;
        while at < self.code.len() {
            match self.word(at) {
                "struct" if self.word(at + 2) == "{" && self.is_word(at + 1) => {
                    let end = self.after(at + 2);
                    let uniform = (start..at).find(|&at| self.word(at) == "uniform").map(|_| start);
                    let members = self.members(at + 3, end.saturating_sub(1));
                    let tokens = (at, end.saturating_sub(1));
                    let name = self.word(at + 1);
                    self.structures.insert(
                        name,
                        Structure {
                            name,
                            members,
                            tokens,
                            uniform,
                            is_mixed: false,
                            is_hollow: false,
                            samplers: 0,
                        },
                    );
                    at = end;
                }
                "{" => {
                    at = self.after(at);
                    start = at;
                }
                ";" => {
                    at += 1;
                    start = at;
                }
                _ => at += 1,
            }
        }
    }

    /// The members between two places.
    fn members(&self, from: usize, to: usize) -> Vec<Member<'t>> {
        let mut members = Vec::new();
        let mut at = from;
        while at < to {
            let end = (at..to).find(|&at| self.word(at) == ";").unwrap_or(to);
            let is_qualifier = |word: &str| matches!(word, "highp" | "mediump" | "lowp" | "const");
            let type_at = (at..end).find(|&at| !is_qualifier(self.word(at))).unwrap_or(end);
            let qualifiers: String = (at..type_at).map(|at| format!("{} ", self.word(at))).collect();
            let mut name = type_at + 1;
            while self.word(name) == "[" {
                name = self.after(name);
            }
            let of_type: String = (type_at + 1..name).map(|at| self.word(at)).collect();
            let mut begin = at;
            while name < end {
                let mut rest = name + 1;
                while self.word(rest) == "[" {
                    rest = self.after(rest);
                }
                let sizes: String = (name + 1..rest).map(|at| self.word(at)).collect();
                members.push(Member {
                    qualifiers: qualifiers.clone(),
                    type_name: self.word(type_at),
                    name: self.word(name),
                    sizes: sizes + &of_type,
                    tokens: (begin, rest.min(end)),
                });
                begin = rest;
                name = rest + 1;
            }
            at = end + 1;
        }
        members
    }

    fn is_split(&self, type_name: &str) -> bool {
        is_opaque(type_name) || self.is_mixed(type_name)
    }

    fn is_mixed(&self, type_name: &str) -> bool {
        self.structures.get(type_name).is_some_and(|of| of.is_mixed)
    }

    /// Marks the structures with a sampler, or with a structure that is marked: those are declared before.
    fn mark_mixed(&mut self) {
        for name in self.in_order() {
            let members = self.structures.get(name).map_or(&[][..], |of| &of.members);
            let is_mixed = members.iter().any(|member| self.is_split(member.type_name));
            let is_hollow = is_mixed
                && members
                    .iter()
                    .all(|member| is_opaque(member.type_name) || self.is_hollow(member.type_name));
            // Those of structures that are declared later are not counted yet: they are no part of this one.
            let samplers = members.iter().map(|member| match is_opaque(member.type_name) {
                true => 1,
                false => self.structures.get(member.type_name).map_or(0, |of| of.samplers),
            });
            let samplers = samplers.fold(0, usize::saturating_add);
            if let Some(of) = self.structures.get_mut(name) {
                (of.is_mixed, of.is_hollow, of.samplers) = (is_mixed, is_hollow, samplers);
            }
        }
    }

    fn require_few(&self, of: &Structure<'t>) -> Result<(), Problem> {
        if of.samplers <= MOST_SAMPLERS {
            return Ok(());
        }
        let before = &self.all[..self.code[of.tokens.0]];
        let line = 1 + before.iter().map(|token| token.text.matches('\n').count()).sum::<usize>();
        let says = format!(
            "structure `{}` has {} samplers, with those in its members; Vulkan has no samplers in structures, and only up to \
             {MOST_SAMPLERS} become uniforms of their own",
            of.name, of.samplers
        );
        let help = "declare the samplers outside of structures, or an array of them".to_owned();
        Err(Problem { help, line, ..Problem::new(says) })
    }

    /// The names of the structures in the order of their declarations.
    fn in_order(&self) -> Vec<&'t str> {
        let mut order: Vec<&Structure<'t>> = self.structures.values().collect();
        order.sort_by_key(|of| of.tokens);
        order.into_iter().map(|of| of.name).collect()
    }

    /// True if nothing but samplers is in a structure.
    fn is_hollow(&self, name: &str) -> bool {
        self.structures.get(name).is_some_and(|of| of.is_hollow)
    }

    /// The samplers in a structure, in order.
    fn leaves(&self, structure: &'t str) -> Vec<Leaf<'t>> {
        let mut found = Vec::new();
        let mut open = vec![(structure, Vec::new(), String::new())];
        while let Some((name, path, sizes)) = open.pop() {
            let Some(of) = self.structures.get(name) else { continue };
            for member in of.members.iter().rev() {
                let path: Vec<&str> = path.iter().copied().chain([member.name]).collect();
                let sizes = format!("{sizes}{}", member.sizes);
                if is_opaque(member.type_name) {
                    let type_name = format!("{}{}", member.qualifiers, member.type_name);
                    found.push(Leaf { path, type_name, sizes });
                } else if let Some(inner) = self.structures.get(member.type_name)
                    && inner.is_mixed
                    && inner.tokens < of.tokens
                {
                    open.push((member.type_name, path, sizes));
                }
            }
        }
        found.reverse();
        found
    }

    /// New names for the samplers of a variable.
    fn names(&self, name: &str, structure: &'t str, words: &BTreeSet<String>) -> Vec<(Vec<&'t str>, String)> {
        let named = |leaf: Leaf<'t>| {
            let plain = format!("{name}_{}", leaf.path.join("_"));
            let numbered = (2_u32..).map(|number| format!("{plain}{number}"));
            let new = std::iter::once(plain.clone()).chain(numbered).find(|new| !words.contains(new));
            (leaf.path, new.unwrap_or(plain))
        };
        self.leaves(structure).into_iter().map(named).collect()
    }

    /// The uniforms and parameters of mixed structures.
    fn variables(&self) -> Vec<Variable<'t>> {
        let mut found: Vec<Found<'t>> = Vec::new();
        let mut start = 0;
        let mut at = 0;
        while at < self.code.len() {
            match self.word(at) {
                "(" => {
                    let end = self.after(at);
                    // The parameters are visible in the body, and in the list itself.
                    let body = if self.word(end) == "{" { self.after(end) } else { end };
                    self.parameters((at + 1, end.saturating_sub(1)), (at, body), &mut found);
                    at = end;
                }
                "{" => {
                    at = self.after(at);
                    // A structure may be followed by its variables.
                    if self.word(at) == ";" || !self.is_word(at) {
                        start = at;
                    }
                }
                ";" => {
                    self.uniforms((start, at), &mut found);
                    at += 1;
                    start = at;
                }
                _ => at += 1,
            }
        }
        let mut variables = Vec::new();
        let mut words = self.words.clone();
        for (name, structure, scope, declared) in found {
            // A parameter hides the uniform of its name, and so do its samplers.
            let is_uniform = scope.1 == usize::MAX;
            let names = self.names(name, structure, if is_uniform { &words } else { &self.words });
            if is_uniform {
                words.extend(names.iter().map(|(_, new)| new.clone()));
            }
            variables.push(Variable { name, structure, names, scope, declared });
        }
        variables
    }

    fn parameters(&self, (from, to): (usize, usize), scope: (usize, usize), found: &mut Vec<Found<'t>>) {
        let mut begin = from;
        for at in from..=to {
            if at < to && self.word(at) != "," {
                continue;
            }
            let structure = (begin..at).find(|&at| self.is_mixed(self.word(at)));
            let name = structure.and_then(|structure| (structure + 1..at).find(|&at| self.is_word(at)));
            if let (Some(structure), Some(name)) = (structure, name) {
                found.push((self.word(name), self.word(structure), scope, (begin, at)));
            }
            begin = at + 1;
        }
    }

    fn uniforms(&self, (from, to): (usize, usize), found: &mut Vec<Found<'t>>) {
        let has_uniform = (from..to).any(|at| self.word(at) == "uniform");
        let Some(structure) = (from..to).find(|&at| self.is_mixed(self.word(at))).filter(|_| has_uniform)
        else {
            return;
        };
        let mut at = structure + 1;
        if self.word(at) == "{" {
            at = self.after(at);
        }
        while at < to {
            if self.is_word(at) {
                found.push((self.word(at), self.word(structure), (from, usize::MAX), (from, to)));
            }
            at += 1;
            while self.word(at) == "[" {
                at = self.after(at);
            }
            at += usize::from(self.word(at) == ",");
        }
    }

    /// Replaces a use of one of the variables that have the name at this place, in the order of their scopes.
    fn replace_use(&self, at: usize, named: &[&Variable<'t>], out: &mut [String]) {
        let before = at.checked_sub(1).map_or("", |before| self.word(before));
        if before == "." || !self.is_word(at) {
            return;
        }
        let is_it = |of: &&&Variable<'_>| at < of.scope.1 && !(of.declared.0..of.declared.1).contains(&at);
        // A parameter hides a uniform of the same name, which is declared before.
        let begun = named.partition_point(|of| of.scope.0 <= at);
        let Some(of) = named[..begun].iter().rev().find(is_it) else { return };
        let (mut structure, mut path, mut indices) = (of.structure, Vec::new(), String::new());
        let mut end = at + 1;
        loop {
            while self.word(end) == "[" {
                let after = self.after(end);
                indices += &self.text(out, end, after);
                end = after;
            }
            if self.word(end) != "." {
                break;
            }
            let members = self.structures.get(structure).map_or(&[][..], |of| &of.members);
            let Some(member) = members.iter().find(|member| member.name == self.word(end + 1)) else {
                return;
            };
            path.push(member.name);
            end += 2;
            if is_opaque(member.type_name) {
                let new = of.names.iter().find(|(known, _)| *known == path);
                let new = new.map_or_else(String::new, |(_, new)| format!("{new}{indices}"));
                self.clear(out, at, end);
                out[self.code[at]] = new;
                return;
            }
            if !self.is_mixed(member.type_name) {
                return;
            }
            structure = member.type_name;
        }
        // An argument: its samplers follow it.
        if !matches!(before, "(" | ",") || !matches!(self.word(end), ")" | ",") {
            return;
        }
        let below = of.names.iter().filter(|(known, _)| known.starts_with(&path));
        let samplers = below.map(|(_, new)| format!("{new}{indices}")).collect::<Vec<_>>().join(", ");
        match self.is_hollow(structure) {
            true => {
                self.clear(out, at, end);
                out[self.code[at]] = samplers;
            }
            false => out[self.code[end - 1]] += &format!(", {samplers}"),
        }
    }

    fn clear(&self, out: &mut [String], from: usize, to: usize) {
        self.code[from..to.min(self.code.len())].iter().for_each(|&token| out[token].clear());
    }

    /// Adds the samplers to the declarations of variables and parameters.
    fn declare(&self, variables: &[Variable<'t>], out: &mut [String]) {
        for of in variables {
            let (from, to) = of.declared;
            let is_uniform = of.scope.1 == usize::MAX;
            let own =
                (from..to).find(|&at| self.word(at) == of.name && self.word(at.wrapping_sub(1)) != "struct");
            let Some(own) = own else { continue };
            let mut end = own + 1;
            while self.word(end) == "[" {
                end = self.after(end);
            }
            let sizes = self.text(out, own + 1, end);
            let declared = self.leaves(of.structure).into_iter().zip(&of.names).map(|(leaf, (_, new))| {
                let Leaf { type_name, sizes: inner, .. } = leaf;
                format!("{type_name} {new}{sizes}{inner}")
            });
            let is_hollow = self.is_hollow(of.structure);
            if is_uniform {
                let all: String = declared.map(|of| format!(" uniform {of};")).collect();
                out[self.code[to]] += &all;
            } else {
                let all = declared.collect::<Vec<_>>().join(", ");
                let last = self.code[to - 1];
                if is_hollow {
                    self.clear(out, from, to);
                    out[last] = all;
                } else {
                    out[last] += &format!(", {all}");
                }
            }
        }
        // Uniforms of structures that vanish, after the sizes were read.
        for of in variables.iter().filter(|of| of.scope.1 == usize::MAX && self.is_hollow(of.structure)) {
            let (from, to) = of.declared;
            self.clear(out, from, to);
            if let Some(rest) = out[self.code[to]].strip_prefix(';').map(str::to_owned) {
                out[self.code[to]] = rest;
            }
        }
    }

    /// Removes the samplers from structures, and separates structures from their uniforms.
    fn remove_members(&self, out: &mut [String]) {
        for of in self.structures.values() {
            let (first, last) = of.tokens;
            if of.is_hollow {
                self.clear(out, first, last + 1);
                if of.uniform.is_none() && self.word(last + 1) == ";" {
                    self.clear(out, last + 1, last + 2);
                }
                continue;
            }
            if let Some(start) = of.uniform {
                let qualifiers: Vec<&str> = (start..first).map(|at| self.word(at)).collect();
                self.clear(out, start, first);
                out[self.code[last]] = format!("}}; {} {}", qualifiers.join(" "), of.name);
            }
            let goes = |member: &Member<'_>| is_opaque(member.type_name) || self.is_hollow(member.type_name);
            for member in of.members.iter().filter(|member| goes(member)) {
                // All declarators of a declaration have one type, and its `;` goes with the last one.
                let (from, to) = member.tokens;
                self.clear(out, from, to + 1);
            }
        }
    }
}

/// Replaces uses in macros, where they have no index.
fn in_macros(globals: &[&Variable<'_>], all: &[Token<'_>], out: &mut [String]) {
    let is_name = |c: char| c.is_alphanumeric() || c == '_';
    for (token, out) in all.iter().zip(out).filter(|(token, _)| token.kind == TokenKind::Directive) {
        for (path, new, name) in
            globals.iter().flat_map(|of| of.names.iter().map(|(path, new)| (path, new, of.name)))
        {
            let old = format!("{name}.{}", path.join("."));
            let Some(at) = out.find(&old) else { continue };
            let is_whole = !out[..at].ends_with(|c| is_name(c) || c == '.')
                && !out[at + old.len()..].starts_with(is_name);
            if token.text.contains("define") && is_whole {
                *out = out.replace(&old, new);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn done(text: &str) -> String {
        split(text).expect("few samplers").0.split_whitespace().collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn samplers_of_structures_are_uniforms_of_their_own() {
        for (text, wanted) in [
            (
                "struct M { sampler2D map, more; float shine; }; uniform M m; void main() { c = texture(m.map, uv) * m.shine + texture(m.more, uv); }",
                "struct M { float shine; }; uniform M m; uniform sampler2D m_map; uniform sampler2D m_more; void main() { c = texture(m_map, uv) * m.shine + texture(m_more, uv); }",
            ),
            (
                "struct M { highp sampler2D map[2]; float x; }; uniform M m[4]; void main() { c = texture(m[int(m[0].x)].map[1], uv); }",
                "struct M { float x; }; uniform M m[4]; uniform highp sampler2D m_map[4][2]; void main() { c = texture(m_map[int(m[0].x)][1], uv); }",
            ),
            (
                "struct T { sampler2D map; }; struct M { T base; vec4 color; }; uniform M m; vec4 f(M a, vec2 uv) { return a.color * texture(a.base.map, uv); } void main() { c = f(m, uv); }",
                "struct M { vec4 color; }; uniform M m; uniform sampler2D m_base_map; vec4 f(M a, sampler2D a_base_map, vec2 uv) { return a.color * texture(a_base_map, uv); } void main() { c = f(m, m_base_map, uv); }",
            ),
            (
                "struct T { sampler2D map; }; uniform T t, u; vec4 f(T a) { return texture(a.map, uv); } void main() { c = f(t); }",
                "uniform sampler2D t_map; uniform sampler2D u_map; vec4 f( sampler2D a_map) { return texture(a_map, uv); } void main() { c = f(t_map); }",
            ),
            (
                "uniform struct L { vec3 at; } light; void main() { c = light.at; }",
                "struct L { vec3 at; }; uniform L light; void main() { c = light.at; }",
            ),
            (
                "uniform struct L { vec3 at; samplerCube map; } l[2];",
                "struct L { vec3 at; }; uniform L l[2]; uniform samplerCube l_map[2];",
            ),
            (
                "struct M { sampler2D map; float x; }; uniform M m; float m_map; vec4 f(M m); void main() { f(m); }",
                "struct M { float x; }; uniform M m; uniform sampler2D m_map2; float m_map; vec4 f(M m, sampler2D m_map2); void main() { f(m, m_map2); }",
            ),
        ] {
            assert_eq!(done(text), wanted);
        }
    }

    #[test]
    fn a_parameter_hides_others_of_its_name_however_many_there_are() {
        let one = |at: usize| format!("float f{at}(A a) {{ return texture(a.m, vec2(0)).x; }}\n");
        let functions: String = (0..2000).map(one).collect();
        let text = format!("struct A {{ sampler2D m; float x; }};\nuniform A a;\n{functions}");
        let done = done(&text);
        assert_eq!(done.matches("(A a, sampler2D a_m) { return texture(a_m, vec2(0)).x; }").count(), 2000);
        assert!(done.contains("uniform A a; uniform sampler2D a_m;"), "{}", &done[..200]);
    }

    #[test]
    fn lines_stay_and_macros_are_replaced() {
        let text = "#define MAP m.map\nstruct M {\n  sampler2D map; // a\n  float x;\n};\nuniform M m;\nvoid main() {}\n";
        let (text, note) = split(text).expect("few samplers");
        assert_eq!(
            text,
            "#define MAP m_map\nstruct M {\n    // a\n  float x;\n};\nuniform M m; uniform sampler2D m_map;\nvoid main() {}\n"
        );
        assert_eq!(note.as_deref(), Some("samplers in structures are uniforms of their own: m.map is m_map"));
    }

    #[test]
    fn other_texts_stay() {
        for text in [
            "struct S { float x; }; uniform S s;",
            "uniform sampler2D m;",
            "struct",
            "struct A { A a; }; uniform A a;",
            "struct M { sampler2D",
            "uniform",
            "struct A { B b; sampler2D s; }; struct B { A a; }; uniform A a",
            "(",
            "{",
        ] {
            assert!(split(text).expect("few samplers").1.is_none(), "{text}");
        }
    }

    /// Structures of two structures each, over one with two samplers.
    fn nested(depth: usize) -> String {
        let one = |at: usize| format!("struct S{at} {{ S{} a, b; }};\n", at - 1);
        let nested: String = (1..depth).map(one).collect();
        format!("struct S0 {{ sampler2D a, b; }};\n{nested}uniform S{} f;\n", depth - 1)
    }

    #[test]
    fn samplers_that_multiply_are_refused_before_they_are_named() {
        let names = done(&nested(8));
        assert_eq!(names.matches("uniform sampler2D f_").count(), 256);
        for depth in [9, 30, 100, 3000] {
            let problem = split(&nested(depth)).expect_err("too many samplers");
            let at = if depth == 9 { 9 } else { problem.line };
            assert_eq!(problem.line, at);
            assert!(problem.says.contains("only up to 256"), "{}", problem.says);
        }
        // A structure that contains a later one, or itself by way of it, does not go on forever.
        let circle: String = (0..20)
            .map(|at| format!("struct C{at} {{ sampler2D s; C0 a; C19 b; C{} c; }};\n", (at + 7) % 20))
            .collect();
        assert!(split(&format!("{circle}uniform C0 f;")).is_ok());
    }
}
