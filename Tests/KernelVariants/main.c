// Compares kernels that have a variant for each instruction set with plain loops, for every set of this processor.
//
// kernel-variants [FIRST_SEED]

#include "apus_bfloat16.h"
#include "apus_float16.h"
#include "apus_gemm.h"
#include "apus_integer.h"
#include "testing.h"

#include <stdio.h>
#include <stdlib.h>

static const struct {
    const char *name;
    apus_instructions value;
} sets[] = {
    {"baseline", APUS_INSTRUCTIONS_BASELINE},
    {"avx2", APUS_INSTRUCTIONS_AVX2},
    {"avx512", APUS_INSTRUCTIONS_AVX512},
    {"amx", APUS_INSTRUCTIONS_AMX},
    {"neon", APUS_INSTRUCTIONS_NEON},
};

/// The number of successive seeds that cover every combination which a family takes from the seed itself.
static const struct {
    const char *name;
    void (*test)(apus_instructions, uint64_t);
    uint64_t case_count;
} families[] = {
    {"gemm", test_gemm, 1600},
    {"bfloat16", test_bfloat16, 1600},
    {"modelled tiles", test_modelled_tiles, 1600},
    {"bfloat16 weights", test_bfloat16_weights, 1600},
    {"float16 weights", test_float16_weights, 1600},
    {"float16", test_float16, 1600},
    {"emulated float16", test_emulated_float16, 1600},
    {"float16 rounding", test_float16_rounding, 496},
    {"winograd", test_winograd, 400},
    {"depthwise", test_depthwise, 960},
    {"integer", test_integer, 1920},
    {"nibbles", test_nibbles, 960},
    {"resampling of rows", test_resampling_rows, 576},
    {"resampling of columns", test_resampling_columns, 1920},
};

/// Whether the processor has instructions for products of bytes.
static int multiplies_bytes(apus_instructions instructions) {
    return apus_integer_kernel_for(instructions, 1)->group == 4;
}

/// Why a family is not tested for an instruction set; NULL where it is. An empty text is not printed.
static const char *reason_against(void (*test)(apus_instructions, uint64_t), apus_instructions instructions) {
    if (test == test_modelled_tiles) {
        if (instructions != APUS_INSTRUCTIONS_AVX512) return "";
        return apus_bfloat16_kernel_for(instructions) ? NULL : "this processor does not round to bfloat16";
    }
    if (instructions == APUS_INSTRUCTIONS_AMX) {
        // All other kernels are those of AVX-512.
        if (test != test_bfloat16) return "";
        if (!apus_processor_supports(instructions)) return "this processor or system has no tiles of bfloat16";
        return apus_bfloat16_kernel_for(instructions) ? NULL : "the system does not give the tiles to this process";
    }
    if (test == test_bfloat16 && !apus_bfloat16_kernel_for(instructions)) return "this processor has no such products";
    if (test == test_float16_weights && !apus_gemm_of_halves_for(instructions))
        return "this instruction set has no such products";
    if (test == test_float16 && !apus_float16_kernel_for(instructions)) return "this processor has no such products";
    if (test == test_emulated_float16 && instructions != APUS_INSTRUCTIONS_AVX2) return "";
    if (test == test_emulated_float16 && !apus_float16_emulation()) return "this processor does not convert float16";
    return NULL;
}

int main(int argc, char **argv) {
    const uint64_t first = argc > 1 ? strtoull(argv[1], NULL, 10) : 0;
    for (size_t set = 0; set < sizeof sets / sizeof *sets; set++) {
        // Why tiles are not tested is printed.
        const int is_present = apus_processor_supports(sets[set].value) || sets[set].value == APUS_INSTRUCTIONS_AMX;
        if (!is_present || !apus_gemm_kernel_for(sets[set].value)) continue;
        for (size_t family = 0; family < sizeof families / sizeof *families; family++) {
            const char *reason = reason_against(families[family].test, sets[set].value);
            if (reason) {
                if (*reason) printf("%s %s: not tested, %s\n", sets[set].name, families[family].name, reason);
                continue;
            }
            const uint64_t end = first + families[family].case_count;
            const int before = failure_count;
            for (uint64_t seed = first; seed < end; seed++) {
                begin_case(sets[set].name, families[family].name, seed);
                families[family].test(sets[set].value, seed);
            }
            const int has_products = families[family].test == test_integer && multiplies_bytes(sets[set].value);
            printf(
                "%s %s%s: seeds %llu to %llu, %d failed\n", sets[set].name, families[family].name,
                has_products ? " with products of bytes" : "",
                (unsigned long long)first, (unsigned long long)end - 1, failure_count - before);
            fflush(stdout);
        }
    }
    return failure_count > 0;
}
