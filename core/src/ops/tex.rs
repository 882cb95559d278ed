//! Sampling, image access and queries. The operands of one operation differ from use to use, so each
//! carries its role: `tex.sample %3, %4, %5 {dim 2d, roles image+sampler+coord}`.

use super::table::ops;

ops! {
    /// Image operations.
    TexOp;

    /// Samples with the level of detail the quad implies (OpImageSampleImplicitLod and its kin).
    Sample tex_sample "tex.sample"(image: OPAQUE; more: ANY) -> X [READS CONVERGENT NEEDS_HELPERS]
        need(Dim, Roles) may(Arrayed, Shadow, Sparse, Access, Extend);
    /// Samples at a given level or with given gradients (OpImageSampleExplicitLod and its kin).
    SampleLod tex_sample_lod "tex.sample_lod"(image: OPAQUE; more: ANY) -> X [READS]
        need(Dim, Roles) may(Arrayed, Shadow, Sparse, Access, Extend);
    /// Reads one texel by its integer coordinate (OpImageFetch).
    Fetch tex_fetch "tex.fetch"(image: OPAQUE; more: ANY) -> X [READS]
        need(Dim, Roles) may(Arrayed, Multisampled, Sparse, Access, Extend);
    /// One component, or one comparison, of the four texels around (OpImageGather, OpImageDrefGather).
    Gather tex_gather "tex.gather"(image: OPAQUE; more: ANY) -> X [READS]
        need(Dim, Roles) may(Arrayed, Shadow, Sparse, Access, Extend);
    /// Size of a level in texels and layers (OpImageQuerySize, OpImageQuerySizeLod).
    QuerySize tex_query_size "tex.query_size"(image: OPAQUE; more: ANY) -> IX [READS]
        need(Dim, Roles) may(Arrayed, Multisampled);
    /// Level of detail a sample would use: with and without clamping (OpImageQueryLod).
    QueryLod tex_query_lod "tex.query_lod"(image: OPAQUE; more: ANY) -> FX [READS CONVERGENT NEEDS_HELPERS]
        need(Dim, Roles) may(Arrayed);
    /// Number of levels (OpImageQueryLevels).
    QueryLevels tex_query_levels "tex.query_levels"(image: OPAQUE) -> B32 [READS];
    /// Number of samples (OpImageQuerySamples).
    QuerySamples tex_query_samples "tex.query_samples"(image: OPAQUE) -> B32 [READS];
    /// Reads a texel of a storage image or an input attachment (OpImageRead).
    Read image_read "image.read"(image: OPAQUE; more: ANY) -> X [READS]
        need(Dim, Roles) may(Arrayed, Multisampled, Sparse, Access, Scope, Extend);
    /// Writes a texel of a storage image (OpImageWrite).
    Write image_write "image.write"(image: OPAQUE; more: ANY) -> NONE [WRITES]
        need(Dim, Roles) may(Arrayed, Multisampled, Access, Scope, Extend);
    /// An image and a sampler in one handle (OpSampledImage).
    Combine tex_combine "tex.combine"(image: OPAQUE, sampler: OPAQUE) -> HANDLE;
    /// The image of a handle that has both (OpImage).
    ImageOf tex_image_of "tex.image_of"(both: OPAQUE) -> HANDLE;
    /// Whether a residency code says that all texels were there (OpImageSparseTexelsResident).
    Resident tex_resident "tex.resident"(code: B32) -> B1;
}
