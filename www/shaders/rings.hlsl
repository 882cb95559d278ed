// Rings of light: a pixel shader of HLSL, with a constant buffer, a loop and a condition for each ring.
cbuffer Scene : register(b0) {
    float time;
    float3 tint;
};

float ring(float2 p, float radius) {
    float distance = abs(length(p) - radius);
    return smoothstep(0.08, 0.0, distance);
}

float4 main(float4 pixel : SV_Position) : SV_Target {
    float2 p = (pixel.xy - 32.0) / 32.0;
    float light = 0.0;
    for (int i = 1; i <= 4; ++i) {
        float radius = 0.2 * i + 0.05 * sin(time + i);
        if (i % 2 == 0 && p.x < 0.0) continue;
        light += ring(p, radius) / i;
    }
    return float4(saturate(light) * (tint + 0.5), 1.0);
}
