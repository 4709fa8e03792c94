#ifndef APUS_INTEGER_WINOGRAD_TRANSFORMS_H
#define APUS_INTEGER_WINOGRAD_TRANSFORMS_H

// The transforms of Winograd's minimal filtering F(4 · 4, 3 · 3) in integers. Needs the functions of variant.h.
//
// A tile of outputs is Y = Aᵀ[Σ over input channels of (G g Gᵗ) ⊙ (Bᵗ d B)]A with the matrices of Toom and Cook for the
// points 0, ±1, ±2, ∞. Rows of G have the denominators d = 4, −6, 24 and 1. The transforms leave them out of G, and
// multiply the rows of Aᵀ by 24 / d. So all numbers are integers, and the result is 576 Y modulo 2³². As 576 = 9 · 2⁶,
// and 9 has an inverse modulo 2³², 64 Y is exact where |Y| < 2²⁵.

#include "variant.h"

#include <string.h>

enum {
    TILE_OUTPUTS = 4,
    TILE_INPUTS = 6,
    TILE_PRODUCTS = TILE_INPUTS * TILE_INPUTS,
};

/// The inverse of 9 modulo 2³².
#define INVERSE_OF_9 954437177u

/// to = Bᵀ from. Absolute values grow at most 10 times.
APUS_INLINE void transform_inputs(const int16_vector *from, int16_vector *to) {
    const int16_vector even = from[4] - 4 * from[2], odd = from[3] - 4 * from[1];
    const int16_vector farther_even = from[4] - from[2], farther_odd = 2 * (from[3] - from[1]);
    to[0] = 4 * from[0] - 5 * from[2] + from[4];
    to[1] = even + odd;
    to[2] = even - odd;
    to[3] = farther_even + farther_odd;
    to[4] = farther_even - farther_odd;
    to[5] = 4 * from[1] - 5 * from[3] + from[5];
}

#if !APUS_HAS_BYTE_MASKS
// In parts whose lengths are powers of two: a call of memcpy takes longer.
APUS_INLINE uint8_half_vector load_first_bytes(const uint8_t *from, ptrdiff_t count) {
    uint8_half_vector bytes = {0};
    uint8_t *to = (uint8_t *)&bytes;
    APUS_UNROLL for (ptrdiff_t part = INT16_LANES / 2; part > 0; part /= 2) {
        if (!(count & part)) continue;
        memcpy(to, from, (size_t)part);
        to += part;
        from += part;
    }
    return bytes;
}
#endif

/// The differences from the zero point of `count` adjacent channels. `flipped` makes signed bytes unsigned, by adding
/// 128, and `zero` is the zero point with the same addition.
APUS_INLINE int16_vector load_differences(const uint8_t *from, uint8_t flipped, int16_t zero, const ptrdiff_t count) {
    uint8_half_vector bytes;
    if (count == INT16_LANES) memcpy(&bytes, from, INT16_LANES);
    else bytes = load_first_bytes(from, count);
    return __builtin_convertvector(bytes ^ flipped, int16_vector) - zero;
}

/// to[i · step] = (Bᵗ d B)[i] for `count` channels of one vector. `pixels` are the TILE_PRODUCTS input pixels of the
/// tile.
APUS_INLINE void transform_channels(
    const apus_integer_convolution *c, const uint8_t *const *pixels, ptrdiff_t channel, const ptrdiff_t count,
    int16_t *to, ptrdiff_t step) {
    const uint8_t flipped = c->is_signed ? 0x80 : 0;
    const int16_t zero = (int16_t)(c->zero_point + flipped);
    int16_vector half[TILE_INPUTS][TILE_INPUTS];
    APUS_UNROLL for (int x = 0; x < TILE_INPUTS; x++) {
        int16_vector from[TILE_INPUTS], line[TILE_INPUTS];
        APUS_UNROLL for (int y = 0; y < TILE_INPUTS; y++)
            from[y] = load_differences(pixels[y * TILE_INPUTS + x] + channel, flipped, zero, count);
        transform_inputs(from, line);
        APUS_UNROLL for (int y = 0; y < TILE_INPUTS; y++) half[y][x] = line[y];
    }
    APUS_UNROLL for (int y = 0; y < TILE_INPUTS; y++) {
        int16_vector line[TILE_INPUTS];
        transform_inputs(half[y], line);
        APUS_UNROLL for (int x = 0; x < TILE_INPUTS; x++)
            memcpy(to + (y * TILE_INPUTS + x) * step, &line[x], sizeof line[x]);
    }
}

/// to = 24 · Aᵀ from
APUS_INLINE void transform_sums(const uint_vector *from, uint_vector *to) {
    const uint_vector sum = from[1] + from[2], difference = from[1] - from[2];
    const uint_vector farther_sum = from[3] + from[4], farther_difference = from[3] - from[4];
    to[0] = 6 * from[0] - 4 * sum + farther_sum;
    to[1] = 2 * farther_difference - 4 * difference;
    to[2] = 4 * (farther_sum - sum);
    to[3] = 24 * from[5] + 8 * farther_difference - 4 * difference;
}

/// outputs[i][v] = Y[i] + bias, by way of 576 Y modulo 2³², for vector `v` of the columns. Products are `step` elements
/// apart.
APUS_INLINE void finish_sums(
    const int32_t *sums, ptrdiff_t step, int_vector bias, const int v, int_vector (*outputs)[APUS_PANEL_VECTORS]) {
    uint_vector half[TILE_OUTPUTS][TILE_INPUTS];
    APUS_UNROLL for (int x = 0; x < TILE_INPUTS; x++) {
        uint_vector from[TILE_INPUTS], line[TILE_OUTPUTS];
        APUS_UNROLL for (int y = 0; y < TILE_INPUTS; y++)
            from[y] = (uint_vector)load_integers(sums + (y * TILE_INPUTS + x) * step);
        transform_sums(from, line);
        APUS_UNROLL for (int y = 0; y < TILE_OUTPUTS; y++) half[y][x] = line[y];
    }
    APUS_UNROLL for (int y = 0; y < TILE_OUTPUTS; y++) {
        uint_vector line[TILE_OUTPUTS];
        transform_sums(half[y], line);
        APUS_UNROLL for (int x = 0; x < TILE_OUTPUTS; x++)
            outputs[y * TILE_OUTPUTS + x][v] = ((int_vector)(line[x] * INVERSE_OF_9) >> 6) + bias;
    }
}

#endif
