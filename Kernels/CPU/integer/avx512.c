#if defined(__x86_64__)
#include "../variants/avx512.h"

#define APUS_GROUP 2
#include "requantize_avx512.h"

APUS_INLINE int_vector dot(int_vector sums, int_vector a, int_vector b) {
    return (int_vector)_mm512_add_epi32((__m512i)sums, _mm512_madd_epi16((__m512i)a, (__m512i)b));
}

/// words[0…1] = pairs of elements of two taps; quarters stay where they are.
APUS_INLINE void interleave(const int16_t *const *taps, ptrdiff_t from, int_vector *words) {
    const __m512i a = _mm512_loadu_si512(taps[0] + from), b = _mm512_loadu_si512(taps[1] + from);
    words[0] = (int_vector)_mm512_unpacklo_epi16(a, b);
    words[1] = (int_vector)_mm512_unpackhi_epi16(a, b);
}

/// The same with 0 in place of the second.
APUS_INLINE void interleave_one(const int16_t *tap, ptrdiff_t from, int_vector *words) {
    const __m512i a = _mm512_loadu_si512(tap + from), zero = _mm512_setzero_si512();
    words[0] = (int_vector)_mm512_unpacklo_epi16(a, zero);
    words[1] = (int_vector)_mm512_unpackhi_epi16(a, zero);
}

#include "kernels.h"
#endif
