#if defined(__x86_64__)
#include "../variants/avx512.h"

// Of 14 · 2 sums that registers would hold: smaller tiles are stored while the next are multiplied.
#define APUS_TILE_ROWS 10
#define APUS_TILE_CASES                                                                                           \
    APUS_TILE_CASE(1) APUS_TILE_CASE(2) APUS_TILE_CASE(3) APUS_TILE_CASE(4) APUS_TILE_CASE(5) APUS_TILE_CASE(6)   \
    APUS_TILE_CASE(7) APUS_TILE_CASE(8) APUS_TILE_CASE(9) APUS_TILE_CASE(10)
#include "winograd_tiles.h"
#endif
