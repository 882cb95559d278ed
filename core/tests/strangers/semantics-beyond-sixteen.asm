// A pixel program of Direct3D 9 with usual and unusual semantics.
// Right: every location is below 16, and that of TEXCOORD0 is the same in every program.
ps_3_0
dcl_texcoord v0
dcl_texcoord9 v1
dcl_tangent1 v2
dcl_sample3 v3
dcl_color1 v4
add r0, v0, v1
add r1, v2, v3
add r0, r0, r1
add oC0, r0, v4
