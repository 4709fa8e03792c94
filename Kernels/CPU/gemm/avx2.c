#if defined(__x86_64__)
#include "../variants/avx2.h"

// 6 · 2 sums, 2 columns and 1 element of a row take 15 of 16 registers.
#define APUS_TILE_ROWS 6
#define APUS_DEPTH_STEP 2
// 3 · 3 sums, 3 columns and 1 element take 13.
#define APUS_WIDE_TILE_ROWS 3
#include "gemm_tile.h"
#endif
