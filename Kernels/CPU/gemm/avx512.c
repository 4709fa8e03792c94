#if defined(__x86_64__)
#include "../variants/avx512.h"

// Registers would hold 14 · 2 sums. With 10 rows their addresses fit in registers, too, unless steps are unrolled, and
// the processor stores smaller tiles while it multiplies the next.
#define APUS_TILE_ROWS 10
#define APUS_DEPTH_STEP 1
// Some processors multiply 32 bytes at a time.
#define APUS_HALVES_ARE_FASTER 1
#include "gemm_tile.h"
#endif
