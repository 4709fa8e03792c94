#ifndef APUS_VARIANT_NEON_H
#define APUS_VARIANT_NEON_H

// NEON of AArch64: 32 registers of 4 floats.
#define APUS_VARIANT neon
#define APUS_LANES 4
#define APUS_TARGET
#include "vector.h"

#endif
