#if defined(__x86_64__)
#include "../variants/avx512.h"

// Registers would hold 14 · 2 sums. A smaller tile is stored while the next is multiplied.
#define APUS_TILE_ROWS 10
#include "winograd_tiles.h"
#endif
