//! A preset: a pipeline with a name, and the reason for the position of each entry. The tables are in `presets`.

/// A named pipeline.
pub struct Preset {
    /// The spelling in a pipeline.
    pub name: &'static str,
    /// One sentence.
    pub doc: &'static str,
    /// True if the entries are repeated until none changes anything.
    pub fix: bool,
    /// Entries as they would be written, each with its reason.
    pub entries: &'static [(&'static str, &'static str)],
}
