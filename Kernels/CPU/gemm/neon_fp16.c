#if defined(__aarch64__)
#include "../variants/neon_fp16.h"

// 12 sums, 2 vectors of weights and the elements of some rows fit in 32 registers; sums of float32 lie in memory.
#define APUS_TILE_ROWS 12
#define APUS_DEPTH_STEP 4
#define APUS_PRODUCTS_ARE_FLOAT16 1
#include "gemm_tile.h"

const apus_float16_kernel apus_float16_neon_fp16 = {.product = &apus_gemm_neon_fp16, .round_rows = round_rows};
#endif
