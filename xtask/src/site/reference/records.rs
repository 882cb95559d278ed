//! The output of `web/examples/reference`: an entry of the catalog after the other, as blocks of Markdown and HTML.
//!
//! ```text
//! @page rule<tab>iadd_zero<tab>group<tab>One sentence.
//! @markdown 120                     that number of bytes, and the end of a line
//! @html 2048
//! ```

/// An entry of the catalog.
#[derive(Debug, PartialEq)]
pub struct Record {
    /// The folder of its kind.
    pub kind: String,
    /// Its name.
    pub name: String,
    /// The heading under which the index of its kind lists it; may be empty.
    pub group: String,
    /// One sentence.
    pub summary: String,
    pub blocks: Vec<Block>,
}

/// A part of its page.
#[derive(Debug, PartialEq)]
pub enum Block {
    Markdown(String),
    Html(String),
}

impl Record {
    /// The path of its page below the site, with a slash at the end.
    pub fn address(&self) -> String {
        format!("ref/{}/{}/", self.kind, self.name)
    }
}

/// Parses records; none for another form.
pub fn parse(mut text: &str) -> Option<Vec<Record>> {
    let mut out: Vec<Record> = Vec::new();
    while !text.is_empty() {
        let (head, rest) = text.split_once('\n')?;
        text = rest;
        if let Some(fields) = head.strip_prefix("@page ") {
            let fields: Vec<&str> = fields.splitn(4, '\t').collect();
            let [kind, name, group, summary] = fields[..] else { return None };
            let [kind, name, group, summary] = [kind, name, group, summary].map(str::to_owned);
            out.push(Record { kind, name, group, summary, blocks: Vec::new() });
            continue;
        }
        let (kind, length) = head.split_once(' ')?;
        let (content, rest) = text.split_at_checked(length.parse().ok()?)?;
        text = rest.strip_prefix('\n').unwrap_or(rest);
        let block = match kind {
            "@markdown" => Block::Markdown(content.to_owned()),
            "@html" => Block::Html(content.to_owned()),
            _ => return None,
        };
        out.last_mut()?.blocks.push(block);
    }
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_are_read_by_the_lengths_of_their_blocks() {
        let text = "@page op\tfadd\tFloat\tAdds.\n@markdown 7\n@page x\n@html 3\n<b>\n@page op\tfsub\tFloat\tSubtracts.\n";
        let records = parse(text).unwrap();
        assert_eq!(records.len(), 2);
        assert_eq!(records[0].address(), "ref/op/fadd/");
        let blocks = [Block::Markdown("@page x".to_owned()), Block::Html("<b>".to_owned())];
        assert_eq!(records[0].blocks, blocks);
        assert!(parse("@html 3\n<b>\n").is_none() && parse("words\n").is_none());
    }
}
