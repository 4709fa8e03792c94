#include "../activation.h"
#include "../bfloat16.h"
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

/// output = activation(a ∘ b) for `count` elements of a row.
__attribute__((always_inline)) static inline void combine(
    apus_binary_kind kind, const float *a, ptrdiff_t a_stride, const float *b, ptrdiff_t b_stride, float *output,
    ptrdiff_t output_stride, ptrdiff_t count, apus_activation activation) {
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
            combine(kind, a, a_stride, b, b_stride, output, output_stride, count, activation);
        }
        row += run.row_count;
    }
}

/// output = a ∘ b for `count` adjacent elements, where a and the output are bfloat16.
#define ROW_OF_BFLOAT16(expression)                                                                               \
    for (ptrdiff_t i = 0; i < count; i++) {                                                                       \
        const float x = widened_bfloat16_number(a[i]);                                                            \
        const float y = b_is_bfloat16 ? widened_bfloat16_number(((const uint16_t *)b)[i]) : ((const float *)b)[i]; \
        output[i] = rounded_bfloat16_number(expression);                                                          \
    }

/// The usual kinds; 0 for others.
__attribute__((always_inline)) static inline int combine_usual(
    apus_binary_kind kind, const uint16_t *restrict a, const void *restrict b, const int b_is_bfloat16,
    uint16_t *restrict output, ptrdiff_t count) {
    switch (kind) {
    case APUS_BINARY_ADD: ROW_OF_BFLOAT16(x + y) return 1;
    case APUS_BINARY_MUL: ROW_OF_BFLOAT16(x * y) return 1;
    default: return 0;
    }
}

APUS_KERNEL void apus_binary_rows_of_bfloat16(
    apus_binary_kind kind, const apus_loop *loop, const void *a_base, int a_is_bfloat16, const void *b_base,
    int b_is_bfloat16, void *output_base, int output_is_bfloat16, apus_activation activation, ptrdiff_t first_row,
    ptrdiff_t last_row) {
    enum { PART = 512 };
    const ptrdiff_t inner = loop->rank - 1;
    const ptrdiff_t length = loop->extents[inner];
    const ptrdiff_t a_stride = loop->a_strides[inner], b_stride = loop->b_strides[inner];
    const ptrdiff_t output_stride = loop->output_strides[inner];
    const ptrdiff_t a_step = a_is_bfloat16 && a_stride != 0 ? 1 : a_stride;
    const ptrdiff_t b_step = b_is_bfloat16 && b_stride != 0 ? 1 : b_stride;
    const int is_usual = a_is_bfloat16 && output_is_bfloat16 && a_stride == 1 && b_stride == 1 &&
                         output_stride == 1 && activation.kind == APUS_ACTIVATION_NONE;
    float a_numbers[PART], b_numbers[PART], results[PART];
    for (ptrdiff_t row = first_row; row < last_row;) {
        const loop_run run = run_of_rows(loop, row, last_row);
        for (ptrdiff_t index = 0; index < run.row_count; index++) {
            if (is_usual) {
                const uint16_t *a = (const uint16_t *)a_base + run.start.a + index * run.step.a;
                const ptrdiff_t at = run.start.b + index * run.step.b;
                uint16_t *output = (uint16_t *)output_base + run.start.output + index * run.step.output;
                if (b_is_bfloat16 ? combine_usual(kind, a, (const uint16_t *)b_base + at, 1, output, length)
                                  : combine_usual(kind, a, (const float *)b_base + at, 0, output, length))
                    continue;
            }
            for (ptrdiff_t first = 0; first < length; first += PART) {
                const ptrdiff_t count = length - first < PART ? length - first : PART;
                const float *a = floats_of(
                    a_base, a_is_bfloat16, run.start.a + index * run.step.a + first * a_stride, a_stride, count,
                    a_numbers);
                const float *b = floats_of(
                    b_base, b_is_bfloat16, run.start.b + index * run.step.b + first * b_stride, b_stride, count,
                    b_numbers);
                const ptrdiff_t start = run.start.output + index * run.step.output + first * output_stride;
                if (!output_is_bfloat16) {
                    float *output = (float *)output_base + start;
                    combine(kind, a, a_step, b, b_step, output, output_stride, count, activation);
                    continue;
                }
                combine(kind, a, a_step, b, b_step, results, 1, count, activation);
                write_rounded(results, count, (uint16_t *)output_base + start, output_stride);
            }
        }
        row += run.row_count;
    }
}
