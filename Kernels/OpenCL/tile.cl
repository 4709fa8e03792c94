// Matrix products in tiles: sums[m][n] = Σ over k of left[m][k] · right[k][n], k ascending.
//
// A work-group computes TILE_M rows by TILE_N columns, TILE_K of the depth at a time, from two pairs of tiles in local
// memory; a work-item computes ITEM_M adjacent rows by ITEM_N columns, in CHUNKS vectors of LANES that lie
// GROUP_N · LANES columns apart.
//
// Macros: TILE_M, TILE_N, TILE_K, ITEM_M, ITEM_N; LANES 4, 8 or 16, dividing ITEM_N; LEFT_VECTOR and RIGHT_VECTOR 1 or 4,
// the adjacent elements (along the depth, along the columns) that are read at a time, whose addresses are then multiples
// of 4; PREFETCH 1 to keep the next tiles in registers while these are multiplied.
// Needed: TILE_K divides by LEFT_VECTOR, TILE_N by RIGHT_VECTOR, THREADS by TILE_K / LEFT_VECTOR.

#define GROUP_M (TILE_M / ITEM_M)
#define GROUP_N (TILE_N / ITEM_N)
#define THREADS (GROUP_M * GROUP_N)
#define CHUNKS (ITEM_N / LANES)

// Pads rows of the left tile, which is stored by columns.
#define LEFT_PITCH (TILE_M + 4)
#define LEFT_TILE (TILE_K * LEFT_PITCH)
#define RIGHT_TILE (TILE_K * TILE_N)

#define LEFT_LANES (TILE_K / LEFT_VECTOR)
#define RIGHT_LANES (TILE_N / RIGHT_VECTOR)
#define LEFT_COUNT (TILE_M * LEFT_LANES)
#define RIGHT_COUNT (TILE_K * RIGHT_LANES)
#define LEFT_LOADS DIVIDE_UP(LEFT_COUNT, THREADS)
#define RIGHT_LOADS DIVIDE_UP(RIGHT_COUNT, THREADS)

typedef JOIN(float, LANES) lanes;

#if LEFT_VECTOR == 4
typedef float4 left_vector;
#else
typedef float left_vector;
#endif
#if RIGHT_VECTOR == 4
typedef float4 right_vector;
#else
typedef float right_vector;
#endif

// Where this work-item reads the left operand: load number i is row (thread + i · THREADS) / LEFT_LANES of the tile, and
// element thread % LEFT_LANES · LEFT_VECTOR of its depth, which is the same for every i.
typedef struct left_rows left_rows;
static left_vector left_load(const left_rows *left, int index);
// Moves on by TILE_K.
static void left_advance(left_rows *left);

// depth × columns; elements beyond either count as 0.
typedef struct {
    __global const float *start;
    int depth, columns;
    int row_stride, column_stride;
} right_matrix;

static inline right_vector right_load(const right_matrix *right, int depth, int column) {
    if (depth >= right->depth || column >= right->columns) return (right_vector)0;
#if RIGHT_VECTOR == 4
    return *(__global const float4 *)(right->start + (size_t)depth * right->row_stride + column);
#else
    return right->start[(size_t)depth * right->row_stride + (size_t)column * right->column_stride];
#endif
}

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

static inline void multiply_tiles(
    __local const float *left, __local const float *right, int item_row, int item_column, lanes sums[ITEM_M][CHUNKS]) {
#pragma unroll
    for (int k = 0; k < TILE_K; k++) {
        float a[ITEM_M];
        lanes b[CHUNKS];
        __local const float *from = left + k * LEFT_PITCH + item_row * ITEM_M;
#if ITEM_M % 4 == 0
#pragma unroll
        for (int i = 0; i < ITEM_M; i += 4) vstore4(*(__local const float4 *)(from + i), 0, a + i);
#else
#pragma unroll
        for (int i = 0; i < ITEM_M; i++) a[i] = from[i];
#endif
#pragma unroll
        for (int j = 0; j < CHUNKS; j++)
            b[j] = *(__local const lanes *)(right + k * TILE_N + (j * GROUP_N + item_column) * LANES);
#pragma unroll
        for (int i = 0; i < ITEM_M; i++) {
#pragma unroll
            for (int j = 0; j < CHUNKS; j++) sums[i][j] = MULTIPLY_ADD((lanes)a[i], b[j], sums[i][j]);
        }
    }
}

