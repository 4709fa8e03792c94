// Sums of one instruction set as integers of 8 bits. Included after a variant header and `high_product`.

#include "apus_integer.h"

typedef mask unaligned_mask __attribute__((aligned(4)));
typedef int8_t bytes __attribute__((vector_size(APUS_LANES)));
typedef uint8_t unsigned_bytes __attribute__((vector_size(APUS_LANES)));

APUS_INLINE mask load_integers(const int32_t *from) { return *(const unaligned_mask *)from; }

APUS_INLINE mask lesser(mask a, mask b) { return (a & (a < b)) | (b & ~(a < b)); }
APUS_INLINE mask greater(mask a, mask b) { return (a & (a > b)) | (b & ~(a > b)); }

/// round(x / 2^right), halves away from zero.
APUS_INLINE mask rounding_shift(mask x, mask right) {
    const mask low = ((mask){0} + 1 << right) - 1;
    // Comparisons are −1 where they hold.
    const mask threshold = (low >> 1) - (x < 0);
    return (x >> right) - ((x & low) > threshold);
}

/// round(round(x · 2^max(shift, 0) · multiplier / 2³¹) / 2^max(−shift, 0))
APUS_INLINE mask scale_fixed(mask x, mask multiplier, mask shift) {
    const mask zero = {0};
    return rounding_shift(high_product(x << greater(shift, zero), multiplier), greater(-shift, zero));
}

/// round(x · multiplier · 2^(shift − 31)), halves up; for few sums.
APUS_INLINE mask scale_fixed_once(mask x, mask multiplier, mask shift) {
    typedef int64_t wide_mask __attribute__((vector_size(8 * APUS_LANES)));
    const wide_mask product = __builtin_convertvector(x, wide_mask) * __builtin_convertvector(multiplier, wide_mask);
    const wide_mask total = 31 - __builtin_convertvector(shift, wide_mask);
    return __builtin_convertvector((product + ((wide_mask){0} + 1 << (total - 1))) >> total, mask);
}

/// round(x · scale), halves to the even integer; beyond any 8-bit range the result only keeps its side.
APUS_INLINE mask scale_float(mask x, vector scale) {
    const vector most = (vector){0} + 65536.0f;
    vector y = __builtin_convertvector(x, vector) * scale;
    y = choose(y < -most, -most, y);
    y = choose(y > most, most, y);
    // Adding 1.5 · 2²³ leaves no room for fractions.
    const vector magic = (vector){0} + 12582912.0f;
    y = (y + magic) - magic;
    return __builtin_convertvector(y, mask);
}

APUS_INLINE mask requantize(mask sums, const apus_requantization *r, ptrdiff_t column) {
    mask scaled;
    if (r->scales) {
        scaled = scale_float(sums, load(r->scales + column));
    } else {
        const mask multipliers = load_integers(r->multipliers + column), shifts = load_integers(r->shifts + column);
        scaled = r->rounds_once ? scale_fixed_once(sums, multipliers, shifts) : scale_fixed(sums, multipliers, shifts);
    }
    return lesser(greater(scaled + r->zero_point, (mask){0} + r->low), (mask){0} + r->high);
}

/// Eight bits of each lane; the first `count` lanes.
APUS_INLINE void store_bytes(uint8_t *to, mask x, ptrdiff_t count) {
    const bytes narrow = __builtin_convertvector(x, bytes);
    if (count == APUS_LANES) memcpy(to, &narrow, APUS_LANES);
    else memcpy(to, &narrow, (size_t)count);
}

/// The first `count` integers of 8 bits, widened.
APUS_INLINE mask load_bytes(const uint8_t *from, int is_signed, ptrdiff_t count) {
    unsigned_bytes narrow = {0};
    if (count == APUS_LANES) memcpy(&narrow, from, APUS_LANES);
    else memcpy(&narrow, from, (size_t)count);
    return is_signed ? __builtin_convertvector((bytes)narrow, mask) : __builtin_convertvector(narrow, mask);
}
