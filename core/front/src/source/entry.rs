//! The entry points of a source in HLSL or Slang, and their stages.
//!
//! ```text
//! [shader("pixel")] float4 a() …             marked: the attribute states the stage
//! [numthreads(8, 8, 1)] void b() …           an attribute of one stage
//! float4 c(V v) : SV_Target { … }            a semantic of one stage, also in a structure
//! Depth PSDepth(V v) { … }                   a name, if nothing else states the stage
//! ```
//!
//! A function that another one calls is a helper, unless an attribute or its name makes it an entry point. A stage that does not
//! fit the function is an error that names the evidence: compilers accept many of them without a word.
//!
//! Refuses to parse: functions and structures at global scope, their attributes and semantics are the only syntax it knows.

use super::facts::{STAGES, stage_named, stage_of, unknown_stage};
use super::options::SourceOptions;
use super::problems::Problem;
use super::tokens::{Token, TokenKind, tokens};
use std::collections::{BTreeMap, BTreeSet};

/// A function that can be an entry point.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Entry {
    pub(super) name: String,
    /// The stages that it fits, as glslang names them, the most likely one first; empty if nothing states one.
    pub(super) stages: &'static [&'static str],
    /// The reason for the stages, such as `its result has the semantic SV_Target`.
    evidence: String,
    /// True if the source marks it, as by `[shader("vertex")]`.
    pub(super) is_marked: bool,
}

/// The entry point and the stage of a translation.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HlslChoice {
    /// The entry point; empty for all those that the source marks.
    pub entry: String,
    /// The stage, as glslang names it; empty for several entry points.
    pub stage: &'static str,
    /// True if the source states the stage.
    pub is_marked: bool,
    /// The entry points that were not chosen.
    pub others: Vec<String>,
}

/// The stage of an attribute.
const OF_ATTRIBUTES: &[(&str, &[&str])] = &[
    ("outputtopology", &["mesh"]),
    ("maxvertexcount", &["geom"]),
    ("patchconstantfunc", &["tesc"]),
    ("outputcontrolpoints", &["tesc"]),
    ("domain", &["tese"]),
    ("numthreads", &["comp", "task"]),
];

/// The stage of a semantic of a result or of an `out` parameter, without its number.
const OF_RESULTS: &[(&str, &[&str])] = &[
    ("SV_TARGET", &["frag"]),
    ("SV_DEPTH", &["frag"]),
    ("SV_DEPTHGREATEREQUAL", &["frag"]),
    ("SV_DEPTHLESSEQUAL", &["frag"]),
    ("SV_STENCILREF", &["frag"]),
    ("SV_POSITION", &["vert"]),
    ("POSITION", &["vert"]),
];

/// The same for a semantic of a parameter.
const OF_PARAMETERS: &[(&str, &[&str])] = &[
    ("SV_VERTEXID", &["vert"]),
    ("SV_INSTANCEID", &["vert"]),
    ("SV_ISFRONTFACE", &["frag"]),
    ("SV_SAMPLEINDEX", &["frag"]),
    ("SV_DISPATCHTHREADID", &["comp", "mesh", "task"]),
    ("SV_GROUPTHREADID", &["comp", "mesh", "task"]),
    ("SV_GROUPINDEX", &["comp", "mesh", "task"]),
    ("SV_GROUPID", &["comp", "mesh", "task"]),
    ("SV_DOMAINLOCATION", &["tese"]),
    ("SV_OUTPUTCONTROLPOINTID", &["tesc"]),
];

/// The stage of a word of a name, as in `VSMain`, `vs_main` and `MainVS`.
const OF_NAMES: &[(&str, &[&str])] = &[
    ("vs", &["vert"]),
    ("vert", &["vert"]),
    ("vertex", &["vert"]),
    ("ps", &["frag"]),
    ("fs", &["frag"]),
    ("pixel", &["frag"]),
    ("frag", &["frag"]),
    ("fragment", &["frag"]),
    ("cs", &["comp"]),
    ("compute", &["comp"]),
    ("gs", &["geom"]),
    ("hs", &["tesc"]),
    ("ds", &["tese"]),
];

