// The part that all matrix products share: sums[m][n] = Σ over k of left[m][k] · right[k][n], k ascending, TILE_M rows
// by TILE_N columns per work-group, TILE_K of the depth at a time. A work-item computes ITEM_ROWS rows of CHUNKS
// vectors of LANES columns; tile.cl or tensor_tile.cl says which.
//
// Macros: TILE_M, TILE_N, TILE_K; LEFT_VECTOR and RIGHT_VECTOR, 1 or 4, the adjacent elements read at a time (along the
// depth and along the columns); OUTPUT_VECTOR, 1 or 4; ACTIVATION, the number of a function, or 0; PARTIAL; either
// ITEM_M, ITEM_N, LANES and PREFETCH as in tile.cl, or WARP_M, WARP_N, STAGES and HALF as in tensor_tile.cl. Vectors of
// 4 have addresses that are multiples of 4. TILE_K is a multiple of LEFT_VECTOR, TILE_N of RIGHT_VECTOR, THREADS of
// TILE_K / LEFT_VECTOR.

#ifdef WARP_M
#define LANES 2
#define ITEM_ROWS (WARP_M / 8)
#define CHUNKS (WARP_N / 8)
#define GROUP_M 1
#define GROUP_N ((TILE_M / WARP_M) * (TILE_N / WARP_N) * 32)
#else
#define ITEM_ROWS ITEM_M
#define CHUNKS (ITEM_N / LANES)
#define GROUP_M (TILE_M / ITEM_M)
#define GROUP_N (TILE_N / ITEM_N)
#endif
#define THREADS (GROUP_M * GROUP_N)

#define LEFT_LANES (TILE_K / LEFT_VECTOR)
#define RIGHT_LANES (TILE_N / RIGHT_VECTOR)
#define LEFT_COUNT (TILE_M * LEFT_LANES)
#define LEFT_LOADS DIVIDE_UP(LEFT_COUNT, THREADS)

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

// Whether load i of a work-item falls into a tile of `count` vectors.
#define IS_LOADED(i, count) ((i) * THREADS + THREADS <= (count) || thread + (i) * THREADS < (count))

// The places where this work-item reads the left operand. Load i is row (thread + i · THREADS) / LEFT_LANES of the tile
// and element thread % LEFT_LANES · LEFT_VECTOR of its depth, which is the same for every i.
typedef struct left_rows left_rows;
// The address of load i, or 0 outside the operand.
static __global const float *left_address(const left_rows *left, int index);
// Moves by TILE_K along the depth.
static void left_advance(left_rows *left);

// The right operand: depth × columns, elements outside are read as 0; or with WARP_M, columns of words as
// tensor_tile.cl describes them, row_stride words apart.
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

// The place in the tile of a work-item's sums: the row of its row i, and the first column of its chunk j.
static inline int item_row(int i);
static inline int chunk_column(int j);

// The epilogue of a product: to[n] = ACTIVATION(sum[n] + bias[n] + addend[n]) for `columns` columns. `bias` is padded
// to a multiple of 4.
typedef struct {
    __global const float *bias;
    int columns;
    float low, high;
} epilogue;

// The columns that are stored at a time. With OUTPUT_VECTOR 4, `columns` and every address are multiples of 4.
#if LANES == 2
#define PIECE 2
#else
#define PIECE 4
#endif
typedef JOIN(float, PIECE) piece;

// Adds the addend of one row, whose column 0 it is given, to a work-item's sums. All addends are added before anything
// is stored, so that they are read at the same time.
static inline __attribute__((always_inline)) void add_row(
    const epilogue *end, int first_column, lanes sums[CHUNKS], __global const float *addend) {
#pragma unroll
    for (int j = 0; j < CHUNKS; j++) {
        float values[LANES];
#pragma unroll
        for (int l = 0; l < LANES; l += PIECE) {
            const int column = first_column + chunk_column(j) + l;
            piece value = (piece)0;
#if OUTPUT_VECTOR == 4
            if (column < end->columns) value = *(__global const piece *)(addend + column);
#else
            float added[PIECE];
#pragma unroll
            for (int p = 0; p < PIECE; p++) added[p] = column + p < end->columns ? addend[column + p] : 0;
            value = JOIN(vload, PIECE)(0, added);
#endif
            JOIN(vstore, PIECE)(value, 0, values + l);
        }
        sums[j] += JOIN(vload, LANES)(0, values);
    }
}

// Stores one row's sums of a work-item, to the row whose column 0 is `to`. With PARTIAL they are stored without bias
// and activation.
static inline __attribute__((always_inline)) void store_row(
    const epilogue *end, int first_column, const lanes sums[CHUNKS], __global float *to) {
#pragma unroll
    for (int j = 0; j < CHUNKS; j++) {
        float values[LANES];
        JOIN(vstore, LANES)(sums[j], 0, values);
#pragma unroll
        for (int l = 0; l < LANES; l += PIECE) {
            const int column = first_column + chunk_column(j) + l;
            if (column >= end->columns) continue;
            piece value = JOIN(vload, PIECE)(0, values + l);
#ifndef PARTIAL
            value += *(__global const piece *)(end->bias + column);
            value = JOIN(activate, PIECE)(value, ACTIVATION, end->low, end->high);
#endif
#if OUTPUT_VECTOR == 4
            *(__global piece *)(to + column) = value;
#else
            float stored[PIECE];
            JOIN(vstore, PIECE)(value, 0, stored);
#pragma unroll
            for (int p = 0; p < PIECE; p++)
                if (column + p < end->columns) to[column + p] = stored[p];
#endif
        }
    }
}
