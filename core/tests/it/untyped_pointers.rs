//! SPV_KHR_untyped_pointers: read as accesses of chosen types, run, lowered and lifted, and written as untyped pointers.
//!
//! Every program has a twin with typed pointers, with which it must agree on every trial. spirv-val is no judge here: released
//! versions of distributions do not know the extension.

use crate::compare::{compared, names};
use vitrine_core::back::{SpirvOptions, write_spirv};
use vitrine_core::front::spirv::read;
use vitrine_core::ir::Level;
use vitrine_core::pipeline::Pipeline;
use vitrine_core::spirv::{AsmOptions, Binary, DisOptions, assemble, disassembly};

/// Declarations of both programs: a block of four numbers and an array of vectors.
const HEAD: &str = r#"
               OpMemoryModel Logical GLSL450
               OpEntryPoint GLCompute %main "main" %id %in %out %tile
               OpExecutionMode %main LocalSize 4 1 1
               OpDecorate %id BuiltIn LocalInvocationId
               OpDecorate %in DescriptorSet 0
               OpDecorate %in Binding 0
               OpDecorate %out DescriptorSet 0
               OpDecorate %out Binding 1
               OpDecorate %four ArrayStride 4
               OpDecorate %many ArrayStride 4
               OpDecorate %vectors ArrayStride 16
               OpDecorate %Block Block
               OpMemberDecorate %Block 0 Offset 0
               OpMemberDecorate %Block 1 Offset 16
               OpDecorate %Tile Block
               OpMemberDecorate %Tile 0 Offset 0
               OpDecorate %Floats Block
               OpMemberDecorate %Floats 0 Offset 0
               OpMemberDecorate %Floats 1 Offset 16
       %void = OpTypeVoid
       %uint = OpTypeInt 32 0
      %float = OpTypeFloat 32
     %v3uint = OpTypeVector %uint 3
    %v4float = OpTypeVector %float 4
   %function = OpTypeFunction %void
         %u0 = OpConstant %uint 0
         %u1 = OpConstant %uint 1
         %u2 = OpConstant %uint 2
         %u4 = OpConstant %uint 4
        %u66 = OpConstant %uint 264
    %vectors = OpTypeRuntimeArray %v4float
       %many = OpTypeRuntimeArray %uint
       %four = OpTypeArray %uint %u4
       %Tile = OpTypeStruct %four
      %Block = OpTypeStruct %four %vectors
     %Floats = OpTypeStruct %v4float %vectors
  %input_ptr = OpTypePointer Input %v3uint
         %id = OpVariable %input_ptr Input
"#;

/// The body of both programs.
const BODY: &str = r#"
       %main = OpFunction %void None %function
      %entry = OpLabel
        %gid = OpLoad %v3uint %id
          %x = OpCompositeExtract %uint %gid 0
        @length
        @p
          %v = OpLoad %v4float %p
        @pu
          %w = OpLoad %uint %pu
        @tp
               OpStore %tp %w
               OpControlBarrier %u2 %u2 %u66
        @tq
         %w2 = OpLoad %uint %tq
        %sum = OpIAdd %uint %w %w2
      %total = OpIAdd %uint %sum %length
        @q
               OpStore %q %v
        @qu
               OpStore %qu %total
        @qn
        %old = OpAtomicIAdd %uint %qn %u1 %u0 %u1
               OpReturn
               OpFunctionEnd
"#;

/// A program: capabilities, declarations of pointers and variables, and the instructions that make pointers.
fn program(capabilities: &str, declarations: &str, pointers: &[(&str, &str)]) -> String {
    let body = pointers.iter().fold(BODY.to_owned(), |body, (name, text)| {
        let line = format!("@{name}\n");
        assert!(body.contains(&line), "{name}");
        body.replace(&line, &format!("%{name} = {text}\n"))
    });
    assert!(!body.contains('@'), "{body}");
    format!("OpCapability Shader\n{capabilities}{HEAD}{declarations}{body}")
}

/// The buffers are declared as `block`, and accessed as numbers all the same.
fn untyped(block: &str) -> String {
    let capabilities = "OpCapability UntypedPointersKHR\nOpCapability WorkgroupMemoryExplicitLayoutKHR\n\
                        OpExtension \"SPV_KHR_untyped_pointers\"\n\
                        OpExtension \"SPV_KHR_workgroup_memory_explicit_layout\"\n";
    let declarations = "%buffer = OpTypeUntypedPointerKHR StorageBuffer\n\
                        %shared = OpTypeUntypedPointerKHR Workgroup\n\
                        %in = OpUntypedVariableKHR %buffer StorageBuffer %BLOCK\n\
                        %out = OpUntypedVariableKHR %buffer StorageBuffer %BLOCK\n\
                        %tile = OpUntypedVariableKHR %shared Workgroup %Tile\n"
        .replace("BLOCK", block);
    let pointers = [
        ("length", "OpUntypedArrayLengthKHR %uint %BLOCK %in 1"),
        ("p", "OpUntypedAccessChainKHR %buffer %BLOCK %in %u1 %x"),
        ("pu", "OpUntypedInBoundsAccessChainKHR %buffer %many %in %x"),
        ("tp", "OpUntypedAccessChainKHR %shared %Tile %tile %u0 %x"),
        ("tq", "OpUntypedInBoundsAccessChainKHR %shared %many %tile %u1"),
        ("q", "OpUntypedPtrAccessChainKHR %buffer %v4float %out %one_past"),
        ("qu", "OpUntypedAccessChainKHR %buffer %many %out %x"),
        ("qn", "OpUntypedAccessChainKHR %buffer %four %out %u0"),
    ]
    .map(|(name, text)| (name, text.replace("BLOCK", block)));
    let pointers: Vec<(&str, &str)> = pointers.iter().map(|(name, text)| (*name, text.as_str())).collect();
    // The vectors begin one vector after the numbers: their element of the same index is the next element from the start.
    program(capabilities, &declarations, &pointers)
        .replace("%q = OpUntyped", "%one_past = OpIAdd %uint %x %u1\n%q = OpUntyped")
}

