//! Every kind of diagnostic: its code, its meaning, and a repair.
//!
//! The checks of the validator and the kinds of undefined behavior have tables of their own, which are used here; the table
//! of this file has all others. A code is stable, is never used for another kind, and is the address of the kind in the
//! reference. A test requires that every code in the sources is listed, and that every listed code is used.
//!
//! The sentences describe a kind. The message of a diagnostic names the parts of the program, and often the repair.

use crate::interp::UbKind;
use crate::validate::CHECKS;

/// A kind of diagnostic.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct DiagInfo {
    /// The code of its messages.
    pub(super) code: &'static str,
    /// The part of the compiler that reports it.
    pub(super) group: &'static str,
    /// The problem, or for the validator the property that a valid program has.
    pub(super) doc: &'static str,
    /// A repair; empty if the message has it.
    pub(super) repair: &'static str,
}

/// The group of the diagnostics of the validator.
pub(super) const VALIDATOR: &str = "Validator";

/// The group of undefined behavior.
const EXECUTION: &str = "Undefined behavior of a run";

/// Every kind: those of the validator, of undefined behavior, and all others by code.
pub(super) fn all() -> impl Iterator<Item = DiagInfo> {
    let checks = CHECKS.iter().map(|check| DiagInfo {
        code: check.code,
        group: VALIDATOR,
        doc: check.sentence,
        repair: "",
    });
    let reports = UbKind::ALL.iter().map(|ub| DiagInfo {
        code: ub.code(),
        group: EXECUTION,
        doc: ub.says(),
        repair: "",
    });
    checks.chain(reports).chain(OTHERS.iter().copied())
}

macro_rules! kinds {
    ($($group:literal { $($code:ident $doc:literal $repair:literal;)* })*) => {
        const OTHERS: &[DiagInfo] = &[$($(DiagInfo {
            code: stringify!($code),
            group: $group,
            doc: $doc,
            repair: $repair,
        },)*)*];
    };
}

