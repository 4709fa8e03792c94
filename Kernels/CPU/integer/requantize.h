// Sums of one instruction set as integers of 8 bits. Included after a variant header and `high_product`; one that defines
// APUS_HAS_ROUNDING has `round_scaled` and `round_small` too, and one that defines APUS_HAS_PACKING the functions that store many sums.

#include "apus_integer.h"

typedef int_vector unaligned_mask __attribute__((aligned(4)));
/// Sums modulo 2³².
typedef uint32_t wrapping __attribute__((vector_size(4 * APUS_LANES)));
typedef int8_t bytes __attribute__((vector_size(APUS_LANES)));
typedef uint8_t unsigned_bytes __attribute__((vector_size(APUS_LANES)));

APUS_INLINE int_vector load_integers(const int32_t *from) { return *(const unaligned_mask *)from; }

APUS_INLINE int_vector lesser(int_vector a, int_vector b) { return (a & (a < b)) | (b & ~(a < b)); }
APUS_INLINE int_vector greater(int_vector a, int_vector b) { return (a & (a > b)) | (b & ~(a > b)); }

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
    return rounding_shift(high_product(x << greater(shift, zero), multiplier), greater(-shift, zero));
}

/// round(x · multiplier · 2^(shift − 31)), halves up; for few sums.
APUS_INLINE int_vector scale_fixed_once(int_vector x, int_vector multiplier, int_vector shift) {
    typedef int64_t wide_mask __attribute__((vector_size(8 * APUS_LANES)));
    const wide_mask product = __builtin_convertvector(x, wide_mask) * __builtin_convertvector(multiplier, wide_mask);
    const wide_mask total = 31 - __builtin_convertvector(shift, wide_mask);
    return __builtin_convertvector((product + ((wide_mask){0} + 1 << (total - 1))) >> total, int_vector);
}

#if !APUS_HAS_ROUNDING
/// round(x), halves to the even integer; beyond any 8-bit range the result only keeps its side.
APUS_INLINE int_vector round_scaled(vector x) {
    const vector most = (vector){0} + 65536.0f;
    x = choose(x < -most, -most, x);
    x = choose(x > most, most, x);
    // Adding 1.5 · 2²³ leaves no room for fractions.
    const vector magic = (vector){0} + 12582912.0f;
    x = x + magic;
    x = x - magic;
    return __builtin_convertvector(x, int_vector);
}

APUS_INLINE int_vector round_small(vector x) { return round_scaled(x); }
#endif

/// Sums by the factors of their columns.
APUS_INLINE int_vector scale_sums(int_vector sums, const apus_requantization *r, ptrdiff_t column) {
    if (r->scales) return round_scaled(__builtin_convertvector(sums, vector) * load(r->scales + column));
    const int_vector multipliers = load_integers(r->multipliers + column), shifts = load_integers(r->shifts + column);
    return r->rounds_once ? scale_fixed_once(sums, multipliers, shifts) : scale_fixed(sums, multipliers, shifts);
}

/// Scaled sums as the integers of 8 bits that they are.
APUS_INLINE int_vector within_limits(int_vector scaled, const apus_requantization *r) {
    return lesser(greater(scaled + r->zero_point, (int_vector){0} + r->low), (int_vector){0} + r->high);
}

/// Eight bits of each lane; the first `count` lanes.
APUS_INLINE void store_bytes(uint8_t *to, int_vector x, ptrdiff_t count) {
    const bytes narrow = __builtin_convertvector(x, bytes);
    if (count == APUS_LANES) memcpy(to, &narrow, APUS_LANES);
    else memcpy(to, &narrow, (size_t)count);
}

/// The first `count` integers of 8 bits, widened.
APUS_INLINE int_vector load_bytes(const uint8_t *from, int is_signed, ptrdiff_t count) {
    unsigned_bytes narrow = {0};
    if (count == APUS_LANES) memcpy(&narrow, from, APUS_LANES);
    else memcpy(&narrow, from, (size_t)count);
    return is_signed ? __builtin_convertvector((bytes)narrow, int_vector) : __builtin_convertvector(narrow, int_vector);
}

#if APUS_HAS_PACKING
/// Whether every factor is a float below 1, so that products are integers of 32 bits.
APUS_INLINE int is_quick(const apus_requantization *r) { return r->scales && r->has_small_scales; }

/// Sums by their factors, for `pack`.
APUS_INLINE int_vector scale_for_packing(int_vector sums, const int quick, const apus_requantization *r, ptrdiff_t column) {
    if (!quick) return scale_sums(sums, r, column);
    return round_small(__builtin_convertvector(sums, vector) * load(r->scales + column));
}
#else
/// Whether factors are such that sums may be stored with `quick`.
APUS_INLINE int is_quick(const apus_requantization *r) { return r->scales != NULL; }

/// The first `count` elements of scaled vectors; the number of vectors is a constant of the caller.
APUS_INLINE void store_scaled(
    uint8_t *to, const int_vector *scaled, const int vectors, const apus_requantization *r, ptrdiff_t count) {
    APUS_UNROLL for (int v = 0; v < vectors; v++) {
        const ptrdiff_t left = count - v * APUS_LANES;
        if (left > 0) store_bytes(to + v * APUS_LANES, within_limits(scaled[v], r), left < APUS_LANES ? left : APUS_LANES);
    }
}

APUS_INLINE int_vector scale_for_packing(int_vector sums, const int quick, const apus_requantization *r, ptrdiff_t column) {
    (void)quick;
    return scale_sums(sums, r, column);
}

/// The first `count` of the sums of APUS_GROUP vectors that `interleave` made; `place` is that of their factors.
APUS_INLINE void store_interleaved(
    uint8_t *to, const int_vector *sums, const int quick, const apus_requantization *r, ptrdiff_t place, ptrdiff_t count) {
    int_vector scaled[APUS_GROUP];
    APUS_UNROLL for (int v = 0; v < APUS_GROUP; v++) scaled[v] = scale_for_packing(sums[v], quick, r, place + v * APUS_LANES);
    order_lanes(scaled);
    store_scaled(to, scaled, APUS_GROUP, r, count);
}
#endif
