#ifndef APUS_RECURRENCE_H
#define APUS_RECURRENCE_H

#include "apus_elementwise.h"

/// A function of a gate, of the table of functions.
typedef struct {
    apus_unary_kind kind;
    float alpha, beta;
} apus_gate_function;

/// x = f(min(max(x, −clip), clip)) for `count` adjacent numbers.
void apus_open_gates(const apus_gate_function *function, float clip, float *x, ptrdiff_t count);

/// One step of `count` long short-term memory units. `gates` has the sums of the gates i, o, f and c, `count` adjacent
/// numbers each, and is overwritten; `peepholes` has the weights of i, o and f, or is NULL. `functions` are those of
/// the gates, of c, and of the cell for the output.
///
/// c ← f ⊙ c + i ⊙ c̃, h ← o ⊙ function(c)
void apus_lstm_step(
    ptrdiff_t count, float *gates, const float *peepholes, int couples_input_and_forget, float clip,
    const apus_gate_function *functions, float *cell, float *hidden);

/// The end of a step of gated recurrent units: h ← (1 − z) ⊙ n + z ⊙ h
void apus_gru_blend(ptrdiff_t count, const float *update, const float *candidate, float *hidden);

/// y = x ⊙ y
void apus_scale_by(ptrdiff_t count, const float *x, float *y);

/// y = y + x ⊙ z
void apus_add_product(ptrdiff_t count, const float *x, const float *z, float *y);

#endif
