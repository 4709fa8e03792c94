#if defined(__aarch64__)
#include "../variants/neon_bf16.h"

#define APUS_ELEMENTS_ARE_BFLOAT16 1
#define APUS_TILE_ROWS 12
#include "winograd_tiles.h"
#endif
