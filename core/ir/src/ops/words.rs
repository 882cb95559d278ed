//! The words of attributes as types: an enum for a key with one word, a set for a key with several.
//!
//! Each table below is the list of one kind of word, in the order of the numbers that the IR stores. From it follow the
//! spelling in the text form, the parser, the validator and the reference; code reads an attribute with
//! `attrs.word::<AtomicOp>()` or `attrs.words::<Access>()` and matches to the end.

use super::kind::Kind;
use std::fmt::Debug;

/// One word: the value of an attribute of the kind `ValueKind::Word`.
pub trait Word: Copy + Eq + Debug + 'static {
    /// Every word in the order of the numbers.
    const ALL: &'static [Self];

    /// The spelling in the text form.
    fn name(self) -> &'static str;

    /// The number that the IR stores.
    fn number(self) -> u64;

    /// The word with a number of the IR.
    fn from_number(number: u64) -> Option<Self> {
        Self::ALL.get(usize::try_from(number).ok()?).copied()
    }

    /// The word with this spelling.
    fn parse(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|word| word.name() == name)
    }
}

/// Any number of words: the value of an attribute of the kind `ValueKind::Words`.
pub trait WordSet: Copy + Eq + Debug + 'static {
    /// The set with these bits; bit `i` is word `i`.
    fn from_number(number: u64) -> Self;

    /// The bits that the IR stores.
    fn number(self) -> u64;
}

