#ifndef APUS_ACTIVATE_H
#define APUS_ACTIVATE_H

#include "apus_activation.h"
#include "exponential.h"

#include <stddef.h>

/// min(max(x, low), high), NaN when x is.
__attribute__((always_inline)) static inline float clipped(float x, float low, float high) {
    const float raised = x < low ? low : x;
    return raised > high ? high : raised;
}

/// How an activation is applied: to sums in registers, as limits or a slope, or to what was stored.
typedef enum { BY_LIMITS, BY_SLOPE, ON_STORED } activation_form;

static inline activation_form form_of(apus_activation activation) {
#define FORM_NO_EPILOGUE(kind)
#define FORM_BY_LIMITS(kind) case APUS_ACTIVATION_##kind: return BY_LIMITS;
#define FORM_BY_SLOPE(kind) case APUS_ACTIVATION_##kind: return BY_SLOPE;
#define FORM_ON_STORED(kind) case APUS_ACTIVATION_##kind: return ON_STORED;
#define FORM(kind, name, epilogue, formula, device_formula) FORM_##epilogue(kind)
    switch (activation.kind) {
    case APUS_ACTIVATION_NONE: return BY_LIMITS;
        APUS_FUNCTIONS(FORM)
    }
    return BY_LIMITS;
#undef FORM
}

// A variant activates a whole vector at a time. Without the width, clang uses half of AVX-512's.
#ifdef APUS_LANES
#define APUS_ACTIVATION_LOOP APUS_PRAGMA(clang loop vectorize_width(APUS_LANES) interleave_count(1))
#define APUS_PRAGMA(text) APUS_PRAGMA_OF(text)
#define APUS_PRAGMA_OF(text) _Pragma(#text)
#else
#define APUS_ACTIVATION_LOOP
#endif

/// Activates `count` adjacent elements in place.
__attribute__((always_inline)) static inline void activate(
    float *elements, ptrdiff_t count, apus_activation activation) {
#define KERNEL(formula) formula
#define ACTIVATE_NO_EPILOGUE(kind, formula)
#define ACTIVATE_BY_LIMITS ACTIVATE_ON_STORED
#define ACTIVATE_BY_SLOPE ACTIVATE_ON_STORED
#define ACTIVATE_ON_STORED(kind, formula)       \
    case APUS_ACTIVATION_##kind:                \
        APUS_ACTIVATION_LOOP                    \
        for (ptrdiff_t i = 0; i < count; i++) { \
            const float x = elements[i];        \
            elements[i] = formula;              \
        }                                       \
        break;
#define ACTIVATE(kind, name, epilogue, formula, device_formula) ACTIVATE_##epilogue(kind, formula)
    const float alpha = activation.low, beta = activation.high;
    switch (activation.kind) {
    case APUS_ACTIVATION_NONE: break;
        APUS_FUNCTIONS(ACTIVATE)
    }
#undef ACTIVATE
#undef KERNEL
}

#endif
