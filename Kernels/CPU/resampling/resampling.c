#include "../target.h"
#include "apus_resampling.h"

#include <string.h>

#if defined(__x86_64__)
#include <immintrin.h>
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

#if defined(__x86_64__)

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

/// The bytes of a pixel's sums.
static int32_t clip_four(__m128i sum) {
    sum = _mm_srai_epi32(sum, APUS_RESAMPLING_FRACTIONAL_BITS);
    sum = _mm_packs_epi32(sum, sum);
    return _mm_cvtsi128_si32(_mm_packus_epi16(sum, sum));
}

// Four bytes of each pixel are read, so one byte beyond the last pixel is read too.
static int32_t resample_pairs(const uint8_t *pixel, size_t pair_count, const int16_t *weights) {
    const __m128i zero = _mm_setzero_si128();
    __m128i low = _mm_set1_epi32(HALF), high = zero;
    for (size_t pair = 0; pair < pair_count; ++pair, pixel += 6, weights += 4) {
        // Red, green and blue of both pixels side by side, as 16 bits.
        __m128i both = _mm_unpacklo_epi8(load_four_bytes(pixel), load_four_bytes(pixel + 3));
        both = _mm_unpacklo_epi8(both, zero);
        low = _mm_add_epi32(low, _mm_madd_epi16(both, broadcast_pair(weights)));
        high = _mm_add_epi32(high, _mm_madd_epi16(both, broadcast_pair(weights + 2)));
    }
    return clip_four(_mm_add_epi32(low, _mm_slli_epi32(high, APUS_RESAMPLING_LOW_BITS)));
}

enum {
    /// The rows that are resampled together, which share what is done with weights.
    ROWS = 4,
};

/// Resamples `rows` rows by vectors of two pairs, one in each half; `rows` is a constant of the caller. 16 bytes are
/// read for 12 of pixels.
__attribute__((target("avx2"), always_inline)) static inline void resample_rows_avx2(
    const uint8_t *source, size_t stride, const int rows, const uint8_t *end, const apus_resampling_taps *taps,
    size_t count, const int16_t *weights, uint8_t *result) {
    // Red, green and blue of a pair's pixels side by side, as 16 bits; -1 is a byte of zeros.
    const __m256i places = _mm256_setr_epi8(
        0, -1, 3, -1, 1, -1, 4, -1, 2, -1, 5, -1, -1, -1, -1, -1, 6, -1, 9, -1, 7, -1, 10, -1, 8, -1, 11, -1, -1, -1,
        -1, -1);
    const __m256i low_places = _mm256_setr_epi32(0, 0, 0, 0, 2, 2, 2, 2);
    const __m256i high_places = _mm256_setr_epi32(1, 1, 1, 1, 3, 3, 3, 3);
    const __m256i half = _mm256_setr_epi32(HALF, HALF, HALF, HALF, 0, 0, 0, 0);
    for (size_t index = 0; index < count; ++index) {
        const uint8_t *pixel = source + 3 * taps[index].first;
        const size_t pair_count = taps[index].pair_count;
        const int16_t *own = weights + taps[index].offset;
        uint8_t *target = result + 3 * index;
        if ((size_t)(end - pixel) < (rows - 1) * stride + 6 * pair_count + 4) {
            for (int r = 0; r < rows; r++)
                resample_pixel(pixel + r * stride, pair_count, own, target + 3 * r * count);
            continue;
        }
        __m256i low[ROWS], high[ROWS];
        for (int r = 0; r < rows; r++) {
            low[r] = half;
            high[r] = _mm256_setzero_si256();
        }
        for (size_t pair = 0; pair < pair_count; pair += 2, pixel += 12, own += 8) {
            const __m256i parts = _mm256_castsi128_si256(_mm_loadu_si128((const __m128i *)own));
            const __m256i low_parts = _mm256_permutevar8x32_epi32(parts, low_places);
            const __m256i high_parts = _mm256_permutevar8x32_epi32(parts, high_places);
            for (int r = 0; r < rows; r++) {
                const __m128i read = _mm_loadu_si128((const __m128i *)(pixel + r * stride));
                const __m256i four = _mm256_shuffle_epi8(_mm256_broadcastsi128_si256(read), places);
                low[r] = _mm256_add_epi32(low[r], _mm256_madd_epi16(four, low_parts));
                high[r] = _mm256_add_epi32(high[r], _mm256_madd_epi16(four, high_parts));
            }
        }
        for (int r = 0; r < rows; r++) {
            const __m256i sums = _mm256_add_epi32(low[r], _mm256_slli_epi32(high[r], APUS_RESAMPLING_LOW_BITS));
            const int32_t stored =
                clip_four(_mm_add_epi32(_mm256_castsi256_si128(sums), _mm256_extracti128_si256(sums, 1)));
            // The fourth byte is the next pixel's, which is written later.
            if (index + 1 < count)
                memcpy(target + 3 * r * count, &stored, 4);
            else
                memcpy(target + 3 * r * count, &stored, 3);
        }
    }
}

