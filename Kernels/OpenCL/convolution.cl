// Convolutions over channels-last images, as matrix products whose left rows are gathered by address.
//
// output[n][oy][ox][m] = activation(Σ over ky, kx, c of input[n][y][x][g · channels + c] · weights[g][ky][kx][c][m −
// g · columns] + bias[m] + addend[n][oy][ox][m]), y = oy · stride_height − padding_top + ky · dilation_height (x
// likewise), 0 outside the image; g = m / columns.
//
// rows = images · output_height · output_width; columns and channels are those of one group. Each group has
// kernel_height · kernel_width · channels rows of weights and one row of bias, all of `weight_columns` elements, a
// multiple of 4 with RIGHT_VECTOR 4.
//
// NDRange: [column tiles · GROUP_N, row tiles · GROUP_M, groups · splits], local size [GROUP_N, GROUP_M, 1].
// Macros: those of product.cl. LEFT_VECTOR 4 needs channels and the input's position and strides to be multiples of 4.
// With PARTIAL the depth is cut into parts of `split_depth`, a multiple of TILE_K; part p stores its sums, without
// bias, addend and activation, at p · split_stride, and `sum_parts` finishes them.

typedef struct {
    long start;
    int y, x;
} patch;

struct left_rows {
    __global const float *input;
    patch rows[LEFT_LOADS];
    int channel, kx, ky;
    int channels, kernel_height, kernel_width, dilation_height, dilation_width;
    int height, width, row_stride, pixel_stride;
};

static __global const float *left_address(const left_rows *left, int index) {
    const int dy = left->ky * left->dilation_height, dx = left->kx * left->dilation_width;
    const patch from = left->rows[index];
    const int is_inside = left->ky < left->kernel_height && (uint)(from.y + dy) < (uint)left->height &&
                          (uint)(from.x + dx) < (uint)left->width;
    if (!is_inside) return 0;
    return left->input + from.start + (long)dy * left->row_stride + (long)dx * left->pixel_stride + left->channel;
}

static void left_advance(left_rows *left) {
    left->channel += TILE_K;
    while (left->channel >= left->channels && left->ky < left->kernel_height) {
        left->channel -= left->channels;
        if (++left->kx == left->kernel_width) {
            left->kx = 0;
            left->ky++;
        }
    }
}

__kernel __attribute__((reqd_work_group_size(GROUP_N, GROUP_M, 1))) void convolution(
    __global const float *input, ulong input_position, __global const float *weights, ulong weights_position,
    __global const float *bias, ulong bias_position, __global const float *addend, ulong addend_position,
    __global float *output, ulong output_position, int rows, int columns, int weight_columns, int channels,
    int input_height, int input_width, long input_image_stride, int input_row_stride, int input_pixel_stride,
    int kernel_height, int kernel_width, int stride_height, int stride_width, int dilation_height, int dilation_width,
    int padding_top, int padding_left, int output_height, int output_width, long output_image_stride,
    int output_row_stride, int output_pixel_stride, int has_addend, long addend_image_stride, int addend_row_stride,
    int addend_pixel_stride, float low, float high, int splits, int split_depth, long split_stride) {
    __local tile_element tiles[STAGES * (LEFT_TILE + RIGHT_TILE)] __attribute__((aligned(128)));
    const int group = get_group_id(2) / splits, part = get_group_id(2) % splits;
    const int first_row = get_group_id(1) * TILE_M, first_column = get_group_id(0) * TILE_N;
    const int thread = get_local_id(1) * GROUP_N + get_local_id(0);
    const int depth = kernel_height * kernel_width * channels;
    const int begin = part * split_depth, end = min(depth, begin + split_depth);
    const int pixels = output_height * output_width;

    left_rows from;
    from.input = input + input_position + group * channels;
    const int lane = begin + thread % LEFT_LANES * LEFT_VECTOR;
    from.channel = lane % channels;
    from.kx = lane / channels % kernel_width;
    from.ky = lane / channels / kernel_width;
    from.channels = channels;
    from.kernel_height = kernel_height;
    from.kernel_width = kernel_width;
    from.dilation_height = dilation_height;
    from.dilation_width = dilation_width;
    from.height = input_height;
    from.width = input_width;
    from.row_stride = input_row_stride;
    from.pixel_stride = input_pixel_stride;
#pragma unroll
    for (int i = 0; i < LEFT_LOADS; i++) {
        const int row = first_row + (thread + i * THREADS) / LEFT_LANES;
        const int image = row / pixels, pixel = row % pixels;
        const int y = pixel / output_width * stride_height - padding_top;
        const int x = pixel % output_width * stride_width - padding_left;
        from.rows[i].start =
            image * input_image_stride + (long)y * input_row_stride + (long)x * input_pixel_stride;
        from.rows[i].y = row < rows ? y : INT_MIN / 2;
        from.rows[i].x = x;
    }
    const right_matrix other =
        weights_of_group(weights + weights_position, group, depth, end, columns, weight_columns);
    lanes sums[ITEM_ROWS][CHUNKS];
    accumulate(&from, &other, first_column, begin, end, tiles, sums);

    const epilogue finish = {
        bias + bias_position + group * DIVIDE_UP(columns, 4) * 4, columns, low, high};
    output += output_position + group * columns;
    addend += addend_position + group * columns;
#ifdef PARTIAL
    output += part * split_stride;
#else
    if (has_addend) {
#pragma unroll
        for (int i = 0; i < ITEM_ROWS; i++) {
            const int row = first_row + item_row(i);
            if (row >= rows) continue;
            const int image = row / pixels, y = row % pixels / output_width, x = row % pixels % output_width;
            add_row(
                &finish, first_column, sums[i],
                addend + image * addend_image_stride + (long)y * addend_row_stride + (long)x * addend_pixel_stride);
        }
    }
#endif
#pragma unroll
    for (int i = 0; i < ITEM_ROWS; i++) {
        const int row = first_row + item_row(i);
        if (row >= rows) continue;
        const int image = row / pixels, y = row % pixels / output_width, x = row % pixels % output_width;
        store_row(
            &finish, first_column, sums[i],
            output + image * output_image_stride + (long)y * output_row_stride + (long)x * output_pixel_stride);
    }
}
