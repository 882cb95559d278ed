#version 450
// An array of structures as an output, written in a loop, and a matrix in a structure. Right: WGSL, HLSL and Metal have an output
// for each number or vector at the locations that the program implies.
struct Light { vec3 to; float power; };
layout(location = 0) in vec4 p;
layout(location = 0) out Light lights[2];
layout(location = 4) out Frame { mat2 turn; vec4 tint; } frame;
void main() {
  for (int i = 0; i < 2; i++) {
    lights[i].to = p.xyz * float(i + 1);
    lights[i].power = p.w + float(i);
  }
  frame.turn = mat2(p.x, p.y, -p.y, p.x);
  frame.tint = p.wzyx;
  gl_Position = p;
}
