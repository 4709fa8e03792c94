// Resizes channels-last images with separable filters that tables give: nearest, linear, cubic, antialiased.
//
// output[n][oy][ox][c] = Σ over i, j of row_weights[oy][i] · column_weights[ox][j] ·
// input[n][rows[oy][i]][columns[ox][j]][c]
//
// Tables are dense, ROW_TAPS and COLUMN_TAPS wide. A tap of weight 0 also has an index inside the image.
// NDRange: [channels / VECTOR, output_width, images · output_height], each rounded up.
// Macros: ROW_TAPS, COLUMN_TAPS; VECTOR 1, 2 or 4, which divides channels, strides and positions.

__kernel void resize(
    __global const float *input, ulong input_position, __global const int *rows, ulong rows_position,
    __global const float *row_weights, ulong row_weights_position, __global const int *columns, ulong columns_position,
    __global const float *column_weights, ulong column_weights_position, __global float *output,
    ulong output_position, int images, int channels, long input_image_stride, int input_row_stride,
    int input_pixel_stride, int output_height, int output_width, long output_image_stride, int output_row_stride,
    int output_pixel_stride) {
    const int channel = get_global_id(0) * VECTOR, ox = get_global_id(1);
    const int image = get_global_id(2) / output_height, oy = get_global_id(2) % output_height;
    if (channel >= channels || ox >= output_width || image >= images) return;
    input += input_position + image * input_image_stride + channel;
    rows += rows_position + oy * ROW_TAPS;
    row_weights += row_weights_position + oy * ROW_TAPS;
    columns += columns_position + ox * COLUMN_TAPS;
    column_weights += column_weights_position + ox * COLUMN_TAPS;
    vector sum = (vector)0;
    for (int i = 0; i < ROW_TAPS; i++) {
        __global const float *line = input + (long)rows[i] * input_row_stride;
        vector across = (vector)0;
        for (int j = 0; j < COLUMN_TAPS; j++)
            across = MULTIPLY_ADD(
                LOAD(line + (long)columns[j] * input_pixel_stride), (vector)column_weights[j], across);
        sum = MULTIPLY_ADD(across, (vector)row_weights[i], sum);
    }
    STORE(
        sum, output + output_position + image * output_image_stride + (long)oy * output_row_stride +
                 (long)ox * output_pixel_stride + channel);
}
