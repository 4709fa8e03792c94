#ifndef APUS_VARIANT_NEON_FP16_H
#define APUS_VARIANT_NEON_FP16_H

// NEON with arithmetic of float16.
#define APUS_VARIANT neon_fp16
#define APUS_LANES 4
#define APUS_TARGET __attribute__((target("fullfp16")))
#include "vector.h"

#endif
