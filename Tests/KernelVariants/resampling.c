#include "apus_resampling.h"
#include "testing.h"

#include <string.h>

enum { ONE = 1 << APUS_RESAMPLING_FRACTIONAL_BITS, MAXIMUM_TAPS = 24 };

/// Bytes that end at an inaccessible page.
static uint8_t *bytes(ptrdiff_t count) { return (uint8_t *)(filled((count + 3) / 4, 0) + (count + 3) / 4) - count; }

static uint8_t *random_bytes(ptrdiff_t count) {
    uint8_t *values = bytes(count);
    for (ptrdiff_t i = 0; i < count; i++) values[i] = (uint8_t)(one_in(3) ? 255 : random_between(0, 255));
    return values;
}

/// Weights with the sum 1, some of them negative. The sum of their magnitudes is at most 1.8, so that sums fit in 32
/// bits.
static void random_weights(int32_t *weights, ptrdiff_t count) {
    int32_t left = ONE;
    for (ptrdiff_t i = 0; i + 1 < count; i++) {
        weights[i] = (int32_t)random_between(-ONE / 4 / count, 7 * (ptrdiff_t)ONE / 5 / count);
        left -= weights[i];
    }
    weights[count - 1] = left;
}

static uint8_t clipped(int64_t sum) {
    const int64_t value = (sum + ONE / 2) >> APUS_RESAMPLING_FRACTIONAL_BITS;
    return (uint8_t)(value < 0 ? 0 : value > 255 ? 255 : value);
}

void test_resampling_rows(apus_instructions instructions, uint64_t seed) {
    const ptrdiff_t rows = 1 + (ptrdiff_t)(seed % 9), width = 1 + (ptrdiff_t)(seed / 9 % 64);
    const ptrdiff_t count = random_between(1, 40), stride = 3 * width + random_between(0, 5);
    const ptrdiff_t byte_count = (rows - 1) * stride + 3 * width;
    const uint8_t *source = random_bytes(byte_count);
    int32_t weights[40][MAXIMUM_TAPS] = {0};
    ptrdiff_t tap_counts[40];
    apus_resampling_taps *taps = (apus_resampling_taps *)filled(count * (ptrdiff_t)sizeof *taps / 4, 0);
    int16_t numbers[40 * MAXIMUM_TAPS * 2];
    ptrdiff_t used = 0;
    for (ptrdiff_t i = 0; i < count; i++) {
        tap_counts[i] = random_between(1, width < MAXIMUM_TAPS ? width : MAXIMUM_TAPS);
        random_weights(weights[i], tap_counts[i]);
        const ptrdiff_t pairs = (tap_counts[i] + 3) / 4 * 2;
        taps[i] = (apus_resampling_taps){
            .first = (size_t)random_between(0, width - tap_counts[i]), .offset = (size_t)used,
            .pair_count = (size_t)pairs};
        for (ptrdiff_t pair = 0; pair < pairs; pair++, used += 4) {
            for (ptrdiff_t partner = 0; partner < 2; partner++) {
                const int32_t weight = weights[i][2 * pair + partner];
                numbers[used + partner] = (int16_t)(weight & ((1 << APUS_RESAMPLING_LOW_BITS) - 1));
                numbers[used + 2 + partner] = (int16_t)(weight >> APUS_RESAMPLING_LOW_BITS);
            }
        }
    }
    int16_t *packed = (int16_t *)bytes(used * (ptrdiff_t)sizeof *packed);
    memcpy(packed, numbers, (size_t)used * sizeof *packed);
    uint8_t *result = bytes(3 * rows * count);
    apus_resample_rows(
        instructions, source, (size_t)stride, (size_t)rows, source + byte_count, taps, (size_t)count, packed, result);
    for (ptrdiff_t row = 0; row < rows; row++) {
        for (ptrdiff_t i = 0; i < count; i++) {
            for (ptrdiff_t channel = 0; channel < 3; channel++) {
                const uint8_t *pixel = source + row * stride + 3 * (ptrdiff_t)taps[i].first + channel;
                int64_t sum = 0;
                for (ptrdiff_t tap = 0; tap < tap_counts[i]; tap++)
                    sum += (int64_t)pixel[3 * tap] * weights[i][tap];
                const uint8_t got = result[3 * (row * count + i) + channel];
                if (got != clipped(sum))
                    fail("row %td, pixel %td, channel %td: %d instead of %d", row, i, channel, got, clipped(sum));
            }
        }
    }
}

void test_resampling_columns(apus_instructions instructions, uint64_t seed) {
    (void)instructions;
    const ptrdiff_t rows = 1 + (ptrdiff_t)(seed % MAXIMUM_TAPS), count = 1 + (ptrdiff_t)(seed / MAXIMUM_TAPS % 80);
    const ptrdiff_t stride = count + random_between(0, 9);
    const uint8_t *source = random_bytes((rows - 1) * stride + count);
    int32_t *weights = (int32_t *)filled(rows, 0);
    random_weights(weights, rows);
    uint8_t *result = bytes(count);
    apus_resample_columns(source, (size_t)stride, weights, (size_t)rows, (size_t)count, result);
    for (ptrdiff_t i = 0; i < count; i++) {
        int64_t sum = 0;
        for (ptrdiff_t row = 0; row < rows; row++) sum += (int64_t)source[row * stride + i] * weights[row];
        if (result[i] != clipped(sum)) fail("byte %td: %d instead of %d", i, result[i], clipped(sum));
    }
}
