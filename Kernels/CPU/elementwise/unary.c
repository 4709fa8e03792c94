#include "../activation.h"
#include "../exponential.h"
#include "../target.h"
#include "loop.h"


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
    apus_activation activation, ptrdiff_t first_row, ptrdiff_t last_row) {
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
            case APUS_UNARY_IDENTITY: ROW(x);
            case APUS_UNARY_SIGMOID: ROW(logistic(x));
            case APUS_UNARY_TANH: ROW(hyperbolic_tangent(x));
            case APUS_UNARY_EXP: ROW(exponential(x));
            case APUS_UNARY_SQRT: ROW(__builtin_elementwise_sqrt(x));
            case APUS_UNARY_ABS: ROW(__builtin_fabsf(x));
            case APUS_UNARY_NEG: ROW(-x);
            case APUS_UNARY_HARD_SIGMOID: ROW(unit_interval(alpha * x + beta));
            case APUS_UNARY_HARD_SWISH: ROW(x * unit_interval(x * (1.0f / 6) + 0.5f));
            case APUS_UNARY_ELU: ROW(x < 0 ? alpha * exponential_minus_1(x) : x);
            case APUS_UNARY_GELU: ROW(gaussian_error_linear_unit(x));
            case APUS_UNARY_GELU_TANH: ROW(gaussian_error_linear_unit_tanh(x));
            case APUS_UNARY_SWISH: ROW(x * logistic(alpha * x));
            case APUS_UNARY_ERF: ROW(error_function(x));
            case APUS_UNARY_RECIPROCAL: ROW(1 / x);
            case APUS_UNARY_SQUARE: ROW(x * x);
            case APUS_UNARY_FLOOR: ROW(__builtin_elementwise_floor(x));
            case APUS_UNARY_CEIL: ROW(__builtin_elementwise_ceil(x));
            case APUS_UNARY_SOFTSIGN: ROW(x / (1 + __builtin_fabsf(x)));
            }
            if (output_stride == 1)
                activate(output, count, activation);
            else
                for (ptrdiff_t i = 0; i < count; i++) activate(output + i * output_stride, 1, activation);
        }
        row += run.row_count;
    }
}
