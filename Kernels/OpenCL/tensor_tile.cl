// Multiplies tiles on tensor cores, after tensor.cl. Each warp computes WARP_M rows by WARP_N columns, in fragments of
// 16 by 8.
//
// Elements are rounded once, on their way from registers to local memory. The next tiles are read into registers while
// the current ones are multiplied. Local memory holds words of PACKED elements of the depth, the left tile by rows, the
// right tile by words. The pitches spread a fragment over all banks.
//
// Macros: WARP_M, a multiple of 16 that divides TILE_M; WARP_N, a multiple of 8 that divides TILE_N; HALF. TILE_K is
// a multiple of 8 · PACKED.

#define WORDS (TILE_K / PACKED)
#define LEFT_PITCH (WORDS + 4)
#define RIGHT_PITCH (TILE_N + 8)
#define LEFT_TILE (TILE_M * LEFT_PITCH)
#define RIGHT_TILE (WORDS * RIGHT_PITCH)
#define RIGHT_COUNT (WORDS * RIGHT_LANES)
#define RIGHT_LOADS DIVIDE_UP(RIGHT_COUNT, THREADS)
#define WARPS_ACROSS (TILE_N / WARP_N)

typedef uint tile_element;

static inline int first_row_of_warp(void) { return (int)get_local_id(0) / 32 / WARPS_ACROSS * WARP_M; }

static inline int first_column_of_warp(void) { return (int)get_local_id(0) / 32 % WARPS_ACROSS * WARP_N; }

static inline int item_row(int i) { return first_row_of_warp() + i * 8 + (int)get_local_id(0) % 32 / 4; }

static inline int chunk_column(int j) { return first_column_of_warp() + j * 8 + (int)get_local_id(0) % 4 * 2; }

static inline void left_store(__local uint *tile, int position, left_vector value) {
    const int row = position / LEFT_LANES, depth = position % LEFT_LANES * LEFT_VECTOR;
#if LEFT_VECTOR == 4
    __local uint *to = tile + row * LEFT_PITCH + depth / PACKED;
#if PACKED == 2
    *(__local uint2 *)to = (uint2)(round_to_word(value.s0, value.s1), round_to_word(value.s2, value.s3));
#else
    *(__local uint4 *)to = (uint4)(
        round_to_word(value.s0, 0), round_to_word(value.s1, 0), round_to_word(value.s2, 0),
        round_to_word(value.s3, 0));
#endif
#elif PACKED == 2
    ((__local ushort *)(tile + row * LEFT_PITCH))[depth] = (ushort)round_to_word(value, 0);
#else
    tile[row * LEFT_PITCH + depth] = round_to_word(value, 0);
#endif
}

// Stores RIGHT_VECTOR columns of PACKED elements of the depth in the right tile, from `position` on.
static inline void right_store(__local uint *tile, int position, right_vector first, right_vector second) {
    __local uint *to = tile + position / RIGHT_LANES * RIGHT_PITCH + position % RIGHT_LANES * RIGHT_VECTOR;
#if RIGHT_VECTOR == 4
    *(__local uint4 *)to = (uint4)(
        round_to_word(first.s0, second.s0), round_to_word(first.s1, second.s1), round_to_word(first.s2, second.s2),
        round_to_word(first.s3, second.s3));
#else
    *to = round_to_word(first, second);
#endif
}

static inline void multiply_tiles(
    __local const uint *left, __local const uint *right, lanes sums[ITEM_ROWS][CHUNKS]) {
    const int lane = get_local_id(0) % 32, g = lane / 4, t = lane % 4;
    left += (first_row_of_warp() + g) * LEFT_PITCH + t;
    right += t * RIGHT_PITCH + first_column_of_warp() + g;
#pragma unroll
    for (int word = 0; word < WORDS; word += 8) {
        uint b[CHUNKS][2];
#pragma unroll
        for (int j = 0; j < CHUNKS; j++) {
            b[j][0] = right[word * RIGHT_PITCH + j * 8];
            b[j][1] = right[(word + 4) * RIGHT_PITCH + j * 8];
        }
#pragma unroll
        for (int i = 0; i < ITEM_ROWS; i += 2) {
            __local const uint *from = left + i * 8 * LEFT_PITCH + word;
            const uint a[4] = {from[0], from[8 * LEFT_PITCH], from[4], from[8 * LEFT_PITCH + 4]};
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
// at `begin` on entry. Local memory holds two tiles of each operand.
static inline void accumulate(
    left_rows *left, const right_matrix *right, int first_column, int begin, int end,
    __local tile_element *left_tiles, __local tile_element *right_tiles, lanes sums[ITEM_ROWS][CHUNKS]) {
    const int thread = get_local_id(0);
#pragma unroll
    for (int i = 0; i < ITEM_ROWS; i++) {
#pragma unroll
        for (int j = 0; j < CHUNKS; j++) sums[i][j] = (lanes)0;
    }
    left_vector left_ahead[LEFT_LOADS];
    right_vector right_ahead[RIGHT_LOADS][PACKED];
    int current = 0;
    // The first iteration only reads.
    for (int depth = begin - TILE_K; depth < end; depth += TILE_K) {
        const int is_first = depth < begin, is_last = depth + TILE_K >= end;
        if (!is_last) {
#pragma unroll
            for (int i = 0; i < LEFT_LOADS; i++)
                if (IS_LOADED(i, LEFT_COUNT)) left_ahead[i] = left_load(left, i);
#pragma unroll
            for (int i = 0; i < RIGHT_LOADS; i++) {
                const int position = thread + i * THREADS;
                const int from = depth + TILE_K + position / RIGHT_LANES * PACKED;
                const int column = first_column + position % RIGHT_LANES * RIGHT_VECTOR;
                if (!IS_LOADED(i, RIGHT_COUNT)) continue;
#pragma unroll
                for (int p = 0; p < PACKED; p++) right_ahead[i][p] = right_load(right, from + p, column);
            }
            left_advance(left);
        }
        if (!is_first) multiply_tiles(left_tiles + current * LEFT_TILE, right_tiles + current * RIGHT_TILE, sums);
        if (is_last) break;
        current ^= 1;
#pragma unroll
        for (int i = 0; i < LEFT_LOADS; i++)
            if (IS_LOADED(i, LEFT_COUNT))
                left_store(left_tiles + current * LEFT_TILE, thread + i * THREADS, left_ahead[i]);
#pragma unroll
        for (int i = 0; i < RIGHT_LOADS; i++)
            if (IS_LOADED(i, RIGHT_COUNT))
                right_store(
                    right_tiles + current * RIGHT_TILE, thread + i * THREADS, right_ahead[i][0],
                    right_ahead[i][PACKED - 1]);
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}
