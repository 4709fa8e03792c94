#include "apus_pooling.h"
#include "../target.h"

#include <math.h>

/// The taps [first, last) of a window axis for which low ≤ start + tap · dilation < high.
static inline void taps_between(
    ptrdiff_t start, ptrdiff_t low, ptrdiff_t high, ptrdiff_t dilation, ptrdiff_t taps, ptrdiff_t *first,
    ptrdiff_t *last) {
    *first = start >= low ? 0 : (low - start + dilation - 1) / dilation;
    *last = start >= high ? 0 : (high - start + dilation - 1) / dilation;
    if (*last > taps) *last = taps;
    if (*first > *last) *first = *last;
}

APUS_KERNEL void apus_max_pool_row(
    const float *input, const apus_window *window, ptrdiff_t channels, ptrdiff_t output_row, float *output,
    ptrdiff_t output_pixel_stride) {
    const ptrdiff_t y0 = output_row * window->stride_height - window->padding_top;
    ptrdiff_t ky_first, ky_last;
    taps_between(
        y0, 0, window->input_height, window->dilation_height, window->kernel_height, &ky_first, &ky_last);
    for (ptrdiff_t ox = 0; ox < window->output_width; ox++) {
        const ptrdiff_t x0 = ox * window->stride_width - window->padding_left;
        ptrdiff_t kx_first, kx_last;
        taps_between(
            x0, 0, window->input_width, window->dilation_width, window->kernel_width, &kx_first, &kx_last);
        float *restrict y = output + ox * output_pixel_stride;
        for (ptrdiff_t c = 0; c < channels; c++) y[c] = -INFINITY;
        for (ptrdiff_t ky = ky_first; ky < ky_last; ky++) {
            const float *row = input + (y0 + ky * window->dilation_height) * window->input_row_stride;
            for (ptrdiff_t kx = kx_first; kx < kx_last; kx++) {
                const float *restrict x = row + (x0 + kx * window->dilation_width) * window->input_pixel_stride;
                for (ptrdiff_t c = 0; c < channels; c++) y[c] = x[c] > y[c] || x[c] != x[c] ? x[c] : y[c];
            }
        }
    }
}

APUS_KERNEL void apus_average_pool_row(
    const float *input, const apus_window *window, ptrdiff_t channels, int padding_counts, ptrdiff_t padding_bottom,
    ptrdiff_t padding_right, ptrdiff_t output_row, float *output, ptrdiff_t output_pixel_stride) {
    const ptrdiff_t y0 = output_row * window->stride_height - window->padding_top;
    ptrdiff_t ky_first, ky_last, counted_first, counted_last;
    taps_between(
        y0, 0, window->input_height, window->dilation_height, window->kernel_height, &ky_first, &ky_last);
    taps_between(
        y0, -window->padding_top, window->input_height + padding_bottom, window->dilation_height,
        window->kernel_height, &counted_first, &counted_last);
    const ptrdiff_t counted_rows = counted_last - counted_first;
    for (ptrdiff_t ox = 0; ox < window->output_width; ox++) {
        const ptrdiff_t x0 = ox * window->stride_width - window->padding_left;
        ptrdiff_t kx_first, kx_last;
        taps_between(
            x0, 0, window->input_width, window->dilation_width, window->kernel_width, &kx_first, &kx_last);
        taps_between(
            x0, -window->padding_left, window->input_width + padding_right, window->dilation_width,
            window->kernel_width, &counted_first, &counted_last);
        const ptrdiff_t divisor = padding_counts ? counted_rows * (counted_last - counted_first)
                                                 : (ky_last - ky_first) * (kx_last - kx_first);
        float *restrict y = output + ox * output_pixel_stride;
        for (ptrdiff_t c = 0; c < channels; c++) y[c] = 0;
        for (ptrdiff_t ky = ky_first; ky < ky_last; ky++) {
            const float *row = input + (y0 + ky * window->dilation_height) * window->input_row_stride;
            for (ptrdiff_t kx = kx_first; kx < kx_last; kx++) {
                const float *restrict x = row + (x0 + kx * window->dilation_width) * window->input_pixel_stride;
                for (ptrdiff_t c = 0; c < channels; c++) y[c] += x[c];
            }
        }
        const float scale = 1.0f / (float)divisor;
        for (ptrdiff_t c = 0; c < channels; c++) y[c] *= scale;
    }
}

APUS_KERNEL void apus_global_average_pool(
    const float *input, ptrdiff_t height, ptrdiff_t width, ptrdiff_t row_stride, ptrdiff_t pixel_stride,
    ptrdiff_t channels, float *output) {
    for (ptrdiff_t c = 0; c < channels; c++) output[c] = 0;
    for (ptrdiff_t y = 0; y < height; y++) {
        for (ptrdiff_t x = 0; x < width; x++) {
            const float *restrict pixel = input + y * row_stride + x * pixel_stride;
            for (ptrdiff_t c = 0; c < channels; c++) output[c] += pixel[c];
        }
    }
    const float scale = 1.0f / (float)(height * width);
    for (ptrdiff_t c = 0; c < channels; c++) output[c] *= scale;
}
