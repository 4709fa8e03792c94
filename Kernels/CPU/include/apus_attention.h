#ifndef APUS_ATTENTION_H
#define APUS_ATTENTION_H

#include "apus_bfloat16.h"
#include "apus_gemm.h"

#include <stddef.h>

#pragma clang assume_nonnull begin

/// Operands that are bfloat16, as bits. Their strides and numbers of features are even.
enum {
    APUS_ATTENTION_QUERY = 1,
    APUS_ATTENTION_KEY = 2,
    APUS_ATTENTION_VALUE = 4,
    APUS_ATTENTION_OUTPUT = 8,
};

/// Scaled dot-product attention of one head, for some of its queries:
///
/// output[i] = Σⱼ wⱼ · value[j] ÷ Σⱼ wⱼ, wⱼ = exp(sⱼ − maxⱼ sⱼ), sⱼ = scale · query[i] · key[j] + bias[i][j]
///
/// The elements of a row are adjacent; rows lie the strides apart, in elements. The bits of an output row do not depend
/// on which other queries are computed with it.
typedef struct {
    ptrdiff_t query_count, key_count;
    /// The number of features of queries and keys, and that of values.
    ptrdiff_t size, value_size;
    const float *query, *key, *value;
    ptrdiff_t query_stride, key_stride, value_stride;
    /// NULL adds nothing; `bias_stride` is 0 where all queries have the same bias.
    const float *_Nullable bias;
    ptrdiff_t bias_stride;
    float scale;
    float *output;
    ptrdiff_t output_stride;
    /// The operands at whose addresses there are bfloat16. Products of float32 do not read it.
    int in_bfloat16;
} apus_attention_head;

/// The floats of scratch memory for a head with `key_count` keys of `size` and values of `value_size` features.
ptrdiff_t apus_attention_scratch_count(
    const apus_gemm_kernel *kernel, const apus_bfloat16_kernel *_Nullable rounding, ptrdiff_t key_count,
    ptrdiff_t size, ptrdiff_t value_size);

/// Computes the head's queries with products of `kernel`, or with those of `rounding`: it then rounds queries, keys,
/// values and wⱼ, but not Σⱼ wⱼ.
void apus_attend(
    const apus_attention_head *head, const apus_gemm_kernel *kernel, const apus_bfloat16_kernel *_Nullable rounding,
    float *scratch);

#pragma clang assume_nonnull end

#endif
