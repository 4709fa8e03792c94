// Products and sums of 8-bit integers. Included after a variant header, requantize.h, and
//
// - APUS_GROUP, and `dot(sums, a, b)`: sums + the products of the 2 or 4 elements of every lane, the four of `a` being
//   unsigned;
// - `interleave(taps, from, words)`: the elements of APUS_GROUP taps side by side; `interleave_one` those of one;
// - APUS_PANEL_VECTORS, APUS_TILE_ROWS and APUS_TILE_CASES, and for at most two vectors APUS_NARROW_….

enum { PANEL_COLUMNS = APUS_PANEL_VECTORS * APUS_LANES, BLOCK = APUS_GROUP * APUS_LANES };

/// Elements of widened patches.
#if APUS_GROUP == 4
typedef uint8_t wide;
#else
typedef int16_t wide;
#endif

/// What widened elements of value 0 are.
APUS_INLINE wide widened_zero(int is_signed, int32_t zero_point) {
#if APUS_GROUP == 4
    return (wide)(zero_point + (is_signed ? 128 : 0));
#else
    (void)is_signed, (void)zero_point;
    return 0;
#endif
}

/// Widens `count` adjacent elements.
APUS_INLINE void widen(const uint8_t *from, int is_signed, int32_t zero_point, ptrdiff_t count, wide *to) {
#if APUS_GROUP == 4
    (void)zero_point;
    const __m512i flip = _mm512_set1_epi8(is_signed ? (char)0x80 : 0);
    for (; count >= 64; count -= 64, from += 64, to += 64)
        _mm512_storeu_si512(to, _mm512_xor_si512(_mm512_loadu_si512(from), flip));
    const __mmask64 rest = ((__mmask64)1 << count) - 1;
    if (count > 0) _mm512_mask_storeu_epi8(to, rest, _mm512_xor_si512(_mm512_maskz_loadu_epi8(rest, from), flip));
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

#include "gather.h"
#include "convolution.h"
#include "depthwise.h"

APUS_TARGET static void APUS_NAME(add_integers)(const apus_integer_sum *s) {
    const mask zero = {0};
    const vector a_scale = (vector){0} + s->a_scale, b_scale = (vector){0} + s->b_scale;
    const int32_t number = s->is_signed ? (int8_t)s->b[0] : s->b[0];
    for (ptrdiff_t i = 0; i < s->count; i += APUS_LANES) {
        const ptrdiff_t left = s->count - i, count = left < APUS_LANES ? left : APUS_LANES;
        const mask x = load_bytes(s->a + i, s->is_signed, count) - s->a_zero;
        const mask y = (s->b_step ? load_bytes(s->b + i, s->is_signed, count) : zero + number) - s->b_zero;
        mask result;
        if (s->has_scales) {
            const vector p = __builtin_convertvector(x, vector) * a_scale;
            const vector q = __builtin_convertvector(y, vector) * b_scale;
            // A statement of its own, so that no product is fused with the sum.
            const vector sum = p + q;
            result = round_scaled(sum) + s->y_zero;
        } else {
            const mask first = scale_fixed(x << s->left_shift, zero + s->first, zero + s->first_shift);
            const mask second = scale_fixed(y << s->left_shift, zero + s->second, zero + s->second_shift);
            const mask sum = s->is_difference ? first - second : first + second;
            result = scale_fixed(sum, zero + s->output, zero + s->output_shift) + s->y_zero;
        }
        store_bytes(s->y + i, lesser(greater(result, zero + s->low), zero + s->high), count);
    }
}

const apus_integer_kernel APUS_NAME(apus_integer) = {
    .tile_rows = APUS_TILE_ROWS, .panel_columns = PANEL_COLUMNS, .group = APUS_GROUP, .block = BLOCK,
    .shifts_input = APUS_GROUP == 4, .convolve = APUS_NAME(convolve_integers),
    .convolve_depthwise = APUS_NAME(convolve_channels), .depthwise_scratch = APUS_NAME(depthwise_scratch),
    .add = APUS_NAME(add_integers)};
