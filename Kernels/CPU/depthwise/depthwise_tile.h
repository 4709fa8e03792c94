#ifndef APUS_DEPTHWISE_TILE_H
#define APUS_DEPTHWISE_TILE_H

// The register tile: sums of neighbouring output pixels of a row, over one or more vectors of channels. Needs a variant
// header before it, and
//
// - APUS_TILE_VECTORS: the vectors of channels of a tile;
// - what elements.h needs.

#include "../variants/elements.h"
#include "../variants/vector.h"
#include "apus_depthwise.h"

#ifndef APUS_TILE_VECTORS
#error "define APUS_TILE_VECTORS before depthwise_tile.h is included"
#endif

enum {
    /// The sizes of ImageNet's feature maps are multiples of 7.
    LONG_TILE = 7,
    SHORT_TILE = 4,
    WIDEST_KERNEL = 7,
    /// Vectors of a pixel whose sums are in registers at the same time.
    PIXEL_VECTORS = 4,
};

/// The parameters that the tiles of a run of output pixels share.
typedef struct {
    /// The leftmost pixel of the first image row under the kernel; `row_count` rows lie `row_stride` apart.
    const element *input;
    ptrdiff_t row_stride, row_count;
    /// Column x of the tile lies origin + x · column_stride elements from `input`. The columns [first_column,
    /// last_column) are inside the image.
    ptrdiff_t origin, column_stride;
    ptrdiff_t first_column, last_column;
    const float *weights;
    ptrdiff_t tap_stride, kernel_width;
    const float *bias;
    ptrdiff_t channel_count;
    element *output;
    ptrdiff_t output_stride;
    /// The first output pixel's addend; may be NULL.
    const float *addend;
    ptrdiff_t addend_stride;
    activation_limits limits;
    /// An activation that `limits` cannot express is applied after them.
    apus_activation activation;
} tile_group;

/// `pixels` output pixels, `stride` apart, from channel `c` on, under a kernel of `kernel_width` adjacent taps.
///
/// A column of the image is loaded once for all output pixels that read it. Unless `is_inside`, columns may be outside
/// the image, but each pixel's middle tap is inside.
APUS_INLINE void convolve_tile(
    const tile_group *group, ptrdiff_t c, const int pixels, const int vectors, const int kernel_width, const int stride,
    const int is_inside) {
    vector sums[LONG_TILE][APUS_TILE_VECTORS];
    APUS_UNROLL for (int v = 0; v < vectors; v++) {
        const vector bias = group->bias ? load(group->bias + c + v * APUS_LANES) : (vector){0};
        APUS_UNROLL for (int p = 0; p < pixels; p++) sums[p][v] = bias;
    }
    const element *row = group->input + c;
    const float *taps = group->weights + c;
    for (ptrdiff_t ky = 0; ky < group->row_count; ky++) {
        vector weights[WIDEST_KERNEL][APUS_TILE_VECTORS];
        APUS_UNROLL for (int kx = 0; kx < kernel_width; kx++)
            APUS_UNROLL for (int v = 0; v < vectors; v++)
                weights[kx][v] = load(taps + kx * group->tap_stride + v * APUS_LANES);
        APUS_UNROLL for (int column = 0; column < (pixels - 1) * stride + kernel_width; column++) {
            if (!is_inside && column < kernel_width / 2 && column < group->first_column) continue;
            if (!is_inside && column > (pixels - 1) * stride + kernel_width / 2 && column >= group->last_column)
                continue;
            const element *x = row + group->origin + column * group->column_stride;
            APUS_UNROLL for (int v = 0; v < vectors; v++) {
                const vector input = load_elements(x + v * APUS_LANES);
                APUS_UNROLL for (int kx = 0; kx < kernel_width; kx++) {
                    const int distance = column - kx;
                    if (distance >= 0 && distance % stride == 0 && distance / stride < pixels)
                        sums[distance / stride][v] += input * weights[kx][v];
                }
            }
        }
        row += group->row_stride;
        taps += kernel_width * group->tap_stride;
    }
    if (group->addend) {
        const float *addend = group->addend + c;
        APUS_UNROLL for (int p = 0; p < pixels; p++)
            APUS_UNROLL for (int v = 0; v < vectors; v++)
                sums[p][v] += load(addend + p * group->addend_stride + v * APUS_LANES);
    }
    element *output = group->output + c;
    const vector low = (vector){0} + group->limits.low, high = (vector){0} + group->limits.high;
    APUS_UNROLL for (int p = 0; p < pixels; p++)
        APUS_UNROLL for (int v = 0; v < vectors; v++) sums[p][v] = raise(sums[p][v], low);
    APUS_UNROLL for (int p = 0; p < pixels; p++)
        APUS_UNROLL for (int v = 0; v < vectors; v++) sums[p][v] = lower(sums[p][v], high);
    if (exceeds_limits(group->activation) && !is_curved(group->activation)) {
        const vector_activation activation = prepare(group->activation);
        APUS_UNROLL for (int p = 0; p < pixels; p++)
            APUS_UNROLL for (int v = 0; v < vectors; v++) sums[p][v] = activate_vector(sums[p][v], activation);
    }
#if APUS_ELEMENTS_ARE_BFLOAT16
    if (is_curved(group->activation)) {
        float stored[LONG_TILE][APUS_TILE_VECTORS][APUS_LANES];
        APUS_UNROLL for (int p = 0; p < pixels; p++)
            APUS_UNROLL for (int v = 0; v < vectors; v++) store(stored[p][v], sums[p][v]);
        activate_stored(
            stored[0][0], pixels, APUS_TILE_VECTORS * APUS_LANES, vectors * APUS_LANES, group->activation);
        APUS_UNROLL for (int p = 0; p < pixels; p++)
            APUS_UNROLL for (int v = 0; v < vectors; v++) sums[p][v] = load(stored[p][v]);
    }
#endif
    APUS_UNROLL for (int p = 0; p < pixels; p++)
        APUS_UNROLL for (int v = 0; v < vectors; v++)
            store_elements(output + p * group->output_stride + v * APUS_LANES, sums[p][v]);
#if !APUS_ELEMENTS_ARE_BFLOAT16
    if (is_curved(group->activation))
        activate_stored(output, pixels, group->output_stride, vectors * APUS_LANES, group->activation);
#endif
}

