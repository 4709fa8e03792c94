#ifndef APUS_WINOGRAD_POINTS_H
#define APUS_WINOGRAD_POINTS_H

#include "apus_winograd.h"

/// One axis of F(m, r) over the points 0, ±p₀, …, ±p₍pairs₋₁₎, ∞ with 2 · pairs + 2 = m + r − 1. An axis without pairs
/// is not transformed: m = r = 1.
///
/// With stride 2 and three taps, the first and the last tap multiply even inputs only, as F(m, 2) over the points. The
/// middle tap multiplies odd inputs only: m products by one factor, which are not transformed.
typedef struct {
    int pairs, outputs, taps, stride;
} winograd_axis;

/// WINOGRAD_KIND(name, constant, axis of rows, axis of columns)
#define WINOGRAD_KINDS                                                                                            \
    WINOGRAD_KIND(tile_2x2_3x3, APUS_WINOGRAD_2X2_3X3, (1, 2, 3, 1), (1, 2, 3, 1))                                \
    WINOGRAD_KIND(tile_4x4_3x3, APUS_WINOGRAD_4X4_3X3, (2, 4, 3, 1), (2, 4, 3, 1))                                \
    WINOGRAD_KIND(tile_2x2_5x5, APUS_WINOGRAD_2X2_5X5, (2, 2, 5, 1), (2, 2, 5, 1))                                \
    WINOGRAD_KIND(tile_3x3_4x4, APUS_WINOGRAD_3X3_4X4, (2, 3, 4, 1), (2, 3, 4, 1))                                \
    WINOGRAD_KIND(tile_1x4_1x3, APUS_WINOGRAD_1X4_1X3, (0, 1, 1, 1), (2, 4, 3, 1))                                \
    WINOGRAD_KIND(tile_1x2_1x7, APUS_WINOGRAD_1X2_1X7, (0, 1, 1, 1), (3, 2, 7, 1))                                \
    WINOGRAD_KIND(tile_5x5_3x3_stride_2, APUS_WINOGRAD_5X5_3X3_STRIDE_2, (2, 5, 3, 2), (2, 5, 3, 2))

/// An axis from its numbers in brackets.
#define WINOGRAD_AXIS(...) WINOGRAD_AXIS_OF __VA_ARGS__
#define WINOGRAD_AXIS_OF(pairs, outputs, taps, stride) {pairs, outputs, taps, stride}

enum {
    WINOGRAD_MAXIMUM_PAIRS = 3,
    WINOGRAD_MAXIMUM_INPUTS = 11,
    WINOGRAD_MAXIMUM_TAPS = 7,
    WINOGRAD_MAXIMUM_PRODUCTS = 121,
    /// Adjacent channels in transformed inputs: [product][channel / 16][tile][16].
    WINOGRAD_CHANNEL_BLOCK = 16,
    /// Weights of a product that are multiplied at a time: 8 KiB of the first-level cache.
    WINOGRAD_BLOCK_WEIGHTS = 2048,
    /// Channels multiplied in one step; weights are padded with zeros to whole steps.
    WINOGRAD_DEPTH_STEP = 4,
};

/// The number of points of an axis.
static inline __attribute__((always_inline)) int winograd_points(const winograd_axis axis) {
    return axis.pairs ? 2 * axis.pairs + 2 : 1;
}

/// The number of inputs of a tile along an axis, which is also that of its products.
static inline __attribute__((always_inline)) int winograd_inputs(const winograd_axis axis) {
    return winograd_points(axis) + (axis.stride == 2 ? axis.outputs : 0);
}

/// The number of different factors of the products of an axis.
static inline __attribute__((always_inline)) int winograd_factors(const winograd_axis axis) {
    return winograd_points(axis) + (axis.stride == 2 ? 1 : 0);
}

/// The index of the factor of a product of an axis.
static inline __attribute__((always_inline)) int winograd_factor(const winograd_axis axis, const int product) {
    const int points = winograd_points(axis);
    return product < points ? product : points;
}

/// The point p of pair `index`. Points are reciprocal in pairs, which keeps their powers near 1.
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

/// Input channels multiplied at a time. Weights are [panel][block][product][channel][panel column].
static inline ptrdiff_t winograd_depth_block(ptrdiff_t panel_columns) { return WINOGRAD_BLOCK_WEIGHTS / panel_columns; }

static inline ptrdiff_t winograd_rounded(ptrdiff_t count, ptrdiff_t unit) { return (count + unit - 1) / unit * unit; }

/// `count` rounded up to an odd number of cache lines, so that the products of a tile fall into different cache sets.
static inline ptrdiff_t winograd_spread(ptrdiff_t count) { return winograd_rounded(count, 16) | 16; }

#endif
