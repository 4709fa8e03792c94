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

#define APUS_HAS_ROUNDING 1
/// round(x), halves to the even integer; beyond any 8-bit range the result only keeps its side.
APUS_INLINE mask round_scaled(vector x) {
    const __m256 most = _mm256_set1_ps(65536.0f), least = _mm256_set1_ps(-65536.0f);
    return (mask)_mm256_cvtps_epi32(_mm256_max_ps(_mm256_min_ps((__m256)x, most), least));
}

/// The same for results within 32 bits.
APUS_INLINE mask round_small(vector x) { return (mask)_mm256_cvtps_epi32((__m256)x); }

#define APUS_GROUP 2
APUS_INLINE mask dot(mask sums, mask a, mask b) {
    return (mask)_mm256_add_epi32((__m256i)sums, _mm256_madd_epi16((__m256i)a, (__m256i)b));
}

/// words[0…1] = pairs of elements of two taps; halves stay where they are.
APUS_INLINE void interleave(const int16_t *const *taps, ptrdiff_t from, mask *words) {
    const __m256i a = _mm256_loadu_si256((const __m256i *)(taps[0] + from));
    const __m256i b = _mm256_loadu_si256((const __m256i *)(taps[1] + from));
    words[0] = (mask)_mm256_unpacklo_epi16(a, b);
    words[1] = (mask)_mm256_unpackhi_epi16(a, b);
}

/// The same with 0 in place of the second.
APUS_INLINE void interleave_one(const int16_t *tap, ptrdiff_t from, mask *words) {
    const __m256i a = _mm256_loadu_si256((const __m256i *)(tap + from)), zero = _mm256_setzero_si256();
    words[0] = (mask)_mm256_unpacklo_epi16(a, zero);
    words[1] = (mask)_mm256_unpackhi_epi16(a, zero);
}

/// Brings what `interleave` began to the order of the elements.
APUS_INLINE void order_lanes(mask *x) {
    const __m256i a = (__m256i)x[0], b = (__m256i)x[1];
    x[0] = (mask)_mm256_permute2x128_si256(a, b, 0x20);
    x[1] = (mask)_mm256_permute2x128_si256(a, b, 0x31);
}

#include "requantize.h"

// 6 · 2 sums, 2 columns and 1 pair of a row take 15 of 16 registers.
#define APUS_PANEL_VECTORS 2
#define APUS_TILE_ROWS 6
#define APUS_NARROW_TILE_ROWS 6
#define APUS_TILE_CASES                                                                                           \
    APUS_TILE_CASE(1) APUS_TILE_CASE(2) APUS_TILE_CASE(3) APUS_TILE_CASE(4) APUS_TILE_CASE(5) APUS_TILE_CASE(6)
#define APUS_NARROW_TILE_CASES APUS_TILE_CASES
#include "kernels.h"
#endif
