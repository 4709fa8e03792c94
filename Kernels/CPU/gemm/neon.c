#if defined(__aarch64__)
#include "../variants/neon.h"

// 12 · 2 sums, 2 columns and 1 element of a row take 27 of 32 registers.
#define APUS_TILE_ROWS 12
#define APUS_DEPTH_STEP 4
#include "gemm_tile.h"
#endif
