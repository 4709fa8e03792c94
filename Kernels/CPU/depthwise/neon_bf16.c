#if defined(__aarch64__)
#include "../variants/neon_bf16.h"

#define APUS_ELEMENTS_ARE_BFLOAT16 1
#define APUS_TILE_VECTORS 2
#include "depthwise_rows.h"
#endif
