// Stacked matrix products, and 1 × 1 convolutions with stride 1, whose rows are pixels and whose stack is the groups.
//
// output[s][m][n] = activation(Σ over k of left[s][m][k] · right[s][k][n] + bias[s][n] + addend[s][m][n])
//
// NDRange: [column tiles · GROUP_N, row tiles · GROUP_M, stack · splits], local size [GROUP_N, GROUP_M, 1].
// Macros: those of product.cl; OUTPUT_VECTOR; PARTIAL.
//
// With PARTIAL the depth is cut into `splits` parts of `split_depth`, a multiple of TILE_K. Part p of matrix s stores
// its sums, without bias, addend and activation, at s · output_stack_stride + p · split_stride; `sum_parts` finishes
// them.

struct left_rows {
    __global const float *start;
    int depth, end, depth_stride;
    size_t rows[LEFT_LOADS];
};

static left_vector left_load(const left_rows *left, int index) {
    if (left->depth >= left->end) return (left_vector)0;
#if LEFT_VECTOR == 4
    return *(__global const float4 *)(left->start + left->rows[index] + left->depth);
#else
    return left->start[left->rows[index] + (size_t)left->depth * left->depth_stride];
#endif
}

static void left_advance(left_rows *left) { left->depth += TILE_K; }

// left_depth_stride is 1 with LEFT_VECTOR 4, and right_column_stride is 1 with RIGHT_VECTOR 4. `right_columns` is
// `columns`; with RIGHT_VECTOR 4 it is rounded up to a multiple of 4, to which rows of `right` are padded. `bias` holds
// a multiple of 4 elements for each matrix, `bias_stack_stride` apart.
__kernel __attribute__((reqd_work_group_size(GROUP_N, GROUP_M, 1))) void gemm(
    __global const float *left, ulong left_position, __global const float *right, ulong right_position,
    __global const float *bias, ulong bias_position, __global const float *addend, ulong addend_position,
    __global float *output, ulong output_position, int rows, int columns, int depth, long left_stack_stride,
    int left_row_stride, int left_depth_stride, int right_columns, long right_stack_stride, int right_row_stride,
    int right_column_stride, int bias_stack_stride, int has_addend, long addend_stack_stride, int addend_row_stride,
    long output_stack_stride, int output_row_stride, int activation, float low, float high, int splits, int split_depth,
    long split_stride) {
    // One array, since PoCL 3.1 lets two that are used in unrolled loops be shared by groups that run at the same time.
    // Twice a left tile is a multiple of 64 bytes.
    __local tile_element left_tiles[2 * LEFT_TILE + 2 * RIGHT_TILE] __attribute__((aligned(64)));
    __local tile_element *right_tiles = left_tiles + 2 * LEFT_TILE;
    const int matrix = get_group_id(2) / splits, part = get_group_id(2) % splits;
    const int first_row = get_group_id(1) * TILE_M, first_column = get_group_id(0) * TILE_N;
    const int thread = get_local_id(1) * GROUP_N + get_local_id(0);
    const int begin = part * split_depth, end = min(depth, begin + split_depth);

    left_rows from;
    from.start = left + left_position + matrix * left_stack_stride;
    from.depth = begin + thread % LEFT_LANES * LEFT_VECTOR;
    from.end = end;
    from.depth_stride = left_depth_stride;
#pragma unroll
    for (int i = 0; i < LEFT_LOADS; i++) {
        const int row = first_row + (thread + i * THREADS) / LEFT_LANES;
        from.rows[i] = (size_t)min(row, rows - 1) * left_row_stride;
    }
    const right_matrix factor = {
        right + right_position + matrix * right_stack_stride, end, right_columns, right_row_stride,
        right_column_stride};
    lanes sums[ITEM_ROWS][CHUNKS];
    accumulate(&from, &factor, first_column, begin, end, left_tiles, right_tiles, sums);

    const epilogue finish = {
        bias + bias_position + matrix * bias_stack_stride, columns, has_addend, activation, low, high};
    output += output_position + matrix * output_stack_stride;
    addend += addend_position + matrix * addend_stack_stride;
#ifdef PARTIAL
    output += part * split_stride;
#endif
#pragma unroll
    for (int i = 0; i < ITEM_ROWS; i++) {
        const size_t row = first_row + item_row(i);
        if (row < rows)
            store_row(
                &finish, first_column, sums[i], addend + row * addend_row_stride, output + row * output_row_stride);
    }
}
