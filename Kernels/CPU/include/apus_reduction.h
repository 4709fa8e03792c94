#ifndef APUS_REDUCTION_H
#define APUS_REDUCTION_H

#include <stddef.h>

typedef enum {
    APUS_REDUCTION_SUM,
    APUS_REDUCTION_SUM_OF_MAGNITUDES,
    APUS_REDUCTION_SUM_OF_SQUARES,
    /// The square root of the sum of squares.
    APUS_REDUCTION_NORM,
    /// NaN wins over every number.
    APUS_REDUCTION_MAX,
    /// NaN wins over every number.
    APUS_REDUCTION_MIN,
} apus_reduction_kind;

/// output[i] = factor · Σ over k of input[k · stride + i], or what else `kind` says, for `count` adjacent elements.
/// Sums are float64, in the order of k; where `count` and `stride` are 1, the sum over adjacent elements runs in
/// chains.
void apus_reduce(
    apus_reduction_kind kind, float factor, const float *input, ptrdiff_t stride, ptrdiff_t length, ptrdiff_t count,
    float *output);

#endif
