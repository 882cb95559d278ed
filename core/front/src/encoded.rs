//! Binaries written as text: a hex dump, a C array, base64, a data URL.
//!
//! Text counts as one of these only if a front end recognizes the decoded bytes; everything else is left to the
//! front ends for texts. Runs in linear time, and needs no more memory than the text.

/// The encoding of a binary as text.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Encoding {
    /// Digits of base 16, with or without offsets and a column of characters.
    Hex,
    /// Numbers between braces, as in C source.
    Array,
    /// Base 64, of either alphabet.
    Base64,
    /// The same after `data:…;base64,`.
    DataUrl,
}

/// The bytes of a binary written as text, and its encoding. None if the text is something else: `is_known` is the
/// test of the bytes.
pub(super) fn decode(text: &str, is_known: impl Fn(&[u8]) -> bool) -> Option<(Encoding, Vec<u8>)> {
    let text = text.trim();
    let found =
        if let Some((_, data)) = text.strip_prefix("data:").and_then(|rest| rest.split_once(";base64,")) {
            (Encoding::DataUrl, base64(data)?)
        } else if let Some(bytes) = arrays(text).find(|bytes| is_known(bytes)) {
            (Encoding::Array, bytes)
        } else if let Some(bytes) = hex(text).filter(|bytes| is_known(bytes)) {
            (Encoding::Hex, bytes)
        } else {
            (Encoding::Base64, base64(text)?)
        };
    is_known(&found.1).then_some(found)
}

/// Numbers between a brace and its closing brace: bytes if none is larger than 255, words otherwise. Headers that
/// compilers write may have braces in remarks before the array.
fn arrays(text: &str) -> impl Iterator<Item = Vec<u8>> + '_ {
    text.split('{').skip(1).filter_map(|after| {
        let (inside, _) = after.split_once('}')?;
        let words = inside.split(',').map(str::trim).filter(|word| !word.is_empty());
        let numbers: Option<Vec<u32>> = words.map(number).collect();
        Some(bytes_of(&numbers?))
    })
}

fn number(word: &str) -> Option<u32> {
    let word = word.trim_end_matches(['u', 'U', 'l', 'L']);
    match word.strip_prefix("0x").or_else(|| word.strip_prefix("0X")) {
        Some(digits) => u32::from_str_radix(digits, 16).ok(),
        None => word.parse().ok(),
    }
}

fn bytes_of(numbers: &[u32]) -> Vec<u8> {
    match numbers.iter().all(|&number| number < 256) {
        true => numbers.iter().map(|&number| number as u8).collect(),
        false => numbers.iter().flat_map(|number| number.to_le_bytes()).collect(),
    }
}

/// Digits, line by line. An offset before them and characters after them are ignored. Groups of eight digits
/// are words; the magic number gives their byte order.
fn hex(text: &str) -> Option<Vec<u8>> {
    let mut groups: Vec<&str> = Vec::new();
    for line in text.lines() {
        let line = line.split_once('|').map_or(line, |(digits, _)| digits);
        let (has_offset, digits) = match line.split_once(':') {
            Some((_, digits)) => (true, digits),
            None => (false, line),
        };
        // `xxd` puts two spaces before the characters.
        let digits = if has_offset { digits.trim_start().split("  ").next().unwrap_or("") } else { digits };
        groups.extend(digits.split([' ', '\t', ',', ';']).filter(|group| !group.is_empty()));
    }
    // `hexdump -C`: an offset of eight digits before the bytes.
    let is_dump = groups.first().is_some_and(|first| first.len() == 8)
        && groups.get(1).is_some_and(|next| next.len() == 2);
    if is_dump {
        groups.retain(|group| group.len() == 2);
    }
    let bare =
        |group: &&str| group.strip_prefix("0x").or_else(|| group.strip_prefix("0X")).unwrap_or(group).len();
    let has_prefix = groups.iter().all(|group| group.starts_with("0x") || group.starts_with("0X"));
    if groups.iter().all(|group| bare(group) == 8) || (has_prefix && !groups.is_empty()) {
        let words: Option<Vec<u32>> = groups.iter().map(|group| hex_number(group)).collect();
        return Some(bytes_of(&words?));
    }
    let digits: String = groups.concat();
    if !digits.len().is_multiple_of(2) || digits.is_empty() {
        return None;
    }
    let pairs = digits.as_bytes().chunks_exact(2);
    pairs.map(|pair| Some(digit(*pair.first()?)? << 4 | digit(*pair.get(1)?)?)).collect()
}

