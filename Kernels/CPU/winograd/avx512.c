#if defined(__x86_64__)
#include "../variants/avx512.h"

// 14 · 2 sums, 2 columns and 1 element of a row take 31 of 32 registers.
#define APUS_TILE_ROWS 14
#define APUS_TILE_CASES                                                                                           \
    APUS_TILE_CASE(1) APUS_TILE_CASE(2) APUS_TILE_CASE(3) APUS_TILE_CASE(4) APUS_TILE_CASE(5) APUS_TILE_CASE(6)   \
    APUS_TILE_CASE(7) APUS_TILE_CASE(8) APUS_TILE_CASE(9) APUS_TILE_CASE(10) APUS_TILE_CASE(11)                   \
    APUS_TILE_CASE(12) APUS_TILE_CASE(13) APUS_TILE_CASE(14)
#include "tiles.h"
#endif
