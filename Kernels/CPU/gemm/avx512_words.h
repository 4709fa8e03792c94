#ifndef APUS_AVX512_WORDS_H
#define APUS_AVX512_WORDS_H

// Rounding and packing of words of two bfloat16 for panels of 32 columns. Needs the variant header avx512_bf16.h, or
// one that includes it, before it.

#include "chains.h"

#include <immintrin.h>
#include <stddef.h>
#include <stdint.h>

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

#endif
