// Depthwise convolutions over channels-last images, one filter per channel.
//
// output[n][oy][ox][c] = activation(Σ over ky, kx of input[n][y][x][c] · weights[ky][kx][c] + bias[c] +
// addend[n][oy][ox][c]), y = oy · stride_height − padding_top + ky · dilation_height (x likewise), 0 outside the image.
//
// A work-item computes VECTOR adjacent channels of ITEM_WIDTH adjacent pixels of a row.
// NDRange: [channels / VECTOR, ⌈output_width / ITEM_WIDTH⌉, images · output_height], each rounded up to a multiple of
// the local size. Weights are rows of `channels`.
// Macros: VECTOR 1, 2 or 4, which divides channels, strides and positions; ITEM_WIDTH; KERNEL_HEIGHT, KERNEL_WIDTH,
// STRIDE_WIDTH, DILATION_WIDTH.

// Input pixels of a row that a work-item may read.
#define SPAN ((ITEM_WIDTH - 1) * STRIDE_WIDTH + (KERNEL_WIDTH - 1) * DILATION_WIDTH + 1)

// Whether any output of a work-item reads pixel `s` of its span.
static inline int is_read(int s) {
    int found = 0;
#pragma unroll
    for (int i = 0; i < ITEM_WIDTH; i++) {
#pragma unroll
        for (int kx = 0; kx < KERNEL_WIDTH; kx++) found |= i * STRIDE_WIDTH + kx * DILATION_WIDTH == s;
    }
    return found;
}

__kernel void depthwise(
    __global const float *input, ulong input_position, __global const float *weights, ulong weights_position,
    __global const float *bias, ulong bias_position, __global const float *addend, ulong addend_position,
    __global float *output, ulong output_position, int images, int channels, int input_height, int input_width,
    long input_image_stride, int input_row_stride, int input_pixel_stride, int stride_height, int dilation_height,
    int padding_top, int padding_left, int output_height, int output_width, long output_image_stride,
    int output_row_stride, int output_pixel_stride, int has_addend, long addend_image_stride, int addend_row_stride,
    int addend_pixel_stride, int activation, float low, float high) {
    const int channel = get_global_id(0) * VECTOR, first = get_global_id(1) * ITEM_WIDTH;
    const int image = get_global_id(2) / output_height, row = get_global_id(2) % output_height;
    if (channel >= channels || first >= output_width || image >= images) return;
    input += input_position + image * input_image_stride + channel;
    weights += weights_position + channel;
    vector sums[ITEM_WIDTH];
#pragma unroll
    for (int i = 0; i < ITEM_WIDTH; i++) sums[i] = (vector)0;
    const int left = first * STRIDE_WIDTH - padding_left;
    for (int ky = 0; ky < KERNEL_HEIGHT; ky++) {
        const int y = row * stride_height - padding_top + ky * dilation_height;
        if ((uint)y >= (uint)input_height) continue;
        __global const float *line = input + (long)y * input_row_stride;
        vector pixels[SPAN];
#pragma unroll
        for (int s = 0; s < SPAN; s++) {
            const int x = left + s;
            pixels[s] = is_read(s) && (uint)x < (uint)input_width ? LOAD(line + (long)x * input_pixel_stride)
                                                                  : (vector)0;
        }
#pragma unroll
        for (int kx = 0; kx < KERNEL_WIDTH; kx++) {
            const vector weight = LOAD(weights + (ky * KERNEL_WIDTH + kx) * channels);
#pragma unroll
            for (int i = 0; i < ITEM_WIDTH; i++)
                sums[i] = MULTIPLY_ADD(pixels[i * STRIDE_WIDTH + kx * DILATION_WIDTH], weight, sums[i]);
        }
    }
    const vector shift = LOAD(bias + bias_position + channel);
    addend += addend_position + image * addend_image_stride + (long)row * addend_row_stride + channel;
    output += output_position + image * output_image_stride + (long)row * output_row_stride + channel;
#pragma unroll
    for (int i = 0; i < ITEM_WIDTH; i++) {
        const long x = first + i;
        if (x >= output_width) break;
        vector value = sums[i] + shift;
        if (has_addend) value += LOAD(addend + x * addend_pixel_stride);
        STORE(activate(value, activation, low, high), output + x * output_pixel_stride);
    }
}
