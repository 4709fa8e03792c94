#ifndef APUS_PATCHES_H
#define APUS_PATCHES_H

#include "apus_convolution.h"

#pragma clang assume_nonnull begin

/// The division of a patch into segments of adjacent elements. Weights have the same order.
typedef enum {
    /// [ky][kx] segments of [channels].
    APUS_PATCH_TAPS,
    /// [ky] segments of [kx][channels]: pixels are dense, the window is not dilated in width, and no window leaves the
    /// image.
    APUS_PATCH_KERNEL_ROWS,
} apus_patch_order;

/// The positions of the patches of a convolution's input. Strides in elements.
typedef struct {
    apus_window window;
    ptrdiff_t image_stride;
    /// Output pixels of one image.
    ptrdiff_t image_pixel_count;
    apus_patch_order order;
} apus_patches;

/// Finds the patches of consecutive output pixels, numbered through the batch, as rows of a product (apus_gemm.h).
///
/// - zeros: As many zeros as a segment has elements, for taps outside the image.
/// - addresses: pixel_count × segments, in the order of `apus_gemm_block.rows`.
void apus_find_patches(
    const apus_patches *patches, const float *input, const float *zeros, ptrdiff_t first_pixel,
    ptrdiff_t pixel_count, ptrdiff_t tile_rows, const float *_Nonnull *_Nonnull addresses);

/// Copies rows of an image with their padding, and makes the channels of a pixel adjacent:
///
/// rows[r][x][c] = input[first_row + r][x − padding_left][c], 0 outside the image and for c ≥ channels.
///
/// - Parameters:
///   - input: The image; `window` gives its extents and strides, `channel_stride` the distance of its channels.
///   - first_row: May lie outside the image.
///   - rows: row_count × row_width × pixel_length, dense; `pixel_length` is at least `channels`.
void apus_interleave_rows(
    const float *input, const apus_window *window, ptrdiff_t channels, ptrdiff_t channel_stride, ptrdiff_t first_row,
    ptrdiff_t row_count, ptrdiff_t row_width, ptrdiff_t pixel_length, float *rows);

/// Joins each 2 × 2 pixels of two rows into one pixel of 4 · channels channels:
///
/// joined[x][a][b][c] = rows[a][2 · x + b][c]
///
/// - Parameters:
///   - rows: 2 × row_width × channels, dense; `row_width` is even.
///   - joined: row_width / 2 × 4 · channels, dense.
void apus_join_pixels(const float *rows, ptrdiff_t row_width, ptrdiff_t channels, float *joined);

#pragma clang assume_nonnull end

#endif
