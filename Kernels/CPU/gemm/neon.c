#if defined(__aarch64__)
#include "../variants/neon.h"

// 12 · 2 sums, 2 columns and 1 element of a row take 27 of 32 registers.
#define APUS_TILE_ROWS 12
#define APUS_TILE_CASES                                                                                           \
    APUS_TILE_CASE(1) APUS_TILE_CASE(2) APUS_TILE_CASE(3) APUS_TILE_CASE(4) APUS_TILE_CASE(5) APUS_TILE_CASE(6)   \
    APUS_TILE_CASE(7) APUS_TILE_CASE(8) APUS_TILE_CASE(9) APUS_TILE_CASE(10) APUS_TILE_CASE(11) APUS_TILE_CASE(12)
#define APUS_DEPTH_STEP 4
#include "gemm_tile.h"
#endif
