#version 450
layout(local_size_x=4) in;
struct Pair { float low; vec2 high; };
layout(binding=0) buffer Data { uint count; Pair values[]; } data;
layout(push_constant) uniform Push { mat4 view; } push;
shared float tile[4];
float weight(float x, uint i) {
  float scale = 1.0 / float(i + 1u);
  return x * scale;
}
void main() {
  float sum = 0.0;
  for (uint i = 0u; i < data.count; i++) {
    Pair value = data.values[i];
    if (value.low < 0.0) { vec2 q = value.high; sum += q.x; continue; }
    sum = sum + weight(value.low, i);
    if (sum > 100.0) break;
  }
  tile[gl_LocalInvocationIndex] = sum;
  data.values[gl_GlobalInvocationID.x].low = sum + push.view[0].x;
}
