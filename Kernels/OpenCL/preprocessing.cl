// Pixels of bytes to normalised channels-last values.
//
// output[n][y][x][c] = input[n][y][x][c] · scale[c] + shift[c]; input strides in bytes.
// NDRange: [width, images · height], rounded up.

__kernel void normalize_pixels(
    __global const uchar *input, ulong input_position, __global const float *scale, ulong scale_position,
    __global const float *shift, ulong shift_position, __global float *output, ulong output_position, int images,
    int channels, int height, int width, long input_image_stride, int input_row_stride, int input_pixel_stride,
    long output_image_stride, int output_row_stride, int output_pixel_stride) {
    const int x = get_global_id(0), image = get_global_id(1) / height, y = get_global_id(1) % height;
    if (x >= width || image >= images) return;
    input += input_position + image * input_image_stride + (long)y * input_row_stride + (long)x * input_pixel_stride;
    output +=
        output_position + image * output_image_stride + (long)y * output_row_stride + (long)x * output_pixel_stride;
    for (int channel = 0; channel < channels; channel++)
        output[channel] = MULTIPLY_ADD(
            (float)input[channel], scale[scale_position + channel], shift[shift_position + channel]);
}
