#include "integer_convolution.h"

#include <float.h>
#include <math.h>
#include <string.h>

void test_quantized_rows(void) {
    const ptrdiff_t length = random_between(1, 100), count = random_between(1, 5);
    const ptrdiff_t stride = length + random_between(0, 3);
    float *x = random_values((count - 1) * stride + length, one_in(2));
    if (one_in(3)) x[random_between(0, length - 1)] *= one_in(2) ? 1e-42f : 1e30f;
    const float special[] = {NAN, INFINITY, -INFINITY, 0};
    if (one_in(3)) x[random_between(0, length - 1)] = special[random_between(0, 3)];
    if (one_in(4))
        for (ptrdiff_t i = 0; i < length; i++) x[i] = 0;
    uint8_t *y = untouched_bytes(count * length), *wanted = untouched_bytes(count * length);
    float *scales = filled(count, UNTOUCHED), *wanted_scales = filled(count, 0);
    for (ptrdiff_t row = 0; row < count; row++) {
        float largest = 0;
        for (ptrdiff_t i = 0; i < length; i++) {
            const float magnitude = fabsf(x[row * stride + i]);
            if (!(magnitude <= largest)) largest = magnitude;
            if (!isfinite(magnitude)) largest = NAN;
            if (isnan(largest)) break;
        }
        const float scale = largest / 127;
        wanted_scales[row] = scale < FLT_MIN ? FLT_MIN : scale;
        for (ptrdiff_t i = 0; i < length; i++) {
            const float quotient = x[row * stride + i] / wanted_scales[row];
            wanted[row * length + i] = isnan(quotient) ? 128 : (uint8_t)(rintf(quotient) + 128);
        }
        if (isnan(largest)) memset(wanted + row * length, 128, (size_t)length);
    }
    apus_quantize_rows(x, stride, length, count, y, scales);
    compare_bytes(y, wanted, count * length);
    compare_bits(scales, wanted_scales, count, "scales");
}
