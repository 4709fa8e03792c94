#include "../variants/baseline.h"

#define APUS_TILE_VECTORS 1
#include "depthwise_rows.h"
