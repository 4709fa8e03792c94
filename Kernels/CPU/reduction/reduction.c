#include "apus_reduction.h"
#include "../target.h"

#include <math.h>

enum {
    /// Adjacent results that are computed together.
    BLOCK = 32,
    /// Chains of a sum over adjacent elements, which run side by side.
    CHAINS = 32,
};

#define LARGER(a, b) ((a) > (b) || (a) != (a) ? (a) : (b))
#define SMALLER(a, b) ((a) < (b) || (a) != (a) ? (a) : (b))

/// Computes `count` ≤ BLOCK adjacent results.
#define SIDE_BY_SIDE(type, load, combine, finish)                                                         \
    do {                                                                                                  \
        type results[BLOCK];                                                                              \
        for (ptrdiff_t i = 0; i < count; i++) results[i] = load(x[i]);                                    \
        for (ptrdiff_t k = 1; k < length; k++)                                                            \
            for (ptrdiff_t i = 0; i < count; i++) results[i] = combine(results[i], load(x[k * stride + i])); \
        for (ptrdiff_t i = 0; i < count; i++) y[i] = (float)(finish(results[i]) * factor);                \
    } while (0)

/// Computes one result over adjacent elements. Chains are combined in pairs.
#define ALONG(type, load, combine, finish)                                                                \
    do {                                                                                                  \
        type results[CHAINS];                                                                             \
        ptrdiff_t chains = length < CHAINS ? length : CHAINS;                                             \
        for (ptrdiff_t i = 0; i < chains; i++) results[i] = load(x[i]);                                   \
        ptrdiff_t k = chains;                                                                             \
        for (; k + CHAINS <= length; k += CHAINS)                                                         \
            for (ptrdiff_t i = 0; i < CHAINS; i++) results[i] = combine(results[i], load(x[k + i]));      \
        for (ptrdiff_t i = 0; k + i < length; i++) results[i] = combine(results[i], load(x[k + i]));      \
        for (; chains > 1; chains -= chains / 2)                                                          \
            for (ptrdiff_t i = 0; i < chains / 2; i++)                                                    \
                results[i] = combine(results[i], results[chains - chains / 2 + i]);                       \
        *y = (float)(finish(results[0]) * factor);                                                        \
    } while (0)

#define PLUS(a, b) ((a) + (b))
#define TIMES(a, b) ((a) * (b))
#define SAME(a) (a)
#define SQUARE(a) ((double)(a) * (a))

#define EACH(form)                                                                                        \
    switch (kind) {                                                                                       \
    case APUS_REDUCTION_SUM: form(double, SAME, PLUS, SAME); break;                                       \
    case APUS_REDUCTION_SUM_OF_MAGNITUDES: form(double, fabs, PLUS, SAME); break;                         \
    case APUS_REDUCTION_SUM_OF_SQUARES: form(double, SQUARE, PLUS, SAME); break;                          \
    case APUS_REDUCTION_NORM: form(double, SQUARE, PLUS, sqrt); break;                                    \
    case APUS_REDUCTION_MAX: form(float, SAME, LARGER, SAME); break;                                      \
    case APUS_REDUCTION_MIN: form(float, SAME, SMALLER, SAME); break;                                     \
    case APUS_REDUCTION_PRODUCT: form(double, SAME, TIMES, SAME); break;                                  \
    case APUS_REDUCTION_LOG_SUM: form(double, SAME, PLUS, log); break;                                    \
    }

APUS_KERNEL void apus_reduce(
    apus_reduction_kind kind, float factor, const float *input, ptrdiff_t stride, ptrdiff_t length, ptrdiff_t total,
    float *output) {
    if (stride == 1) {
        const float *x = input;
        float *y = output;
        for (ptrdiff_t row = 0; row < total; row++, x += length, y++) EACH(ALONG)
        return;
    }
    for (ptrdiff_t first = 0; first < total; first += BLOCK) {
        const ptrdiff_t count = total - first < BLOCK ? total - first : BLOCK;
        const float *x = input + first;
        float *y = output + first;
        EACH(SIDE_BY_SIDE)
    }
}
