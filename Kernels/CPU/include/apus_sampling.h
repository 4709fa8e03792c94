#ifndef APUS_SAMPLING_H
#define APUS_SAMPLING_H

#include <stddef.h>

typedef enum { APUS_SAMPLING_NEAREST, APUS_SAMPLING_LINEAR, APUS_SAMPLING_CUBIC } apus_sampling_mode;
typedef enum { APUS_SAMPLING_ZEROS, APUS_SAMPLING_BORDER, APUS_SAMPLING_REFLECTION } apus_sampling_padding;

/// An image whose pixels have adjacent channels, and how it is sampled. Strides are in elements.
typedef struct {
    const float *pixels;
    ptrdiff_t height, width, channel_count;
    ptrdiff_t row_stride, pixel_stride;
    apus_sampling_mode mode;
    apus_sampling_padding padding;
    /// Whether −1 and 1 are the centres of the outer pixels; otherwise they are their outer edges.
    int aligns_corners;
} apus_sampled_image;

/// Samples `count` points. The coordinates of a point are adjacent, x before y, from −1 to 1; NaN stands for −1. The
/// cubic kernel is Keys' with the parameter −0.75. Output pixels have adjacent channels.
void apus_sample_points(
    const apus_sampled_image *image, const float *grid, ptrdiff_t count, float *output, ptrdiff_t output_stride);

/// Two neighbours along an axis, and the weight of the second. A sample outside the axis is 0.
typedef struct {
    ptrdiff_t first, second;
    float fraction;
    int is_outside;
} apus_roi_sample;

/// The samples of a region's cells along an axis, `per_cell` for each cell.
typedef struct {
    const apus_roi_sample *samples;
    ptrdiff_t cell_count, per_cell;
} apus_roi_axis;

/// The means of the samples in every cell of a region. `pixels` have adjacent channels; the cells that are written lie
/// row by row, with adjacent channels. Strides are in elements.
void apus_roi_align(
    const float *pixels, ptrdiff_t row_stride, ptrdiff_t pixel_stride, ptrdiff_t channel_count,
    const apus_roi_axis *rows, const apus_roi_axis *columns, float *output);

#endif
