//! Enumerants of the two older debug information sets, of which rspirv has only the kinds.
//!
//! From the specifications `OpenCL.DebugInfo.100` and `DebugInfo` (release 1.00, section "Binary Form").

use super::grammar::Kind;
use rspirv::grammar::debuginfo::ExtOperandKind as Old;
use rspirv::grammar::opencl_debuginfo_100::ExtOperandKind as OpenCl;

const FLAGS: &[(u32, &str)] = &[
    (0x1, "FlagIsProtected"),
    (0x2, "FlagIsPrivate"),
    (0x3, "FlagIsPublic"),
    (0x4, "FlagIsLocal"),
    (0x8, "FlagIsDefinition"),
    (0x10, "FlagFwdDecl"),
    (0x20, "FlagArtificial"),
    (0x40, "FlagExplicit"),
    (0x80, "FlagPrototyped"),
    (0x100, "FlagObjectPointer"),
    (0x200, "FlagStaticMember"),
    (0x400, "FlagIndirectVariable"),
    (0x800, "FlagLValueReference"),
    (0x1000, "FlagRValueReference"),
    (0x2000, "FlagIsOptimized"),
];

const OPENCL_FLAGS: &[(u32, &str)] =
    &[(0x4000, "FlagIsEnumClass"), (0x8000, "FlagTypePassByValue"), (0x10000, "FlagTypePassByReference")];

const OPENCL_ENCODINGS: &[(u32, &str)] = &[
    (0, "Unspecified"),
    (1, "Address"),
    (2, "Boolean"),
    (3, "Float"),
    (4, "Signed"),
    (5, "SignedChar"),
    (6, "Unsigned"),
    (7, "UnsignedChar"),
];

const OLD_ENCODINGS: &[(u32, &str)] = &[
    (0, "Unspecified"),
    (1, "Address"),
    (2, "Boolean"),
    (4, "Float"),
    (5, "Signed"),
    (6, "SignedChar"),
    (7, "Unsigned"),
    (8, "UnsignedChar"),
];

const COMPOSITES: &[(u32, &str)] = &[(0, "Class"), (1, "Structure"), (2, "Union")];

const QUALIFIERS: &[(u32, &str)] =
    &[(0, "ConstType"), (1, "VolatileType"), (2, "RestrictType"), (3, "AtomicType")];

const OPERATIONS: &[(u32, &str)] = &[
    (0, "Deref"),
    (1, "Plus"),
    (2, "Minus"),
    (3, "PlusUconst"),
    (4, "BitPiece"),
    (5, "Swap"),
    (6, "Xderef"),
    (7, "StackValue"),
    (8, "Constu"),
    (9, "Fragment"),
];

const IMPORTS: &[(u32, &str)] = &[(0, "ImportedModule"), (1, "ImportedDeclaration")];

/// A kind of operand, true if its values are masks, and the lists of its enumerants.
pub(super) type EnumerantTable = (Kind, bool, &'static [&'static [(u32, &'static str)]]);

/// Enumerants of the kinds that only occur in debug information.
pub(super) const TABLES: &[EnumerantTable] = &[
    (Kind::OpenclDebuginfo100(OpenCl::DebugInfoFlags), true, &[FLAGS, OPENCL_FLAGS]),
    (Kind::OpenclDebuginfo100(OpenCl::DebugBaseTypeAttributeEncoding), false, &[OPENCL_ENCODINGS]),
    (Kind::OpenclDebuginfo100(OpenCl::DebugCompositeType), false, &[COMPOSITES]),
    (Kind::OpenclDebuginfo100(OpenCl::DebugTypeQualifier), false, &[QUALIFIERS]),
    (Kind::OpenclDebuginfo100(OpenCl::DebugOperation), false, &[OPERATIONS]),
    (Kind::OpenclDebuginfo100(OpenCl::DebugImportedEntity), false, &[IMPORTS]),
    (Kind::Debuginfo(Old::DebugInfoFlags), true, &[FLAGS]),
    (Kind::Debuginfo(Old::DebugBaseTypeAttributeEncoding), false, &[OLD_ENCODINGS]),
    (Kind::Debuginfo(Old::DebugCompositeType), false, &[COMPOSITES]),
    (Kind::Debuginfo(Old::DebugTypeQualifier), false, &[QUALIFIERS]),
    (Kind::Debuginfo(Old::DebugOperation), false, &[OPERATIONS]),
];
