//! Issue forms of trackers that an address fills in.
//!
//! GitHub answers an address of more than 8,191 bytes with an error, and browsers and proxies have limits of their own: an
//! address has at most [`MOST_URL_BYTES`]. The text is the longest of the given ones that fits; otherwise the form has the
//! title only, and the report is pasted. Refuses to open or send anything.

use vitrine_protocol::IssueForm;

/// The largest address, in bytes.
pub const MOST_URL_BYTES: usize = 8_000;

/// Characters of a title; trackers cut longer ones.
const MOST_TITLE: usize = 200;

/// Trackers: name, address of the form, names of the fields for title and text.
const TRACKERS: [(&str, &str, [&str; 2]); 8] = [
    ("SPIRV-Tools", "https://github.com/KhronosGroup/SPIRV-Tools/issues/new", GITHUB),
    ("SPIRV-Cross", "https://github.com/KhronosGroup/SPIRV-Cross/issues/new", GITHUB),
    ("glslang", "https://github.com/KhronosGroup/glslang/issues/new", GITHUB),
    ("DirectXShaderCompiler", "https://github.com/microsoft/DirectXShaderCompiler/issues/new", GITHUB),
    ("Slang", "https://github.com/shader-slang/slang/issues/new", GITHUB),
    ("wgpu and naga", "https://github.com/gfx-rs/wgpu/issues/new", GITHUB),
    ("Rust GPU", "https://github.com/Rust-GPU/rust-gpu/issues/new", GITHUB),
    ("Mesa", "https://gitlab.freedesktop.org/mesa/mesa/-/issues/new", GITLAB),
];
const GITHUB: [&str; 2] = ["title", "body"];
const GITLAB: [&str; 2] = ["issue[title]", "issue[description]"];

/// The forms of all trackers with a title and the first of these texts that fits.
pub fn forms(title: &str, texts: &[&str]) -> Vec<IssueForm> {
    let title: String = title.chars().take(MOST_TITLE).collect();
    let of = |&(tracker, address, [title_field, text_field]): &(&'static str, &str, [&str; 2])| {
        let start = format!("{address}?{}={}", encoded(title_field), encoded(&title));
        let with = |text: &str| format!("{start}&{}={}", encoded(text_field), encoded(text));
        let fits =
            |(_, text): &(usize, &&str)| text.len() < MOST_URL_BYTES && with(text).len() <= MOST_URL_BYTES;
        let text = texts.iter().enumerate().find(fits);
        let url = text.map_or_else(|| start.clone(), |(_, text)| with(text));
        IssueForm { tracker: tracker.to_owned(), url, text: text.map(|(number, _)| number as u32) }
    };
    TRACKERS.iter().map(of).collect()
}

/// The text with every byte that has a meaning in an address as `%` and two digits.
fn encoded(text: &str) -> String {
    let mut out = String::new();
    for byte in text.bytes() {
        match byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            true => out.push(char::from(byte)),
            false => out.push_str(&format!("%{byte:02X}")),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_has_the_longest_text_that_fits() {
        let long = "`ä` & ".repeat(2_000);
        for (texts, wanted) in
            [(&["short", "x"][..], Some(0)), (&[&long, "a b#c"], Some(1)), (&[&long], None), (&[], None)]
        {
            for form in forms("a: b & c", texts) {
                assert_eq!(form.text, wanted, "{}", form.url);
                assert!(form.url.len() <= MOST_URL_BYTES && form.url.is_ascii());
                assert!(
                    form.url.contains("title") && form.url.contains("=a%3A%20b%20%26%20c"),
                    "{}",
                    form.url
                );
            }
        }
        let forms = forms("t", &[&long, "a b#c"]);
        assert!(forms[0].url.ends_with("?title=t&body=a%20b%23c"), "{}", forms[0].url);
        let last = forms.last().expect("a form");
        assert!(last.url.ends_with("?issue%5Btitle%5D=t&issue%5Bdescription%5D=a%20b%23c"), "{}", last.url);
    }

    #[test]
    fn the_longest_title_fits() {
        for form in forms(&"\u{1F600}".repeat(1_000), &[]) {
            assert!(form.url.len() <= MOST_URL_BYTES, "{}", form.url.len());
        }
    }
}
