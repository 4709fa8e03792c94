#if defined(__x86_64__)
// The product of AMX with a model of its tile registers, for processors without them.
#include "tile_model.h"

#define APUS_VARIANT amx_model
#include "../../Kernels/CPU/gemm/amx_bf16.c"

#include "words.h"

static void multiply_with_model(const apus_gemm_block *block) {
    apus_gemm_amx_model.multiply(block);
    if (has_tiles()) fail("the tile registers were not released");
}

void test_modelled_tiles(apus_instructions instructions, uint64_t seed) {
    (void)instructions;
    const apus_gemm_kernel product = {
        .tile_rows = apus_gemm_amx_model.tile_rows, .panel_columns = apus_gemm_amx_model.panel_columns,
        .multiply = multiply_with_model};
    apus_bfloat16_kernel kernel = apus_bfloat16_amx_model;
    kernel.product = &product;
    test_bfloat16_kernel(&kernel, add_in_steps, seed);
}
#else
#include "testing.h"

void test_modelled_tiles(apus_instructions instructions, uint64_t seed) {
    (void)instructions;
    (void)seed;
}
#endif
