#ifndef APUS_ELEMENTWISE_H
#define APUS_ELEMENTWISE_H

#include "apus_activation.h"

#include <stddef.h>

enum { APUS_LOOP_MAXIMUM_RANK = 8 };

/// A walk over strided arrays of one shape: axes outermost first, strides in elements, 0 where an array is broadcast.
///
/// The innermost axis is a row; the axes before it are numbered together, row by row.
typedef struct {
    ptrdiff_t rank;
    ptrdiff_t extents[APUS_LOOP_MAXIMUM_RANK];
    ptrdiff_t a_strides[APUS_LOOP_MAXIMUM_RANK];
    ptrdiff_t b_strides[APUS_LOOP_MAXIMUM_RANK];
    ptrdiff_t output_strides[APUS_LOOP_MAXIMUM_RANK];
} apus_loop;

typedef enum {
    APUS_BINARY_ADD,
    APUS_BINARY_SUB,
    APUS_BINARY_MUL,
    APUS_BINARY_DIV,
    /// NaN wins over every number.
    APUS_BINARY_MAX,
    /// NaN wins over every number.
    APUS_BINARY_MIN,
} apus_binary_kind;

typedef enum {
    APUS_UNARY_IDENTITY,
    APUS_UNARY_SIGMOID,
    APUS_UNARY_TANH,
    APUS_UNARY_EXP,
    APUS_UNARY_SQRT,
    APUS_UNARY_ABS,
    APUS_UNARY_NEG,
    /// max(0, min(1, alpha · x + beta))
    APUS_UNARY_HARD_SIGMOID,
    /// x · max(0, min(1, x / 6 + 1 / 2))
    APUS_UNARY_HARD_SWISH,
    /// x ≥ 0 ? x : alpha · (eˣ − 1)
    APUS_UNARY_ELU,
    /// x · ½ · (1 + erf(x / √2))
    APUS_UNARY_GELU,
    /// x · ½ · (1 + tanh(√(2/π) · (x + 0.044715 · x³)))
    APUS_UNARY_GELU_TANH,
    /// x ÷ (1 + e^(−alpha · x))
    APUS_UNARY_SWISH,
    APUS_UNARY_ERF,
    APUS_UNARY_RECIPROCAL,
    APUS_UNARY_SQUARE,
    APUS_UNARY_FLOOR,
    APUS_UNARY_CEIL,
    APUS_UNARY_SOFTSIGN,
} apus_unary_kind;

/// output = activation(a ∘ b) over rows [first_row, last_row). `output` may be `a` or `b` where strides are equal.
void apus_binary_rows(
    apus_binary_kind kind, const apus_loop *loop, const float *a, const float *b, float *output,
    apus_activation activation, ptrdiff_t first_row, ptrdiff_t last_row);

/// output = activation(f(a)) over rows [first_row, last_row). `output` may be `a` where strides are equal.
void apus_unary_rows(
    apus_unary_kind kind, float alpha, float beta, const apus_loop *loop, const float *a, float *output,
    apus_activation activation, ptrdiff_t first_row, ptrdiff_t last_row);

#endif
