#ifndef APUS_VARIANT_AVX512_BF16_H
#define APUS_VARIANT_AVX512_BF16_H

// AVX-512 with instructions for bfloat16, whose numbers it reads and writes as 16-bit integers. Rounding is to nearest,
// ties to even; denormals become zeros. A variant with further instructions defines its name and target itself.
#ifndef APUS_VARIANT
#define APUS_VARIANT avx512_bf16
#endif
#ifndef APUS_TARGET
#define APUS_TARGET __attribute__((target("arch=x86-64-v4,avx512bf16"), min_vector_width(512)))
#endif
#include "avx512.h"

#include <stdint.h>

APUS_INLINE vector widened_bfloat16(__m256i numbers) {
    return (vector)_mm512_slli_epi32(_mm512_cvtepu16_epi32(numbers), 16);
}

APUS_INLINE vector load_bfloat16(const uint16_t *from) {
    return widened_bfloat16(_mm256_loadu_si256((const __m256i *)from));
}

/// The first `count` lanes, 0 in the others.
APUS_INLINE vector load_first_bfloat16(const uint16_t *from, ptrdiff_t count) {
    return widened_bfloat16(_mm256_maskz_loadu_epi16((__mmask16)((1u << count) - 1), from));
}

APUS_INLINE void store_bfloat16(uint16_t *to, vector x) {
    _mm256_storeu_si256((__m256i *)to, (__m256i)_mm512_cvtneps_pbh((__m512)x));
}

/// The first `count` lanes.
APUS_INLINE void store_first_bfloat16(uint16_t *to, vector x, ptrdiff_t count) {
    _mm256_mask_storeu_epi16(to, (__mmask16)((1u << count) - 1), (__m256i)_mm512_cvtneps_pbh((__m512)x));
}

#endif
