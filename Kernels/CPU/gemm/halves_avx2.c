#if defined(__x86_64__)
#include "../variants/avx2.h"

// 5 · 2 sums, 2 words, 2 columns and 1 element of a row take 15 of 16 registers.
#define APUS_TILE_ROWS 5
#define APUS_DEPTH_STEP 2
#define APUS_WEIGHTS_ARE_HALVES 1
#include "gemm_tile.h"
#endif
