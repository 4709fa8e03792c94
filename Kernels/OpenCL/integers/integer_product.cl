// The part that products of 8-bit integers share: sums[m][n] = Σ over w of dot4(left[m][w], right[w][n]), where words w
// hold four bytes of the depth; TILE_M rows by TILE_N columns per work-group, TILE_K words of the depth at a time. A
// work-item computes ITEM_M rows of CHUNKS vectors of LANES columns; integer_tile.cl or integer_tensor_tile.cl says
// which.
//
// Macros: TILE_M, TILE_N, TILE_K; LEFT_WORDS, 1 or 4, the adjacent words read at a time, which divides TILE_K; SIGNED,
// whether the left bytes are signed, as the right ones are; SUMS_ROWS to add up the left bytes of each row, too;
// PREFETCH 1 to read the next tiles into registers while the current ones are multiplied; either ITEM_M, ITEM_N and
// LANES as in integer_tile.cl, or WARP_M and WARP_N as in integer_tensor_tile.cl. TILE_N is a multiple of 4, THREADS of
// TILE_K / LEFT_WORDS.

#ifdef WARP_M
#define LANES 4
#define ITEM_M (WARP_M / 16)
#define CHUNKS (WARP_N / 8)
#define GROUP_M 1
#define GROUP_N ((TILE_M / WARP_M) * (TILE_N / WARP_N) * 32)
#else
#define CHUNKS (ITEM_N / LANES)
#define GROUP_M (TILE_M / ITEM_M)
#define GROUP_N (TILE_N / ITEM_N)
#endif
#define THREADS (GROUP_M * GROUP_N)

#define LEFT_LANES (TILE_K / LEFT_WORDS)
#define LEFT_COUNT (TILE_M * LEFT_LANES)
#define LEFT_LOADS DIVIDE_UP(LEFT_COUNT, THREADS)
#define RIGHT_VECTOR 4
#define RIGHT_LANES (TILE_N / RIGHT_VECTOR)
#define RIGHT_COUNT (TILE_K * RIGHT_LANES)
#define RIGHT_LOADS DIVIDE_UP(RIGHT_COUNT, THREADS)
// Two tiles of each operand.
#define TILE_WORDS (2 * (LEFT_TILE + RIGHT_TILE))

// Whether load i of a work-item falls into a tile of `count` vectors.
#define IS_LOADED(i, count) ((i) * THREADS + THREADS <= (count) || thread + (i) * THREADS < (count))

typedef uint tile_element;
typedef JOIN(int, LANES) lanes;

#if LEFT_WORDS == 4
typedef uint4 left_vector;
#else
typedef uint left_vector;
#endif
typedef uint4 right_vector;

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

// The place in the tile of a work-item's sums: the row of its row i, and the first column of its chunk j.
static inline int item_row(int i);
static inline int chunk_column(int j);
