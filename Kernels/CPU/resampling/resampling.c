#include "apus_resampling.h"

#include <string.h>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

enum { HALF = 1 << (APUS_RESAMPLING_FRACTIONAL_BITS - 1) };

static uint8_t clip(int32_t sum) {
    int32_t value = sum >> APUS_RESAMPLING_FRACTIONAL_BITS;
    return (uint8_t)(value < 0 ? 0 : value > 255 ? 255 : value);
}

// Pixels of weight 0 are not read.
static void resample_pixel(const uint8_t *pixel, size_t pair_count, const int16_t *weights, uint8_t *result) {
    int32_t sums[3] = {HALF, HALF, HALF};
    for (size_t pair = 0; pair < pair_count; ++pair, pixel += 6, weights += 4) {
        for (size_t partner = 0; partner < 2; ++partner) {
            int32_t weight = weights[2 + partner] * (1 << APUS_RESAMPLING_LOW_BITS) + weights[partner];
            if (weight == 0) continue;
            for (size_t channel = 0; channel < 3; ++channel) sums[channel] += pixel[3 * partner + channel] * weight;
        }
    }
    for (size_t channel = 0; channel < 3; ++channel) result[channel] = clip(sums[channel]);
}

#if defined(__SSE2__)

static __m128i load_four_bytes(const uint8_t *pixel) {
    int32_t bits;
    memcpy(&bits, pixel, sizeof bits);
    return _mm_cvtsi32_si128(bits);
}

static __m128i broadcast_pair(const int16_t *weights) {
    int32_t bits;
    memcpy(&bits, weights, sizeof bits);
    return _mm_set1_epi32(bits);
}

// Four bytes of each pixel are read, hence one byte beyond the last pixel.
static int32_t resample_four_bytes(const uint8_t *pixel, size_t pair_count, const int16_t *weights) {
    const __m128i zero = _mm_setzero_si128();
    __m128i low = _mm_set1_epi32(HALF), high = zero;
    for (size_t pair = 0; pair < pair_count; ++pair, pixel += 6, weights += 4) {
        // Red, green and blue of both pixels side by side, as 16 bits.
        __m128i both = _mm_unpacklo_epi8(load_four_bytes(pixel), load_four_bytes(pixel + 3));
        both = _mm_unpacklo_epi8(both, zero);
        low = _mm_add_epi32(low, _mm_madd_epi16(both, broadcast_pair(weights)));
        high = _mm_add_epi32(high, _mm_madd_epi16(both, broadcast_pair(weights + 2)));
    }
    __m128i sum = _mm_add_epi32(low, _mm_slli_epi32(high, APUS_RESAMPLING_LOW_BITS));
    sum = _mm_srai_epi32(sum, APUS_RESAMPLING_FRACTIONAL_BITS);
    sum = _mm_packs_epi32(sum, sum);
    return _mm_cvtsi128_si32(_mm_packus_epi16(sum, sum));
}

#endif

void apus_resample_row(
    const uint8_t *source, const uint8_t *end, const apus_resampling_taps *taps, size_t count, const int16_t *weights,
    uint8_t *result) {
    for (size_t index = 0; index < count; ++index, result += 3) {
        const uint8_t *pixel = source + 3 * taps[index].first;
        size_t pair_count = taps[index].pair_count;
#if defined(__SSE2__)
        if ((size_t)(end - pixel) > 6 * pair_count) {
            int32_t bytes = resample_four_bytes(pixel, pair_count, weights + taps[index].offset);
            memcpy(result, &bytes, 3);
            continue;
        }
#else
        (void)end;
#endif
        resample_pixel(pixel, pair_count, weights + taps[index].offset, result);
    }
}
