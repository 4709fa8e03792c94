#if defined(__x86_64__)
#include "../variants/avx2.h"

// 7 sums, 5 weights and 1 element take 13 of 16 registers.
#define APUS_TILE_VECTORS 1
#include "depthwise_rows.h"
#endif
