//! The options of passes: what a pass takes, what was given to it, and [`options!`], which makes both of one list.
//!
//! An entry of the list is a field of the pass's structure: its name, its default, its limits and its description
//! stand there once, and the parser of pipelines, the catalog, the page's form and the pass read them from there.
//!
//! ```text
//! options! {
//!     /// The loops that are unrolled.
//!     struct Unrolled {
//!         choice loops: Loops {
//!             /// Every loop within the limits.
//!             All "all",
//!         }
//!         /// Largest trip count.
//!         max_trips: u32 = 32 in 0..=65_536;
//!         places given "RESOURCE=SET:BINDING" "Moves one resource.";
//!     }
//! }
//! ```
//!
//! The first word of a choice is its default. A number is named like its field, with hyphens: `max-trips=32`.

use vitrine_ir::ops::words::Word;

/// An option of a pass.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum OptionInfo {
    /// A word, and its description.
    Word(&'static str, &'static str),
    /// A number, as in `max-leaves=64`.
    Number {
        /// The name before `=`.
        name: &'static str,
        /// The description.
        doc: &'static str,
        /// The default.
        default: u32,
        /// The minimum.
        least: u32,
        /// The maximum.
        most: u32,
    },
    /// Places of named resources, as in `lights=1:3`; any number of them.
    Places {
        /// The form of one, such as `RESOURCE=SET:BINDING`.
        form: &'static str,
        /// The description.
        doc: &'static str,
    },
}

/// A place given to a resource: its name, and one number or two.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct GivenPlace {
    /// The name, or a set and a binding as in `0:3`.
    pub name: String,
    /// The numbers, one or two.
    pub numbers: Vec<u32>,
}

impl GivenPlace {
    /// Reads `NAME=NUMBER` or `NAME=NUMBER:NUMBER`. `None` for any other form.
    pub fn read(text: &str) -> Option<GivenPlace> {
        let (name, numbers) = text.rsplit_once('=')?;
        let numbers: Option<Vec<u32>> = numbers.split(':').map(|number| number.trim().parse().ok()).collect();
        let numbers = numbers.filter(|numbers| numbers.len() <= 2)?;
        let name = name.trim().to_owned();
        (!name.is_empty()).then_some(GivenPlace { name, numbers })
    }
}

impl std::fmt::Display for GivenPlace {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let numbers: Vec<String> = self.numbers.iter().map(u32::to_string).collect();
        write!(f, "{}={}", self.name, numbers.join(":"))
    }
}

impl OptionInfo {
    /// Returns the spelling: the word, or the number with its default.
    pub fn spelled(&self) -> String {
        match self {
            OptionInfo::Word(word, _) => (*word).to_owned(),
            OptionInfo::Number { name, default, .. } => format!("{name}={default}"),
            OptionInfo::Places { form, .. } => (*form).to_owned(),
        }
    }
}

/// The options given to a pass, as the text of a pipeline states them. A pass reads them as its own structure.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Options {
    /// The word; by default the pass's first one, empty if it takes none.
    pub word: &'static str,
    /// Every number that the pass takes, in the order of its entry.
    pub numbers: Vec<(&'static str, u32)>,
    /// The places, in order.
    pub places: Vec<GivenPlace>,
}

impl Options {
    /// Returns a number by name; `None` if it is not given.
    fn number(&self, name: &str) -> Option<u32> {
        self.numbers.iter().find(|(known, _)| *known == name).map(|&(_, value)| value)
    }
}

/// The options of one pass as a structure, made by [`options!`].
pub(crate) trait PassOptions: Sized {
    /// The options that the pass takes: words, numbers, places.
    const INFO: &'static [OptionInfo];

    /// The structure of what was given; what was not given has its default.
    fn of(given: &Options) -> Self;
}

/// The chosen word; the first one if none was given.
pub(crate) fn chosen<W: Word>(given: &Options) -> W {
    W::parse(given.word).unwrap_or(const { W::ALL[0] })
}

/// A number that was given by name, or its default.
pub(crate) fn number(given: &Options, name: &str, default: u32) -> u32 {
    given.number(name).unwrap_or(default)
}

/// The name of a field as options are named: hyphens for underscores. `N` is its length in bytes.
pub(crate) const fn hyphened<const N: usize>(name: &str) -> [u8; N] {
    let mut out = [0; N];
    let mut at = 0;
    while at < N {
        let byte = name.as_bytes()[at];
        out[at] = if byte == b'_' { b'-' } else { byte };
        at += 1;
    }
    out
}

/// The text of bytes that are ASCII.
pub(crate) const fn ascii(bytes: &[u8]) -> &str {
    match std::str::from_utf8(bytes) {
        Ok(text) => text,
        Err(_) => panic!("the name of an option is ASCII"),
    }
}

/// The structure of a pass's options. See the module doc.
macro_rules! options {
    ($(#[$meta:meta])* $vis:vis struct $name:ident {
        $(choice $choice:ident: $Words:ident {
            $($(#[doc = $word_doc:literal])+ $variant:ident $word:literal,)+
        })?
        $($(#[doc = $number_doc:literal])+ $number:ident: u32 = $default:literal in $least:literal..=$most:expr;)*
        $(places $places:ident $form:literal $places_doc:literal;)?
    }) => {
        $(
            /// The words that the pass takes.
            #[derive(Clone, Copy, PartialEq, Eq, Debug)]
            $vis enum $Words { $($(#[doc = $word_doc])+ $variant,)+ }

            impl vitrine_ir::ops::words::Word for $Words {
                const ALL: &'static [$Words] = &[$($Words::$variant),+];

                fn name(self) -> &'static str {
                    match self { $($Words::$variant => $word,)+ }
                }

                fn number(self) -> u64 {
                    self as u64
                }
            }
        )?

        $(#[$meta])*
        #[derive(Clone, PartialEq, Eq, Debug)]
        $vis struct $name {
            $(/// The chosen word.
            $vis $choice: $Words,)?
            $($(#[doc = $number_doc])+ $vis $number: u32,)*
            $(#[doc = $places_doc] $vis $places: Vec<$crate::options::GivenPlace>,)?
        }

        impl $crate::options::PassOptions for $name {
            const INFO: &'static [$crate::options::OptionInfo] = &[
                $($($crate::options::OptionInfo::Word($word, concat!($($word_doc),+).trim_ascii()),)+)?
                $($crate::options::OptionInfo::Number {
                    name: $crate::options::field_name!($number),
                    doc: concat!($($number_doc),+).trim_ascii(),
                    default: $default,
                    least: $least,
                    most: $most,
                },)*
                $($crate::options::OptionInfo::Places { form: $form, doc: $places_doc },)?
            ];

            fn of(given: &$crate::options::Options) -> Self {
                $name {
                    $($choice: $crate::options::chosen(given),)?
                    $($number: $crate::options::number(
                        given,
                        $crate::options::field_name!($number),
                        $default,
                    ),)*
                    $($places: given.places.clone(),)?
                }
            }
        }
    };
}
pub(crate) use options;

/// The name of the option of a field, as a constant.
macro_rules! field_name {
    ($field:ident) => {{
        const BYTES: &[u8] = &$crate::options::hyphened::<{ stringify!($field).len() }>(stringify!($field));
        const NAME: &str = $crate::options::ascii(BYTES);
        NAME
    }};
}
pub(crate) use field_name;
