#include "../target.h"
#include "loop.h"

#define ROW(type, expression)                                                                                     \
    do {                                                                                                          \
        const type *left = (const type *)a_base + run.start.a + index * run.step.a;                               \
        const type *right = (const type *)b_base + run.start.b + index * run.step.b;                              \
        if (output_stride == 1 && a_stride == 1 && b_stride == 1)                                                 \
            for (ptrdiff_t i = 0; i < count; i++) { const type x = left[i], y = right[i]; output[i] = expression; } \
        else if (output_stride == 1 && a_stride == 1 && b_stride == 0) {                                          \
            const type y = right[0];                                                                              \
            for (ptrdiff_t i = 0; i < count; i++) { const type x = left[i]; output[i] = expression; }             \
        } else                                                                                                    \
            for (ptrdiff_t i = 0; i < count; i++) {                                                               \
                const type x = left[i * a_stride], y = right[i * b_stride];                                       \
                output[i * output_stride] = expression;                                                           \
            }                                                                                                     \
    } while (0)

#define COMPARE(expression)                                         \
    switch (element) {                                              \
    case APUS_ELEMENT_FLOAT32: ROW(float, expression); break;       \
    case APUS_ELEMENT_INT32: ROW(int32_t, expression); break;       \
    case APUS_ELEMENT_INT64: ROW(int64_t, expression); break;       \
    case APUS_ELEMENT_UINT8: ROW(uint8_t, expression); break;       \
    }                                                               \
    break

APUS_KERNEL void apus_relation_rows(
    apus_relation_kind kind, apus_element_kind element, const apus_loop *loop, const void *a_base, const void *b_base,
    uint8_t *output_base, ptrdiff_t first_row, ptrdiff_t last_row) {
    const ptrdiff_t inner = loop->rank - 1;
    const ptrdiff_t count = loop->extents[inner];
    const ptrdiff_t a_stride = loop->a_strides[inner], b_stride = loop->b_strides[inner];
    const ptrdiff_t output_stride = loop->output_strides[inner];
    for (ptrdiff_t row = first_row; row < last_row;) {
        const loop_run run = run_of_rows(loop, row, last_row);
        for (ptrdiff_t index = 0; index < run.row_count; index++) {
            uint8_t *output = output_base + run.start.output + index * run.step.output;
            switch (kind) {
            case APUS_RELATION_EQUAL: COMPARE(x == y);
            case APUS_RELATION_GREATER: COMPARE(x > y);
            case APUS_RELATION_GREATER_OR_EQUAL: COMPARE(x >= y);
            case APUS_RELATION_LESS: COMPARE(x < y);
            case APUS_RELATION_LESS_OR_EQUAL: COMPARE(x <= y);
            case APUS_RELATION_AND: ROW(uint8_t, x & y); break;
            case APUS_RELATION_OR: ROW(uint8_t, x | y); break;
            case APUS_RELATION_XOR: ROW(uint8_t, x ^ y); break;
            case APUS_RELATION_NOT: ROW(uint8_t, ((void)y, x ^ 1)); break;
            }
        }
        row += run.row_count;
    }
}
