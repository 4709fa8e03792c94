#if defined(__x86_64__)
#include "../variants/avx2.h"

#include <stdint.h>

APUS_INLINE mask high_product(mask x, mask m) {
    const __m256i half = _mm256_set1_epi64x(1 << 30);
    const __m256i even = _mm256_add_epi64(_mm256_mul_epi32((__m256i)x, (__m256i)m), half);
    const __m256i odd = _mm256_add_epi64(
        _mm256_mul_epi32(_mm256_srli_epi64((__m256i)x, 32), _mm256_srli_epi64((__m256i)m, 32)), half);
    return (mask)_mm256_blend_epi32(_mm256_srli_epi64(even, 31), _mm256_slli_epi64(odd, 1), 0xAA);
}

APUS_INLINE mask dot_pairs(mask sums, mask a, mask b) {
    return sums + (mask)_mm256_madd_epi16((__m256i)a, (__m256i)b);
}

// 6 · 2 sums, 2 columns and 1 pair of a row take 15 of 16 registers.
#define APUS_GROUP 2
#define dot dot_pairs
#define APUS_TILE_ROWS 6
#define APUS_TILE_CASES                                                                                           \
    APUS_TILE_CASE(1) APUS_TILE_CASE(2) APUS_TILE_CASE(3) APUS_TILE_CASE(4) APUS_TILE_CASE(5) APUS_TILE_CASE(6)
#include "kernels.h"
#endif
