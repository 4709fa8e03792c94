#if defined(__aarch64__)
#include "../variants/neon.h"

// 8 · 2 sums, 2 words, 2 columns and 1 element of a row take 21 of 32 registers.
#define APUS_TILE_ROWS 8
#define APUS_DEPTH_STEP 4
#define APUS_WEIGHTS_ARE_HALVES 1
#include "gemm_tile.h"
#endif
