#ifndef APUS_VECTOR_H
#define APUS_VECTOR_H

// A variant of the kernels: the vectors of one instruction set.
//
// A variant is a header variants/NAME.h, which defines these macros and then includes this header:
//
// - APUS_VARIANT: NAME, which APUS_NAME appends to the names of functions and kernel tables;
// - APUS_LANES: the float32 elements of a vector;
// - APUS_TARGET: the attributes of functions that use the instructions; empty where every processor has them;
// - optionally APUS_HAS_MASKS as 1, where the variant itself defines `load_first` and `store_first` with masked moves.
//
// A family of kernels is written once in headers with these types, and compiled once per variant: FAMILY/NAME.c
// includes variants/NAME.h, defines what the family's header needs, and includes that header. What each family needs
// stands at the top of its header:
//
// - gemm/gemm_tile.h, winograd/winograd_tiles.h, depthwise/depthwise_rows.h and processor/peak.h;
// - integer/variant.h.
//
// The files NAME.c of the families have the same subject, the variant, and therefore the same name. Where a folder has
// other subjects, too, the name begins with the family's: processor/peak_NAME.c.

#if !defined(APUS_VARIANT) || !defined(APUS_LANES) || !defined(APUS_TARGET)
#error "a variant defines APUS_VARIANT, APUS_LANES and APUS_TARGET before it includes vector.h"
#endif
#ifndef APUS_HAS_MASKS
#define APUS_HAS_MASKS 0
#endif

#include "../activation.h"

#include <stddef.h>
#include <string.h>

#define APUS_JOINED(stem, variant) stem##_##variant
#define APUS_EXPANDED(stem, variant) APUS_JOINED(stem, variant)
/// The name of a function of the variant: `stem_avx2`.
#define APUS_NAME(stem) APUS_EXPANDED(stem, APUS_VARIANT)

#define APUS_INLINE APUS_TARGET static inline __attribute__((always_inline))
#define APUS_UNROLL _Pragma("clang loop unroll(full)")
#define APUS_UNROLL_BY(count) APUS_PRAGMA(clang loop unroll_count(count))

typedef float vector __attribute__((vector_size(4 * APUS_LANES)));
typedef float unaligned_vector __attribute__((vector_size(4 * APUS_LANES), aligned(4)));
typedef float half_vector __attribute__((vector_size(2 * APUS_LANES)));
typedef float unaligned_half_vector __attribute__((vector_size(2 * APUS_LANES), aligned(4)));
/// As many 32-bit integers. Where a comparison of vectors holds, it gives −1, otherwise 0.
typedef int int_vector __attribute__((vector_size(4 * APUS_LANES)));

APUS_INLINE vector load(const float *from) { return *(const unaligned_vector *)from; }

APUS_INLINE void store(float *to, vector x) { *(unaligned_vector *)to = x; }

APUS_INLINE half_vector load_half(const float *from) { return *(const unaligned_half_vector *)from; }

APUS_INLINE half_vector lower_half(vector x) {
    half_vector half;
    memcpy(&half, &x, sizeof(half));
    return half;
}

/// The lanes of x, followed by zeros.
APUS_INLINE vector widened(half_vector x) {
    vector wide = {0};
    memcpy(&wide, &x, sizeof(x));
    return wide;
}

/// The first `count` lanes, 0 in the others; `count` ≤ APUS_LANES.
APUS_INLINE vector load_first(const float *from, ptrdiff_t count);

/// The first `count` lanes; `count` ≤ APUS_LANES.
APUS_INLINE void store_first(float *to, vector x, ptrdiff_t count);

#if !APUS_HAS_MASKS
APUS_INLINE vector load_first(const float *from, ptrdiff_t count) {
    float lanes[APUS_LANES] = {0};
    memcpy(lanes, from, (size_t)count * sizeof(float));
    return load(lanes);
}

APUS_INLINE void store_first(float *to, vector x, ptrdiff_t count) {
    memcpy(to, &x, (size_t)count * sizeof(float));
}
#endif

