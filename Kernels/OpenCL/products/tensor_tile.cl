// Multiplies tiles on tensor cores, after tensor.cl. Each warp computes WARP_M rows by WARP_N columns, in fragments of
// 16 by 8.
//
// STAGES tiles of each operand are in local memory or on their way to it: while one is multiplied, the next are copied.
// A left tile holds rows of TILE_K floats, which are rounded when they are in registers. A right tile holds columns of
// WORDS words that were rounded before: for column n, word w of 8 holds element w of the depth, or with HALF elements
// 8 · (w / 4) + w % 4 of 16, and the one 4 after it. This is how four matrices of ldmatrix fall on the lanes.
//
// Rows lie in local memory as chunks of 16 bytes, in an order that spreads eight adjacent rows over all banks.
//
// Macros: WARP_M, a multiple of 16 that divides TILE_M; WARP_N, a multiple of 16 that divides TILE_N; HALF; STAGES, at
// least 2. TILE_K is a multiple of 8 · PACKED. Right rows are padded to multiples of 32 elements of the depth.

#define WORDS (TILE_K / PACKED)
#define LEFT_TILE (TILE_M * TILE_K)
#define RIGHT_TILE (TILE_N * WORDS)
// Chunks of 16 bytes.
#define LEFT_CHUNKS (TILE_K / 4)
#define RIGHT_CHUNKS (WORDS / 4)
#define RIGHT_COUNT (TILE_N * RIGHT_CHUNKS)
#define RIGHT_LOADS DIVIDE_UP(RIGHT_COUNT, THREADS)
#define WARPS_ACROSS (TILE_N / WARP_N)
// The position of a chunk in a row of `count` chunks: 2, 4 or 8.
#define PLACED(chunk, row, count) ((chunk) ^ ((row) * (count) / 8 & ((count) - 1)))

typedef uint tile_element;

static inline int first_row_of_warp(void) { return (int)get_local_id(0) / 32 / WARPS_ACROSS * WARP_M; }

static inline int first_column_of_warp(void) { return (int)get_local_id(0) / 32 % WARPS_ACROSS * WARP_N; }

static inline int item_row(int i) { return first_row_of_warp() + i * 8 + (int)get_local_id(0) % 32 / 4; }

static inline int chunk_column(int j) { return first_column_of_warp() + j * 8 + (int)get_local_id(0) % 4 * 2; }

// Starts to copy the tiles at the left operand's place and at `depth`, and moves the left operand on. `to` is the
// address of the stage in local memory.
static inline __attribute__((always_inline)) void copy_tiles(
    left_rows *left, const right_matrix *right, int first_column, int depth, uint to) {
    const int thread = get_local_id(0);
#pragma unroll
    for (int i = 0; i < LEFT_LOADS; i++) {
        const int position = thread + i * THREADS;
        if (!IS_LOADED(i, LEFT_COUNT)) continue;
        const int row = position / LEFT_LANES, element = position % LEFT_LANES * LEFT_VECTOR;
        __global const float *from = left_address(left, i);
        const uint place = to + (row * LEFT_CHUNKS + PLACED(element / 4, row, LEFT_CHUNKS)) * 16 + element % 4 * 4;
        copy_ahead(place, from ? from : right->start, from != 0, 4 * LEFT_VECTOR);
    }
    left_advance(left);
#pragma unroll
    for (int i = 0; i < RIGHT_LOADS; i++) {
        const int position = thread + i * THREADS;
        if (!IS_LOADED(i, RIGHT_COUNT)) continue;
        const int column = position / RIGHT_CHUNKS, chunk = position % RIGHT_CHUNKS;
        const int from_column = min(first_column + column, right->columns - 1);
        __global const float *from =
            right->start + (size_t)from_column * right->row_stride + depth / PACKED + chunk * 4;
        copy_ahead(
            to + 4 * LEFT_TILE + (column * RIGHT_CHUNKS + PLACED(chunk, column, RIGHT_CHUNKS)) * 16, from, 1, 16);
    }
}

