// A pixel program of Direct3D 9 kills pixels, then takes a texture's color and a difference of neighbors.
// Right: a killed pixel goes on for its neighbors, so that their lookups and differences are defined.
ps_3_0
def c0, 0.25, 1, 0, 0
dcl_texcoord v0.xy
dcl_2d s0
add r0, v0, -c0.x
texkill r0
texld r1, v0, s0
dsy r2, v0.y
add oC0, r1, r2
