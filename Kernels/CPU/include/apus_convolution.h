#ifndef APUS_CONVOLUTION_H
#define APUS_CONVOLUTION_H

#include "apus_activation.h"

#include <stddef.h>

/// The geometry of a 2-D convolution over one channels-last image. Strides in elements.
typedef struct {
    ptrdiff_t input_height, input_width;
    /// The distances between input rows and between pixels.
    ptrdiff_t input_row_stride, input_pixel_stride;
    ptrdiff_t output_width;
    ptrdiff_t kernel_height, kernel_width;
    ptrdiff_t stride_height, stride_width;
    ptrdiff_t dilation_height, dilation_width;
    ptrdiff_t padding_top, padding_left;
} apus_window;

/// Gathers the input patches of consecutive output pixels as the rows of a matrix.
///
/// tile[r][(ky · kernel_width + kx) · channels + c] = input[y][x][c] with y = oy · stride_height − padding_top +
/// ky · dilation_height (same for x), zero outside the image, where r = oy · output_width + ox − first_pixel.
///
/// - input: The first gathered channel of the image's first pixel.
/// - tile: pixel_count × kernel × channels, dense.
void apus_gather_patches(
    const float *input, const apus_window *window, ptrdiff_t channels, ptrdiff_t first_pixel,
    ptrdiff_t pixel_count, float *tile);

/// Gathers patches from an input whose channels are planes `plane_stride` apart; `input_pixel_stride` is 1:
///
/// tile[r][(c · kernel_height + ky) · kernel_width + kx] = input[c][y][x].
void apus_gather_planar_patches(
    const float *input, ptrdiff_t plane_stride, const apus_window *window, ptrdiff_t channels, ptrdiff_t first_pixel,
    ptrdiff_t pixel_count, float *tile);

/// c[i][j] = activation(c[i][j] + bias[j] + addend[i][j]); `bias` and `addend` may be NULL.
///
/// Rows of `c` are `stride` elements apart, and rows of `addend` are `addend_stride` elements apart.
void apus_add_bias_and_activate(
    float *c, ptrdiff_t rows, ptrdiff_t columns, ptrdiff_t stride, const float *bias, const float *addend,
    ptrdiff_t addend_stride, apus_activation activation);

#endif
