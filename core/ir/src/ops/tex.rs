//! Sampling, image access and queries. The operands vary between uses of one operation, so each operand has a
//! role: `tex.sample %3, %4, %5 {dim 2d, roles image+sampler+coord}`.

use super::table::ops;

ops! {
    /// Image operations.
    TexOp;

    /// Samples with the implicit level of detail of the quad (OpImageSampleImplicitLod and related
    /// instructions).
    Sample tex_sample "tex.sample"(image: OPAQUE; more: ANY) -> X [READS CONVERGENT NEEDS_HELPERS]
        need(Dim, Roles) may(Arrayed, Shadow, Sparse, Access, Extend);
    /// Samples with an explicit level of detail or explicit gradients (OpImageSampleExplicitLod and related
    /// instructions).
    SampleLod tex_sample_lod "tex.sample_lod"(image: OPAQUE; more: ANY) -> X [READS]
        need(Dim, Roles) may(Arrayed, Shadow, Sparse, Access, Extend);
    /// Reads one texel at an integer coordinate (OpImageFetch).
    Fetch tex_fetch "tex.fetch"(image: OPAQUE; more: ANY) -> X [READS]
        need(Dim, Roles) may(Arrayed, Multisampled, Sparse, Access, Extend);
    /// Reads one component, or one comparison result, of each of the four texels around the coordinate
    /// (OpImageGather, OpImageDrefGather).
    Gather tex_gather "tex.gather"(image: OPAQUE; more: ANY) -> X [READS]
        need(Dim, Roles) may(Arrayed, Shadow, Sparse, Access, Extend);
    /// Size of a level in texels and layers (OpImageQuerySize, OpImageQuerySizeLod).
    QuerySize tex_query_size "tex.query_size"(image: OPAQUE; more: ANY) -> IX [READS]
        need(Dim, Roles) may(Arrayed, Multisampled);
    /// Level of detail that a sample would use, with and without clamping (OpImageQueryLod).
    QueryLod tex_query_lod "tex.query_lod"(image: OPAQUE; more: ANY) -> FX [READS CONVERGENT NEEDS_HELPERS]
        need(Dim, Roles) may(Arrayed);
    /// Number of levels (OpImageQueryLevels).
    QueryLevels tex_query_levels "tex.query_levels"(image: OPAQUE) -> U32X1 [READS];
    /// Number of samples (OpImageQuerySamples).
    QuerySamples tex_query_samples "tex.query_samples"(image: OPAQUE) -> U32X1 [READS];
    /// Reads a texel of a storage image or an input attachment (OpImageRead).
    Read image_read "image.read"(image: OPAQUE; more: ANY) -> X [READS]
        need(Dim, Roles) may(Arrayed, Multisampled, Sparse, Access, Scope, Extend);
    /// Writes a texel of a storage image (OpImageWrite).
    Write image_write "image.write"(image: OPAQUE; more: ANY) -> NONE [WRITES]
        need(Dim, Roles) may(Arrayed, Multisampled, Access, Scope, Extend);
    /// Combines an image and a sampler into one handle (OpSampledImage).
    Combine tex_combine "tex.combine"(image: OPAQUE, sampler: OPAQUE) -> HANDLE;
    /// The image of a combined image and sampler (OpImage).
    ImageOf tex_image_of "tex.image_of"(both: OPAQUE) -> HANDLE;
    /// True if a residency code indicates that all texels were resident (OpImageSparseTexelsResident).
    Resident tex_resident "tex.resident"(code: B32) -> B1;
}
