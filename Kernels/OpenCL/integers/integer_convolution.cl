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

struct left_rows {
    __global const uchar *input;
    __local const patch *patches;
    tap at;
    int channels;
    // Four times the zero point of the input.
    uint zeros;
};

static left_vector left_load(const left_rows *left, int index) {
    const patch from = left->patches[index * ROWS_APART];
    if (left->at.ky >= left->at.kernel_height || from.y == NO_ROW) return (left_vector)0;
    if (!is_inside(&left->at, &from)) return (left_vector)left->zeros;
    __global const uchar *place = left->input + place_under(&left->at, &from) + 4 * left->at.unit;
#if ALIGNED
    return *(__global const left_vector *)place;
#else
    return first_bytes(place, left->channels - 4 * left->at.unit);
#endif
}

static void left_advance(left_rows *left) { advance_tap(&left->at, TILE_K); }

__kernel __attribute__((reqd_work_group_size(GROUP_N, GROUP_M, 1))) void integer_convolution(
    __global const uchar *input, ulong input_position, __global const uint *weights, ulong weights_position,
    RESULT_PARAMETERS, int rows, int columns, int pitch, int channels, int words, int input_height, int input_width,
    long input_image_stride, int input_row_stride, int input_pixel_stride, int kernel_height, int kernel_width,
    int stride_height, int stride_width, int dilation_height, int dilation_width, int padding_top, int padding_left,
    int output_height, int output_width, long output_image_stride, int output_row_stride, int output_pixel_stride) {
    // One array, since PoCL 3.1 lets two that are used in unrolled loops be shared by groups that run at the same time.
    __local uint tiles[TILE_WORDS + PATCH_BYTES / 4] __attribute__((aligned(128)));
    __local patch *patches = (__local patch *)(tiles + TILE_WORDS);
    const int group = get_group_id(2);
    const int first_row = get_group_id(1) * TILE_M, first_column = get_group_id(0) * TILE_N;
    const int thread = get_local_id(1) * GROUP_N + get_local_id(0);
    const int depth = kernel_height * kernel_width * words;
    const output_pixels pixels = {rows, output_height, output_width};
    const image_strides input_strides = {input_image_stride, input_row_stride, input_pixel_stride};
    find_patches(
        patches, thread, first_row, &pixels, &input_strides, (int2)(stride_width, stride_height),
        (int2)(padding_left, padding_top));
    barrier(CLK_LOCAL_MEM_FENCE);

    const int groups = get_num_groups(2);
    DEFINE_RESULTS(
        to, weights + weights_position + (size_t)groups * depth * pitch, groups, group, groups, group, pitch, columns);
    to.output += group * columns;

    left_rows from;
    from.input = input + input_position + group * channels;
    from.patches = patches + thread / LEFT_LANES;
    from.at = tap_at(
        thread % LEFT_LANES * LEFT_WORDS, words, (int2)(kernel_width, kernel_height),
        (int2)(dilation_width, dilation_height), input_height, input_width, &input_strides);
    from.channels = channels;
    from.zeros = 0x01010101u * (uint)(left_point_of(&to, 0) & 255);
    const right_matrix other = {weights + weights_position + (size_t)group * depth * pitch, depth, pitch};
    lanes sums[ITEM_M][CHUNKS];
    int row_sums[ITEM_M];
    accumulate(&from, &other, first_column, tiles, sums, row_sums);

    const image_strides output_strides = {output_image_stride, output_row_stride, output_pixel_stride};
    __local output_place *stored = (__local output_place *)patches;
    find_places(stored, thread, first_row, &pixels, &output_strides, &output_strides);
    long places[ITEM_M];
#pragma unroll
    for (int i = 0; i < ITEM_M; i++)
        places[i] = first_row + item_row(i) < rows ? stored[item_row(i)].output : -1;
    store_results(&to, first_row, first_column, sums, row_sums, places);
}
