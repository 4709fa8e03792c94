#if defined(__x86_64__)
#include "../variants/avx512.h"

#define APUS_GROUP 2
#define APUS_HAS_ROUNDING 1
#define APUS_HAS_PACKING 1
#define APUS_HAS_BYTE_MASKS 1
#include "tile_of_32_registers.h"
#include "requantize_avx512.h"
#include "variant.h"

APUS_INLINE int_vector dot(int_vector sums, int_vector a, int_vector b) {
    return (int_vector)_mm512_add_epi32((__m512i)sums, _mm512_madd_epi16((__m512i)a, (__m512i)b));
}

// Quarters of 128 bits stay where they are.
APUS_INLINE void interleave(const int16_t *const *taps, ptrdiff_t from, int_vector *words) {
    const __m512i a = _mm512_loadu_si512(taps[0] + from), b = _mm512_loadu_si512(taps[1] + from);
    words[0] = (int_vector)_mm512_unpacklo_epi16(a, b);
    words[1] = (int_vector)_mm512_unpackhi_epi16(a, b);
}

APUS_INLINE void interleave_one(const int16_t *tap, ptrdiff_t from, int_vector *words) {
    const __m512i a = _mm512_loadu_si512(tap + from), zero = _mm512_setzero_si512();
    words[0] = (int_vector)_mm512_unpacklo_epi16(a, zero);
    words[1] = (int_vector)_mm512_unpackhi_epi16(a, zero);
}

#include "kernels.h"
#endif
