#ifndef APUS_RESAMPLING_H
#define APUS_RESAMPLING_H

#include <stddef.h>
#include <stdint.h>

/// The source pixels of one target pixel, and the place of their weights.
typedef struct {
    size_t first;
    /// The index of the first weight. Each pair of pixels has four: the low parts of both, then the high parts of both.
    size_t offset;
    /// The number of pairs of pixels. After an odd number of pixels, the last pair's second pixel has weight 0.
    size_t pair_count;
} apus_resampling_taps;

/// The bits of a weight's low part: weight = high · 2¹² + low, 0 ≤ low < 2¹².
#define APUS_RESAMPLING_LOW_BITS 12
/// The fractional bits of a weight.
#define APUS_RESAMPLING_FRACTIONAL_BITS 22

/// Resamples one row of RGB pixels to another width:
///
///     result[i] = clip((2²¹ + Σ source[first + j] · weight[j]) >> 22)
///
/// `source` is the address of pixel 0; `end` is the address after the last byte that may be read. Sums fit in 32 bits.
/// `ResamplingPass` in Images calls it.
void apus_resample_row(
    const uint8_t *source, const uint8_t *end, const apus_resampling_taps *taps, size_t count, const int16_t *weights,
    uint8_t *result);

#endif
