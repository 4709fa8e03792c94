#ifndef APUS_INTEGER_SUM_H
#define APUS_INTEGER_SUM_H

// Sums of two arrays of 8-bit integers, element by element. Needs the functions of variant.h.

#include "requantize.h"
#include "variant.h"

#include <math.h>

/// How terms are scaled and added.
enum {
    FIXED_POINT,
    /// In float32; sums may exceed 32-bit integers.
    ANY_FLOATS,
    /// In float32; sums fit in 32-bit integers.
    SMALL_FLOATS,
};

/// Vectors that are added together.
enum { SUM_VECTORS = 4 };

/// The sums of `count` ≤ SUM_VECTORS · APUS_LANES elements from `first` on. `how` is a constant of the caller, and
/// usually `count` is, too.
APUS_INLINE void add_elements(const apus_integer_sum *s, ptrdiff_t first, const ptrdiff_t count, const int how) {
    const apus_requantization limits = {.zero_point = s->y_zero, .low = s->low, .high = s->high};
    const int_vector zero = {0};
    const vector a_scale = (vector){0} + s->a_scale, b_scale = (vector){0} + s->b_scale;
    const int32_t number = s->is_signed ? (int8_t)s->b[0] : s->b[0];
    int_vector scaled[SUM_VECTORS];
    APUS_UNROLL for (int v = 0; v < SUM_VECTORS; v++) {
        const ptrdiff_t left = count - v * APUS_LANES, own = left < 0 ? 0 : left < APUS_LANES ? left : APUS_LANES;
        const ptrdiff_t i = own > 0 ? first + v * APUS_LANES : first;
        const int_vector x = load_bytes(s->a + i, s->is_signed, own) - s->a_zero;
        const int_vector y = (s->b_step ? load_bytes(s->b + i, s->is_signed, own) : zero + number) - s->b_zero;
        if (how == FIXED_POINT) {
            const int_vector p = scale_fixed(x << s->left_shift, zero + s->first, zero + s->first_shift);
            const int_vector q = scale_fixed(y << s->left_shift, zero + s->second, zero + s->second_shift);
            const int_vector sum = s->is_difference ? p - q : p + q;
            scaled[v] = scale_fixed(sum, zero + s->output, zero + s->output_shift);
        } else {
            const vector p = __builtin_convertvector(x, vector) * a_scale;
            const vector q = __builtin_convertvector(y, vector) * b_scale;
            // A statement of its own, so that no product is fused with the sum.
            const vector sum = p + q;
            scaled[v] = how == SMALL_FLOATS ? round_small(sum) : round_scaled(sum);
        }
    }
    store_scaled(s->y + first, scaled, SUM_VECTORS, &limits, count);
}

APUS_INLINE void add_all(const apus_integer_sum *s, const int how) {
    // A copy, since the compiler cannot exclude that bytes are stored into the structure.
    const apus_integer_sum sum = *s;
    ptrdiff_t i = 0;
    for (; i + SUM_VECTORS * APUS_LANES <= sum.count; i += SUM_VECTORS * APUS_LANES)
        add_elements(&sum, i, SUM_VECTORS * APUS_LANES, how);
    if (i < sum.count) add_elements(&sum, i, sum.count - i, how);
}

APUS_TARGET static void APUS_NAME(add_integers)(const apus_integer_sum *s) {
    // Terms are at most 255 · 10⁶, so that sums fit in 32 bits.
    const float bound = 1e6f;
    if (!s->has_scales) add_all(s, FIXED_POINT);
    else if (fabsf(s->a_scale) < bound && fabsf(s->b_scale) < bound) add_all(s, SMALL_FLOATS);
    else add_all(s, ANY_FLOATS);
}

#endif
