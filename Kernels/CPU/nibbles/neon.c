#if defined(__aarch64__)
#include "../variants/neon.h"

// 10 · 2 sums, the weights, scales and offsets of 2 columns, and 1 element of a row take 27 of 32 registers.
#define APUS_TILE_ROWS 10
#include "nibble_tile.h"
#endif
