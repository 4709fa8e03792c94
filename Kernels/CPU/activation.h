#ifndef APUS_ACTIVATE_H
#define APUS_ACTIVATE_H

#include "apus_activation.h"
#include "exponential.h"

#include <stddef.h>

/// max(0, min(1, x)), NaN when x is.
__attribute__((always_inline)) static inline float unit_interval(float x) {
    const float raised = x < 0 ? 0 : x;
    return raised > 1 ? 1 : raised;
}

/// Activates `count` adjacent elements in place. NaN stays NaN.
__attribute__((always_inline)) static inline void activate(float *x, ptrdiff_t count, apus_activation activation) {
    const float low = activation.low, high = activation.high;
    switch (activation.kind) {
    case APUS_ACTIVATION_NONE: break;
    case APUS_ACTIVATION_RELU:
        for (ptrdiff_t i = 0; i < count; i++) x[i] = x[i] < 0 ? 0 : x[i];
        break;
    case APUS_ACTIVATION_CLIP:
        for (ptrdiff_t i = 0; i < count; i++) {
            const float raised = x[i] < low ? low : x[i];
            x[i] = raised > high ? high : raised;
        }
        break;
    case APUS_ACTIVATION_LEAKY_RELU:
        for (ptrdiff_t i = 0; i < count; i++) x[i] = x[i] < 0 ? low * x[i] : x[i];
        break;
    case APUS_ACTIVATION_HARD_SIGMOID:
        for (ptrdiff_t i = 0; i < count; i++) x[i] = unit_interval(low * x[i] + high);
        break;
    case APUS_ACTIVATION_HARD_SWISH:
        for (ptrdiff_t i = 0; i < count; i++) x[i] *= unit_interval(x[i] * (1.0f / 6) + 0.5f);
        break;
    case APUS_ACTIVATION_SIGMOID:
        for (ptrdiff_t i = 0; i < count; i++) x[i] = logistic(x[i]);
        break;
    case APUS_ACTIVATION_SWISH:
        for (ptrdiff_t i = 0; i < count; i++) x[i] *= logistic(x[i]);
        break;
    case APUS_ACTIVATION_GELU:
        for (ptrdiff_t i = 0; i < count; i++) x[i] = gaussian_error_linear_unit(x[i]);
        break;
    case APUS_ACTIVATION_GELU_TANH:
        for (ptrdiff_t i = 0; i < count; i++) x[i] = gaussian_error_linear_unit_tanh(x[i]);
        break;
    }
}

#endif
