#ifndef APUS_REQUANTIZE_AVX512_H
#define APUS_REQUANTIZE_AVX512_H

// What both variants of 512 bits, avx512.c and vnni.c, have of the functions of variant.h: scaling, rounding and
// storing. Needs APUS_HAS_ROUNDING, APUS_HAS_PACKING and APUS_HAS_BYTE_MASKS.

#include "variant.h"

#include <immintrin.h>

#if !APUS_HAS_ROUNDING || !APUS_HAS_PACKING || !APUS_HAS_BYTE_MASKS
#error "define APUS_HAS_ROUNDING, APUS_HAS_PACKING and APUS_HAS_BYTE_MASKS as 1 before variant.h is included"
#endif

APUS_INLINE int_vector high_product(int_vector x, int_vector multiplier) {
    const __m512i half = _mm512_set1_epi64(1 << 30);
    const __m512i even = _mm512_add_epi64(_mm512_mul_epi32((__m512i)x, (__m512i)multiplier), half);
    const __m512i odd = _mm512_add_epi64(
        _mm512_mul_epi32(_mm512_srli_epi64((__m512i)x, 32), _mm512_srli_epi64((__m512i)multiplier, 32)), half);
    return (int_vector)_mm512_mask_blend_epi32(0xAAAA, _mm512_srli_epi64(even, 31), _mm512_slli_epi64(odd, 1));
}

APUS_INLINE int_vector round_scaled(vector x) {
    const __m512 high = _mm512_set1_ps(65536.0f), low = _mm512_set1_ps(-65536.0f);
    return (int_vector)_mm512_cvtps_epi32(_mm512_max_ps(_mm512_min_ps((__m512)x, high), low));
}

APUS_INLINE int_vector round_small(vector x) { return (int_vector)_mm512_cvtps_epi32((__m512)x); }

/// Up to four scaled vectors as bytes. Each quarter of the result has four lanes of every vector.
APUS_INLINE __m512i pack(const int_vector *scaled, const int vectors, const apus_requantization *r) {
    const __m512i zero = _mm512_setzero_si512(), point = _mm512_set1_epi16((short)r->zero_point);
    __m512i first = _mm512_packs_epi32((__m512i)scaled[0], vectors > 1 ? (__m512i)scaled[1] : zero);
    __m512i last = vectors > 2 ? _mm512_packs_epi32((__m512i)scaled[2], vectors > 3 ? (__m512i)scaled[3] : zero) : zero;
    if (r->zero_point != 0) {
        first = _mm512_adds_epi16(first, point);
        if (vectors > 2) last = _mm512_adds_epi16(last, point);
    }
    if (r->low == 0 && r->high == UINT8_MAX) return _mm512_packus_epi16(first, last);
    const __m512i low = _mm512_set1_epi8((char)r->low), high = _mm512_set1_epi8((char)r->high);
    if (r->high > INT8_MAX)
        return _mm512_min_epu8(_mm512_max_epu8(_mm512_packus_epi16(first, last), low), high);
    return _mm512_min_epi8(_mm512_max_epi8(_mm512_packs_epi16(first, last), low), high);
}

APUS_INLINE uint8_half_vector load_first_bytes(const uint8_t *from, ptrdiff_t count) {
    return (uint8_half_vector)_mm256_maskz_loadu_epi8(((__mmask32)1 << count) - 1, from);
}

APUS_INLINE void store_first_bytes(uint8_t *to, __m512i x, ptrdiff_t count) {
    if (count >= 64) _mm512_storeu_si512(to, x);
    else _mm512_mask_storeu_epi8(to, ((__mmask64)1 << count) - 1, x);
}

APUS_INLINE void store_scaled(
    uint8_t *to, const int_vector *scaled, const int vectors, const apus_requantization *r, ptrdiff_t count) {
    const __m512i order = _mm512_setr_epi32(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15);
    store_first_bytes(to, _mm512_permutexvar_epi32(order, pack(scaled, vectors, r)), count);
}

APUS_INLINE void store_interleaved_scaled(
    uint8_t *to, const int_vector *scaled, const apus_requantization *r, ptrdiff_t count) {
    const __m512i packed = pack(scaled, APUS_GROUP, r);
#if APUS_GROUP == 4
    store_first_bytes(to, packed, count);
#else
    // The second half of every quarter is empty.
    store_first_bytes(
        to, _mm512_castsi256_si512(_mm512_castsi512_si256(
                _mm512_permutexvar_epi64(_mm512_setr_epi64(0, 2, 4, 6, 1, 3, 5, 7), packed))),
        count < 32 ? count : 32);
#endif
}

#endif
