#ifndef APUS_ACTIVATE_H
#define APUS_ACTIVATE_H

#include "apus_activation.h"

#include <stddef.h>

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
    }
}

#endif
