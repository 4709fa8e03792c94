#if defined(__x86_64__)
#include "../variants/avx512_bf16.h"

#define APUS_ELEMENTS_ARE_BFLOAT16 1
#define APUS_TILE_ROWS 10
#include "winograd_tiles.h"
#endif