/// x in the lanes where `chosen` is −1, y where it is 0.
APUS_INLINE vector choose(int_vector chosen, vector x, vector y) {
    return (vector)(((int_vector)x & chosen) | ((int_vector)y & ~chosen));
}

/// Whether an activation does more than min(max(x, low), high).
static inline int exceeds_limits(apus_activation activation) { return form_of(activation) != BY_LIMITS; }

/// Whether an activation is applied to elements that were stored, and not to sums in registers.
static inline int is_curved(apus_activation activation) { return form_of(activation) == ON_STORED; }

/// Applies a curved activation to `count` adjacent stored elements of each row.
APUS_TARGET static __attribute__((noinline, unused)) void activate_stored(
    float *x, ptrdiff_t row_count, ptrdiff_t row_stride, ptrdiff_t count, apus_activation activation) {
    enum { LAST_ROWS = 16 };
    const ptrdiff_t vector_count = count / APUS_LANES, rest = count % APUS_LANES;
    if (vector_count > 0) activate_vectors(x, row_count, row_stride, vector_count, activation);
    if (rest == 0) return;
    float last[LAST_ROWS][APUS_LANES] = {{0}};
    float *ends = x + vector_count * APUS_LANES;
    for (ptrdiff_t first = 0; first < row_count; first += LAST_ROWS, ends += LAST_ROWS * row_stride) {
        const ptrdiff_t left = row_count - first, rows = left < LAST_ROWS ? left : LAST_ROWS;
        for (ptrdiff_t r = 0; r < rows; r++) memcpy(last[r], ends + r * row_stride, (size_t)rest * sizeof(float));
        activate_vectors(last[0], rows, APUS_LANES, 1, activation);
        for (ptrdiff_t r = 0; r < rows; r++) memcpy(ends + r * row_stride, last[r], (size_t)rest * sizeof(float));
    }
}

/// An activation as min(max(x, low), high). Activations other than ReLU and clip change nothing here.
typedef struct {
    float low, high;
} activation_limits;

static inline activation_limits limits_of(apus_activation activation) {
    switch (activation.kind) {
    case APUS_ACTIVATION_RELU: return (activation_limits){0, __builtin_inff()};
    case APUS_ACTIVATION_CLIP: return (activation_limits){activation.low, activation.high};
    default: return (activation_limits){-__builtin_inff(), __builtin_inff()};
    }
}

/// An activation of sums in registers: min(max(x, low), high), x < 0 ? slope · x : x, or HardSwish. NaN stays NaN.
/// Curved activations change nothing here.
typedef struct {
    vector low, high, slope;
    int is_leaky, is_gated;
} vector_activation;

APUS_INLINE vector_activation prepare(apus_activation activation) {
    const activation_limits limits = limits_of(activation);
    const vector zero = {0};
    return (vector_activation){
        .low = zero + limits.low, .high = zero + limits.high, .slope = zero + activation.low,
        .is_leaky = activation.kind == APUS_ACTIVATION_LEAKY_RELU,
        .is_gated = activation.kind == APUS_ACTIVATION_HARD_SWISH};
}

/// max(x, low), or NaN when x is NaN.
APUS_INLINE vector raise(vector x, vector low) { return choose(x < low, low, x); }

/// min(x, high), or NaN when x is NaN.
APUS_INLINE vector lower(vector x, vector high) { return choose(x > high, high, x); }

APUS_INLINE vector limit(vector x, vector_activation activation) {
    return lower(raise(x, activation.low), activation.high);
}

APUS_INLINE vector leak(vector x, vector_activation activation) {
    return choose(x < (vector){0}, activation.slope * x, x);
}

/// max(x, −3) · min(max(x ÷ 6 + ½, 0), 1), HardSwish, which is 0 at −∞.
APUS_INLINE vector gate(vector x) {
    const vector zero = {0};
    return raise(x, zero - 3) * lower(raise(x * (1.0f / 6) + 0.5f, zero), zero + 1);
}

APUS_INLINE vector activate_vector(vector x, vector_activation activation) {
    if (activation.is_gated) return gate(x);
    return activation.is_leaky ? leak(x, activation) : limit(x, activation);
}

#endif
