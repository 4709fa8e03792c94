// Multiplies tiles in float32, before staging.cl. Each work-item computes ITEM_M adjacent rows by ITEM_N columns, in
// CHUNKS vectors of LANES that lie GROUP_N · LANES columns apart.
//
// Macros: ITEM_M, ITEM_N; LANES, 4, 8 or 16, which divides ITEM_N; PREFETCH 1 to read the next tiles into registers
// while the current ones are multiplied.

// The left tile is stored by columns, with padding between them.
#define STAGES 2
#define LEFT_PITCH (TILE_M + 4)
#define LEFT_TILE (TILE_K * LEFT_PITCH)
#define RIGHT_TILE (TILE_K * TILE_N)
#define RIGHT_COUNT (TILE_K * RIGHT_LANES)
#define RIGHT_LOADS DIVIDE_UP(RIGHT_COUNT, THREADS)

#define SUMS_PARAMETERS lanes sums[ITEM_ROWS][CHUNKS]
#define SUMS sums

typedef float tile_element;

static inline int item_row(int i) { return get_local_id(1) * ITEM_M + i; }

static inline int chunk_column(int j) { return (j * GROUP_N + (int)get_local_id(0)) * LANES; }

static inline void left_store(__local float *tile, int position, left_vector value) {
    __local float *to = tile + position % LEFT_LANES * LEFT_VECTOR * LEFT_PITCH + position / LEFT_LANES;
#if LEFT_VECTOR == 4
    to[0] = value.s0;
    to[LEFT_PITCH] = value.s1;
    to[2 * LEFT_PITCH] = value.s2;
    to[3 * LEFT_PITCH] = value.s3;
#else
    to[0] = value;
#endif
}

static inline void right_store(__local float *tile, int position, right_vector value) {
    *(__local right_vector *)(tile + position * RIGHT_VECTOR) = value;
}

static inline __attribute__((always_inline)) void multiply_tiles(
    __local const float *left, __local const float *right, SUMS_PARAMETERS) {
#pragma unroll
    for (int k = 0; k < TILE_K; k++) {
        float a[ITEM_M];
        lanes b[CHUNKS];
        __local const float *from = left + k * LEFT_PITCH + item_row(0);
#if ITEM_M % 4 == 0
#pragma unroll
        for (int i = 0; i < ITEM_M; i += 4) vstore4(*(__local const float4 *)(from + i), 0, a + i);
#else
#pragma unroll
        for (int i = 0; i < ITEM_M; i++) a[i] = from[i];
#endif
#pragma unroll
        for (int j = 0; j < CHUNKS; j++)
            b[j] = *(__local const lanes *)(right + k * TILE_N + chunk_column(j));
#pragma unroll
        for (int i = 0; i < ITEM_M; i++) {
#pragma unroll
            for (int j = 0; j < CHUNKS; j++) sums[i][j] = MULTIPLY_ADD((lanes)a[i], b[j], sums[i][j]);
        }
    }
}

static inline left_vector left_load(const left_rows *left, int index) {
    __global const float *from = left_address(left, index);
    return from ? *(__global const left_vector *)from : (left_vector)0;
}

static void multiply_along(
    left_rows *left, const right_matrix *right, int first_column, int begin, int end, __local tile_element *left_tiles,
    SUMS_PARAMETERS);

// Computes this work-item's sums over depths [begin, end), for the tile whose first column is `first_column`. `left` is
// at `begin` on entry. Local memory holds two tiles of each operand. Twice a left tile is a multiple of 64 bytes.
static inline __attribute__((always_inline)) void accumulate(
    left_rows *left, const right_matrix *right, int first_column, int begin, int end, __local tile_element *tiles,
    SUMS_PARAMETERS) {
#pragma unroll
    for (int i = 0; i < ITEM_M; i++) {
#pragma unroll
        for (int j = 0; j < CHUNKS; j++) sums[i][j] = (lanes)0;
    }
    multiply_along(left, right, first_column, begin, end, tiles, SUMS);
}

static inline right_matrix weights_of_group(
    __global const float *weights, int group, int depth, int end, int columns, int pitch) {
    const right_matrix matrix = {weights + (size_t)group * depth * pitch, end, pitch, pitch, 1};
    return matrix;
}
