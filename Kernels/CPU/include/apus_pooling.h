#ifndef APUS_POOLING_H
#define APUS_POOLING_H

#include "apus_convolution.h"

/// One output row of max pooling over a channels-last image, whose elements and those of the output are float32, or
/// bfloat16 where `is_bfloat16`.
///
/// output[ox][c] = max over the window's taps inside the image of input[y][x][c]; −∞ for a window with no such tap, NaN
/// for a window with a NaN.
void apus_max_pool_row(
    const void *input, const apus_window *window, ptrdiff_t channels, ptrdiff_t output_row, void *output,
    ptrdiff_t output_pixel_stride, int is_bfloat16);

/// One output row of average pooling over a channels-last image, with elements as for the maximum.
///
/// output[ox][c] = (Σ over the window's taps inside the image of input[y][x][c]) ÷ divisor. The divisor is the number
/// of taps inside the image, or, when `padding_counts`, inside the image and its padding, which `padding_bottom` and
/// `padding_right` bound.
void apus_average_pool_row(
    const void *input, const apus_window *window, ptrdiff_t channels, int padding_counts, ptrdiff_t padding_bottom,
    ptrdiff_t padding_right, ptrdiff_t output_row, void *output, ptrdiff_t output_pixel_stride, int is_bfloat16);

/// output[c] = (Σ input[y][x][c]) ÷ (height · width) over a channels-last image. Runs of a row are summed in float32,
/// and their sums in float64. The image is float32, or bfloat16 where `is_bfloat16`.
void apus_global_average_pool(
    const void *input, ptrdiff_t height, ptrdiff_t width, ptrdiff_t row_stride, ptrdiff_t pixel_stride,
    ptrdiff_t channels, float *output, int is_bfloat16);

#endif
