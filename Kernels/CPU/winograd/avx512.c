#if defined(__x86_64__)
#include "../variants/avx512.h"

// Of 14 · 2 sums that registers would hold: smaller tiles are stored while the next are multiplied.
#define APUS_TILE_ROWS 10
#include "winograd_tiles.h"
#endif
