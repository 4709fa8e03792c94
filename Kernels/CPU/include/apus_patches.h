#ifndef APUS_PATCHES_H
#define APUS_PATCHES_H

#include "apus_convolution.h"

/// How a patch is cut into segments of adjacent elements, which are also the order of the weights.
typedef enum {
    /// [ky][kx] segments of [channels].
    APUS_PATCH_TAPS,
    /// [ky] segments of [kx][channels]: pixels are dense and not dilated in width.
    APUS_PATCH_KERNEL_ROWS,
    /// [channels][ky] segments of [kx]: channels are planes, not dilated in width.
    APUS_PATCH_PLANES,
} apus_patch_order;

/// Where the patches of a convolution's input lie. Strides in elements.
typedef struct {
    apus_window window;
    ptrdiff_t image_stride;
    /// Between planes, for APUS_PATCH_PLANES.
    ptrdiff_t plane_stride;
    ptrdiff_t channels;
    /// Output pixels of one image.
    ptrdiff_t image_pixel_count;
    apus_patch_order order;
} apus_patches;

/// Finds the patches of consecutive output pixels, numbered through the batch, as rows of a product (apus_gemm.h).
///
/// - zeros: as many zeros as a segment has elements, for segments outside the image.
/// - addresses: pixel_count × segments.
/// - copies: room for pixel_count patches; segments that reach over the image's edge are copied here, with zeros.
void apus_find_patches(
    const apus_patches *_Nonnull patches, const float *_Nonnull input, const float *_Nonnull zeros,
    ptrdiff_t first_pixel, ptrdiff_t pixel_count, ptrdiff_t tile_rows, const float *_Nonnull *_Nonnull addresses,
    float *_Nonnull copies);

#endif
