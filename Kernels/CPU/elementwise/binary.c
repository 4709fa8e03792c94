#include "../activation.h"
#include "../target.h"
#include "loop.h"

#include <math.h>

#define ROW(expression)                                                                             \
    do {                                                                                            \
        if (output_stride == 1 && a_stride == 1 && b_stride == 1)                                   \
            for (ptrdiff_t i = 0; i < count; i++) { const float x = a[i], y = b[i]; output[i] = expression; } \
        else if (output_stride == 1 && a_stride == 1 && b_stride == 0) {                            \
            const float y = b[0];                                                                   \
            for (ptrdiff_t i = 0; i < count; i++) { const float x = a[i]; output[i] = expression; } \
        } else if (output_stride == 1 && a_stride == 0 && b_stride == 1) {                          \
            const float x = a[0];                                                                   \
            for (ptrdiff_t i = 0; i < count; i++) { const float y = b[i]; output[i] = expression; } \
        } else                                                                                      \
            for (ptrdiff_t i = 0; i < count; i++) {                                                 \
                const float x = a[i * a_stride], y = b[i * b_stride];                               \
                output[i * output_stride] = expression;                                             \
            }                                                                                       \
    } while (0)

APUS_KERNEL void apus_binary_rows(
    apus_binary_kind kind, const apus_loop *loop, const float *a_base, const float *b_base, float *output_base,
    apus_activation activation, ptrdiff_t first_row, ptrdiff_t last_row) {
    const ptrdiff_t inner = loop->rank - 1;
    const ptrdiff_t count = loop->extents[inner];
    const ptrdiff_t a_stride = loop->a_strides[inner], b_stride = loop->b_strides[inner];
    const ptrdiff_t output_stride = loop->output_strides[inner];
    for (ptrdiff_t row = first_row; row < last_row;) {
        const loop_run run = run_of_rows(loop, row, last_row);
        for (ptrdiff_t index = 0; index < run.row_count; index++) {
            const float *a = a_base + run.start.a + index * run.step.a;
            const float *b = b_base + run.start.b + index * run.step.b;
            float *output = output_base + run.start.output + index * run.step.output;
            switch (kind) {
            case APUS_BINARY_ADD: ROW(x + y); break;
            case APUS_BINARY_SUB: ROW(x - y); break;
            case APUS_BINARY_MUL: ROW(x * y); break;
            case APUS_BINARY_DIV: ROW(x / y); break;
            case APUS_BINARY_MAX: ROW(x > y || x != x ? x : y); break;
            case APUS_BINARY_MIN: ROW(x < y || x != x ? x : y); break;
            case APUS_BINARY_PRELU: ROW(x < 0 ? x * y : x); break;
            case APUS_BINARY_POW: ROW(powf(x, y)); break;
            }
            if (output_stride == 1)
                activate(output, count, activation);
            else
                for (ptrdiff_t i = 0; i < count; i++) activate(output + i * output_stride, 1, activation);
        }
        row += run.row_count;
    }
}
