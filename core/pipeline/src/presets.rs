//! Presets: pipelines with a name, and the reason for the position of each entry.
//!
//! A preset is a pipeline text like any other. Refuses to add behavior that its entries do not have.

use super::preset::Preset;
use super::presets_d3d9::{SM2, SM3};

/// Every preset.
pub const PRESETS: &[Preset] = &[
    Preset {
        name: "ingest",
        doc: "Prepares a program for optimization after reading it.",
        fix: false,
        entries: &[
            (
                "structurize{imported}",
                "Runs first, while the importer's merge blocks are known. Later passes preserve trees.",
            ),
            ("dead-cf", "Unreachable code would keep variables alive."),
            ("regs-to-values", "Programs for early hardware keep every value in a register."),
            (
                "vars-to-values",
                "Front ends put every value into a variable, which other passes cannot see through.",
            ),
            ("copy-prop", "Promoting variables leaves copies, and parameters with a single source."),
            ("dce", "Removes instructions that were only used by the stores of promoted variables."),
        ],
    },
    Preset {
        name: "O1",
        doc: "Optimizes within functions, repeated until nothing changes.",
        fix: true,
        entries: &[
            ("vars-to-values", "Runs first: no other pass of this preset sees through memory."),
            ("copy-prop", "Rules and value numbering compare operands, so copies must be gone."),
            ("constant-fold", "Runs before the rules, which leave arithmetic on constants to it."),
            ("algebraic{plain}", "Runs after folding, so that rules that need a constant find one."),
            ("cse", "Runs after the rules, which give equal computations equal forms."),
            (
                "dead-cf",
                "Runs after constant folding, when branch conditions are known. Removing a block also removes its block parameters.",
            ),
            ("dce", "Runs last: leftover instructions would count as uses in the next iteration."),
        ],
    },
    Preset {
        name: "O2",
        doc: "Optimizes across calls, memory, branches and loops as well, repeated until nothing changes.",
        fix: true,
        entries: &[
            (
                "inline-functions",
                "Runs first: arguments and results become values of one function, and access paths become known.",
            ),
            (
                "global-vars-to-local",
                "After inlining, a private variable that one function uses becomes its local.",
            ),
            (
                "vars-to-values",
                "Promotes the locals of inlined callees, and arguments that were passed by address.",
            ),
            ("split-struct-vars", "Members of the remaining variables are independent of each other."),
            (
                "split-array-vars",
                "Runs after structures are split, which makes their arrays variables. Elements with constant indices become variables too.",
            ),
            (
                "find-array-copies",
                "Front ends split aggregate copies into elements; `copy-prop-vars` sees through a single copy.",
            ),
            ("copy-prop-vars", "Replaces repeated loads by one, and loads of a copy by loads of its source."),
            (
                "load-store-vectorize{components}",
                "Runs after redundant loads are gone: components of a vector that are still loaded one by one are loaded together.",
            ),
            ("dead-write-vars", "Runs after redundant loads are gone, when their stores may be dead."),
            (
                "large-constants",
                "Replaces tables that are stored element by element by constants with a dynamic index.",
            ),
            ("one-value-vars", "Handles arrays filled with a single value, which `large-constants` leaves."),
            ("remove-dead-variables", "Removes variables that are only stored to."),
            ("copy-prop", "Rules and value numbering compare operands, so copies must be gone."),
            (
                "remove-trivial-params",
                "Replaces parameters whose incoming values are equal or undefined by one value, for all passes below.",
            ),
            (
                "opt-undef",
                "A select with an undefined side becomes the other side, which the rules can then see.",
            ),
            ("constant-fold", "Runs before the rules, which leave arithmetic on constants to it."),
            (
                "opt-range",
                "Uses the bounds that branches give, before the rules: they rely on ranges of unsigned numbers.",
            ),
            ("algebraic{plain}", "Runs after folding, so that rules that need a constant find one."),
            ("cse", "Runs after the rules, which give equal computations equal forms."),
            ("shrink-vectors", "Runs after CSE: values of different widths are no longer equal."),
            ("licm", "Runs after CSE, so that a loop has one copy of each invariant value."),
            (
                "loop-unroll{smaller, max-trips=8, max-insts=128}",
                "Runs after `licm`, so that an iteration is small; passes below fold what becomes constant. Larger limits grow code more than they save.",
            ),
            ("if-constant-arm", "Makes conditions inside branches constant, for `dead-cf`."),
            ("if-merge-adjacent", "Merges adjacent branches before common code is searched in them."),
            ("if-hoist-common", "Makes branches small enough to become selects."),
            ("if-select-of-params", "Removes a select and the parameter that it used."),
            ("opt-loop", "Merges two exits of a loop into one."),
            (
                "trivial-continues",
                "Runs after exits are merged; the exits that it removes free nodes for `dead-cf`.",
            ),
            (
                "if-unnest",
                "Runs after all passes that look into branches: code outside a branch needs no parameter to leave it.",
            ),
            (
                "dead-cf",
                "Runs after constant folding, when branch conditions are known. Removing a block also removes its block parameters.",
            ),
            (
                "peephole-select",
                "Runs when only dynamic conditions are left and branches are as small as they get.",
            ),
            ("dce", "Runs last: leftover instructions would count as uses in the next iteration."),
        ],
    },
    Preset {
        name: "qptr",
        doc: "Lowers memory to bytes and lifts it back: the quasi-pointers of SPIR-T.",
        fix: false,
        entries: &[
            (
                "structurize{imported}",
                "Runs first, while the importer's merge blocks are known: the last pass needs a tree.",
            ),
            ("qptr-lower", "Removes the types of memory; accesses name the bytes they read and write."),
            (
                "qptr-infer-storage{shaders}",
                "Runs on untyped pointers: a shader has no generic ones, and a path of one mode is none of another.",
            ),
            (
                "qptr-analyze",
                "Records at each declaration how its bytes are used; `qptr-lift` derives types from that.",
            ),
            ("qptr-legalize", "Turns pointers that a target cannot express into offsets from a declaration."),
            (
                "qptr-specialize",
                "Runs after `qptr-legalize`, when more pointers have a known base: those passed to calls.",
            ),
            ("qptr-lift", "Recovers types from the bytes, with the names they had."),
            ("cse", "Merges access paths that several blocks compute."),
            ("dce", "Removes unused constants of indices."),
            ("lower-var-copies{unlike}", "SPIR-V copies only between types of equal layout."),
            (
                "lower-exits{spirv}",
                "Runs last: passes that move exits may leave one that SPIR-V cannot express.",
            ),
        ],
    },
    Preset {
        name: "spirv-out",
        doc: "Rewrites an optimized program to forms that suit SPIR-V, and removes those that SPIR-V cannot express.",
        fix: false,
        entries: &[
            (
                "algebraic-late",
                "Runs once, after `algebraic`: it replaces canonical forms by cheaper ones, which `algebraic` would undo.",
            ),
            ("constant-fold", "Folds constants that the late rules created."),
            ("cse", "Merges negations that the late rules inserted at each use."),
            ("dce", "Removes instructions that the late rules left unused."),
            ("spirv-legalize", "Runs last: any pass may leave a construct that SPIR-V cannot express."),
        ],
    },
    Preset {
        name: "spirv-legalize",
        doc: "Removes the constructs that SPIR-V cannot express, and nothing else. Writing SPIR-V runs it.",
        fix: false,
        entries: &[
            (
                "structurize{imported}",
                "SPIR-V has structured control flow. The importer's merge blocks are kept.",
            ),
            ("lower-var-copies{unlike}", "SPIR-V copies only between types of equal layout."),
            ("alu-to-spirv", "SPIR-V has some arithmetic for kernels or for 32 bits only."),
            (
                "lower-discard-if",
                "SPIR-V terminates invocations without a condition. Runs before `lower-exits`, because it adds branches.",
            ),
            ("lower-exits{spirv}", "Runs last: earlier passes add exits that SPIR-V cannot express."),
        ],
    },
    Preset {
        name: "glsl-out",
        doc: "Removes the constructs that GLSL cannot express and temporaries of front ends, and nothing else. Writing GLSL runs it.",
        fix: false,
        entries: &[
            (
                "structurize{imported}",
                "The target has structured control flow. The importer's merge blocks are kept.",
            ),
            (
                "inline-functions{addresses}",
                "The target passes no addresses: parameters are copied in and out.",
            ),
            (
                "promote-params",
                "Front ends pass addresses of temporaries; arguments that are only read are values.",
            ),
            ("call-slots", "The same: a variable that is copied to a temporary and back is passed itself."),
            ("combine-stores{parts}", "Front ends store `v.xyz = a` component by component."),
            ("qptr-lower{computed}", "The target has no pointers that are selected or advanced."),
            (
                "qptr-legalize{all}",
                "Such a pointer becomes an index, or a branch for each memory that it may be of.",
            ),
            ("qptr-lift", "The target has no byte offsets."),
            ("lower-layout{glsl}", "Buffers have the layouts std140, std430 and scalar only."),
            ("qptr-lift", "The target has no byte offsets. The pass before leaves them for such buffers."),
            ("lower-variable-initializers{outputs}", "The target has no initial values of outputs."),
            (
                "lower-var-copies{blocks}",
                "Structures of different declarations cannot be assigned to each other, and no blocks.",
            ),
            ("alu-to-spirv", "The target lacks the same arithmetic as SPIR-V of shaders."),
            ("lower-alu{mul-high}", "The target has high products only as results of a call with two."),
            ("lower-alu{carry}", "The same for carries and borrows."),
            ("lower-alu{rotate}", "The target has no rotations."),
            ("lower-alu{dot}", "The target has no packed dot products."),
            (
                "lower-alu{quantize}",
                "The target cannot round floats to 16 bits without losing subnormal numbers.",
            ),
            ("lower-frexp", "The target has both parts only as results of one call."),
            ("lower-atomics", "The target compares texels as the type of the image."),
            (
                "lower-continue{keep-steps}",
                "The target has a block at the end of each iteration only as the step of a `for`.",
            ),
            ("lower-fall-through", "The target has no labels: each would be a level of nesting."),
            ("lower-exits{glsl}", "Runs after `lower-continue`, which adds exits of labeled blocks."),
            (
                "values-to-regs",
                "The target has variables instead of parameters of blocks. Runs when no pass adds one.",
            ),
        ],
    },
    Preset {
        name: "essl-out",
        doc: "Removes the constructs that GLSL ES 3.00 cannot express and temporaries of front ends, and nothing else. Writing GLSL ES 3.00 runs it.",
        fix: false,
        entries: &[
            (
                "structurize{imported}",
                "The target has structured control flow. The importer's merge blocks are kept.",
            ),
            (
                "inline-functions{separate}",
                "The target passes no addresses: parameters are copied in and out. It has no images without samplers.",
            ),
            (
                "promote-params",
                "Front ends pass addresses of temporaries; arguments that are only read are values.",
            ),
            ("call-slots", "The same: a variable that is copied to a temporary and back is passed itself."),
            ("flatten-resource-arrays{buffers}", "The target has no arrays of arrays of blocks."),
            ("combine-stores{parts}", "Front ends store `v.xyz = a` component by component."),
            ("qptr-lower{computed}", "The target has no pointers that are selected or advanced."),
            (
                "qptr-legalize{all}",
                "Such a pointer becomes an index, or a branch for each memory that it may be of.",
            ),
            ("qptr-lift", "The target has no byte offsets."),
            ("lower-layout{essl}", "Uniform buffers have the layout std140 only."),
            ("qptr-lift", "The target has no byte offsets. The pass before leaves them for such buffers."),
            ("lower-variable-initializers{outputs}", "The target has no initial values of outputs."),
            (
                "io-to-temporaries{nested}",
                "Elements of inputs and outputs that become variables are not indexed.",
            ),
            ("lower-var-copies{nested}", "Copies of whole inputs and outputs are of elements now."),
            (
                "io-arrays-to-elements{nested}",
                "The target has no arrays of structures, and no arrays in structures, as inputs and outputs.",
            ),
            ("io-to-vector{widen}", "The target has no inputs and outputs that begin inside of a location."),
            (
                "lower-var-copies{blocks}",
                "Structures of different declarations cannot be assigned to each other, and no blocks.",
            ),
            (
                "lower-indirect-derefs{resources}",
                "The target indexes arrays of images and of blocks by constants only.",
            ),
            ("alu-to-spirv", "The target lacks the same arithmetic as SPIR-V of shaders."),
            ("lower-alu{mul-high}", "The target has high products only as results of a call with two."),
            ("lower-alu{carry}", "The same for carries and borrows."),
            ("lower-alu{rotate}", "The target has no rotations."),
            ("lower-alu{dot}", "The target has no packed dot products."),
            ("lower-alu{fields}", "The target has no fields of bits."),
            ("lower-alu{positions}", "The target has no positions of bits."),
            ("lower-alu{counts}", "The target has no counts of bits; the positions above need them."),
            ("lower-alu{ldexp}", "The target has no such product."),
            ("lower-packing{fractions}", "The target has such packing for two components only."),
            (
                "lower-alu{quantize}",
                "The target cannot round floats to 16 bits without losing subnormal numbers.",
            ),
            ("lower-frexp", "The target has both parts only as results of one call."),
            ("lower-demote", "The target has `discard` only, after which derivatives are undefined."),
            (
                "lower-continue{keep-steps}",
                "The target has a block at the end of each iteration only as the step of a `for`.",
            ),
            ("lower-fall-through", "The target has no labels: each would be a level of nesting."),
            ("lower-exits{glsl}", "Runs after `lower-continue`, which adds exits of labeled blocks."),
            (
                "values-to-regs",
                "The target has variables instead of parameters of blocks. Runs when no pass adds one.",
            ),
        ],
    },
    Preset {
        name: "essl-310-out",
        doc: "Removes the constructs that GLSL ES 3.10 cannot express and temporaries of front ends, and nothing else. Writing GLSL ES 3.10 runs it.",
        fix: false,
        entries: &[
            (
                "structurize{imported}",
                "The target has structured control flow. The importer's merge blocks are kept.",
            ),
            (
                "inline-functions{separate}",
                "The target passes no addresses: parameters are copied in and out. It has no images without samplers.",
            ),
            (
                "promote-params",
                "Front ends pass addresses of temporaries; arguments that are only read are values.",
            ),
            ("call-slots", "The same: a variable that is copied to a temporary and back is passed itself."),
            ("flatten-resource-arrays{buffers}", "The target has no arrays of arrays of blocks."),
            ("combine-stores{parts}", "Front ends store `v.xyz = a` component by component."),
            ("qptr-lower{computed}", "The target has no pointers that are selected or advanced."),
            (
                "qptr-legalize{all}",
                "Such a pointer becomes an index, or a branch for each memory that it may be of.",
            ),
            ("qptr-lift", "The target has no byte offsets."),
            ("lower-layout{essl-310}", "Buffers have the layouts std140 and std430 only."),
            ("qptr-lift", "The target has no byte offsets. The pass before leaves them for such buffers."),
            ("lower-variable-initializers{outputs}", "The target has no initial values of outputs."),
            (
                "io-to-temporaries{nested}",
                "Elements of inputs and outputs that become variables are not indexed.",
            ),
            ("lower-var-copies{nested}", "Copies of whole inputs and outputs are of elements now."),
            (
                "io-arrays-to-elements{nested}",
                "The target has no arrays of structures, and no arrays in structures, as inputs and outputs.",
            ),
            ("io-to-vector{widen}", "The target has no inputs and outputs that begin inside of a location."),
            (
                "lower-variable-initializers{shared}",
                "The target has no initial values of memory that a workgroup shares.",
            ),
            (
                "lower-var-copies{blocks}",
                "Structures of different declarations cannot be assigned to each other, and no blocks.",
            ),
            (
                "lower-indirect-derefs{resources}",
                "The target indexes arrays of images and of blocks by constants only.",
            ),
            ("alu-to-spirv", "The target lacks the same arithmetic as SPIR-V of shaders."),
            ("lower-alu{mul-high}", "The target has high products only as results of a call with two."),
            ("lower-alu{carry}", "The same for carries and borrows."),
            ("lower-alu{rotate}", "The target has no rotations."),
            ("lower-alu{dot}", "The target has no packed dot products."),
            (
                "lower-alu{quantize}",
                "The target cannot round floats to 16 bits without losing subnormal numbers.",
            ),
            ("lower-tex{gather-offsets}", "The target has gathers with one offset only."),
            ("lower-frexp", "The target has both parts only as results of one call."),
            ("lower-atomics", "The target compares texels as the type of the image."),
            (
                "infer-access-qualifiers",
                "Storage images must be read only or written only, but for formats of one word.",
            ),
            ("lower-demote", "The target has `discard` only, after which derivatives are undefined."),
            (
                "lower-continue{keep-steps}",
                "The target has a block at the end of each iteration only as the step of a `for`.",
            ),
            ("lower-fall-through", "The target has no labels: each would be a level of nesting."),
            ("lower-exits{glsl}", "Runs after `lower-continue`, which adds exits of labeled blocks."),
            (
                "values-to-regs",
                "The target has variables instead of parameters of blocks. Runs when no pass adds one.",
            ),
        ],
    },
    Preset {
        name: "wgsl-out",
        doc: "Removes the constructs that WGSL cannot express and temporaries of front ends, and nothing else. Writing WGSL runs it.",
        fix: false,
        entries: &[
            (
                "structurize{imported}",
                "The target has structured control flow. The importer's merge blocks are kept.",
            ),
            ("inline-functions{parts}", "The target passes addresses of whole local variables only."),
            (
                "inline-functions{stops}",
                "A discard of the target only marks the invocation, which a loop of the caller would go on for.",
            ),
            (
                "lower-samplers{split}",
                "The target has no images that are combined with a sampler. No function has them as parameters now.",
            ),
            ("lower-samplers{compared}", "The target has another type for samplers that are compared with."),
            (
                "promote-params",
                "Front ends pass addresses of temporaries; arguments that are only read are values.",
            ),
            ("call-slots", "The same: a variable that is copied to a temporary and back is passed itself."),
            ("combine-stores{parts}", "Front ends store `v.xyz = a` component by component."),
            ("qptr-lower{computed}", "The target has no pointers that are selected or advanced."),
            (
                "qptr-legalize{all}",
                "Such a pointer becomes an index, or a branch for each memory that it may be of.",
            ),
            ("qptr-lift", "The target has no byte offsets."),
            (
                "lower-layout{wgsl}",
                "Buffers have the layout of their address space, with larger offsets and strides.",
            ),
            ("qptr-lift", "The target has no byte offsets. The pass before leaves them for such buffers."),
            (
                "lower-indirect-derefs{resources}",
                "Images, samplers and blocks that become variables are not indexed.",
            ),
            ("resource-arrays-to-elements", "The target has one resource at each binding."),
            ("lower-variable-initializers{outputs}", "The target has no initial values of outputs."),
            (
                "io-to-temporaries{indexed}",
                "Elements of inputs and outputs that become variables are not indexed.",
            ),
            (
                "lower-var-copies",
                "The target may store arrays and structures in another way than they are declared. Copies of whole inputs and outputs are of elements now.",
            ),
            (
                "io-arrays-to-elements",
                "The target has no arrays, no matrices and no structures as inputs and outputs.",
            ),
            ("io-to-vector{widen}", "A location of the target has one input or output, from component 0."),
            (
                "spec-ops-to-values{vectors}",
                "The target has constants that depend on specialization constants only if they are numbers.",
            ),
            ("alu-to-spirv", "The target lacks the same arithmetic as SPIR-V of shaders."),
            ("lower-alu{mul-high}", "The target has no high products."),
            ("lower-alu{carry}", "The target has no carries and borrows."),
            ("lower-alu{rotate}", "The target has no rotations."),
            ("lower-alu{dot}", "The target has packed dot products as an extension only."),
            ("lower-frexp", "The target has both parts only as results of one call."),
            ("lower-tex{projector}", "The target has no lookups with projection."),
            ("lower-tex{gather-offsets}", "The target has one offset for the four texels of a gather."),
            ("lower-system-values{masks}", "The target has no masks of invocations."),
            ("lower-subgroups{masks}", "The same: the index of the invocation makes them."),
            ("lower-subgroups{ballot}", "The target has ballots, but no operations on them."),
            ("lower-subgroups{distances}", "The target has relative shuffles by uniform distances only."),
            (
                "uniform-derivatives",
                "The target has derivatives in uniform control flow. Runs after `lower-tex`, which computes coordinates.",
            ),
            (
                "lower-continue{keep}",
                "A block at the end of each iteration is of use only if other blocks continue to it.",
            ),
            ("lower-fall-through", "The target has no labels: each would be a level of nesting."),
            ("lower-exits{wgsl}", "Runs after `lower-continue`, which adds exits of labeled blocks."),
            (
                "values-to-regs",
                "The target has variables instead of parameters of blocks. Runs when no pass adds one.",
            ),
        ],
    },
    Preset {
        name: "hlsl-out",
        doc: "Removes the constructs that HLSL cannot express and temporaries of front ends, and nothing else. Writing HLSL runs it.",
        fix: false,
        entries: &[
            (
                "inline-functions{combined}",
                "The target has no parameters that are images with a sampler, of which the next pass makes two.",
            ),
            ("lower-samplers{split}", "The target has no images that are combined with a sampler."),
            (
                "structurize{imported}",
                "The target has structured control flow. The importer's merge blocks are kept.",
            ),
            (
                "inline-functions{stops}",
                "A discard of the target only marks the invocation, which a loop of the caller would go on for.",
            ),
            (
                "inline-functions{compared}",
                "The target has another type for samplers that are compared with.",
            ),
            ("lower-samplers{compared}", "The same for samplers of both kinds."),
            (
                "promote-params",
                "Front ends pass addresses of temporaries; arguments that are only read are values.",
            ),
            ("call-slots", "The same: a variable that is copied to a temporary and back is passed itself."),
            (
                "flatten-resource-arrays",
                "The compiler of the target has no arrays of arrays of resources for SPIR-V.",
            ),
            ("combine-stores{parts}", "Front ends store `v.xyz = a` component by component."),
            ("qptr-lower{computed}", "The target has no pointers that are selected or advanced."),
            (
                "qptr-legalize{all}",
                "Such a pointer becomes an index, or a branch for each memory that it may be of.",
            ),
            ("qptr-lift", "The target has no byte offsets."),
            (
                "lower-layout{hlsl}",
                "Push constants and arrays of buffers have layouts of their own; other buffers may be accessed by bytes.",
            ),
            ("qptr-lift", "The target has no byte offsets. The pass before leaves them for such buffers."),
            ("lower-variable-initializers{outputs}", "The target has no initial values of outputs."),
            (
                "lower-variable-initializers{shared}",
                "The target has no initial values of memory that a workgroup shares.",
            ),
            (
                "io-to-temporaries{indexed}",
                "Elements of inputs and outputs that become variables are not indexed.",
            ),
            (
                "lower-var-copies",
                "Buffers may store structures in another way than variables. Copies of whole inputs and outputs are of elements now.",
            ),
            ("io-arrays-to-elements", "Each input and output has a semantic of its own."),
            ("io-to-vector{widen}", "A location of the target has one input or output, from component 0."),
            (
                "spec-ops-to-values{vectors}",
                "The target has constants that depend on specialization constants only if they are numbers.",
            ),
            (
                "lower-int64{to-float}",
                "The compiler of the target converts such integers to floats through 32 bits.",
            ),
            ("alu-to-spirv", "The target lacks the same arithmetic as SPIR-V of shaders."),
            ("lower-alu{mul-high}", "The target has no high products."),
            ("lower-alu{carry}", "The target has no carries and borrows."),
            ("lower-alu{rotate}", "The target has no rotations."),
            ("lower-alu{dot}", "The target has packed dot products of other kinds."),
            ("lower-alu{fields}", "The target has no bit fields."),
            ("lower-packing{fractions}", "The target packs no fractions."),
            ("lower-packing{bits}", "The target packs no components of other widths."),
            (
                "lower-alu{quantize}",
                "The target cannot round floats to 16 bits without losing subnormal numbers.",
            ),
            ("lower-frexp", "The target returns both parts from one call."),
            ("lower-double-ops{root}", "The target takes roots of 32 bits only."),
            ("lower-double-ops{floor}", "The target rounds numbers of 32 bits only."),
            ("lower-double-ops{round}", "The target rounds numbers of 32 bits only."),
            ("lower-double-ops{truncate}", "The target rounds numbers of 32 bits only."),
            ("lower-tex{projector}", "The target has no lookups with projection."),
            ("lower-system-values{masks}", "The target has no masks of subgroups: they are computed below."),
            ("lower-subgroups{masks}", "Runs after masks became operations."),
            ("lower-subgroups{ballot}", "The target has ballots, but no operations on them."),
            ("lower-subgroups{shuffle}", "The target reads from an invocation by its index."),
            (
                "lower-continue{keep-steps}",
                "The target has a block at the end of each iteration only as the step of a `for`.",
            ),
            ("lower-fall-through", "The target has no labels: each would be a level of nesting."),
            ("lower-exits{hlsl}", "Runs after `lower-continue`, which adds exits of labeled blocks."),
            (
                "values-to-regs",
                "The target has variables instead of parameters of blocks. Runs when no pass adds one.",
            ),
        ],
    },
    Preset {
        name: "msl-out",
        doc: "Removes the constructs that MSL cannot express and temporaries of front ends, and nothing else. Writing MSL runs it.",
        fix: false,
        entries: &[
            (
                "inline-functions{combined}",
                "The target has no parameters that are images with a sampler, of which the next pass makes two.",
            ),
            ("lower-samplers{split}", "The target has no images that are combined with a sampler."),
            (
                "structurize{imported}",
                "The target has structured control flow. The importer's merge blocks are kept.",
            ),
            (
                "inline-functions{stops}",
                "A discard of the target only marks the invocation, which a loop of the caller would go on for.",
            ),
            ("inline-functions{compared}", "The target has another type for images that are compared."),
            (
                "promote-params",
                "Front ends pass addresses of temporaries; arguments that are only read are values.",
            ),
            ("call-slots", "The same: a variable that is copied to a temporary and back is passed itself."),
            (
                "flatten-resource-arrays",
                "The target has images, samplers and buffers in arrays, and no arrays of these.",
            ),
            ("combine-stores{parts}", "Front ends store `v.xyz = a` component by component."),
            ("qptr-lower{merged}", "The target has no pointers that are selected."),
            (
                "qptr-legalize{all}",
                "Such a pointer becomes an index, or a branch for each memory that it may be of.",
            ),
            ("qptr-lift", "The target has no byte offsets."),
            ("lower-layout{msl}", "Members have plain or packed vectors."),
            ("qptr-lift", "The target has no byte offsets. The pass before leaves them for such buffers."),
            ("lower-variable-initializers{outputs}", "The target has no initial values of outputs."),
            (
                "lower-variable-initializers{shared}",
                "The target has no initial values of memory that a workgroup shares.",
            ),
            (
                "io-to-temporaries{indexed}",
                "Elements of inputs and outputs that become variables are not indexed.",
            ),
            (
                "lower-var-copies",
                "The target has no assignments of arrays. Copies of whole inputs and outputs are of elements now.",
            ),
            (
                "io-arrays-to-elements",
                "The target has no arrays, no matrices and no structures as inputs and outputs.",
            ),
            ("io-to-vector{widen}", "A location of the target has one input or output, from component 0."),
            (
                "spec-ops-to-values{vectors}",
                "The target has constants that depend on specialization constants only if they are numbers.",
            ),
            ("alu-to-spirv", "The target lacks the same arithmetic as SPIR-V of shaders."),
            ("lower-alu{carry}", "The target has no carries and borrows."),
            ("lower-alu{rotate}", "The target rotates to the left only."),
            ("lower-alu{dot}", "The target has no packed dot products."),
            ("lower-frexp", "The target has both parts only as results of one call."),
            ("lower-tex{projector}", "The target has no lookups with projection."),
            ("lower-tex{gather-offsets}", "The target has gathers with one offset only."),
            ("lower-subgroups{vote}", "The target has no votes of equality."),
            ("lower-system-values{masks}", "The target has no masks of subgroups: they are computed below."),
            ("lower-subgroups{masks}", "Runs after masks became operations."),
            ("lower-subgroups{ballot}", "The target has no operations on ballots."),
            (
                "lower-alu{positions}",
                "The target counts zeros instead. Runs after operations on ballots became these.",
            ),
            (
                "lower-continue{keep-steps}",
                "The target has a block at the end of each iteration only as the step of a `for`.",
            ),
            ("lower-fall-through", "The target has no labels: each would be a level of nesting."),
            ("lower-exits{msl}", "Runs after `lower-continue`, which adds exits of labeled blocks."),
            (
                "values-to-regs",
                "The target has variables instead of parameters of blocks. Runs when no pass adds one.",
            ),
        ],
    },
    SM3,
    SM2,
];

/// The preset of this name.
pub(super) fn find(name: &str) -> Option<&'static Preset> {
    PRESETS.iter().find(|preset| preset.name == name)
}

impl Preset {
    /// The pipeline of the preset as text.
    pub fn text(&self) -> String {
        let entries: Vec<&str> = self.entries.iter().map(|&(text, _)| text).collect();
        let list = entries.join(", ");
        if self.fix { format!("fix({list})") } else { list }
    }
}