__attribute__((target("avx2"))) static void resample_avx2(
    const uint8_t *source, size_t stride, size_t row_count, const uint8_t *end, const apus_resampling_taps *taps,
    size_t count, const int16_t *weights, uint8_t *result) {
    size_t row = 0;
    for (; row + ROWS <= row_count; row += ROWS)
        resample_rows_avx2(source + row * stride, stride, ROWS, end, taps, count, weights, result + 3 * row * count);
    for (; row < row_count; row++)
        resample_rows_avx2(source + row * stride, stride, 1, end, taps, count, weights, result + 3 * row * count);
}

#endif

static void resample_row(
    const uint8_t *source, const uint8_t *end, const apus_resampling_taps *taps, size_t count, const int16_t *weights,
    uint8_t *result) {
    for (size_t index = 0; index < count; ++index, result += 3) {
        const uint8_t *pixel = source + 3 * taps[index].first;
        const size_t pair_count = taps[index].pair_count;
#if defined(__x86_64__)
        if ((size_t)(end - pixel) > 6 * pair_count) {
            const int32_t stored = resample_pairs(pixel, pair_count, weights + taps[index].offset);
            memcpy(result, &stored, 3);
            continue;
        }
#else
        (void)end;
#endif
        resample_pixel(pixel, pair_count, weights + taps[index].offset, result);
    }
}

void apus_resample_rows(
    apus_instructions instructions, const uint8_t *source, size_t stride, size_t row_count, const uint8_t *end,
    const apus_resampling_taps *taps, size_t count, const int16_t *weights, uint8_t *result) {
#if defined(__x86_64__)
    if (instructions != APUS_INSTRUCTIONS_BASELINE) {
        resample_avx2(source, stride, row_count, end, taps, count, weights, result);
        return;
    }
#else
    (void)instructions;
#endif
    for (size_t row = 0; row < row_count; row++)
        resample_row(source + row * stride, end, taps, count, weights, result + 3 * row * count);
}

typedef uint8_t bytes __attribute__((vector_size(8)));
typedef int32_t integers __attribute__((vector_size(32)));

enum {
    LANES = 8,
    /// The vectors whose sums stay in registers.
    VECTORS = 4,
};

/// `vectors` is a constant of the caller.
__attribute__((always_inline)) static inline void resample_columns(
    const uint8_t *source, size_t stride, const int32_t *weights, size_t row_count, const int vectors,
    uint8_t *result) {
    integers sums[VECTORS];
    for (int v = 0; v < vectors; v++) sums[v] = (integers){0} + HALF;
    for (size_t row = 0; row < row_count; row++, source += stride) {
        for (int v = 0; v < vectors; v++) {
            bytes pixels;
            memcpy(&pixels, source + v * LANES, sizeof pixels);
            sums[v] += __builtin_convertvector(pixels, integers) * weights[row];
        }
    }
    for (int v = 0; v < vectors; v++) {
        const integers values = sums[v] >> APUS_RESAMPLING_FRACTIONAL_BITS;
        const integers clipped =
            __builtin_elementwise_min(__builtin_elementwise_max(values, (integers){0}), (integers){0} + 255);
        const bytes stored = __builtin_convertvector(clipped, bytes);
        memcpy(result + v * LANES, &stored, sizeof stored);
    }
}

APUS_KERNEL void apus_resample_columns(
    const uint8_t *source, size_t stride, const int32_t *weights, size_t row_count, size_t byte_count,
    uint8_t *result) {
    size_t first = 0;
    for (; first + VECTORS * LANES <= byte_count; first += VECTORS * LANES)
        resample_columns(source + first, stride, weights, row_count, VECTORS, result + first);
    for (; first + LANES <= byte_count; first += LANES)
        resample_columns(source + first, stride, weights, row_count, 1, result + first);
    for (; first < byte_count; first++) {
        int32_t sum = HALF;
        for (size_t row = 0; row < row_count; row++) sum += source[row * stride + first] * weights[row];
        result[first] = clip(sum);
    }
}
