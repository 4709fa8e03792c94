#ifndef APUS_REDUCTION_H
#define APUS_REDUCTION_H

#include <stddef.h>

typedef enum {
    APUS_REDUCTION_SUM,
    /// NaN wins over every number.
    APUS_REDUCTION_MAX,
    /// NaN wins over every number.
    APUS_REDUCTION_MIN,
} apus_reduction_kind;

/// output[i] = factor · Σ over k of input[k · stride + i], or the extremum, for `count` adjacent elements; sums are
/// float64, in the order of k. With a `count` of 1 and a `stride` of 1 it is one sum over adjacent elements, in chains.
void apus_reduce(
    apus_reduction_kind kind, float factor, const float *input, ptrdiff_t stride, ptrdiff_t length, ptrdiff_t count,
    float *output);

#endif