/// The order in which entry points are preferred that nothing chooses.
const PREFERRED: [&str; 3] = ["frag", "comp", "vert"];

/// A function at global scope.
struct Function<'t> {
    name: &'t str,
    /// Words of attributes, each with the first word of its argument.
    attributes: Vec<(&'t str, &'t str)>,
    /// Semantics of the result itself.
    own: Vec<String>,
    /// Semantics of everything that goes out, and of everything that comes in.
    results: Vec<String>,
    parameters: Vec<String>,
}

/// The functions of a source that can be entry points, in order. Linear in the text.
pub(super) fn entries(text: &str) -> Vec<Entry> {
    let all: Vec<Token<'_>> = tokens(text)
        .into_iter()
        .filter(|token| !matches!(token.kind, TokenKind::Space | TokenKind::Directive))
        .collect();
    let (functions, called) = functions(&all);
    let mut out: Vec<Entry> = Vec::new();
    for function in functions {
        let found = entry_of(&function, called.contains(function.name));
        out.extend(found.filter(|found| out.iter().all(|of| of.name != found.name)));
    }
    // The attribute is complete: functions without it are helpers.
    if out.iter().any(|of| of.is_marked) {
        out.retain(|of| of.is_marked);
    }
    out
}

fn entry_of(function: &Function<'_>, is_called: bool) -> Option<Entry> {
    let (stages, evidence, is_sure) = evidence(function);
    let is_main = function.name == "main";
    let is_marked = function.attributes.iter().any(|(name, _)| *name == "shader");
    let is_entry = is_marked || is_main || (!stages.is_empty() && (is_sure || !is_called));
    is_entry.then(|| Entry { name: function.name.to_owned(), stages, evidence, is_marked })
}

/// The stages of a function, the reason, and whether that is enough for a function that is called.
fn evidence(function: &Function<'_>) -> (&'static [&'static str], String, bool) {
    let marked = function.attributes.iter().find(|(name, _)| *name == "shader");
    if let Some(stage) = marked.and_then(|(_, stage)| one_stage(stage)) {
        return (stage, "its attribute `shader` states that".to_owned(), true);
    }
    let of_attribute = OF_ATTRIBUTES
        .iter()
        .find(|(attribute, _)| function.attributes.iter().any(|(name, _)| name == attribute));
    if let Some((attribute, stages)) = of_attribute {
        return (stages, format!("it has the attribute `{attribute}`"), true);
    }
    let words = words_of(function.name);
    let named = OF_NAMES.iter().find(|(word, _)| words.iter().any(|of| of == word));
    let is_named = named.is_some();
    if let Some(color) = function.own.iter().find(|of| stem(of) == "COLOR") {
        return (&["frag"], format!("its result has the semantic {color}"), is_named);
    }
    let semantic = |table: &[(&str, &'static [&'static str])], of: &[String], whose: &str| {
        table.iter().find_map(|(semantic, stages)| {
            let found = of.iter().find(|found| stem(found) == *semantic)?;
            Some((*stages, format!("its {whose} has the semantic {found}"), is_named))
        })
    };
    if let Some(found) = semantic(OF_RESULTS, &function.results, "result")
        .or_else(|| semantic(OF_PARAMETERS, &function.parameters, "input"))
    {
        return found;
    }
    // A name alone is no evidence for a function without any semantic.
    let has_semantics = !function.results.is_empty() || !function.parameters.is_empty();
    match named.filter(|_| has_semantics) {
        Some((word, stages)) => (stages, format!("its name has the word `{word}`"), true),
        None => (&[], String::new(), false),
    }
}

