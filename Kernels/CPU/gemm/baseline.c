#include "../variants/baseline.h"

// 6 · 2 sums, 2 columns and 1 element of a row take 15 of 16 registers.
#define APUS_TILE_ROWS 6
#define APUS_DEPTH_STEP 4
#include "gemm_tile.h"
