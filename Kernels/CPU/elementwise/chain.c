#include "apus_chain.h"

#include "apus_integer.h"

/// The elements that pass through all functions before the next ones do: two of these blocks fit in a first-level
/// cache.
enum { BLOCK = 1024 };

/// output = f(input), or the function of the input and the other operand, for elements [first, first + count).
static void combine_block(
    const apus_chain_function *f, const float *input, float *output, ptrdiff_t first, ptrdiff_t count) {
    while (count > 0) {
        const ptrdiff_t position = f->operand_period > 1 ? first % f->operand_period : 0;
        const ptrdiff_t rest = f->operand_period > 1 ? f->operand_period - position : count;
        const ptrdiff_t length = rest < count ? rest : count;
        const ptrdiff_t stride = f->operand_period > 1 ? 1 : 0;
        const float *operand = f->operand + position;
        const apus_loop loop = {
            1, {length}, {f->is_operand_first ? stride : 1}, {f->is_operand_first ? 1 : stride}, {1}};
        apus_binary_rows(
            f->binary, &loop, f->is_operand_first ? operand : input, f->is_operand_first ? input : operand, output,
            f->activation, 0, 1);
        first += length;
        count -= length;
        input += length;
        output += length;
    }
}

static void run_block(
    const apus_chain_function *f, const void *input, void *output, ptrdiff_t first, ptrdiff_t count) {
    switch (f->kind) {
    case APUS_CHAIN_UNARY: {
        const apus_loop loop = {1, {count}, {1}, {0}, {1}};
        apus_unary_rows(f->unary, f->alpha, f->beta, &loop, input, 0, output, 0, 0, 1);
        break;
    }
    case APUS_CHAIN_BINARY: combine_block(f, input, output, first, count); break;
    case APUS_CHAIN_QUANTIZE:
        apus_quantize(
            input, f->scale, f->zero_point, f->low, f->high, f->rounds_to_even, count, output);
        break;
    case APUS_CHAIN_DEQUANTIZE:
        apus_dequantize(input, f->is_signed, f->result_scale, f->result_zero_point, count, output);
        break;
    case APUS_CHAIN_QUANTIZE_AND_DEQUANTIZE:
        apus_quantize_and_dequantize(
            input, f->scale, f->zero_point, f->low, f->high, f->rounds_to_even, f->result_scale,
            f->result_zero_point, count, output);
        break;
    case APUS_CHAIN_LOOK_UP: apus_look_up(input, f->table, f->is_signed, count, output); break;
    }
}

void apus_run_chain(
    const apus_chain_function *functions, ptrdiff_t function_count, const void *input,
    ptrdiff_t input_byte_count, void *output, ptrdiff_t output_byte_count, ptrdiff_t first, ptrdiff_t count) {
    float blocks[2][BLOCK];
    for (const ptrdiff_t end = first + count; first < end; first += BLOCK) {
        const ptrdiff_t length = end - first < BLOCK ? end - first : BLOCK;
        const void *source = (const char *)input + first * input_byte_count;
        for (ptrdiff_t index = 0; index < function_count; index++) {
            void *result =
                index == function_count - 1 ? (char *)output + first * output_byte_count : (char *)blocks[index % 2];
            run_block(functions + index, source, result, first, length);
            source = result;
        }
    }
}
