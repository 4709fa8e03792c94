#ifndef APUS_SEARCH_H
#define APUS_SEARCH_H

#include <stddef.h>
#include <stdint.h>

/// positions[i] = the k at which input[k · stride + i] is largest, or smallest, for `count` adjacent elements and k
/// below `length`. Of equal elements the first is taken, or the last; a NaN is taken only where all elements are NaN,
/// and then the last.
void apus_find_extremum(
    int is_maximum, int takes_last, const float *input, ptrdiff_t stride, ptrdiff_t length, ptrdiff_t count,
    int64_t *positions);

/// Finds the `k` largest or smallest of `length` elements that lie `stride` apart, best first; of equal elements the
/// first comes first, and NaN comes last. Results lie `result_stride` apart. `scratch` has room for k numbers.
void apus_find_top(
    int is_largest, const float *input, ptrdiff_t stride, ptrdiff_t length, ptrdiff_t k, uint64_t *scratch,
    float *values, int64_t *positions, ptrdiff_t result_stride);

#endif
