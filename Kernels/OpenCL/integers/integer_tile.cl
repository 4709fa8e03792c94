// Multiplies tiles of 8-bit integers by dot.cl, between integer_product.cl and staging.cl. A work-item computes ITEM_M
// adjacent rows by ITEM_N columns, in CHUNKS vectors of LANES that lie GROUP_N · LANES columns apart.
//
// A work-item holds ITEM_M · ITEM_N sums, ITEM_M + ITEM_N factors, and (TILE_M + TILE_N) · TILE_K / THREADS words of
// the next tiles: 64 + 16 + 16 registers for 8 by 8 sums of tiles of 64 by 64 by 8 words, which take 8448 bytes of
// local memory.
//
// Macros: those of dot.cl; ITEM_M; ITEM_N; LANES, 4, 8 or 16, which divides ITEM_N.

// The left tile is stored by words of the depth, with padding between them.
#define LEFT_PITCH (TILE_M + 4)
#define LEFT_TILE (TILE_K * LEFT_PITCH)
#define RIGHT_TILE (TILE_K * TILE_N)
#define SUMS_PARAMETERS lanes sums[ITEM_M][CHUNKS], int row_sums[ITEM_M]
#define SUMS sums, row_sums

typedef JOIN(uint, LANES) word_lanes;

static inline int item_row(int i) { return get_local_id(1) * ITEM_M + i; }

static inline int chunk_column(int j) { return (j * GROUP_N + (int)get_local_id(0)) * LANES; }

// sums + dot4(a, b) in each lane.
static inline lanes dot_lanes(uint a, word_lanes b, lanes sums) {
#if DOT == 0
    // Byte p of every lane, with its sign: shifted to the top and down again.
#if SIGNED
    const int4 x = convert_int4(as_char4(a));
#else
    const int4 x = convert_int4(as_uchar4(a));
#endif
    const lanes words = JOIN(as_int, LANES)(b);
    sums += (lanes)x.s0 * ((words << 24) >> 24);
    sums += (lanes)x.s1 * ((words << 16) >> 24);
    sums += (lanes)x.s2 * ((words << 8) >> 24);
    sums += (lanes)x.s3 * (words >> 24);
    return sums;
#else
    uint words[LANES];
    int results[LANES];
    JOIN(vstore, LANES)(b, 0, words);
    JOIN(vstore, LANES)(sums, 0, results);
#pragma unroll
    for (int lane = 0; lane < LANES; lane++) results[lane] = dot4(a, words[lane], results[lane]);
    return JOIN(vload, LANES)(0, results);
#endif
}

static inline void right_store(__local uint *tile, int position, right_vector value) {
    *(__local uint4 *)(tile + position * 4) = value;
}

static inline void left_store(__local uint *tile, int position, left_vector value) {
    __local uint *to = tile + position % LEFT_LANES * LEFT_WORDS * LEFT_PITCH + position / LEFT_LANES;
#if LEFT_WORDS == 4
    to[0] = value.s0;
    to[LEFT_PITCH] = value.s1;
    to[2 * LEFT_PITCH] = value.s2;
    to[3 * LEFT_PITCH] = value.s3;
#else
    to[0] = value;
#endif
}

static inline __attribute__((always_inline)) void multiply_tiles(
    __local const uint *left, __local const uint *right, SUMS_PARAMETERS) {
#pragma unroll
    for (int k = 0; k < TILE_K; k++) {
        uint a[ITEM_M];
        word_lanes b[CHUNKS];
        __local const uint *from = left + k * LEFT_PITCH + item_row(0);
#if ITEM_M % 4 == 0
#pragma unroll
        for (int i = 0; i < ITEM_M; i += 4) vstore4(*(__local const uint4 *)(from + i), 0, a + i);
#else
#pragma unroll
        for (int i = 0; i < ITEM_M; i++) a[i] = from[i];
#endif
#pragma unroll
        for (int j = 0; j < CHUNKS; j++)
            b[j] = *(__local const word_lanes *)(right + k * TILE_N + chunk_column(j));
#pragma unroll
        for (int i = 0; i < ITEM_M; i++) {
#pragma unroll
            for (int j = 0; j < CHUNKS; j++) sums[i][j] = dot_lanes(a[i], b[j], sums[i][j]);
#ifdef SUMS_ROWS
            row_sums[i] = dot4(a[i], 0x01010101, row_sums[i]);
#endif
        }
    }
}

static void multiply_along(
    left_rows *left, const right_matrix *right, int first_column, int begin, int end, __local tile_element *left_tiles,
    SUMS_PARAMETERS);

// Computes this work-item's sums over words [0, depth), for the tile whose first column is `first_column`. `left` is at
// word 0 on entry.
static inline __attribute__((always_inline)) void accumulate(
    left_rows *left, const right_matrix *right, int first_column, __local uint *tiles, lanes sums[ITEM_M][CHUNKS],
    int row_sums[ITEM_M]) {
#pragma unroll
    for (int i = 0; i < ITEM_M; i++) {
        row_sums[i] = 0;
#pragma unroll
        for (int j = 0; j < CHUNKS; j++) sums[i][j] = (lanes)0;
    }
    multiply_along(left, right, first_column, 0, right->depth, tiles, SUMS);
}
