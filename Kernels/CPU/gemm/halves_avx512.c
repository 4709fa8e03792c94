#if defined(__x86_64__)
#include "../variants/avx512.h"

// As many rows as for floats: their addresses fit in registers, too.
#define APUS_TILE_ROWS 10
#define APUS_DEPTH_STEP 1
#define APUS_WEIGHTS_ARE_HALVES 1
#include "gemm_tile.h"
#endif
