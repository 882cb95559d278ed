//! Text in HTML and XML.

/// Appends text with the characters escaped that mean something in elements and attributes.
pub fn escape_into(out: &mut String, text: &str) {
    for char in text.chars() {
        match char {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            char => out.push(char),
        }
    }
}

/// Text with these characters escaped.
pub fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    escape_into(&mut out, text);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_has_a_meaning_is_escaped() {
        assert_eq!(escaped("<a href=\"x\">'&'"), "&lt;a href=&quot;x&quot;&gt;'&amp;'");
    }
}
