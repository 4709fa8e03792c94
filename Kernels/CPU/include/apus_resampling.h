#ifndef APUS_RESAMPLING_H
#define APUS_RESAMPLING_H

#include "apus_processor.h"

#include <stddef.h>
#include <stdint.h>

/// The source pixels of one target pixel, and the place of their weights.
typedef struct {
    size_t first;
    /// The index of the first weight. Each pair of pixels has four: the low parts of both, then the high parts of both.
    size_t offset;
    /// The number of pairs of pixels, which is even. Pixels beyond the last one have weight 0.
    size_t pair_count;
} apus_resampling_taps;

/// The bits of a weight's low part: weight = high · 2¹² + low, 0 ≤ low < 2¹².
#define APUS_RESAMPLING_LOW_BITS 12
/// The fractional bits of a weight.
#define APUS_RESAMPLING_FRACTIONAL_BITS 22

/// Resamples rows of RGB pixels, which are `stride` bytes apart, to rows of `count` pixels without space between:
///
///     result[i] = clip((2²¹ + Σ source[first + j] · weight[j]) >> 22)
///
/// `source` is the address of pixel 0; `end` is the address after the last byte that may be read. Sums fit in 32 bits.
/// The processor has the instructions; the result is the same with any. `ResamplingPass` in Images calls it.
void apus_resample_rows(
    apus_instructions instructions, const uint8_t *source, size_t stride, size_t row_count, const uint8_t *end,
    const apus_resampling_taps *taps, size_t count, const int16_t *weights, uint8_t *result);

/// Resamples columns of bytes, one for each of `byte_count` bytes of rows that are `stride` bytes apart, to one row:
///
///     result[i] = clip((2²¹ + Σ source[row · stride + i] · weights[row]) >> 22)
///
/// Sums fit in 32 bits.
void apus_resample_columns(
    const uint8_t *source, size_t stride, const int32_t *weights, size_t row_count, size_t byte_count,
    uint8_t *result);

#endif
