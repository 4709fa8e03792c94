#include "../activation.h"
#include "apus_normalization.h"
#include "../target.h"

APUS_KERNEL void apus_scale_and_shift(
    const float *input, ptrdiff_t input_stride, ptrdiff_t pixels, ptrdiff_t channels, const float *scale,
    const float *shift, apus_activation activation, float *output, ptrdiff_t output_stride) {
    for (ptrdiff_t p = 0; p < pixels; p++) {
        const float *x = input + p * input_stride;
        float *y = output + p * output_stride;
        for (ptrdiff_t c = 0; c < channels; c++) y[c] = x[c] * scale[c] + shift[c];
        activate(y, channels, activation);
    }
}
