#ifndef APUS_RESIZE_H
#define APUS_RESIZE_H

#include <stddef.h>
#include <stdint.h>

/// The `width` input elements of each output element of an axis, and their weights, some of which may be 0.
typedef struct {
    ptrdiff_t width;
    const int32_t *_Nonnull indices;
    const float *_Nonnull weights;
} apus_resize_table;

/// Computes an output row of a channels-last image: output[x][c] = Σ over i, j of row weight i · column weight j of x ·
/// input[row i][column j of x][c]; i is the outer loop. Strides in elements.
void apus_resize_row(
    const float *_Nonnull input, ptrdiff_t row_stride, ptrdiff_t pixel_stride, ptrdiff_t channels,
    const apus_resize_table *_Nonnull rows, ptrdiff_t row, const apus_resize_table *_Nonnull columns, ptrdiff_t width,
    float *_Nonnull output, ptrdiff_t output_pixel_stride);

#endif
