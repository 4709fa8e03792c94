#include "apus_normalization.h"
#include "../target.h"

#include <math.h>

APUS_KERNEL void apus_local_response_normalization(
    const float *input, ptrdiff_t input_stride, ptrdiff_t pixels, ptrdiff_t channels, ptrdiff_t size, float alpha,
    float beta, float bias, float *output, ptrdiff_t output_stride) {
    const ptrdiff_t before = (size - 1) / 2, after = size - 1 - before;
    const float scale = alpha / (float)size;
    for (ptrdiff_t p = 0; p < pixels; p++) {
        const float *x = input + p * input_stride;
        float *restrict y = output + p * output_stride;
        for (ptrdiff_t c = 0; c < channels; c++) {
            const ptrdiff_t first = c < before ? 0 : c - before;
            const ptrdiff_t last = c + after < channels ? c + after : channels - 1;
            float sum = 0;
            for (ptrdiff_t k = first; k <= last; k++) sum += x[k] * x[k];
            y[c] = bias + scale * sum;
        }
        if (beta == 0.75f)
            for (ptrdiff_t c = 0; c < channels; c++) {
                const float root = sqrtf(y[c]);
                y[c] = x[c] / (root * sqrtf(root));
            }
        else
            for (ptrdiff_t c = 0; c < channels; c++) y[c] = x[c] / powf(y[c], beta);
    }
}
