#version 460
// A vertex shader with attributes, matrices, clip distances and flat outputs.
layout(location = 0) in vec3 position;
layout(location = 1) in vec4 tint;
layout(location = 2) in uvec2 ids;
layout(location = 0) out vec4 shade;
layout(location = 1) flat out uint id;
layout(location = 2) noperspective centroid out vec2 at;
layout(std140, set = 0, binding = 0) uniform View { mat4 model; mat4 projection; vec4 plane; };
out gl_PerVertex { vec4 gl_Position; float gl_PointSize; float gl_ClipDistance[2]; float gl_CullDistance[1]; };
void main() {
    vec4 world = model * vec4(position, 1.0);
    gl_Position = projection * world;
    gl_PointSize = 1.0 + float(gl_VertexIndex & 3);
    gl_ClipDistance[0] = dot(world, plane);
    gl_ClipDistance[1] = 1.0;
    gl_CullDistance[0] = world.z;
    shade = gl_InstanceIndex > 0 ? tint.bgra : tint;
    id = ids.x + ids.y;
    at = world.xy;
}
