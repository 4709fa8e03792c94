#include "apus_reduction.h"
#include "../exponential.h"
#include "../target.h"

#include <math.h>

enum {
    /// Adjacent results that are computed together.
    BLOCK = 32,
    /// Chains of a sum over adjacent elements, which run side by side.
    CHAINS = 32,
};

/// Σ of e^(x − peak) over adjacent elements, in chains.
static inline double exponential_sum(const float *x, ptrdiff_t length, float peak) {
    float powers[CHAINS];
    double sums[CHAINS] = {0}, sum = 0;
    for (ptrdiff_t k = 0; k < length; k += CHAINS) {
        const ptrdiff_t count = length - k < CHAINS ? length - k : CHAINS;
        for (ptrdiff_t i = 0; i < count; i++) powers[i] = exponential(x[k + i] - peak);
        for (ptrdiff_t i = 0; i < count; i++) sums[i] += powers[i];
    }
    for (ptrdiff_t i = 0; i < CHAINS; i++) sum += sums[i];
    return sum;
}

APUS_KERNEL void apus_reduce_log_sum_exp(
    const float *input, ptrdiff_t stride, ptrdiff_t length, ptrdiff_t total, float *output) {
    if (stride == 1) {
        apus_reduce(APUS_REDUCTION_MAX, 1, input, 1, length, total, output);
        for (ptrdiff_t row = 0; row < total; row++)
            if (isfinite(output[row]))
                output[row] = (float)(output[row] + log(exponential_sum(input + row * length, length, output[row])));
        return;
    }
    for (ptrdiff_t first = 0; first < total; first += BLOCK) {
        const ptrdiff_t count = total - first < BLOCK ? total - first : BLOCK;
        const float *x = input + first;
        float peaks[BLOCK];
        double sums[BLOCK] = {0};
        apus_reduce(APUS_REDUCTION_MAX, 1, x, stride, length, count, peaks);
        for (ptrdiff_t k = 0; k < length; k++)
            for (ptrdiff_t i = 0; i < count; i++) sums[i] += exponential(x[k * stride + i] - peaks[i]);
        for (ptrdiff_t i = 0; i < count; i++)
            output[first + i] = isfinite(peaks[i]) ? (float)(peaks[i] + log(sums[i])) : peaks[i];
    }
}
