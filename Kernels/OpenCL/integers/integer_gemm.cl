// Stacked products of matrices of 8-bit integers: exact[s][m][n] = Σ over k of (left[s][m][k] − left_point) ·
// (right[s][k][n] − right_point[n]), of which integer_results.cl makes what is stored.
//
// Rows of the left operand have `depth` bytes, and after them as many zeros as fill left_words words. The right operand
// is packed as pack_words.cl says, with one tap of `words` words; with one part, all matrices of the stack share it.
//
// NDRange: [column tiles · GROUP_N, row tiles · GROUP_M, stack], local size [GROUP_N, GROUP_M, 1].
// Macros: those of integer_results.cl; ALIGNED 1 where the left operand's position and strides, and its row of words,
// are multiples of 4 · LEFT_WORDS bytes, which LEFT_WORDS 4 needs.

struct left_rows {
    __global const uchar *start;
    int word, words, depth;
    // Negative outside the operand.
    long rows[LEFT_LOADS];
};

static left_vector left_load(const left_rows *left, int index) {
    if (left->word >= left->words || left->rows[index] < 0) return (left_vector)0;
    __global const uchar *place = left->start + left->rows[index] + 4 * left->word;
#if ALIGNED
    return *(__global const left_vector *)place;
#else
    return first_bytes(place, left->depth - 4 * left->word);
#endif
}

static void left_advance(left_rows *left) { left->word += TILE_K; }

__kernel __attribute__((reqd_work_group_size(GROUP_N, GROUP_M, 1))) void integer_gemm(
    __global const uchar *left, ulong left_position, __global const uint *right, ulong right_position,
    RESULT_PARAMETERS, int rows, int columns, int depth, int words, int left_words, int pitch, int right_parts,
    long left_stack_stride, int left_row_stride, int left_point_stack_stride, long output_stack_stride,
    int output_row_stride) {
    // One array, since PoCL 3.1 lets two that are used in unrolled loops be shared by groups that run at the same time.
    __local uint tiles[TILE_WORDS] __attribute__((aligned(128)));
    const int matrix = get_group_id(2), part = right_parts == 1 ? 0 : matrix;
    const int first_row = get_group_id(1) * TILE_M, first_column = get_group_id(0) * TILE_N;
    const int thread = get_local_id(1) * GROUP_N + get_local_id(0);

    left_rows from;
    from.start = left + left_position + matrix * left_stack_stride;
    from.word = thread % LEFT_LANES * LEFT_WORDS;
    from.words = left_words;
    from.depth = depth;
#pragma unroll
    for (int i = 0; i < LEFT_LOADS; i++) {
        const int row = first_row + (thread + i * THREADS) / LEFT_LANES;
        from.rows[i] = row < rows ? (long)row * left_row_stride : -1;
    }
    right += right_position;
    const right_matrix other = {right + (size_t)part * words * pitch, words, pitch};
    lanes sums[ITEM_M][CHUNKS];
    int row_sums[ITEM_M];
    accumulate(&from, &other, first_column, tiles, sums, row_sums);

    // All matrices have the same parameters.
    DEFINE_RESULTS(to, right + (size_t)right_parts * words * pitch, right_parts, part, 1, 0, pitch, columns);
    to.left_points += matrix * left_point_stack_stride;
    long places[ITEM_M];
#pragma unroll
    for (int i = 0; i < ITEM_M; i++) {
        const int row = first_row + item_row(i);
        places[i] = row < rows ? matrix * output_stack_stride + (long)row * output_row_stride : -1;
    }
    store_results(&to, first_row, first_column, sums, row_sums, places);
}
