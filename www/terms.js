// The decorations and built-ins of SPIR-V, and where the specification describes them. The words of the IR are the same, in lower case.

const SPECIFICATION = "https://registry.khronos.org/SPIR-V/specs/unified1/SPIRV.html";

/** The address of a section of the specification. */
export const specification = (section) => `${SPECIFICATION}#${section}`;

const DECORATIONS = {
  RelaxedPrecision: "The result may be computed with less precision than 32 bits.",
  SpecId: "The number by which a specialization constant is set when a pipeline is created.",
  Block: "The structure is the layout of an interface: a uniform or storage buffer, push constants, or a stage's inputs or outputs.",
  BufferBlock: "Like Block for storage buffers, in old modules.",
  RowMajor: "The rows of the matrix are contiguous in memory.",
  ColMajor: "The columns of the matrix are contiguous in memory.",
  ArrayStride: "The distance in bytes from one element of the array to the next.",
  MatrixStride: "The distance in bytes from one row or column of the matrix to the next.",
  BuiltIn: "The variable is one that the system reads or writes, such as Position.",
  NoPerspective: "Interpolated linearly in screen space, without perspective correction.",
  Flat: "Not interpolated: all invocations get the value of the provoking vertex.",
  Centroid: "Interpolated at a position inside the primitive.",
  Sample: "Interpolated at each sample; the fragment shader runs for each sample.",
  Invariant: "Computed the same way in every shader with the same expression.",
  Restrict: "Memory behind the pointer is accessed through no other pointer.",
  Aliased: "Memory behind the pointer may be accessed through other pointers, too.",
  Volatile: "Every access may see a value that something else has written.",
  Coherent: "Writes are visible to other invocations after a barrier.",
  NonWritable: "The memory is only read.",
  NonReadable: "The memory is only written.",
  Uniform: "The value is the same in all invocations of the subgroup or draw.",
  NonUniform: "The value may differ between invocations of a subgroup; needed to index descriptors with it.",
  NoContraction: "The operation is not fused with another one into a multiply-add.",
  Location: "The slot of an input or output, by which two stages or a stage and its vertices or attachments are connected.",
  Component: "The first component of the location that the variable uses.",
  Index: "Which of the two colors of dual-source blending an output is.",
  Binding: "The number of a resource in its descriptor set.",
  DescriptorSet: "The descriptor set of a resource.",
  Offset: "The position of the member in its structure, in bytes.",
  InputAttachmentIndex: "The input attachment that a subpass input reads.",
  Alignment: "The address is a multiple of this number of bytes.",
  Patch: "One value for the patch instead of one for each vertex.",
  PerVertexKHR: "The fragment shader reads the value of each vertex without interpolation.",
  AliasedPointer: "Memory behind the loaded pointer may be accessed through other pointers, too.",
  RestrictPointer: "Memory behind the loaded pointer is accessed through no other pointer.",
};

const BUILT_INS = {
  Position: "The position of the vertex in clip space.",
  PointSize: "The size of the point in pixels.",
  ClipDistance: "Distances to clip planes; parts with a negative distance are clipped.",
  CullDistance: "Distances to cull planes; a primitive whose vertices are all negative for one is discarded.",
  VertexIndex: "The index of the vertex, with the base vertex added.",
  InstanceIndex: "The number of the instance, with the first instance added.",
  VertexId: "The number of the vertex, in OpenGL.",
  InstanceId: "The number of the instance from 0, in OpenGL and ray tracing.",
  BaseVertex: "The vertex offset of the draw.",
  BaseInstance: "The first instance of the draw.",
  DrawIndex: "The number of the draw in an indirect command with several.",
  PrimitiveId: "The number of the primitive.",
  InvocationId: "The number of the invocation of a tessellation control or geometry shader.",
  Layer: "The layer of the framebuffer.",
  ViewportIndex: "The viewport of the primitive.",
  ViewIndex: "The view of a multiview draw.",
  TessLevelOuter: "The outer tessellation levels, one for each edge.",
  TessLevelInner: "The inner tessellation levels.",
  TessCoord: "The coordinates of the vertex in the tessellated patch.",
  PatchVertices: "The number of vertices of the patch.",
  FragCoord: "The position of the fragment in the framebuffer: x and y in pixels, depth, 1 / w.",
  PointCoord: "The position in the point, from 0 to 1.",
  FrontFacing: "True if the primitive faces the viewer.",
  SampleId: "The number of the sample that the invocation shades.",
  SamplePosition: "The position of the sample in its pixel.",
  SampleMask: "The samples that the fragment covers, a bit each.",
  FragDepth: "The depth that replaces the fragment's own.",
  HelperInvocation: "True if the invocation only serves derivatives of its neighbors.",
  FullyCoveredEXT: "True if the primitive covers the whole pixel.",
  BaryCoordKHR: "The barycentric coordinates of the fragment.",
  BaryCoordNoPerspKHR: "The barycentric coordinates of the fragment in screen space.",
  NumWorkgroups: "The number of workgroups of the dispatch.",
  WorkgroupSize: "The number of invocations of a workgroup, in each dimension.",
  WorkgroupId: "The number of the workgroup in the dispatch.",
  LocalInvocationId: "The position of the invocation in its workgroup.",
  LocalInvocationIndex: "The number of the invocation in its workgroup.",
  GlobalInvocationId: "The position of the invocation in the dispatch: workgroup × size + local position.",
  SubgroupSize: "The number of invocations of a subgroup.",
  NumSubgroups: "The number of subgroups of the workgroup.",
  SubgroupId: "The number of the subgroup in its workgroup.",
  SubgroupLocalInvocationId: "The number of the invocation in its subgroup.",
  SubgroupEqMask: "The bit of this invocation.",
  SubgroupGeMask: "The bits of this and higher invocations of the subgroup.",
  SubgroupGtMask: "The bits of higher invocations of the subgroup.",
  SubgroupLeMask: "The bits of this and lower invocations of the subgroup.",
  SubgroupLtMask: "The bits of lower invocations of the subgroup.",
  DeviceIndex: "The number of the device in its group.",
  LaunchIdKHR: "The position of the ray generation invocation.",
  LaunchSizeKHR: "The size of the ray dispatch.",
  WorldRayOriginKHR: "The origin of the ray in world space.",
  WorldRayDirectionKHR: "The direction of the ray in world space.",
  RayTminKHR: "The start of the ray's interval.",
  RayTmaxKHR: "The end of the ray's interval; in a hit shader, the distance of the hit.",
};

/** Words of the IR that differ from SPIR-V's. */
const SPELLED = { set: "DescriptorSet", builtin: "BuiltIn", step: "ArrayStride", rows: "RowMajor", readonly: "NonWritable", writeonly: "NonReadable" };

const table = new Map();
for (const [section, terms] of [["Decoration", DECORATIONS], ["BuiltIn", BUILT_INS]]) {
  for (const [name, meaning] of Object.entries(terms)) table.set(name.toLowerCase().replace(/(?:khr|ext)$/, ""), { name: `${section} ${name}`, meaning, section });
}
for (const [word, name] of Object.entries(SPELLED)) table.set(word, table.get(name.toLowerCase()));

/** The meaning of a decoration or built-in, in the spelling of SPIR-V or of the IR; undefined for another word. */
export const term = (word) => table.get(word.toLowerCase().replace(/(?:khr|ext|nv)$/, ""));
