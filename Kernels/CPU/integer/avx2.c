#if defined(__x86_64__)
#include "../variants/avx2.h"

#define APUS_GROUP 2
// 6 · 2 sums, 2 columns and 1 word of a row take 15 of 16 registers.
#define APUS_PANEL_VECTORS 2
#define APUS_TILE_ROWS 6
#define APUS_NARROW_TILE_ROWS 6
#define APUS_HAS_ROUNDING 1
#define APUS_HAS_PACKING 1
// Two sums of 16 bits take the place of a product and a sum of 32 bits, for which the processor has fewer units.
#define APUS_MINIMUM_PAIRED_WORDS 48
// 4 · 2 sums, 2 words of 2 columns, 2 words of a row and their 2 sums take all 16 registers.
#define APUS_PAIRED_TILE_ROWS 4
#include "variant.h"

#include <string.h>

APUS_INLINE int_vector high_product(int_vector x, int_vector multiplier) {
    const __m256i half = _mm256_set1_epi64x(1 << 30);
    const __m256i even = _mm256_add_epi64(_mm256_mul_epi32((__m256i)x, (__m256i)multiplier), half);
    const __m256i odd = _mm256_add_epi64(
        _mm256_mul_epi32(_mm256_srli_epi64((__m256i)x, 32), _mm256_srli_epi64((__m256i)multiplier, 32)), half);
    return (int_vector)_mm256_blend_epi32(_mm256_srli_epi64(even, 31), _mm256_slli_epi64(odd, 1), 0xAA);
}

APUS_INLINE int_vector dot(int_vector sums, int_vector a, int_vector b) {
    return (int_vector)_mm256_add_epi32((__m256i)sums, _mm256_madd_epi16((__m256i)a, (__m256i)b));
}

// Halves of 128 bits stay where they are.
APUS_INLINE void interleave(const int16_t *const *taps, ptrdiff_t from, int_vector *words) {
    const __m256i a = _mm256_loadu_si256((const __m256i *)(taps[0] + from));
    const __m256i b = _mm256_loadu_si256((const __m256i *)(taps[1] + from));
    words[0] = (int_vector)_mm256_unpacklo_epi16(a, b);
    words[1] = (int_vector)_mm256_unpackhi_epi16(a, b);
}

APUS_INLINE void interleave_one(const int16_t *tap, ptrdiff_t from, int_vector *words) {
    const __m256i a = _mm256_loadu_si256((const __m256i *)(tap + from)), zero = _mm256_setzero_si256();
    words[0] = (int_vector)_mm256_unpacklo_epi16(a, zero);
    words[1] = (int_vector)_mm256_unpackhi_epi16(a, zero);
}

APUS_INLINE int_vector round_scaled(vector x) {
    const __m256 high = _mm256_set1_ps(65536.0f), low = _mm256_set1_ps(-65536.0f);
    return (int_vector)_mm256_cvtps_epi32(_mm256_max_ps(_mm256_min_ps((__m256)x, high), low));
}

APUS_INLINE int_vector round_small(vector x) { return (int_vector)_mm256_cvtps_epi32((__m256)x); }

/// Up to four scaled vectors as bytes. Each half of the result has four lanes of every vector.
APUS_INLINE __m256i pack(const int_vector *scaled, const int vectors, const apus_requantization *r) {
    const __m256i point = _mm256_set1_epi16((short)r->zero_point);
    __m256i first = _mm256_packs_epi32((__m256i)scaled[0], (__m256i)scaled[vectors > 1]), last = first;
    if (vectors > 2) last = _mm256_packs_epi32((__m256i)scaled[2], (__m256i)scaled[vectors - 1]);
    if (r->zero_point != 0) {
        first = _mm256_adds_epi16(first, point);
        last = vectors > 2 ? _mm256_adds_epi16(last, point) : first;
    }
    if (r->low == 0 && r->high == UINT8_MAX) return _mm256_packus_epi16(first, last);
    const __m256i low = _mm256_set1_epi8((char)r->low), high = _mm256_set1_epi8((char)r->high);
    if (r->high > INT8_MAX)
        return _mm256_min_epu8(_mm256_max_epu8(_mm256_packus_epi16(first, last), low), high);
    return _mm256_min_epi8(_mm256_max_epi8(_mm256_packs_epi16(first, last), low), high);
}

