// A compute shader of HLSL: a group reads a tile of a matrix row by row into shared memory, and writes it column by column.
static const uint SIZE = 8;

StructuredBuffer<float> source : register(t0);
RWStructuredBuffer<float> result : register(u1);

// One more column than values, so that the values of a column are in different banks.
groupshared float tile[SIZE][SIZE + 1];

[numthreads(SIZE, SIZE, 1)]
void main(uint3 id : SV_GroupThreadID) {
    tile[id.y][id.x] = source[id.y * SIZE + id.x];
    GroupMemoryBarrierWithGroupSync();
    result[id.y * SIZE + id.x] = tile[id.x][id.y];
}