/// The stage of `shader("pixel")`, as a list of one.
fn one_stage(name: &str) -> Option<&'static [&'static str]> {
    const ALL: &[&[&str]] = &[
        &["vert"],
        &["frag"],
        &["comp"],
        &["tesc"],
        &["tese"],
        &["geom"],
        &["mesh"],
        &["task"],
        &["rgen"],
        &["rint"],
        &["rahit"],
        &["rchit"],
        &["rmiss"],
        &["rcall"],
    ];
    let stage = if name == "pixel" { Some("frag") } else { stage_named(name) }?;
    ALL.iter().find(|of| of[0] == stage).copied()
}

/// A semantic without its number: `SV_TARGET1` is `SV_TARGET`.
fn stem(semantic: &str) -> &str {
    semantic.trim_end_matches(|c: char| c.is_ascii_digit())
}

/// The words of a name, in lower case: `VSMain` has `vs` and `main`.
fn words_of(name: &str) -> Vec<String> {
    let chars: Vec<char> = name.chars().collect();
    let mut words = vec![String::new()];
    for (at, &c) in chars.iter().enumerate() {
        let before = at.checked_sub(1).map(|before| chars[before]);
        let after = chars.get(at + 1);
        let begins = c.is_uppercase()
            && (before.is_some_and(char::is_lowercase)
                || before.is_some_and(char::is_uppercase) && after.is_some_and(|c| c.is_lowercase()));
        if c == '_' || begins {
            words.push(String::new());
        }
        if let Some(word) = words.last_mut().filter(|_| c.is_alphabetic()) {
            word.extend(c.to_lowercase());
        }
    }
    words
}

/// The functions at global scope, and the names of functions that are called.
fn functions<'t>(all: &[Token<'t>]) -> (Vec<Function<'t>>, BTreeSet<&'t str>) {
    let mut structs: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    let (mut found, mut called) = (Vec::new(), BTreeSet::new());
    let (mut depth, mut start, mut body) = (0_usize, 0, 0);
    for (at, token) in all.iter().enumerate() {
        match token.text {
            "{" => {
                if depth == 0 {
                    body = at;
                    found.extend(function_of(&all[start..at], &structs));
                }
                depth += 1;
            }
            "}" => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    let head = &all[start..body.max(start)];
                    if let [first, name, ..] = head
                        && matches!(first.text, "struct" | "class")
                    {
                        structs.insert(name.text, semantics(&all[body..at]));
                    }
                    start = at + 1;
                }
            }
            ";" if depth == 0 => start = at + 1,
            "(" if depth > 0 => {
                called.extend(at.checked_sub(1).map(|before| all[before].text));
            }
            _ => {}
        }
    }
    (found, called)
}

/// The semantics in the members of a structure: words after a colon.
fn semantics(body: &[Token<'_>]) -> Vec<String> {
    let is_one = |pair: &&[Token<'_>]| pair[0].text == ":" && pair[1].kind == TokenKind::Word;
    body.windows(2).filter(is_one).map(|pair| pair[1].text.to_ascii_uppercase()).collect()
}

/// The function that these tokens before a body declare, if it is one.
fn function_of<'t>(head: &[Token<'t>], structs: &BTreeMap<&str, Vec<String>>) -> Option<Function<'t>> {
    let (attributes, head) = attributes(head);
    let open = head.iter().position(|token| token.text == "(")?;
    let mut depth = 0_i32;
    let close = open
        + head[open..].iter().position(|token| {
            depth += i32::from(token.text == "(") - i32::from(token.text == ")");
            depth == 0
        })?;
    let name = head[..open].last().filter(|token| token.kind == TokenKind::Word)?;
    let of_types = |tokens: &[Token<'t>]| -> Vec<String> {
        tokens.iter().filter_map(|token| structs.get(token.text)).flatten().cloned().collect()
    };
    let own = semantics(&head[close..]);
    // A function has a type and a name before the parenthesis.
    let before = head.get(..open - 1).filter(|before| !before.is_empty())?;
    let mut function = Function {
        name: name.text,
        attributes,
        results: own.iter().cloned().chain(of_types(before)).collect(),
        own,
        parameters: Vec::new(),
    };
    let mut depth = 0_i32;
    let split = head[open + 1..close].split(|token| {
        depth += i32::from(matches!(token.text, "(" | "<" | "["))
            - i32::from(matches!(token.text, ")" | ">" | "]"));
        token.text == "," && depth == 0
    });
    for parameter in split {
        let has = |word: &str| parameter.iter().any(|token| token.text == word);
        let all: Vec<String> = semantics(parameter).into_iter().chain(of_types(parameter)).collect();
        if has("out") || has("inout") {
            function.results.extend(all.iter().cloned());
        }
        if !has("out") {
            function.parameters.extend(all);
        }
    }
    Some(function)
}

