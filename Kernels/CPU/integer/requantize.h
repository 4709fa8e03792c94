#ifndef APUS_REQUANTIZE_H
#define APUS_REQUANTIZE_H

// 32-bit sums as 8-bit integers: scaled, rounded, limited and stored. Needs the functions of variant.h.

#include "variant.h"

#include <string.h>

APUS_INLINE int_vector minimum(int_vector a, int_vector b) { return (a & (a < b)) | (b & ~(a < b)); }
APUS_INLINE int_vector maximum(int_vector a, int_vector b) { return (a & (a > b)) | (b & ~(a > b)); }

/// round(x / 2^right), halves away from zero.
APUS_INLINE int_vector rounding_shift(int_vector x, int_vector right) {
    const int_vector low = ((int_vector){0} + 1 << right) - 1;
    // Comparisons are −1 where they hold.
    const int_vector threshold = (low >> 1) - (x < 0);
    return (x >> right) - ((x & low) > threshold);
}

/// round(round(x · 2^max(shift, 0) · multiplier / 2³¹) / 2^max(−shift, 0))
APUS_INLINE int_vector scale_fixed(int_vector x, int_vector multiplier, int_vector shift) {
    const int_vector zero = {0};
    return rounding_shift(high_product(x << maximum(shift, zero), multiplier), maximum(-shift, zero));
}

/// round(x · multiplier · 2^(shift − 31)), halves up. Slower than `scale_fixed`.
APUS_INLINE int_vector scale_fixed_once(int_vector x, int_vector multiplier, int_vector shift) {
    typedef int64_t int64_vector __attribute__((vector_size(8 * APUS_LANES)));
    const int64_vector product =
        __builtin_convertvector(x, int64_vector) * __builtin_convertvector(multiplier, int64_vector);
    const int64_vector total = 31 - __builtin_convertvector(shift, int64_vector);
    return __builtin_convertvector((product + ((int64_vector){0} + 1 << (total - 1))) >> total, int_vector);
}

#if !APUS_HAS_ROUNDING
APUS_INLINE int_vector round_scaled(vector x) {
    const vector bound = (vector){0} + 65536.0f;
    x = choose(x < -bound, -bound, x);
    x = choose(x > bound, bound, x);
    // Adding 1.5 · 2²³ leaves no room for fractions.
    const vector magic = (vector){0} + 12582912.0f;
    x = x + magic;
    x = x - magic;
    return __builtin_convertvector(x, int_vector);
}

APUS_INLINE int_vector round_small(vector x) { return round_scaled(x); }
#endif

/// Whether sums are scaled by the shorter code, `quick` below: factors are in float32, and where stores pack they are
/// below 1, so that products fit in 32 bits.
APUS_INLINE int is_quick(const apus_requantization *r) {
    return r->scales && (!APUS_HAS_PACKING || r->has_small_scales);
}

/// The sums of adjacent columns from `column` on, multiplied by the columns' factors and rounded. `quick` is a constant
/// of the caller, and 1 only where `is_quick`.
APUS_INLINE int_vector scale_sums(int_vector sums, const int quick, const apus_requantization *r, ptrdiff_t column) {
    if (APUS_HAS_PACKING && quick) return round_small(__builtin_convertvector(sums, vector) * load(r->scales + column));
    if (r->scales) return round_scaled(__builtin_convertvector(sums, vector) * load(r->scales + column));
    const int_vector multipliers = load_integers(r->multipliers + column), shifts = load_integers(r->shifts + column);
    return r->rounds_once ? scale_fixed_once(sums, multipliers, shifts) : scale_fixed(sums, multipliers, shifts);
}

/// The first `count` 8-bit integers, widened to 32 bits.
APUS_INLINE int_vector load_bytes(const uint8_t *from, int is_signed, ptrdiff_t count) {
    uint8_quarter_vector bytes = {0};
    if (count == APUS_LANES) memcpy(&bytes, from, APUS_LANES);
    else memcpy(&bytes, from, (size_t)count);
    return is_signed ? __builtin_convertvector((int8_quarter_vector)bytes, int_vector)
                     : __builtin_convertvector(bytes, int_vector);
}

#if !APUS_HAS_PACKING
#if APUS_LANES != 4
#error "vectors of more than 4 lanes interleave out of order: define APUS_HAS_PACKING and `store_interleaved_scaled`"
#endif

/// The low 8 bits of the first `count` lanes.
APUS_INLINE void store_bytes(uint8_t *to, int_vector x, ptrdiff_t count) {
    const int8_quarter_vector bytes = __builtin_convertvector(x, int8_quarter_vector);
    if (count == APUS_LANES) memcpy(to, &bytes, APUS_LANES);
    else memcpy(to, &bytes, (size_t)count);
}

APUS_INLINE int_vector limit_scaled(int_vector scaled, const apus_requantization *r) {
    return minimum(maximum(scaled + r->zero_point, (int_vector){0} + r->low), (int_vector){0} + r->high);
}

APUS_INLINE void store_scaled(
    uint8_t *to, const int_vector *scaled, const int vectors, const apus_requantization *r, ptrdiff_t count) {
    APUS_UNROLL for (int v = 0; v < vectors; v++) {
        const ptrdiff_t left = count - v * APUS_LANES;
        if (left > 0)
            store_bytes(to + v * APUS_LANES, limit_scaled(scaled[v], r), left < APUS_LANES ? left : APUS_LANES);
    }
}

APUS_INLINE void store_interleaved_scaled(
    uint8_t *to, const int_vector *scaled, const apus_requantization *r, ptrdiff_t count) {
    store_scaled(to, scaled, APUS_GROUP, r, count);
}
#endif

/// Requantizes and stores the first `count` sums of `vectors` vectors of adjacent columns. `vectors` and `quick` are
/// constants of the caller.
APUS_INLINE void store_columns(
    uint8_t *to, const int_vector *sums, const int vectors, const int quick, const apus_requantization *r,
    ptrdiff_t column, ptrdiff_t count) {
    int_vector scaled[APUS_PANEL_VECTORS];
    APUS_UNROLL for (int v = 0; v < vectors; v++) scaled[v] = scale_sums(sums[v], quick, r, column + v * APUS_LANES);
    store_scaled(to, scaled, vectors, r, count);
}

/// The same for the APUS_GROUP vectors of a block whose sums lie in the order of `interleave`, and whose factors begin
/// at `place`.
APUS_INLINE void store_interleaved(
    uint8_t *to, const int_vector *sums, const int quick, const apus_requantization *r, ptrdiff_t place,
    ptrdiff_t count) {
    int_vector scaled[APUS_GROUP];
    APUS_UNROLL for (int v = 0; v < APUS_GROUP; v++) scaled[v] = scale_sums(sums[v], quick, r, place + v * APUS_LANES);
    store_interleaved_scaled(to, scaled, r, count);
}

#endif
