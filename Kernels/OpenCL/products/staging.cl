// The walk along the depth of a product whose operands pass through local memory, where two tiles of each lie: while
// one pair is multiplied, the next is read. With PREFETCH it is read into registers, and stored after the product.
//
// A file before this one defines the types tile_element, left_vector and right_vector, the macros of extents, loads and
// SUMS, and what this walk calls: left_load, left_store, right_load, right_store and multiply_tiles.

static inline __attribute__((always_inline)) void multiply_along(
    left_rows *left, const right_matrix *right, int first_column, int begin, int end, __local tile_element *left_tiles,
    SUMS_PARAMETERS) {
    __local tile_element *right_tiles = left_tiles + 2 * LEFT_TILE;
    const int thread = get_local_id(1) * GROUP_N + get_local_id(0);

#define RIGHT_LOAD(position, depth) \
    right_load(right, (depth) + (position) / RIGHT_LANES, first_column + (position) % RIGHT_LANES * RIGHT_VECTOR)
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
#define RIGHT_TO_TILE(i, position, value) right_store(right_tiles + next * RIGHT_TILE, position, value)
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
        multiply_tiles(left_tiles + current * LEFT_TILE, right_tiles + current * RIGHT_TILE, SUMS);
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
