// Finishes a product whose depth was cut into parts.
//
// output[m][n] = activation(Σ over p of parts[p][m][n] + bias[n] + addend[m][n]), p ascending, where m = (image ·
// height + y) · width + x. A matrix counts as one image of one row.
//
// Parts lie split_stride apart and have dense rows of part_columns, a multiple of VECTOR.
// NDRange: [columns / VECTOR rounded up, rows], any local size. Macros: VECTOR 1, 2 or 4, which divides `columns` and
// the strides and positions of output and addend.

__kernel void sum_parts(
    __global const float *parts, ulong parts_position, __global const float *bias, ulong bias_position,
    __global const float *addend, ulong addend_position, __global float *output, ulong output_position, int rows,
    int columns, int splits, long split_stride, int part_columns, int height, int width, int has_addend,
    long addend_image_stride, int addend_row_stride, int addend_pixel_stride, long output_image_stride,
    int output_row_stride, int output_pixel_stride, int activation, float low, float high) {
    const int column = get_global_id(0) * VECTOR, row = get_global_id(1);
    if (column >= columns || row >= rows) return;
    const int image = row / (height * width), y = row / width % height, x = row % width;
    parts += parts_position + (size_t)row * part_columns + column;
    vector sum = LOAD(parts);
    for (int part = 1; part < splits; part++) sum += LOAD(parts + part * split_stride);
    sum += LOAD(bias + bias_position + column);
    if (has_addend)
        sum += LOAD(
            addend + addend_position + image * addend_image_stride + (long)y * addend_row_stride +
            (long)x * addend_pixel_stride + column);
    STORE(
        activate(sum, activation, low, high),
        output + output_position + image * output_image_stride + (long)y * output_row_stride +
            (long)x * output_pixel_stride + column);
}
