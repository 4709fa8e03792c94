#if defined(__x86_64__)
#include "../variants/avx512_fp16.h"

// As many rows as for floats: their addresses fit in registers, too.
#define APUS_TILE_ROWS 10
#define APUS_DEPTH_STEP 2
#define APUS_PRODUCTS_ARE_FLOAT16 1
#include "gemm_tile.h"

const apus_float16_kernel apus_float16_avx512_fp16 = {.product = &apus_gemm_avx512_fp16, .round_rows = round_rows};
#endif
