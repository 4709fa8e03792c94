#include "apus_reduction.h"
#include "../target.h"

#define PLUS(a, b) ((a) + (b))
#define TIMES(a, b) ((a) * (b))

#define FOLD(combine, identity)                                                   \
    do {                                                                          \
        for (ptrdiff_t i = 0; i < count; i++) results[i] = identity;              \
        for (ptrdiff_t step = 0; step < length; step++) {                         \
            const ptrdiff_t row = (is_reverse ? length - 1 - step : step) * stride; \
            for (ptrdiff_t i = 0; i < count; i++) {                               \
                const double next = combine(results[i], (double)input[row + i]);  \
                output[row + i] = (float)(is_exclusive ? results[i] : next);      \
                results[i] = next;                                                \
            }                                                                     \
        }                                                                         \
    } while (0)

APUS_KERNEL void apus_run_fold(
    int is_product, int is_exclusive, int is_reverse, const float *input, ptrdiff_t stride, ptrdiff_t length,
    ptrdiff_t count, float *output) {
    double results[APUS_FOLDED_TOGETHER];
    if (is_product) FOLD(TIMES, 1);
    else FOLD(PLUS, 0);
}
