//! Attributes: the constant part of an instruction (its variable, alignment, scope and so on).
//!
//! One table lists the keys and the kinds of their values; an entry of an op table lists the keys that the
//! operation takes. Printer, parser and validator work from the table and have no special case for a single
//! key.

use super::builtin::Builtin;
use super::words::{
    Access, AtomicOp, Axis, Derivative, Dim, Extend, FuncHints, Hints, How, Interp, Mode, Reduction, Scope,
    Semantics,
};
use serde::{Deserialize, Serialize};
use std::fmt;

/// The kind of a key's value, which determines its spelling.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ValueKind {
    /// Present or absent; no value.
    Flag,
    /// An unsigned number of at most 32 bits.
    Number,
    /// A signed number of at most 32 bits.
    Signed,
    /// One word from a list.
    Word(&'static [&'static str]),
    /// Any number of words from a list, joined by `+`; bit `i` is word `i`.
    Words(&'static [&'static str]),
    /// A list of operand roles, one per operand.
    Roles,
    /// Component numbers, four bits each, as many as the result has components.
    Components,
    /// A member number, written as `.2` after the first operand.
    Member,
    /// An entity of the module or the function.
    Entity(EntityKind),
}

/// The table that an entity value indexes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum EntityKind {
    /// Interned constant bits, spelled as a literal.
    Const,
    /// Module constant.
    Global,
    /// Variable.
    Var,
    /// Function.
    Func,
    /// Register of the function.
    Reg,
    /// Full type.
    Type,
    /// Interned words, stored without interpretation.
    Blob,
    /// Interned text.
    Text,
}

/// One attribute: a key and its value.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Attr {
    /// The key.
    pub key: Key,
    /// The value, encoded as `key.kind()` describes.
    pub value: u64,
}

impl Attr {
    /// An attribute.
    pub const fn new(key: Key, value: u64) -> Attr {
        Attr { key, value }
    }

    /// An attribute that is a word.
    pub fn word<W: super::words::Word + Keyed>(word: W) -> Attr {
        Attr { key: W::KEY, value: word.number() }
    }
}

impl fmt::Debug for Attr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}={:#x}", self.key.name(), self.value)
    }
}

