#include "../activation.h"
#include "../bfloat16.h"
#include "../exponential.h"
#include "../logarithm.h"
#include "../target.h"
#include "loop.h"

#include <math.h>

#define ROW(expression)                                           \
    if (a_stride == 1 && output_stride == 1)                      \
        for (ptrdiff_t i = 0; i < count; i++) {                   \
            const float x = a[i];                                 \
            output[i] = expression;                               \
        }                                                         \
    else                                                          \
        for (ptrdiff_t i = 0; i < count; i++) {                   \
            const float x = a[i * a_stride];                      \
            output[i * output_stride] = expression;               \
        }                                                         \
    break

/// output = f(a) for `count` elements of a row.
__attribute__((always_inline)) static inline void evaluate(
    apus_unary_kind kind, float alpha, float beta, const float *a, ptrdiff_t a_stride, float *output,
    ptrdiff_t output_stride, ptrdiff_t count) {
    switch (kind) {
#define KERNEL(formula) ROW(formula)
#define NO_KERNEL break
#define FUNCTION(kind, name, epilogue, formula, device_formula) case APUS_UNARY_##kind: formula;
        APUS_FUNCTIONS(FUNCTION)
#undef FUNCTION
#undef NO_KERNEL
#undef KERNEL
    }
}

APUS_KERNEL void apus_unary_rows(
    apus_unary_kind kind, float alpha, float beta, const apus_loop *loop, const void *a_base, int a_is_bfloat16,
    void *output_base, int output_is_bfloat16, ptrdiff_t first_row, ptrdiff_t last_row) {
    enum { PART = 512 };
    const ptrdiff_t inner = loop->rank - 1;
    const ptrdiff_t length = loop->extents[inner];
    const ptrdiff_t a_stride = loop->a_strides[inner];
    const ptrdiff_t output_stride = loop->output_strides[inner];
    // Floats are read and written where they are, so that a row is one part.
    const ptrdiff_t part = a_is_bfloat16 || output_is_bfloat16 ? PART : length;
    const ptrdiff_t a_step = a_is_bfloat16 && a_stride != 0 ? 1 : a_stride;
    float numbers[PART], results[PART];
    for (ptrdiff_t row = first_row; row < last_row;) {
        const loop_run run = run_of_rows(loop, row, last_row);
        for (ptrdiff_t index = 0; index < run.row_count; index++) {
            for (ptrdiff_t first = 0; first < length; first += part) {
                const ptrdiff_t count = length - first < part ? length - first : part;
                const float *a = floats_of(
                    a_base, a_is_bfloat16, run.start.a + index * run.step.a + first * a_stride, a_stride, count,
                    numbers);
                const ptrdiff_t start = run.start.output + index * run.step.output + first * output_stride;
                float *output = output_is_bfloat16 ? results : (float *)output_base + start;
                evaluate(kind, alpha, beta, a, a_step, output, output_is_bfloat16 ? 1 : output_stride, count);
                if (output_is_bfloat16)
                    write_rounded(results, count, (uint16_t *)output_base + start, output_stride);
            }
        }
        row += run.row_count;
    }
}
