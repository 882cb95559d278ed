//! The entry point of a source in HLSL, which compilers demand by name.
//!
//! Refuses to parse: a comment, a parenthesis and a semantic are the only syntax it knows.

/// The entry point of an HLSL source: `main`, or the only function with a semantic or an attribute of the stage.
pub fn hlsl_entry(text: &str) -> Option<String> {
    let code = without_comments(text);
    let functions: Vec<(usize, &str)> = calls(&code).collect();
    if functions.iter().any(|(_, name)| *name == "main") {
        return Some("main".to_owned());
    }
    // `float4 PSMain(V v) : SV_Target`, `[numthreads(8, 8, 1)] void CSMain(`, `[shader("pixel")] float4 f(`
    let mark = ["numthreads", "[shader("].iter().find_map(|mark| code.find(mark));
    if let Some(at) = mark {
        let end = at + code[at..].find(']')?;
        return functions.iter().find(|(start, _)| *start > end).map(|(_, name)| (*name).to_owned());
    }
    let semantic = code.match_indices(')').find(|(at, _)| {
        let rest = code[at + 1..].trim_start();
        rest.strip_prefix(':').is_some_and(|rest| rest.trim_start().to_ascii_uppercase().starts_with("SV_"))
    })?;
    let mut depth = 0;
    let open = code[..=semantic.0].char_indices().rev().find(|(_, c)| {
        depth += i32::from(*c == ')') - i32::from(*c == '(');
        depth == 0
    })?;
    functions
        .iter()
        .find(|(start, name)| {
            start + name.len() <= open.0 && code[start + name.len()..open.0].trim().is_empty()
        })
        .map(|(_, name)| (*name).to_owned())
}

/// The beginning of the attribute that marks an entry point.
const MARK: &str = "[shader(";

/// The functions that a source in HLSL or Slang marks as entry points, as by `[shader("vertex")]`, in order.
pub(super) fn marked_entries(text: &str) -> Vec<String> {
    let code = without_comments(text);
    let of_mark = |(at, _): (usize, &str)| {
        // Other attributes may follow.
        let mut rest = &code[at..];
        while rest.starts_with('[') {
            rest = rest.split_once(']')?.1.trim_start();
        }
        calls(rest).next().map(|(_, name)| name.to_owned())
    };
    code.match_indices(MARK).filter_map(of_mark).collect()
}

/// The names before an opening parenthesis.
fn calls(code: &str) -> impl Iterator<Item = (usize, &str)> {
    code.match_indices('(').filter_map(|(at, _)| {
        let before = code[..at].trim_end();
        let name = before.trim_end_matches(|c: char| c.is_alphanumeric() || c == '_').len();
        (name < before.len()).then(|| (name, &before[name..]))
    })
}

/// The text with spaces in place of comments, so that positions stay.
fn without_comments(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find("//").into_iter().chain(rest.find("/*")).min() {
        out.push_str(&rest[..at]);
        let end = match rest[at..].starts_with("//") {
            true => rest[at..].find('\n'),
            false => rest[at + 2..].find("*/").map(|len| len + 4),
        };
        let comment = &rest[at..at + end.unwrap_or(rest.len() - at)];
        out.extend(comment.bytes().map(|byte| if byte == b'\n' { '\n' } else { ' ' }));
        rest = &rest[at + comment.len()..];
    }
    out + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marked_functions_are_entry_points_whatever_other_attributes_they_have() {
        let text = "[shader(\"compute\")] [numthreads(8, 1, 1)]\nvoid a() {}\n// [shader(\"x\")] void b()\n\
            [numthreads(1, 1, 1)] [shader(\"compute\")] void c() {} [shader(";
        assert_eq!(marked_entries(text), ["a", "c"]);
        assert!(marked_entries("float4 main() : SV_Target { return 0; }").is_empty());
    }

    #[test]
    fn the_entry_point_of_hlsl_is_main_or_has_a_semantic_or_an_attribute() {
        for (text, expected) in [
            (
                "float g(float x) { return x; }\nfloat4 main(float2 uv : T) : SV_Target { return g(uv.x); }",
                Some("main"),
            ),
            ("float4 PSMain(V v) : SV_Target0 { return 0; }", Some("PSMain")),
            (
                "float4 helper(float x) { return x; } float4 PS (float2 a : A, float b) : sv_target { return helper(b); }",
                Some("PS"),
            ),
            (
                "// main()\n[numthreads(8, 8, 1)]\nvoid CSMain(uint3 id : SV_DispatchThreadID) {}",
                Some("CSMain"),
            ),
            ("/* ( */ [shader(\"pixel\")] float4 f() : SV_Target { return 0; }", Some("f")),
            ("float g(float x) { return x; }", None),
            (") : SV_Target", None),
            ("\u{2192}(\u{2192}f(", None),
            ("", None),
        ] {
            assert_eq!(hlsl_entry(text).as_deref(), expected, "{text}");
        }
    }
}
