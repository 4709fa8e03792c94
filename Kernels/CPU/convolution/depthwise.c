#include "../activation.h"
#include "apus_convolution.h"
#include "../target.h"

/// Channels whose sums stay in registers: four 8-float or two 16-float vectors.
enum { BLOCK = 32 };

/// The taps [first, last) of a kernel axis that fall inside the image.
static inline void taps_inside(
    ptrdiff_t start, ptrdiff_t extent, ptrdiff_t dilation, ptrdiff_t taps, ptrdiff_t *first, ptrdiff_t *last) {
    *first = start >= 0 ? 0 : (-start + dilation - 1) / dilation;
    *last = start >= extent ? 0 : (extent - start + dilation - 1) / dilation;
    if (*last > taps) *last = taps;
}

__attribute__((always_inline)) static inline void depthwise_block(
    const float *input, const apus_window *window, ptrdiff_t width, ptrdiff_t channels, const float *weights,
    const float *bias, ptrdiff_t y0, ptrdiff_t x0, float *sums) {
    for (ptrdiff_t c = 0; c < width; c++) sums[c] = bias ? bias[c] : 0;
    ptrdiff_t ky_first, ky_last, kx_first, kx_last;
    taps_inside(y0, window->input_height, window->dilation_height, window->kernel_height, &ky_first, &ky_last);
    taps_inside(x0, window->input_width, window->dilation_width, window->kernel_width, &kx_first, &kx_last);
    for (ptrdiff_t ky = ky_first; ky < ky_last; ky++) {
        const float *row = input + (y0 + ky * window->dilation_height) * window->input_row_stride;
        for (ptrdiff_t kx = kx_first; kx < kx_last; kx++) {
            const float *x = row + (x0 + kx * window->dilation_width) * window->input_pixel_stride;
            const float *w = weights + (ky * window->kernel_width + kx) * channels;
            for (ptrdiff_t c = 0; c < width; c++) sums[c] += x[c] * w[c];
        }
    }
}

APUS_KERNEL void apus_depthwise_row(
    const float *input, const apus_window *window, ptrdiff_t channels, const float *weights, const float *bias,
    const float *addend, ptrdiff_t addend_pixel_stride, apus_activation activation, ptrdiff_t output_row, float *output, ptrdiff_t output_pixel_stride) {
    const ptrdiff_t y0 = output_row * window->stride_height - window->padding_top;
    for (ptrdiff_t c0 = 0; c0 < channels; c0 += BLOCK) {
        const ptrdiff_t width = channels - c0 < BLOCK ? channels - c0 : BLOCK;
        const float *block_bias = bias ? bias + c0 : 0;
        for (ptrdiff_t ox = 0; ox < window->output_width; ox++) {
            const ptrdiff_t x0 = ox * window->stride_width - window->padding_left;
            float sums[BLOCK];
            if (width == BLOCK)
                depthwise_block(input + c0, window, BLOCK, channels, weights + c0, block_bias, y0, x0, sums);
            else
                depthwise_block(input + c0, window, width, channels, weights + c0, block_bias, y0, x0, sums);
            if (addend) {
                const float *added = addend + ox * addend_pixel_stride + c0;
                for (ptrdiff_t c = 0; c < width; c++) sums[c] += added[c];
            }
            activate(sums, width, activation);
            float *destination = output + ox * output_pixel_stride + c0;
            for (ptrdiff_t c = 0; c < width; c++) destination[c] = sums[c];
        }
    }
}
