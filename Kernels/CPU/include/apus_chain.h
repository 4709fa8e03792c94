#ifndef APUS_CHAIN_H
#define APUS_CHAIN_H

#include "apus_activation.h"
#include "apus_elementwise.h"

#include <stddef.h>
#include <stdint.h>

#pragma clang assume_nonnull begin

typedef enum {
    /// A row of the table of functions, of float32.
    APUS_CHAIN_UNARY,
    /// A function of the element and one of another array, both float32.
    APUS_CHAIN_BINARY,
    /// `apus_quantize`: float32 to integers of 8 bits.
    APUS_CHAIN_QUANTIZE,
    /// `apus_dequantize`, with the scale and zero point of the result.
    APUS_CHAIN_DEQUANTIZE,
    /// `apus_quantize_and_dequantize`: both, without the integers between.
    APUS_CHAIN_QUANTIZE_AND_DEQUANTIZE,
    /// `apus_look_up`, of integers of 8 bits.
    APUS_CHAIN_LOOK_UP,
} apus_chain_kind;

/// A function of one element. Fields that its kind does not name are 0.
typedef struct {
    apus_chain_kind kind;
    apus_unary_kind unary;
    float alpha;
    float beta;
    apus_binary_kind binary;
    apus_activation activation;
    /// The other array of a binary function. It begins again after `operand_period` elements; a period of 1 is one
    /// number.
    const float *_Nullable operand;
    ptrdiff_t operand_period;
    int32_t is_operand_first;
    float scale;
    int32_t zero_point;
    int32_t low;
    int32_t high;
    int32_t rounds_to_even;
    float result_scale;
    int32_t result_zero_point;
    int32_t is_signed;
    /// 256 elements; those of signed integers begin with the one for −128.
    const uint8_t *_Nullable table;
} apus_chain_function;

/// output[i] = fₙ(… f₁(input[i])) for elements [first, first + count) of dense arrays, each of which holds elements of
/// 1 or 4 bytes. The bits of an element do not depend on the range. `output` is not `input`.
void apus_run_chain(
    const apus_chain_function *functions, ptrdiff_t function_count, const void *input, ptrdiff_t input_byte_count,
    void *output, ptrdiff_t output_byte_count, ptrdiff_t first, ptrdiff_t count);

#pragma clang assume_nonnull end

#endif