/// An enum of words. See the module doc.
#[macro_export]
macro_rules! words {
    ($(#[$meta:meta])* $name:ident; $($(#[doc = $doc:literal])+ $variant:ident $text:literal;)*) => {
        $(#[$meta])*
        #[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
        #[repr(u8)]
        pub enum $name { $($(#[doc = $doc])+ $variant,)* }

        impl $name {
            /// Every word in the order of the numbers that the IR stores.
            pub const ALL: &'static [$name] = &[$($name::$variant),*];
            /// The spellings, in the same order.
            pub const NAMES: &'static [&'static str] = &[$($text),*];

            /// The spelling in the text form.
            pub const fn name(self) -> &'static str {
                Self::NAMES[self as usize]
            }

            /// The description from the table.
            pub fn doc(self) -> &'static str {
                [$(concat!($($doc, "\n"),+)),*][self as usize].trim()
            }

            /// The word with a number of the IR.
            pub fn from_number(number: u64) -> Option<$name> {
                $crate::ops::words::Word::from_number(number)
            }

            /// The word with this spelling.
            pub fn parse(name: &str) -> Option<$name> {
                $crate::ops::words::Word::parse(name)
            }
        }

        impl $crate::ops::words::Word for $name {
            const ALL: &'static [$name] = $name::ALL;

            fn name(self) -> &'static str {
                $name::name(self)
            }

            fn number(self) -> u64 {
                self as u64
            }
        }
    };
}
pub use words;

/// A set of words. See the module doc.
macro_rules! word_set {
    ($(#[$meta:meta])* $name:ident; $($(#[doc = $doc:literal])+ $word:ident = $bit:literal $text:literal;)*) => {
        $(#[$meta])*
        #[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Default)]
        pub struct $name(u64);

        impl $name {
            /// No word.
            pub const NONE: $name = $name(0);
            $($(#[doc = $doc])+ pub const $word: $name = $name(1 << $bit);)*
            /// The spellings, in the order of the bits.
            pub const NAMES: &'static [&'static str] = &[$($text),*];

            /// Returns true if all words of `other` are in the set.
            pub const fn has(self, other: $name) -> bool {
                self.0 & other.0 == other.0
            }

            /// Returns true if any word of `other` is in the set.
            pub const fn has_any(self, other: $name) -> bool {
                self.0 & other.0 != 0
            }

            /// Returns true if no word is in the set.
            pub const fn is_none(self) -> bool {
                self.0 == 0
            }

            /// The words of either set.
            #[must_use]
            pub const fn and(self, other: $name) -> $name {
                $name(self.0 | other.0)
            }

            /// The words that `other` has too.
            #[must_use]
            pub const fn only(self, other: $name) -> $name {
                $name(self.0 & other.0)
            }

            /// The words that `other` does not have.
            #[must_use]
            pub const fn without(self, other: $name) -> $name {
                $name(self.0 & !other.0)
            }
        }

        impl $crate::ops::words::WordSet for $name {
            fn from_number(number: u64) -> $name {
                $name(number)
            }

            fn number(self) -> u64 {
                self.0
            }
        }
    };
}

words! {
    /// The storage mode of a variable, or of the variable that a path points into.
    Mode;
    /// Input from the previous stage.
    In "in";
    /// Output to the next stage.
    Out "out";
    /// Private to an invocation, for its whole lifetime.
    Private "private";
    /// Local to a function call.
    Local "local";
    /// An image, a sampler, an acceleration structure.
    Handle "handle";
    /// A uniform buffer.
    Uniform "uniform";
    /// A storage buffer.
    Storage "storage";
    /// Push constants.
    Push "push";
    /// Shared by a workgroup.
    Shared "shared";
    /// A ray's payload, hit attributes, a task's payload.
    Payload "payload";
    /// Any memory, by a physical address.
    Physical "physical";
    /// Data of a callable shader, or a shader record.
    Callable "callable";
    /// One of several modes, known only at run time (kernels).
    Generic "generic";
}

impl Mode {
    /// Returns true if a shader may write to this mode.
    pub fn is_writable(self) -> bool {
        !matches!(self, Mode::In | Mode::Handle | Mode::Uniform | Mode::Push)
    }
}

words! {
    /// The invocations that must observe an effect, or that a barrier synchronizes (SPIR-V 3.31, Scope).
    Scope;
    /// All devices.
    CrossDevice "cross_device";
    /// All invocations on the device.
    Device "device";
    /// The workgroup.
    Workgroup "workgroup";
    /// The subgroup.
    Subgroup "subgroup";
    /// The invocation alone.
    Invocation "invocation";
    /// All invocations in queues of one family.
    QueueFamily "queue_family";
    /// The invocations of one ray tracing call.
    ShaderCall "shader_call";
}

impl Scope {
    /// Returns true if a workgroup contains all invocations of the scope.
    pub fn is_within_workgroup(self) -> bool {
        match self {
            Scope::Workgroup | Scope::Subgroup | Scope::Invocation => true,
            // The invocations of a ray tracing shader belong to no workgroup.
            Scope::CrossDevice | Scope::Device | Scope::QueueFamily | Scope::ShaderCall => false,
        }
    }
}

words! {
    /// The operation that an atomic performs on memory.
    AtomicOp;
    /// Adds integers.
    IAdd "iadd";
    /// Subtracts integers.
    ISub "isub";
    /// The lesser of signed integers.
    IMin "imin";
    /// The lesser of unsigned integers.
    UMin "umin";
    /// The greater of signed integers.
    IMax "imax";
    /// The greater of unsigned integers.
    UMax "umax";
    /// Bitwise and.
    IAnd "iand";
    /// Bitwise or.
    IOr "ior";
    /// Bitwise exclusive or.
    IXor "ixor";
    /// Stores the operand.
    Exchange "exchange";
    /// Adds floats.
    FAdd "fadd";
    /// The lesser of floats.
    FMin "fmin";
    /// The greater of floats.
    FMax "fmax";
    /// Adds one, and becomes zero after the operand.
    Inc "inc";
    /// Subtracts one, and becomes the operand after zero.
    Dec "dec";
}

impl AtomicOp {
    /// The kind of number that the operation requires: `Int` is signed, `Uint` unsigned. None if integers of either
    /// signedness, or any bits, give the same result.
    pub fn kind(self) -> Option<Kind> {
        match self {
            AtomicOp::IMin | AtomicOp::IMax => Some(Kind::Int),
            AtomicOp::UMin | AtomicOp::UMax | AtomicOp::Inc | AtomicOp::Dec => Some(Kind::Uint),
            AtomicOp::FAdd | AtomicOp::FMin | AtomicOp::FMax => Some(Kind::Float),
            AtomicOp::IAdd | AtomicOp::ISub | AtomicOp::IAnd | AtomicOp::IOr | AtomicOp::IXor => None,
            AtomicOp::Exchange => None,
        }
    }

    /// Returns true for arithmetic on floats.
    pub fn is_float(self) -> bool {
        self.kind() == Some(Kind::Float)
    }
}

words! {
    /// The operation of a reduction.
    Reduction;
    /// Sum of integers.
    IAdd "iadd";
    /// Sum of floats.
    FAdd "fadd";
    /// Product of integers.
    IMul "imul";
    /// Product of floats.
    FMul "fmul";
    /// Least of signed integers.
    IMin "imin";
    /// Least of unsigned integers.
    UMin "umin";
    /// Least of floats.
    FMin "fmin";
    /// Greatest of signed integers.
    IMax "imax";
    /// Greatest of unsigned integers.
    UMax "umax";
    /// Greatest of floats.
    FMax "fmax";
    /// Bitwise and.
    IAnd "iand";
    /// Bitwise or.
    IOr "ior";
    /// Bitwise exclusive or.
    IXor "ixor";
}

impl Reduction {
    /// The kind of number that the operation requires; none if integers of either signedness give the same result.
    pub fn kind(self) -> Option<Kind> {
        match self {
            Reduction::IMin | Reduction::IMax => Some(Kind::Int),
            Reduction::UMin | Reduction::UMax => Some(Kind::Uint),
            Reduction::FAdd | Reduction::FMul | Reduction::FMin | Reduction::FMax => Some(Kind::Float),
            Reduction::IAdd | Reduction::IMul | Reduction::IAnd | Reduction::IOr | Reduction::IXor => None,
        }
    }

    /// Returns true for arithmetic on floats.
    pub fn is_float(self) -> bool {
        self.kind() == Some(Kind::Float)
    }

    /// Returns true for an operation on bits, which booleans have too.
    pub fn is_bitwise(self) -> bool {
        matches!(self, Reduction::IAnd | Reduction::IOr | Reduction::IXor)
    }

    /// Returns true if `a . a` is `a` for every integer.
    pub fn is_idempotent(self) -> bool {
        match self {
            Reduction::IMin | Reduction::UMin | Reduction::IMax | Reduction::UMax => true,
            Reduction::IAnd | Reduction::IOr => true,
            Reduction::IAdd | Reduction::IMul | Reduction::IXor => false,
            // The result of several NaNs is one of many.
            Reduction::FAdd | Reduction::FMul | Reduction::FMin | Reduction::FMax => false,
        }
    }
}

words! {
    /// The invocations whose values a reduction combines, or whose bits are counted.
    How;
    /// All active ones.
    All "all";
    /// Those before the invocation, and itself.
    Inclusive "inclusive";
    /// Those before the invocation.
    Exclusive "exclusive";
    /// Those of the cluster.
    Clustered "clustered";
}

words! {
    /// The precision of a derivative.
    Derivative;
    /// From the neighbor in the own row or column.
    Fine "fine";
    /// One value for each quad is enough.
    Coarse "coarse";
}

words! {
    /// The direction of a quad swap.
    Axis;
    /// With the neighbor in the row.
    Horizontal "horizontal";
    /// With the neighbor in the column.
    Vertical "vertical";
    /// With the opposite corner.
    Diagonal "diagonal";
}

words! {
    /// The dimension of an image (SPIR-V 3.8, Dim).
    Dim;
    /// One row of texels.
    D1 "1d";
    /// Rows of texels.
    D2 "2d";
    /// Slices of rows.
    D3 "3d";
    /// Six faces.
    Cube "cube";
    /// Rows of texels, addressed by texel.
    Rect "rect";
    /// Texels in a row, without levels.
    Buffer "buffer";
    /// The attachment at the position of the pixel.
    Subpass "subpass";
}

impl Dim {
    /// Number of coordinates that address a texel, without layer and sample.
    pub fn axes(self) -> usize {
        match self {
            Dim::D1 | Dim::Buffer => 1,
            Dim::D2 | Dim::Rect | Dim::Subpass => 2,
            Dim::D3 | Dim::Cube => 3,
        }
    }
}

words! {
    /// The extension of texel components to the width of the result.
    Extend;
    /// By the sign.
    Sign "sign";
    /// By zeros.
    Zero "zero";
}

word_set! {
    /// Guarantees and requirements of a memory access.
    Access;
    /// Each access happens, in its order.
    VOLATILE = 0 "volatile";
    /// Writes become visible to other invocations.
    COHERENT = 1 "coherent";
    /// The bytes are not used again soon.
    NONTEMPORAL = 2 "nontemporal";
    /// Other invocations access the bytes.
    NONPRIVATE = 3 "nonprivate";
    /// The memory is not written.
    READONLY = 4 "readonly";
    /// The memory is not read.
    WRITEONLY = 5 "writeonly";
    /// The resource may differ between the invocations.
    NONUNIFORM = 6 "nonuniform";
    /// No other access of the program refers to the bytes, so that the order is free.
    REORDER = 7 "reorder";
    /// The write is made available to the scope.
    AVAILABLE = 8 "available";
    /// The read sees what is available to the scope.
    VISIBLE = 9 "visible";
}

word_set! {
    /// The order of an atomic or a barrier, and the kinds of memory that it orders (SPIR-V 3.30, Memory Semantics).
    Semantics;
    /// Later accesses stay after it.
    ACQUIRE = 0 "acquire";
    /// Earlier accesses stay before it.
    RELEASE = 1 "release";
    /// Both.
    ACQ_REL = 2 "acq_rel";
    /// Both, and one order of all that have it.
    SEQ_CST = 3 "seq_cst";
    /// Buffers.
    UNIFORM_MEMORY = 4 "uniform_memory";
    /// Memory of a subgroup.
    SUBGROUP_MEMORY = 5 "subgroup_memory";
    /// Shared memory.
    WORKGROUP_MEMORY = 6 "workgroup_memory";
    /// Memory of several workgroups.
    CROSS_WORKGROUP_MEMORY = 7 "cross_workgroup_memory";
    /// Counters.
    ATOMIC_COUNTER_MEMORY = 8 "atomic_counter_memory";
    /// Images.
    IMAGE_MEMORY = 9 "image_memory";
    /// Outputs.
    OUTPUT_MEMORY = 10 "output_memory";
    /// Writes are made available.
    AVAILABLE = 11 "available";
    /// Reads see what is available.
    VISIBLE = 12 "visible";
    /// The access happens, in its order.
    VOLATILE = 13 "volatile";
}

impl Semantics {
    /// The orders after which other memory is read.
    pub const ACQUIRES: Semantics = Semantics::ACQUIRE.and(Semantics::ACQ_REL).and(Semantics::SEQ_CST);
    /// The orders before which other memory is written.
    pub const RELEASES: Semantics = Semantics::RELEASE.and(Semantics::ACQ_REL).and(Semantics::SEQ_CST);
    /// All orders.
    pub const ORDERS: Semantics = Semantics::ACQUIRES.and(Semantics::RELEASES);
    /// The kinds of memory.
    pub const MEMORIES: Semantics = Semantics::UNIFORM_MEMORY
        .and(Semantics::SUBGROUP_MEMORY)
        .and(Semantics::WORKGROUP_MEMORY)
        .and(Semantics::CROSS_WORKGROUP_MEMORY)
        .and(Semantics::ATOMIC_COUNTER_MEMORY)
        .and(Semantics::IMAGE_MEMORY)
        .and(Semantics::OUTPUT_MEMORY);
}

word_set! {
    /// How an input is interpolated, and what each of its values belongs to.
    Interp;
    /// Not at all: the value of one vertex.
    FLAT = 0 "flat";
    /// Linearly on the screen.
    NOPERSPECTIVE = 1 "noperspective";
    /// At a place that the primitive covers.
    CENTROID = 2 "centroid";
    /// At each sample.
    SAMPLE = 3 "sample";
    /// The value belongs to a patch.
    PATCH = 4 "patch";
    /// The shader interpolates (SPV_AMD_shader_explicit_vertex_parameter).
    EXPLICIT = 5 "explicit";
    /// An array with the values of all vertices.
    PER_VERTEX = 6 "per_vertex";
    /// The value belongs to a primitive.
    PER_PRIMITIVE = 7 "per_primitive";
    /// An array with the values of all views.
    PER_VIEW = 8 "per_view";
}

/// The place in a pixel at which an input is interpolated.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum InterpPlace {
    /// The center of the pixel.
    Center,
    /// A place that the primitive covers.
    Centroid,
    /// Each sample.
    Sample,
}

impl Interp {
    /// The place; that of samples, if both are stated.
    pub fn place(self) -> InterpPlace {
        match (self.has(Interp::SAMPLE), self.has(Interp::CENTROID)) {
            (true, _) => InterpPlace::Sample,
            (false, true) => InterpPlace::Centroid,
            (false, false) => InterpPlace::Center,
        }
    }
}

word_set! {
    /// Hints for a branch or loop from the source program.
    Hints;
    /// Unroll the loop.
    UNROLL = 0 "unroll";
    /// Keep the loop.
    DONT_UNROLL = 1 "dont_unroll";
    /// Execute both sides.
    FLATTEN = 2 "flatten";
    /// Branch.
    DONT_FLATTEN = 3 "dont_flatten";
    /// No iteration depends on another.
    DEPENDENCY_INFINITE = 4 "dependency_infinite";
    /// Iterations at this distance depend on each other.
    DEPENDENCY_LENGTH = 5 "dependency_length";
    /// Minimum number of iterations.
    MIN_ITERATIONS = 6 "min_iterations";
    /// Maximum number of iterations.
    MAX_ITERATIONS = 7 "max_iterations";
    /// The number of iterations is a multiple of this.
    ITERATION_MULTIPLE = 8 "iteration_multiple";
    /// Iterations to peel.
    PEEL_COUNT = 9 "peel_count";
    /// Iterations to unroll.
    PARTIAL_COUNT = 10 "partial_count";
}

word_set! {
    /// Hints for a function from the source program.
    FuncHints;
    /// Inline it.
    INLINE = 0 "inline";
    /// Do not inline it.
    DONT_INLINE = 1 "dont_inline";
    /// It writes no memory.
    PURE = 2 "pure";
    /// It neither reads nor writes memory.
    CONST = 3 "const";
    /// Do not optimize it.
    OPT_NONE = 4 "opt_none";
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ops::attr::{Keyed, ValueKind};

    fn words_match<W: Word + Keyed>() {
        let ValueKind::Word(names) = W::KEY.kind() else { panic!("{} has one word", W::KEY.name()) };
        assert_eq!(W::ALL.iter().map(|word| word.name()).collect::<Vec<_>>(), names);
        for (at, &word) in (0u64..).zip(W::ALL) {
            assert_eq!(
                (word.number(), W::from_number(at), W::parse(word.name())),
                (at, Some(word), Some(word))
            );
        }
        assert_eq!((W::from_number(names.len() as u64), W::parse("")), (None, None));
    }

    #[test]
    fn words_are_those_of_their_keys_and_parse() {
        words_match::<Mode>();
        words_match::<Scope>();
        words_match::<AtomicOp>();
        words_match::<Reduction>();
        words_match::<How>();
        words_match::<Derivative>();
        words_match::<Axis>();
        words_match::<Dim>();
        words_match::<Extend>();
        words_match::<crate::ops::Builtin>();
    }

    #[test]
    fn bits_of_sets_are_those_of_their_names() {
        let set = Access::READONLY.and(Access::VISIBLE);
        assert!(set.has(Access::READONLY) && !set.has(Access::READONLY.and(Access::VOLATILE)));
        assert!(set.has_any(Access::READONLY.and(Access::VOLATILE)) && !set.has_any(Access::VOLATILE));
        assert_eq!(
            (set.without(Access::VISIBLE), set.only(Access::VISIBLE)),
            (Access::READONLY, Access::VISIBLE)
        );
        let bit = |set: u64, names: &[&'static str]| names[set.trailing_zeros() as usize];
        assert_eq!(bit(Access::VISIBLE.number(), Access::NAMES), "visible");
        assert_eq!(bit(Semantics::VOLATILE.number(), Semantics::NAMES), "volatile");
        assert_eq!(bit(Interp::PER_VIEW.number(), Interp::NAMES), "per_view");
        assert_eq!(bit(Hints::PARTIAL_COUNT.number(), Hints::NAMES), "partial_count");
        assert_eq!(bit(FuncHints::OPT_NONE.number(), FuncHints::NAMES), "opt_none");
        assert_eq!((Semantics::MEMORIES.number(), Semantics::ORDERS.number()), (0x7f0, 0xf));
    }

    #[test]
    fn samples_come_before_the_centroid() {
        assert_eq!(Interp::NONE.place(), InterpPlace::Center);
        assert_eq!(Interp::FLAT.and(Interp::CENTROID).place(), InterpPlace::Centroid);
        assert_eq!(Interp::SAMPLE.and(Interp::CENTROID).place(), InterpPlace::Sample);
    }
}
