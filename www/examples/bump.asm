; A bump map in pairs of instructions that run side by side, Direct3D 8 assembly.
ps_1_1
def c0, 0.2, 0.2, 0.2, 1
tex t0                  // the color
tex t1                  // the direction of the surface, from 0 to 1

dp3_sat r0.rgb, t1_bx2, v0_bx2
+ mov r0.a, c0.a
mad_sat r0.rgb, r0, v1, c0
+ mul_sat r0.a, r0, v1
mul r0, r0, t0
