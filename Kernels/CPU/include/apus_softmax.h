#ifndef APUS_SOFTMAX_H
#define APUS_SOFTMAX_H

#include <stddef.h>

/// output[i] = exp(input[i] − max) ÷ Σ exp(input[k] − max) over `count` elements; strides in elements. In place is
/// allowed.
void apus_softmax(
    const float *input, ptrdiff_t input_stride, ptrdiff_t count, float *output, ptrdiff_t output_stride);

#endif
