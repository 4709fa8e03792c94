#include "../exponential.h"
#include "../target.h"
#include "apus_softmax.h"

#include <math.h>

/// Elements processed together: this many maxima and sums run side by side.
enum { BLOCK = 16 };

__attribute__((always_inline)) static inline void softmax(
    const float *input, ptrdiff_t input_stride, ptrdiff_t count, float *output, ptrdiff_t output_stride) {
    float maxima[BLOCK];
    for (int k = 0; k < BLOCK; k++) maxima[k] = -INFINITY;
    ptrdiff_t i = 0;
    for (; i + BLOCK <= count; i += BLOCK)
        for (int k = 0; k < BLOCK; k++) {
            const float x = input[(i + k) * input_stride];
            maxima[k] = x > maxima[k] ? x : maxima[k];
        }
    for (; i < count; i++) maxima[0] = fmaxf(maxima[0], input[i * input_stride]);
    for (int width = BLOCK / 2; width > 0; width /= 2)
        for (int k = 0; k < width; k++) maxima[k] = maxima[k + width] > maxima[k] ? maxima[k + width] : maxima[k];
    const float maximum = maxima[0];

    double sums[BLOCK] = {0};
    for (i = 0; i + BLOCK <= count; i += BLOCK)
        for (int k = 0; k < BLOCK; k++) {
            const float value = decay(input[(i + k) * input_stride] - maximum);
            output[(i + k) * output_stride] = value;
            sums[k] += value;
        }
    for (; i < count; i++) {
        const float value = decay(input[i * input_stride] - maximum);
        output[i * output_stride] = value;
        sums[0] += value;
    }
    for (int width = BLOCK / 2; width > 0; width /= 2)
        for (int k = 0; k < width; k++) sums[k] += sums[k + width];
    const float scale = (float)(1 / sums[0]);
    for (i = 0; i < count; i++) output[i * output_stride] *= scale;
}

APUS_KERNEL void apus_softmax(
    const float *input, ptrdiff_t input_stride, ptrdiff_t count, float *output, ptrdiff_t output_stride) {
    if (input_stride == 1 && output_stride == 1)
        softmax(input, 1, count, output, 1);
    else
        softmax(input, input_stride, count, output, output_stride);
}
