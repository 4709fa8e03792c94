#if defined(__x86_64__)
#include "../variants/avx2.h"

// 6 · 2 sums, 2 columns and 1 element of a row take 15 of 16 registers.
#define APUS_TILE_ROWS 6
#define APUS_TILE_CASES                                                                                           \
    APUS_TILE_CASE(1) APUS_TILE_CASE(2) APUS_TILE_CASE(3) APUS_TILE_CASE(4) APUS_TILE_CASE(5) APUS_TILE_CASE(6)
#define APUS_DEPTH_STEP 2
#include "gemm_tile.h"
#endif
