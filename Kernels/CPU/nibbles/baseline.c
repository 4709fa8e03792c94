#include "../variants/baseline.h"

// 4 · 2 sums, the weights, scales and offsets of 2 columns, and 1 element of a row take 15 of 16 registers.
#define APUS_TILE_ROWS 4
#include "nibble_tile.h"
