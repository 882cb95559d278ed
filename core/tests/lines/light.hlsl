struct Light { float3 color; float power; };
float3 shine(Light light, float3 n) { return light.color * light.power * n.z; }
cbuffer Scene : register(b0) { float4x4 view; Light lights[2]; int count; };
Texture2D<float4> picture : register(t1);
SamplerState linear_sampler : register(s2);
static float3 tone(float3 color) {
  float3 lit = color / (color + 1.0);
  return pow(lit, 0.4545);
}
float4 main(float2 uv : TEXCOORD0, float3 normal : NORMAL) : SV_Target {
  float4 base = picture.Sample(linear_sampler, uv);
  float3 sum = 0;
  for (int i = 0; i < count; i++) {
    Light light = lights[i];
    float3 part = shine(light, normal);
    if (part.x < 0) { float3 other = -part; sum += other * 0.5; continue; }
    sum += part;
  }
  return float4(tone(base.rgb * sum), base.a);
}
