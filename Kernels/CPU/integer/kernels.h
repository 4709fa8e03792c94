// Products and sums of 8-bit integers. Included after a variant header, requantize.h, and
//
// - APUS_GROUP, and `dot(sums, a, b)`: sums + the products of the 2 or 4 elements of every lane, which wraps at 2³²; for four
//   of them APUS_HAS_SIGNED_BYTES, whether those of `a` have a sign, `flip`, which copies bytes with some bits changed, and
//   maybe `dot_pairs`, the same for 2 elements, with APUS_HAS_PAIRS;
// - `interleave(taps, from, words)`: the elements of APUS_GROUP taps side by side; `interleave_one` those of one;
// - maybe APUS_LEAST_PAIRED_WORDS for elements of 16 bits: runs of at least so many words are multiplied by pairs of words,
//   with `multiply_pair`, `load_first_words`, APUS_PAIRED_TILE_ROWS and APUS_PAIRED_TILE_CASES;
// - APUS_PANEL_VECTORS, APUS_TILE_ROWS and APUS_TILE_CASES, and for at most two vectors APUS_NARROW_….

enum {
    PANEL_COLUMNS = APUS_PANEL_VECTORS * APUS_LANES,
    BLOCK = APUS_GROUP * APUS_LANES,
    /// Words of a cache line, and the lines of one word of all columns of a panel.
    CACHE_LINE = 16,
    PANEL_LINES = (PANEL_COLUMNS + CACHE_LINE - 1) / CACHE_LINE,
};

/// Elements of widened patches.
#if APUS_GROUP == 4
typedef uint8_t wide;
enum { INTEGER_FACTORS = APUS_HAS_SIGNED_BYTES ? APUS_INTEGER_SIGNED_BYTES : APUS_INTEGER_UNSIGNED_BYTES };
#else
typedef int16_t wide;
enum { INTEGER_FACTORS = APUS_INTEGER_DIFFERENCES };
#endif

/// Whether the sign of widened elements is another than that of the input.
APUS_INLINE int flips(int is_signed) {
#if APUS_GROUP == 4
    return !is_signed != !APUS_HAS_SIGNED_BYTES;
#else
    (void)is_signed;
    return 0;
#endif
}

/// What widened elements of value 0 are.
APUS_INLINE wide widened_zero(int is_signed, int32_t zero_point) {
#if APUS_GROUP == 4
    return (wide)(zero_point + (flips(is_signed) ? 128 : 0));
#else
    (void)is_signed, (void)zero_point;
    return 0;
#endif
}

/// Widens `count` adjacent elements.
APUS_INLINE void widen(const uint8_t *from, int is_signed, int32_t zero_point, ptrdiff_t count, wide *to) {
#if APUS_GROUP == 4
    (void)zero_point;
    flip(from, flips(is_signed) ? 0x80 : 0, count, to);
#else
    const int16_t zero = (int16_t)zero_point;
    if (is_signed)
        for (ptrdiff_t i = 0; i < count; i++) to[i] = (int16_t)((int8_t)from[i] - zero);
    else
        for (ptrdiff_t i = 0; i < count; i++) to[i] = (int16_t)(from[i] - zero);
#endif
}

APUS_INLINE void fill(wide *to, wide value, ptrdiff_t count) {
    for (ptrdiff_t i = 0; i < count; i++) to[i] = value;
}

#include <math.h>

/// The sums of `vectors` vectors of adjacent columns, `count` columns in all; `vectors` and `quick` are constants of the
/// caller, the latter 1 only for factors that are.
APUS_INLINE void store_columns(
    uint8_t *to, const int_vector *sums, const int vectors, const int quick, const apus_requantization *r, ptrdiff_t column,
    ptrdiff_t count) {
    int_vector scaled[APUS_PANEL_VECTORS];
    APUS_UNROLL for (int v = 0; v < vectors; v++) scaled[v] = scale_for_packing(sums[v], quick, r, column + v * APUS_LANES);
    store_scaled(to, scaled, vectors, r, count);
}

#ifndef APUS_LEAST_PAIRED_WORDS
#define APUS_LEAST_PAIRED_WORDS 0
#endif

#include "paired_words.h"
#include "widened_lines.h"
#include "convolution.h"
#include "depthwise.h"
#if APUS_GROUP == 2 || APUS_HAS_PAIRS
#if APUS_GROUP == 2
#define dot_pairs dot
#endif
#include "winograd.h"
#endif

/// How sums are made: in fixed point; or in float32, whose results integers of 32 bits may not hold, or surely do.
enum { FIXED_POINT, ANY_FLOATS, SMALL_FLOATS };

/// The sums of `count` elements from `first` on, at most SUM_VECTORS vectors; `how` is a constant of the caller, and `count`
/// is for most.
enum { SUM_VECTORS = 4 };
APUS_INLINE void add_some(const apus_integer_sum *s, ptrdiff_t first, const ptrdiff_t count, const int how) {
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
    // A copy, since what is stored might lie in the structure for all that the compiler knows.
    const apus_integer_sum sum = *s;
    ptrdiff_t i = 0;
    for (; i + SUM_VECTORS * APUS_LANES <= sum.count; i += SUM_VECTORS * APUS_LANES)
        add_some(&sum, i, SUM_VECTORS * APUS_LANES, how);
    if (i < sum.count) add_some(&sum, i, sum.count - i, how);
}

APUS_TARGET static void APUS_NAME(add_integers)(const apus_integer_sum *s) {
    // Of |255 · 10⁶| each.
    const float most = 1e6f;
    if (!s->has_scales) add_all(s, FIXED_POINT);
    else if (fabsf(s->a_scale) < most && fabsf(s->b_scale) < most) add_all(s, SMALL_FLOATS);
    else add_all(s, ANY_FLOATS);
}

const apus_integer_kernel APUS_NAME(apus_integer) = {
    .tile_rows = APUS_TILE_ROWS, .panel_columns = PANEL_COLUMNS, .group = APUS_GROUP, .block = BLOCK,
    .least_paired_words = APUS_LEAST_PAIRED_WORDS, .factors = INTEGER_FACTORS, .convolve = APUS_NAME(convolve_integers),
    .convolution_scratch = APUS_NAME(convolution_scratch),
#if APUS_GROUP == 2 || APUS_HAS_PAIRS
    .convolve_tiles = APUS_NAME(convolve_tiles), .tile_scratch = APUS_NAME(tile_scratch),
#endif
    .convolve_depthwise = APUS_NAME(convolve_channels), .depthwise_scratch = APUS_NAME(depthwise_scratch),
    .add = APUS_NAME(add_integers)};
