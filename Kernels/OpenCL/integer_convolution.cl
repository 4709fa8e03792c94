// Convolutions of 8-bit integers over channels-last images, as products whose left rows are gathered by address.
//
// output[n][oy][ox][m] = requantize(Σ over ky, kx, c of (input[n][y][x][g · channels + c] − input_point) ·
// (weights[g][m][ky][kx][c] − weight_point) + bias[m]), y = oy · stride_height − padding_top + ky · dilation_height (x
// likewise); outside the image the input is input_point; g = m / columns.
//
// rows = images · output_height · output_width; columns and channels are those of one group. A tap has `words` words of
// four channels. Each group has kernel_height · kernel_width · words rows of `pitch` words of weights; those of
// channels that are missing in a word are weight_point, and those of missing columns are of no account. After the
// weights of all groups lie, in groups · pitch words, the sums of weights − weight_point of every column. The three
// rows of parameters, bias, factor and shift, are groups · pitch long, too.
//
// NDRange: [column tiles · GROUP_N, row tiles · GROUP_M, groups], local size [GROUP_N, GROUP_M, 1].
// Macros: those of integer_tile.cl and ROUNDING; ALIGNED 1 where channels and the input's position and strides are
// multiples of 4 · LEFT_WORDS, which LEFT_WORDS 4 needs; OUTPUT_VECTOR 4 where columns and the output's position and
// strides are multiples of 4, otherwise 1. SUMS_ROWS where weight_point is not 0.

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
    const int rest = left->channels - 4 * left->word;
    uint word = place[0];
    if (rest > 1) word |= (uint)place[1] << 8;
    if (rest > 2) word |= (uint)place[2] << 16;
    if (rest > 3) word |= (uint)place[3] << 24;
    return word;
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
    __global const int *parameters, ulong parameters_position, __global uchar *output, ulong output_position, int rows,
    int columns, int pitch, int channels, int words, int input_height, int input_width, long input_image_stride,
    int input_row_stride, int input_pixel_stride, int kernel_height, int kernel_width, int stride_height,
    int stride_width, int dilation_height, int dilation_width, int padding_top, int padding_left, int output_height,
    int output_width, long output_image_stride, int output_row_stride, int output_pixel_stride, int input_point,
    int weight_point, int zero_point, int low, int high) {
    // One array, since PoCL 3.1 lets two that are used in unrolled loops be shared by groups that run at the same time.
    __local uint tiles[TILE_WORDS] __attribute__((aligned(128)));
    const int group = get_group_id(2);
    const int first_row = get_group_id(1) * TILE_M, first_column = get_group_id(0) * TILE_N;
    const int thread = get_local_id(1) * GROUP_N + get_local_id(0);
    const int depth = kernel_height * kernel_width * words, pixels = output_height * output_width;

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
    from.zeros = 0x01010101u * (uint)(input_point & 255);
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

    const int groups = get_num_groups(2);
    __global const int *weight_sums =
        (__global const int *)(weights + weights_position + (size_t)groups * depth * pitch) + group * pitch;
    parameters += parameters_position + group * pitch;
    output += output_position + group * columns;
    long places[ITEM_M];
#pragma unroll
    for (int i = 0; i < ITEM_M; i++) {
        const int row = first_row + item_row(i);
        const int image = row / pixels, y = row % pixels / output_width, x = row % pixels % output_width;
        places[i] = row < rows ? image * output_image_stride + (long)y * output_row_stride +
                                     (long)x * output_pixel_stride
                               : -1;
    }
#pragma unroll
    for (int j = 0; j < CHUNKS; j++) {
        int values[ITEM_M][LANES];
#pragma unroll
        for (int i = 0; i < ITEM_M; i++) JOIN(vstore, LANES)(sums[i][j], 0, values[i]);
#pragma unroll
        for (int l = 0; l < LANES; l += 4) {
            const int column = first_column + chunk_column(j) + l;
            if (column >= columns) continue;
            const int4 bias = *(__global const int4 *)(parameters + column) -
                              input_point * *(__global const int4 *)(weight_sums + column);
            const int4 factor = *(__global const int4 *)(parameters + (size_t)groups * pitch + column);
            const int4 shift = *(__global const int4 *)(parameters + (size_t)2 * groups * pitch + column);
#pragma unroll
            for (int i = 0; i < ITEM_M; i++) {
                if (places[i] < 0) continue;
                int4 sum = vload4(0, values[i] + l) + bias;
#ifdef SUMS_ROWS
                sum -= weight_point * row_sums[i];
#endif
                const uchar4 result = (uchar4)(
                    (uchar)requantize(sum.s0, factor.s0, shift.s0, zero_point, low, high),
                    (uchar)requantize(sum.s1, factor.s1, shift.s1, zero_point, low, high),
                    (uchar)requantize(sum.s2, factor.s2, shift.s2, zero_point, low, high),
                    (uchar)requantize(sum.s3, factor.s3, shift.s3, zero_point, low, high));
                __global uchar *to = output + places[i] + column;
#if OUTPUT_VECTOR == 4
                *(__global uchar4 *)to = result;
#else
                to[0] = result.s0;
                if (column + 1 < columns) to[1] = result.s1;
                if (column + 2 < columns) to[2] = result.s2;
                if (column + 3 < columns) to[3] = result.s3;
#endif
            }
        }
    }
}
