#if defined(__x86_64__)
// AVX-512 with dot products of four unsigned with four signed 8-bit integers, which do not saturate.
#define APUS_VARIANT vnni
#define APUS_LANES 16
#define APUS_TARGET __attribute__((target("arch=x86-64-v4,avx512vnni"), min_vector_width(512)))
#include "../variants/vector.h"

#include <immintrin.h>

#define APUS_GROUP 4
#define APUS_HAS_SIGNED_BYTES 0
#define APUS_HAS_DOT_INT16 1
#define APUS_HAS_ROUNDING 1
#define APUS_HAS_PACKING 1
#define APUS_HAS_BYTE_MASKS 1
#include "tile_of_32_registers.h"
#include "requantize_avx512.h"
#include "variant.h"

APUS_INLINE void flip_bits(const uint8_t *from, uint8_t bits, ptrdiff_t count, uint8_t *to) {
    const __m512i change = _mm512_set1_epi8((char)bits);
    for (; count >= 64; count -= 64, from += 64, to += 64)
        _mm512_storeu_si512(to, _mm512_xor_si512(_mm512_loadu_si512(from), change));
    const __mmask64 rest = ((__mmask64)1 << count) - 1;
    if (count > 0) _mm512_mask_storeu_epi8(to, rest, _mm512_xor_si512(_mm512_maskz_loadu_epi8(rest, from), change));
}

APUS_INLINE int_vector dot(int_vector sums, int_vector a, int_vector b) {
    return (int_vector)_mm512_dpbusd_epi32((__m512i)sums, (__m512i)a, (__m512i)b);
}

// In assembly, since clang makes two instructions of the intrinsic.
APUS_INLINE int_vector dot_int16(int_vector sums, int_vector a, int_vector b) {
    __asm__("vpdpwssd %2, %1, %0" : "+v"(sums) : "v"(a), "v"(b));
    return sums;
}

// Quarters of 128 bits stay where they are.
APUS_INLINE void interleave(const uint8_t *const *taps, ptrdiff_t from, int_vector *words) {
    const __m512i a = _mm512_loadu_si512(taps[0] + from), b = _mm512_loadu_si512(taps[1] + from);
    const __m512i c = _mm512_loadu_si512(taps[2] + from), d = _mm512_loadu_si512(taps[3] + from);
    const __m512i low_ab = _mm512_unpacklo_epi8(a, b), low_cd = _mm512_unpacklo_epi8(c, d);
    const __m512i high_ab = _mm512_unpackhi_epi8(a, b), high_cd = _mm512_unpackhi_epi8(c, d);
    words[0] = (int_vector)_mm512_unpacklo_epi16(low_ab, low_cd);
    words[1] = (int_vector)_mm512_unpackhi_epi16(low_ab, low_cd);
    words[2] = (int_vector)_mm512_unpacklo_epi16(high_ab, high_cd);
    words[3] = (int_vector)_mm512_unpackhi_epi16(high_ab, high_cd);
}

APUS_INLINE void interleave_one(const uint8_t *tap, ptrdiff_t from, int_vector *words) {
    const __m512i a = _mm512_loadu_si512(tap + from);
    // Elements 0…3 of every quarter go to the low bytes of the words of the first vector, elements 4…7 to those of the
    // second, and so on.
    const __m128i first = _mm_setr_epi8(0, -1, -1, -1, 1, -1, -1, -1, 2, -1, -1, -1, 3, -1, -1, -1);
    APUS_UNROLL for (int v = 0; v < 4; v++) {
        const __m128i places = _mm_or_si128(first, _mm_set1_epi32(4 * v));
        words[v] = (int_vector)_mm512_shuffle_epi8(a, _mm512_broadcast_i32x4(places));
    }
}

#include "kernels.h"
#endif