// Sums this work-item's part of the tile whose first column is `first_column` over depths [begin, end); `left` stands at
// `begin`. Local memory: two tiles of each operand.
static inline void accumulate(
    left_rows *left, const right_matrix *right, int first_column, int begin, int end, __local float *left_tiles,
    __local float *right_tiles, lanes sums[ITEM_M][CHUNKS]) {
    const int item_column = get_local_id(0), item_row = get_local_id(1);
    const int thread = item_row * GROUP_N + item_column;
#pragma unroll
    for (int i = 0; i < ITEM_M; i++) {
#pragma unroll
        for (int j = 0; j < CHUNKS; j++) sums[i][j] = (lanes)0;
    }

#define RIGHT_LOAD(position, depth) \
    right_load(right, (depth) + (position) / RIGHT_LANES, first_column + (position) % RIGHT_LANES * RIGHT_VECTOR)
#define RIGHT_STORE(tile, position, value) \
    (*(__local right_vector *)((tile) + (position) * RIGHT_VECTOR) = (value))
// Whether load number i falls into a tile of `count` vectors.
#define IS_LOADED(i, count) ((i) * THREADS + THREADS <= (count) || thread + (i) * THREADS < (count))
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
        multiply_tiles(
            left_tiles + current * LEFT_TILE, right_tiles + current * RIGHT_TILE, item_row, item_column, sums);
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

// What happens to sums on the way out: to[n] = activation(sum[n] + bias[n] + addend[n]) for `columns` columns.
typedef struct {
    __global const float *bias;
    int columns, has_addend, activation;
    float low, high;
} epilogue;

// Stores one row's sums of a work-item. `addend` and `to` are the row's column 0.
//
// OUTPUT_VECTOR 1 or 4: with 4, `columns` and every address are multiples of 4; `bias` is padded to a multiple of 4.
// With PARTIAL the sums are stored as they are.
static inline void store_row(
    const epilogue *end, int first_column, const lanes sums[CHUNKS], __global const float *addend,
    __global float *to) {
#pragma unroll
    for (int j = 0; j < CHUNKS; j++) {
        float values[LANES];
        JOIN(vstore, LANES)(sums[j], 0, values);
#pragma unroll
        for (int l = 0; l < LANES; l += 4) {
            const int column = first_column + (j * GROUP_N + (int)get_local_id(0)) * LANES + l;
            if (column >= end->columns) continue;
            float4 value = vload4(0, values + l);
#if OUTPUT_VECTOR == 4
#ifndef PARTIAL
            value += *(__global const float4 *)(end->bias + column);
            if (end->has_addend) value += *(__global const float4 *)(addend + column);
            value = activate4(value, end->activation, end->low, end->high);
#endif
            *(__global float4 *)(to + column) = value;
#else
#ifndef PARTIAL
            value += vload4(0, end->bias + column);
            if (end->has_addend) {
                value.s0 += addend[column];
                if (column + 1 < end->columns) value.s1 += addend[column + 1];
                if (column + 2 < end->columns) value.s2 += addend[column + 2];
                if (column + 3 < end->columns) value.s3 += addend[column + 3];
            }
            value = activate4(value, end->activation, end->low, end->high);
#endif
            to[column] = value.s0;
            if (column + 1 < end->columns) to[column + 1] = value.s1;
            if (column + 2 < end->columns) to[column + 2] = value.s2;
            if (column + 3 < end->columns) to[column + 3] = value.s3;
#endif
        }
    }
}
