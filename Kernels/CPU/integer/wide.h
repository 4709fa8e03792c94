// What the kernels of 512 bits share.

#include <stdint.h>

APUS_INLINE mask high_product(mask x, mask m) {
    const __m512i half = _mm512_set1_epi64(1 << 30);
    const __m512i even = _mm512_add_epi64(_mm512_mul_epi32((__m512i)x, (__m512i)m), half);
    const __m512i odd = _mm512_add_epi64(
        _mm512_mul_epi32(_mm512_srli_epi64((__m512i)x, 32), _mm512_srli_epi64((__m512i)m, 32)), half);
    return (mask)_mm512_mask_blend_epi32(0xAAAA, _mm512_srli_epi64(even, 31), _mm512_slli_epi64(odd, 1));
}

// 12 · 2 sums, 2 columns and 1 word of a row take 27 of 32 registers.
#define APUS_TILE_ROWS 12
#define APUS_TILE_CASES                                                                                           \
    APUS_TILE_CASE(1) APUS_TILE_CASE(2) APUS_TILE_CASE(3) APUS_TILE_CASE(4) APUS_TILE_CASE(5) APUS_TILE_CASE(6)   \
    APUS_TILE_CASE(7) APUS_TILE_CASE(8) APUS_TILE_CASE(9) APUS_TILE_CASE(10) APUS_TILE_CASE(11) APUS_TILE_CASE(12)
