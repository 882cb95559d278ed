//! Text output: tokens with a class and a link, line by line.
//!
//! Printers use classes and anchors, never colors, markup or escape codes; those belong to `sinks`.

use vitrine_ir::Anchor;

macro_rules! classes {
    ($($(#[doc = $doc:literal])+ $variant:ident $name:literal;)*) => {
        /// The kind of a token, which determines its color and nothing else.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        #[repr(u8)]
        pub enum Class { $($(#[doc = $doc])+ $variant,)* }

        impl Class {
            /// Every class, by number.
            pub const ALL: &'static [Class] = &[$(Class::$variant),*];

            /// The name, also of the style class on the page.
            pub fn name(self) -> &'static str {
                [$($name),*][self as usize]
            }
        }
    };
}

classes! {
    /// White space and everything without a class of its own.
    Plain "plain";
    /// A word of the language: `func`, `if`, `next`.
    Keyword "keyword";
    /// An operation.
    Op "op";
    /// An operation on untyped pointers, displayed differently from the others.
    Qptr "qptr";
    /// A SPIR-V operation that passes through unchanged.
    Raw "raw";
    /// A flag of an operation.
    Flag "flag";
    /// A value.
    Value "value";
    /// A block.
    Block "block";
    /// A node of the tree.
    Node "node";
    /// A variable, register, module constant, function or structure.
    Name "name";
    /// A type.
    Type "type";
    /// A literal.
    Number "number";
    /// A quoted text.
    Text "text";
    /// The key of an attribute.
    Attr "attr";
    /// Brackets, commas, colons.
    Punct "punct";
    /// A remark that is not part of the program.
    Note "note";
    /// An error.
    Error "error";
}

/// The link of a token.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Link {
    /// No link.
    None,
    /// The token defines the entity.
    Def(Anchor),
    /// The token refers to the entity.
    Use(Anchor),
}

/// A boundary of a foldable range.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fold {
    /// The range begun by the previous line continues up to the matching `Close`.
    Open,
    /// The end of the range.
    Close,
}

/// Accepts text token by token.
pub trait Sink {
    /// A token. `text` has no line break in it.
    fn put(&mut self, class: Class, text: &str, link: Link);

    /// Begins a line, `depth` levels in.
    fn open_line(&mut self, depth: usize);

    /// Ends a line.
    fn close_line(&mut self);

    /// A boundary of a foldable range. Sinks without folding ignore it.
    fn fold(&mut self, at: Fold) {
        let _ = at;
    }
}

/// Maximum indentation level: keeps text linear in the program at any nesting.
pub(super) const MAX_INDENT: usize = 32;

/// The indentation of a level.
pub fn indent(depth: usize) -> &'static str {
    const SPACES: &str = "                                                                ";
    &SPACES[..depth.min(MAX_INDENT) * 2]
}