// Adds the products of a stage's tiles to the sums.
static inline __attribute__((always_inline)) void multiply_tiles(uint tiles, lanes sums[ITEM_ROWS][CHUNKS]) {
    const int lane = get_local_id(0) % 32;
    // A lane gives the address of a row of each matrix: rows 0 to 15 of the left tile, 16 columns of the right one.
    const int row = first_row_of_warp() + lane % 16;
    const int column = first_column_of_warp() + lane / 16 * 8 + lane % 8;
    const uint left = tiles + row * LEFT_CHUNKS * 16;
    const uint right = tiles + 4 * LEFT_TILE + column * RIGHT_CHUNKS * 16;
#pragma unroll
    for (int chunk = 0; chunk < RIGHT_CHUNKS; chunk += 2) {
        uint b[CHUNKS][2];
#pragma unroll
        for (int j = 0; j < CHUNKS; j += 2) {
            uint words[4];
            load_matrices(
                words, right + j * 8 * RIGHT_CHUNKS * 16 + PLACED(chunk + lane / 8 % 2, column, RIGHT_CHUNKS) * 16);
            b[j][0] = words[0];
            b[j][1] = words[1];
            b[j + 1][0] = words[2];
            b[j + 1][1] = words[3];
        }
#pragma unroll
        for (int i = 0; i < ITEM_ROWS; i += 2) {
            uint words[PACKED][4], a[4];
#pragma unroll
            for (int p = 0; p < PACKED; p++)
                load_matrices(
                    words[p], left + i * 8 * LEFT_CHUNKS * 16 +
                                  PLACED(chunk * PACKED + 2 * p + lane / 16, row, LEFT_CHUNKS) * 16);
#pragma unroll
            for (int w = 0; w < 4; w++) {
#ifdef HALF
                a[w] = round_to_word(as_float(words[w / 2][w % 2]), as_float(words[w / 2][w % 2 + 2]));
#else
                a[w] = round_to_word(as_float(words[0][w]), 0);
#endif
            }
#pragma unroll
            for (int j = 0; j < CHUNKS; j++) {
                float c[4] = {sums[i][j].s0, sums[i][j].s1, sums[i + 1][j].s0, sums[i + 1][j].s1};
                multiply_fragments(c, a, b[j]);
                sums[i][j] = (float2)(c[0], c[1]);
                sums[i + 1][j] = (float2)(c[2], c[3]);
            }
        }
    }
}

// Computes this work-item's sums over depths [begin, end), for the tile whose first column is `first_column`. `left` is
// at `begin` on entry.
static inline __attribute__((always_inline)) void accumulate(
    left_rows *left, const right_matrix *right, int first_column, int begin, int end, __local tile_element *tiles,
    lanes sums[ITEM_ROWS][CHUNKS]) {
#pragma unroll
    for (int i = 0; i < ITEM_ROWS; i++) {
#pragma unroll
        for (int j = 0; j < CHUNKS; j++) sums[i][j] = (lanes)0;
    }
    const uint base = (uint)(size_t)tiles, stage = 4 * (LEFT_TILE + RIGHT_TILE), ring = STAGES * stage;
    uint to = base;
#pragma unroll
    for (int ahead = 0; ahead < STAGES - 1; ahead++) {
        if (begin + ahead * TILE_K < end) copy_tiles(left, right, first_column, begin + ahead * TILE_K, to);
        end_copies();
        to += stage;
    }
    uint from = base;
    for (int depth = begin; depth < end; depth += TILE_K) {
        wait_for_copies(STAGES - 2);
        barrier(CLK_LOCAL_MEM_FENCE);
        const int ahead = depth + (STAGES - 1) * TILE_K;
        if (ahead < end) copy_tiles(left, right, first_column, ahead, to);
        end_copies();
        to = to + stage == base + ring ? base : to + stage;
        multiply_tiles(from, sums);
        from = from + stage == base + ring ? base : from + stage;
    }
}

static inline right_matrix weights_of_group(
    __global const float *weights, int group, int depth, int end, int columns, int pitch) {
    const right_matrix matrix = {weights + (size_t)group * columns * pitch, end, columns, pitch, 1};
    return matrix;
}
