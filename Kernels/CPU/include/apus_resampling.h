#ifndef APUS_RESAMPLING_H
#define APUS_RESAMPLING_H

#include <stddef.h>
#include <stdint.h>

/// The source pixels that one target pixel is made of, and where their weights begin.
typedef struct {
    size_t first;
    /// In weights, of which each pair of pixels has four: the low parts of both, then the high parts of both.
    size_t offset;
    /// Pixels in pairs; the last of an odd count has a partner of weight 0.
    size_t pair_count;
} apus_resampling_taps;

/// The bits of a weight's low part; weight = high · 2¹² + low, 0 ≤ low < 2¹².
#define APUS_RESAMPLING_LOW_BITS 12
/// The fractional bits of a weight.
#define APUS_RESAMPLING_FRACTIONAL_BITS 22

/// One row of RGB pixels at another width:
///
///     result[i] = clip((2²¹ + Σ source[first + j] · weight[j]) >> 22)
///
/// `source` is where a pixel of index 0 would lie, `end` is behind the last byte that may be read. Sums fit 32 bits. Called
/// by Images' ResamplingPass.
void apus_resample_row(
    const uint8_t *source, const uint8_t *end, const apus_resampling_taps *taps, size_t count, const int16_t *weights,
    uint8_t *result);

#endif
