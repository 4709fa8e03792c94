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
    APUS_REDUCTION_PRODUCT,
    /// ln Σ
    APUS_REDUCTION_LOG_SUM,
} apus_reduction_kind;

/// output[i] = factor · Σ over k of input[k · stride + i], or what else `kind` says, for `count` adjacent elements.
/// Where `stride` is 1, output[i] is that of the adjacent elements from input[i · length] on. Sums are float64, in the
/// order of k; those over adjacent elements run in chains.
void apus_reduce(
    apus_reduction_kind kind, float factor, const float *input, ptrdiff_t stride, ptrdiff_t length, ptrdiff_t count,
    float *output);

/// output[i] = ln Σ over k of e^input[k · stride + i] for `count` adjacent elements, the largest element subtracted
/// first.
void apus_reduce_log_sum_exp(
    const float *input, ptrdiff_t stride, ptrdiff_t length, ptrdiff_t count, float *output);

enum { APUS_FOLDED_TOGETHER = 32 };

/// output[k · stride + i] = Σ, or Π, of input[j · stride + i] over j up to k for `count` ≤ APUS_FOLDED_TOGETHER
/// adjacent elements, in float64; over j below k where `is_exclusive`, and from the end where `is_reverse`.
void apus_run_fold(
    int is_product, int is_exclusive, int is_reverse, const float *input, ptrdiff_t stride, ptrdiff_t length,
    ptrdiff_t count, float *output);

#endif
