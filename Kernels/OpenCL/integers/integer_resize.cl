// Bilinear resizing of channels-last images of 8-bit integers, as in `Graphs`' IntegerResize.
//
// A place holds the lower and the upper element of the input, the share of the upper in units of 2⁻¹⁰, and the bits of
// that share in float32, which bytes without a sign use.
//
// NDRange: [channels, output_width, images · output_height], each rounded up. Macros: SIGNED, IS_NVIDIA.

static inline int read_byte(__global const uchar *from) { return SIGNED ? (int)as_char(*from) : (int)*from; }

__kernel void integer_resize(
    __global const uchar *input, ulong input_position, __global const int4 *row_places, ulong row_position,
    __global const int4 *column_places, ulong column_position, __global uchar *output, ulong output_position,
    int images, int channels, long input_image_stride, int input_row_stride, int input_pixel_stride,
    int output_height, int output_width, long output_image_stride, int output_row_stride, int output_pixel_stride) {
    const int channel = get_global_id(0), ox = get_global_id(1);
    const int image = get_global_id(2) / output_height, oy = get_global_id(2) % output_height;
    if (channel >= channels || ox >= output_width || image >= images) return;
    const int4 row = row_places[row_position + oy], column = column_places[column_position + ox];
    input += input_position + image * input_image_stride + channel;
    __global const uchar *top = input + (long)row.s0 * input_row_stride;
    __global const uchar *bottom = input + (long)row.s1 * input_row_stride;
    const long left = (long)column.s0 * input_pixel_stride, right = (long)column.s1 * input_pixel_stride;
    const int a = read_byte(top + left), b = read_byte(top + right);
    const int c = read_byte(bottom + left), d = read_byte(bottom + right);
#if SIGNED
    const int y = row.s2, x = column.s2;
    const int sum = (a * (1024 - y) + c * y) * (1024 - x) + (b * (1024 - y) + d * y) * x;
    const int value = clamp((sum + (sum > 0 ? 1 << 19 : -(1 << 19))) / (1 << 20), -128, 127);
#else
    const float y = as_float(row.s3), x = as_float(column.s3);
    const float sum = rounded_product(rounded_product(a, 1 - y), 1 - x) +
                      rounded_product(rounded_product(c, y), 1 - x) +
                      rounded_product(rounded_product(b, 1 - y), x) + rounded_product(rounded_product(d, y), x) + 0.5f;
    const int value = clamp(convert_int_rtz(sum), 0, 255);
#endif
    output[output_position + image * output_image_stride + (long)oy * output_row_stride +
           (long)ox * output_pixel_stride + channel] = (uchar)value;
}
