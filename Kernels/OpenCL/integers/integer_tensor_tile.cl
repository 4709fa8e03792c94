// Multiplies tiles of 8-bit integers on tensor cores, after tensor.cl and integer_product.cl and before staging.cl.
// Each warp computes WARP_M rows by WARP_N columns, in fragments of 16 by 8 whose words hold four bytes of the depth.
//
// The left tile holds rows of TILE_K words, in chunks of 16 bytes whose order spreads eight adjacent rows over all
// banks. The right tile holds rows of TILE_N columns, 8 words longer, so that four rows by eight columns lie in all
// banks.
//
// In the end lanes 2t and 2t + 1 exchange halves of their sums, so that each has four adjacent columns of one row.
//
// Macros: WARP_M, a multiple of 16 that divides TILE_M; WARP_N, a multiple of 8 that divides TILE_N; SIGNED. TILE_K is
// 8 or 16.

#define LEFT_CHUNKS (TILE_K / 4)
#define LEFT_TILE (TILE_M * TILE_K)
#define RIGHT_PITCH (TILE_N + 8)
#define RIGHT_TILE (TILE_K * RIGHT_PITCH)
#define WARPS_ACROSS (TILE_N / WARP_N)
// The position of a chunk in a row.
#define PLACED(chunk, row) ((chunk) ^ ((row) * LEFT_CHUNKS / 8 & (LEFT_CHUNKS - 1)))
// Fragments of sums, and of the sums of left rows.
#define SUMS_PARAMETERS int fragments[ITEM_M][CHUNKS][4], int row_fragments[ITEM_M][4]
#define SUMS fragments, row_fragments

static inline int first_row_of_warp(void) { return (int)get_local_id(0) / 32 / WARPS_ACROSS * WARP_M; }

static inline int first_column_of_warp(void) { return (int)get_local_id(0) / 32 % WARPS_ACROSS * WARP_N; }

static inline int item_row(int i) {
    const int lane = get_local_id(0) % 32;
    return first_row_of_warp() + 16 * i + lane / 4 + lane % 2 * 8;
}

static inline int chunk_column(int j) { return first_column_of_warp() + 8 * j + (int)get_local_id(0) % 4 / 2 * 4; }

// c += a · b. All lanes of a warp take part.
static inline void multiply_bytes(int *c, const uint *a, const uint *b) {
#if SIGNED
    __asm__ volatile("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
                 "{%0, %1, %2, %3};"
#else
    __asm__ volatile("mma.sync.aligned.m16n8k32.row.col.s32.u8.s8.s32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
                 "{%0, %1, %2, %3};"
#endif
                 : "+r"(c[0]), "+r"(c[1]), "+r"(c[2]), "+r"(c[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

static inline void left_store(__local uint *tile, int position, left_vector value) {
    const int row = position / LEFT_LANES, word = position % LEFT_LANES * LEFT_WORDS;
    *(__local left_vector *)(tile + row * TILE_K + PLACED(word / 4, row) * 4 + word % 4) = value;
}

static inline void right_store(__local uint *tile, int position, right_vector value) {
    *(__local uint4 *)(tile + position / RIGHT_LANES * RIGHT_PITCH + position % RIGHT_LANES * 4) = value;
}

static inline __attribute__((always_inline)) void multiply_tiles(
    __local const uint *left, __local const uint *right, SUMS_PARAMETERS) {
    const int lane = get_local_id(0) % 32;
    // A lane gives the address of a row of each matrix of a left fragment.
    const int row = first_row_of_warp() + lane % 16;
    const uint left_at = (uint)(size_t)left + row * TILE_K * 4;
    __local const uint *right_at = right + lane % 4 * RIGHT_PITCH + first_column_of_warp() + lane / 4;
#pragma unroll
    for (int k = 0; k < TILE_K; k += 8) {
        uint b[CHUNKS][2];
#pragma unroll
        for (int j = 0; j < CHUNKS; j++) {
            b[j][0] = right_at[k * RIGHT_PITCH + 8 * j];
            b[j][1] = right_at[(k + 4) * RIGHT_PITCH + 8 * j];
        }
#pragma unroll
        for (int i = 0; i < ITEM_M; i++) {
            uint a[4];
            load_matrices(a, left_at + i * 16 * TILE_K * 4 + PLACED(k / 4 + lane / 16, row) * 16);
#pragma unroll
            for (int j = 0; j < CHUNKS; j++) multiply_bytes(fragments[i][j], a, b[j]);
#ifdef SUMS_ROWS
            const uint ones[2] = {0x01010101, 0x01010101};
            multiply_bytes(row_fragments[i], a, ones);
#endif
        }
    }
}

static void multiply_along(
    left_rows *left, const right_matrix *right, int first_column, int begin, int end, __local tile_element *left_tiles,
    SUMS_PARAMETERS);

static inline int exchange_integers(int value) { return as_int(exchange(as_float(value), 1)); }

// Computes this work-item's sums over words [0, depth), for the tile whose first column is `first_column`. `left` is at
// word 0 on entry.
static inline __attribute__((always_inline)) void accumulate(
    left_rows *left, const right_matrix *right, int first_column, __local uint *tiles, lanes sums[ITEM_M][CHUNKS],
    int row_sums[ITEM_M]) {
    int fragments[ITEM_M][CHUNKS][4], row_fragments[ITEM_M][4];
#pragma unroll
    for (int i = 0; i < ITEM_M; i++) {
#pragma unroll
        for (int c = 0; c < 4; c++) {
            row_fragments[i][c] = 0;
#pragma unroll
            for (int j = 0; j < CHUNKS; j++) fragments[i][j][c] = 0;
        }
    }
    multiply_along(left, right, first_column, 0, right->depth, tiles, SUMS);
    const int is_odd = get_local_id(0) % 2;
#pragma unroll
    for (int i = 0; i < ITEM_M; i++) {
        row_sums[i] = is_odd ? row_fragments[i][2] : row_fragments[i][0];
#pragma unroll
        for (int j = 0; j < CHUNKS; j++) {
            const int *own = fragments[i][j];
            // An even lane keeps row g and gives row g + 8, an odd one the other way round.
            const int first = exchange_integers(is_odd ? own[0] : own[2]);
            const int second = exchange_integers(is_odd ? own[1] : own[3]);
            sums[i][j] = is_odd ? (int4)(first, second, own[2], own[3]) : (int4)(own[0], own[1], first, second);
        }
    }
}
