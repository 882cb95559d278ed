#version 460
// Two comparisons in one list: `f(a < b, c > d)` begins a list of templates in WGSL.
// Right: these values, accepted by every compiler.
layout(set=0,binding=0) uniform U { vec4 a; };
layout(location=0) out vec4 o;
bool f(bvec2 x){ return x.x != x.y; }
bool g(bool x, bool y){ return x || y; }
void main(){ int i=int(a.x), j=int(a.y), k=int(a.z); o = vec4(f(bvec2(i < j, k > 3)), g(i < j, k > (2)), f(bvec2(a.x < a.y, a.z > (a.w+1.))), 1); }