fn hex_number(group: &str) -> Option<u32> {
    let digits = group.strip_prefix("0x").or_else(|| group.strip_prefix("0X")).unwrap_or(group);
    u32::from_str_radix(digits, 16).ok()
}

fn digit(byte: u8) -> Option<u8> {
    (byte as char).to_digit(16).map(|digit| digit as u8)
}

/// Base 64 of either alphabet, padded or not; white space is ignored.
pub fn base64(text: &str) -> Option<Vec<u8>> {
    let mut out = Vec::with_capacity(text.len() / 4 * 3);
    let (mut bits, mut count) = (0u32, 0);
    for byte in text.bytes().filter(|byte| !byte.is_ascii_whitespace() && *byte != b'=') {
        let value = match byte {
            b'A'..=b'Z' => byte - b'A',
            b'a'..=b'z' => byte - b'a' + 26,
            b'0'..=b'9' => byte - b'0' + 52,
            b'+' | b'-' => 62,
            b'/' | b'_' => 63,
            _ => return None,
        };
        bits = bits << 6 | u32::from(value);
        count += 6;
        if count >= 8 {
            count -= 8;
            out.push((bits >> count) as u8);
            bits &= (1 << count) - 1;
        }
    }
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A header and no instructions.
    const BYTES: [u8; 20] = [3, 2, 0x23, 7, 0, 6, 1, 0, 0, 0, 0, 0, 9, 0, 0, 0, 0, 0, 0, 0];

    fn words() -> Vec<u32> {
        BYTES.chunks(4).map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]])).collect()
    }

    fn decode(text: &str) -> Option<(Encoding, Vec<u8>)> {
        super::decode(text, |bytes| bytes.starts_with(&BYTES[..4]))
    }

    #[test]
    fn every_encoding_of_a_binary_gives_its_bytes() {
        let plain: Vec<String> = BYTES.iter().map(|byte| format!("{byte:02x}")).collect();
        let bare: Vec<String> = words().iter().map(|word| format!("{word:08X}")).collect();
        let numbers: Vec<String> = words().iter().map(|word| format!("0x{word:08x}")).collect();
        let small: Vec<String> = BYTES.iter().map(ToString::to_string).collect();
        let xxd = "00000000: 0302 2307 0006 0100 0000 0000 0900 0000  ..#.............\n00000010: 0000 0000                                ....\n";
        let hexdump = "00000000  03 02 23 07 00 06 01 00  00 00 00 00 09 00 00 00  |..#.............|\n00000010  00 00 00 00                                       |....|\n";
        for (encoding, text) in [
            (Encoding::Hex, plain.join(" ")),
            (Encoding::Hex, plain.concat()),
            (Encoding::Hex, bare.join("\n")),
            (Encoding::Hex, numbers.join(", ")),
            (Encoding::Hex, xxd.to_owned()),
            (Encoding::Hex, hexdump.to_owned()),
            (Encoding::Array, format!("const uint32_t code[5] = {{\n  {},\n}};", numbers.join(", "))),
            (Encoding::Array, format!("unsigned char a[] = {{{}}};", small.join(","))),
            (Encoding::Base64, "AwIjBwAGAQAAAAAACQAAAAAAAAA=".to_owned()),
            (
                Encoding::DataUrl,
                "data:application/octet-stream;base64,AwIjBwAGAQAAAAAACQAAAAAAAAA=".to_owned(),
            ),
        ] {
            assert_eq!(decode(&text), Some((encoding, BYTES.to_vec())), "{text}");
        }
    }

    #[test]
    fn what_is_no_binary_is_left_alone() {
        for text in [
            "",
            "func @0() graph {",
            "deadbeef",
            "{1, 2, 3}",
            "data:text/plain;base64,AAAA",
            "OpNop",
            "{",
            "0x",
            "ä",
        ] {
            assert_eq!(decode(text), None, "{text}");
        }
    }
}
