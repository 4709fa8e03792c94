// The part that products of 8-bit integers share: sums[m][n] = Σ over w of dot4(left[m][w], right[w][n]), where words w
// hold four bytes of the depth; TILE_M rows by TILE_N columns per work-group, TILE_K words of the depth at a time. A
// work-item computes ITEM_M adjacent rows by ITEM_N columns, in CHUNKS vectors of LANES that lie GROUP_N · LANES
// columns apart, from two pairs of tiles in local memory.
//
// A work-item holds ITEM_M · ITEM_N sums, ITEM_M + ITEM_N factors, (TILE_M + TILE_N) · TILE_K / THREADS words of the
// next tiles, and 4 words of address for each row that it loads: 64 + 16 + 16 + 32 registers for 8 by 8 sums of tiles
// of 64 by 64 by 8 words, which take 8448 bytes of local memory.
//
// Macros: those of dot.cl; TILE_M, TILE_N, TILE_K; ITEM_M; ITEM_N; LANES, 4, 8 or 16, which divides ITEM_N; PREFETCH 1
// to read the next tiles into registers while the current ones are multiplied; LEFT_WORDS, 1 or 4, the adjacent words
// read at a time, which divides TILE_K; SUMS_ROWS to add up the left bytes of each row, too. TILE_N is a multiple of 4,
// THREADS of TILE_K / LEFT_WORDS.

#define CHUNKS (ITEM_N / LANES)
#define GROUP_M (TILE_M / ITEM_M)
#define GROUP_N (TILE_N / ITEM_N)
#define THREADS (GROUP_M * GROUP_N)

// The left tile is stored by words of the depth, with padding between them.
#define LEFT_PITCH (TILE_M + 4)
#define LEFT_TILE (TILE_K * LEFT_PITCH)
#define LEFT_LANES (TILE_K / LEFT_WORDS)
#define LEFT_COUNT (TILE_M * LEFT_LANES)
#define LEFT_LOADS DIVIDE_UP(LEFT_COUNT, THREADS)
#define RIGHT_TILE (TILE_K * TILE_N)
#define RIGHT_LANES (TILE_N / 4)
#define RIGHT_COUNT (TILE_K * RIGHT_LANES)
#define RIGHT_LOADS DIVIDE_UP(RIGHT_COUNT, THREADS)
#define TILE_WORDS (2 * (LEFT_TILE + RIGHT_TILE))

// Whether load i of a work-item falls into a tile of `count` vectors.
#define IS_LOADED(i, count) ((i) * THREADS + THREADS <= (count) || thread + (i) * THREADS < (count))

typedef JOIN(int, LANES) lanes;
typedef JOIN(uint, LANES) word_lanes;

#if LEFT_WORDS == 4
typedef uint4 left_vector;
#else
typedef uint left_vector;
#endif

// The places where this work-item reads the left operand. Load i is row (thread + i · THREADS) / LEFT_LANES of the tile
// and word thread % LEFT_LANES · LEFT_WORDS of its depth, which is the same for every i.
typedef struct left_rows left_rows;
// The words of load i; 0 outside the operand.
static left_vector left_load(const left_rows *left, int index);
// Moves by TILE_K along the depth.
static void left_advance(left_rows *left);

// Up to four bytes of a word, of which `rest` are there; the others are 0.
static inline uint first_bytes(__global const uchar *place, int rest) {
    uint word = place[0];
    if (rest > 1) word |= (uint)place[1] << 8;
    if (rest > 2) word |= (uint)place[2] << 16;
    if (rest > 3) word |= (uint)place[3] << 24;
    return word;
}

// The right operand: rows of `pitch` words, a multiple of 4, for each of `depth` words.
typedef struct {
    __global const uint *start;
    int depth, pitch;
} right_matrix;

static inline uint4 right_load(const right_matrix *right, int depth, int column) {
    if (depth >= right->depth || column >= right->pitch) return (uint4)0;
    return *(__global const uint4 *)(right->start + (size_t)depth * right->pitch + column);
}

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
    __local const uint *left, __local const uint *right, lanes sums[ITEM_M][CHUNKS], int row_sums[ITEM_M]) {
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

// Computes this work-item's sums over words [0, depth), for the tile whose first column is `first_column`. `left` is at
// word 0 on entry. Local memory holds two tiles of each operand.
static inline __attribute__((always_inline)) void accumulate(
    left_rows *left, const right_matrix *right, int first_column, __local uint *left_tiles,
    lanes sums[ITEM_M][CHUNKS], int row_sums[ITEM_M]) {
    __local uint *right_tiles = left_tiles + 2 * LEFT_TILE;
    const int thread = get_local_id(1) * GROUP_N + get_local_id(0);
#pragma unroll
    for (int i = 0; i < ITEM_M; i++) {
        row_sums[i] = 0;
#pragma unroll
        for (int j = 0; j < CHUNKS; j++) sums[i][j] = (lanes)0;
    }

#define RIGHT_LOAD(position, depth) \
    right_load(right, (depth) + (position) / RIGHT_LANES, first_column + (position) % RIGHT_LANES * 4)
#define FETCH(left_to, right_to, depth)                                                          \
    {                                                                                            \
        _Pragma("unroll") for (int i = 0; i < LEFT_LOADS; i++) {                                 \
            if (IS_LOADED(i, LEFT_COUNT)) left_to(i, thread + i * THREADS, left_load(left, i));  \
        }                                                                                        \
        _Pragma("unroll") for (int i = 0; i < RIGHT_LOADS; i++) {                                \
            const int position = thread + i * THREADS;                                           \
            if (IS_LOADED(i, RIGHT_COUNT)) right_to(i, position, RIGHT_LOAD(position, depth));   \
        }                                                                                        \
    }
#define LEFT_TO_TILE(i, position, value) left_store(left_tiles + next * LEFT_TILE, position, value)
#define RIGHT_TO_TILE(i, position, value) \
    *(__local uint4 *)(right_tiles + next * RIGHT_TILE + (position) * 4) = value
#define LEFT_TO_REGISTER(i, position, value) left_ahead[i] = value
#define RIGHT_TO_REGISTER(i, position, value) right_ahead[i] = value

    int next = 0;
    FETCH(LEFT_TO_TILE, RIGHT_TO_TILE, 0)
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int depth = 0; depth < right->depth; depth += TILE_K) {
        const int is_last = depth + TILE_K >= right->depth;
        const int current = next;
        next ^= 1;
        left_advance(left);
#if PREFETCH
        left_vector left_ahead[LEFT_LOADS];
        uint4 right_ahead[RIGHT_LOADS];
        if (!is_last) FETCH(LEFT_TO_REGISTER, RIGHT_TO_REGISTER, depth + TILE_K)
#else
        if (!is_last) FETCH(LEFT_TO_TILE, RIGHT_TO_TILE, depth + TILE_K)
#endif
        multiply_tiles(left_tiles + current * LEFT_TILE, right_tiles + current * RIGHT_TILE, sums, row_sums);
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
