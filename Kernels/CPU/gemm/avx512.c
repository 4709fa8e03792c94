#if defined(__x86_64__)
#include "../variants/avx512.h"

// Rows may lie a multiple of 4 KiB apart, so that all of them fall into one set of a first-level cache, which holds 8 to 12
// lines. 10 · 2 sums are enough to keep two multipliers busy; their addresses fit in the registers unless steps are unrolled.
#define APUS_TILE_ROWS 10
#define APUS_TILE_CASES                                                                                           \
    APUS_TILE_CASE(1) APUS_TILE_CASE(2) APUS_TILE_CASE(3) APUS_TILE_CASE(4) APUS_TILE_CASE(5) APUS_TILE_CASE(6)   \
    APUS_TILE_CASE(7) APUS_TILE_CASE(8) APUS_TILE_CASE(9) APUS_TILE_CASE(10)
#define APUS_DEPTH_STEP 1
#include "tile.h"
#endif
