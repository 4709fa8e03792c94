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

/// How an activation is applied: to sums in registers, as limits, a slope or a gate, or to what was stored.
typedef enum { BY_LIMITS, BY_SLOPE, BY_GATE, ON_STORED } activation_form;

static inline activation_form form_of(apus_activation activation) {
#define FORM_NO_EPILOGUE(kind)
#define FORM_BY_LIMITS(kind) case APUS_ACTIVATION_##kind: return BY_LIMITS;
#define FORM_BY_SLOPE(kind) case APUS_ACTIVATION_##kind: return BY_SLOPE;
#define FORM_BY_GATE(kind) case APUS_ACTIVATION_##kind: return BY_GATE;
#define FORM_ON_STORED(kind) case APUS_ACTIVATION_##kind: return ON_STORED;
#define FORM(kind, name, epilogue, formula, device_formula) FORM_##epilogue(kind)
    switch (activation.kind) {
    case APUS_ACTIVATION_NONE: return BY_LIMITS;
        APUS_FUNCTIONS(FORM)
    }
    return BY_LIMITS;
#undef FORM
}

// The cases of a switch over the kinds of activations; ACTIVATE_EACH applies a formula to each element.
#define ACTIVATE_NO_EPILOGUE(kind, formula)
#define ACTIVATE_BY_LIMITS ACTIVATE_ON_STORED
#define ACTIVATE_BY_SLOPE ACTIVATE_ON_STORED
#define ACTIVATE_BY_GATE ACTIVATE_ON_STORED
#define ACTIVATE_ON_STORED(kind, formula) \
    case APUS_ACTIVATION_##kind: ACTIVATE_EACH(formula) break;
#define ACTIVATE(kind, name, epilogue, formula, device_formula) ACTIVATE_##epilogue(kind, formula)
#define KERNEL(formula) formula

/// Activates `count` adjacent elements in place.
__attribute__((always_inline)) static inline void activate(
    float *elements, ptrdiff_t count, apus_activation activation) {
    const float alpha = activation.low, beta = activation.high;
#define ACTIVATE_EACH(formula)              \
    for (ptrdiff_t i = 0; i < count; i++) { \
        const float x = elements[i];        \
        elements[i] = formula;              \
    }
    switch (activation.kind) {
    case APUS_ACTIVATION_NONE: break;
        APUS_FUNCTIONS(ACTIVATE)
    }
#undef ACTIVATE_EACH
}

#ifdef APUS_LANES
#define APUS_PRAGMA(text) APUS_PRAGMA_OF(text)
#define APUS_PRAGMA_OF(text) _Pragma(#text)

/// Activates `vector_count` adjacent vectors of each row in place. Without the width, clang uses half of AVX-512's.
APUS_TARGET static __attribute__((noinline, unused)) void activate_vectors(
    float *elements, ptrdiff_t row_count, ptrdiff_t row_stride, ptrdiff_t vector_count, apus_activation activation) {
    const float alpha = activation.low, beta = activation.high;
#define ACTIVATE_EACH(formula)                                                       \
    for (ptrdiff_t r = 0; r < row_count; r++)                                        \
        for (ptrdiff_t v = 0; v < vector_count; v++) {                               \
            float *lanes = elements + r * row_stride + v * APUS_LANES;               \
            APUS_PRAGMA(clang loop vectorize_width(APUS_LANES) interleave_count(1)) \
            for (int i = 0; i < APUS_LANES; i++) {                                   \
                const float x = lanes[i];                                            \
                lanes[i] = formula;                                                  \
            }                                                                        \
        }
    switch (activation.kind) {
    case APUS_ACTIVATION_NONE: break;
        APUS_FUNCTIONS(ACTIVATE)
    }
#undef ACTIVATE_EACH
}
#endif

#undef KERNEL
#undef ACTIVATE
#undef ACTIVATE_ON_STORED
#undef ACTIVATE_BY_GATE
#undef ACTIVATE_BY_SLOPE
#undef ACTIVATE_BY_LIMITS
#undef ACTIVATE_NO_EPILOGUE

#endif