/// The attributes before a declaration, each with the first word of its argument, and the rest.
fn attributes<'t, 'h>(mut head: &'h [Token<'t>]) -> (Vec<(&'t str, &'t str)>, &'h [Token<'t>]) {
    let mut found = Vec::new();
    while head.first().is_some_and(|token| token.text == "[") {
        let mut depth = 0_i32;
        let end = head.iter().position(|token| {
            depth += i32::from(token.text == "[") - i32::from(token.text == "]");
            depth == 0
        });
        let Some(end) = end else { break };
        let mut words = head[..end].iter().filter(|token| token.kind == TokenKind::Word);
        if let Some(name) = words.next() {
            found.push((name.text, words.next().map_or("", |word| word.text)));
        }
        head = &head[end + 1..];
    }
    (found, head)
}

/// The name of a stage for people.
pub(super) fn stage_label(stage: &str) -> &'static str {
    STAGES.iter().find(|(name, ..)| *name == stage).map_or("", |(_, _, label)| label)
}

/// The entry point and the stage of an HLSL or Slang source, of its options, the name of its file and its text. Errors: an entry
/// point or a stage that is not known, and a stage that does not fit the entry point.
pub fn hlsl_choice(text: &str, name: &str, options: &SourceOptions) -> Result<HlslChoice, Problem> {
    let is_several = options.entry.is_none() && options.stage.is_none();
    match is_several && entries(text).iter().filter(|of| of.is_marked).count() > 1 {
        true => Ok(HlslChoice { is_marked: true, ..HlslChoice::default() }),
        false => hlsl_one(text, name, options),
    }
}

/// The same for a compiler that translates one entry point at a time.
pub(super) fn hlsl_one(text: &str, name: &str, options: &SourceOptions) -> Result<HlslChoice, Problem> {
    let known = entries(text);
    let wanted = match &options.stage {
        Some(stage) => {
            Some(stage_named(stage).ok_or_else(|| unknown_stage(format!("`{stage}` is not a stage")))?)
        }
        None => None,
    };
    let of_file = stage_of(name, "");
    let entry = match &options.entry {
        Some(entry) => match known.iter().find(|of| of.name == *entry) {
            Some(found) => found.clone(),
            // Slang and DXC report a function that is not defined.
            None => Entry { name: entry.clone(), stages: &[], evidence: String::new(), is_marked: false },
        },
        None => default_of(&known, wanted.or(of_file)).cloned().ok_or_else(unknown_entry)?,
    };
    let stage = match (wanted, entry.stages) {
        (Some(wanted), []) => wanted,
        (Some(wanted), stages) if stages.contains(&wanted) => wanted,
        (Some(wanted), _) => return Err(unfit(&entry, wanted, &known)),
        (None, stages) => {
            let of_file = of_file.filter(|of| stages.contains(of));
            let of_text = || stage_of(name, text).filter(|_| stages.is_empty());
            of_file
                .or(stages.first().copied())
                .or_else(of_text)
                .ok_or_else(|| unknown_stage("the stage of this source is not known".to_owned()))?
        }
    };
    let others = known.into_iter().map(|of| of.name).filter(|name| *name != entry.name).collect();
    Ok(HlslChoice { entry: entry.name, stage, is_marked: entry.is_marked, others })
}

