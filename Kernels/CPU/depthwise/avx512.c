#if defined(__x86_64__)
#include "../variants/avx512.h"

// 7 · 2 sums, 5 · 2 weights and 2 elements take 26 of 32 registers.
#define APUS_TILE_VECTORS 2
#include "depthwise_rows.h"
#endif