macro_rules! keys {
    ($($(#[doc = $doc:literal])+ $variant:ident $name:literal $kind:expr;)*) => {
        /// Every attribute key.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
        #[repr(u8)]
        pub enum Key { $($(#[doc = $doc])+ $variant,)* }

        const KEYS: &[(&str, &str, ValueKind)] = &[$(($name, concat!($($doc, "\n"),+), $kind),)*];

        impl Key {
            /// Every key in table order, which is also printing order.
            pub const ALL: &'static [Key] = &[$(Key::$variant),*];
        }
    };
}

impl Key {
    /// The spelling in the text form.
    pub fn name(self) -> &'static str {
        KEYS[self as usize].0
    }

    /// The description from the table.
    pub fn doc(self) -> &'static str {
        KEYS[self as usize].1.trim()
    }

    /// The kind of the value.
    pub fn kind(self) -> ValueKind {
        KEYS[self as usize].2
    }

    /// Returns the key with this spelling.
    pub fn from_name(name: &str) -> Option<Key> {
        Key::ALL.iter().copied().find(|key| key.name() == name)
    }
}

/// Words, or a set of words, that are the value of a key.
pub trait Keyed {
    /// The key. Another one may have such a value too, as `exec` has a scope and `order_else` an order.
    const KEY: Key;
}

macro_rules! keyed {
    ($($words:ident $key:ident;)*) => {
        $(impl Keyed for $words {
            const KEY: Key = Key::$key;
        })*
    };
}

keyed! {
    Access Access;
    AtomicOp Atomic;
    Axis Axis;
    Builtin BuiltIn;
    Derivative Derivative;
    Dim Dim;
    Extend Extend;
    FuncHints FuncHint;
    Hints Hint;
    How How;
    Interp Interp;
    Mode Mode;
    Reduction Reduce;
    Scope Scope;
    Semantics Order;
}

use EntityKind as E;
use ValueKind::{Components, Entity, Flag, Member, Number, Roles, Signed, Word, Words};

keys! {
    // The subject of an instruction.
    /// The bits of a constant.
    Const "const" Entity(E::Const);
    /// The module constant to read.
    Global "global" Entity(E::Global);
    /// The variable.
    Var "var" Entity(E::Var);
    /// The function that is called.
    Func "func" Entity(E::Func);
    /// The register that is read or written.
    Reg "reg" Entity(E::Reg);
    /// The full type that a path points at.
    Type "type" Entity(E::Type);
    /// Storage mode that a path points into: the mode of its variable.
    Mode "mode" Word(Mode::NAMES);
    /// Component of the operand for each component of the result.
    Components "components" Components;
    /// Member of the structure, counted from 0.
    Field "field" Member;

    // Memory.
    /// Largest power of two that divides the address, in bytes.
    Align "align" Number;
    /// Guarantees and requirements of a memory access.
    Access "access" Words(Access::NAMES);
    /// Invocations that must observe the effect.
    Scope "scope" Word(Scope::NAMES);
    /// Memory ordering of an atomic or a barrier.
    Order "order" Words(Semantics::NAMES);
    /// Memory ordering of a compare-and-exchange that fails.
    OrderElse "order_else" Words(Semantics::NAMES);
    /// Operation that an atomic performs on memory.
    Atomic "atomic" Word(AtomicOp::NAMES);
    /// Components that are written: bit `i` is component `i`.
    Mask "mask" Number;
    /// Constant offset in bytes.
    Offset "offset" Signed;
    /// Bytes from one element to the next.
    Stride "stride" Number;
    /// Number of bytes that may be accessed from the start, if known.
    Range "range" Number;
    /// The variable is untyped memory of this many bytes; its type only records the declaration.
    Bytes "bytes" Number;
    /// Uses of the bytes, as found by `qptr-analyze`.
    Usage "usage" Entity(E::Text);

    // Interfaces.
    /// Interface location.
    Location "location" Number;
    /// First component within the location.
    Component "component" Number;
    /// Dual-source blending index.
    Index "index" Number;
    /// System value by its SPIR-V name in snake case.
    BuiltIn "builtin" Word(Builtin::NAMES);
    /// How an input is interpolated.
    Interp "interp" Words(Interp::NAMES);
    /// Vertex stream.
    Stream "stream" Number;
    /// Descriptor set.
    Set "set" Number;
    /// Binding within the set.
    Binding "binding" Number;
    /// Element of the array of resources at that binding; 0 if it is not given.
    Element "element" Number;
    /// Input attachment.
    Attachment "attachment" Number;
    /// Register of the resource in HLSL, if it is not the binding.
    Register "register" Number;
    /// Space of that register.
    Space "space" Number;
    /// Index of the resource in the arguments of Metal, if one was chosen.
    MetalIndex "metal_index" Number;
    /// Binding of the resource in GLSL ES 3.10, if it is not the declared one.
    EsslBinding "essl_binding" Number;
    /// Group of the resource in WGSL, if it is not the set.
    WgslGroup "wgsl_group" Number;
    /// Binding in that group.
    WgslBinding "wgsl_binding" Number;
    /// Identifier of a specialization constant.
    SpecId "spec_id" Number;
    /// Transform feedback buffer.
    XfbBuffer "xfb_buffer" Number;
    /// Transform feedback stride in bytes.
    XfbStride "xfb_stride" Number;
    /// Every computation of this value gives the same bits (SPIR-V Invariant).
    Invariant "invariant" Flag;
    /// Medium precision suffices (SPIR-V RelaxedPrecision).
    Relaxed "relaxed" Flag;
    /// Other variables may alias the memory.
    Aliased "aliased" Flag;
    /// No other variable aliases the memory.
    Restrict "restrict" Flag;
    /// The structure is a buffer or interface block.
    Block "block" Flag;
    /// The structure is a storage buffer block, in the encoding used before SPIR-V 1.3.
    BufferBlock "buffer_block" Flag;

    /// SPIR-V number of the storage class, for a mode that covers several classes.
    Class "class" Number;

    // Groups.
    /// The group of invocations that a barrier synchronizes.
    Exec "exec" Word(Scope::NAMES);
    /// The operation of a reduction.
    Reduce "reduce" Word(Reduction::NAMES);
    /// Invocations whose values a reduction combines.
    How "how" Word(How::NAMES);
    /// Invocations per cluster.
    Cluster "cluster" Number;
    /// Precision of a derivative.
    Derivative "derivative" Word(Derivative::NAMES);
    /// Direction of a quad swap.
    Axis "axis" Word(Axis::NAMES);

    // Images.
    /// Dimension of the image.
    Dim "dim" Word(Dim::NAMES);
    /// The image has layers.
    Arrayed "arrayed" Flag;
    /// The image has samples.
    Multisampled "multisampled" Flag;
    /// The lookup compares with a reference.
    Shadow "shadow" Flag;
    /// The result has a residency code as an additional last component.
    Sparse "sparse" Flag;
    /// Extension of texel components to the result width.
    Extend "extend" Word(Extend::NAMES);
    /// The role of each operand.
    Roles "roles" Roles;

    // Control hints from the source module.
    /// Hints for a branch or loop from the source program.
    Hint "hint" Words(Hints::NAMES);
    /// Parameters of the hints that take one, in this order: dependency length, iteration counts, peel and
    /// unroll counts.
    HintArgs "hint_args" Entity(E::Blob);
    /// Hints for a function from the source program.
    FuncHint "func_hint" Words(FuncHints::NAMES);

    // SPIR-V content that passes through unchanged.
    /// Opcode of a SPIR-V instruction that the IR has no operation for.
    Opcode "opcode" Number;
    /// Literal operands of that instruction; its value operands are the operands of the IR instruction.
    Words "words" Entity(E::Blob);
    /// Text that belongs to the instruction, such as a printf format.
    Text "text" Entity(E::Text);
}

macro_rules! roles {
    ($($(#[doc = $doc:literal])+ $variant:ident $name:literal;)*) => {
        /// The role of an operand of an image operation.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
        #[repr(u8)]
        pub enum Role { $($(#[doc = $doc])+ $variant,)* }

        impl Role {
            /// Every role.
            pub const ALL: &'static [Role] = &[$(Role::$variant),*];

            /// The spelling in the text form.
            pub fn name(self) -> &'static str {
                [$($name),*][self as usize]
            }

            /// The description from the table.
            pub fn doc(self) -> &'static str {
                [$(concat!($($doc, "\n"),+)),*][self as usize].trim()
            }
        }
    };
}

roles! {
    /// The image, or a combined image and sampler.
    Image "image";
    /// The sampler, if it is separate from the image.
    Sampler "sampler";
    /// Coordinate of the lookup: floats for sampling, integers for fetching.
    Coord "coord";
    /// Divides the coordinate before the lookup.
    Projector "projector";
    /// Level of detail.
    Lod "lod";
    /// Added to the implicit level of detail.
    Bias "bias";
    /// Derivative of the coordinate in the x direction of the screen.
    Ddx "ddx";
    /// Derivative of the coordinate in the y direction of the screen.
    Ddy "ddy";
    /// Texels added to the coordinate.
    Offset "offset";
    /// Four offsets: x of the first, y of the first, x of the second, and so on.
    Offsets "offsets";
    /// Reference value of the depth comparison.
    Compare "compare";
    /// Sample number.
    Sample "sample";
    /// Component to gather.
    Component "component";
    /// Minimum level of detail.
    MinLod "min_lod";
    /// The texel to be written.
    Texel "texel";
}

/// Maximum number of operands with a role.
pub const MAX_ROLES: usize = 12;
const ROLE_BITS: u32 = 5;

impl Role {
    /// Returns the role with this spelling.
    pub fn from_name(name: &str) -> Option<Role> {
        Role::ALL.iter().copied().find(|role| role.name() == name)
    }

    /// Packs at most `MAX_ROLES` roles into an attribute value; the rest is dropped.
    pub fn pack(roles: &[Role]) -> u64 {
        roles
            .iter()
            .take(MAX_ROLES)
            .enumerate()
            .fold(0, |packed, (at, &role)| packed | (role as u64 + 1) << (at as u32 * ROLE_BITS))
    }

    /// Unpacks the roles of an attribute value.
    pub fn unpack(packed: u64) -> impl Iterator<Item = Role> {
        (0..MAX_ROLES as u32).map_while(move |at| {
            let code = packed >> (at * ROLE_BITS) & ((1 << ROLE_BITS) - 1);
            let index = code.checked_sub(1)?;
            Role::ALL.get(index as usize).copied()
        })
    }
}

/// The letters of components 0 to 15, as in `%4.xyz`.
pub const COMPONENT_LETTERS: &str = "xyzwabcdefghijkl";

/// Packs component numbers (0 to 15, at most 16 of them) into an attribute value.
pub fn pack_components(components: &[u8]) -> u64 {
    components
        .iter()
        .take(16)
        .enumerate()
        .fold(0, |packed, (at, &component)| packed | u64::from(component & 15) << (4 * at))
}

/// Component `at` of a packed swizzle.
pub fn unpack_component(packed: u64, at: usize) -> u8 {
    if at < 16 { (packed >> (4 * at) & 15) as u8 } else { 0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique_and_documented() {
        for &key in Key::ALL {
            assert_eq!(Key::from_name(key.name()), Some(key));
            assert!(key.doc().ends_with('.'), "the doc of {} must end with a period", key.name());
        }
        for &role in Role::ALL {
            assert_eq!(Role::from_name(role.name()), Some(role));
            assert!(role.doc().ends_with('.'));
        }
    }

    #[test]
    fn roles_and_components_unpack_to_the_packed_values() {
        let roles = [Role::Image, Role::Sampler, Role::Coord, Role::Texel];
        assert_eq!(Role::unpack(Role::pack(&roles)).collect::<Vec<_>>(), roles);
        let all: Vec<Role> = Role::ALL.iter().copied().take(MAX_ROLES).collect();
        assert_eq!(Role::unpack(Role::pack(&all)).collect::<Vec<_>>(), all);
        let packed = pack_components(&[3, 0, 15, 1]);
        assert_eq!([0, 1, 2, 3].map(|at| unpack_component(packed, at)), [3, 0, 15, 1]);
    }

    #[test]
    fn words_fit_their_value() {
        for &key in Key::ALL {
            if let Words(list) = key.kind() {
                assert!(list.len() <= 32, "{}", key.name());
            }
        }
    }
}
