[shader("pixel")] float4 p() : SV_Target { return 1; }
