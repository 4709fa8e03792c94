// Pooling over channels-last images: max, average, and the whole image at once.
//
// Macros: VECTOR 1, 2 or 4, which divides channels, strides and positions; MAXIMUM for the maximum instead of the mean;
// for `pool_image` also CHANNEL_ITEMS, and ROW_ITEMS, a power of 2.

// NaN wins over every number.
static inline vector larger(vector a, vector b) { return select(a, b, b > a || b != b); }


// Computes output[n][oy][ox][c] over the taps (ky, kx) at y = oy · stride_height − padding_top + ky · dilation_height
// (x likewise) inside the image:
// - with MAXIMUM, their maximum; −∞ for a window without such taps, NaN for a window with a NaN;
// - otherwise their sum ÷ the number of taps inside the image, or, where `padding_counts`, inside the image and its
//   padding.
//
// NDRange: [channels / VECTOR, output_width, images · output_height], each rounded up.
__kernel void pool(
    __global const float *input, ulong input_position, __global float *output, ulong output_position, int images,
    int channels, int input_height, int input_width, long input_image_stride, int input_row_stride,
    int input_pixel_stride, int kernel_height, int kernel_width, int stride_height, int stride_width,
    int dilation_height, int dilation_width, int padding_top, int padding_left, int padding_bottom, int padding_right,
    int padding_counts, int output_height, int output_width, long output_image_stride, int output_row_stride,
    int output_pixel_stride) {
    const int channel = get_global_id(0) * VECTOR, ox = get_global_id(1);
    const int image = get_global_id(2) / output_height, oy = get_global_id(2) % output_height;
    if (channel >= channels || ox >= output_width || image >= images) return;
    const int top = oy * stride_height - padding_top, left = ox * stride_width - padding_left;
    input += input_position + image * input_image_stride + channel;
#ifdef MAXIMUM
    vector result = (vector)(-INFINITY);
#else
    vector result = (vector)0;
    int inside = 0, rows = 0, columns = 0;
    for (int ky = 0; ky < kernel_height; ky++) {
        const int y = top + ky * dilation_height;
        rows += y >= -padding_top && y < input_height + padding_bottom;
    }
    for (int kx = 0; kx < kernel_width; kx++) {
        const int x = left + kx * dilation_width;
        columns += x >= -padding_left && x < input_width + padding_right;
    }
#endif
    for (int ky = 0; ky < kernel_height; ky++) {
        const int y = top + ky * dilation_height;
        if ((uint)y >= (uint)input_height) continue;
        for (int kx = 0; kx < kernel_width; kx++) {
            const int x = left + kx * dilation_width;
            if ((uint)x >= (uint)input_width) continue;
            const vector value = LOAD(input + (long)y * input_row_stride + (long)x * input_pixel_stride);
#ifdef MAXIMUM
            result = larger(result, value);
#else
            result += value;
            inside++;
#endif
        }
    }
#ifndef MAXIMUM
    // A window that lies wholly in the padding gives 0.
    result /= (vector)max(padding_counts ? rows * columns : inside, 1);
#endif
    STORE(
        result, output + output_position + image * output_image_stride + (long)oy * output_row_stride +
                    (long)ox * output_pixel_stride + channel);
}

#ifdef ROW_ITEMS
// output[n][c] = the mean, or with MAXIMUM the maximum, of input[n][y][x][c] over the whole image.
//
// Work-item (i, r) of a group takes pixels r, r + ROW_ITEMS, …. The ROW_ITEMS results are then folded in halves.
// NDRange: [channels / VECTOR rounded up to CHANNEL_ITEMS, ROW_ITEMS, images], local size [CHANNEL_ITEMS, ROW_ITEMS,
// 1].
__kernel __attribute__((reqd_work_group_size(CHANNEL_ITEMS, ROW_ITEMS, 1))) void pool_image(
    __global const float *input, ulong input_position, __global float *output, ulong output_position, int channels,
    int height, int width, long input_image_stride, int input_row_stride, int input_pixel_stride,
    long output_image_stride) {
    __local vector results[ROW_ITEMS][CHANNEL_ITEMS];
    const int item = get_local_id(0), row = get_local_id(1);
    const int channel = get_global_id(0) * VECTOR;
    const size_t image = get_group_id(2);
#ifdef MAXIMUM
    vector result = (vector)(-INFINITY);
#else
    vector result = (vector)0;
#endif
    if (channel < channels) {
        input += input_position + image * input_image_stride + channel;
        for (int pixel = row; pixel < height * width; pixel += ROW_ITEMS) {
            const vector value = LOAD(
                input + (long)(pixel / width) * input_row_stride + (long)(pixel % width) * input_pixel_stride);
#ifdef MAXIMUM
            result = larger(result, value);
#else
            result += value;
#endif
        }
    }
    results[row][item] = result;
    for (int half_count = ROW_ITEMS / 2; half_count > 0; half_count /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (row < half_count) {
#ifdef MAXIMUM
            results[row][item] = larger(results[row][item], results[row + half_count][item]);
#else
            results[row][item] += results[row + half_count][item];
#endif
        }
    }
    if (row != 0 || channel >= channels) return;
    result = results[0][item];
#ifndef MAXIMUM
    result /= (vector)(height * width);
#endif
    STORE(result, output + output_position + image * output_image_stride + channel);
}
#endif