fn typed() -> String {
    let declarations = "%block_ptr = OpTypePointer StorageBuffer %Block\n\
                        %vector_ptr = OpTypePointer StorageBuffer %v4float\n\
                        %number_ptr = OpTypePointer StorageBuffer %uint\n\
                        %plain_four = OpTypeArray %uint %u4\n\
                        %tile_ptr = OpTypePointer Workgroup %plain_four\n\
                        %cell_ptr = OpTypePointer Workgroup %uint\n\
                        %in = OpVariable %block_ptr StorageBuffer\n\
                        %out = OpVariable %block_ptr StorageBuffer\n\
                        %tile = OpVariable %tile_ptr Workgroup\n";
    let pointers = [
        ("length", "OpArrayLength %uint %in 1"),
        ("p", "OpAccessChain %vector_ptr %in %u1 %x"),
        ("pu", "OpAccessChain %number_ptr %in %u0 %x"),
        ("tp", "OpAccessChain %cell_ptr %tile %x"),
        ("tq", "OpAccessChain %cell_ptr %tile %u1"),
        ("q", "OpAccessChain %vector_ptr %out %u1 %x"),
        ("qu", "OpAccessChain %number_ptr %out %u0 %x"),
        ("qn", "OpAccessChain %number_ptr %out %u0 %u0"),
    ];
    program("", declarations, &pointers)
}

fn same(programs: &[&str]) {
    let comparer = compared(programs);
    let found = names(&comparer);
    let expected: Vec<&str> = ["input"].into_iter().chain(programs.iter().skip(1).map(|_| "same")).collect();
    assert_eq!(found, expected, "{:?}", comparer.finding());
    assert!(comparer.stages().iter().skip(1).all(|stage| stage.compared >= 8));
}

/// The bytes of a program in assembly.
fn bytes(text: &str) -> Vec<u8> {
    let assembled = assemble(text, &AsmOptions::default());
    assert!(assembled.diags.is_empty(), "{:?}", assembled.diags);
    assembled.words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

/// The text of a program after a pipeline, written as SPIR-V and disassembled.
fn written(text: &str, pipeline: &str) -> String {
    let input = read(&bytes(text));
    assert!(input.diags.iter().all(|diag| diag.level != Level::Error), "{:?}", input.diags);
    let module = Pipeline::parse(pipeline).unwrap().run(&input.module, None).unwrap();
    let words =
        write_spirv(&module, SpirvOptions::default()).unwrap_or_else(|error| panic!("{pipeline}: {error}"));
    let (binary, _) = Binary::from_words(words);
    disassembly(&binary, &DisOptions::default())
}

#[test]
fn untyped_accesses_compute_as_typed_ones() {
    same(&[&typed(), &untyped("Block"), &untyped("Floats")]);
}

#[test]
fn untyped_pointers_are_written_as_such_after_every_pipeline() {
    for block in ["Block", "Floats"] {
        let input = untyped(block);
        for pipeline in
            ["spirv-out", "ingest, O2, spirv-out", "ingest, qptr, spirv-out", "ingest, qptr, O2, spirv-out"]
        {
            let text = written(&input, pipeline);
            for needed in
                ["OpUntypedVariableKHR", "OpUntypedAccessChainKHR", "OpCapability UntypedPointersKHR"]
            {
                assert!(text.contains(needed), "{pipeline}: {needed}\n{text}");
            }
            assert!(!text.contains("OpTypePointer StorageBuffer"), "{pipeline}\n{text}");
            same(&[&input, &text]);
        }
    }
}

#[test]
fn a_typed_module_gets_no_untyped_pointers() {
    let text = written(&typed(), "ingest, qptr, O2, spirv-out");
    assert!(!text.contains("Untyped"), "{text}");
}

#[test]
fn an_untyped_variable_without_a_type_is_reported() {
    let text = crate::compare::replaced(&untyped("Block"), "Workgroup %Tile", "Workgroup");
    let diags = read(&bytes(&text)).diags;
    assert!(diags.iter().any(|diag| diag.to_string().contains("has no data type")), "{diags:?}");
}
