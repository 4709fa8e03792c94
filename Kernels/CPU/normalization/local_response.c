#include "apus_normalization.h"
#include "../target.h"

#include <math.h>
#include <string.h>

APUS_KERNEL void apus_local_response_normalization(
    const float *input, ptrdiff_t input_stride, ptrdiff_t pixels, ptrdiff_t channels, ptrdiff_t size, float alpha,
    float beta, float bias, float *output, ptrdiff_t output_stride) {
    // Neighbours beyond the channels add nothing.
    const ptrdiff_t half = (size - 1) / 2, rest = size - 1 - half;
    const ptrdiff_t before = half < channels ? half : channels, after = rest < channels ? rest : channels;
    const float scale = alpha / (float)size;
    for (ptrdiff_t p = 0; p < pixels; p++) {
        const float *restrict x = input + p * input_stride;
        float *restrict y = output + p * output_stride;
        memset(y, 0, (size_t)channels * sizeof(float));
        // Neighbours are the outer loop, so that all channels are added at once.
        for (ptrdiff_t k = -before; k <= after; k++) {
            const ptrdiff_t first = k < 0 ? -k : 0, end = k > 0 ? channels - k : channels;
            for (ptrdiff_t c = first; c < end; c++) y[c] += x[c + k] * x[c + k];
        }
        for (ptrdiff_t c = 0; c < channels; c++) y[c] = bias + scale * y[c];
        if (beta == 0.75f)
            for (ptrdiff_t c = 0; c < channels; c++) {
                const float root = __builtin_elementwise_sqrt(y[c]);
                y[c] = x[c] / (root * __builtin_elementwise_sqrt(root));
            }
        else
            for (ptrdiff_t c = 0; c < channels; c++) y[c] = x[c] / powf(y[c], beta);
    }
}
