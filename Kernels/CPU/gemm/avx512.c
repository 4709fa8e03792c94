#if defined(__x86_64__)
#include "../variants/avx512.h"

// Of 14 · 2 sums that registers would hold: the addresses of 10 rows fit in registers as well, unless steps are unrolled, and
// smaller tiles are stored while the next are multiplied.
#define APUS_TILE_ROWS 10
#define APUS_DEPTH_STEP 1
// Where 32 bytes are multiplied at a time.
#define APUS_HALVES_ARE_FASTER 1
#include "gemm_tile.h"
#endif
