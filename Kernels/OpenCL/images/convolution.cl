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

struct left_rows {
    __global const float *input;
    __local const patch *patches;
    tap at;
};

static __global const float *left_address(const left_rows *left, int index) {
    const patch from = left->patches[index * ROWS_APART];
    return is_inside(&left->at, &from) ? left->input + place_under(&left->at, &from) + left->at.unit : 0;
}

static void left_advance(left_rows *left) { advance_tap(&left->at, TILE_K); }

__kernel __attribute__((reqd_work_group_size(GROUP_N, GROUP_M, 1))) void convolution(
    __global const float *input, ulong input_position, __global const float *weights, ulong weights_position,
    __global const float *bias, ulong bias_position, __global const float *addend, ulong addend_position,
    __global float *output, ulong output_position, int rows, int columns, int weight_columns, int channels,
    int input_height, int input_width, long input_image_stride, int input_row_stride, int input_pixel_stride,
    int kernel_height, int kernel_width, int stride_height, int stride_width, int dilation_height, int dilation_width,
    int padding_top, int padding_left, int output_height, int output_width, long output_image_stride,
    int output_row_stride, int output_pixel_stride, int has_addend, long addend_image_stride, int addend_row_stride,
    int addend_pixel_stride, float low, float high, int splits, int split_depth, long split_stride) {
    // One array, since PoCL 3.1 lets two that are used in unrolled loops be shared by groups that run at the same time.
    __local tile_element tiles[STAGES * (LEFT_TILE + RIGHT_TILE) + PATCH_BYTES / sizeof(tile_element)]
        __attribute__((aligned(128)));
    __local patch *patches = (__local patch *)(tiles + STAGES * (LEFT_TILE + RIGHT_TILE));
    const int group = get_group_id(2) / splits, part = get_group_id(2) % splits;
    const int first_row = get_group_id(1) * TILE_M, first_column = get_group_id(0) * TILE_N;
    const int thread = get_local_id(1) * GROUP_N + get_local_id(0);
    const int depth = kernel_height * kernel_width * channels;
    const int begin = part * split_depth, end = min(depth, begin + split_depth);
    const output_pixels pixels = {rows, output_height, output_width};
    const image_strides input_strides = {input_image_stride, input_row_stride, input_pixel_stride};
    find_patches(
        patches, thread, first_row, &pixels, &input_strides, (int2)(stride_width, stride_height),
        (int2)(padding_left, padding_top));
    barrier(CLK_LOCAL_MEM_FENCE);

    left_rows from;
    from.input = input + input_position + group * channels;
    from.patches = patches + thread / LEFT_LANES;
    from.at = tap_at(
        begin + thread % LEFT_LANES * LEFT_VECTOR, channels, (int2)(kernel_width, kernel_height),
        (int2)(dilation_width, dilation_height), input_height, input_width, &input_strides);
    const right_matrix other =
        weights_of_group(weights + weights_position, group, depth, end, columns, weight_columns);
    lanes sums[ITEM_ROWS][CHUNKS];
    accumulate(&from, &other, first_column, begin, end, tiles, sums);

    const epilogue finish = {
        bias + bias_position + group * DIVIDE_UP(columns, 4) * 4, columns, low, high};
    const image_strides output_strides = {output_image_stride, output_row_stride, output_pixel_stride};
    const image_strides addend_strides = {addend_image_stride, addend_row_stride, addend_pixel_stride};
    __local output_place *places = (__local output_place *)patches;
    find_places(places, thread, first_row, &pixels, &output_strides, &addend_strides);
    output += output_position + group * columns;
    addend += addend_position + group * columns;
#ifdef PARTIAL
    output += part * split_stride;
#else
    if (has_addend) {
#pragma unroll
        for (int i = 0; i < ITEM_ROWS; i++) {
            const int row = item_row(i);
            if (first_row + row < rows) add_row(&finish, first_column, sums[i], addend + places[row].addend);
        }
    }
#endif
#pragma unroll
    for (int i = 0; i < ITEM_ROWS; i++) {
        const int row = item_row(i);
        if (first_row + row < rows) store_row(&finish, first_column, sums[i], output + places[row].output);
    }
}