/// The entry point without a choice: one that fits the stage, `main` before others, then by the stages that are preferred.
fn default_of<'e>(known: &'e [Entry], stage: Option<&str>) -> Option<&'e Entry> {
    let fits = |of: &&Entry| stage.is_some_and(|stage| of.stages.contains(&stage));
    let main = known.iter().find(|of| of.name == "main");
    let preferred =
        || PREFERRED.iter().find_map(|stage| known.iter().find(|of| of.stages.first() == Some(stage)));
    main.filter(fits).or_else(|| known.iter().find(fits)).or(main).or_else(preferred).or(known.first())
}

fn unfit(entry: &Entry, wanted: &str, known: &[Entry]) -> Problem {
    let Entry { name, stages, evidence, .. } = entry;
    let [own, other] = [stages[0], wanted].map(stage_label);
    let fitting = known.iter().find(|of| of.stages.contains(&wanted));
    let help = match fitting {
        Some(of) => format!("choose the stage {own}, or the entry point `{}`", of.name),
        None => format!("choose the stage {own}: the source has no entry point of the stage {other}"),
    };
    Problem {
        help,
        ..Problem::new(format!("'{name}' is an entry point of the stage {own}, not {other}: {evidence}"))
    }
}

fn unknown_entry() -> Problem {
    let help = "name it `main`, give its result a semantic such as `SV_Target`, mark it with `[shader(\"pixel\")]`, or use \
                `--source-entry`";
    Problem {
        help: help.to_owned(),
        ..Problem::new("the entry point of this source is not known".to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> Vec<(String, &'static str)> {
        entries(text).into_iter().map(|of| (of.name, of.stages.first().copied().unwrap_or(""))).collect()
    }

    fn choice(text: &str, name: &str, options: &str) -> Result<(String, &'static str), String> {
        let found = hlsl_choice(text, name, &SourceOptions::read(options));
        found.map(|of| (of.entry, of.stage)).map_err(|problem| format!("{}; {}", problem.says, problem.help))
    }

    #[test]
    fn marked_functions_are_entry_points_whatever_other_attributes_they_have() {
        let text = "[shader(\"compute\")] [numthreads(8, 1, 1)]\nvoid a() {}\n// [shader(\"x\")] void b()\n\
            [numthreads(1, 1, 1)] [shader(\"compute\")] void c() {} void d(V v) : SV_Target {} [shader(";
        assert_eq!(shown(text), [("a".to_owned(), "comp"), ("c".to_owned(), "comp")]);
    }

    #[test]
    fn an_entry_point_has_an_attribute_a_semantic_or_a_name_of_its_stage() {
        for (text, name, stage) in [
            (
                "float g(float x) { return x; }\nfloat4 main(float2 uv : T) : SV_Target { return g(uv.x); }",
                "main",
                "frag",
            ),
            ("float4 PSMain(V v) : SV_Target0 { return 0; }", "PSMain", "frag"),
            (
                "float4 helper(float x) { return x; } float4 P (float2 a : A, float b) : sv_target { return helper(b); }",
                "P",
                "frag",
            ),
            (
                "// main()\n[numthreads(8, 8, 1)]\nvoid CSMain(uint3 id : SV_DispatchThreadID) {}",
                "CSMain",
                "comp",
            ),
            ("/* ( */ [shader(\"pixel\")] float4 f() : SV_Target { return 0; }", "f", "frag"),
            (
                "struct V { float4 p : SV_Position; };\nV go(float3 p : POSITION) { V v; return v; }",
                "go",
                "vert",
            ),
            ("void go(float3 p : POSITION, out float4 q : SV_Position) {}", "go", "vert"),
            ("struct O { float4 c[2] : SV_Target; }; O go() { O o; return o; }", "go", "frag"),
            ("struct V { float4 p : SV_Position; };\nvoid shadow_ps(V v) {}", "shadow_ps", "frag"),
            ("[maxvertexcount(3)] void g(triangle V v[3], inout TriangleStream<V> s) {}", "g", "geom"),
            ("[domain(\"tri\")] V d(float3 at : SV_DomainLocation) { V v; return v; }", "d", "tese"),
            (
                "[domain(\"tri\")] [outputcontrolpoints(3)] V h(uint i : SV_OutputControlPointID) { V v; return v; }",
                "h",
                "tesc",
            ),
            ("[outputtopology(\"triangle\")] [numthreads(1, 1, 1)] void m() {}", "m", "mesh"),
            ("float4 old(float2 uv : TEXCOORD0) : COLOR { return 0; }", "old", "frag"),
        ] {
            assert_eq!(shown(text), [(name.to_owned(), stage)], "{text}");
        }
        for text in [
            "float g(float x) { return x; }",
            ") : SV_Target",
            "\u{2192}(\u{2192}f(",
            "",
            "{}}{",
            "static int SV_Target;",
            "[",
            "void f(",
        ] {
            assert!(shown(text).is_empty(), "{text}");
        }
    }

    const BOTH: &str = "struct V { float4 p : SV_Position; float2 uv : UV; };\n\
        V made(float3 p) { V v; v.p = float4(p, 1); v.uv = p.xy; return v; }\n\
        V VSMain(float3 p : POSITION) { return made(p); }\n\
        float4 PSMain(V v) : SV_Target { return v.uv.xyxy; }\n";

    #[test]
    fn a_file_with_two_shaders_has_both_entry_points_and_each_its_stage() {
        assert_eq!(shown(BOTH), [("VSMain".to_owned(), "vert"), ("PSMain".to_owned(), "frag")]);
        for (name, options, entry, stage) in [
            ("", "", "PSMain", "frag"),
            ("", "stage=vert", "VSMain", "vert"),
            ("", "entry=VSMain", "VSMain", "vert"),
            ("a.vs.hlsl", "", "VSMain", "vert"),
            ("a.vert.hlsl", "entry=PSMain", "PSMain", "frag"),
            ("", "entry=gone\nstage=comp", "gone", "comp"),
        ] {
            assert_eq!(choice(BOTH, name, options), Ok((entry.to_owned(), stage)), "{name} {options}");
        }
    }

    #[test]
    fn a_stage_that_does_not_fit_is_an_error_with_the_reason() {
        let wrong = choice(BOTH, "", "entry=PSMain\nstage=vert").unwrap_err();
        assert!(wrong.contains("'PSMain' is an entry point of the stage fragment, not vertex: its result has the semantic SV_TARGET"), "{wrong}");
        assert!(wrong.contains("the entry point `VSMain`"), "{wrong}");
        let pixel = "float4 main() : SV_Target { return 0; }";
        assert!(
            choice(pixel, "", "stage=vertex").unwrap_err().contains("no entry point of the stage vertex")
        );
        assert!(choice(pixel, "", "stage=moon").unwrap_err().contains("`moon` is not a stage"));
        assert!(choice("void main() {}", "", "").unwrap_err().contains("stage"));
        assert_eq!(choice("void main() {}", "", "stage=vert"), Ok(("main".to_owned(), "vert")));
        let marked = "[shader(\"vertex\")] float4 a() : SV_Position { return 0; } [shader(\"pixel\")] float4 b() : SV_Target { return 0; }";
        assert_eq!(choice(marked, "", ""), Ok((String::new(), "")));
        assert_eq!(choice(marked, "", "stage=frag"), Ok(("b".to_owned(), "frag")));
        assert_eq!(choice(marked, "", "entry=a"), Ok(("a".to_owned(), "vert")));
        assert!(choice(marked, "", "entry=a\nstage=frag").unwrap_err().contains("its attribute"));
    }

    #[test]
    fn names_have_words() {
        for (name, words) in [
            ("VSMain", "vs main"),
            ("vs_main", "vs main"),
            ("MainPS", "main ps"),
            ("PS2", "ps"),
            ("vsSky", "vs sky"),
        ] {
            assert_eq!(words_of(name).join(" "), words);
        }
    }
}
