#if defined(__x86_64__)
#include "../variants/avx512_bf16.h"

#include "apus_bfloat16.h"

APUS_INLINE vector add_words(vector sums, vector words, vector columns) {
    return (vector)_mm512_dpbf16_ps((__m512)sums, (__m512bh)words, (__m512bh)columns);
}

APUS_INLINE half_vector add_half_words(half_vector sums, half_vector words, half_vector columns) {
    return (half_vector)_mm256_dpbf16_ps((__m256)sums, (__m256bh)words, (__m256bh)columns);
}

#define APUS_HAS_BFLOAT16_VALUES 1
#define APUS_TILE_ROWS 10
#define APUS_DEPTH_STEP 1
#define APUS_HALVES_ARE_FASTER 1
#define APUS_SPREAD(word) ((vector)_mm512_set1_ps(word))
#define APUS_ADD_PRODUCT(sums, words, columns) ((sums) = add_words(sums, words, columns))
#define APUS_ADD_HALF_PRODUCT(sums, words, columns) ((sums) = add_half_words(sums, words, columns))
#include "gemm_tile.h"

/// Rounds up to 32 adjacent elements to words.
APUS_INLINE __m512i rounded(const float *from, ptrdiff_t count) {
    const uint64_t present = count >= 32 ? 0xffffffff : ((uint64_t)1 << count) - 1;
    const __m512 low = _mm512_maskz_loadu_ps((__mmask16)present, from);
    const __m512 high = _mm512_maskz_loadu_ps((__mmask16)(present >> 16), from + 16);
    return (__m512i)_mm512_cvtne2ps_pbh(high, low);
}

APUS_TARGET static void round_rows(
    const float *from, ptrdiff_t row_count, ptrdiff_t row_stride, ptrdiff_t length, float *words) {
    if (row_stride == length && length % 2 == 0) {
        length *= row_count;
        row_count = row_count > 0;
    }
    for (ptrdiff_t row = 0; row < row_count; row++, from += row_stride, words += (length + 1) / 2) {
        ptrdiff_t at = 0;
        for (; at + 32 <= length; at += 32)
            _mm512_storeu_si512(words + at / 2, rounded(from + at, 32));
        if (at < length)
            _mm512_mask_storeu_epi32(
                words + at / 2, (__mmask16)((1u << (length - at + 1) / 2) - 1), rounded(from + at, length - at));
    }
}

/// Up to 16 adjacent elements as the lower halves of words.
APUS_INLINE __m512i lower_halves(const float *from, ptrdiff_t count) {
    const __mmask16 present = (__mmask16)((1u << count) - 1);
    return _mm512_cvtepu16_epi32((__m256i)_mm512_cvtneps_pbh(_mm512_maskz_loadu_ps(present, from)));
}

APUS_INLINE __m512i lower_halves_of_bfloat16(const uint16_t *from, ptrdiff_t count) {
    return _mm512_cvtepu16_epi32(_mm256_maskz_loadu_epi16((__mmask16)((1u << count) - 1), from));
}

/// Packs rows of which `halves` reads some adjacent elements as the lower halves of words.
#define PACK_ROWS(halves)                                                                                         \
    for (ptrdiff_t first = 0; first < column_count; first += PANEL_COLUMNS) {                                     \
        for (ptrdiff_t row = 0; row < depth; row += 2) {                                                          \
            for (int v = 0; v < PANEL_VECTORS; v++, panels += APUS_LANES) {                                       \
                const ptrdiff_t column = first + v * APUS_LANES, left = column_count - column;                    \
                const ptrdiff_t count = left < 0 ? 0 : left < APUS_LANES ? left : APUS_LANES;                     \
                const ptrdiff_t at = row * row_stride + (count > 0 ? column : 0);                                 \
                __m512i upper = _mm512_setzero_si512();                                                           \
                if (row + 1 < depth) upper = halves(from + at + row_stride, count);                               \
                _mm512_storeu_si512(panels, _mm512_or_si512(halves(from + at, count), _mm512_slli_epi32(upper, 16))); \
            }                                                                                                     \
        }                                                                                                         \
    }

APUS_TARGET static void pack_rows(
    const float *from, ptrdiff_t depth, ptrdiff_t row_stride, ptrdiff_t column_count, float *panels) {
    PACK_ROWS(lower_halves)
}

APUS_TARGET static void interleave_rows(
    const uint16_t *from, ptrdiff_t depth, ptrdiff_t row_stride, ptrdiff_t column_count, float *panels) {
    PACK_ROWS(lower_halves_of_bfloat16)
}

const apus_bfloat16_kernel apus_bfloat16_avx512_bf16 = {
    .product = &apus_gemm_avx512_bf16, .adjacent_words = 1, .round_rows = round_rows, .pack_rows = pack_rows,
    .interleave_rows = interleave_rows};
#endif
