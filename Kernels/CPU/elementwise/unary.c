#include "../activation.h"
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

APUS_KERNEL void apus_unary_rows(
    apus_unary_kind kind, float alpha, float beta, const apus_loop *loop, const float *a_base, float *output_base,
    ptrdiff_t first_row, ptrdiff_t last_row) {
    const ptrdiff_t inner = loop->rank - 1;
    const ptrdiff_t count = loop->extents[inner];
    const ptrdiff_t a_stride = loop->a_strides[inner];
    const ptrdiff_t output_stride = loop->output_strides[inner];
    for (ptrdiff_t row = first_row; row < last_row;) {
        const loop_run run = run_of_rows(loop, row, last_row);
        for (ptrdiff_t index = 0; index < run.row_count; index++) {
            const float *a = a_base + run.start.a + index * run.step.a;
            float *output = output_base + run.start.output + index * run.step.output;
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
        row += run.row_count;
    }
}
