; A glow along a line: a loop with a limit that is left early, Direct3D 9 assembly.
ps_3_0
def c0, 0, 1, 8, 0.125
defi i0, 16, 0, 0, 0
dcl_texcoord v0.xy
dcl_2d s0

mov r0, c0.x            // the sum of the samples
mov r1, c0.x            // x: their number
mov r2, c0.x            // xy: the place of the next one, w: its level of detail
mov r2.xy, v0
rep i0
  break_ge r1.x, c0.z
  texldl r3, r2, s0
  add r0, r0, r3
  add r1.x, r1.x, c0.y
  add r2.xy, r2, c1     // c1: the direction of the glow
endrep
mul oC0, r0, c0.w
