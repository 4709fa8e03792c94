// Convolutions of 8-bit integers over channels-last images, as products whose left rows are gathered by address.
//
// exact[n][oy][ox][m] = Σ over ky, kx, c of (input[n][y][x][g · channels + c] − left_point) ·
// (weights[g][m][ky][kx][c] − right_point[m]), y = oy · stride_height − padding_top + ky · dilation_height (x
// likewise); outside the image the input is left_point; g = m / columns. integer_results.cl makes of it what is stored.
//
// rows = images · output_height · output_width; columns and channels are those of one group. The weights are packed as
// pack_words.cl says, with a part for each group and a tap for each element of the kernel, which has `words` words.
// Rows of parameters are groups · pitch long.
//
// NDRange: [column tiles · GROUP_N, row tiles · GROUP_M, groups], local size [GROUP_N, GROUP_M, 1].
// Macros: those of integer_results.cl; ALIGNED 1 where channels and the input's position and strides are multiples of
// 4 · LEFT_WORDS, which LEFT_WORDS 4 needs.

typedef struct {
    long start;
    int y, x;
} patch;

struct left_rows {
    __global const uchar *input;
    patch rows[LEFT_LOADS];
    int word, kx, ky;
    int words, channels, kernel_height, kernel_width, dilation_height, dilation_width;
    int height, width, row_stride, pixel_stride;
    // Four times the zero point of the input.
    uint zeros;
};

static left_vector left_load(const left_rows *left, int index) {
    const patch from = left->rows[index];
    if (left->ky >= left->kernel_height || from.y == INT_MIN / 2) return (left_vector)0;
    const int dy = left->ky * left->dilation_height, dx = left->kx * left->dilation_width;
    if ((uint)(from.y + dy) >= (uint)left->height || (uint)(from.x + dx) >= (uint)left->width)
        return (left_vector)left->zeros;
    __global const uchar *place = left->input + from.start + (long)dy * left->row_stride +
                                  (long)dx * left->pixel_stride + 4 * left->word;
#if ALIGNED
    return *(__global const left_vector *)place;
#else
    return first_bytes(place, left->channels - 4 * left->word);
#endif
}

static void left_advance(left_rows *left) {
    left->word += TILE_K;
    while (left->word >= left->words && left->ky < left->kernel_height) {
        left->word -= left->words;
        if (++left->kx == left->kernel_width) {
            left->kx = 0;
            left->ky++;
        }
    }
}

__kernel __attribute__((reqd_work_group_size(GROUP_N, GROUP_M, 1))) void integer_convolution(
    __global const uchar *input, ulong input_position, __global const uint *weights, ulong weights_position,
    RESULT_PARAMETERS, int rows, int columns, int pitch, int channels, int words, int input_height, int input_width,
    long input_image_stride, int input_row_stride, int input_pixel_stride, int kernel_height, int kernel_width,
    int stride_height, int stride_width, int dilation_height, int dilation_width, int padding_top, int padding_left,
    int output_height, int output_width, long output_image_stride, int output_row_stride, int output_pixel_stride) {
    // One array, since PoCL 3.1 lets two that are used in unrolled loops be shared by groups that run at the same time.
    __local uint tiles[TILE_WORDS] __attribute__((aligned(128)));
    const int group = get_group_id(2);
    const int first_row = get_group_id(1) * TILE_M, first_column = get_group_id(0) * TILE_N;
    const int thread = get_local_id(1) * GROUP_N + get_local_id(0);
    const int depth = kernel_height * kernel_width * words, pixels = output_height * output_width;

    const int groups = get_num_groups(2);
    DEFINE_RESULTS(
        to, weights + weights_position + (size_t)groups * depth * pitch, groups, group, groups, group, pitch, columns);
    to.output += group * columns;

    left_rows from;
    from.input = input + input_position + group * channels;
    const int word = thread % LEFT_LANES * LEFT_WORDS;
    from.word = word % words;
    from.kx = word / words % kernel_width;
    from.ky = word / words / kernel_width;
    from.words = words;
    from.channels = channels;
    from.kernel_height = kernel_height;
    from.kernel_width = kernel_width;
    from.dilation_height = dilation_height;
    from.dilation_width = dilation_width;
    from.height = input_height;
    from.width = input_width;
    from.row_stride = input_row_stride;
    from.pixel_stride = input_pixel_stride;
    from.zeros = 0x01010101u * (uint)(left_point_of(&to, 0) & 255);
#pragma unroll
    for (int i = 0; i < LEFT_LOADS; i++) {
        const int row = first_row + (thread + i * THREADS) / LEFT_LANES;
        const int image = row / pixels, pixel = row % pixels;
        const int y = pixel / output_width * stride_height - padding_top;
        const int x = pixel % output_width * stride_width - padding_left;
        from.rows[i].start = image * input_image_stride + (long)y * input_row_stride + (long)x * input_pixel_stride;
        from.rows[i].y = row < rows ? y : INT_MIN / 2;
        from.rows[i].x = x;
    }
    const right_matrix other = {weights + weights_position + (size_t)group * depth * pitch, depth, pitch};
    lanes sums[ITEM_M][CHUNKS];
    int row_sums[ITEM_M];
    accumulate(&from, &other, first_column, tiles, sums, row_sums);

    long places[ITEM_M];
#pragma unroll
    for (int i = 0; i < ITEM_M; i++) {
        const int row = first_row + item_row(i);
        const int image = row / pixels, y = row % pixels / output_width, x = row % pixels % output_width;
        places[i] = row < rows ? image * output_image_stride + (long)y * output_row_stride +
                                     (long)x * output_pixel_stride
                               : -1;
    }
    store_results(&to, first_row, first_column, sums, row_sums, places);
}
