// Multiplies tiles in float32. Each work-item computes ITEM_M adjacent rows by ITEM_N columns, in CHUNKS vectors of
// LANES that lie GROUP_N · LANES columns apart, from two pairs of tiles in local memory.
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

static inline __attribute__((always_inline)) void multiply_tiles(
    __local const float *left, __local const float *right, lanes sums[ITEM_ROWS][CHUNKS]) {
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

// Computes this work-item's sums over depths [begin, end), for the tile whose first column is `first_column`. `left` is
// at `begin` on entry. Local memory holds two tiles of each operand. Twice a left tile is a multiple of 64 bytes.
static inline __attribute__((always_inline)) void accumulate(
    left_rows *left, const right_matrix *right, int first_column, int begin, int end, __local tile_element *left_tiles,
    lanes sums[ITEM_ROWS][CHUNKS]) {
    __local tile_element *right_tiles = left_tiles + STAGES * LEFT_TILE;
    const int thread = get_local_id(1) * GROUP_N + get_local_id(0);
#pragma unroll
    for (int i = 0; i < ITEM_M; i++) {
#pragma unroll
        for (int j = 0; j < CHUNKS; j++) sums[i][j] = (lanes)0;
    }

#define RIGHT_LOAD(position, depth) \
    right_load(right, (depth) + (position) / RIGHT_LANES, first_column + (position) % RIGHT_LANES * RIGHT_VECTOR)
#define RIGHT_STORE(tile, position, value) \
    (*(__local right_vector *)((tile) + (position) * RIGHT_VECTOR) = (value))
#define FETCH(left_to, right_to, depth)                                                                      \
    {                                                                                                        \
        _Pragma("unroll") for (int i = 0; i < LEFT_LOADS; i++) {                                             \
            if (IS_LOADED(i, LEFT_COUNT)) left_to(i, thread + i * THREADS, left_load(left, i));              \
        }                                                                                                    \
        _Pragma("unroll") for (int i = 0; i < RIGHT_LOADS; i++) {                                            \
            const int position = thread + i * THREADS;                                                       \
            if (IS_LOADED(i, RIGHT_COUNT)) right_to(i, position, RIGHT_LOAD(position, depth));               \
        }                                                                                                    \
    }
#define LEFT_TO_TILE(i, position, value) left_store(left_tiles + next * LEFT_TILE, position, value)
#define RIGHT_TO_TILE(i, position, value) RIGHT_STORE(right_tiles + next * RIGHT_TILE, position, value)
#define LEFT_TO_REGISTER(i, position, value) left_ahead[i] = value
#define RIGHT_TO_REGISTER(i, position, value) right_ahead[i] = value

    int next = 0;
    FETCH(LEFT_TO_TILE, RIGHT_TO_TILE, begin)
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int depth = begin; depth < end; depth += TILE_K) {
        const int is_last = depth + TILE_K >= end;
        const int current = next;
        next ^= 1;
        left_advance(left);
#if PREFETCH
        left_vector left_ahead[LEFT_LOADS];
        right_vector right_ahead[RIGHT_LOADS];
        if (!is_last) FETCH(LEFT_TO_REGISTER, RIGHT_TO_REGISTER, depth + TILE_K)
#else
        if (!is_last) FETCH(LEFT_TO_TILE, RIGHT_TO_TILE, depth + TILE_K)
#endif
        multiply_tiles(left_tiles + current * LEFT_TILE, right_tiles + current * RIGHT_TILE, sums);
#if PREFETCH
        if (!is_last) {
#pragma unroll
            for (int i = 0; i < LEFT_LOADS; i++)
                if (IS_LOADED(i, LEFT_COUNT)) LEFT_TO_TILE(i, thread + i * THREADS, left_ahead[i]);
#pragma unroll
            for (int i = 0; i < RIGHT_LOADS; i++)
                if (IS_LOADED(i, RIGHT_COUNT)) RIGHT_TO_TILE(i, thread + i * THREADS, right_ahead[i]);
        }
#endif
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}

static inline right_matrix weights_of_group(
    __global const float *weights, int group, int depth, int end, int columns, int pitch) {
    const right_matrix matrix = {weights + (size_t)group * depth * pitch, end, pitch, pitch, 1};
    return matrix;
}