kinds! {
    "Inputs" {
        I001 "The input is a source in a language that is not read" "Compile it to SPIR-V with the command in the message";
        I002 "The input is a binary format that is not read" "Convert it to SPIR-V with the command in the message";
        I003 "The form of the input is not recognized" "Expected are SPIR-V, Direct3D 9 programs, and IR text";
        I004 "The input has more diagnostics than are listed" "Fix the first ones: others may follow from them";
        I005 "A text is not valid UTF-8" "Save the file as UTF-8";
        I006 "A log or an archive has no program" "Create the log again: it may have been cut off";
        I007 "A log or an archive cannot be taken apart" "Open the programs themselves";
        I008 "A front end reports an error in a source" "Fix the source at the position of the message";
        I009 "The compiler of a source language did not run" "Install it, or name it as the message describes";
        I010 "A front end, or what prepares a source for it, has a remark" "Nothing has to be changed: the program was compiled";
    }
    "Parser of IR text" {
        P001 "Another token is expected" "Write the form that the message names";
        P002 "An operation does not exist" "Use the suggested name, or look it up in the list of operations";
        P003 "An id is already defined" "Give one of the definitions an unused number";
        P004 "The value of an attribute or a case is not a valid number or word" "Write a value that the attribute accepts";
        P005 "An id has no number, or one that is too large" "End the id with a number, as in `%sum_12`";
        P006 "A literal does not fit its type" "Write one number for each component, such as `7`, `-1`, `0xff` or `1.5`";
        P007 "An attribute or a declaration has another form" "Write the form that the message shows";
        P008 "A type is missing, and nothing determines it" "State it, as in `%3: b32x4 = …`";
        P009 "The number of selected components is not that of the result" "Select as many components as the result has";
        P010 "A line is in the wrong place of a function" "Begin a block with a label, and end it with one terminator";
        P011 "A word is not one of the known ones" "Use the suggested word";
        P012 "The text is 4 GiB or larger" "Split it";
    }
    "Passes" {
        P101 "A pass is applied to a function that does not exist" "Name a function of the module";
        P102 "An edge of a graph leads to no block, or cannot be expressed in a tree" "Run the validator first, or use `structurize{faithful}`";
        P103 "A pass cannot edit the function" "Run the validator first, or use the variant that the message names";
        P110 "A tree has an exit that the target cannot express" "Run `lower-exits` for the target first";
        P111 "Exits are checked in a graph" "Run `structurize` first";
        P112 "A pointer has no origin in the program" "Derive it from a variable, or declare its mode";
        P113 "A pointer refers to memory of two storage classes" "Select between loaded values, or use one variable for each pointer";
        P114 "A function is called with too many sets of pointer modes" "Raise `max-copies`, or run `inline-functions` first";
        P115 "An initializer holds pointers together with other data" "Run `lower-variable-initializers` first";
        P116 "A function returns an untyped pointer" "Run `inline-functions` first";
        P117 "Accesses to memory match no type" "Run `qptr-analyze` to see the accesses, or `qptr-specialize` first";
        P118 "A place of a resource cannot be chosen" "Name a resource of the module, and a place that no other resource has";
        P190 "A tree differs from the graph it was made from" "This is an error of the structurizer: report it with the program";
    }
    "Pipelines" {
        L001 "A pass does not exist" "Use the suggested name, or look it up in the list of passes";
        L002 "An option of a pass does not exist, or its value is out of range" "Use an option that the page of the pass lists";
        L003 "A pass leaves an invalid program" "This is an error of the pass: report it with the program";
        L004 "A group of passes is not closed, is empty, or nests too deep" "Close each `(` with `)`";
        L005 "Passes of a group undo each other" "Remove one of the passes from the group";
        L006 "A group still changes the program after its largest number of iterations" "Allow more iterations, as in `fix(20: …)`";
    }
    "Interpreter" {
        X001 "An operation, a type or a stage cannot be run" "Run another entry point, or lower the operation first";
        X002 "The inputs of a run do not fit the program" "Correct the input that the message names";
        X003 "An entry point does not exist" "Choose an entry point of the module";
    }
    "SPIR-V words and text" {
        S100 "There are more diagnostics than are kept" "Fix the first ones";
        S101 "The input does not end with a whole word" "The file may be cut off";
        S102 "The header is wrong" "Check that the input is SPIR-V, and that it is complete";
        S103 "A word of the header is unusual" "Compact the ids, and set the reserved word to 0";
        S104 "An instruction has a length of 0 words" "The length is the upper half of the first word of an instruction";
        S105 "An instruction is longer than the module" "The file may be cut off, or an earlier length may be wrong";
        S110 "The operands of an instruction do not fit the grammar" "Compare the instruction with the specification";
        S111 "An opcode is unknown" "The module may be newer than this compiler";
        S112 "An id is 0, or not less than the bound" "Raise the bound in the header, or correct the id";
        S113 "An enumerant is unknown" "It is kept as a number; correct it if it is wrong";
        S120 "The text has more diagnostics than are kept" "Fix the first ones";
        S121 "A line does not begin with an instruction" "Begin it with an instruction such as `OpLoad`, or with a result id and `=`";
        S122 "A result id is missing, or is not allowed" "Write `%name = ` before instructions that have a result, and only there";
        S123 "An instruction has more words than its length can hold" "Split it";
        S124 "An operand is missing, or there are too many" "Write the operands of the grammar";
        S125 "A number is not valid, or does not fit" "Write a number of the operand's type";
        S126 "An id is not spelled as one" "An id is `%` with letters, digits and `_`";
        S127 "A string is not valid" "Put it between quotes";
        S128 "A name of an enumerant, an operation or an instruction set is unknown" "Use the suggested name";
    }
    "Reader of SPIR-V" {
        S001 "The header, or the length of an instruction, cannot be read" "Check that the module is complete";
        S002 "An opcode or an enumerant is unknown" "The module may be newer than this compiler";
        S003 "An instruction is too short, or is in the wrong section" "Compare the layout with that of the specification";
        S004 "An id is defined twice, is not defined, or is something else" "Define each id once, before its use";
        S005 "A type is not valid" "Correct the declaration of the type";
        S006 "A constant is not valid" "Correct the constant";
        S007 "The operands of an instruction have the wrong types" "Use operands of the types that the instruction requires";
        S008 "Blocks, branches or phis do not fit each other" "Give each block a label and a terminator, and each phi a value for each predecessor";
        S009 "The IR cannot express a construct" "Remove the construct, or the extension that it belongs to";
        S010 "An instruction is left out because it does not change the program" "Nothing has to be repaired";
        S011 "A composite has too many parts to be split" "Use a smaller composite, or keep it in a variable";
    }
    "Direct3D 9 programs" {
        D100 "The program has more diagnostics than are kept" "Fix the first ones";
        D101 "The version token is missing or unknown" "A program begins with a version such as `ps_3_0`";
        D102 "The program has no end token" "The file may be cut off";
        D103 "An instruction cannot be decoded" "Check the word that the message names";
        D104 "A comment is longer than the program" "The file may be cut off";
        D105 "The version of the program does not have an instruction" "Raise the version, or use another instruction";
        D106 "The program does not end with a whole word" "The file may be cut off";
        D110 "A container is shorter than its header states" "The file may be cut off";
        D111 "A chunk of a container is out of its bounds" "The file may be damaged";
        D121 "A text has no version" "Begin it with a version such as `ps_3_0`";
        D122 "A line cannot be assembled" "Repair it as the message describes";
        D123 "A line cannot be assembled, and no repair is known" "Compare it with the reference of the shader model";
        D131 "Branches and loops are not closed" "Close each `if`, `loop` and `rep` in order";
        D132 "A register cannot be read" "Read a register that the shader model has";
        D133 "A register cannot be written" "Write a register that the shader model has for results";
        D134 "A comparison has an unknown number" "Use a comparison from 1 to 6";
        D135 "Rows of a matrix are missing" "Write all instructions of the matrix";
        D136 "A label is missing, occurs twice, or is before its call" "Define each label once, after the calls";
        D141 "The header of the table of constants is damaged" "Create the table again";
        D142 "An offset in the table of constants is out of its bounds" "Create the table again";
        D143 "A string of the table of constants is not valid" "End it with a byte 0";
        D144 "A register set, a class or a base type is unknown" "Use a number that the message lists";
        D145 "A member of a structure has no valid type" "Create the table again";
        D146 "Parts of the table of constants overlap too often" "Give strings and types bytes of their own";
        D147 "The table of constants is too large" "Use fewer constants or shorter names";
    }
    "Writer of Direct3D 9 programs" {
        D151 "The module has no entry point that can be written" "Write a vertex or a fragment shader";
        D152 "Shader model 3 has no instruction for a construct" "Lower it, or remove it";
        D153 "Shader model 3 has no such type or number" "Use floats, and integers of at most 24 bits";
        D154 "A limit of shader model 3 is exceeded" "Use fewer registers, levels or instructions";
        D155 "Shader model 3 has no such memory" "Pass the data as an input or a constant";
    }
    "Writers" {
        W100 "A back end does not exist, or nothing was written" "Choose a back end of the catalog";
        W101 "A function is no tree, or has registers that are not allowed" "Run the preset of the target first";
        W102 "SPIR-V has no instruction for an operation" "Run the preset `spirv-legalize` first";
        W103 "The full type of a value is unknown" "Declare the type, or run the preset of the target first";
        W104 "A declaration cannot be written as SPIR-V" "Change the declaration that the message names";
        W105 "An instruction has more than 65,535 words" "Split it";
        W201 "No entry point, or none of a stage that the language has" "Choose a stage of the language";
        W202 "The language has no such operation" "Run the pass that the message names";
        W203 "The language has no such type or variable" "Run the preset of the target first";
        W204 "A function is no tree, or has an exit that the language does not have" "Run the preset of the target first";
        W205 "Two resources have the same register, index or binding in the language" "Choose another place for one of them by `assign-slots`";
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;
    use std::path::Path;

    /// The codes in quotes, and those of the tables of `validate`, in the files of a folder.
    fn codes(root: &Path) -> BTreeSet<String> {
        let mut out = BTreeSet::new();
        let mut folders = vec![root.to_path_buf()];
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    folders.push(path);
                } else if path.extension().is_some_and(|kind| kind == "rs") {
                    let text = std::fs::read_to_string(&path).unwrap();
                    let quoted = text.split('"').filter(|word| is_code(word));
                    out.extend(quoted.map(str::to_owned));
                }
            }
        }
        out
    }

    fn is_code(word: &str) -> bool {
        let mut letters = word.chars();
        word.len() == 4
            && letters.next().is_some_and(|first| "DEILPSUWX".contains(first))
            && letters.all(|letter| letter.is_ascii_digit())
    }

    #[test]
    fn every_code_of_the_sources_is_listed_and_every_listed_code_is_used() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        // The crates below the compiler are folders beside its sources; its tests are no sources.
        let folders = std::fs::read_dir(root).unwrap().map(|entry| entry.unwrap().path().join("src"));
        let crates = folders.filter(|folder| folder.join("lib.rs").is_file());
        let used: BTreeSet<String> =
            crates.chain([root.join("src")]).flat_map(|folder| codes(&folder)).collect();
        let listed: BTreeSet<String> = all().map(|info| info.code.to_owned()).collect();
        let unlisted: Vec<&String> = used.difference(&listed).collect();
        assert!(unlisted.is_empty(), "no entry describes {unlisted:?}");
        // The validator reports its codes by the names of constants.
        let unused: Vec<&DiagInfo> = OTHERS.iter().filter(|info| !used.contains(info.code)).collect();
        assert!(unused.is_empty(), "nothing reports {unused:?}");
        assert!(listed.len() > 200, "{}", listed.len());
    }

    #[test]
    fn a_code_has_one_kind_and_every_kind_a_repair() {
        let codes: Vec<&str> = all().map(|info| info.code).collect();
        let unique: BTreeSet<&&str> = codes.iter().collect();
        assert_eq!(unique.len(), codes.len());
        for info in OTHERS {
            assert!(!info.doc.ends_with('.') && !info.repair.is_empty(), "{}", info.code);
        }
    }
}
