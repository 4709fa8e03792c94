#include "apus_recurrence.h"
#include "../target.h"

#include <math.h>

APUS_KERNEL static void clip_all(float clip, float *x, ptrdiff_t count) {
    for (ptrdiff_t i = 0; i < count; i++) x[i] = x[i] < -clip ? -clip : x[i] > clip ? clip : x[i];
}

void apus_open_gates(const apus_gate_function *function, float clip, float *x, ptrdiff_t count) {
    if (clip < INFINITY) clip_all(clip, x, count);
    apus_loop loop = {.rank = 1, .extents = {count}, .a_strides = {1}, .b_strides = {0}, .output_strides = {1}};
    apus_unary_rows(function->kind, function->alpha, function->beta, &loop, x, 0, x, 0, 0, 1);
}

APUS_KERNEL void apus_scale_by(ptrdiff_t count, const float *x, float *y) {
    for (ptrdiff_t i = 0; i < count; i++) y[i] *= x[i];
}

APUS_KERNEL void apus_add_product(ptrdiff_t count, const float *x, const float *z, float *y) {
    for (ptrdiff_t i = 0; i < count; i++) y[i] += x[i] * z[i];
}

APUS_KERNEL void apus_gru_blend(ptrdiff_t count, const float *update, const float *candidate, float *hidden) {
    for (ptrdiff_t i = 0; i < count; i++) hidden[i] = (1 - update[i]) * candidate[i] + update[i] * hidden[i];
}

APUS_KERNEL static void complement(ptrdiff_t count, const float *x, float *y) {
    for (ptrdiff_t i = 0; i < count; i++) y[i] = 1 - x[i];
}

void apus_lstm_step(
    ptrdiff_t count, float *gates, const float *peepholes, int couples_input_and_forget, float clip,
    const apus_gate_function *functions, float *cell, float *hidden) {
    float *input = gates, *output = gates + count, *forget = gates + 2 * count, *candidate = gates + 3 * count;
    if (peepholes) {
        apus_add_product(count, peepholes, cell, input);
        apus_add_product(count, peepholes + 2 * count, cell, forget);
    }
    apus_open_gates(functions, clip, input, count);
    if (couples_input_and_forget) complement(count, input, forget);
    else apus_open_gates(functions, clip, forget, count);
    apus_open_gates(functions + 1, clip, candidate, count);
    apus_scale_by(count, forget, cell);
    apus_add_product(count, input, candidate, cell);
    if (peepholes) apus_add_product(count, peepholes + count, cell, output);
    apus_open_gates(functions, clip, output, count);
    for (ptrdiff_t i = 0; i < count; i++) hidden[i] = cell[i];
    apus_open_gates(functions + 2, INFINITY, hidden, count);
    apus_scale_by(count, output, hidden);
}