/// Computes a tile for all channels, at least one vector of them. The last vector may overlap the one before.
APUS_INLINE void convolve_tiles(
    const tile_group *shared, const int pixels, const int kernel_width, const int stride, const int is_inside) {
    const tile_group group = *shared;
    const int width = APUS_TILE_VECTORS * APUS_LANES;
    ptrdiff_t c = 0;
    for (; c + width <= group.channel_count; c += width)
        convolve_tile(&group, c, pixels, APUS_TILE_VECTORS, kernel_width, stride, is_inside);
    for (; c < group.channel_count; c += APUS_LANES) {
        if (c > group.channel_count - APUS_LANES) c = group.channel_count - APUS_LANES;
        convolve_tile(&group, c, pixels, 1, kernel_width, stride, is_inside);
    }
}

/// Computes `vectors` vectors of one output pixel from channel `c` on, for any kernel: the tile's columns are the taps
/// of a kernel row. Only the first `lanes` of the last vector are stored.
APUS_INLINE void convolve_pixel_vectors(const tile_group *group, ptrdiff_t c, const int vectors, ptrdiff_t lanes) {
    const int is_whole = vectors > 1;
    vector sums[PIXEL_VECTORS];
    APUS_UNROLL for (int v = 0; v < vectors; v++) {
        if (!group->bias) {
            sums[v] = (vector){0};
            continue;
        }
        const float *bias = group->bias + c + v * APUS_LANES;
        sums[v] = is_whole ? load(bias) : load_first(bias, lanes);
    }
    for (ptrdiff_t ky = 0; ky < group->row_count; ky++) {
        const element *row = group->input + ky * group->row_stride + c;
        const float *taps = group->weights + ky * group->kernel_width * group->tap_stride + c;
        for (ptrdiff_t kx = group->first_column; kx < group->last_column; kx++) {
            const element *x = row + group->origin + kx * group->column_stride;
            const float *weights = taps + kx * group->tap_stride;
            APUS_UNROLL for (int v = 0; v < vectors; v++) {
                const vector input =
                    is_whole ? load_elements(x + v * APUS_LANES) : load_first_elements(x, lanes);
                const vector weight = is_whole ? load(weights + v * APUS_LANES) : load_first(weights, lanes);
                sums[v] += input * weight;
            }
        }
    }
    const vector low = (vector){0} + group->limits.low, high = (vector){0} + group->limits.high;
    if (group->addend) {
        APUS_UNROLL for (int v = 0; v < vectors; v++) {
            const float *addend = group->addend + c + v * APUS_LANES;
            sums[v] += is_whole ? load(addend) : load_first(addend, lanes);
        }
    }
    const int is_curved_at_last = is_curved(group->activation);
    APUS_UNROLL for (int v = 0; v < vectors; v++) {
        sums[v] = lower(raise(sums[v], low), high);
        if (exceeds_limits(group->activation) && !is_curved_at_last)
            sums[v] = activate_vector(sums[v], prepare(group->activation));
    }
#if APUS_ELEMENTS_ARE_BFLOAT16
    if (is_curved_at_last) {
        float stored[PIXEL_VECTORS][APUS_LANES];
        APUS_UNROLL for (int v = 0; v < vectors; v++) store(stored[v], sums[v]);
        activate_stored(stored[0], 1, 0, vectors * APUS_LANES, group->activation);
        APUS_UNROLL for (int v = 0; v < vectors; v++) sums[v] = load(stored[v]);
    }
#endif
    APUS_UNROLL for (int v = 0; v < vectors; v++) {
        element *output = group->output + c + v * APUS_LANES;
        if (is_whole)
            store_elements(output, sums[v]);
        else
            store_first_elements(output, sums[v], lanes);
    }
#if !APUS_ELEMENTS_ARE_BFLOAT16
    if (is_curved_at_last)
        activate_stored(group->output + c, 1, 0, (vectors - 1) * APUS_LANES + lanes, group->activation);
#endif
}

APUS_TARGET static void convolve_pixel(const tile_group *shared) {
    const tile_group group = *shared;
    const int width = PIXEL_VECTORS * APUS_LANES;
    ptrdiff_t c = 0;
    for (; c + width <= group.channel_count; c += width)
        convolve_pixel_vectors(&group, c, PIXEL_VECTORS, APUS_LANES);
    for (; c < group.channel_count; c += APUS_LANES) {
        const ptrdiff_t left = group.channel_count - c;
        convolve_pixel_vectors(&group, c, 1, left < APUS_LANES ? left : APUS_LANES);
    }
}

#endif
