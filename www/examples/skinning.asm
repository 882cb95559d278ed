; A vertex between two bones: matrices by relative address, Direct3D 9 assembly.
vs_2_0
def c4, 1, 0, 0, 0
dcl_position v0
dcl_blendweight v1
dcl_blendindices v2
dcl_color v3

mova a0.xy, v2
m4x3 r0.xyz, v0, c8[a0.x]
m4x3 r1.xyz, v0, c8[a0.y]
lrp r2.xyz, v1.x, r0, r1
mov r2.w, c4.x
m4x4 oPos, r2, c0
mov oD0, v3