/// Stores the first `count` bytes in parts whose lengths are powers of two.
APUS_INLINE void store_first_bytes(uint8_t *to, __m256i x, ptrdiff_t count) {
    if (count >= 32) {
        _mm256_storeu_si256((__m256i *)to, x);
        return;
    }
    __m128i part = _mm256_castsi256_si128(x);
    if (count & 16) {
        _mm_storeu_si128((__m128i *)to, part);
        part = _mm256_extracti128_si256(x, 1);
        to += 16;
    }
    if (count & 8) {
        _mm_storel_epi64((__m128i *)to, part);
        part = _mm_srli_si128(part, 8);
        to += 8;
    }
    if (count & 7) {
        const uint64_t last = (uint64_t)_mm_cvtsi128_si64(part);
        memcpy(to, &last, (size_t)(count & 7));
    }
}

APUS_INLINE void store_scaled(
    uint8_t *to, const int_vector *scaled, const int vectors, const apus_requantization *r, ptrdiff_t count) {
    const __m256i order = _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7);
    const __m256i bytes = _mm256_permutevar8x32_epi32(pack(scaled, vectors, r), order);
    store_first_bytes(to, bytes, count < 8 * vectors ? count : 8 * vectors);
}

APUS_INLINE void store_interleaved_scaled(
    uint8_t *to, const int_vector *scaled, const apus_requantization *r, ptrdiff_t count) {
    // Both halves have their bytes twice.
    const __m256i bytes = _mm256_permute4x64_epi64(pack(scaled, APUS_GROUP, r), 0x08);
    store_first_bytes(to, bytes, count < 16 ? count : 16);
}

typedef int32_t packed_word __attribute__((aligned(1), may_alias));

// In assembly, since clang would keep some of the sums of a tile in memory.
APUS_INLINE void multiply_word_pair(
    const uint8_t *a, const uint8_t *b, const int_vector *p, const int_vector *q, const int vectors, int_vector *sums) {
    int_vector word, other, x, y;
    if (vectors == 1)
        __asm__("vpbroadcastd %[a], %[word]\n\t"
                "vpbroadcastd %[b], %[other]\n\t"
                "vpaddw %[q0], %[word], %[word]\n\t"
                "vpaddw %[p0], %[other], %[other]\n\t"
                "vpmaddwd %[word], %[other], %[word]\n\t"
                "vpaddd %[word], %[sum0], %[sum0]"
                : [sum0] "+x"(sums[0]), [word] "=&x"(word), [other] "=&x"(other)
                : [a] "m"(*(const packed_word *)a), [b] "m"(*(const packed_word *)b), [p0] "x"(p[0]), [q0] "x"(q[0]));
    else
        __asm__("vpbroadcastd %[a], %[word]\n\t"
                "vpbroadcastd %[b], %[other]\n\t"
                "vpaddw %[q0], %[word], %[x]\n\t"
                "vpaddw %[p0], %[other], %[y]\n\t"
                "vpmaddwd %[x], %[y], %[x]\n\t"
                "vpaddw %[q1], %[word], %[word]\n\t"
                "vpaddw %[p1], %[other], %[other]\n\t"
                "vpaddd %[x], %[sum0], %[sum0]\n\t"
                "vpmaddwd %[word], %[other], %[word]\n\t"
                "vpaddd %[word], %[sum1], %[sum1]"
                : [sum0] "+x"(sums[0]), [sum1] "+x"(sums[1]), [word] "=&x"(word), [other] "=&x"(other), [x] "=&x"(x),
                  [y] "=&x"(y)
                : [a] "m"(*(const packed_word *)a), [b] "m"(*(const packed_word *)b), [p0] "x"(p[0]), [p1] "x"(p[1]),
                  [q0] "x"(q[0]), [q1] "x"(q[1]));
}

APUS_INLINE int_vector load_first_words(const uint8_t *from, ptrdiff_t count) {
    const __m256i places = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
    const __m256i wanted = _mm256_cmpgt_epi32(_mm256_set1_epi32((int)count), places);
    return (int_vector)_mm256_maskload_epi32((const int *)from, wanted);
}

#include "kernels.h"
#endif
