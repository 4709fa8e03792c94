#ifndef APUS_WINOGRAD_POINTS_H
#define APUS_WINOGRAD_POINTS_H

#include "apus_winograd.h"

/// One axis of F(m, r) over the points 0, ±p₀, …, ±p₍pairs₋₁₎, ∞; 2 · pairs + 2 = m + r − 1. No pairs: an axis that is
/// not transformed, m = r = 1.
typedef struct {
    int pairs, outputs, taps;
} winograd_axis;

/// WINOGRAD_KIND(name, constant, pairs, outputs and taps of rows, and of columns)
#define WINOGRAD_KINDS                                                                                            \
    WINOGRAD_KIND(tile_2x2_3x3, APUS_WINOGRAD_2X2_3X3, 1, 2, 3, 1, 2, 3)                                          \
    WINOGRAD_KIND(tile_4x4_3x3, APUS_WINOGRAD_4X4_3X3, 2, 4, 3, 2, 4, 3)                                          \
    WINOGRAD_KIND(tile_2x2_5x5, APUS_WINOGRAD_2X2_5X5, 2, 2, 5, 2, 2, 5)                                          \
    WINOGRAD_KIND(tile_1x4_1x3, APUS_WINOGRAD_1X4_1X3, 0, 1, 1, 2, 4, 3)                                          \
    WINOGRAD_KIND(tile_1x2_1x7, APUS_WINOGRAD_1X2_1X7, 0, 1, 1, 3, 2, 7)

enum {
    WINOGRAD_MAXIMUM_PAIRS = 3,
    WINOGRAD_MAXIMUM_INPUTS = 8,
    WINOGRAD_MAXIMUM_TAPS = 7,
    WINOGRAD_MAXIMUM_PRODUCTS = 36,
    /// Adjacent channels in transformed inputs: [product][channel / 16][tile][16].
    WINOGRAD_CHANNEL_BLOCK = 16,
    /// Input channels that are multiplied at a time: weights are [panel][block][product][channel][panel column].
    WINOGRAD_DEPTH_BLOCK = 64,
    /// Channels of a block are multiplied in steps of this; weights are padded with zeros.
    WINOGRAD_DEPTH_STEP = 4,
};

static inline __attribute__((always_inline)) int winograd_inputs(const winograd_axis axis) {
    return axis.pairs ? 2 * axis.pairs + 2 : 1;
}

/// Reciprocal pairs, which keep the powers of points near 1.
static inline __attribute__((always_inline)) double winograd_point(const winograd_axis axis, const int index) {
    switch (axis.pairs) {
    case 2: return index == 0 ? 0.625 : 1.6;
    case 3: return index == 0 ? 0.5 : index == 1 ? 1 : 2;
    default: return 1;
    }
}

/// The coefficients, lowest first, of Π (x − p_l²) over all pairs but `left_out`.
static inline __attribute__((always_inline)) void winograd_polynomial(
    const winograd_axis axis, const int left_out, float *coefficients) {
    double exact[WINOGRAD_MAXIMUM_PAIRS + 1] = {1};
#pragma clang loop unroll(full)
    for (int l = 0; l < axis.pairs; l++) {
        const double square = winograd_point(axis, l) * winograd_point(axis, l);
        if (l == left_out) continue;
#pragma clang loop unroll(full)
        for (int i = axis.pairs; i > 0; i--) exact[i] = exact[i - 1] - square * exact[i];
        exact[0] *= -square;
    }
#pragma clang loop unroll(full)
    for (int i = 0; i <= axis.pairs; i++) coefficients[i] = (float)exact[i];
}

/// Nᵢ = 2 pᵢ² Π (pᵢ² − p_l²), the denominator of row ±pᵢ of G.
static inline __attribute__((always_inline)) double winograd_denominator(const winograd_axis axis, const int index) {
    const double square = winograd_point(axis, index) * winograd_point(axis, index);
    double product = 2 * square;
    for (int l = 0; l < axis.pairs; l++)
        if (l != index) product *= square - winograd_point(axis, l) * winograd_point(axis, l);
    return product;
}

/// N of the point 0: Π (−p_l²).
static inline __attribute__((always_inline)) double winograd_denominator_of_zero(const winograd_axis axis) {
    double product = 1;
    for (int l = 0; l < axis.pairs; l++) product *= -winograd_point(axis, l) * winograd_point(axis, l);
    return product;
}

static inline ptrdiff_t winograd_rounded(ptrdiff_t count, ptrdiff_t unit) { return (count + unit - 1) / unit * unit; }

/// An odd number of cache lines, so that the products of one tile do not fall into the same cache sets.
static inline ptrdiff_t winograd_spread(ptrdiff_t count) { return winograd_rounded(count, 16) | 16; }

#endif
