#include "apus_softmax.h"

#include <math.h>

void apus_softmax(
    const float *input, ptrdiff_t input_stride, ptrdiff_t count, float *output, ptrdiff_t output_stride) {
    float maximum = -INFINITY;
    for (ptrdiff_t i = 0; i < count; i++) maximum = fmaxf(maximum, input[i * input_stride]);
    double sum = 0;
    for (ptrdiff_t i = 0; i < count; i++) {
        const float value = expf(input[i * input_stride] - maximum);
        output[i * output_stride] = value;
        sum += value;
    }
    const float scale = (float)(1 / sum);
    for (ptrdiff_t i = 0; i < count; i++) output[i * output_stride] *= scale;
}
