// Stacked matrix products, and 1 × 1 convolutions with stride 1, whose rows are pixels and whose stack is the groups.
//
// output[s][m][n] = activation(factor · Σ over k of left[s][m][k] · right[s][k][n] + bias[s][n] + addend[s][m][n])
//
// Matrix s of the stack is matrix s % inner_count of outer stack s / inner_count; an operand's matrices lie
// stack_stride, its outer stacks outer_stride apart.
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

static __global const float *left_address(const left_rows *left, int index) {
    if (left->depth >= left->end) return 0;
#if LEFT_VECTOR == 4
    return left->start + left->rows[index] + left->depth;
#else
    return left->start + left->rows[index] + (size_t)left->depth * left->depth_stride;
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
    long output_stack_stride, int output_row_stride, float low, float high, int splits, int split_depth,
    long split_stride, float factor, int inner_count, long left_outer_stride, long right_outer_stride,
    long output_outer_stride) {
    // One array, since PoCL 3.1 lets two that are used in unrolled loops be shared by groups that run at the same time.
    __local tile_element tiles[STAGES * (LEFT_TILE + RIGHT_TILE)] __attribute__((aligned(128)));
    const int matrix = get_group_id(2) / splits, part = get_group_id(2) % splits;
    const long outer = matrix / inner_count, inner = matrix % inner_count;
    const int first_row = get_group_id(1) * TILE_M, first_column = get_group_id(0) * TILE_N;
    const int thread = get_local_id(1) * GROUP_N + get_local_id(0);
    const int begin = part * split_depth, end = min(depth, begin + split_depth);

    left_rows from;
    from.start = left + left_position + outer * left_outer_stride + inner * left_stack_stride;
    from.depth = begin + thread % LEFT_LANES * LEFT_VECTOR;
    from.end = end;
    from.depth_stride = left_depth_stride;
#pragma unroll
    for (int i = 0; i < LEFT_LOADS; i++) {
        const int row = first_row + (thread + i * THREADS) / LEFT_LANES;
        from.rows[i] = (size_t)min(row, rows - 1) * left_row_stride;
    }
    const right_matrix other = {
        right + right_position + outer * right_outer_stride + inner * right_stack_stride, end, right_columns,
        right_row_stride, right_column_stride};
    lanes sums[ITEM_ROWS][CHUNKS];
    accumulate(&from, &other, first_column, begin, end, tiles, sums);
#pragma unroll
    for (int i = 0; i < ITEM_ROWS; i++) {
#pragma unroll
        for (int j = 0; j < CHUNKS; j++) sums[i][j] *= factor;
    }

    const epilogue finish = {
        bias + bias_position + matrix * bias_stack_stride, columns, low, high};
    output += output_position + outer * output_outer_stride + inner * output_stack_stride;
    addend += addend_position + matrix * addend_stack_stride;
#ifdef PARTIAL
    output += part * split_stride;
#else
    if (has_addend) {
#pragma unroll
        for (int i = 0; i < ITEM_ROWS; i++) {
            const size_t row = first_row + item_row(i);
            if (row < rows) add_row(&finish, first_column, sums[i], addend + row * addend_row_stride);
        }
    }
#endif
#pragma unroll
    for (int i = 0; i < ITEM_ROWS; i++) {
        const size_t row = first_row + item_row(i);
        if (row < rows) store_row(&finish, first_column, sums[i], output + row * output_row_stride);
    }
}
