#version 460
// A ray query in a compute shader, iterated to completion.
#extension GL_EXT_ray_query : require
layout(local_size_x = 8) in;
layout(set = 0, binding = 0) uniform accelerationStructureEXT scene;
layout(std430, set = 0, binding = 1) buffer Hits { vec4 hits[]; };
void main() {
    rayQueryEXT query;
    rayQueryInitializeEXT(query, scene, gl_RayFlagsNoneEXT, 0xff, vec3(0.0), 0.01, vec3(1.0, 0.0, float(gl_LocalInvocationIndex)), 50.0);
    while (rayQueryProceedEXT(query)) {
        uint kind = rayQueryGetIntersectionTypeEXT(query, false);
        if (kind == gl_RayQueryCandidateIntersectionTriangleEXT) {
            if (rayQueryGetIntersectionTEXT(query, false) > 2.0 && rayQueryGetIntersectionFrontFaceEXT(query, false)) rayQueryConfirmIntersectionEXT(query);
        } else if (rayQueryGetIntersectionCandidateAABBOpaqueEXT(query)) {
            rayQueryGenerateIntersectionEXT(query, 3.0);
        } else { rayQueryTerminateEXT(query); }
    }
    vec2 at = rayQueryGetIntersectionBarycentricsEXT(query, true);
    hits[gl_LocalInvocationIndex] = vec4(at, float(rayQueryGetIntersectionPrimitiveIndexEXT(query, true) + rayQueryGetIntersectionInstanceIdEXT(query, true)), rayQueryGetRayTMinEXT(query))
        + vec4(rayQueryGetIntersectionObjectToWorldEXT(query, true)[0] + rayQueryGetWorldRayDirectionEXT(query), 0.0);
}
