#ifndef APUS_VARIANT_AMX_BF16_H
#define APUS_VARIANT_AMX_BF16_H

// AVX-512 with instructions for bfloat16, and the tile registers of AMX.
#ifndef APUS_VARIANT
#define APUS_VARIANT amx_bf16
#endif
#define APUS_TARGET                                                                                               \
    __attribute__((target("arch=x86-64-v4,avx512bf16,amx-tile,amx-bf16"), min_vector_width(512)))
#include "avx512_bf16.h"
#include "tile_registers.h"

#endif
