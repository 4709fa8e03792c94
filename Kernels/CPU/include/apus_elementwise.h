#ifndef APUS_ELEMENTWISE_H
#define APUS_ELEMENTWISE_H

#include "apus_activation.h"

#include <stddef.h>
#include <stdint.h>

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
    /// b · a where a < 0, else a.
    APUS_BINARY_PRELU,
    /// aᵇ by the C library, without vectors.
    APUS_BINARY_POW,
} apus_binary_kind;

#define APUS_UNARY_KIND(kind, name, epilogue, formula, device_formula) APUS_UNARY_##kind,
/// The rows of the table of functions.
typedef enum { APUS_FUNCTIONS(APUS_UNARY_KIND) } apus_unary_kind;
#undef APUS_UNARY_KIND

/// Finds the function called `name`; 0 when the table has none, or the processor no kernel.
int apus_find_unary(const char *name, apus_unary_kind *kind);

/// Finds the function called `name` among those that may be epilogues; 0 when it is none.
int apus_find_activation(const char *name, apus_activation_kind *kind);

/// output = activation(a ∘ b) over rows [first_row, last_row). `output` may be `a` or `b` where strides are equal.
void apus_binary_rows(
    apus_binary_kind kind, const apus_loop *loop, const float *a, const float *b, float *output,
    apus_activation activation, ptrdiff_t first_row, ptrdiff_t last_row);

/// The same, where some of the arrays are bfloat16 and the others float32. `output` is none of the inputs.
void apus_binary_rows_of_bfloat16(
    apus_binary_kind kind, const apus_loop *loop, const void *a, int a_is_bfloat16, const void *b, int b_is_bfloat16,
    void *output, int output_is_bfloat16, apus_activation activation, ptrdiff_t first_row, ptrdiff_t last_row);

/// output = f(a) over rows [first_row, last_row), where each array is float32 or bfloat16. `output` may be `a` where
/// types and strides are equal.
void apus_unary_rows(
    apus_unary_kind kind, float alpha, float beta, const apus_loop *loop, const void *a, int a_is_bfloat16,
    void *output, int output_is_bfloat16, ptrdiff_t first_row, ptrdiff_t last_row);

/// The type of elements that are compared or converted. Booleans are bytes, 0 or 1.
typedef enum { APUS_ELEMENT_FLOAT32, APUS_ELEMENT_INT32, APUS_ELEMENT_INT64, APUS_ELEMENT_UINT8 } apus_element_kind;

typedef enum {
    APUS_RELATION_EQUAL,
    APUS_RELATION_GREATER,
    APUS_RELATION_GREATER_OR_EQUAL,
    APUS_RELATION_LESS,
    APUS_RELATION_LESS_OR_EQUAL,
    /// Both are 1; of Booleans only, as those that follow.
    APUS_RELATION_AND,
    APUS_RELATION_OR,
    APUS_RELATION_XOR,
    /// a is 0; b does not count.
    APUS_RELATION_NOT,
} apus_relation_kind;

/// output = (a ∘ b) over rows [first_row, last_row), 1 where the relation holds and 0 elsewhere. Of NaN none holds.
void apus_relation_rows(
    apus_relation_kind kind, apus_element_kind element, const apus_loop *loop, const void *a, const void *b,
    uint8_t *output, ptrdiff_t first_row, ptrdiff_t last_row);

/// output = b ? a : output over rows [first_row, last_row), b being Booleans.
void apus_select_rows(
    const apus_loop *loop, ptrdiff_t element_byte_count, const void *a, const uint8_t *b, void *output,
    ptrdiff_t first_row, ptrdiff_t last_row);

/// output = a in another type over rows [first_row, last_row). Floats become integers by rounding towards zero within
/// the integer's range, NaN becomes 0, and integers keep their low bits.
void apus_convert_rows(
    apus_element_kind from, apus_element_kind to, const apus_loop *loop, const void *a, void *output,
    ptrdiff_t first_row, ptrdiff_t last_row);

/// output = (a ≠ 0) over rows [first_row, last_row), 1 or 0.
void apus_truth_rows(
    apus_element_kind from, const apus_loop *loop, const void *a, uint8_t *output, ptrdiff_t first_row,
    ptrdiff_t last_row);

#endif
