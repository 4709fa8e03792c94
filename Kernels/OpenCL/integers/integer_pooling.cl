// Pooling of 8-bit integers over channels-last images.
//
// Macros: SIGNED; VECTOR 4, where it divides channels, strides and positions, otherwise 1; MAXIMUM for the maximum
// instead of the mean; for `integer_mean` also ROUNDING, CHANNEL_ITEMS, and ROW_ITEMS, a power of 2.

#if VECTOR == 4
typedef int4 numbers;
#if SIGNED
#define BYTES(pointer) convert_int4(*(__global const char4 *)(pointer))
#else
#define BYTES(pointer) convert_int4(*(__global const uchar4 *)(pointer))
#endif
#define STORE_BYTES(value, pointer) (*(__global uchar4 *)(pointer) = convert_uchar4((value) & 255))
#else
typedef int numbers;
#if SIGNED
#define BYTES(pointer) (*(__global const char *)(pointer))
#else
#define BYTES(pointer) (*(pointer))
#endif
#define STORE_BYTES(value, pointer) (*(pointer) = (uchar)(value))
#endif

#ifndef ROW_ITEMS
// Computes output[n][oy][ox][c] over the taps (ky, kx) at y = oy · stride_height − padding_top + ky · dilation_height
// (x likewise) inside the image: with MAXIMUM their maximum, otherwise the mean of their sum, halves away from zero; 0
// without such taps, and in the end from `low` to `high`.
//
// NDRange: [channels / VECTOR, output_width, images · output_height], each rounded up.
__kernel void integer_pool(
    __global const uchar *input, ulong input_position, __global uchar *output, ulong output_position, int images,
    int channels, int input_height, int input_width, long input_image_stride, int input_row_stride,
    int input_pixel_stride, int kernel_height, int kernel_width, int stride_height, int stride_width,
    int dilation_height, int dilation_width, int padding_top, int padding_left, int output_height, int output_width,
    long output_image_stride, int output_row_stride, int output_pixel_stride, int low, int high) {
    const int channel = get_global_id(0) * VECTOR, ox = get_global_id(1);
    const int image = get_global_id(2) / output_height, oy = get_global_id(2) % output_height;
    if (channel >= channels || ox >= output_width || image >= images) return;
    const int top = oy * stride_height - padding_top, left = ox * stride_width - padding_left;
    input += input_position + image * input_image_stride + channel;
#ifdef MAXIMUM
    numbers result = (numbers)low;
#else
    numbers result = (numbers)0;
    int count = 0;
#endif
    for (int ky = 0; ky < kernel_height; ky++) {
        const int y = top + ky * dilation_height;
        if ((uint)y >= (uint)input_height) continue;
        for (int kx = 0; kx < kernel_width; kx++) {
            const int x = left + kx * dilation_width;
            if ((uint)x >= (uint)input_width) continue;
            const numbers value = BYTES(input + (long)y * input_row_stride + (long)x * input_pixel_stride);
#ifdef MAXIMUM
            result = max(result, value);
#else
            result += value;
            count++;
#endif
        }
    }
#ifndef MAXIMUM
    const numbers half_count = (numbers)(count / 2);
    result = select(result - half_count, result + half_count, result > 0) / (numbers)max(count, 1);
#endif
    result = clamp(result, (numbers)low, (numbers)high);
    STORE_BYTES(
        result, output + output_position + image * output_image_stride + (long)oy * output_row_stride +
                    (long)ox * output_pixel_stride + channel);
}
#else
// output[n][c] = requantize(Σ over y, x of input[n][y][x][c] − input_point).
//
// Work-item (i, r) of a group takes pixels r, r + ROW_ITEMS, …. The ROW_ITEMS sums are then folded in halves.
// NDRange: [channels / VECTOR rounded up to CHANNEL_ITEMS, ROW_ITEMS, images], local size [CHANNEL_ITEMS, ROW_ITEMS,
// 1].
__kernel __attribute__((reqd_work_group_size(CHANNEL_ITEMS, ROW_ITEMS, 1))) void integer_mean(
    __global const uchar *input, ulong input_position, __global uchar *output, ulong output_position, int channels,
    int height, int width, long input_image_stride, int input_row_stride, int input_pixel_stride,
    long output_image_stride, int input_point, int factor, int shift, int zero_point, int low, int high) {
    __local numbers results[ROW_ITEMS][CHANNEL_ITEMS];
    const int item = get_local_id(0), row = get_local_id(1);
    const int channel = get_global_id(0) * VECTOR;
    const size_t image = get_group_id(2);
    numbers result = (numbers)0;
    if (channel < channels) {
        input += input_position + image * input_image_stride + channel;
        for (int pixel = row; pixel < height * width; pixel += ROW_ITEMS)
            result +=
                BYTES(input + (long)(pixel / width) * input_row_stride + (long)(pixel % width) * input_pixel_stride) -
                input_point;
    }
    results[row][item] = result;
    for (int half_count = ROW_ITEMS / 2; half_count > 0; half_count /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (row < half_count) results[row][item] += results[row + half_count][item];
    }
    if (row != 0 || channel >= channels) return;
    int sums[VECTOR];
#if VECTOR == 4
    vstore4(results[0][item], 0, sums);
#else
    sums[0] = results[0][item];
#endif
    output += output_position + image * output_image_stride + channel;
#pragma unroll
    for (int c = 0; c < VECTOR; c++)
        output[c] = (uchar)requantize(sums[c], factor, shift, zero_point, low, high);
}
#endif
