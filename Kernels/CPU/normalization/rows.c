#include "apus_normalization.h"
#include "../bfloat16.h"
#include "../target.h"

/// Sums that run side by side.
enum { CHAINS = 64 };

__attribute__((always_inline)) static inline float joined(float sums[CHAINS]) {
    for (int width = CHAINS / 2; width > 0; width /= 2)
        for (int k = 0; k < width; k++) sums[k] += sums[k + width];
    return sums[0];
}

__attribute__((always_inline)) static inline float sum(const float *x, ptrdiff_t count) {
    float sums[CHAINS] = {0};
    ptrdiff_t i = 0;
    for (; i + CHAINS <= count; i += CHAINS)
        for (int k = 0; k < CHAINS; k++) sums[k] += x[i + k];
    for (int k = 0; i + k < count; k++) sums[k] += x[i + k];
    return joined(sums);
}

__attribute__((always_inline)) static inline float sum_of_squares(const float *x, ptrdiff_t count, float mean) {
    float sums[CHAINS] = {0};
    ptrdiff_t i = 0;
    for (; i + CHAINS <= count; i += CHAINS)
        for (int k = 0; k < CHAINS; k++) sums[k] += (x[i + k] - mean) * (x[i + k] - mean);
    for (int k = 0; i + k < count; k++) sums[k] += (x[i + k] - mean) * (x[i + k] - mean);
    return joined(sums);
}

__attribute__((always_inline)) static inline void normalize_row(apus_row_normalization it, const float *x, float *y) {
    const float mean = it.subtracts_mean ? sum(x, it.length) / (float)it.length : 0;
    const float variance = sum_of_squares(x, it.length, mean) / (float)it.length;
    const float factor = 1 / __builtin_elementwise_sqrt(variance + it.epsilon);
    if (it.bias)
        for (ptrdiff_t i = 0; i < it.length; i++) y[i] = (x[i] - mean) * factor * it.scale[i] + it.bias[i];
    else
        for (ptrdiff_t i = 0; i < it.length; i++) y[i] = (x[i] - mean) * factor * it.scale[i];
}

APUS_KERNEL void apus_normalize_rows(
    const apus_row_normalization *normalization, const float *input, ptrdiff_t input_stride, ptrdiff_t rows,
    float *output, ptrdiff_t output_stride) {
    const apus_row_normalization it = *normalization;
    for (ptrdiff_t row = 0; row < rows; row++)
        normalize_row(it, input + row * input_stride, output + row * output_stride);
}

APUS_KERNEL void apus_normalize_rows_of_bfloat16(
    const apus_row_normalization *normalization, const void *input, int input_is_bfloat16, ptrdiff_t rows,
    void *output, const apus_bfloat16_kernel *rounding, float *numbers) {
    const apus_row_normalization it = *normalization;
    for (ptrdiff_t row = 0; row < rows; row++) {
        const float *x = (const float *)input + row * it.length;
        if (input_is_bfloat16) {
            const uint16_t *from = (const uint16_t *)input + row * it.length;
            for (ptrdiff_t i = 0; i < it.length; i++) numbers[i] = widened_bfloat16_number(from[i]);
            x = numbers;
        }
        if (!rounding) {
            normalize_row(it, x, (float *)output + row * it.length);
            continue;
        }
        normalize_row(it, x, numbers);
        apus_bfloat16_round_row(rounding, numbers, it.length, (uint16_t *)output + row * it.length);
    }
}

APUS_KERNEL void apus_normalize_plane(
    const float *input, ptrdiff_t count, float epsilon, float scale, float bias, float *output) {
    const float mean = sum(input, count) / (float)count;
    const float variance = sum_of_squares(input, count, mean) / (float)count;
    const float factor = scale / __builtin_elementwise_sqrt(variance + epsilon);
    for (ptrdiff_t i = 0; i < count; i++) output[i] = (input[i] - mean) * factor + bias;
}
