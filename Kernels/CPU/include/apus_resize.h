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

/// A channels-last image and `width` pixels of a row of its resized image, each of float32 or of bfloat16. Strides in
/// elements.
typedef struct {
    const void *_Nonnull input;
    ptrdiff_t row_stride, pixel_stride;
    ptrdiff_t channels, width;
    void *_Nonnull output;
    ptrdiff_t output_pixel_stride;
    int input_is_bfloat16, output_is_bfloat16;
} apus_resized_row;

/// Computes an output row: output[x][c] = Σ over i, j of row weight i · column weight j of x ·
/// input[row i][column j of x][c]; i is the outer loop.
void apus_resize_row(
    const apus_resized_row *_Nonnull resized, const apus_resize_table *_Nonnull rows, ptrdiff_t row,
    const apus_resize_table *_Nonnull columns);

/// A plane of floats and its resized plane, whose rows are dense. The table of columns has all first elements, then all
/// second ones, and so on: indices[j][x], weights[j][x].
typedef struct {
    const float *_Nonnull input;
    /// Elements from one row of the input to the next.
    ptrdiff_t row_stride;
    /// The elements of an output row.
    ptrdiff_t width;
    /// The first row of the resized plane.
    float *_Nonnull output;
    /// `width` elements and a number for each row weight.
    float *_Nonnull lines;
    int32_t *_Nonnull line_numbers;
} apus_resized_plane;

/// Computes output rows [first_row, last_row): output[y][x] = Σ over i of row weight i of y · Σ over j of
/// column weight j of x · input[row i of y][column j of x]. The inner sums are kept for the rows that follow.
void apus_resize_plane_rows(
    const apus_resized_plane *_Nonnull resized, const apus_resize_table *_Nonnull rows, ptrdiff_t first_row,
    ptrdiff_t last_row, const apus_resize_table *_Nonnull columns);

#endif
